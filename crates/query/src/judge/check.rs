//! What a change did to the faults of a program: only statements on changed paths are looked at (F54–F56).

use crate::judge::Question;
use crate::judge::away::distances;
use crate::judge::by_calls::with_called;
use crate::judge::numbers::is_of_sizes;
use crate::judge::passed_on::with_passed_on;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Finding, Standing, Status, Verdict, standing};
use hydrogen_graph::{ChainId, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::Role;
use std::collections::{BTreeMap, BTreeSet};

/// How statements on changed paths are checked. All give the same verdicts; they differ in what they visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Backward from each statement that can fail, as far as needed.
    Demand,
    /// As `Demand`, going only through code whose effect on the same condition is not known from the older version.
    Cached,
}

/// What one of the questions of a check may cost, and one call of the solver.
const QUESTION: u64 = 4_000_000;
const SOLVER: u64 = 1_000_000;

/// Which part of that a statement further from the change than [`NEAR`] may cost: there are many of them, and the change decides at few.
const FAR: u64 = 4;

/// How many edges behind a change its own statements and those that it guards are.
const NEAR: usize = 2;

/// A change to check.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// The older version.
    pub old: VersionId,
    /// The newer version.
    pub new: VersionId,
    /// The kinds looked for.
    pub kinds: &'a [Class],
    /// How.
    pub strategy: Strategy,
    /// Whether a signed number that is negative or loses bits in a shift to the left is a fault. C says so, every compiler computes it, and
    /// much code relies on it.
    pub strict: bool,
}

impl Check<'_> {
    /// How code is taken for it.
    pub(super) fn asking(&self, before: Asking) -> Asking {
        Asking { watched: Some(self.new), strict: self.strict, ..before }
    }
}

