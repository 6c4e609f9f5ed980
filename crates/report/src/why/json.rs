//! The answer for programs.

use super::words::{answer, shown};
use crate::envelope;
use hydrogen_evidence::why::{Alternate, Change, Counterpart, Did, Precondition, Spot, Suspect, Told};
use hydrogen_evidence::{Observable, Outcome, escape};
use serde_json::{Value, json};

/// The answer as `why/1`.
pub fn json(told: &Told<'_>) -> String {
    envelope::json("why/1", &value(told))
}

fn value(told: &Told<'_>) -> Value {
    let found = told.found;
    let numbers = &found.numbers;
    json!({
        "answer": answer(told),
        "versions": { "old": told.names[0], "new": told.names[1] },
        "input": told.input,
        "wrong": found.wrong.as_ref().map(|wrong| wrong.observable.to_string()),
        "outcomes": found.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "equivalent": found.equivalent,
        "suspects": found.suspects.iter().enumerate().map(|(at, one)| suspect(told, at, one)).collect::<Vec<_>>(),
        "also_changed": found.others.iter().map(|one| spot(&one.spot)).collect::<Vec<_>>(),
        "not_counted": found.invalid.iter().map(alternate).collect::<Vec<_>>(),
        "faults": found.faults.iter().map(|one| one.as_ref().map(spot)).collect::<Vec<_>>(),
        "runs": found.runs.iter().map(|one| {
            json!({ "old": one.old.as_ref().map(spot), "new": one.new.as_ref().map(spot), "differs": one.differs })
        }).collect::<Vec<_>>(),
        "first_difference": found.first.iter().map(|one| one.as_ref().map(spot)).collect::<Vec<_>>(),
        "expressions": found.expressions.as_ref().map(|it| json!({ "old": it.old, "new": it.new })),
        "preconditions": found.preconditions.iter().map(|all| {
            let one = |it: &Precondition| json!({ "statement": it.spot.as_ref().map(spot), "condition": it.condition });
            all.iter().map(one).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
        "agreeing": found.agreeing.as_ref().map(|(input, changes)| {
            json!({ "input": input, "changes": changes.iter().map(change).collect::<Vec<_>>() })
        }),
        "unsteady": told.unsteady,
        "native": told.native,
        "start": told.start,
        "further": told.further.0.iter().map(|one| {
            json!({ "start": one.start, "answer": one.answer, "statement": one.place, "same": one.same })
        }).collect::<Vec<_>>(),
        "not_looked_into": told.further.1,
        "since": told.since,
        "not_followed": numbers.concrete,
        "numbers": {
            "instructions": numbers.steps, "path": numbers.path, "relevant": numbers.relevant,
            "sizes": { "path": numbers.sizes.path, "relevant": numbers.sizes.relevant, "largest": numbers.sizes.largest, "kept": numbers.sizes.kept },
            "again": numbers.again,
            "lost": numbers.lost,
            "asked": numbers.asked, "dropped": numbers.dropped, "unknown": numbers.unknown,
            "skipped": numbers.skipped, "predicates": numbers.predicates, "trusted": numbers.trusted,
            "seconds": {
                "runs": numbers.times.runs.as_secs_f64(), "slices": numbers.times.slices.as_secs_f64(),
                "questions": numbers.times.questions.as_secs_f64(),
                "other_inputs": numbers.times.runs_of_others.as_secs_f64(),
            },
        },
    })
}

fn spot(spot: &Spot) -> Value {
    json!({
        "version": spot.side.to_string(), "file": spot.file, "line": spot.line, "function": spot.function,
        "text": spot.text,
    })
}

fn suspect(told: &Told<'_>, at: usize, one: &Suspect) -> Value {
    let kind = match &one.counterpart {
        Counterpart::Same(_) => "same",
        Counterpart::Moved(_) => "moved",
        Counterpart::Redefined(_) => "redefined",
        Counterpart::Other(_) => "changed",
        Counterpart::Missing(_) => "missing",
    };
    json!({
        "statement": spot(&one.spot),
        "counterpart": one.counterpart.spot().map(spot),
        "relation": kind,
        "in_change": one.changed,
        "origin": one.origin.is_some(),
        "first_difference": one.first,
        "did": match one.did {
            Did::First => "first to lead elsewhere",
            Did::Unknown => "unknown",
            Did::OneSided => "executed by one version",
            Did::Alike => "decides as before",
        },
        "passes": one.passes(),
        "depends_on": one.depends.iter().map(spot).collect::<Vec<_>>(),
        "defined_by": told.defined.get(at).and_then(Option::as_ref).map(|by| {
            json!({ "file": by.file, "line": by.line, "new": by.new, "old": by.old })
        }),
        "written": told.written.get(at).cloned().flatten(),
        "alternates": one.alternates.iter().map(alternate).collect::<Vec<_>>(),
    })
}

fn alternate(one: &Alternate) -> Value {
    json!({
        "statement": spot(&one.spot),
        "inside": one.inside,
        "execution": one.nth,
        "condition": one.condition,
        "about": one.about,
        "predicate": one.predicate,
        "input": one.input,
        "changes": one.changes.iter().map(change).collect::<Vec<_>>(),
        "passes": one.passes,
        "invalid": one.invalid,
        "outcomes": one.outcomes.iter().map(outcome).collect::<Vec<_>>(),
    })
}

fn change(change: &Change) -> Value {
    json!({ "name": change.name, "from": escape(&change.from), "to": escape(&change.to) })
}

fn outcome(outcome: &Outcome) -> Value {
    json!({
        "end": shown(outcome, &Observable::Ending),
        "stdout": escape(&outcome.stdout),
        "stderr": escape(&outcome.stderr),
        "named": outcome.named.iter().map(|(name, value)| json!([name.to_string(), *value as i64])).collect::<Vec<_>>(),
        "files": outcome.files.keys().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
