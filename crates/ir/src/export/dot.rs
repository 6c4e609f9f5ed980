//! Statement graphs for Graphviz.

use crate::{EdgeKind, FunctionId, Module, Role};
use std::fmt::Write;

/// The statement graph of a function in the DOT language; an id of another module gives an empty graph.
pub fn to_dot(module: &Module, id: FunctionId) -> String {
    let mut out = String::new();
    write_graph(&mut out, module, id).expect("writing to a string cannot fail");
    out
}

fn write_graph(out: &mut String, module: &Module, id: FunctionId) -> std::fmt::Result {
    let function = module.functions.get(id.index());
    let name = function.map_or("", |function| &function.name);
    writeln!(out, "digraph \"{}\" {{", escaped(name))?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\"];")?;
    for (index, piece) in function.iter().flat_map(|function| function.pieces.iter().enumerate()) {
        let mut label = escaped(&piece.label());
        if let Some(span) = piece.span {
            label = format!("{}: {label}", span.start.line);
        }
        let shape = match piece.role {
            Role::Entry | Role::Exit => ", shape=ellipse",
            Role::If | Role::While | Role::DoWhile | Role::For | Role::Switch | Role::Condition => {
                ", shape=diamond"
            }
            _ => "",
        };
        writeln!(out, "  p{index} [label=\"{label}\"{shape}];")?;
    }
    for edge in function.iter().flat_map(|function| &function.flow) {
        let label = match &edge.kind {
            EdgeKind::Next => String::new(),
            kind => format!(" [label=\"{}\"]", escaped(&kind.to_string())),
        };
        writeln!(out, "  p{} -> p{}{label};", edge.from.0, edge.to.0)?;
    }
    writeln!(out, "}}")
}

/// Quotes, backslashes and line ends as Graphviz wants them. It knows no zero bytes and no other control
/// characters, so these become visible signs.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Labels expand HTML entities: `&lt;` in the source must stay `&lt;`.
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
