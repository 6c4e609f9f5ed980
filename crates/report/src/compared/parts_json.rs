//! Partitions of inputs for programs.

use super::parts::{confirmed_words, is_covered, outcome, summary, verdict};
use crate::envelope;
use hydrogen_evidence::partitioned::{Baselined, Coverage, Measure, Part, Partitioned};
use serde_json::{Value, json};

/// The partitions as `compare-inputs/1`.
pub fn json(report: &Partitioned) -> String {
    envelope::json("compare-inputs/1", &value(report))
}

fn measured(measure: Measure) -> Value {
    json!({ "low": measure.low, "high": measure.high, "exact": measure.exact })
}

pub(super) fn value(report: &Partitioned) -> Value {
    let partition = |part: &Part| {
        let outcomes: Vec<String> = part.outcomes.iter().map(outcome).collect();
        let change = |(version, file, line): &(usize, String, u32)| json!({ "version": report.names[*version], "file": file, "line": line });
        json!({
            "label": part.letter.to_string(), "equal": part.is_equal, "condition": part.condition,
            "input": part.input, "outcomes": outcomes, "changes": part.executed.iter().map(change).collect::<Vec<_>>(),
            "why": part.why, "beside": part.beside, "narrowed": part.narrowed,
            "converged": part.converged.iter().map(|(old, new)| json!({ "old": old, "new": new })).collect::<Vec<_>>(),
            "natively": part.confirmed.as_ref().map(confirmed_words),
            "judgement": part.judged.flatten().map(|one| one.to_string()),
        })
    };
    let share = report.share.as_ref().map(|share| {
        json!({ "equal": measured(share.equal), "different": measured(share.different), "open": measured(share.rest) })
    });
    let ledger: Vec<Value> =
        report.missing.iter().map(|note| json!({ "note": note.text, "count": note.count })).collect();
    let unresolved: Vec<Value> =
        report.unresolved.iter().map(|(input, why)| json!({ "input": input, "why": why })).collect();
    let alarms: Vec<Value> =
        report.alarms.iter().map(|(input, wrong)| json!({ "input": input, "wrong": wrong })).collect();
    json!({
        "versions": report.names, "verdict": verdict(report), "complete": report.is_complete(),
        "status": summary(report), "share": share,
        "partitions": report.parts.iter().map(partition).collect::<Vec<_>>(),
        "excluded": report.excluded, "unresolved": unresolved, "alarms": alarms, "ledger": ledger,
        "unsteady": report.shaken, "questions": report.asked, "runs": report.runs,
        "suite": report.suite.as_ref().map(|suite| coverage(report, suite)),
    })
}

fn coverage(report: &Partitioned, suite: &Coverage) -> Value {
    let tests: Vec<Value> =
        suite.tests.iter().map(|(name, part)| json!({ "name": name, "partition": part })).collect();
    let all = report.parts.len();
    let covered: Vec<usize> = (0..all).filter(|part| is_covered(suite, *part)).collect();
    json!({ "tests": tests, "covered": covered, "of": all, "another_form": suite.others })
}

/// What a simpler method found, as `compare-baseline/1`.
pub fn baseline_json(found: &Baselined) -> String {
    envelope::json(
        "compare-baseline/1",
        &json!({
            "tests": found.tests, "differences": found.differences,
            "first": found.first.map(|time| time.as_secs_f64()), "seconds": found.time.as_secs_f64(),
            "rate": found.rate.map(measured),
        }),
    )
}
