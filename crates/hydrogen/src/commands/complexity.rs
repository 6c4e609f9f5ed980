//! `hydrogen complexity COMMIT|A..B|OLD.c NEW.c`.

mod files;

use super::Outcome;
use crate::cli::{ReadingName, SeriesFormat};
use crate::context::Context;
use crate::progress;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::complexity::{Answer, Commit, Complexities, Kept, Row};
use hydrogen_history::Objects;
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_interact::statistics::{bland_altman, cohen_kappa, median, pearson, ranks, spearman};
use hydrogen_interact::{Complexity, Measured, Reading, Walk, measure_history};
use hydrogen_report::complexity as report;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

pub struct Options {
    pub history: Option<NonZeroUsize>,
    pub top: usize,
    pub reading: ReadingName,
    pub first_parent: bool,
    pub sequences: bool,
    pub format: SeriesFormat,
}

impl Options {
    fn reading(&self) -> Reading {
        match self.reading {
            ReadingName::Full => Reading::Full,
            ReadingName::Thesis => Reading::Thesis,
        }
    }

    /// How many sequences of a commit are kept: they can be millions.
    fn most_sequences(&self) -> usize {
        match (self.sequences, self.format) {
            (true, _) => 10_000,
            (false, SeriesFormat::Json) => 100,
            (false, _) => 0,
        }
    }
}

pub fn run(context: &Context, what: &[String], options: &Options) -> Result<Outcome> {
    let rows = match files::pair(context, what)? {
        Some((old, new)) if options.history.is_none() => vec![files::measure(&old, &new, options)?],
        _ => measure_commits(context, what, options)?,
    };
    let all = told(rows, options);
    context.output(&match options.format {
        SeriesFormat::Text => report::text(&all),
        SeriesFormat::Json => report::json(&all),
        SeriesFormat::Csv => report::csv(&all),
        SeriesFormat::Html => report::html(&all),
    })?;
    let rows = &all.rows;
    let undecided = !rows.is_empty() && rows.iter().all(|row| matches!(row.answer, Answer::Reason(_)));
    Ok(if undecided { Outcome::Undecided } else { Outcome::Done })
}

/// The rows, with what is known of all of them together.
fn told(rows: Vec<Row>, options: &Options) -> Complexities {
    let pairs = rows.iter().filter_map(|row| Some((row.complexity()? as f64, row.kept()?.lines as f64)));
    let (complexity, lines): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let (a, b) = (ranks(&complexity), ranks(&lines));
    // Ranks that are shared are halves.
    let doubled = |ranks: &[f64]| ranks.iter().map(|rank| (2.0 * rank) as i64).collect::<Vec<i64>>();
    let kappa = || cohen_kappa(&doubled(&a), &doubled(&b));
    Complexities {
        reading: match options.reading {
            ReadingName::Full => "full",
            ReadingName::Thesis => "thesis",
        },
        top: options.history.map(|_| options.top),
        sequences: options.sequences,
        correlations: [spearman(&complexity, &lines), pearson(&complexity, &lines)],
        agreement: bland_altman(&a, &b).map(|limits| (limits, kappa())),
        median: median(&complexity),
        rows,
    }
}

fn measure_commits(context: &Context, what: &[String], options: &Options) -> Result<Vec<Row>> {
    let names = if what.is_empty() { vec!["HEAD".to_owned()] } else { what.to_vec() };
    let versions = context.resolve(&names)?;
    let mut commits: Vec<(String, CommitInfo)> = Vec::new();
    for Version { name, source } in versions {
        match source {
            Source::Commit(info) => commits.push((name, info)),
            _ => bail!("`{name}` is no commit; two files or two folders are compared as OLD NEW"),
        }
    }
    let (_, first) = commits.first().context("no commit is given")?;
    let repository = context.trees.repository(&first.repository)?;
    if let Some(count) = options.history {
        if commits.len() != 1 {
            bail!("--history starts at one commit, and {} are given", commits.len());
        }
        let mut newest = Objects::new(&repository).newest(&first.commit, count.get())?;
        newest.reverse();
        commits = newest.into_iter().map(|info| (info.commit[..10].to_owned(), info)).collect();
    }
    let cancel = context.cancel_flag();
    let bar = progress::counter(context.quiet(), commits.len(), "commits");
    let (names, infos): (Vec<String>, Vec<CommitInfo>) = commits.into_iter().unzip();
    let walk = Walk {
        repository: &repository,
        reading: options.reading(),
        first_parent: options.first_parent,
        done: &|| bar.inc(1),
        stop: &|| cancel.load(Ordering::Relaxed),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(context.jobs()).build()?;
    let most = options.most_sequences();
    let digest = |info: &CommitInfo, measured: Measured| (info.clone(), keep(measured, most));
    let results = pool.install(|| measure_history(&walk, &infos, digest));
    bar.finish_and_clear();
    if results.len() < infos.len() {
        return Err(hydrogen_model::Error::Interrupted.into());
    }
    let row = |(name, (info, (answer, notes)))| Row { name, commit: Some(commit(info)), answer, notes };
    Ok(names.into_iter().zip(results).map(row).collect())
}

fn commit(info: CommitInfo) -> Commit {
    let date = info.date();
    Commit { id: info.commit, date, time: info.time, author: info.author, summary: info.summary }
}

fn keep(measured: Measured, most: usize) -> (Answer, Vec<String>) {
    let answer = match measured.complexity {
        Ok(complexity) => answer(complexity, most),
        Err(reason) => Answer::Reason(reason),
    };
    (answer, measured.notes)
}

fn answer(complexity: Complexity, most: usize) -> Answer {
    let Complexity { lines, deleted_lines, hunks, functions, files, items, decisions, mechanical, graph } =
        complexity;
    let kept = Kept { lines, deleted: deleted_lines, hunks, files, functions, items, decisions, mechanical };
    match graph {
        Ok(Some(graph)) => {
            let labels = |sequence: Vec<u32>| sequence.into_iter().map(|it| graph.label(it)).collect();
            let sequences = graph.sequences().take(most).map(labels).collect();
            Answer::Measured { measure: graph.measure, kept, sequences }
        }
        Ok(None) => Answer::Nothing(kept),
        Err(error) => Answer::Reason(error.to_string()),
    }
}
