//! `hydrogen affects COMMIT`.

mod reduced;

use super::{Outcome, step};
use crate::cli::TableFormat;
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::affected::{
    Affected, Branches, Dependences, Dependent, Function, Hunk, Interference, LikelyPlace, Place, Program,
    Share, Side, SidedPlace,
};
use hydrogen_history::Repository;
use hydrogen_interact::{
    Dependence, Dependency, Effect, Granularity, HunkImpact, Impact, PASSED, Sided, Start, StatementId,
    Transition, functions_of, likelihood, outputs_of,
};
use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};
use hydrogen_report::affected as report;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Options {
    pub with: Option<String>,
    pub likely: usize,
    pub compiled: bool,
    pub why: bool,
    pub granularity: Granularity,
    pub reduce: Option<PathBuf>,
    pub format: TableFormat,
}

pub fn run(context: &Context, what: &str, options: &Options) -> Result<Outcome> {
    let text = match (&options.with, options.format) {
        (Some(other), TableFormat::Json) => report::json(&branches(context, what, other)?),
        (Some(other), TableFormat::Text) => report::branches_text(&branches(context, what, other)?),
        (None, TableFormat::Json) => report::json(&one(context, what, options)?),
        (None, TableFormat::Text) => report::text(&one(context, what, options)?, options.why),
    };
    context.output(&text)?;
    Ok(Outcome::Done)
}

fn one(context: &Context, what: &str, options: &Options) -> Result<Affected> {
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let step = match options.compiled {
        true => step::compiled(context, &repository, old.as_ref(), &new)?,
        false => step::read(&repository, old.as_ref().map(|old| old.tree.as_str()), &new.tree)?,
    };
    let impact = Impact::by(&step, options.granularity);
    let likelihood = likelihoods(&step, &impact);
    let mut side = summary(&impact, &step.new, &likelihood);
    side.program.compiled = Some(options.compiled);
    let interference = impact.interference(&likelihood).into_iter();
    let interference =
        interference.map(|(a, b, at)| Interference { hunks: [a, b], first: place(&step.new, at) }).collect();
    let reduced = match &options.reduce {
        Some(folder) => {
            let source = reduced::Source { repository: &repository, tree: &new.tree };
            Some(reduced::write(&source, &step, &impact, &context.path(folder))?)
        }
        None => None,
    };
    Ok(Affected {
        side,
        interference,
        dependences: dependences(&step),
        likely: likely(&step, &impact, &likelihood, options.likely),
        reduced,
    })
}

/// How likely each statement is affected (B3). What depended on something that is gone is one dependence away from it, and each has
/// its share.
fn likelihoods(step: &Transition, impact: &Impact) -> Vec<f64> {
    let starts = impact.hunks.iter().flat_map(|hunk| {
        let share = PASSED / hunk.starts.len().max(1) as f64;
        let starts = hunk.starts.iter().map(move |&start| match hunk.changed.contains(&start.at) {
            true => (start, 1.0),
            false => (start, share),
        });
        starts.chain(hunk.changed.iter().map(|&at| (Start { at, effect: Effect::Value }, 1.0)))
    });
    likelihood(&step.new, starts)
}

/// The statements that are most likely affected, changed ones left out.
fn likely(step: &Transition, impact: &Impact, likelihood: &[f64], count: usize) -> Vec<LikelyPlace> {
    let changed: BTreeSet<StatementId> =
        impact.hunks.iter().flat_map(|hunk| hunk.changed.iter().copied()).collect();
    let all = impact.affected().into_iter().filter(|at| !changed.contains(at)).collect();
    let one =
        |at: StatementId| LikelyPlace { place: place(&step.new, at), likelihood: likelihood[at.0 as usize] };
    ranked(all, likelihood).into_iter().take(count).map(one).collect()
}

/// The likeliest first.
fn ranked(mut all: Vec<StatementId>, likelihood: &[f64]) -> Vec<StatementId> {
    all.sort_by(|a, b| likelihood[b.0 as usize].total_cmp(&likelihood[a.0 as usize]).then(a.cmp(b)));
    all
}

/// What both sides of a merge affect. The merge is made in a folder of ours, so that the repository is only read.
fn branches(context: &Context, ours: &str, theirs: &str) -> Result<Branches> {
    let (ours, theirs) = (step::commit(context, ours)?, step::commit(context, theirs)?);
    let folder = Scratch::new("merge")?;
    merged(folder.path(), &ours.repository, &ours.commit, &theirs.commit).and_then(|tree| {
        let repository = Repository::open(folder.path())?;
        let mine = step::read(&repository, Some(&theirs.tree), &tree)?;
        let other = step::read(&repository, Some(&ours.tree), &tree)?;
        let (first, second) = (Impact::of(&mine), Impact::of(&other));
        let both: BTreeSet<StatementId> =
            first.affected().intersection(&second.affected()).copied().collect();
        let verdict = match (both.is_empty(), first.not_followed.is_empty() && second.not_followed.is_empty())
        {
            (false, _) => "may interfere",
            (true, true) => "cannot interfere",
            (true, false) => "unknown",
        };
        Ok(Branches {
            ours: summary(&first, &mine.new, &likelihoods(&mine, &first)),
            theirs: summary(&second, &other.new, &likelihoods(&other, &second)),
            verdict,
            both: both.iter().map(|&at| place(&mine.new, at)).collect(),
        })
    })
}

