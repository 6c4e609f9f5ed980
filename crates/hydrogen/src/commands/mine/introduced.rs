//! `hydrogen mine introduced --test CMD`.

use super::days;
use super::overlap::overlap;
use crate::cli::TableFormat;
use crate::commands::{Outcome, step};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::mined::{self, Asked, Introduction, Life, Point, Validation};
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::trial::{self, Trial};
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Introduced, Said, bisect};
use hydrogen_report::mined as report;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub struct Options {
    pub test: String,
    pub build: Option<String>,
    pub bad: Option<String>,
    pub good: Option<String>,
    pub fix: Option<String>,
    pub repeat: NonZeroUsize,
    pub timeout: Duration,
}

/// Asks the user's test about commits.
struct Tester<'a> {
    options: &'a Options,
    checkouts: Checkouts,
    objects: Objects,
    stop: Arc<AtomicBool>,
    said: BTreeMap<String, Said>,
}

pub fn run(context: &Context, options: &Options, format: TableFormat) -> Result<Outcome> {
    let fix = options.fix.as_deref().map(|name| step::commit(context, name)).transpose()?;
    let tip = match (&options.bad, &fix) {
        (Some(bad), _) => step::commit(context, bad)?,
        (None, Some(fix)) => {
            let repository = context.trees.repository(&fix.repository)?;
            let Some(parent) = fix.parents.first() else { bail!("the fix has no parent that could be bad") };
            Objects::new(&repository).commit(parent)?
        }
        (None, None) => step::commit(context, "HEAD")?,
    };
    let repository = context.trees.repository(&tip.repository)?;
    let good = options.good.as_deref().map(|name| step::commit(context, name)).transpose()?;
    let mut tester = Tester {
        options,
        checkouts: context.checkouts()?,
        objects: Objects::new(&repository),
        stop: context.cancel_flag(),
        said: BTreeMap::new(),
    };
    match tester.ask(&tip.commit)? {
        Said::Bad => {}
        said => bail!("the test must fail in {}, and it {}", &tip.commit[..10], sentence(&said)),
    }
    let Some(parents) = candidates(&mut tester, &tip, good.as_ref())? else {
        let reason = "no version was found in which the test passes; --good names one".to_owned();
        let found = mined::Introduced::Unknown { commit: None, reason };
        return finish(context, &Introduction { found, asked: Vec::new(), life: None }, format);
    };
    let (found, asked) = bisect(&parents, &tip.commit, |commit| tester.ask(commit))?;
    let asked = asked.into_iter().map(|(commit, said)| Asked { commit, said: sentence(&said) }).collect();
    let mut life = None;
    let found = match found {
        Introduced::By(commit) => {
            let info = tester.objects.commit(&commit)?;
            if let Some(fix) = &fix {
                life = Some(validate(&mut tester, &repository, &info, fix)?);
            }
            let date = info.date();
            mined::Introduced::By { commit: info.commit, date, author: info.author, summary: info.summary }
        }
        Introduced::OneOf(commits) => {
            let commits = commits.into_iter().collect();
            mined::Introduced::OneOf { commits, reason: "the others cannot be tested".to_owned() }
        }
        Introduced::Flaky(commit, bad, all) => {
            let reason = format!("the test is flaky there: {bad} of {all} runs fail");
            mined::Introduced::Unknown { commit: Some(commit), reason }
        }
    };
    finish(context, &Introduction { found, asked, life }, format)
}

/// The commit between a good and a bad one that broke a test; nothing where it cannot be told.
pub fn introducing(context: &Context, test: &str, good: &str, bad: &str) -> Result<Option<CommitInfo>> {
    let (good, bad) = (step::commit(context, good)?, step::commit(context, bad)?);
    let repository = context.trees.repository(&bad.repository)?;
    let options = Options {
        test: test.to_owned(),
        build: None,
        bad: None,
        good: None,
        fix: None,
        repeat: NonZeroUsize::MIN,
        timeout: Duration::from_secs(300),
    };
    let mut tester = Tester {
        options: &options,
        checkouts: context.checkouts()?,
        objects: Objects::new(&repository),
        stop: context.cancel_flag(),
        said: BTreeMap::new(),
    };
    if tester.ask(&bad.commit)? != Said::Bad {
        bail!("the test must fail in {}", &bad.commit[..10]);
    }
    let Some(parents) = candidates(&mut tester, &bad, Some(&good))? else { return Ok(None) };
    match bisect(&parents, &bad.commit, |commit| tester.ask(commit))?.0 {
        Introduced::By(commit) => Ok(Some(tester.objects.commit(&commit)?)),
        Introduced::OneOf(_) | Introduced::Flaky(..) => Ok(None),
    }
}

fn finish(context: &Context, answer: &Introduction, format: TableFormat) -> Result<Outcome> {
    context.output(&match format {
        TableFormat::Json => report::json("mine-introduced/1", answer),
        TableFormat::Text => report::introduction(answer),
    })?;
    Ok(match answer.found {
        mined::Introduced::By { .. } => Outcome::Done,
        _ => Outcome::Undecided,
    })
}

