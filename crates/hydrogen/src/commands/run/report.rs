//! What a run gave, as evidence.

use hydrogen_evidence::{Natively, Note, Ran, Symbolic};
use hydrogen_machine::Run;

/// What is said where a run went on behind shifts that `impact`, `verify` and `patch` count as faults.
const TOLERATED: &str = "left shifts of a negative number, or out of its type: C leaves them undefined and compilers go on; with --strict the run ends there with a bad shift";

pub fn ran<M>(run: &Run<M>, symbolic: Option<Symbolic>, native: Option<Natively>) -> Ran<'_> {
    let files = run.world.changed_files();
    Ran {
        end: &run.end,
        behind: &run.world.faults,
        stdout: &run.world.stdout,
        stderr: &run.world.stderr,
        files: files.iter().map(|(name, content)| (name.to_string(), content.len())).collect(),
        leaks: &run.leaks,
        reachable: run.reachable,
        ledger: ledger(run),
        statistics: run.statistics,
        symbolic,
        native,
    }
}

fn ledger<M>(run: &Run<M>) -> Vec<Note> {
    let tolerated = Some((TOLERATED, run.statistics.tolerated)).filter(|(_, count)| *count > 0);
    let notes = run.world.ledger().chain(tolerated);
    notes.map(|(text, count)| Note { text: text.to_owned(), count }).collect()
}
