//! `hydrogen mine study FILE`: errors with known commits.

use super::days;
use super::overlap::overlap;
use crate::cli::{ReadingName, TableFormat};
use crate::commands::{Outcome, step};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::mined::{LifeSpans, Means, Ranks, Spread, StudiedError, Study, Without};
use hydrogen_history::Objects;
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{ErrorPair, chains, read_excluded, read_pairs};
use hydrogen_interact::statistics::{cumulative, difference_of_means, mean, median, power_law, spearman};
use hydrogen_interact::{Measured, Reading, Walk, measure_history};
use hydrogen_report::mined as report;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;

pub fn run(context: &Context, file: &Path, reading: ReadingName, format: TableFormat) -> Result<Outcome> {
    let path = context.path(file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let pairs = match read_pairs(&text) {
        Ok(pairs) if pairs.is_empty() => bail!("{}: there is no line with two commits", path.display()),
        Ok(pairs) => pairs,
        Err(message) => bail!("{}: {message}", path.display()),
    };
    let mut commits: BTreeMap<String, CommitInfo> = BTreeMap::new();
    for name in pairs.iter().flat_map(|pair| [&pair.introduced, &pair.fixed]) {
        if !commits.contains_key(name) {
            commits.insert(name.clone(), step::commit(context, name)?);
        }
    }
    let complexities = measure(context, commits.values().cloned().collect(), reading)?;
    let repository_dir = &commits.values().next().context("a pair has commits")?.repository;
    let repository = context.trees.repository(repository_dir)?;
    let objects = Objects::new(&repository);
    let mut errors = Vec::new();
    for pair in &pairs {
        let (introduced, fixed) = (&commits[&pair.introduced], &commits[&pair.fixed]);
        let found = overlap(&repository, introduced, fixed)?;
        errors.push(StudiedError {
            introduced: pair.introduced.clone(),
            fixed: pair.fixed.clone(),
            report: pair.report.clone(),
            life_span_days: days(objects.committed(&introduced.commit)?, objects.committed(&fixed.commit)?),
            introducing_cycc: complexities.get(&introduced.commit).copied().flatten(),
            fixing_cycc: complexities.get(&fixed.commit).copied().flatten(),
            overlaps: (found.replaced > 0).then_some(found.written > 0),
        });
    }
    let study = summarize(&pairs, errors, read_excluded(&text));
    context.output(&match format {
        TableFormat::Json => report::json("mine-study/1", &study),
        TableFormat::Text => report::study(&study),
    })?;
    Ok(Outcome::Done)
}

fn measure(
    context: &Context,
    mut commits: Vec<CommitInfo>,
    reading: ReadingName,
) -> Result<BTreeMap<String, Option<usize>>> {
    commits.sort_by(|a, b| (a.time, &a.commit).cmp(&(b.time, &b.commit)));
    commits.dedup();
    let repository = context.trees.repository(&commits[0].repository)?;
    let cancel = context.cancel_flag();
    let walk = Walk {
        repository: &repository,
        reading: match reading {
            ReadingName::Full => Reading::Full,
            ReadingName::Thesis => Reading::Thesis,
        },
        first_parent: false,
        done: &|| {},
        stop: &|| cancel.load(Ordering::Relaxed),
    };
    let digest = |info: &CommitInfo, measured: Measured| {
        let graph = measured.complexity.ok().and_then(|it| it.graph.ok().flatten());
        (info.commit.clone(), graph.map(|graph| graph.complexity()))
    };
    Ok(measure_history(&walk, &commits, digest).into_iter().collect())
}

fn summarize(pairs: &[ErrorPair], errors: Vec<StudiedError>, excluded: Vec<String>) -> Study {
    let lives: Vec<f64> = errors.iter().map(|error| error.life_span_days as f64).collect();
    let paired = |f: &dyn Fn(&StudiedError) -> Option<(f64, f64)>| {
        let (a, b): (Vec<f64>, Vec<f64>) = errors.iter().filter_map(f).unzip();
        spearman(&a, &b).map(|it| Ranks { rho: it.coefficient, p: it.p, errors: it.count })
    };
    let introducing: BTreeSet<&String> = pairs.iter().map(|pair| &pair.introduced).collect();
    let incorrect = pairs.iter().map(|pair| &pair.fixed).filter(|fix| introducing.contains(fix));
    let incorrect: BTreeSet<&String> = incorrect.collect();
    let judged = errors.iter().filter_map(|error| error.overlaps);
    let fixing: Vec<f64> = errors.iter().filter_map(|error| Some(error.fixing_cycc? as f64)).collect();
    let brought: Vec<f64> = errors.iter().filter_map(|error| Some(error.introducing_cycc? as f64)).collect();
    Study {
        introducing_commits: introducing.len(),
        incorrect_fixes: incorrect.len(),
        chains: chains(pairs),
        excluded,
        life_span: LifeSpans { power_law: power_law(&lives, 1.0), spread: spread(&lives) },
        fixing_cycc: spread(&fixing),
        introducing_minus_fixing_cycc: difference_of_means(&brought, &fixing)
            .map(|it| Means { difference: it.difference, p: it.p }),
        life_span_and_complexity: paired(&|error| {
            Some((error.life_span_days as f64, error.fixing_cycc? as f64))
        }),
        introducing_and_fixing_complexity: paired(&|error| {
            Some((error.introducing_cycc? as f64, error.fixing_cycc? as f64))
        }),
        without_overlap: Without { errors: judged.clone().filter(|it| !it).count(), of: judged.count() },
        errors,
    }
}

fn spread(values: &[f64]) -> Spread {
    Spread { mean: mean(values), median: median(values), cumulative: cumulative(values) }
}
