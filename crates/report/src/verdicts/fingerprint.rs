//! Names of findings that stay when lines move.

use hydrogen_evidence::{Answer, Class, Finding};
use std::collections::BTreeMap;

/// A fingerprint for every finding of an answer: by kind, place and statement, and where those are the same, by order. No line and
/// no version is part of it, so that it is the same after an edit above.
pub(super) fn fingerprints(answer: &Answer) -> Vec<String> {
    let mut seen: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    let mut one = |finding: &Finding| {
        let place = &finding.location;
        let mut key = vec![
            finding.kind.word().to_owned(),
            place.file.clone(),
            place.function.clone(),
            place.text.split_whitespace().collect::<Vec<_>>().join(" "),
        ];
        // The messages of faults may have numbers in them; those of rules are the rules.
        if finding.kind == Class::Rule {
            key.push(finding.message.clone());
        }
        let ordinal = seen.entry(key.clone()).or_default();
        *ordinal += 1;
        key.push(ordinal.to_string());
        let mut hasher = blake3::Hasher::new();
        for part in key {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    };
    answer.findings.iter().map(&mut one).collect()
}
