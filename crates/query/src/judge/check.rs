//! What a change did to the faults of a program: only statements on changed paths are looked at (F54–F56).

use crate::judge::Question;
use crate::judge::checked::{Checked, Part};
use crate::judge::impacted::Impacted;
use crate::judge::numbers::is_of_sizes;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Finding, Ruling, Standing, Status, Verdict, standing};
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
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
        let checked = self.check_part(check, Part::WHOLE, tell);
        let joined = Checked::join(vec![checked]);
        self.counters.nodes = joined.nodes;
        joined.findings
    }

    /// A part of a check, to be joined with the others.
    pub fn check_part(
        &mut self,
        check: &Check<'_>,
        part: Part,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Checked {
        let Impacted { mut statements, changed, fresh, called, away } = self.impacted(check.old, check.new);
        // First what changed, then what callers do with it, then what unchanged callees get.
        let known = statements.iter().copied().collect();
        let (behind, left, there) = self.behind_calls(&changed, check.new, check.kinds, &known);
        statements.extend(behind);
        let setters: Vec<ChainId> = changed.iter().chain(&fresh).copied().collect();
        let users = self.users_of_variables(&setters, (check.old, check.new));
        let mut called = called;
        for chain in there.into_iter().chain(users) {
            if !called.contains(&chain) {
                called.push(chain);
            }
        }
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
        let own: Vec<ChainId> =
            changed.iter().enumerate().filter(|(at, _)| part.has(*at)).map(|(_, chain)| *chain).collect();
        let by_calls = self.by_calls(check, &own);
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
        let mut turn = 0..;
        order.retain(|_| turn.next().is_some_and(|at| part.has(at)));
        let hands_on = |place: &usize| *place < for_leaks && edges(*place) <= NEAR;
        let mut given: Vec<usize> = order.iter().rev().copied().filter(hands_on).collect();
        for (done, &place) in order.iter().enumerate() {
            let near = edges(place) <= NEAR;
            // What is right behind the change may hand on what it did.
            while !near && let Some(place) = given.pop() {
                let on = self.passed_on(check, statements[place], &findings);
                passed.extend(on.into_iter().map(|finding| (place, finding)));
            }
            tell(done, order.len());
            if self.spent() {
                break;
            }
            let share = if near { 1 } else { FAR };
            self.budget.question = patient.min(QUESTION / share);
            self.set_solver_work(solver.min(SOLVER / share));
            let leaks = Check { kinds: &[Class::Leak], ..*check };
            let check = if place < for_leaks { check } else { &leaks };
            let asked = self.ask_about(check, statements[place], near, &mut visited);
            findings.extend(asked.into_iter().map(|finding| (place, finding)));
        }
        while let Some(place) = given.pop() {
            let on = self.passed_on(check, statements[place], &findings);
            passed.extend(on.into_iter().map(|finding| (place, finding)));
        }
        self.budget.question = patient;
        self.set_solver_work(solver);
        let functions = self.functions.iter().copied().collect();
        Checked { statements, findings, passed, by_calls, visited, functions }
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
        // What was replaced is asked about where it was, with all that took its place; what took its place is not all of that.
        let is_replacement = at == check.new && !self.subject.program.graph.node_in(node, check.old);
        let is_half_seen = |finding: &Finding| is_replacement && finding.status == Some(Status::Fixed);
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
            for finding in found {
                let mut finding = self.stands(check, &question, finding);
                self.doubt_signs(&question, &mut finding);
                findings.extend((!is_half_seen(&finding)).then_some(finding));
            }
        }
        findings
    }

    /// A version that is said to be without a fault of signs, and where a negative number only lost its sign, is not decided.
    fn doubt_signs(&mut self, question: &Question<'_>, finding: &mut Finding) {
        if question.kind != Some(Class::Sign) || !is_told(finding) {
            return;
        }
        let is_without = |ruling: &&mut Ruling| matches!(ruling.verdict, Verdict::Absent | Verdict::Fixed);
        for ruling in finding.verdicts.iter_mut().filter(is_without) {
            let versions = VersionSet::one(VersionId(ruling.id));
            let again = self.judge(&Question { versions: &versions, inside: true, ..*question });
            let mut ledgers = again.iter().flat_map(|finding| &finding.verdicts).map(|one| &one.ledger);
            if ledgers.any(|ledger| ledger.contains(&Entry::LargeSize)) {
                ruling.verdict = Verdict::Unknown;
                ruling.ledger.push(Entry::LargeSize);
            }
        }
        finding.status = Some(status(finding));
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
        let now = VersionSet::one(check.new);
        let can_still_fail = self.raises(&Question { versions: &now, ..*question });
        soften(&mut finding, can_still_fail);
        if finding.status == Some(Status::New)
            && let Some(had) = self.had_elsewhere(check, &finding)
            && let Some(old) = finding.verdicts.iter_mut().find(|ruling| ruling.id == had.id)
        {
            *old = had;
            finding.status = Some(status(&finding));
        }
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

    pub(super) fn raises(&mut self, question: &Question<'_>) -> bool {
        question.versions.iter().any(|version| {
            self.follow(question.node, question.at, version).into_iter().any(|node| {
                let frame = crate::walk::Frame::of(self.subject.program.graph.chain(node));
                let sites = self.sites(&frame, node, version);
                sites.iter().any(|site| site.unsure.is_none() && Some(site.kind) == question.kind)
            })
        })
    }
}

/// A witness that needs memory to hold certain values is no finding of a change by itself. What the change takes away is told all the same
/// where the statement does what it did, and cannot fail any more; that it does something else says nothing of what memory holds.
fn soften(finding: &mut Finding, can_still_fail: bool) {
    if finding.status == Some(Status::Fixed) && can_still_fail {
        return;
    }
    let (is_new, is_fixed) = (finding.status == Some(Status::New), finding.status == Some(Status::Fixed));
    for ruling in finding.verdicts.iter_mut().filter(|ruling| ruling.verdict == Verdict::Present) {
        let tested = ruling.ledger.iter().any(|entry| matches!(entry, Entry::TestedBy { .. }));
        // Members may well be zero; but what does not test for that any more tests for nothing.
        let of_members = ruling.evidence.model.iter().any(|(name, _)| name.contains("->"));
        let weak = ruling.ledger.contains(&Entry::MemoryHoldsAnything) || is_fixed && of_members;
        if (weak || ruling.ledger.contains(&Entry::NullComesIn)) && !tested || weak && is_new {
            ruling.verdict = Verdict::Unknown;
        }
    }
    finding.status = Some(status(finding));
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
