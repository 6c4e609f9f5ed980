//! `hydrogen impact --bug WHERE V…`: which releases have the fault?

use super::answer::finish;
use super::ask::{Bug, Judge, answer, findings};
use super::change::Change;
use super::engine::{Functions, analyst, judge};
use super::place::{Where, add, add_named};
use super::question::Question;
use super::unnamed::Unnamed;
use crate::cli::ImpactOptions;
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::{Answer, Class, Command, Counters};
use hydrogen_graph::Fix;
use hydrogen_graph::VersionId;
use hydrogen_history::config::Config;
use hydrogen_history::version::{Source, Version, ancestors, nearest};
use hydrogen_report::verdicts::{Comparison, compare};
use std::collections::BTreeSet;

pub fn run(context: &Context, options: &ImpactOptions) -> Result<Outcome> {
    let (releases, apart) = in_order(context.resolve(&options.versions)?);
    let fix = options.fix.as_deref().map(|fix| Change::among(context, fix, &releases)).transpose()?;
    let bug = options.bug.as_deref().map(Where::parse).transpose()?;
    if bug.is_none() && fix.is_none() {
        bail!(
            "which bug? name its statement with --bug FILE:LINE@VERSION, or a change that fixes it with --fix A..B"
        );
    }
    let modeller = context.modeller()?;
    let mut versions = releases.clone();
    if let Some(fix) = &fix {
        add(&mut versions, fix.versions());
    }
    if let Some(bug) = &bug {
        add_named(context, &mut versions, bug, fix.as_ref().map(|fix| &fix.before[0]))?;
    }
    let how = hydrogen_series::Options::default();
    let mut question = Question::build(context, &modeller, versions.clone(), how)?;
    question.versions = releases;
    let functions = Functions::new(&modeller, &question, &versions);
    let settings = match question.versions.last() {
        Some(last) => Config::for_version(&context.trees, last, Some(context.here()))?.analysis,
        None => hydrogen_history::config::Analysis::default(),
    };
    let mut analyst = analyst(context, &question, &functions, &options.how, &settings)?;
    let fix = fix
        .map(|fix| -> Result<_> { Ok((question.id(&fix.before[0])?, question.id(&fix.after)?)) })
        .transpose()?;
    let documented = options.documented.clone();
    let kind = options.how.kind;
    let (mut answer, comparison) = match (bug, fix) {
        (None, Some(fix)) => {
            let list = documented.as_deref().map(|list| checked(&question, list)).transpose()?;
            let versions = ids(&question);
            let fix = Fix { before: fix.0, after: fix.1 };
            let ask = Unnamed { question: &question, fix, kind, versions: &versions };
            let answer = ask.answer(Command::Impact, &mut analyst);
            let comparison = list.map(|list| compare(&answer, &list));
            (answer, comparison)
        }
        (None, None) => unreachable!("refused above"),
        (Some(bug), fix) => {
            let ask = Impact { question: &question, bug, kind, fix, documented };
            impact(&ask, &mut |asked| judge(&mut analyst, asked))?
        }
    };
    answer.apart = apart;
    (answer.counters, answer.partial) = (analyst.counters(), analyst.spent());
    super::tests::write(context, options.how.tests.as_deref(), &functions, &question, &mut answer)?;
    finish(context, &answer, comparison.as_ref(), &question.versions, options.how.format)
}

/// Versions so that none stands before one that it was made from, else as they were given; and those that were not made from the one before
/// them.
fn in_order(versions: Vec<Version>) -> (Vec<Version>, Vec<String>) {
    let count = versions.len();
    let mut made_from: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let mut note = |before: Vec<Vec<usize>>, place: &dyn Fn(usize) -> usize| {
        for (at, from) in before.into_iter().enumerate() {
            made_from[place(at)].extend(from.into_iter().map(place));
        }
    };
    note(ancestors(&versions), &|at| at);
    let turned: Vec<Version> = versions.iter().rev().cloned().collect();
    note(ancestors(&turned), &|at| count - 1 - at);
    let mut order: Vec<usize> = Vec::new();
    while let Some(next) = (0..count).find(|at| {
        !order.contains(at) && made_from[*at].iter().all(|from| order.contains(from) || from == at)
    }) {
        order.push(next);
    }
    // What git says of versions does not go round; if it did, they would stay as they are.
    order.extend((0..count).filter(|at| !order.contains(at)).collect::<Vec<_>>());
    let mut all_before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for &at in &order {
        let from: Vec<usize> = made_from[at].iter().copied().collect();
        for one in from {
            let further = all_before[one].clone();
            all_before[at].extend(further);
            all_before[at].insert(one);
        }
    }
    let is_apart = |pair: &[usize]| {
        let of_git = |at: usize| matches!(versions[at].source, Source::Commit(_));
        of_git(pair[0]) && of_git(pair[1]) && !all_before[pair[1]].contains(&pair[0])
    };
    let apart =
        order.windows(2).filter(|pair| is_apart(pair)).map(|pair| versions[pair[1]].name.clone()).collect();
    (order.into_iter().map(|at| versions[at].clone()).collect(), apart)
}

