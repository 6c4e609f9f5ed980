//! What a change did, by calls of the changed functions alone: where one version fails on a call that the other one takes without harm, no
//! condition has to be solved to tell it. What such a call needs is weighed as for any other witness (see `between`).

use crate::judge::Question;
use crate::judge::check::{Check, is_told};
use crate::judge::incoming::leads_twice;
use crate::judge::numbers::is_of_sizes;
use crate::replay::{Shared, Tried};
use crate::run::Asking;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{
    Basis, Class, Entry, Evidence, Finding, Input, Replay, Ruling, Spot, Value, Verdict,
};
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;

/// The part of a check's time that calls may take.
const PART: u32 = 6;

/// Functions that lead to a changed one and are called as well.
const MOST_ABOVE: usize = 4;

impl Analyst<'_> {
    /// The faults that calls of changed functions show in one of the versions alone.
    pub(super) fn by_calls(&mut self, check: &Check<'_>, changed: &[ChainId]) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        // What a static function does wrong comes out where others call it.
        let mut all = changed.to_vec();
        for &chain in changed {
            let above = self.roots_above(chain, check.new).into_iter().take(MOST_ABOVE);
            let above: Vec<ChainId> = above.filter(|chain| !all.contains(chain)).collect();
            all.extend(above);
        }
        for chain in all {
            if self.is_stopped() || self.started.elapsed() > self.budget.time / PART {
                break;
            }
            let Some(shared) = self.shared(check, chain) else { continue };
            let tried = self.confirm.as_ref().map_or(Vec::new(), |confirm| confirm.tried(&shared));
            for one in tried.iter().filter(|one| check.kinds.contains(&one.kind)) {
                let found = self.shown_by_call(check, one);
                let is_new = |one: &Finding| !findings.iter().any(|other| is_one_fault(other, one));
                findings.extend(found.filter(is_new));
            }
        }
        findings
    }

    /// A function as both versions have it under one name.
    fn shared(&self, check: &Check<'_>, chain: ChainId) -> Option<Shared> {
        let graph = self.subject.program.graph;
        let place = |version| (version, graph.location(chain, version).0.to_owned());
        let function = graph.name(chain, check.old).to_owned();
        // A program is started by the system, never with a count that its arguments do not have.
        let same = function != "main" && function == graph.name(chain, check.new);
        same.then(|| Shared { function, places: [place(check.old), place(check.new)] })
    }

    /// A call as a finding, if the change can be told by it.
    fn shown_by_call(&mut self, check: &Check<'_>, tried: &Tried) -> Option<Finding> {
        let path: Vec<NodeId> = tried
            .stack
            .iter()
            .filter_map(|(function, line)| self.statement_on(function, *line, tried))
            .collect();
        let node = *path.last().filter(|_| path.len() == tried.stack.len())?;
        let frame = Frame::of(self.subject.program.graph.chain(node));
        let sites = self.sites(&frame, node, tried.version);
        let message =
            sites.into_iter().find(|site| site.kind == tried.kind && site.unsure.is_none())?.message;
        let both = VersionSet::one(check.old).union(&VersionSet::one(check.new));
        let graph = self.subject.program.graph;
        let version_name = |version: VersionId| graph.versions()[version.index()].name.clone();
        let nothing = |version: VersionId| Ruling {
            id: version.0,
            version: version_name(version),
            verdict: Verdict::Unknown,
            basis: Basis::Fault,
            evidence: Evidence::default(),
            ledger: Vec::new(),
        };
        let mut finding = Finding {
            kind: tried.kind,
            message,
            location: self.spot(node, tried.version),
            at_version: version_name(tried.version),
            node: node.0,
            status: None,
            verdicts: both.iter().map(nothing).collect(),
        };
        let spots = path.iter().map(|&node| self.spot(node, tried.version)).collect();
        let (verdict, evidence, ledger) = self.weighed(tried, spots);
        let fails = finding.verdicts.iter_mut().find(|ruling| ruling.id == tried.version.0)?;
        (fails.verdict, fails.evidence, fails.ledger) = (verdict, evidence, ledger);
        let other = if tried.version == check.old { check.new } else { check.old };
        // Of null pointers it is known which one the other version tests for.
        if tried.kind != Class::Null && self.also_fails(node, tried, other) {
            return None;
        }
        let question =
            Question { node, at: tried.version, kind: Some(tried.kind), versions: &both, inside: false };
        let finding = self.stands(check, &question, finding);
        let needs_caller = |ruling: &Ruling| {
            let needs = |entry: &Entry| matches!(entry, Entry::ForSomeCaller { .. });
            ruling.ledger.iter().any(needs)
        };
        // That no caller passes such a thing can be known.
        let is_excluded = |one: &mut Self| {
            let one_version = VersionSet::one(tried.version);
            let question = Question { versions: &one_version, ..question };
            let asking = Asking { sizes: is_of_sizes(Some(tried.kind)), ..check.asking(one.asking) };
            let found = one.with(asking, |one| one.judge(&question));
            found.iter().all(|finding| is_absent(finding, tried.version.0))
        };
        let is_possible = !(finding.verdicts.iter().any(needs_caller) && is_excluded(self));
        // What the new version alone does is at least a question.
        let is_asked = is_told(&finding) || tried.version == check.new;
        (is_possible && is_asked).then_some(finding)
    }

    /// Whether what stands for the statement in the other version fails in the same way, on another call: then the change took nothing away.
    fn also_fails(&mut self, node: NodeId, tried: &Tried, other: VersionId) -> bool {
        let graph = self.subject.program.graph;
        self.follow(node, tried.version, other).into_iter().any(|node| {
            let (function, lines) = (graph.name(graph.chain(node), other), self.lines(node, other));
            let is_there = |(name, line): &(String, u32)| name == function && lines.contains(line);
            tried.elsewhere.iter().any(is_there)
        })
    }

    /// The statement on a line of a function: one that can fail so where there are several, and one that begins there before one that has
    /// code there.
    fn statement_on(&mut self, function: &str, line: u32, tried: &Tried) -> Option<NodeId> {
        let graph = self.subject.program.graph;
        let mut best: Option<((bool, bool), NodeId)> = None;
        let chains = graph.chains_named(function).into_iter();
        for chain in chains.filter(|&chain| graph.chain_in(chain, tried.version)) {
            for node in graph.pieces(chain, tried.version) {
                if matches!(graph.role(node), Role::Entry | Role::Exit)
                    || !self.lines(node, tried.version).contains(&line)
                {
                    continue;
                }
                let sites = self.sites(&Frame::of(chain), node, tried.version);
                let can_fail = sites.iter().any(|site| site.kind == tried.kind);
                let fits = (can_fail, graph.line(node, tried.version) == Some(line));
                if best.is_none_or(|(most, _)| fits > most) {
                    best = Some((fits, node));
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// What a call shows of its own version, by what it needs: nothing but numbers, or something that somebody must bring in.
    fn weighed(&mut self, tried: &Tried, path: Vec<Spot>) -> (Verdict, Evidence, Vec<Entry>) {
        let nulls = nulls(&tried.input);
        let call = tried.input.call.as_ref();
        // Texts and rooms for numbers are what anybody may pass.
        let holds =
            call.is_some_and(|call| !(tried.plain || call.objects.is_empty()) || !call.globals.is_empty());
        let mut ledger = vec![Entry::AnyInput];
        if tried.kind == Class::Null && !nulls.is_empty() {
            ledger.push(Entry::NullComesIn);
        }
        if holds {
            ledger.push(Entry::MemoryHoldsAnything);
        }
        if leads_twice(&tried.input) {
            ledger.push(Entry::AliasComesIn);
        }
        let called = call.map_or("", |call| call.function.as_str());
        let graph = self.subject.program.graph;
        let chains = graph.chains_named(called).into_iter();
        let mut chains = chains.filter(|&chain| graph.chain_in(chain, tried.version));
        if !chains.any(|chain| self.is_root(chain, tried.version)) {
            ledger.push(Entry::ForSomeCaller { function: called.to_owned() });
        }
        let needs: Vec<String> = ledger[1..].iter().map(Entry::to_string).collect();
        let is_free = needs.is_empty() && nulls.is_empty();
        let replay = match is_free {
            true => Replay::Confirmed,
            false => Replay::ConfirmedIf { needs: needs.join(" and ") },
        };
        ledger.sort();
        let model = nulls.into_iter().map(|name| (name, "NULL".to_owned())).collect();
        let (input, replay) = (Some(tried.input.clone()), Some(replay));
        let verdict = if is_free { Verdict::Present } else { Verdict::Unknown };
        (verdict, Evidence { path, model, input, replay, ..Evidence::default() }, ledger)
    }
}

/// What is null in a call, by name.
fn nulls(input: &Input) -> Vec<String> {
    let Some(call) = &input.call else { return Vec::new() };
    let arguments = call.arguments.iter().map(|argument| (&argument.name, &argument.value));
    let objects = call.objects.iter().flat_map(|object| &object.cells);
    let globals = call.globals.iter().flat_map(|global| &global.cells);
    let cells = objects.chain(globals).map(|cell| (&cell.path, &cell.value));
    let nulls = arguments.chain(cells).filter(|(_, value)| **value == Value::Null);
    nulls.map(|(name, _)| name.clone()).collect()
}

/// Whether a version was shown to be without the fault.
fn is_absent(finding: &Finding, version: u32) -> bool {
    let mut rulings = finding.verdicts.iter().filter(|ruling| ruling.id == version);
    rulings.all(|ruling| !matches!(ruling.verdict, Verdict::Present | Verdict::Unknown))
}

/// Whether two findings tell of one fault: of one kind, and at one statement of a version that has it.
fn is_one_fault(one: &Finding, other: &Finding) -> bool {
    let ends = |finding: &Finding| -> Vec<(u32, String, u32)> {
        let present = finding.verdicts.iter().filter(|ruling| ruling.verdict == Verdict::Present);
        let ends = present.filter_map(|ruling| Some((ruling.id, ruling.evidence.path.last()?)));
        ends.map(|(version, spot)| (version, spot.file.clone(), spot.line)).collect()
    };
    one.kind == other.kind
        && (one.node == other.node || ends(one).iter().any(|end| ends(other).contains(end)))
}

/// Whether a version that fails on a call was said to be without the fault, or nothing was said of it.
fn contradicts_open(other: &Finding, called: &Finding) -> bool {
    let failed = called.verdicts.iter().filter(|ruling| ruling.evidence.input.is_some());
    failed.into_iter().all(|ruling| is_absent(other, ruling.id))
}

/// All findings with those of calls. What conditions decided stands: that it is told already, that the version cannot fail so, or that the
/// other one fails, too. What calls decide is not open any more.
pub(super) fn with_called(
    mut findings: Vec<(usize, Finding)>,
    called: Vec<(usize, Finding)>,
) -> Vec<(usize, Finding)> {
    for (place, finding) in called {
        let contradicts = |other: &Finding| {
            finding.verdicts.iter().any(|ruling| match ruling.verdict {
                Verdict::Present => is_absent(other, ruling.id),
                _ => other.verdicts.iter().any(|one| one.id == ruling.id && one.verdict == Verdict::Present),
            })
        };
        let same = |other: &Finding| is_one_fault(other, &finding);
        if !is_told(&finding) {
            let is_known = |other: &Finding| {
                other.kind == finding.kind && other.node == finding.node && !contradicts_open(other, &finding)
            };
            if !findings.iter().any(|(_, other)| is_known(other)) {
                findings.push((place, finding));
            }
            continue;
        }
        if findings.iter().any(|(_, other)| same(other) && (is_told(other) || contradicts(other))) {
            continue;
        }
        findings.retain(|(_, other)| !same(other));
        findings.push((place, finding));
    }
    findings
}
