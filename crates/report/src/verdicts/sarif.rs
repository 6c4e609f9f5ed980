//! SARIF 2.1.0, for code hosts and editors.

use super::fingerprint::fingerprints;
use super::json::ledger;
use hydrogen_evidence::{Answer, Basis, Class, Command, Finding, Ruling, Spot, Status, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The name of our fingerprints; its number changes when they do.
const FINGERPRINT: &str = "hydrogen/v1";

/// An answer as a SARIF log: one result per finding.
///
/// `absent` findings are results of kind `pass`, undecided ones `open`; every path that leads to a fault is a code flow.
pub fn sarif(answer: &Answer) -> Value {
    let prints = fingerprints(answer);
    let mut kinds: Vec<Class> = answer.findings.iter().map(|finding| finding.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let results = answer
        .findings
        .iter()
        .zip(prints)
        .map(|(finding, print)| result(answer.command, finding, &kinds, print));
    let mut invocation = json!({ "executionSuccessful": true });
    let mut notes: Vec<Value> = answer.remarks().iter().map(|note| notification("note", note)).collect();
    if answer.partial {
        notes.push(notification("warning", "the budget ran out before everything was decided"));
    }
    if !notes.is_empty() {
        invocation["toolExecutionNotifications"] = notes.into();
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Hydrogen",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": kinds.iter().map(|kind| rule(*kind)).collect::<Vec<_>>(),
            } },
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "the root of a version's source tree" } } },
            "results": results.collect::<Vec<_>>(),
            "properties": { "command": answer.command.word(), "versions": answer.versions, "counters": answer.counters },
        }],
    })
}

fn notification(level: &str, text: &str) -> Value {
    json!({ "level": level, "message": { "text": text } })
}

fn rule(kind: Class) -> Value {
    json!({
        "id": kind.word(),
        "shortDescription": { "text": describe(kind) },
        "defaultConfiguration": { "level": if kind == Class::Leak { "warning" } else { "error" } },
    })
}

/// A kind in words.
fn describe(kind: Class) -> &'static str {
    match kind {
        Class::Overflow => "An access outside its object.",
        Class::Null => "An access through a null pointer.",
        Class::UseAfterFree => "An access to an object that was freed.",
        Class::DoubleFree => "An object freed twice.",
        Class::Leak => "An object that is never freed and that nothing points to any more.",
        Class::SignedOverflow => "A signed result that its type cannot hold.",
        Class::SizeOverflow => "An unsigned wrap in a size.",
        Class::Sign => "A negative or truncated number taken as a size.",
        Class::Division => "A division by zero.",
        Class::Shift => "A shift by too much, or of a negative number.",
        Class::Uninitialised => "A variable read before it is written.",
        Class::Pointer => "A pointer moved outside of its object.",
        Class::Control => "A call, a jump or an end that the language does not allow.",
        Class::Rule => "A broken ordering rule.",
        Class::Change => "What a fix removed.",
    }
}

fn result(command: Command, finding: &Finding, kinds: &[Class], fingerprint: String) -> Value {
    let present: Vec<&Ruling> =
        finding.verdicts.iter().filter(|ruling| ruling.verdict == Verdict::Present).collect();
    let standing = standing(command, finding);
    let kind = kind(finding, standing);
    let settled: BTreeMap<&str, &str> =
        finding.settled().into_iter().map(|(version, verdict)| (version, verdict.word())).collect();
    let mut out = json!({
        "ruleId": finding.kind.word(),
        "ruleIndex": kinds.binary_search(&finding.kind).unwrap_or(0),
        "kind": kind,
        "level": match (kind, finding.kind) {
            ("fail", Class::Leak) => "warning",
            ("fail", _) => "error",
            _ => "none",
        },
        "message": { "text": message(finding) },
        "locations": [location(&finding.location)],
        "partialFingerprints": { FINGERPRINT: fingerprint },
        "properties": {
            "version": finding.at_version,
            "verdicts": settled,
            "ledger": ledgers(finding),
        },
    });
    let flows: Vec<Value> =
        present.iter().filter(|ruling| !ruling.evidence.path.is_empty()).map(|ruling| flow(ruling)).collect();
    if !flows.is_empty() {
        out["codeFlows"] = flows.into();
    }
    if let Some(status) = standing {
        out["baselineState"] = json!(match status {
            Status::New => "new",
            Status::Fixed => "absent",
            Status::Unchanged => "unchanged",
            // What is not decided may have changed.
            Status::Open => "updated",
        });
    }
    out
}

