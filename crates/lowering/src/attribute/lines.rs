//! Pieces for functions whose source is not at hand: one per source line.

use hydrogen_ir::{Body, Location, Piece, Position, Role, Span};
use hydrogen_statements::StatementGraph;
use std::collections::BTreeSet;

/// A graph without edges: the compiled flow supplies them all. Its texts are `file:line`, or the function's name
/// where there is no debug information.
pub(super) fn graph(name: &str, body: &mut Body, files: &[String]) -> StatementGraph {
    let places: Vec<Location> =
        body.instructions.iter().filter_map(|instruction| instruction.location).collect();
    let lines: BTreeSet<_> = places.iter().map(|place| (place.file, place.position.line)).collect();
    let synthetic = |role| Piece { role, statement: 0, part: 0, text: String::new(), span: None };
    let mut pieces = vec![synthetic(Role::Entry), synthetic(Role::Exit)];
    for (index, &(file, line)) in lines.iter().enumerate() {
        let text = format!("{}:{line}", files.get(file.index()).map_or("?", String::as_str));
        let start = Position { line, column: 0 };
        let span = Some(Span { file, start, end: Position { line: line + 1, column: 0 } });
        pieces.push(Piece { role: Role::Expression, statement: index as u32, part: 0, text, span });
    }
    if lines.is_empty() {
        pieces.push(Piece {
            role: Role::Expression,
            statement: 0,
            part: 0,
            text: name.to_owned(),
            span: None,
        });
    }
    StatementGraph { pieces, ..StatementGraph::default() }
}