impl Analyst<'_> {
    /// The faults on changed paths that one of the two versions certainly has, and those that only may be there, in the order of the program.
    /// `tell` hears of every statement before it is looked at: how many are done, how many there are.
    pub fn check(&mut self, check: &Check<'_>, tell: &mut dyn FnMut(usize, usize)) -> Vec<Finding> {
        let Impacted { mut statements, changed, called, away } = self.impacted(check.old, check.new);
        // First what changed, then what callers do with it, then what unchanged callees get.
        let known = statements.iter().copied().collect();
        let (behind, left) = self.behind_calls(&changed, check.new, check.kinds, &known);
        statements.extend(behind);
        let known = statements.iter().copied().collect();
        let (within, more) = self.within_callees(&called, check.new, check.kinds, &known);
        statements.extend(within);
        self.left_out += left + more;
        let known = statements.iter().copied().collect();
        let made = match check.kinds.contains(&Class::Leak) {
            true => self.made_before(&changed, check.new, &away, &known),
            false => Vec::new(),
        };
        let for_leaks = statements.len();
        statements.extend(made);
        // Many small questions: none may hold up the others.
        let (patient, solver) = (self.budget.question, self.budget.solver);
        self.budget.question = patient.min(QUESTION);
        self.set_solver_work(solver.min(SOLVER));
        // First of all the changed functions are called: that takes the least time.
        let by_calls = self.by_calls(check, &changed);
        let (mut findings, mut passed) = (Vec::new(), Vec::new());
        let mut visited: BTreeSet<NodeId> = BTreeSet::new();
        // The nearest to the change come first, whenever the end comes; they are told in the order of the program.
        let edges = |place: usize| match place < for_leaks {
            true => away.get(&statements[place].0).copied().unwrap_or(usize::MAX),
            // What becomes of their memory is decided where the change is.
            false => NEAR,
        };
        let mut order: Vec<usize> = (0..statements.len()).collect();
        order.sort_by_key(|&place| edges(place));
        let hands_on = |place: &usize| *place < for_leaks && edges(*place) <= NEAR;
        let mut given: Vec<usize> = order.iter().rev().copied().filter(hands_on).collect();
        for (done, &place) in order.iter().enumerate() {
            let near = edges(place) <= NEAR;
            // What is right behind the change may hand on what it did.
            while !near && let Some(place) = given.pop() {
                let on = self.passed_on(check, statements[place], &findings);
                passed.extend(on.into_iter().map(|finding| (place, finding)));
            }
            tell(done, statements.len());
            if self.spent() {
                break;
            }
            let part = if near { 1 } else { FAR };
            self.budget.question = patient.min(QUESTION / part);
            self.set_solver_work(solver.min(SOLVER / part));
            let leaks = Check { kinds: &[Class::Leak], ..*check };
            let check = if place < for_leaks { check } else { &leaks };
            let asked = self.ask_about(check, statements[place], near, &mut visited);
            findings.extend(asked.into_iter().map(|finding| (place, finding)));
        }
        while let Some(place) = given.pop() {
            let on = self.passed_on(check, statements[place], &findings);
            passed.extend(on.into_iter().map(|finding| (place, finding)));
        }
        findings = with_passed_on(findings, passed);
        let place = |finding: &Finding| {
            let is_there = |(node, _): &(NodeId, VersionId)| node.0 == finding.node;
            statements.iter().position(is_there).unwrap_or(statements.len())
        };
        findings = with_called(findings, by_calls.into_iter().map(|one| (place(&one), one)).collect());
        self.budget.question = patient;
        self.set_solver_work(solver);
        self.counters.nodes = visited.len();
        findings.sort_by_key(|(place, _)| *place);
        findings.into_iter().map(|(_, finding)| finding).collect()
    }

    /// The findings about one statement. Where the way in is too long and the statement is near to the change, the program is run.
    fn ask_about(
        &mut self,
        check: &Check<'_>,
        (node, at): (NodeId, VersionId),
        near: bool,
        visited: &mut BTreeSet<NodeId>,
    ) -> Vec<Finding> {
        let both = VersionSet::one(check.old).union(&VersionSet::one(check.new));
        let watching = check.asking(self.asking);
        let mut findings = Vec::new();
        for &kind in check.kinds {
            let question = Question { node, at, kind: Some(kind), versions: &both, inside: false };
            let moved = kind == Class::Pointer;
            let watching = Asking { sizes: is_of_sizes(Some(kind)), moved, ..watching };
            if !self.with(watching, |one| one.raises(&question)) {
                continue;
            }
            let cached = check.strategy == Strategy::Cached;
            if cached && at == check.new {
                // What the older version's conditions went through is known.
                let older = VersionSet::one(check.old);
                let question = Question { versions: &older, ..question };
                self.with(Asking { cached, ..watching }, |one| one.judge(&question));
            }
            let asking = Asking { cached, remember: cached, near, ..watching };
            let found = self.with(asking, |one| one.judge(&question));
            visited.extend(self.run.visited.iter().copied());
            findings.extend(found.into_iter().map(|finding| self.stands(check, &question, finding)));
        }
        findings
    }

    /// A finding with how it stands between the two versions, told where it is.
    pub(super) fn stands(
        &mut self,
        check: &Check<'_>,
        question: &Question<'_>,
        mut finding: Finding,
    ) -> Finding {
        self.run_in_both(question, &mut finding);
        finding.status = Some(status(&finding));
        self.soften(&mut finding);
        if finding.status == Some(Status::New) && question.at == check.old {
            self.show_in(&mut finding, question, check.new);
        }
        finding
    }

    /// Tells a finding about a replaced statement at the statement that took its place, where the fault is.
    fn show_in(&mut self, finding: &mut Finding, question: &Question<'_>, new: VersionId) {
        let present = finding.verdicts.iter().find(|ruling| ruling.verdict == Verdict::Present);
        let end = present.and_then(|ruling| ruling.evidence.path.last().cloned());
        let instead = self.follow(question.node, question.at, new);
        let graph = self.subject.program.graph;
        let is_end = |node: &&NodeId| end.as_ref().is_some_and(|end| end.text == graph.label(**node));
        let Some(&node) = instead.iter().find(is_end).or(instead.first()) else { return };
        finding.location = self.spot(node, new);
        finding.at_version = graph.versions()[new.index()].name.clone();
        finding.node = node.0;
    }

    /// How many statements that a change reaches through calls alone the checks so far did not look at.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether the budget for all questions is used up, or the user wants an end.
    pub fn spent(&self) -> bool {
        self.is_stopped() || self.started.elapsed() > self.budget.time
    }

    /// A witness that needs memory to hold certain values is no finding of a change by itself.
    fn soften(&mut self, finding: &mut Finding) {
        // What the change takes away is told, however much it needs.
        if finding.status == Some(Status::Fixed) {
            return;
        }
        let new_one = finding.status == Some(Status::New);
        for ruling in finding.verdicts.iter_mut().filter(|ruling| ruling.verdict == Verdict::Present) {
            let tested = ruling.ledger.iter().any(|entry| matches!(entry, Entry::TestedBy { .. }));
            if new_one && ruling.ledger.contains(&Entry::MemoryHoldsAnything)
                || ruling.ledger.contains(&Entry::NullComesIn) && !tested
            {
                ruling.verdict = Verdict::Unknown;
            }
        }
        finding.status = Some(status(finding));
    }

    fn raises(&mut self, question: &Question<'_>) -> bool {
        question.versions.iter().any(|version| {
            self.follow(question.node, question.at, version).into_iter().any(|node| {
                let frame = crate::walk::Frame::of(self.subject.program.graph.chain(node));
                let sites = self.sites(&frame, node, version);
                sites.iter().any(|site| !site.unsure && Some(site.kind) == question.kind)
            })
        })
    }

    /// The statements that a change can matter to: on a changed path of the newer version, behind the change; those that only the
    /// older version has; and those of functions that changed statements call.
    fn impacted(&self, old: VersionId, new: VersionId) -> Impacted {
        let graph = self.subject.program.graph;
        let mut found: BTreeSet<(NodeId, VersionId)> = BTreeSet::new();
        let (mut called, mut reached): (BTreeSet<ChainId>, BTreeSet<ChainId>) = Default::default();
        let mut changed: Vec<ChainId> = Vec::new();
        let mut away: BTreeMap<NodeId, usize> = BTreeMap::new();
        for chain in graph.chains() {
            let (then, now) = (graph.chain_in(chain, old), graph.chain_in(chain, new));
            if !now {
                continue;
            }
            let payload = |node: NodeId| {
                graph.node_in(node, old)
                    && graph.node_in(node, new)
                    && graph.payload(node, old) != graph.payload(node, new)
            };
            let starts: Vec<NodeId> = if then {
                let edges = graph.new_edges(chain, new, old);
                let ends = edges.iter().map(|&edge| graph.ends(edge).1);
                ends.chain(graph.chain_nodes(chain).iter().copied().filter(|&node| payload(node))).collect()
            } else {
                graph.entry(chain).into_iter().collect()
            };
            if then && !starts.is_empty() {
                changed.push(chain);
            }
            let behind = distances(graph, starts.iter().copied(), new);
            for (&node, &edges) in &behind {
                found.insert((node, new));
                away.insert(node, edges);
            }
            if then {
                let gone = graph
                    .chain_nodes(chain)
                    .iter()
                    .filter(|&&node| graph.node_in(node, old) && !graph.node_in(node, new));
                for &node in gone {
                    found.insert((node, old));
                    away.insert(node, 0);
                }
            }
            for &node in behind.keys() {
                let fresh = !graph.node_in(node, old) || payload(node);
                for target in graph.targets(node, new) {
                    if let Target::Chain(callee) = target {
                        if fresh {
                            called.insert(callee)
                        } else {
                            reached.insert(callee)
                        };
                    }
                }
            }
        }
        let unchanged = reached.difference(&called).filter(|&chain| graph.chain_in(*chain, old));
        let reached = unchanged.filter(|&chain| !changed.contains(chain)).copied().collect();
        for chain in called {
            found.extend(graph.pieces(chain, new).into_iter().map(|node| (node, new)));
        }
        // A statement that both have is asked about once.
        let real = |(node, _): &(NodeId, VersionId)| !matches!(graph.role(*node), Role::Entry | Role::Exit);
        Impacted { statements: found.into_iter().filter(real).collect(), changed, called: reached, away }
    }
}

/// What a change can matter to.
struct Impacted {
    /// Statements, each with the version that it is asked about in.
    statements: Vec<(NodeId, VersionId)>,
    /// The functions that both versions have and that changed.
    changed: Vec<ChainId>,
    /// The functions that did not change and are called behind the change, so that a changed value may come in.
    called: Vec<ChainId>,
    /// How many edges away from the change a statement is.
    away: BTreeMap<NodeId, usize>,
}

/// Whether a finding is told as the change's doing.
pub(super) fn is_told(finding: &Finding) -> bool {
    matches!(finding.status, Some(Status::New | Status::Fixed))
}

/// How a finding of two versions stands.
fn status(finding: &Finding) -> Status {
    let [old, new] = &finding.verdicts[..] else { return Status::Unchanged };
    match standing(finding, &[old.id], new.id) {
        Standing::Tell(status) => status,
        Standing::StillOpen => Status::Open,
        Standing::Clean if old.verdict == Verdict::Unknown => Status::Open,
        Standing::Clean => Status::Unchanged,
    }
}
