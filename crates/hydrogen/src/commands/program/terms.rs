//! Conditions and outputs of a run, as evidence.

use hydrogen_evidence::{Condition, ConditionKind, Output, escape};
use hydrogen_explore::{Conjunct, Kind, Logs, NamedOutput, Piece, pieces, show};
use hydrogen_machine::{End, Program, Stream, World};
use hydrogen_term::{Pool, Term};

pub fn conditions(program: &Program, pool: &mut Pool, path: &[Conjunct]) -> Vec<Condition> {
    let one = |conjunct: &Conjunct| Condition {
        text: show(pool, conjunct.term),
        kind: match conjunct.kind {
            Kind::Branch => ConditionKind::Branch,
            Kind::Assumed => ConditionKind::Assumed,
            Kind::NoFault => ConditionKind::NoFault,
            Kind::Concrete => ConditionKind::Concrete,
            Kind::Fault => ConditionKind::Fault,
        },
        place: program.place(conjunct.site),
        instance: conjunct.instance,
    };
    path.iter().map(one).collect()
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
