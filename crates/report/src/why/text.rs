//! The answer for people, on a terminal and in a pull request.

use super::rest::rest;
use super::words::{answer, change, changes, difference, faults, place, verdict};
use crate::columns::shortened;
use crate::md;
use hydrogen_evidence::why::{Alternate, Did, Side, Suspect, Told};
use std::fmt::Write;

/// So many suspects are shown with everything; of each, so many inputs.
pub(super) const MOST: usize = 10;
const MOST_INPUTS: usize = 3;

/// The whole of it, for a terminal.
pub fn text(told: &Told<'_>) -> String {
    let mut out = format!("{}\n", answer(told));
    let found = told.found;
    if let Some(difference) = difference(told) {
        let _ = writeln!(out, "{difference}");
    }
    out.push_str(&faults(told));
    if let Some(start) = told.start {
        let _ = writeln!(out, "the test's start that goes wrong: {start}");
    }
    if let Some(since) = &told.since {
        let _ = writeln!(out, "{since}");
    }
    let (shown, weak) = parted(&found.suspects);
    for (number, suspect) in (1..).zip(shown.iter().take(MOST)) {
        let _ = write!(out, "\n{number:>3}. {}", one(told, suspect, number, "     "));
    }
    if shown.len() > MOST {
        let _ = writeln!(out, "\n     and {} more", shown.len() - MOST);
    }
    if !weak.is_empty() {
        let places = weak.iter().map(|one| place(&one.spot)).collect();
        let _ = writeln!(
            out,
            "\nboth versions have these, and what turns them around still fails: {}",
            shortened(places, ", ")
        );
    }
    let _ = write!(out, "{}", rest(told));
    out
}

/// What is worth a place of its own, and the rest. Where there is nothing else, the rest is.
fn parted(suspects: &[Suspect]) -> (&[Suspect], &[Suspect]) {
    match suspects.iter().position(Suspect::is_weak) {
        Some(0) | None => (suspects, &[]),
        Some(from) => suspects.split_at(from),
    }
}

/// The same for a pull request.
pub fn markdown(told: &Told<'_>) -> String {
    let mut out = format!("**{}**\n\n", md::prose(&answer(told)));
    if let Some(difference) = difference(told) {
        let _ = writeln!(out, "{}\n{}", lines(&difference), lines(&faults(told)));
    }
    if let Some(since) = &told.since {
        let _ = writeln!(out, "{}\n", md::prose(since));
    }
    for (number, suspect) in (1..).zip(parted(&told.found.suspects).0.iter().take(MOST)) {
        let _ = writeln!(out, "{number}. {}", lines(one(told, suspect, number, "   - ").trim_end()));
    }
    let rest = rest(told);
    if !rest.trim().is_empty() {
        let _ = writeln!(
            out,
            "\n<details><summary>What this stands on</summary>\n\n{}\n</details>",
            md::block(rest.trim())
        );
    }
    out
}

/// Lines of ours with words of others in them.
fn lines(text: &str) -> String {
    text.lines().map(md::prose).collect::<Vec<_>>().join("\n")
}

fn one(told: &Told<'_>, suspect: &Suspect, number: usize, indent: &str) -> String {
    let spot = &suspect.spot;
    let version = if spot.side == Side::Old { " (old version)" } else { "" };
    let mut out = format!("{}{version} in {}: {}\n", place(spot), spot.function, change(suspect));
    let mut against = Vec::new();
    if suspect.changed {
        against.push("part of the change");
    }
    if suspect.origin.is_some() {
        against.push("the first wrong value depends on it");
    }
    match suspect.did {
        Did::First => against.push("the first changed decision that leads elsewhere with this input"),
        Did::OneSided => against.push("only one version comes to it"),
        Did::Alike => against.push("it decides as before wherever both versions come to it"),
        Did::Unknown => {}
    }
    if suspect.first {
        against.push("the first value that differs is its");
    }
    if !against.is_empty() {
        let _ = writeln!(out, "{indent}{}", against.join("; "));
    }
    if let Some(other) = suspect.counterpart.spot()
        && (&other.file, other.line) != (&spot.file, spot.line)
    {
        let _ = writeln!(out, "{indent}{} in the {} version", place(other), other.side);
    }
    if !suspect.depends.is_empty() {
        let places = suspect.depends.iter().map(place).collect();
        let _ = writeln!(out, "{indent}the change comes to it from {}", shortened(places, ", "));
    }
    if let Some(Some(by)) = told.defined.get(number - 1) {
        let _ = writeln!(out, "{indent}{}:{}: `{}` was `{}`", by.file, by.line, by.new, by.old);
    }
    if let Some(Some(written)) = told.written.get(number - 1) {
        let _ = writeln!(out, "{indent}{written}");
    }
    for alternate in suspect.alternates.iter().take(MOST_INPUTS) {
        let _ = write!(out, "{}", input(told, suspect, alternate, indent));
    }
    if suspect.alternates.len() > MOST_INPUTS {
        let _ = writeln!(out, "{indent}and {} more inputs", suspect.alternates.len() - MOST_INPUTS);
    }
    out
}

fn input(told: &Told<'_>, suspect: &Suspect, one: &Alternate, indent: &str) -> String {
    let mut out = String::new();
    let inside = one.inside.as_ref().map_or(String::new(), |name| format!(" inside of `{name}`"));
    let place = if one.side == suspect.spot.side {
        String::new()
    } else {
        format!(" at {} of the {} version", place(&one.spot), one.side)
    };
    let otherwise = match &one.predicate {
        Some(predicate) => format!("says otherwise about `{predicate}`"),
        None => "goes the other way".to_owned(),
    };
    let _ = writeln!(
        out,
        "{indent}with {}: `{}`{inside}{place}, execution {}, {otherwise}",
        changes(&one.changes),
        one.spot.text,
        one.nth
    );
    let _ = writeln!(out, "{indent}  {}", verdict(told, one));
    let _ = writeln!(out, "{indent}  the failing input has {}", one.condition);
    if one.about.len() > one.changes.len() {
        let about = shortened(one.about.clone(), ", ");
        let _ = writeln!(out, "{indent}  which is about {about}");
    }
    out
}
