//! `hydrogen stats V…`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::graphs::{self, Compared};
use crate::output;
use anyhow::Result;
use hydrogen_graph::{Sizes, StepStats, VersionId, VersionSet};
use serde_json::json;
use std::time::Instant;

pub fn run(context: &Context, names: &[String], syntax: bool, format: TableFormat) -> Result<Outcome> {
    let start = Instant::now();
    let (compared, _) = graphs::compared(context, names, syntax)?;
    let seconds = start.elapsed().as_secs_f64();
    context.output(&match format {
        TableFormat::Text => as_text(&compared, seconds),
        TableFormat::Json => as_json(&compared, seconds),
    })?;
    Ok(Outcome::Done)
}

/// Each version given against its first parent, where that is known.
fn steps(compared: &Compared) -> impl Iterator<Item = (VersionId, StepStats)> + '_ {
    let graph = &compared.graph;
    graph.versions().iter().enumerate().filter_map(|(index, info)| {
        let version = VersionId::at(index);
        let known = compared.is_given(version) && !info.unrelated;
        Some((version, graph.step_stats(*info.parents.first().filter(|_| known)?, version)))
    })
}

/// The sizes of the graph of the versions given alone.
fn sizes(compared: &Compared) -> Sizes {
    let all = compared.given == VersionSet::all(compared.graph.versions().len());
    if all { compared.graph.sizes() } else { compared.graph.project(&compared.given).sizes() }
}

fn as_text(compared: &Compared, seconds: f64) -> String {
    let graph = &compared.graph;
    let header = [
        "version",
        "modified",
        "deleted",
        "added calling",
        "added leaf",
        "renamed",
        "unread",
        "+",
        "-",
        "reused",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (version, step) in steps(compared) {
        let mut row = vec![graph.versions()[version.index()].name.clone()];
        let counts = [
            step.modified,
            step.deleted,
            step.added_calling,
            step.added_leaf,
            step.renamed,
            step.unread,
            step.statements_added,
            step.statements_removed,
        ];
        row.extend(counts.iter().map(ToString::to_string));
        row.push(format!("{:.2} %", 100.0 * step.reused));
        rows.push(row);
    }
    let sizes = sizes(compared);
    format!(
        "{}\n{} versions: {} nodes and {} edges in all, {} and {} in the graph; {} stored intervals; {seconds:.1} s, {} MiB\n",
        output::table(&rows),
        sizes.versions,
        sizes.sum_nodes,
        sizes.sum_edges,
        sizes.nodes,
        sizes.edges,
        sizes.stored_intervals,
        output::peak_bytes() >> 20,
    )
}

fn as_json(compared: &Compared, seconds: f64) -> String {
    let graph = &compared.graph;
    let step = |(version, step): (VersionId, StepStats)| {
        json!({
            "version": graph.versions()[version.index()].name,
            "modified": step.modified,
            "deleted": step.deleted,
            "added_calling": step.added_calling,
            "added_leaf": step.added_leaf,
            "renamed": step.renamed,
            "unread": step.unread,
            "statements_added": step.statements_added,
            "statements_removed": step.statements_removed,
            "reused": step.reused,
        })
    };
    let steps: Vec<_> = steps(compared).map(step).collect();
    output::json(
        "stats/1",
        &json!({
            "steps": steps,
            "sizes": sizes(compared),
            "seconds": seconds,
            "peak_bytes": output::peak_bytes(),
        }),
    )
}
