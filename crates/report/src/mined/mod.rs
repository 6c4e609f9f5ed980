//! What histories say about regressions: text, JSON, CSV.

mod classification;
mod introduction;
mod statistics;
mod study;

pub use classification::text as classification;
pub use introduction::text as introduction;
pub use statistics::{csv as statistics_csv, json as statistics_json, text as statistics};
pub use study::text as study;

use crate::columns::{shortened, table};
use hydrogen_evidence::mined::Candidates;
use serde_json::json;

/// An answer as JSON, by the name of its schema.
pub fn json(schema: &str, answer: &impl serde::Serialize) -> String {
    crate::envelope::json(schema, &json!(answer))
}

/// Commits that seem to repair a regression, as a table.
pub fn candidates(found: &Candidates) -> String {
    let mut rows = Vec::new();
    for it in &found.candidates {
        let list = |words: &[&str]| shortened(words.iter().map(|it| (*it).to_owned()).collect(), ",");
        let said = [("message", list(&it.message)), ("NEWS", list(&it.news))];
        let said = said.into_iter().filter(|(_, words)| !words.is_empty());
        let said: Vec<String> = said.map(|(place, words)| format!("{place}: {words}")).collect();
        let summary = match it.doubts.is_empty() {
            true => it.summary.clone(),
            false => format!("{} [{}]", it.summary, shortened(it.doubts.clone(), ",")),
        };
        rows.push(vec![
            it.commit.chars().take(10).collect(),
            it.date.clone(),
            said.join("; "),
            shortened(it.bugs.clone(), ","),
            it.introduced_by.clone().unwrap_or_default(),
            summary,
        ]);
    }
    table(&rows) + &format!("{} candidates in {} commits\n", found.candidates.len(), found.looked_at)
}
