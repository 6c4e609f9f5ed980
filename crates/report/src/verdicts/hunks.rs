//! The hunks of a patch: what each does, and which releases have a place for it.

use super::style::Looks;
use super::words;
use hydrogen_evidence::{Alone, Applies};
use hydrogen_evidence::{HunkRow, PatchTable};
use std::fmt::Write as _;

/// One row per hunk, one column per release.
pub(super) fn hunks(looks: Looks, table: &PatchTable) -> String {
    let place = |at: usize, row: &HunkRow| match row.function.as_str() {
        "" => format!("{} {}", at + 1, row.file),
        name => format!("{} {}:{} {name}()", at + 1, row.file, row.line),
    };
    let places: Vec<String> = table.hunks.iter().enumerate().map(|(at, row)| place(at, row)).collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0).max("hunk".len());
    let mut head = format!("  {:width$}", "hunk");
    for one in &table.releases {
        let wide = width_of(table, &one.release);
        let _ = write!(head, "  {:wide$}", one.release);
    }
    let mut out = String::new();
    let _ = writeln!(out, "{}", looks.bold("Where the patch applies"));
    let _ = writeln!(out, "{}", looks.dim(&format!("{head}  what it does")));
    for (place, row) in places.iter().zip(&table.hunks) {
        let _ = write!(out, "  {place:width$}");
        for ((applies, alone), one) in row.applies.iter().zip(&row.alone).zip(&table.releases) {
            let word = word(*applies, *alone);
            let wide = width_of(table, &one.release);
            let _ = write!(out, "  {word:wide$}");
        }
        let _ = writeln!(out, "  {}", words::cut(&deeds(row), 70));
    }
    out.push('\n');
    out
}

/// Whether a hunk applies, and what it does to the fault without the others.
fn word(applies: Applies, alone: Alone) -> &'static str {
    match (applies, alone) {
        (Applies::No, _) => "no",
        (Applies::Unread, _) => "unknown",
        (Applies::Yes, Alone::Fixed) => "yes, fixes",
        (Applies::Yes, Alone::NotFixed) => "yes, not enough",
        (Applies::Yes, Alone::Unknown) => "yes, open",
        (Applies::Yes, Alone::NoFault | Alone::NotJudged) => "yes",
    }
}

/// All columns of releases are as wide as the widest word.
fn width_of(table: &PatchTable, release: &str) -> usize {
    let words = table.hunks.iter().flat_map(|row| row.applies.iter().zip(&row.alone));
    let widest = words.map(|(applies, alone)| word(*applies, *alone).len()).max().unwrap_or(0);
    release.chars().count().max(widest).max(7)
}

/// What a hunk does, in words.
fn deeds(row: &HunkRow) -> String {
    let list = |statements: &[String]| -> String {
        statements.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
    };
    match (row.removes.is_empty(), row.adds.is_empty()) {
        _ if row.function.is_empty() => "what is outside functions".into(),
        (true, true) => "changes where control goes".into(),
        (true, false) => format!("adds {}", list(&row.adds)),
        (false, true) => format!("removes {}", list(&row.removes)),
        (false, false) => format!("{} becomes {}", list(&row.removes), list(&row.adds)),
    }
}
