//! Dependence between lines of a small program.

use hydrogen_interact::{Dependence, StatementId};
use hydrogen_testkit::Compile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The lines that depend on the statements of a line. A line is called by the comment at its end.
pub fn affected(source: &str, compiled: bool, from: &str) -> BTreeSet<String> {
    let unit = hydrogen_syntax::read("a.c", source.as_bytes(), &hydrogen_syntax::Options::default());
    let units = vec![Arc::new(unit)];
    let dependence = if compiled {
        let files = BTreeMap::from([("a.c".to_owned(), source.to_owned())]);
        let program = hydrogen_ir::link(Compile::default().models(&files)).module;
        Dependence::with_code(units, &program)
    } else {
        Dependence::of(units)
    };
    let called = |at: u32| -> Option<String> {
        let (_, function, piece) = dependence.place(StatementId(at));
        let line = function.pieces[piece as usize].span?.start.line;
        let text = source.lines().nth(line as usize - 1)?;
        Some(text.split_once("/*")?.1.trim_end_matches("*/").to_owned())
    };
    let all = 0..dependence.len() as u32;
    let starts: Vec<StatementId> =
        all.clone().filter(|&at| called(at).as_deref() == Some(from)).map(StatementId).collect();
    assert!(!starts.is_empty(), "{from} is nowhere");
    let slice = dependence.forward(starts);
    all.filter(|&at| slice[at as usize]).filter_map(called).filter(|name| name != from).collect()
}
