//! A slice, as evidence.

use hydrogen_evidence::sliced::{Explained, ExplainedRow, Line};
use hydrogen_explore::Explanation;
use hydrogen_machine::{FuncId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The functions that have lines in the slice: file, first and last line.
pub fn functions(program: &Program, lines: &BTreeMap<(String, u32), Line>) -> Vec<(String, u32, u32)> {
    let mut found = BTreeSet::new();
    for id in (0..program.function_count() as u32).map(FuncId) {
        let Some((module, function)) = program.model(id) else { continue };
        let Some(span) = function.span else { continue };
        let file = module.file(span.file).to_owned();
        let range = (file.clone(), span.start.line)..=(file.clone(), span.end.line);
        if lines.range(range).any(|(_, line)| line.sliced > 0) {
            found.insert((file, span.start.line, span.end.line));
        }
    }
    found.into_iter().collect()
}

/// The way back, with places.
pub fn explained(program: &Program, explanation: Explanation) -> Explained {
    let rows = explanation.rows.into_iter().map(|row| ExplainedRow {
        place: row.site.map(|site| program.place(site)),
        values: row.values,
        open: row.open,
        condition: row.condition,
    });
    Explained { rows: rows.collect(), cut: explanation.is_cut }
}

/// The executions of lines.
pub fn executions(all: Vec<hydrogen_trace::Execution>) -> Vec<hydrogen_evidence::sliced::Execution> {
    let one = |one: hydrogen_trace::Execution| hydrogen_evidence::sliced::Execution {
        file: one.file,
        line: one.line,
        nth: one.nth,
        control: one.control,
        data: one.data.into_iter().collect(),
        sliced: one.sliced,
    };
    all.into_iter().map(one).collect()
}
