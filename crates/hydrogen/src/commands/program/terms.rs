//! Conditions and outputs of a run, for people and for programs.

use hydrogen_evidence::escape;
use hydrogen_explore::{Conjunct, Kind, Logs, NamedOutput, Piece, pieces, show};
use hydrogen_machine::{End, Program, Stream, World};
use hydrogen_term::{Pool, Term};
use serde_json::{Value, json};

/// One condition.
pub struct Condition {
    pub text: String,
    pub kind: &'static str,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub library: bool,
    pub instance: u64,
}

impl Condition {
    /// Where it is, for people.
    pub fn place(&self) -> String {
        match self.library || self.line == 0 {
            true => format!("in {}", self.function),
            false => format!("{}:{}", self.file, self.line),
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "text": self.text, "kind": self.kind, "file": self.file, "line": self.line, "column": self.column,
            "function": self.function, "library": self.library, "instance": self.instance,
        })
    }
}

pub fn conditions(program: &Program, pool: &mut Pool, path: &[Conjunct]) -> Vec<Condition> {
    let one = |conjunct: &Conjunct| {
        let place = program.place(conjunct.site);
        Condition {
            text: show(pool, conjunct.term),
            kind: match conjunct.kind {
                Kind::Branch => "branch",
                Kind::Assumed => "assumed",
                Kind::NoFault => "no-fault",
                Kind::Concrete => "concrete",
                Kind::Fault => "fault",
            },
            file: place.file,
            line: place.line,
            column: place.column,
            function: place.function,
            library: !place.users,
            instance: conjunct.instance,
        }
    };
    path.iter().map(one).collect()
}

/// What came out, as expressions over the input.
pub struct Output {
    pub name: String,
    pub text: String,
    /// Whether it depends on the input, on the same path.
    pub symbolic: bool,
}

impl Output {
    pub fn json(&self) -> Value {
        json!({ "name": self.name, "text": self.text, "symbolic": self.symbolic })
    }
}

/// What the outputs of a run are made of.
pub struct Outgoing<'a> {
    pub named: &'a [NamedOutput],
    pub logs: &'a Logs,
    pub status: Option<Term>,
    pub end: &'a End,
    pub world: &'a World,
}

pub fn outputs(pool: &mut Pool, out: &Outgoing<'_>) -> Vec<Output> {
    let mut list = Vec::new();
    for one in out.named {
        // A value that was widened for the call reads as what it was.
        let symbolic = pool.as_bits(one.value).is_none();
        let text = match pool.as_signed(one.value) {
            Some(value) => value.to_string(),
            None => show(pool, one.value),
        };
        list.push(Output { name: one.name.clone(), text, symbolic });
    }
    let mut stream = |stream: Stream, name: String, bytes: &[u8]| {
        if !bytes.is_empty() {
            let symbolic = out.logs.of(stream).next().is_some();
            list.push(Output { name, text: text(pool, bytes, out.logs, stream), symbolic });
        }
    };
    stream(Stream::Stdout, "stdout".into(), &out.world.stdout);
    stream(Stream::Stderr, "stderr".into(), &out.world.stderr);
    let symbolic: Vec<(Stream, bstr::BString)> = out
        .logs
        .streams()
        .filter(|one| matches!(one, Stream::Node(_)))
        .map(|one| (one, out.world.name_of(one)))
        .collect();
    for (name, content) in out.world.changed_files() {
        let node = symbolic.iter().find(|(_, known)| *known == name);
        match node {
            Some((node, _)) => stream(*node, format!("file {name}"), &content),
            None => stream(Stream::Node(usize::MAX), format!("file {name}"), &content),
        }
    }
    if let (End::Exit(status), known) = (out.end, out.status) {
        let text = known.map_or_else(|| status.to_string(), |term| show(pool, term));
        list.push(Output { name: "exit".into(), text, symbolic: known.is_some() });
    }
    list
}

/// Bytes as quoted text, with expressions in braces.
fn text(pool: &mut Pool, bytes: &[u8], logs: &Logs, stream: Stream) -> String {
    const LONGEST: usize = 400;
    let mut out = String::from("\"");
    for piece in pieces(bytes, logs.of(stream)) {
        match piece {
            Piece::Text(bytes) => {
                out.push_str(&escape(&bytes).replace('"', "\\\"").replace('{', "{{").replace('}', "}}"));
            }
            Piece::Byte(term) => {
                let term = show(pool, term);
                out.push_str(&format!("{{{term}}}"));
            }
        }
        if out.len() > LONGEST {
            let whole = (0..=LONGEST).rev().find(|at| out.is_char_boundary(*at));
            out.truncate(whole.unwrap_or(0));
            out.push('…');
            break;
        }
    }
    out.push('"');
    out
}
