//! A review as SARIF: what a code host shows beside the changed lines.

use hydrogen_evidence::{Item, Review, Topic, Weight};
use serde_json::{Value, json};

/// The review as a SARIF log. What is proved or a plain fact is not part of it.
pub fn sarif(review: &Review) -> Value {
    let told = |item: &&Item| matches!(item.topic, Topic::Faults | Topic::Different) && item.file.is_some();
    let results: Vec<Value> = review.items.iter().filter(told).map(result).collect();
    let rule = |topic: Topic| json!({ "id": name(topic), "shortDescription": { "text": topic.title() } });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hydrogen",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [rule(Topic::Faults), rule(Topic::Different)],
            }},
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "the root of the version" } } },
            "results": results,
        }],
    })
}

fn name(topic: Topic) -> &'static str {
    match topic {
        Topic::Faults => "fault",
        _ => "difference",
    }
}

fn result(item: &Item) -> Value {
    let mut text = item.text.clone();
    for detail in &item.details {
        text.push('\n');
        text.push_str(detail);
    }
    let (level, kind, state) = match (item.topic, item.weight) {
        (_, Weight::Alarm) => ("error", "fail", "new"),
        (Topic::Faults, _) => ("none", "pass", "absent"),
        _ => ("note", "fail", "new"),
    };
    json!({
        "ruleId": name(item.topic),
        "level": level,
        "kind": kind,
        "baselineState": if item.known { "unchanged" } else { state },
        "message": { "text": text },
        "partialFingerprints": { "hydrogen/v1": item.id },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": item.file, "uriBaseId": "SRCROOT" },
            "region": { "startLine": item.line.unwrap_or(1).max(1) },
        }}],
    })
}