/// Git is given so much time, and so much of its output is read.
const LONGEST: Duration = Duration::from_secs(300);
const MESSAGES: usize = 16 << 20;

/// The tree of a merge, made beside the repository: the new folder borrows its objects.
fn merged(folder: &Path, git_dir: &Path, ours: &str, theirs: &str) -> Result<String> {
    let git = |arguments: &[&str]| {
        let command = Command::new("git", folder)
            .args(["-c", "safe.directory=*"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let watch = Watch::new(LONGEST).keeping(Kept::Apart(MESSAGES));
        hydrogen_jail::run(command, &Policy::trusted(Limits::default()), &watch)
            .context("cannot run git, which makes the merge")
    };
    let path = folder.to_string_lossy();
    let made = git(&["init", "-q", "--bare", &path])?;
    if !made.end.success() {
        bail!("git init: {}", String::from_utf8_lossy(&made.errors).trim());
    }
    let objects = hydrogen_history::Objects::new(&Repository::open(git_dir)?).directory();
    let alternates = folder.join("objects/info/alternates");
    std::fs::write(&alternates, format!("{}\n", objects.display()))
        .with_context(|| format!("cannot write {}", alternates.display()))?;
    let result = git(&["-C", &path, "merge-tree", "--write-tree", "--name-only", ours, theirs])?;
    let out = String::from_utf8_lossy(&result.output).into_owned();
    let mut lines = out.lines();
    let tree = lines.next().unwrap_or_default().to_owned();
    match result.end {
        End::Exit(0) => Ok(tree),
        End::Exit(1) => {
            let files: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
            bail!("the branches conflict in {}; merge them first", files.join(", "))
        }
        _ => bail!("git merge-tree: {}", String::from_utf8_lossy(&result.errors).trim()),
    }
}

fn summary(impact: &Impact, dependence: &Dependence, likelihood: &[f64]) -> Side {
    let hunk = |hunk: &HunkImpact| Hunk {
        kind: hunk.kind,
        file: hunk.file.to_string(),
        line: hunk.line,
        function: hunk.function.to_string(),
        statements: hunk.statements,
        affected_statements: hunk.affected.len(),
        affected_functions: functions_of(dependence, &hunk.affected).len(),
    };
    let (affected, called) = (impact.affected(), impact.called());
    // A function is as likely affected as the likeliest of its statements, and is only called more or less often if all of them are.
    let mut best: BTreeMap<(&str, &str), (bool, f64)> = BTreeMap::new();
    for &at in &affected {
        let (unit, function, _) = dependence.place(at);
        let known = best.entry((&unit.module.name, &function.name)).or_insert((true, 0.0));
        *known = (known.0 && called.contains(&at), known.1.max(likelihood[at.0 as usize]));
    }
    let mut functions: Vec<_> = best.into_iter().collect();
    functions
        .sort_by(|(a, one), (b, other)| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)).then(a.cmp(b)));
    let function = |((file, name), (only_called, likelihood)): ((&str, &str), (bool, f64))| Function {
        file: file.to_owned(),
        name: name.to_owned(),
        likelihood,
        only_called,
    };
    let outputs = ranked(outputs_of(dependence, &affected), likelihood);
    Side {
        hunks: impact.hunks.iter().map(hunk).collect(),
        functions: functions.into_iter().map(function).collect(),
        outputs: outputs.into_iter().map(|at| place(dependence, at)).collect(),
        statements: Share { affected: affected.len(), all: dependence.len() },
        not_followed: impact.not_followed.iter().map(ToString::to_string).collect(),
        program: Program {
            functions: dependence.functions().filter(|it| dependence.is_followed(it.2)).count(),
            compiled: None,
        },
    }
}

/// Which dependences began and ceased (B5), by what depends.
fn dependences(step: &Transition) -> Dependences {
    let evolution = &step.evolution;
    let at = |it: Sided| match it {
        Sided::New(at) => SidedPlace { place: place(&step.new, at), old: false },
        Sided::Gone(at) => SidedPlace { place: place(&step.old, at), old: true },
    };
    let list = |pairs: &[Dependency]| -> Vec<Dependent> {
        let one = |run: &[Dependency]| Dependent {
            dependent: at(run[0].dependent),
            on: run.iter().map(|pair| at(pair.on)).collect(),
        };
        pairs.chunk_by(|a, b| a.dependent == b.dependent).map(one).collect()
    };
    Dependences {
        kept: evolution.kept,
        begun: list(&evolution.begun),
        ceased: list(&evolution.ceased),
        counted_only: evolution.unlisted,
    }
}

fn place(dependence: &Dependence, at: StatementId) -> Place {
    let (unit, function, piece) = dependence.place(at);
    let piece = &function.pieces[piece as usize];
    // The entry of a function has no line of its own.
    let line = piece.span.map(|span| span.start.line).or(function.line()).unwrap_or(0);
    Place {
        file: unit.module.name.to_string(),
        line,
        function: function.name.to_string(),
        text: piece.label().to_string(),
    }
}