/// The commits that may have introduced the error, with their parents: from the bad one back to a good one. Without a good one,
/// the history is searched in growing steps.
fn candidates(
    tester: &mut Tester<'_>,
    bad: &CommitInfo,
    good: Option<&CommitInfo>,
) -> Result<Option<BTreeMap<String, Vec<String>>>> {
    let all = tester.objects.newest(&bad.commit, usize::MAX)?;
    let mut parents: BTreeMap<String, Vec<String>> =
        all.iter().map(|info| (info.commit.clone(), info.parents.clone())).collect();
    let good = match good {
        Some(good) => {
            if !parents.contains_key(&good.commit) {
                bail!("{} is no ancestor of {}", &good.commit[..10], &bad.commit[..10]);
            }
            match tester.ask(&good.commit)? {
                Said::Good => Some(good.commit.clone()),
                said => bail!("the test must pass in {}, and it {}", &good.commit[..10], sentence(&said)),
            }
        }
        None => search_good(tester, &all)?,
    };
    let Some(good) = good else {
        // The very first commit may have it.
        let root = all.iter().rfind(|info| info.parents.is_empty());
        let from_the_start = match root {
            Some(root) => tester.ask(&root.commit)? == Said::Bad,
            None => false,
        };
        return Ok(from_the_start.then_some(parents));
    };
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut waiting = vec![good];
    while let Some(commit) = waiting.pop() {
        if let Some(before) = parents.get(&commit).filter(|_| known.insert(commit)) {
            waiting.extend(before.iter().cloned());
        }
    }
    parents.retain(|commit, _| !known.contains(commit));
    Ok(Some(parents))
}

/// A commit in which the test passes, in steps of 1, 2, 4, … back along the first parents.
fn search_good(tester: &mut Tester<'_>, all: &[CommitInfo]) -> Result<Option<String>> {
    let by_name: BTreeMap<&str, &CommitInfo> = all.iter().map(|info| (info.commit.as_str(), info)).collect();
    let mut line = Vec::new();
    let mut at = all.first();
    while let Some(info) = at {
        line.push(info.commit.as_str());
        at = info.parents.first().and_then(|parent| by_name.get(parent.as_str()).copied());
    }
    let mut distance = 1;
    while !line.is_empty() {
        let place = distance.min(line.len() - 1);
        if tester.ask(line[place])? == Said::Good {
            return Ok(Some(line[place].to_owned()));
        }
        if place == line.len() - 1 {
            break;
        }
        distance *= 2;
    }
    Ok(None)
}

/// Four points (G4): passes before the introducing commit, fails at it, fails before the fix, passes at it.
fn validate(
    tester: &mut Tester<'_>,
    repository: &Repository,
    introduced: &CommitInfo,
    fix: &CommitInfo,
) -> Result<Life> {
    let mut points = Vec::new();
    let wanted = [
        ("before introducing", introduced.parents.first(), Said::Good),
        ("introducing", Some(&introduced.commit), Said::Bad),
        ("before the fix", fix.parents.first(), Said::Bad),
        ("the fix", Some(&fix.commit), Said::Good),
    ];
    let mut valid = true;
    for (point, commit, expected) in wanted {
        let Some(commit) = commit else {
            points.push(Point { point, commit: None, said: "does not exist".to_owned(), as_expected: None });
            continue;
        };
        let said = tester.ask(commit)?;
        valid &= said == expected;
        let as_expected = Some(said == expected);
        points.push(Point { point, commit: Some(commit.clone()), said: sentence(&said), as_expected });
    }
    let overlap = overlap(repository, introduced, fix)?;
    Ok(Life {
        validation: Validation { points, valid },
        life_span_days: days(
            tester.objects.committed(&introduced.commit)?,
            tester.objects.committed(&fix.commit)?,
        ),
        overlap: mined::Overlap {
            statements_replaced_by_fix: overlap.replaced,
            of_these_written_by_introducing: overlap.written,
            blame_would_find_it: overlap.written > 0,
        },
    })
}

impl Tester<'_> {
    /// What the test says about a commit, in as many runs as asked for; each in a checkout without anything of the last one.
    fn ask(&mut self, commit: &str) -> Result<Said> {
        if let Some(said) = self.said.get(commit) {
            return Ok(said.clone());
        }
        let source = Source::Commit(self.objects.commit(commit)?);
        let version = Version { name: commit[..10].to_owned(), source };
        let mut bad = 0;
        let runs = self.options.repeat.get();
        let mut said = None;
        for _ in 0..runs {
            match self.once(&version)? {
                Trial::Pass => {}
                Trial::Fail => bad += 1,
                Trial::Skip(reason) => {
                    said = Some(Said::Skip(reason));
                    break;
                }
                Trial::Broken(reason) if reason == "interrupted" => {
                    return Err(hydrogen_model::Error::Interrupted.into());
                }
                Trial::Broken(reason) => bail!("{}: {reason}", version.name),
            }
        }
        let said = said.unwrap_or(match bad {
            0 => Said::Good,
            bad if bad == runs => Said::Bad,
            bad => Said::Flaky(bad, runs),
        });
        tracing::info!("{}: the test {}", version.name, sentence(&said));
        self.said.insert(commit.to_owned(), said.clone());
        Ok(said)
    }

    fn once(&self, version: &Version) -> Result<Trial> {
        let checkout = self.checkouts.lease(version)?;
        let run = |command: &str| trial::run(&checkout, command, self.options.timeout, &self.stop);
        match self.options.build.as_deref().map(run) {
            Some(Trial::Fail) => return Ok(Trial::Skip("it does not build".into())),
            Some(Trial::Pass) | None => {}
            Some(other) => return Ok(other),
        }
        Ok(run(&self.options.test))
    }
}

fn sentence(said: &Said) -> String {
    match said {
        Said::Good => "passes".into(),
        Said::Bad => "fails".into(),
        Said::Skip(reason) => format!("is skipped: {reason}"),
        Said::Flaky(bad, all) => format!("is flaky: {bad} of {all} runs fail"),
    }
}
