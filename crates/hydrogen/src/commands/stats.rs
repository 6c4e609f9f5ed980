//! `hydrogen stats V…`.

use super::Outcome;
use crate::cli::StatisticsFormat;
use crate::context::Context;
use crate::graphs::{self, Compared};
use crate::output;
use anyhow::Result;
use hydrogen_evidence::steps::{Step, Steps};
use hydrogen_graph::{Sizes, StepStats, VersionId, VersionInfo, VersionSet};
use hydrogen_report::histories as report;
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
    let all =
        Steps { steps: steps(&compared), sizes: sizes(&compared), seconds, peak_bytes: output::peak_bytes() };
    context.output(&match options.format {
        StatisticsFormat::Text => report::steps_text(&all),
        StatisticsFormat::Json => report::steps_json(&all),
        StatisticsFormat::Csv => report::steps_csv(&all),
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

/// What each version given did, where what was before it is known.
fn steps(compared: &Compared) -> Vec<Step> {
    let graph = &compared.graph;
    let step = |(index, (info, stats)): (usize, (&VersionInfo, Option<StepStats>))| {
        let stats = stats.filter(|_| compared.is_given(VersionId::at(index)))?;
        let (version, commit, date) = (info.name.clone(), info.commit.clone(), info.date.clone());
        Some(Step { version, commit, date, stats })
    };
    graph.versions().iter().zip(graph.steps()).enumerate().filter_map(step).collect()
}

/// The sizes of the graph of the versions given alone.
fn sizes(compared: &Compared) -> Sizes {
    let all = compared.given == VersionSet::all(compared.graph.versions().len());
    if all { compared.graph.sizes() } else { compared.graph.project(&compared.given).sizes() }
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
