//! `hydrogen check A..B`.

use super::answer::finish;
use super::change::Change;
use super::engine::{Functions, Setting};
use super::parts::in_parts;
use super::question::Question;
use super::suppress::suppress;
use super::uncompiled::uncompiled;
use crate::cli::{CheckOptions, StrategyName};
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::{Answer, Class, Command, Finding, Spot, Standing, Status, Verdict, standing};
use hydrogen_graph::VersionId;
use hydrogen_history::config::Config;
use hydrogen_query::{Check, Strategy};
use hydrogen_rules::{Rule, judge};
use std::collections::BTreeSet;
use std::time::Instant;

pub fn run(context: &Context, options: &CheckOptions) -> Result<Outcome> {
    let start = Instant::now();
    let change = Change::read(context, &options.what)?;
    let config = Config::for_version(&context.trees, &change.after, Some(context.here()))?;
    let rules = rules(&options.rules, &config)?;
    if rules.is_empty() && options.only_rules {
        bail!("there is nothing to check: give --rule 'A => B', or write rules into hydrogen.toml");
    }
    let modeller = context.modeller()?;
    let how = hydrogen_series::Options { pointers: options.pointers, ..hydrogen_series::Options::default() };
    let question = Question::build(context, &modeller, change.versions(), how)?;
    let before: Vec<VersionId> =
        change.before.iter().map(|version| question.id(version)).collect::<Result<_>>()?;
    let after = question.id(&change.after)?;
    let versions = question.versions.iter().map(|version| version.name.clone()).collect();
    let mut answer = Answer { notes: question.notes.clone(), ..Answer::new(Command::Check, versions) };
    by_rules(&question, &rules, &before, after, &mut answer);
    if !options.only_rules {
        let functions = Functions::new(&modeller, &question, &question.versions);
        let setting = Setting::new(context, &question, &functions, &options.how, &config.analysis)?;
        by_faults(context, options, &setting, &before, after, &mut answer)?;
        let left =
            change.before.iter().flat_map(|old| uncompiled(context, &functions, old, (&change.after, after)));
        let left: BTreeSet<String> = left.collect();
        if !left.is_empty() {
            answer.notes.push(format!(
                "changed, but not compiled by this build, so that nothing is said of it: {}",
                left.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        super::tests::write(context, options.how.tests.as_deref(), &functions, &question, &mut answer)?;
    }
    // What could not be read was not checked.
    let gaps = |version: &VersionId| !question.graph.versions()[version.index()].missing.is_empty();
    answer.unread = before.iter().chain([&after]).any(gaps);
    suppress(&mut answer, &config.analysis.suppress);
    answer.counters.milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    finish(context, &answer, None, &question.versions, options.how.format)
}

/// The rules given, and those of the configuration.
fn rules(given: &[String], config: &Config) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = given.iter().map(|text| Rule::parse(text)).collect::<Result<_, _>>()?;
    for text in &config.rules.order {
        let rule = Rule::parse(text).context("hydrogen.toml, [rules] order")?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Ok(rules)
}

/// Adds what the rules find between the versions.
fn by_rules(
    question: &Question,
    rules: &[Rule],
    before: &[VersionId],
    after: VersionId,
    answer: &mut Answer,
) {
    let asked: Vec<VersionId> = before.iter().copied().chain([after]).collect();
    let (olds, new) = (numbers(before), after.0);
    let mut still_open = 0;
    for rule in rules {
        let ruled = judge(&question.graph, rule, &asked);
        answer.counters.raised += ruled.counters.raised;
        answer.counters.nodes += ruled.counters.nodes;
        answer.counters.functions += ruled.counters.functions;
        answer.notes.extend(ruled.notes);
        for mut finding in ruled.findings {
            match standing(&finding, &olds, new) {
                Standing::Clean => {}
                Standing::StillOpen => still_open += 1,
                Standing::Tell(status) => {
                    finding.status = Some(status);
                    answer.findings.push(finding);
                }
            }
        }
    }
    if still_open > 0 {
        answer.notes.push(format!(
            "what could not be decided before the change and cannot after it is left out: {still_open}"
        ));
    }
    let new = |finding: &&hydrogen_evidence::Finding| finding.status == Some(hydrogen_evidence::Status::New);
    answer.counters.findings = answer.findings.iter().filter(new).count();
}

fn numbers(versions: &[VersionId]) -> Vec<u32> {
    versions.iter().map(|version| version.0).collect()
}

/// Whether two findings tell of one fault: the same happens on the same path of the version that has it. A statement that was split
/// into several is judged once for each of them.
fn is_the_same(one: &Finding, other: &Finding) -> bool {
    let path = |finding: &Finding| -> Option<(String, Vec<Spot>)> {
        let ruling = finding.verdicts.iter().find(|ruling| ruling.verdict == Verdict::Present)?;
        Some((ruling.version.clone(), ruling.evidence.path.clone())).filter(|(_, path)| !path.is_empty())
    };
    let alike = one.kind == other.kind && one.status == other.status && one.message == other.message;
    alike && path(one).is_some_and(|path_of_one| Some(path_of_one) == path(other))
}

/// Adds the faults on changed paths.
fn by_faults(
    context: &Context,
    options: &CheckOptions,
    setting: &Setting<'_>,
    before: &[VersionId],
    after: VersionId,
    answer: &mut Answer,
) -> Result<()> {
    let usual = Class::FAULTS.into_iter().filter(|kind| options.strict || !kind.is_pedantic());
    let kinds: Vec<Class> = options.how.kind.map_or(usual.collect(), |kind| vec![kind]);
    let strategy = match options.strategy {
        StrategyName::Demand => Strategy::Demand,
        StrategyName::Cached => Strategy::Cached,
    };
    let check = |old: VersionId| Check { old, new: after, kinds: &kinds, strategy, strict: options.strict };
    let checks: Vec<Check<'_>> = before.iter().map(|&old| check(old)).collect();
    let done = in_parts(context, setting, &checks)?;
    let rules = std::mem::replace(&mut answer.counters, done.counters);
    for (check, joined) in checks.iter().zip(done.joined) {
        answer.counters.nodes += joined.nodes;
        answer.counters.functions += joined.functions;
        for mut finding in joined.findings {
            match standing(&finding, &[check.old.0], after.0) {
                Standing::Tell(Status::Open) | Standing::StillOpen => answer.undecided += 1,
                Standing::Clean => {}
                Standing::Tell(status) => {
                    finding.status = Some(status);
                    if !answer.findings.iter().any(|told| is_the_same(told, &finding)) {
                        answer.findings.push(finding);
                    }
                }
            }
        }
    }
    if done.left_out > 0 {
        tracing::info!(
            "statements behind calls of changed functions that were not looked at: {}",
            done.left_out
        );
    }
    answer.counters.raised += rules.raised;
    answer.counters.nodes += rules.nodes;
    answer.counters.functions += rules.functions;
    let new = |finding: &&hydrogen_evidence::Finding| finding.status == Some(Status::New);
    answer.counters.findings = answer.findings.iter().filter(new).count();
    answer.partial |= done.spent;
    Ok(())
}
