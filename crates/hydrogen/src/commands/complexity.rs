//! `hydrogen complexity COMMIT|A..B|OLD.c NEW.c`.

mod files;
mod output;
mod page;

use super::Outcome;
use crate::cli::{ReadingName, SeriesFormat};
use crate::context::Context;
use crate::progress;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Objects;
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_interact::{
    ChangedFunction, Complexity, Measure, Measured, Mechanical, Reading, Walk, measure_history,
};
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

/// A commit, or a pair of files, with its answer.
struct Row {
    name: String,
    info: Option<CommitInfo>,
    answer: Answer,
    notes: Vec<String>,
}

/// What is kept of a commit's complexity.
enum Answer {
    Measured {
        measure: Measure,
        kept: Kept,
        sequences: Vec<Vec<String>>,
    },
    /// No executable change.
    Nothing(Kept),
    /// Why there is no number.
    Reason(String),
}

/// The plain counts.
struct Kept {
    lines: usize,
    deleted: usize,
    hunks: usize,
    files: usize,
    functions: Vec<ChangedFunction>,
    /// Macros, types, variables and enumerators that say something else.
    items: Vec<Box<str>>,
    decisions: usize,
    mechanical: Vec<Mechanical>,
}

pub fn run(context: &Context, what: &[String], options: &Options) -> Result<Outcome> {
    let rows = match files::pair(context, what)? {
        Some((old, new)) if options.history.is_none() => vec![files::measure(&old, &new, options)?],
        _ => measure_commits(context, what, options)?,
    };
    context.output(&match options.format {
        SeriesFormat::Text => output::text(&rows, options),
        SeriesFormat::Json => output::json(&rows, options),
        SeriesFormat::Csv => output::csv(&rows),
        SeriesFormat::Html => page::html(&rows, options),
    })?;
    let undecided = !rows.is_empty() && rows.iter().all(|row| matches!(row.answer, Answer::Reason(_)));
    Ok(if undecided { Outcome::Undecided } else { Outcome::Done })
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
    let cancel = context.cancel_flag()?;
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
    let row = |(name, (info, (answer, notes)))| Row { name, info: Some(info), answer, notes };
    Ok(names.into_iter().zip(results).map(row).collect())
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
