//! What a run gave, as evidence.

use hydrogen_evidence::{Natively, Note, Ran, Symbolic};
use hydrogen_machine::Run;

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
        ledger: run.world.ledger().map(|(text, count)| Note { text: text.to_owned(), count }).collect(),
        statistics: run.statistics,
        symbolic,
        native,
    }
}
