//! The answer in words.

use crate::columns::shortened;
use hydrogen_evidence::why::{
    Alternate, Change, Counterpart, Defined, Did, Explanation, Side, Spot, Suspect, Told,
};
use hydrogen_evidence::{Ending, Observable, Outcome, escape};
use std::fmt::Write;

/// Where a statement is.
pub fn place(spot: &Spot) -> String {
    format!("{}:{}", spot.file, spot.line)
}

/// What a statement is to the change: `` `a < b` was `a <= b` ``.
pub(super) fn change(suspect: &Suspect) -> String {
    let Spot { text, side, .. } = &suspect.spot;
    match (&suspect.counterpart, side) {
        (Counterpart::Other(other), Side::New) => format!("`{text}` was `{}`", other.text),
        (Counterpart::Other(other), Side::Old) => format!("`{text}` became `{}`", other.text),
        (Counterpart::Redefined(_), _) => {
            format!("`{text}` means something else now (a macro, type, layout or initial value)")
        }
        (Counterpart::Moved(_), _) => format!("`{text}`, which is come to in another way now"),
        (Counterpart::Same(_), _) => format!("`{text}`, which both versions have"),
        (Counterpart::Missing(_), Side::New) => format!("`{text}` is new"),
        (Counterpart::Missing(after), Side::Old) => match after {
            Some((file, line)) => format!("`{text}` of the old version is missing behind {file}:{line}"),
            None => format!("`{text}` of the old version is missing"),
        },
    }
}

/// The first line of every report.
pub(super) fn answer(told: &Told<'_>) -> String {
    answer_of(told.found, told.defined.first().and_then(Option::as_ref))
}

/// The answer to a question; `defined` is the definition by which the first suspect means something else.
pub fn answer_of(found: &Explanation, defined: Option<&Defined>) -> String {
    if found.wrong.is_none() {
        return match found.equivalent {
            Some(true) => {
                "equivalent path conditions: both versions do the same with this input, on paths that the same inputs take"
                    .into()
            }
            _ => "both versions do the same with this input: there is nothing to explain".into(),
        };
    }
    let Some(first) = found.suspects.first().or(found.others.first()) else {
        return "the versions differ, and no statement is known to be the reason".into();
    };
    let old_place = match (&first.spot.side, &first.counterpart) {
        (Side::Old, _) => " (old version)",
        _ => "",
    };
    let why = match first.alternates.first() {
        Some(one) if one.passes == Some(true) && one.predicate.is_some() => {
            format!("; when it computes otherwise, for {}, both versions agree", short_changes(&one.changes))
        }
        Some(one) if one.passes == Some(true) => {
            let by = if one.side == Side::Old { "the old version's test" } else { "it" };
            format!("; when {by} decides otherwise, for {}, both versions agree", short_changes(&one.changes))
        }
        _ if first.did == Did::First => "; with the same input it leads elsewhere than before".into(),
        _ if first.origin.is_some() => "; the first wrong value comes from it".into(),
        _ if first.first => "; the first value that differs is its".into(),
        Some(one) if one.predicate.is_some() => {
            format!("; it computes otherwise for {}", short_changes(&one.changes))
        }
        Some(one) => format!("; it decides otherwise for {}", short_changes(&one.changes)),
        None => "; the wrong output depends on it".into(),
    };
    let what = match defined.filter(|_| !found.suspects.is_empty()) {
        Some(by) => format!(
            "`{}` means something else, for `{}` at {}:{} was `{}`",
            first.spot.text, by.new, by.file, by.line, by.old
        ),
        None => change(first),
    };
    format!("{}{old_place}: {what}{why}", place(&first.spot))
}

/// What differs, on one line.
pub(super) fn difference(told: &Told<'_>) -> Option<String> {
    let wrong = told.found.wrong.as_ref()?;
    let [old, new] = &told.found.outcomes;
    let [old, new] = [old, new].map(|outcome| shown_near(outcome, &wrong.observable, wrong.same));
    Some(format!("{}: {old} in {}, {new} in {}", wrong.observable, told.names[0], told.names[1]))
}

/// Where runs fault, a line each. An old version that does is no reference: what the test saw of it is luck.
pub(super) fn faults(told: &Told<'_>) -> String {
    let mut out = String::new();
    for side in [Side::Old, Side::New] {
        let (at, outcome) = (&told.found.faults[side.number()], &told.found.outcomes[side.number()]);
        let (Some(at), Ending::Fault(kind, _)) = (at, &outcome.ending) else { continue };
        let luck = match side {
            Side::Old => ": it is wrong itself, and that the test passes there is luck",
            Side::New => "",
        };
        let name = told.names[side.number()];
        let _ = writeln!(out, "{kind} in {name} at {}: `{}`{luck}", place(at), at.text);
    }
    out
}

