//! What each version of a history changed, in numbers.

use crate::columns::{csv_cell, table};
use crate::envelope;
use hydrogen_evidence::steps::{Step, StepStats, Steps};
use serde_json::json;

/// The columns of a step, by name.
fn columns(step: &StepStats) -> [(&'static str, f64); 10] {
    [
        ("modified", step.modified as f64),
        ("deleted", step.deleted as f64),
        ("added calling", step.added_calling as f64),
        ("added leaf", step.added_leaf as f64),
        ("renamed", step.renamed as f64),
        ("unread", step.unread as f64),
        ("+", step.statements_added as f64),
        ("-", step.statements_removed as f64),
        ("~", step.statements_meaning as f64),
        ("reused", step.reused),
    ]
}

/// The average step: each column's mean.
fn average(all: &[Step]) -> Option<[(&'static str, f64); 10]> {
    let all: Vec<_> = all.iter().map(|step| columns(&step.stats)).collect();
    let mut sums = *all.first()?;
    for (at, sum) in sums.iter_mut().enumerate() {
        sum.1 = all.iter().map(|step| step[at].1).sum::<f64>() / all.len() as f64;
    }
    Some(sums)
}

/// The steps as a table.
pub fn text(all: &Steps) -> String {
    let names = columns(&StepStats::default()).map(|(name, _)| name.to_owned());
    let mut rows = vec![[vec!["version".to_owned()], names.to_vec()].concat()];
    let shown = |name: &str, value: f64, whole: bool| match (name, whole) {
        ("reused", _) => format!("{:.2} %", 100.0 * value),
        (_, true) => format!("{value:.0}"),
        (_, false) => format!("{value:.2}"),
    };
    let mut add = |name: &str, step: [(&'static str, f64); 10], whole: bool| {
        let cells = step.map(|(column, value)| shown(column, value, whole));
        rows.push([vec![name.to_owned()], cells.to_vec()].concat());
    };
    for step in &all.steps {
        add(&step.version, columns(&step.stats), true);
    }
    if let Some(average) = average(&all.steps).filter(|_| all.steps.len() > 1) {
        add("average", average, false);
    }
    let (sizes, seconds) = (&all.sizes, all.seconds);
    format!(
        "{}\n{} versions: {} nodes and {} edges in all, {} and {} in the graph; {} stored intervals; {seconds:.1} s, {} MiB\n",
        table(&rows),
        sizes.versions,
        sizes.sum_nodes,
        sizes.sum_edges,
        sizes.nodes,
        sizes.edges,
        sizes.stored_intervals,
        all.peak_bytes >> 20,
    )
}

/// The steps as `stats/1`.
pub fn json(all: &Steps) -> String {
    let step = |one: &Step| {
        let step = &one.stats;
        json!({
            "version": one.version,
            "modified": step.modified,
            "deleted": step.deleted,
            "added_calling": step.added_calling,
            "added_leaf": step.added_leaf,
            "renamed": step.renamed,
            "unread": step.unread,
            "statements_added": step.statements_added,
            "statements_removed": step.statements_removed,
            "statements_meaning": step.statements_meaning,
            "reused": step.reused,
        })
    };
    let steps: Vec<_> = all.steps.iter().map(step).collect();
    let average: Option<serde_json::Map<_, _>> = average(&all.steps).map(|means| {
        let key = |name: &str| match name {
            "+" => "statements_added".to_owned(),
            "-" => "statements_removed".to_owned(),
            "~" => "statements_meaning".to_owned(),
            other => other.replace(' ', "_"),
        };
        means.iter().map(|(name, value)| (key(name), json!(value))).collect()
    });
    envelope::json(
        "stats/1",
        &json!({
            "steps": steps,
            "average": average,
            "sizes": all.sizes,
            "seconds": all.seconds,
            "peak_bytes": all.peak_bytes,
        }),
    )
}

/// A line per version: who and when, what it changed, how large it is.
pub fn csv(all: &Steps) -> String {
    let names = columns(&StepStats::default()).map(|(name, _)| match name {
        "+" => "statements added".to_owned(),
        "-" => "statements removed".to_owned(),
        "~" => "statements with another meaning".to_owned(),
        other => other.to_owned(),
    });
    let mut out = format!("version,commit,date,statements before,{}\n", names.join(","));
    for step in &all.steps {
        let text = |value: &Option<String>| csv_cell(value.as_deref().unwrap_or_default());
        let numbers = columns(&step.stats).map(|(_, value)| value.to_string()).join(",");
        out.push_str(&format!(
            "{},{},{},{},{numbers}\n",
            csv_cell(&step.version),
            text(&step.commit),
            text(&step.date),
            step.stats.statements
        ));
    }
    out
}
