//! What verdicts are called in the answer to a question.

use hydrogen_evidence::{Answer, Basis, Command, Entry, Finding, Ruling, Verdict};
use std::collections::BTreeSet;

/// So many questions are put to the reader at a time.
const QUESTIONS: usize = 3;

/// Whether a command asks about a fix.
pub(super) fn about_a_fix(answer: &Answer) -> bool {
    matches!(answer.command, Command::Verify | Command::Patch)
}

/// Whether a ruling is about a release with a patch in it.
pub(super) fn is_patched(answer: &Answer, version: &str) -> bool {
    answer.command == Command::Patch && (answer.patch.is_none() || answer.is_patched(version))
}

/// A verdict in a table.
pub(super) fn verdict(answer: &Answer, ruling: &Ruling) -> &'static str {
    match (ruling.verdict, is_patched(answer, &ruling.version)) {
        (Verdict::Present, true) => "not fixed",
        (Verdict::NotApplicable, true) => "does not apply",
        (Verdict::NotApplicable, _) => "not there",
        (verdict, _) => verdict.word(),
    }
}

/// What a verdict is measured by, in a table.
pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Fault => "the fault itself",
        Basis::Local => "its function alone",
        Basis::Patch => "the fix",
    }
}

/// The lines of a ledger, in one.
pub(super) fn ledger(entries: &[Entry]) -> String {
    entries.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What a person could answer, so that versions can be decided; each once.
pub(super) fn questions(finding: &Finding) -> Vec<String> {
    let open = finding.verdicts.iter().filter(|ruling| ruling.verdict == Verdict::Unknown);
    let questions: BTreeSet<String> =
        open.flat_map(|ruling| ruling.ledger.iter().filter_map(Entry::question)).collect();
    questions.into_iter().take(QUESTIONS).collect()
}

/// How far the claim goes that a fault is gone: for whom, and for which inputs.
pub(super) fn limits(finding: &Finding) -> Vec<String> {
    let entries = finding.verdicts.iter().flat_map(|ruling| &ruling.ledger);
    let limit = |entry: &Entry| match entry {
        Entry::ForSomeCaller { function } => {
            Some(format!("for callers of {function}() that pass what is shown"))
        }
        Entry::SameInputHarmless { .. } => {
            Some("for the input that was run; whether another one still fails was not decided".to_owned())
        }
        Entry::TestedBy { version, line } => Some(format!("line {line} of {version} tests for it")),
        _ => None,
    };
    entries.filter_map(limit).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A number and what is counted.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// A text of at most so many characters.
pub(super) fn cut(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= width {
        return text;
    }
    let mut out: String = text.chars().take(width.saturating_sub(1)).collect();
    out.push('…');
    out
}
