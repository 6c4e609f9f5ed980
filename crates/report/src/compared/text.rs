//! A comparison for people.

use crate::compared::parts::percent;
use hydrogen_evidence::compared::{Bounded, Compared, Function, Method, Native, Proof, Whole, Word};
use std::fmt::Write;

/// How many functions are equal, differ, are open.
pub(super) fn counts(all: &Compared<'_>) -> [usize; 3] {
    [Word::Equal, Word::Differs, Word::Open]
        .map(|word| all.functions.iter().filter(|function| function.word() == word).count())
}

/// Everything that the proofs assume, once.
pub(super) fn ledger<'a>(all: &'a Compared<'_>) -> Vec<&'a str> {
    let mut ledger: Vec<&str> = Vec::new();
    for proof in all.functions.iter().filter_map(|function| function.proof.as_ref()) {
        for line in &proof.ledger {
            if !ledger.contains(&line.as_str()) {
                ledger.push(line);
            }
        }
    }
    ledger
}

/// Why nothing is said of a function.
pub(super) fn reasons(function: &Function<'_>) -> Vec<String> {
    let candidate = function.candidate.map(|what| format!("{what} may differ"));
    let mut all: Vec<String> = candidate.into_iter().chain(function.reasons.iter().cloned()).collect();
    all.extend(function.note.map(str::to_owned));
    all.extend(function.explored.as_ref().map(bounded));
    all
}

/// How much exploring the calls of a function came to.
fn bounded(explored: &Bounded) -> String {
    let bounds = format!(
        "{} partitions; pointers lead to at most {} elements, global variables are as at the start",
        explored.partitions, explored.elements
    );
    match explored.is_equal {
        true => format!("equal for all calls within bounds ({bounds})"),
        false => {
            format!(
                "equal so far for {} of the calls within bounds ({bounds})",
                percent(explored.share.equal)
            )
        }
    }
}

/// What the program as a whole did.
pub(super) fn whole_words(whole: &Whole) -> String {
    match whole {
        Whole::Differs { input, old, new, native } => {
            format!("the program differs too, on {input}: before it {old}, now it {new} ({native})")
        }
        Whole::Nothing(runs) => {
            format!(
                "no run of the whole program has shown a difference ({runs} runs): whether it can come to these calls is open"
            )
        }
        Whole::NotRun(why) => format!("the program was not run as a whole: {why}"),
    }
}

/// How equality was shown.
pub(super) fn method(proof: &Proof) -> String {
    let how = match proof.method {
        Method::SameCode => "the same code".to_owned(),
        Method::SameForm => "both compute the same".to_owned(),
        Method::Paths => "on all paths".to_owned(),
        Method::Induction => "by induction over the loops".to_owned(),
        Method::Partitions => {
            format!("each of the {} partitions of its arguments was run", proof.obligations)
        }
    };
    match proof.lemmas.as_slice() {
        [] => how,
        lemmas => format!("{how}, with {} equal", lemmas.join(", ")),
    }
}

/// What native builds say to a difference.
pub(super) fn native(native: &Native) -> String {
    match native {
        Native::Confirmed => "natively they differ too".to_owned(),
        Native::Undefined => "undefined behaviour, which a native run need not show".to_owned(),
        Native::NotRun(why) => format!("run in the machine alone: {why}"),
    }
}

/// The comparison as lines.
pub fn text(all: &Compared<'_>) -> String {
    let mut out = String::new();
    for row in &all.functions {
        let (word, place, name) = (row.word().text(), row.place, row.name);
        let _ = match (&row.proof, row.difference) {
            (_, Some(shown)) => writeln!(
                out,
                "{word:<8} {place} {name}\n           {}\n           {}: {}\n           {}: {}\n           ({})",
                shown.input,
                all.old.name,
                shown.old,
                all.new.name,
                shown.new,
                [Some(native(&shown.native)), row.reach.map(str::to_owned)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("; ")
            ),
            (Some(proof), None) => {
                writeln!(out, "{word:<8} {place} {name} (proved: {})", method(proof))
            }
            _ => writeln!(out, "{word:<8} {place} {name}: {}", reasons(row).join("; ")),
        };
    }
    for (names, side) in [(all.removed, &all.old), (all.added, &all.new)] {
        if !names.is_empty() {
            let _ = writeln!(out, "only in {}: {}", side.name, names.join(", "));
        }
    }
    if !all.variables.is_empty() {
        let _ = writeln!(
            out,
            "open     variables that begin with other values: {} (functions are compared for every value)",
            all.variables.join(", ")
        );
    }
    if let Some(whole) = all.whole {
        let _ = writeln!(out, "{}", whole_words(whole));
    }
    let [equal, differs, open] = counts(all);
    let _ = match all.functions.as_slice() {
        [] => writeln!(out, "no changed function that both versions have"),
        _ => writeln!(out, "{equal} equal, {differs} differ, {open} open"),
    };
    for line in ledger(all) {
        let _ = writeln!(out, "assumed: {line}");
    }
    for side in [&all.old, &all.new] {
        for missing in side.missing {
            let _ = writeln!(out, "not read in {}: {missing}", side.name);
        }
    }
    out
}