/// A part of an outcome.
pub(super) fn shown(outcome: &Outcome, what: &Observable) -> String {
    shown_near(outcome, what, 0)
}

/// Of what was given out, so many bytes are shown,
const SHOWN: usize = 120;
/// so many of them before the first that differs.
const BEFORE: usize = 40;

/// The same, of long texts from shortly before a byte on: where two begin to differ is what people want to see of them.
fn shown_near(outcome: &Outcome, what: &Observable, at: usize) -> String {
    let bytes = |bytes: &[u8]| {
        let from = match at {
            at if at < SHOWN - BEFORE => 0,
            // From the beginning of its line, if that is near.
            at => {
                let before = &bytes[..at.min(bytes.len())];
                let near = before.len().saturating_sub(BEFORE);
                before[near..].iter().rposition(|byte| *byte == b'\n').map_or(near, |end| near + end + 1)
            }
        };
        let cut = &bytes[from..bytes.len().min(from + SHOWN)];
        let more = |is: bool| if is { "…" } else { "" };
        format!("{}\"{}\"{}", more(from > 0), escape(cut), more(from + cut.len() < bytes.len()))
    };
    match what {
        Observable::Stdout => bytes(&outcome.stdout),
        Observable::Stderr => bytes(&outcome.stderr),
        Observable::Named => {
            let all = outcome.named.iter().map(|(name, value)| format!("{name} = {}", *value as i64));
            all.collect::<Vec<_>>().join(", ")
        }
        Observable::File(name) => match outcome.files.get(name) {
            Some(content) => bytes(content),
            None => "not written".into(),
        },
        Observable::Files => {
            let all = outcome.files.iter().map(|(name, content)| format!("{name} {}", bytes(content)));
            all.collect::<Vec<_>>().join(", ")
        }
        Observable::Memory => outcome.memory.join(", "),
        Observable::Ending | Observable::FaultPlace => {
            let end = match &outcome.ending {
                Ending::Exit(status) => format!("exit status {status}"),
                Ending::Signal(signal) => format!("signal {signal}"),
                Ending::Fault(kind, _) => format!("{kind}"),
                Ending::Assumption => "an assumption does not hold".into(),
                Ending::Cut(why) => format!("cut: {why}"),
            };
            outcome.went_on().map_or(end.clone(), |behind| format!("{end}, {behind}"))
        }
    }
}

/// What an alternate input changes: `stdin[3]: "a" → "b"`.
pub(super) fn changes(changes: &[Change]) -> String {
    let one = |change: &Change| {
        format!("{} {} instead of {}", change.name, value(change, &change.to), value(change, &change.from))
    };
    shortened(changes.iter().map(one).collect(), ", ")
}

fn short_changes(changes: &[Change]) -> String {
    let one = |change: &Change| format!("{} = {}", change.name, value(change, &change.to));
    shortened(changes.iter().map(one).collect(), ", ")
}

/// Bytes from outside as text; memory that has a name of its own, of the size of a number, as one.
fn value(change: &Change, bytes: &[u8]) -> String {
    let outside = ["stdin", "arg:", "file:", "env:"].iter().any(|one| change.name.starts_with(one));
    match (<[u8; 4]>::try_from(bytes), <[u8; 8]>::try_from(bytes)) {
        _ if !outside && bytes.len() == 1 => (bytes[0] as i8).to_string(),
        _ if !outside && bytes.len() == 2 => i16::from_le_bytes([bytes[0], bytes[1]]).to_string(),
        (Ok(bytes), _) if !outside => i32::from_le_bytes(bytes).to_string(),
        (_, Ok(bytes)) if !outside => i64::from_le_bytes(bytes).to_string(),
        _ if bytes.is_empty() => "nothing".into(),
        _ if change.name.ends_with(']') => format!("'{}'", escape(bytes)),
        _ => escape(bytes),
    }
}

/// What an alternate input shows.
pub(super) fn verdict(told: &Told<'_>, one: &Alternate) -> String {
    let what = told.found.wrong.as_ref().map_or(&Observable::Stdout, |wrong| &wrong.observable);
    let [old, new] = [0, 1].map(|side| shown(&one.outcomes[side], what));
    match one.passes {
        Some(true) if old == new => format!("passes: both give {old}"),
        Some(true) => format!("passes: {old} in {}, {new} in {}", told.names[0], told.names[1]),
        Some(false) => format!("fails: {old} in {}, {new} in {}", told.names[0], told.names[1]),
        None => format!("the oracle does not say: {old} in {}, {new} in {}", told.names[0], told.names[1]),
    }
}
