//! What is said below the suspects: other starts, what both compute, what was left out, and what the answer stands on.

use super::text::MOST;
use super::words::{changes, place};
use crate::columns::shortened;
use hydrogen_evidence::why::Told;
use std::fmt::Write;

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
pub(super) fn rest(told: &Told<'_>) -> String {
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
        let _ =
            writeln!(out, "\nalso changed, and the wrong output depends on it: {}", shortened(others, ", "));
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
    if numbers.again > 0 {
        let _ = writeln!(
            out,
            "{} questions had no answer and were asked again with the rest of the input kept, the largest of {} nodes, {} then; {} of them have none that way, and may have others",
            numbers.again, sizes.kept[0], sizes.kept[1], numbers.lost
        );
    }
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
