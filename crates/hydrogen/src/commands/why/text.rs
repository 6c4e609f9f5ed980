//! The answer for people, on a terminal and in a pull request.

use super::Told;
use super::words::{answer, change, changes, difference, place, verdict};
use hydrogen_why::{Alternate, Side, Suspect};
use std::fmt::Write;

/// So many suspects are shown with everything; of each, so many inputs.
const MOST: usize = 10;
const MOST_INPUTS: usize = 3;

pub fn text(told: &Told<'_>) -> String {
    let mut out = format!("{}\n", answer(told));
    let found = told.found;
    if let Some(difference) = difference(told) {
        let _ = writeln!(out, "{difference}");
    }
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
            crate::output::shortened(places, ", ")
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

pub fn markdown(told: &Told<'_>) -> String {
    let mut out = format!("**{}**\n\n", answer(told));
    if let Some(difference) = difference(told) {
        let _ = writeln!(out, "{difference}\n");
    }
    if let Some(since) = &told.since {
        let _ = writeln!(out, "{since}\n");
    }
    for (number, suspect) in (1..).zip(parted(&told.found.suspects).0.iter().take(MOST)) {
        let _ = writeln!(out, "{number}. {}", one(told, suspect, number, "   - ").trim_end());
    }
    let rest = rest(told);
    if !rest.trim().is_empty() {
        let _ = writeln!(
            out,
            "\n<details><summary>What this stands on</summary>\n\n```\n{}\n```\n</details>",
            rest.trim()
        );
    }
    out
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
        let _ =
            writeln!(out, "{indent}the change comes to it from {}", crate::output::shortened(places, ", "));
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
        let about = crate::output::shortened(one.about.clone(), ", ");
        let _ = writeln!(out, "{indent}  which is about {about}");
    }
    out
}

/// The other starts of the test that go wrong.
fn further(told: &Told<'_>) -> String {
    let mut out = String::new();
    let (looked_into, left) = &told.further;
    for one in looked_into {
        let reason = match (&one.answer, &one.place) {
            (Some(answer), _) => answer.clone(),
            (None, Some(place)) => format!("for the same reason, {place}"),
            (None, None) => "no statement is known to be the reason".into(),
        };
        let _ = writeln!(out, "also goes wrong: {}: {reason}", one.start);
    }
    match left {
        0 => {}
        1 => out.push_str("one more start of the test goes wrong, and was not looked into\n"),
        many => {
            let _ = writeln!(out, "{many} more starts of the test go wrong, and were not looked into");
        }
    }
    out
}

/// What is left to say.
fn rest(told: &Told<'_>) -> String {
    let (found, mut out) = (told.found, String::new());
    let further = further(told);
    if !further.is_empty() {
        let _ = write!(out, "\n{further}");
    }
    if found.equivalent == Some(true) && found.wrong.is_some() {
        out.push_str("\nequivalent path conditions: every input that takes the one path takes the other, so no branch has an input that turns it alone\n");
    }
    if let Some(expressions) = &found.expressions {
        let _ = writeln!(
            out,
            "\nthe new version computes {} where the old one computes {}",
            expressions.new, expressions.old
        );
    }
    if let Some((_, changed)) = &found.agreeing {
        let _ = writeln!(out, "on the same paths both agree with {}", changes(changed));
    }
    for (name, all) in told.names.iter().zip(&found.preconditions).filter(|(_, all)| !all.is_empty()) {
        let _ = writeln!(out, "\nwhat {name} gives stands on, and the other version does not:");
        for one in all.iter().take(MOST) {
            let at = one
                .spot
                .as_ref()
                .map_or("the output".into(), |spot| format!("{} `{}`", place(spot), spot.text));
            let _ = writeln!(out, "  {at}: {}", one.condition);
        }
        if all.len() > MOST {
            let _ = writeln!(out, "  and {} more", all.len() - MOST);
        }
    }
    if !found.others.is_empty() {
        let others: Vec<String> = found.others.iter().map(|one| place(&one.spot)).collect();
        let _ = writeln!(
            out,
            "\nalso changed, and the wrong output depends on it: {}",
            crate::output::shortened(others, ", ")
        );
    }
    for one in &found.invalid {
        let reason = one.invalid.as_deref().unwrap_or("");
        let _ = writeln!(out, "not counted: {} with {}: {reason}", place(&one.spot), changes(&one.changes));
    }
    out.push('\n');
    for line in told.unsteady.iter().chain(&told.native) {
        let _ = writeln!(out, "{line}");
    }
    let numbers = &found.numbers;
    for why in &numbers.concrete {
        let _ = writeln!(out, "not followed: {why}");
    }
    let sizes = &numbers.sizes;
    let _ = writeln!(
        out,
        "formulas: {} and {} nodes of the paths, {} and {} for the wrong output, {} in the largest question; {} of the questions follow from the rest",
        sizes.path[0], sizes.path[1], sizes.relevant[0], sizes.relevant[1], sizes.largest, numbers.dropped
    );
    let seconds =
        [numbers.times.runs, numbers.times.slices, numbers.times.questions, numbers.times.runs_of_others]
            .map(|time| time.as_secs_f64());
    let _ = writeln!(
        out,
        "time: {:.1} s for running both, {:.1} s for what the wrong output depends on, {:.1} s for questions, {:.1} s for running other inputs",
        seconds[0], seconds[1], seconds[2], seconds[3]
    );
    if numbers.predicates != [0, 0] {
        let [old, new] = numbers.predicates;
        let _ = writeln!(out, "{old} and {new} predicates that no branch asks");
    }
    if numbers.trusted > 0 {
        let _ = writeln!(out, "{} conditions of what is trusted were left out", numbers.trusted);
    }
    let _ = writeln!(
        out,
        "{} and {} instructions; {} and {} conditions, {} and {} of them for the wrong output; {} questions, {} without an answer, {} not asked; {:.1} s",
        numbers.steps[0],
        numbers.steps[1],
        numbers.path[0],
        numbers.path[1],
        numbers.relevant[0],
        numbers.relevant[1],
        numbers.asked[0] + numbers.asked[1],
        numbers.unknown,
        numbers.skipped,
        told.seconds
    );
    out
}
