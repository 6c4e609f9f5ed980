//! Words for a shell.

use bstr::ByteSlice;
use hydrogen_evidence::{Input, until_zero};

/// Quoted, so that nothing in it means anything.
pub fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    out.extend(bytes.replace("'", "'\\''"));
    out.push(b'\'');
    out
}

/// What `env` is given: the variables of an input, and where its named memory is, in a file beside the script.
pub fn environment(input: &Input, memory: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in &input.environment {
        out.push(b' ');
        out.extend(quoted(&[name.as_slice(), b"=", until_zero(bytes)].concat()));
    }
    if !input.named.is_empty() {
        out.extend(format!(" HYDROGEN_INPUT=\"$here/{memory}\"").bytes());
    }
    out
}
