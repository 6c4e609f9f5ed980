//! `hydrogen patch --from A..B --bug WHERE V…`: does the patch apply to, and fix, every release?

use super::alone;
use super::answer::finish;
use super::ask::{Bug, answer, findings};
use super::change::Change;
use super::engine::{Functions, analyst, judge};
use super::patched::{Made, Patch};
use super::place::{Where, add, add_named};
use super::question::Question;
use super::unnamed::{Unnamed, not_compared};
use crate::cli::PatchOptions;
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::{Alone, Applies, Command, Entry};
use hydrogen_evidence::{
    Basis, Counters, Evidence, Finding, HunkRow, PatchTable, PatchedName, Ruling, Verdict,
};
use hydrogen_graph::Fix;
use hydrogen_graph::{Graph, NodeId, VersionId, VersionSet};
use hydrogen_history::config::Config;
use hydrogen_history::version::Version;
use hydrogen_ir::Role;
use hydrogen_patch::{Extent, Hunk, as_predicted};
use std::collections::BTreeMap;

/// A release, its name with the patch in it, and what was made of it.
pub struct Target {
    pub release: Version,
    pub name: String,
    pub made: Made,
}

pub fn run(context: &Context, options: &PatchOptions) -> Result<Outcome> {
    let releases = context.resolve(&options.versions)?;
    let change = Change::among(context, &options.from, &releases)?;
    let [before] = &change.before[..] else {
        bail!("`{}` is a merge; say which change is meant: OLD..NEW", options.from);
    };
    let bug = options.bug.as_deref().map(Where::parse).transpose()?;
    let modeller = context.modeller()?;
    let mut versions = releases.clone();
    add(&mut versions, change.versions());
    if let Some(bug) = &bug {
        add_named(context, &mut versions, bug, Some(before))?;
    }
    let how = hydrogen_series::Options::default();
    let question = Question::build(context, &modeller, versions.clone(), how)?;
    let patch = Patch::read(context, &question, (before, &change.after))?;
    let fix = patch.fix;
    if patch.hunks.is_empty() && question.graph.changed_items(fix.before, fix.after).is_empty() {
        bail!("nothing in the code differs between {} and {}", before.name, change.after.name);
    }
    let config = Config::for_version(&context.trees, &change.after, Some(context.here()))?;
    let mut left = 0;
    let (at, nodes) = match &bug {
        Some(bug) => {
            let at = bug.version(&question.graph, Some(fix.before))?;
            (at, bug.nodes(&question.graph, at)?)
        }
        None => {
            let functions = Functions::new(&modeller, &question, &versions);
            let mut analyst = analyst(context, &question, &functions, &options.how, &config.analysis)?;
            let found = analyst.candidates(fix, options.how.kind, &VersionSet::one(fix.before));
            left = found.left;
            (fix.before, found.findings.iter().map(|finding| NodeId(finding.node)).collect())
        }
    };
    // The folders go when this function ends, also when the user stops the run.
    let folder = tempfile::Builder::new().prefix("hydrogen-patch-").tempdir();
    let folder = folder.context("there is no place for patched releases")?;
    let mut targets = Vec::new();
    for (number, release) in releases.iter().enumerate() {
        let name = format!("{}->{}", change.after.name, release.name);
        let place = folder.path().join(number.to_string());
        let made = patch.make(release, &name, &nodes, &place, None)?;
        targets.push(Target { release: release.clone(), name, made });
    }
    let rows = rows(&patch, &targets);
    let (singles, too_many) = alone::make(&patch, &targets, &nodes, folder.path())?;
    let Patch { hunks, .. } = patch;

    let patched = || targets.iter().chain(singles.iter().map(|single| &single.target));
    let made: Vec<Version> = patched().filter_map(|target| target.made.version.clone()).collect();
    let after = patched()
        .map(|one| (one.name.clone(), vec![one.release.name.clone(), change.after.name.clone()]))
        .collect();
    let notes = question.notes.clone();
    let how = hydrogen_series::Options { base: Some(question.graph), after, ..Default::default() };
    let mut question = Question::build(context, &modeller, made.clone(), how)?;
    question.notes = notes;
    versions.extend(made);
    let functions = Functions::new(&modeller, &question, &versions);
    question.versions = Vec::new();
    let mut asked = Vec::new();
    for Target { release, name, made } in &targets {
        question.versions.push(release.clone());
        let patched = made.version.clone().unwrap_or_else(|| release.clone());
        question.versions.push(Version { name: name.clone(), ..patched });
        asked.extend([&release.name, name].iter().filter_map(|name| question.graph.version(name)));
    }
    asked.extend(singles.iter().filter_map(|single| question.graph.version(&single.target.name)));
    let mut analyst = analyst(context, &question, &functions, &options.how, &config.analysis)?;
    let kind = options.how.kind;
    let mut found = match &bug {
        Some(bug) => {
            let ask = Bug { place: bug, at, kind, fix: Some((fix.before, fix.after)) };
            findings(&question.graph, &ask, &asked, &mut |asked| judge(&mut analyst, asked))?
        }
        None => {
            let set: VersionSet = asked.iter().copied().collect();
            let ask = |&node: &NodeId| {
                let question = hydrogen_query::Question { node, at, kind, versions: &set, inside: false };
                analyst.judge_by_own_fix(&question, fix)
            };
            let found = nodes.iter().filter_map(ask).collect();
            Unnamed { question: &question, fix, kind, versions: &asked }.ordered(found)
        }
    };
    for finding in &mut found {
        for target in patched() {
            settle(&question.graph, fix, &hunks, target, finding);
        }
    }
    let rows = alone::tell(&rows, &targets, &singles, &found);
    let mut answer = answer(Command::Patch, &question, found, Counters::default());
    let name = |one: &Target| PatchedName { release: one.release.name.clone(), patched: one.name.clone() };
    answer.patch = Some(PatchTable { hunks: rows, releases: targets.iter().map(name).collect() });
    if too_many > 0 {
        answer.notes.push(format!(
            "not judged, because there are too many hunks and releases: {too_many} hunks alone"
        ));
    }
    answer.candidates = bug.is_none();
    answer.notes.extend(not_compared(left));
    (answer.counters, answer.partial) = (analyst.counters(), analyst.spent());
    super::tests::write(context, options.how.tests.as_deref(), &functions, &question, &mut answer)?;
    finish(context, &answer, None, &question.versions, options.how.format)
}

