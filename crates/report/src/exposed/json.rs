//! What a search for differences came to, for programs.

use super::text::ending;
use super::{reached, sequences};
use crate::envelope;
use hydrogen_evidence::exposed::{Conclusion, Exposed, Finding, Label, Natively, Platform, Point};
use hydrogen_evidence::{Outcome, escape};
use serde_json::{Value, json};

/// What a search came to, as `expose/1`.
pub fn json(report: &Exposed<'_>) -> String {
    envelope::json("expose/1", &value(report))
}

fn value(report: &Exposed<'_>) -> Value {
    let findings: Vec<Value> = report.findings.iter().map(|finding| finding_value(finding)).collect();
    let (verdict, why) = match report.conclusion {
        Conclusion::Differs => ("differs", Vec::new()),
        Conclusion::Never(why) => ("never", vec![why.clone()]),
        Conclusion::NoneFound(why) => ("none found", why.clone()),
    };
    let asked: serde_json::Map<String, Value> =
        report.statistics.asked.iter().map(|(class, count)| (class.to_string(), json!(count))).collect();
    json!({
        "old": report.names[0], "new": report.names[1], "verdict": verdict, "why": why, "findings": findings,
        "ledger": report.ledger, "refused": report.refused, "notes": report.notes,
        "sequences": report.sequences.map(sequences::json),
        "reached": report.reached.iter().map(reached::json).collect::<Vec<_>>(),
        "statistics": {
            "runs": report.statistics.runs, "tried": report.statistics.tried, "reached": report.statistics.reached, "asked": asked,
            "elsewhere": report.statistics.elsewhere, "unknown": report.statistics.unknown,
            "cut": report.statistics.cut, "concrete": report.statistics.concrete,
        },
    })
}

/// Files that a run made or changed, by name.
fn files(outcome: &Outcome) -> Value {
    outcome
        .files
        .iter()
        .map(|(name, content)| (escape(name), json!(escape(content))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn finding_value(finding: &Finding<'_>) -> Value {
    let outcome = |outcome: &Outcome| {
        json!({
            "end": ending(outcome), "stdout": escape(&outcome.stdout), "stderr": escape(&outcome.stderr),
            "named": outcome.named.iter().map(|(name, value)| json!([escape(name), *value as i64])).collect::<Vec<_>>(),
            "memory": outcome.memory, "files": files(outcome),
        })
    };
    let platform = match finding.platform {
        Platform::Differs => "differs".to_owned(),
        Platform::NotAsked => "not asked".to_owned(),
        Platform::NotRun(why) => format!("not run: {why}"),
    };
    let natively = |how: &Natively| match how {
        Natively::Same => "same".to_owned(),
        Natively::Undefined => "undefined".to_owned(),
        Natively::NotRun(why) => format!("not run: {why}"),
    };
    let point = |point: &Point| {
        let line = |line: &Option<(String, u32)>| {
            line.as_ref().map(|(file, line)| json!({"file": file, "line": line}))
        };
        json!({"old": line(&point.lines[0]), "new": line(&point.lines[1]), "text": point.text, "changed": point.changed})
    };
    let started = &finding.started;
    json!({
        "input": started.input, "call": started.call,
        "arguments": started.arguments.iter().map(|arg| escape(arg)).collect::<Vec<_>>(),
        "stdin": escape(&started.stdin),
        "differs": finding.differs, "how": finding.how, "label": finding.label.map(Label::text),
        "words": finding.words,
        "old": outcome(&finding.outcomes[0]), "new": outcome(&finding.outcomes[1]),
        "natively": finding.natively.iter().map(natively).collect::<Vec<_>>(), "platform": platform,
        "way": finding.way.points.iter().map(point).collect::<Vec<_>>(),
    })
}