/// How a finding stands between the version before and the one after, where the question has these.
fn standing(command: Command, finding: &Finding) -> Option<Status> {
    match (command, &finding.settled()[..]) {
        (Command::Check, _) => finding.status,
        (Command::Verify, [.., (_, before), (_, after)]) => Some(match (before, after) {
            (Verdict::Unknown, _) | (_, Verdict::Unknown) => Status::Open,
            (Verdict::Present, Verdict::Present) => Status::Unchanged,
            (Verdict::Present, _) => Status::Fixed,
            (_, Verdict::Present) => Status::New,
            _ => Status::Unchanged,
        }),
        _ => None,
    }
}

/// What a result is: a failure where the fault is there, and not where it is there no more.
fn kind(finding: &Finding, standing: Option<Status>) -> &'static str {
    let settled: Vec<Verdict> = finding.settled().into_iter().map(|(_, verdict)| verdict).collect();
    let any = |wanted: Verdict| settled.contains(&wanted);
    match () {
        () if standing == Some(Status::Fixed) => "pass",
        () if any(Verdict::Present) => "fail",
        () if any(Verdict::Unknown) => "open",
        () if any(Verdict::Absent) || any(Verdict::Fixed) => "pass",
        () => "notApplicable",
    }
}

/// The message, and of which versions it is true.
fn message(finding: &Finding) -> String {
    let list = |wanted: Verdict| -> Vec<&str> {
        let settled = finding.settled().into_iter();
        settled.filter(|(_, verdict)| *verdict == wanted).map(|(version, _)| version).collect()
    };
    let mut text = finding.message.clone();
    for (verdict, word) in [
        (Verdict::Present, "present in"),
        (Verdict::Fixed, "fixed in"),
        (Verdict::Absent, "not in"),
        (Verdict::Unknown, "not decided in"),
    ] {
        let versions = list(verdict);
        if !versions.is_empty() {
            text.push_str(&format!("; {word} {}", versions.join(", ")));
        }
    }
    text
}

fn ledgers(finding: &Finding) -> Value {
    let mut out = serde_json::Map::new();
    for ruling in finding.verdicts.iter().filter(|ruling| !ruling.ledger.is_empty()) {
        let basis = if ruling.basis == Basis::Patch { " (patch)" } else { "" };
        out.insert(format!("{}{basis}", ruling.version), json!(ledger(&ruling.ledger)));
    }
    Value::Object(out)
}

fn location(spot: &Spot) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&spot.file), "uriBaseId": "SRCROOT" } });
    if spot.line > 0 {
        physical["region"] = json!({ "startLine": spot.line, "snippet": { "text": spot.text } });
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{ "name": spot.function, "kind": "function" }],
    })
}

/// One version's path.
fn flow(ruling: &Ruling) -> Value {
    let evidence = &ruling.evidence;
    let step = |spot: &Spot| {
        let mut place = location(spot);
        let text = if spot.notes.is_empty() {
            spot.text.clone()
        } else {
            format!("{}: {}", spot.text, spot.notes.join("; "))
        };
        place["message"] = json!({ "text": text });
        json!({ "location": place })
    };
    let mut text = ruling.version.clone();
    if !evidence.constraint.is_empty() {
        text.push_str(&format!(": {}", evidence.constraint));
    }
    let values: BTreeMap<&str, Value> =
        evidence.model.iter().map(|(name, value)| (name.as_str(), json!({ "text": value }))).collect();
    let mut thread = json!({ "locations": evidence.path.iter().map(step).collect::<Vec<_>>() });
    if !values.is_empty() {
        thread["initialState"] = json!(values);
    }
    json!({ "message": { "text": text }, "threadFlows": [thread] })
}

/// A path as a relative reference: everything but what such a reference may contain is escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b',' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
