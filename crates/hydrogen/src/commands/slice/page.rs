//! A slice as one page: `slice --html FILE`.

use super::report::functions;
use crate::commands::program::Sources;
use hydrogen_machine::Program;
use hydrogen_report::runs::Sources as _;
use hydrogen_report::{Excerpt, Mark, listing};
use hydrogen_trace::Line;
use std::collections::BTreeMap;

type Lines = BTreeMap<(String, u32), Line>;

/// `dynamic` and `sliced` are the lines of the run, counted by the dynamic slice and by the one that was asked for.
pub fn html(
    program: &Program,
    sources: &Sources,
    dynamic: &Lines,
    sliced: &Lines,
    criterion: &str,
) -> String {
    let count = |lines: &Lines| lines.values().filter(|line| line.sliced > 0).count();
    let summary = format!(
        "{} of {} executed lines are in the slice, {} of them in the dynamic slice.",
        count(sliced),
        sliced.len(),
        count(dynamic).min(count(sliced))
    );
    let in_slice = |lines: &Lines, at: &(String, u32)| lines.get(at).is_some_and(|line| line.sliced > 0);
    let mark = |at: &(String, u32)| match () {
        () if in_slice(sliced, at) && in_slice(dynamic, at) => Mark::Dynamic,
        () if in_slice(sliced, at) => Mark::Relevant,
        () if sliced.contains_key(at) => Mark::Executed,
        () => Mark::None,
    };
    let mut excerpts = Vec::new();
    for (file, from, to) in functions(program, sliced) {
        let text = sources.lines(&file).unwrap_or_default();
        let one = |number: u32| {
            let text = text.get(number as usize - 1).cloned().unwrap_or_default();
            (number, text, mark(&(file.clone(), number)))
        };
        excerpts.push(Excerpt { lines: (from.max(1)..=to).map(one).collect(), file });
    }
    listing(&format!("What {criterion} depends on"), &[summary], &excerpts)
}