/// One row per hunk, and one per file that the patch changes outside functions.
fn rows(patch: &Patch<'_>, targets: &[Target]) -> Vec<HunkRow> {
    let graph = &patch.question.graph;
    let texts = |nodes: &[hydrogen_graph::NodeId]| -> Vec<String> {
        let real = nodes.iter().filter(|node| !matches!(graph.role(**node), Role::Entry | Role::Exit));
        real.map(|&node| graph.label(node)).collect()
    };
    let row = |(at, hunk): (usize, &Hunk)| {
        let version = if hunk.extent == Extent::New { patch.fix.after } else { patch.fix.before };
        HunkRow {
            function: graph.name(hunk.chain, version).to_owned(),
            file: graph.location(hunk.chain, version).0.to_owned(),
            line: hunk.line(graph, patch.fix),
            removes: texts(&hunk.old),
            adds: texts(&hunk.new),
            applies: targets.iter().map(|target| target.made.applies[at]).collect(),
            alone: vec![Alone::NotJudged; targets.len()],
        }
    };
    let mut rows: Vec<HunkRow> = patch.hunks.iter().enumerate().map(row).collect();
    let mut outside: BTreeMap<&str, Vec<Applies>> = BTreeMap::new();
    for (at, target) in targets.iter().enumerate() {
        for (file, &carried) in &target.made.outside {
            let known = outside.entry(file).or_insert_with(|| vec![Applies::No; targets.len()]);
            known[at] = if carried { Applies::Yes } else { Applies::No };
        }
    }
    for (file, applies) in outside {
        let (removes, adds) = (Vec::new(), Vec::new());
        rows.push(HunkRow {
            function: String::new(),
            file: file.to_owned(),
            line: 0,
            removes,
            adds,
            applies,
            alone: vec![Alone::NotJudged; targets.len()],
        });
    }
    rows
}