/// What was asked.
pub struct Impact<'a> {
    pub question: &'a Question,
    pub bug: Where,
    pub kind: Option<Class>,
    pub fix: Option<(VersionId, VersionId)>,
    /// What an advisory says.
    pub documented: Option<Vec<String>>,
}

/// The release matrix, and how it compares with the advisory.
pub fn impact(ask: &Impact<'_>, judge: &mut Judge<'_>) -> Result<(Answer, Option<Comparison>)> {
    let graph = &ask.question.graph;
    let documented = ask.documented.as_deref().map(|list| checked(ask.question, list)).transpose()?;
    let at = ask.bug.version(graph, ask.fix.map(|(before, _)| before))?;
    let bug = Bug { place: &ask.bug, at, kind: ask.kind, fix: ask.fix };
    let found = findings(graph, &bug, &ids(ask.question), judge)?;
    let answer = answer(Command::Impact, ask.question, found, Counters::default());
    let comparison = documented.map(|list| compare(&answer, &list));
    Ok((answer, comparison))
}

/// The versions asked about that could be read.
fn ids(question: &Question) -> Vec<VersionId> {
    question.versions.iter().filter_map(|version| question.graph.version(&version.name)).collect()
}

/// The documented versions, all of which must have been asked about: a name that is mistyped would count as a difference.
fn checked(question: &Question, list: &[String]) -> Result<Vec<String>> {
    let names: Vec<String> = question.versions.iter().map(|version| version.name.clone()).collect();
    let list: Vec<String> =
        list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    if let Some(name) = list.iter().find(|name| !names.contains(name)) {
        let near = nearest(name, &names);
        let hint = if near.is_empty() {
            "add it to the versions".into()
        } else {
            format!("is it {}?", near.join(" or "))
        };
        bail!("--documented: `{name}` is none of the versions asked about; {hint}");
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verdicts::ask::tests::{judge, question};
    use hydrogen_evidence::Verdict;
    use hydrogen_report::verdicts::Agreement;

    fn ask(bug: &str, documented: &[&str]) -> Result<(Answer, Option<Comparison>)> {
        let question = question();
        let documented = Some(documented.iter().map(|name| (*name).to_owned()).collect());
        let bug = Where::parse(bug).unwrap();
        let ask = Impact { question: &question, bug, kind: None, fix: None, documented };
        impact(&ask, &mut judge([Verdict::Present, Verdict::Fixed]))
    }

    #[test]
    fn the_advisory_is_compared() {
        let (answer, comparison) = ask("src/main.c:4@v1", &["v2", "v3 "]).unwrap();
        assert_eq!(answer.versions, ["v1", "v2", "v3"]);
        let comparison = comparison.unwrap();
        assert_eq!(comparison.versions(Agreement::Undocumented), ["v1"]);
        assert_eq!(comparison.versions(Agreement::NotFound), ["v2"]);
        assert_eq!(comparison.versions(Agreement::Undecided), ["v3"]);
    }

    #[test]
    fn bad_input_is_told() {
        let error = |bug, documented: &[&str]| ask(bug, documented).unwrap_err().to_string();
        assert_eq!(
            error("src/main.c:4@v1", &["1"]),
            "--documented: `1` is none of the versions asked about; is it v1?"
        );
        assert_eq!(
            error("src/main.c:4", &[]),
            "say of which version src/main.c:4 is a line: src/main.c:4@VERSION"
        );
    }
}
