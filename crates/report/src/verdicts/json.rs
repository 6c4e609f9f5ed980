//! Everything, for programs.

use super::documented::{Comparison, Row};
use super::fingerprint::fingerprints;
use super::history::{Turn, TurnKind, history};
use hydrogen_evidence::{Answer, Entry, Finding, Replay, Ruling, Spot};
use serde_json::{Map, Value, json};

/// The number of this form; it changes when readers have to.
const SCHEMA: &str = "verdicts/2";

/// An answer as JSON; `documented` compares it with an advisory.
pub fn json(answer: &Answer, documented: Option<&Comparison>) -> Value {
    let findings = answer.findings.iter().zip(fingerprints(answer));
    let mut out = json!({
        "tool": "hydrogen",
        "version": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "command": answer.command.word(),
        "versions": answer.versions,
        "findings": findings.map(|(finding, print)| of_finding(finding, print, &answer.apart)).collect::<Vec<_>>(),
        "counters": answer.counters,
        "partial": answer.partial || answer.unread,
        "notes": answer.notes,
        "undecided": answer.undecided,
    });
    if answer.candidates {
        out["candidates"] = json!(true);
    }
    if let Some(table) = &answer.patch {
        out["patch"] = json!(table);
    }
    if let Some(comparison) = documented {
        out["documented"] = comparison.rows.iter().map(of_row).collect();
    }
    out
}

fn of_finding(finding: &Finding, fingerprint: String, apart: &[String]) -> Value {
    let turns = history(finding, apart);
    let exact = |kind: TurnKind| -> Vec<&str> {
        turns.iter().filter(|turn| turn.kind == kind).map(|turn| turn.version.as_str()).collect()
    };
    let place = &finding.location;
    let mut out = json!({
        "kind": finding.kind.word(),
        "message": finding.message,
        "function": place.function,
        "location": { "file": place.file, "line": place.line, "version": finding.at_version, "text": place.text },
        "introduced_in": exact(TurnKind::Introduced),
        "fixed_in": exact(TurnKind::Fixed),
        "history": turns.iter().map(of_turn).collect::<Vec<_>>(),
        "fingerprint": fingerprint,
        "verdicts": finding.verdicts.iter().map(of_ruling).collect::<Vec<_>>(),
    });
    let questions = super::words::questions(finding);
    if !questions.is_empty() {
        out["questions"] = json!(questions);
    }
    if let Some(status) = finding.status {
        out["status"] = json!(status);
    }
    out
}

fn of_turn(turn: &Turn) -> Value {
    json!({ "event": turn.word(), "version": turn.version, "after": turn.after, "undecided_between": turn.vague })
}

fn of_ruling(ruling: &Ruling) -> Value {
    let model = ruling.evidence.model.iter().map(|(name, value)| json!({ "name": name, "value": value }));
    let mut evidence = json!({
        "path": ruling.evidence.path.iter().map(of_spot).collect::<Vec<_>>(),
        "constraint": ruling.evidence.constraint,
        "model": model.collect::<Vec<_>>(),
    });
    if let Some(input) = &ruling.evidence.input {
        evidence["input"] = json!(input);
    }
    if let Some(replay) = &ruling.evidence.replay {
        evidence["replay"] = of_replay(replay);
    }
    json!({
        "version": ruling.version,
        "verdict": ruling.verdict,
        "basis": ruling.basis,
        "evidence": evidence,
        "ledger": ledger(&ruling.ledger),
    })
}

/// What a run of the input gave: one word, and what belongs to it.
fn of_replay(replay: &Replay) -> Value {
    match replay {
        Replay::Confirmed => json!({ "result": "confirmed" }),
        Replay::ConfirmedIf { needs } => json!({ "result": "confirmed-if", "needs": needs }),
        Replay::OtherFault { kind, at, message } => {
            json!({ "result": "other-fault", "kind": kind, "at": at, "message": message })
        }
        Replay::NotReached { why } => json!({ "result": "not-reached", "why": why }),
        Replay::NotRun { why } => json!({ "result": "not-run", "why": why }),
    }
}

/// The lines of a ledger: a code that stays, and words.
pub(super) fn ledger(entries: &[Entry]) -> Vec<Value> {
    entries.iter().map(|entry| json!({ "code": entry.code(), "text": entry.to_string() })).collect()
}

fn of_spot(spot: &Spot) -> Value {
    let mut out = Map::new();
    out.insert("function".into(), json!(spot.function));
    out.insert("file".into(), json!(spot.file));
    out.insert("line".into(), json!(spot.line));
    out.insert("text".into(), json!(spot.text));
    out.insert("notes".into(), json!(spot.notes));
    Value::Object(out)
}

fn of_row(row: &Row) -> Value {
    json!({
        "version": row.version,
        "documented": row.documented,
        "found": row.found,
        "agreement": row.agreement.word(),
    })
}
