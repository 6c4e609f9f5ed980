//! `hydrogen stats V…`.

use super::Outcome;
use crate::cli::StatisticsFormat;
use crate::context::Context;
use crate::graphs::{self, Compared};
use crate::output;
use anyhow::Result;
use hydrogen_graph::{Sizes, StepStats, VersionId, VersionSet};
use serde_json::json;
use std::time::Instant;

pub struct Options {
    pub syntax: bool,
    /// How many of the versions, and by which random choice.
    pub sample: Option<(usize, u64)>,
    pub format: StatisticsFormat,
}

pub fn run(context: &Context, names: &[String], options: Options) -> Result<Outcome> {
    let start = Instant::now();
    let mut versions = context.resolve(names)?;
    if let Some((count, seed)) = options.sample {
        versions = sample(versions, count, seed);
    }
    let compared = graphs::compared_versions(context, versions, options.syntax)?;
    let seconds = start.elapsed().as_secs_f64();
    context.output(&match options.format {
        StatisticsFormat::Text => as_text(&compared, seconds),
        StatisticsFormat::Json => as_json(&compared, seconds),
        StatisticsFormat::Csv => as_csv(&compared),
    })?;
    Ok(Outcome::Done)
}

/// Some of a list, in its order, by a choice that is the same on every machine.
fn sample<T>(list: Vec<T>, count: usize, seed: u64) -> Vec<T> {
    // SplitMix64: a number per element; those with the smallest are taken.
    let number = |at: usize| {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(at as u64 + 1));
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ (state >> 31)
    };
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|&at| (number(at), at));
    order.truncate(count);
    let chosen = |(at, it): (usize, T)| order.contains(&at).then_some(it);
    list.into_iter().enumerate().filter_map(chosen).collect()
}

/// The columns of a step, by name.
fn columns(step: &StepStats) -> [(&'static str, f64); 9] {
    [
        ("modified", step.modified as f64),
        ("deleted", step.deleted as f64),
        ("added calling", step.added_calling as f64),
        ("added leaf", step.added_leaf as f64),
        ("renamed", step.renamed as f64),
        ("unread", step.unread as f64),
        ("+", step.statements_added as f64),
        ("-", step.statements_removed as f64),
        ("reused", step.reused),
    ]
}

/// The average step: each column's mean.
fn average(compared: &Compared) -> Option<[(&'static str, f64); 9]> {
    let all: Vec<_> = steps(compared).map(|(_, step)| columns(&step)).collect();
    let mut sums = *all.first()?;
    for (at, sum) in sums.iter_mut().enumerate() {
        sum.1 = all.iter().map(|step| step[at].1).sum::<f64>() / all.len() as f64;
    }
    Some(sums)
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
    let names = columns(&StepStats::default()).map(|(name, _)| name.to_owned());
    let mut rows = vec![[vec!["version".to_owned()], names.to_vec()].concat()];
    let shown = |name: &str, value: f64, whole: bool| match (name, whole) {
        ("reused", _) => format!("{:.2} %", 100.0 * value),
        (_, true) => format!("{value:.0}"),
        (_, false) => format!("{value:.2}"),
    };
    let mut add = |name: &str, step: [(&'static str, f64); 9], whole: bool| {
        let cells = step.map(|(column, value)| shown(column, value, whole));
        rows.push([vec![name.to_owned()], cells.to_vec()].concat());
    };
    for (version, step) in steps(compared) {
        add(&graph.versions()[version.index()].name, columns(&step), true);
    }
    if let Some(average) = average(compared).filter(|_| steps(compared).nth(1).is_some()) {
        add("average", average, false);
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
    let average: Option<serde_json::Map<_, _>> = average(compared).map(|all| {
        let key = |name: &str| match name {
            "+" => "statements_added".to_owned(),
            "-" => "statements_removed".to_owned(),
            other => other.replace(' ', "_"),
        };
        all.iter().map(|(name, value)| (key(name), json!(value))).collect()
    });
    output::json(
        "stats/1",
        &json!({
            "steps": steps,
            "average": average,
            "sizes": sizes(compared),
            "seconds": seconds,
            "peak_bytes": output::peak_bytes(),
        }),
    )
}

/// A line per version: who and when, what it changed, how large it is.
fn as_csv(compared: &Compared) -> String {
    let graph = &compared.graph;
    let names = columns(&StepStats::default()).map(|(name, _)| match name {
        "+" => "statements added".to_owned(),
        "-" => "statements removed".to_owned(),
        other => other.to_owned(),
    });
    let mut out = format!("version,commit,date,statements before,{}\n", names.join(","));
    for (version, step) in steps(compared) {
        let info = &graph.versions()[version.index()];
        let text = |value: &Option<String>| output::csv_cell(value.as_deref().unwrap_or_default());
        let numbers = columns(&step).map(|(_, value)| value.to_string()).join(",");
        out.push_str(&format!(
            "{},{},{},{},{numbers}\n",
            output::csv_cell(&info.name),
            text(&info.commit),
            text(&info.date),
            step.statements
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn a_sample_keeps_the_order_and_its_seed() {
        let all: Vec<u32> = (0..1000).collect();
        let some = sample(all.clone(), 50, 7);
        assert_eq!(some.len(), 50);
        assert!(some.is_sorted());
        assert_eq!(some, sample(all.clone(), 50, 7));
        assert_ne!(some, sample(all.clone(), 50, 8));
        assert_eq!(sample(all.clone(), 2000, 7), all);
        // No part of the list is preferred.
        let early = sample(all, 500, 7).into_iter().filter(|&it| it < 500).count();
        assert!((200..300).contains(&early), "{early}");
    }
}
