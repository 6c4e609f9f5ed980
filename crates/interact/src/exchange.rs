//! Interaction graphs as text, for other tools and for people to edit (E10).
//!
//! ```text
//! hydrogen-csg 1
//! verdict may
//! node 0 change main.c:2 parse "int lhs = 0"
//! node 1 location main.c:9 parse "c" on 0,2
//! flow entry 0
//! flow 0 exit
//! depends 0 1
//! ```
//!
//! Lines that begin with `#` and empty lines are ignored. Texts are quoted, with `\"`, `\\` and `\n` inside.

use hydrogen_evidence::interaction::{InteractionGraph, InteractionNode, NodeKind, Verdict};
use std::fmt::Write;

/// Why a text is no interaction graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ExchangeError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

const HEAD: &str = "hydrogen-csg 1";

/// Writes a graph.
pub fn export(graph: &InteractionGraph) -> String {
    let mut out = format!("{HEAD}\n");
    // Writing to a string cannot fail.
    let _ = match &graph.verdict {
        Verdict::Cannot => writeln!(out, "verdict cannot"),
        Verdict::May => writeln!(out, "verdict may"),
        Verdict::Unknown(reasons) => {
            let quoted: Vec<String> = reasons.iter().map(|it| quote(it)).collect();
            writeln!(out, "verdict unknown {}", quoted.join(" "))
        }
    };
    for (at, node) in graph.nodes.iter().enumerate() {
        let kind = match node.kind {
            NodeKind::Change => "change",
            NodeKind::Location => "location",
            NodeKind::Output => "output",
        };
        let on: Vec<String> = node.depends_on.iter().map(usize::to_string).collect();
        let on = if on.is_empty() { String::new() } else { format!(" on {}", on.join(",")) };
        let place = quote(&format!("{}:{}", node.file, node.line));
        let _ = writeln!(out, "node {at} {kind} {place} {} {}{on}", node.function, quote(&node.text));
    }
    let end = |it: Option<usize>, other: &str| it.map_or(other.to_owned(), |it| it.to_string());
    for &(from, to) in &graph.flow {
        let _ = writeln!(out, "flow {} {}", end(from, "entry"), end(to, "exit"));
    }
    for (change, location) in &graph.dependence {
        let _ = writeln!(out, "depends {change} {location}");
    }
    out
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Reads a graph.
pub fn import(text: &str) -> Result<InteractionGraph, ExchangeError> {
    let mut graph = InteractionGraph {
        nodes: Vec::new(),
        flow: Vec::new(),
        dependence: Vec::new(),
        verdict: Verdict::Unknown(vec!["the file states no verdict".into()]),
    };
    let mut headed = false;
    for (at, line) in text.lines().enumerate() {
        let fail = |message: &str| ExchangeError { line: at + 1, message: message.to_owned() };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !headed {
            if line.trim() != HEAD {
                return Err(fail("the first line must be `hydrogen-csg 1`"));
            }
            headed = true;
            continue;
        }
        let words = split(line).ok_or_else(|| fail("a quote is not closed"))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let number = |word: &str| word.parse::<usize>().map_err(|_| fail("a number is expected"));
        match words[..] {
            ["verdict", "cannot"] => graph.verdict = Verdict::Cannot,
            ["verdict", "may"] => graph.verdict = Verdict::May,
            ["verdict", "unknown", ref reasons @ ..] => {
                graph.verdict = Verdict::Unknown(reasons.iter().map(|it| (*it).to_owned()).collect());
            }
            ["node", id, kind, place, function, text, ref rest @ ..] => {
                if number(id)? != graph.nodes.len() {
                    return Err(fail("nodes must be numbered from 0 in order"));
                }
                let kind = match kind {
                    "change" => NodeKind::Change,
                    "location" => NodeKind::Location,
                    "output" => NodeKind::Output,
                    _ => return Err(fail("a node is a change, a location or an output")),
                };
                let (file, line) = place.rsplit_once(':').ok_or_else(|| fail("a place is FILE:LINE"))?;
                let line = line.parse().map_err(|_| fail("a place is FILE:LINE"))?;
                let depends_on = match rest {
                    [] => Vec::new(),
                    ["on", list] => list.split(',').map(number).collect::<Result<_, _>>()?,
                    _ => return Err(fail("only `on LIST` may follow the text of a node")),
                };
                let (file, function, text) = (file.into(), function.into(), text.to_owned());
                graph.nodes.push(InteractionNode { kind, file, function, line, text, depends_on });
            }
            ["flow", from, to] => {
                let from = if from == "entry" { None } else { Some(number(from)?) };
                let to = if to == "exit" { None } else { Some(number(to)?) };
                graph.flow.push((from, to));
            }
            ["depends", change, location] => graph.dependence.push((number(change)?, number(location)?)),
            _ => return Err(fail("this is no verdict, node, flow or depends line")),
        }
    }
    let count = graph.nodes.len();
    let ends = graph.flow.iter().flat_map(|(from, to)| [*from, *to]).flatten();
    let others = graph.dependence.iter().flat_map(|(a, b)| [*a, *b]);
    let on = graph.nodes.iter().flat_map(|node| node.depends_on.iter().copied());
    if !headed || ends.chain(others).chain(on).any(|at| at >= count) {
        let message = if headed { "an edge names a node that does not exist" } else { "the file is empty" };
        return Err(ExchangeError { line: text.lines().count(), message: message.into() });
    }
    Ok(graph)
}

/// Divides a line at blanks; quoted parts stay whole.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let mut word = String::new();
        if first == '"' {
            chars.next();
            loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => word.push(match chars.next()? {
                        'n' => '\n',
                        other => other,
                    }),
                    other => word.push(other),
                }
            }
        } else {
            while let Some(next) = chars.next_if(|it| !it.is_whitespace()) {
                word.push(next);
            }
        }
        words.push(word);
    }
    Some(words)
}
