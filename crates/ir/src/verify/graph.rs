//! IR-13 to IR-17: the statement graph.

use super::{Report, Rule};
use crate::{Function, Op, Role, Span};

pub(super) fn check(function: &Function, report: &mut Report) {
    ends(function, report);
    flow(function, report);
    let spans =
        function.pieces.iter().enumerate().map(|(index, piece)| (format!("piece p{index}"), piece.span));
    for (place, span) in std::iter::once(("head".to_string(), function.span)).chain(spans) {
        if let Some(Span { start, end, .. }) = span.filter(|span| span.end < span.start) {
            let message = format!(
                "the span ends at {}:{}, before {}:{}",
                end.line, end.column, start.line, start.column
            );
            report.add(Rule::Spans, place, message);
        }
    }
    calls(function, report);
}

fn ends(function: &Function, report: &mut Report) {
    if function.pieces.is_empty() {
        if function.body.is_some() {
            report.add(Rule::EntryAndExit, "pieces", "a function with a body has pieces");
        }
        return;
    }
    if !function.is_defined() {
        report.add(Rule::EntryAndExit, "pieces", "a declaration has no pieces");
    }
    if function.pieces.len() < 2 {
        report.add(Rule::EntryAndExit, "pieces", "there is no exit");
    }
    for (index, piece) in function.pieces.iter().enumerate() {
        let expected = match index {
            0 => Some(Role::Entry),
            1 => Some(Role::Exit),
            _ => None,
        };
        let found = Some(piece.role).filter(|role| matches!(role, Role::Entry | Role::Exit));
        if found != expected {
            let message = match expected {
                Some(role) => format!("is not the {}", if role == Role::Entry { "entry" } else { "exit" }),
                None => "is a second entry or exit".into(),
            };
            report.add(Rule::EntryAndExit, format_args!("piece p{index}"), message);
        }
    }
}

fn flow(function: &Function, report: &mut Report) {
    for pair in function.flow.windows(2) {
        if pair[0] >= pair[1] {
            let place = format_args!("flow p{} -> p{}", pair[1].from.0, pair[1].to.0);
            report.add(Rule::FlowSorted, place, "repeats the edge before it, or should stand before it");
        }
    }
    for edge in &function.flow {
        let place = format_args!("flow p{} -> p{}", edge.from.0, edge.to.0);
        if edge.to == Function::ENTRY {
            report.add(Rule::FlowEnds, place, "flows into the entry");
        }
        if edge.from == Function::EXIT {
            report.add(Rule::FlowEnds, place, "flows out of the exit");
        }
    }
}

fn calls(function: &Function, report: &mut Report) {
    for (index, call) in function.calls.iter().enumerate() {
        let (Some(id), Some(body)) = (call.instruction, &function.body) else { continue };
        let instruction = body.instruction(id);
        // `invoke` and `callbr` are calls too, though this model does not look into them.
        if !matches!(instruction.op, Op::Call { .. } | Op::OpaqueTerminator { .. }) {
            report.add(Rule::Calls, format_args!("call {index}"), format!("v{} is no call", id.0));
        } else if instruction.piece != call.piece {
            let message = format!("v{} belongs to p{}, not to p{}", id.0, instruction.piece.0, call.piece.0);
            report.add(Rule::Calls, format_args!("call {index}"), message);
        }
    }
}
