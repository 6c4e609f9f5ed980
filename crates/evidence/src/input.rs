//! Inputs: of a whole program, or of one call.

use crate::call::Call;
use bstr::{BString, ByteSlice, ByteVec};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One input of a program: what it is started with, where that differs from the world around it, and for a single function the call.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Text", from = "Text")]
pub struct Input {
    /// Bytes of standard input.
    pub stdin: Vec<u8>,
    /// Bytes of arguments.
    pub args: BTreeMap<usize, Vec<u8>>,
    /// Bytes of files.
    pub files: BTreeMap<BString, Vec<u8>>,
    /// Bytes of the values of environment variables.
    pub environment: BTreeMap<BString, Vec<u8>>,
    /// Bytes of named memory.
    pub named: BTreeMap<BString, Vec<u8>>,
    /// Whether standard input is what `stdin` says even when that is empty.
    pub exact: bool,
    /// The call that is made instead of starting the program in `main`.
    pub call: Option<Call>,
    /// The requests for memory that are refused, by number: the first of the run is 0.
    pub refused: BTreeSet<u64>,
}

/// An input as text, with `\x00` and the like for what is no text.
#[derive(Serialize, Deserialize)]
struct Text {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stdin: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<usize, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    memory: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Call>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    refused: BTreeSet<u64>,
}

impl From<Input> for Text {
    fn from(input: Input) -> Self {
        let text = escape;
        let named = |map: &BTreeMap<BString, Vec<u8>>| {
            map.iter().map(|(name, bytes)| (text(name), text(bytes))).collect()
        };
        Text {
            stdin: (!input.stdin.is_empty() || input.exact).then(|| text(&input.stdin)),
            args: input.args.iter().map(|(index, bytes)| (*index, text(bytes))).collect(),
            files: named(&input.files),
            environment: named(&input.environment),
            memory: named(&input.named),
            call: input.call,
            refused: input.refused,
        }
    }
}

impl From<Text> for Input {
    fn from(text: Text) -> Self {
        let bytes = |text: &String| Vec::unescape_bytes(text);
        let named = |map: &BTreeMap<String, String>| {
            map.iter().map(|(name, text)| (bytes(name).into(), bytes(text))).collect()
        };
        Input {
            exact: text.stdin.is_some(),
            stdin: text.stdin.as_ref().map(bytes).unwrap_or_default(),
            args: text.args.iter().map(|(index, text)| (*index, bytes(text))).collect(),
            files: named(&text.files),
            environment: named(&text.environment),
            named: named(&text.memory),
            call: text.call,
            refused: text.refused,
        }
    }
}

impl fmt::Display for Input {
    /// As one would start the program, or call the function.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        if let Some(call) = &self.call {
            parts.push(call.to_string());
        }
        parts.extend(self.args.iter().map(|(at, bytes)| format!("argument {at} \"{}\"", escape(bytes))));
        if !self.stdin.is_empty() || self.exact {
            parts.push(format!("standard input \"{}\"", escape(&self.stdin)));
        }
        let named = |what: &str, (name, bytes): (&BString, &Vec<u8>)| {
            format!("{what} {} \"{}\"", escape(name), escape(bytes))
        };
        parts.extend(self.files.iter().map(|one| named("file", one)));
        parts.extend(self.environment.iter().map(|one| named("variable", one)));
        parts.extend(self.named.iter().map(|one| named("memory", one)));
        parts
            .extend(self.refused.iter().map(|number| format!("no memory for request number {}", number + 1)));
        match parts.is_empty() {
            true => f.write_str("no input at all"),
            false => f.write_str(&parts.join(", ")),
        }
    }
}

/// A string of C.
pub fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// Bytes as one line of text, with `\\n`, `\\x00` and the like for what is none; `bstr`'s `unescape_bytes` reads it back.
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (index, part) in bytes.split(|byte| *byte == b' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&part.escape_bytes().to_string());
    }
    out
}