/// What may be said about a patched release: the engine's verdict only where the patch is in it as a whole, or where it is good enough.
fn settle(graph: &Graph, fix: Fix, hunks: &[Hunk], target: &Target, finding: &mut Finding) {
    let Target { release, name, made } = target;
    let Some(patched) = graph.version(name) else {
        let (verdict, why) = without(target);
        let id = VersionId::at(graph.versions().len()).0;
        let (basis, evidence) = (Basis::Fault, Evidence::default());
        let ruling = Ruling { id, version: name.clone(), verdict, basis, evidence, ledger: vec![why] };
        finding.verdicts.push(ruling);
        return;
    };
    let had: Vec<(Basis, Verdict)> = finding
        .verdicts
        .iter()
        .filter(|ruling| ruling.version == release.name)
        .map(|ruling| (ruling.basis, ruling.verdict))
        .collect();
    let doubts = doubts(graph, fix, hunks, target, patched);
    let partly = partly(target);
    // A patch is no measure of itself: where a path to the fault remains, it does not say that there is none.
    let remains = finding.verdicts.iter().any(|ruling| {
        ruling.version == *name && ruling.basis == Basis::Fault && ruling.verdict == Verdict::Present
    });
    for ruling in finding.verdicts.iter_mut().filter(|ruling| ruling.version == *name) {
        let present =
            |(basis, verdict): &(Basis, Verdict)| *basis == ruling.basis && *verdict == Verdict::Present;
        let unknown = match ruling.verdict {
            _ if !doubts.is_empty() => doubts.clone(),
            Verdict::NotApplicable => {
                vec![Entry::GoneWithPatch]
            }
            Verdict::Present => partly.clone(),
            Verdict::Absent | Verdict::Fixed if remains => vec![Entry::FaultRemains],
            Verdict::Absent | Verdict::Fixed => {
                let fixed = had.iter().any(present);
                ruling.verdict = if fixed { Verdict::Fixed } else { Verdict::Absent };
                Vec::new()
            }
            Verdict::Unknown => Vec::new(),
        };
        if !unknown.is_empty() {
            ruling.verdict = Verdict::Unknown;
            ruling.evidence = Evidence::default();
            ruling.ledger.splice(0..0, unknown);
        } else {
            ruling.ledger.extend(partly.clone());
        }
        if !made.by_statements.is_empty() {
            ruling.ledger.push(Entry::ByStatements);
        }
    }
}

/// Why there is no patched release, as a verdict.
fn without(target: &Target) -> (Verdict, Entry) {
    let Target { made, .. } = target;
    if made.version.is_some() {
        return (Verdict::Unknown, Entry::PatchedUnread);
    }
    if let Some(hunk) = made.lost.first() {
        return (Verdict::Unknown, Entry::HunkWithoutPlace { hunk: hunk + 1 });
    }
    if made.applies.contains(&Applies::Unread) {
        return (Verdict::Unknown, Entry::PartsUnread);
    }
    if made.applies.contains(&Applies::Yes) {
        return (Verdict::NotApplicable, Entry::NoHunkOnTheWay);
    }
    (Verdict::NotApplicable, Entry::PatchNotHere)
}

/// Why a patched release is not what the patch means, so that nothing may be said of it.
fn doubts(graph: &Graph, fix: Fix, hunks: &[Hunk], target: &Target, patched: VersionId) -> Vec<Entry> {
    let Target { release, made, .. } = target;
    let Some(id) = graph.version(&release.name) else { return Vec::new() };
    let known = &graph.versions()[id.index()].missing;
    let gaps = graph.versions()[patched.index()].missing.iter();
    let new = gaps.filter(|gap| !known.iter().any(|old| old.file == gap.file));
    let mut doubts: Vec<Entry> =
        new.map(|gap| Entry::PatchBreaksBuild { message: gap.message.clone() }).collect();
    if doubts.is_empty() {
        let carried: Vec<&Hunk> = hunks
            .iter()
            .enumerate()
            .filter(|(at, _)| made.applies[*at] == Applies::Yes && !made.lost.contains(at))
            .map(|(_, hunk)| hunk)
            .collect();
        let by_statements =
            |name: &String| made.by_statements.iter().any(|&at| graph.name(hunks[at].chain, patched) == name);
        let wrong = as_predicted(graph, fix, id, patched, &carried);
        let wrong = wrong.into_iter().filter(by_statements);
        doubts.extend(wrong.map(|function| Entry::NotAsPredicted { function }));
    }
    doubts
}

/// What of the patch is not in the release although it may belong there.
fn partly(target: &Target) -> Vec<Entry> {
    let lost = target.made.lost.iter().map(|hunk| Entry::HunkWithoutPlace { hunk: hunk + 1 });
    let outside = target.made.outside.iter().filter(|(_, carried)| !**carried);
    let outside = outside.map(|(file, _)| Entry::OutsideNotCarried { file: file.clone() });
    lost.chain(outside).collect()
}
