//! What a change did to the faults of a program: only statements on changed paths are looked at (F54–F56).

use crate::judge::Question;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Finding, Status, Verdict};
use hydrogen_graph::{ChainId, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::Role;
use std::collections::BTreeSet;

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

impl Analyst<'_> {
    /// The faults on changed paths that one of the two versions certainly has, and those that only may be there, in the order of the program.
    /// `tell` hears of every statement before it is looked at: how many are done, how many there are.
    pub fn check(&mut self, check: &Check<'_>, tell: &mut dyn FnMut(usize, usize)) -> Vec<Finding> {
        let both = VersionSet::one(check.old).union(&VersionSet::one(check.new));
        let Impacted { mut statements, changed, called } = self.impacted(check.old, check.new);
        // First what changed, then what callers do with it, then what unchanged callees get.
        let known = statements.iter().copied().collect();
        let (behind, left) = self.behind_calls(&changed, check.new, check.kinds, &known);
        statements.extend(behind);
        let known = statements.iter().copied().collect();
        let (within, more) = self.within_callees(&called, check.new, check.kinds, &known);
        statements.extend(within);
        self.left_out += left + more;
        let watching = Asking { watched: Some(check.new), strict: check.strict, ..self.asking };
        // Many small questions: none may hold up the others.
        let (patient, solver) = (self.budget.question, self.budget.solver);
        self.budget.question = patient.min(QUESTION);
        self.set_solver_work(solver.min(SOLVER));
        let mut findings = Vec::new();
        let mut visited: BTreeSet<NodeId> = BTreeSet::new();
        for (done, &(node, at)) in statements.iter().enumerate() {
            tell(done, statements.len());
            if self.spent() {
                break;
            }
            for &kind in check.kinds {
                let question = Question { node, at, kind: Some(kind), versions: &both, inside: false };
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
                let found =
                    self.with(Asking { cached, remember: cached, ..watching }, |one| one.judge(&question));
                visited.extend(self.run.visited.iter().copied());
                for mut finding in found {
                    self.run_in_both(&mut finding);
                    finding.status = Some(status(&finding));
                    self.soften(&mut finding);
                    if finding.status == Some(Status::New) && at == check.old {
                        self.show_in(&mut finding, &question, check.new);
                    }
                    findings.push(finding);
                }
            }
        }
        self.budget.question = patient;
        self.set_solver_work(solver);
        self.counters.nodes = visited.len();
        findings
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
            if new_one && ruling.ledger.contains(&Entry::MemoryHoldsAnything)
                || ruling.ledger.contains(&Entry::NullComesIn)
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
            let behind = graph.reach(starts.iter().copied(), new, true);
            for &node in &behind {
                found.insert((node, new));
            }
            if then {
                let gone = graph
                    .chain_nodes(chain)
                    .iter()
                    .filter(|&&node| graph.node_in(node, old) && !graph.node_in(node, new));
                found.extend(gone.map(|&node| (node, old)));
            }
            for &node in &behind {
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
        Impacted { statements: found.into_iter().filter(real).collect(), changed, called: reached }
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
}

/// How a finding of two versions stands.
fn status(finding: &Finding) -> Status {
    let settled: Vec<Verdict> = finding.settled().into_iter().map(|(_, verdict)| verdict).collect();
    match settled[..] {
        [Verdict::Present, Verdict::Present] => Status::Unchanged,
        [Verdict::Unknown, _] | [_, Verdict::Unknown] => Status::Open,
        [Verdict::Present, _] => Status::Fixed,
        [_, Verdict::Present] => Status::New,
        _ => Status::Unchanged,
    }
}
