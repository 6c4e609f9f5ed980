//! The proof itself: relations at pairs of cuts, weakened until they are inductive.

use crate::{
    Obstacle,
    align::Alignment,
    blur::Blur,
    code::Var,
    context::{Context, Side},
    relation::{Atom, Places, Relation, Spilled},
    segment::{End, Runner, Segment, Target},
    start::Start,
    state::State,
};
use hydrogen_term::{Answer, Engine, Evaluator, Limits, Pool, Solver, Sort, Term};
use rustc_hash::FxHashSet;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

/// Rounds of weakening; each drops at least one claim.
const MOST_ROUNDS: usize = 60;

/// Time for one claim of a relation: one that takes longer is given up.
const CLAIM: Duration = Duration::from_millis(700);

/// Both versions and what decides about them.
pub(crate) struct Prover<'p, 'c, 'm> {
    pub context: &'p mut Context,
    pub engine: &'p mut Engine<Box<dyn Solver + Send>>,
    pub old: Runner<'c, 'm>,
    pub new: Runner<'c, 'm>,
    /// Inputs on which the old version faults are left out.
    pub assume_defined: bool,
    pub deadline: Instant,
    /// Whether floating-point arithmetic is looked into where its form does not decide.
    pub exact: bool,
    pub blur: Blur,
    /// The same with comparisons and commutative operations, for questions that are looked into.
    pub sharper: Blur,
    /// Whether both fault in the same way. If that does not hold, it is enough that both do: it stands in the ledger.
    pub kinds_of_faults: bool,
    /// Nothing may be given up or added: a certificate is checked.
    pub strict: bool,
    /// Claims that are no use to most proofs are given up where the form of the terms does not show them.
    pub by_form: bool,
    /// Relations have sums of products.
    pub by_algebra: bool,
    /// Recursive calls give what the old version's body gives.
    pub unfolds: bool,
    /// Whether the old version's recursion is known to end, once that was asked.
    pub ends: Option<bool>,
    /// The parameter that it makes smaller, and whether it never faults.
    pub measured: Option<u32>,
    pub faultless: bool,
    /// Obligations that the solver, not the form of the terms, decided.
    pub asked: usize,
    pub obligations: usize,
    /// The values of variables where the runs first come to a loop, as terms of the input.
    pub first: BTreeMap<(Side, Var), Term>,
}

/// Why a proof attempt failed.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// A state in which something required does not hold.
    Refuted(String),
    /// Neither held nor refuted.
    Undecided(String),
}

/// A step from a pair of places: where both arrive.
struct Step<'s> {
    old: &'s End,
    new: &'s End,
    premises: Vec<Term>,
}

impl<'p, 'c, 'm> Prover<'p, 'c, 'm> {
    /// A prover that gives up what does not follow, and does not look into floating-point arithmetic.
    pub fn new(
        context: &'p mut Context,
        engine: &'p mut Engine<Box<dyn Solver + Send>>,
        old: Runner<'c, 'm>,
        new: Runner<'c, 'm>,
        deadline: Instant,
    ) -> Self {
        Self {
            context,
            engine,
            kinds_of_faults: old.loops == crate::segment::Loops::Cut,
            old,
            new,
            assume_defined: false,
            deadline,
            exact: false,
            blur: Blur::default(),
            sharper: Blur::keeping(crate::blur::Kept::Comparisons),
            strict: false,
            by_form: false,
            by_algebra: false,
            unfolds: false,
            ends: None,
            measured: None,
            faultless: false,
            asked: 0,
            obligations: 0,
            first: BTreeMap::new(),
        }
    }
}

impl Prover<'_, '_, '_> {
    /// Weakens the relations until they are inductive and then asks whether equal outcomes follow.
    pub fn attempt(
        &mut self,
        alignment: &Alignment,
        relations: &mut BTreeMap<Places, Relation>,
    ) -> Result<Result<(), Failure>, Obstacle> {
        self.first = self.first_values()?;
        for _ in 0..MOST_ROUNDS {
            if Instant::now() > self.deadline {
                return Ok(Err(Failure::Undecided("the time is over".to_owned())));
            }
            match self.round(alignment, relations)? {
                Round::Stable => return self.required(alignment, relations),
                Round::Weaker if self.strict => {
                    return Ok(Err(Failure::Undecided("a claim of the relation does not follow".to_owned())));
                }
                Round::Weaker => {}
            }
        }
        Ok(Err(Failure::Undecided("the relation between the loops did not settle".to_owned())))
    }

    fn round(
        &mut self,
        alignment: &Alignment,
        relations: &mut BTreeMap<Places, Relation>,
    ) -> Result<Round, Obstacle> {
        let mut changed = false;
        let all: Vec<Places> = relations.keys().copied().collect();
        for places in all {
            let start = self.start(places, &relations[&places]);
            let (leader, followers) = self.segments(alignment, places, &start)?;
            for (lead, follower) in leader.ends.iter().zip(&followers) {
                for end in partners(lead, follower) {
                    let (old, new) = sorted(alignment.lead, lead, end);
                    let to = (old.target, new.target);
                    let Some(relation) = relations.get(&to) else { continue };
                    let atoms = relation.atoms();
                    let premises = self.premises(&start, &leader, follower, lead, end);
                    let step = Step { old, new, premises };
                    let failed = self.failing(&step, &atoms);
                    if !failed.is_empty() {
                        changed = true;
                        let relation = relations.get_mut(&to).expect("it was there");
                        failed.iter().for_each(|atom| relation.drop(atom));
                    }
                }
            }
        }
        Ok(if changed { Round::Weaker } else { Round::Stable })
    }

    /// The claims that do not hold where both have arrived.
    pub fn unfounded(&mut self, premises: &[Term], (old, new): (&End, &End), atoms: &[Atom]) -> Vec<Atom> {
        self.failing(&Step { old, new, premises: premises.to_vec() }, atoms)
    }

    /// The claims that do not follow.
    fn failing(&mut self, step: &Step, atoms: &[Atom]) -> Vec<Atom> {
        let mut open: Vec<(Atom, Term)> = Vec::new();
        for atom in atoms {
            let truth = match self.truth(atom, step.old, step.new) {
                Some(truth) if self.exact => truth,
                // A model of blurred questions speaks of blurred claims.
                Some(truth) => self.blur.blurred(&mut self.context.pool, truth),
                None => self.context.pool.bool(false),
            };
            open.push((atom.clone(), truth));
        }
        open.retain(|(_, truth)| !self.is_plain(*truth));
        let mut failed = Vec::new();
        // Products are no matter for a solver.
        let (sums, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(atom, _)| matches!(atom, Atom::Sum(_)));
        open = others;
        for (atom, truth) in sums {
            if !crate::algebra::follows(&mut self.context.pool, &step.premises, truth) {
                failed.push(atom);
            }
        }
        if self.by_form {
            // A condition that was on the way here needs no solver.
            let known: FxHashSet<Term> =
                step.premises.iter().flat_map(|&one| conjuncts(&self.context.pool, one)).collect();
            open.retain(|(_, truth)| !known.contains(truth));
            let (given_up, asked) = open.into_iter().partition(|(atom, _)| !matches!(atom, Atom::Form(..)));
            failed.extend(Vec::into_iter(given_up).map(|(atom, _)| atom));
            open = asked;
        }
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { time: limits.time.min(CLAIM), ..limits });
        // Of unknown functions a model may say too little to judge by: one by one.
        let (recurrent, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(atom, _)| matches!(atom, Atom::Recurrent(_)));
        open = others;
        for (atom, truth) in recurrent {
            if !matches!(self.holds(&step.premises, truth), Answer::Unsat) {
                failed.push(atom);
            }
        }
        while !open.is_empty() {
            let goal = self.context.pool.and_all(open.iter().map(|(_, truth)| *truth));
            match self.holds(&step.premises, goal) {
                Answer::Unsat => break,
                Answer::Sat(model) => {
                    let mut evaluator = Evaluator::new(&self.context.pool, &model);
                    let before = open.len();
                    open.retain(|(atom, truth)| {
                        let kept = evaluator.holds(*truth);
                        if !kept {
                            failed.push(atom.clone());
                        }
                        kept
                    });
                    if open.len() == before {
                        failed.extend(open.drain(..).map(|(atom, _)| atom));
                    }
                }
                Answer::Unknown(_) => {
                    // One by one, what the solver cannot show is given up.
                    let mut kept = Vec::new();
                    for (atom, truth) in open {
                        match self.holds(&step.premises, truth) {
                            Answer::Unsat => kept.push((atom, truth)),
                            _ => failed.push(atom),
                        }
                    }
                    break;
                }
            }
        }
        self.engine.set_limits(limits);
        failed
    }

    /// Whether a claim holds at the end of a step.
    fn truth(&mut self, atom: &Atom, old: &End, new: &End) -> Option<Term> {
        match atom {
            Atom::Form(var, form) => {
                let value = crate::variables::number(&new.state, *var)?;
                let width = self.context.pool.width(value);
                let wanted = form.value(self.context, &old.state, width)?;
                Some(self.context.pool.eq(value, wanted))
            }
            Atom::Fact(fact) => fact.truth(self.context, &old.state, &new.state),
            Atom::Spilled(one) => one.truth(self.context, &old.state, &new.state),
            Atom::Sum(sum) => {
                let value = sum.value(self.context, &old.state, &new.state)?;
                let zero = self.context.pool.bits(sum.width, 0);
                Some(self.context.pool.eq(value, zero))
            }
            Atom::Recurrent(one) => self.recurrent_truth(one, &new.state),
            Atom::Kept(side, var) => {
                let state = if *side == Side::Old { &old.state } else { &new.state };
                let value = crate::variables::number(state, *var)?;
                let first = *self.first.get(&(*side, *var))?;
                (self.context.pool.sort(value) == self.context.pool.sort(first))
                    .then(|| self.context.pool.eq(value, first))
            }
            Atom::Object(address) => {
                let (a, bytes) = object(&self.old, &old.state, *address)?;
                let (b, _) = object(&self.new, &new.state, *address)?;
                Some(self.same_bytes(a, b, Some((*address, bytes))))
            }
        }
    }

    /// Requires that two memories are equal: first write by write, where they were written in the same places, then byte by byte.
    pub fn require_memory(
        &mut self,
        premises: &[Term],
        (a, b): (Term, Term),
        spilled: &BTreeSet<Spilled>,
        words: &str,
    ) -> Result<(), Failure> {
        if a == b {
            return Ok(());
        }
        if let Some(pairs) = crate::written::pairs(&self.context.pool, a, b) {
            let pool = &mut self.context.pool;
            let goals: Vec<Term> = pairs.into_iter().map(|(one, other)| pool.eq(one, other)).collect();
            if goals.into_iter().all(|goal| matches!(self.holds(premises, goal), Answer::Unsat)) {
                return Ok(());
            }
        }
        let same = self.same_but(a, b, spilled);
        self.require(premises, same, words)
    }

    /// Whether two memories are equal, everywhere or inside of an object.
    pub fn same_bytes(&mut self, a: Term, b: Term, inside: Option<(u64, u64)>) -> Term {
        let pool = &mut self.context.pool;
        if a == b {
            return pool.bool(true);
        }
        let at = pool.fresh("at", Sort::Bits(64));
        let (left, right) = (pool.select(a, at), pool.select(b, at));
        let same = pool.eq(left, right);
        match inside {
            None => same,
            Some((address, bytes)) => {
                let address = pool.bits(64, u128::from(address));
                let offset = pool.sub(at, address);
                let size = pool.bits(64, u128::from(bytes));
                let outside = pool.uge(offset, size);
                pool.or(outside, same)
            }
        }
    }

    /// Whether two memories are equal but for variables that one version keeps elsewhere.
    pub fn same_but(&mut self, a: Term, b: Term, spilled: &BTreeSet<Spilled>) -> Term {
        if a == b {
            return self.context.pool.bool(true);
        }
        let pool = &mut self.context.pool;
        let at = pool.fresh("at", Sort::Bits(64));
        let (left, right) = (pool.select(a, at), pool.select(b, at));
        let mut same = pool.eq(left, right);
        for one in spilled {
            let address = one.cell.address(self.context);
            let pool = &mut self.context.pool;
            let (offset, size) = (pool.sub(at, address), pool.bits(64, u128::from(one.bytes)));
            let inside = pool.ult(offset, size);
            same = pool.or(same, inside);
        }
        same
    }

    /// Whether the form of a claim shows that it holds.
    fn is_plain(&self, goal: Term) -> bool {
        let pool = &self.context.pool;
        if pool.op(goal) != hydrogen_term::Op::Eq {
            return pool.as_bool(goal) == Some(true);
        }
        let (left, right) = (pool.args(goal)[0], pool.args(goal)[1]);
        matches!(pool.sort(left), Sort::Bits(_)) && pool.same_polynomial(left, right)
    }

    fn holds(&mut self, premises: &[Term], goal: Term) -> Answer {
        self.obligations += 1;
        if self.is_plain(goal) {
            return Answer::Unsat;
        }
        if self.by_algebra && crate::algebra::follows(&mut self.context.pool, premises, goal) {
            return Answer::Unsat;
        }
        let denied = self.context.pool.not(goal);
        let mut all: Vec<Term> = premises.to_vec();
        all.push(denied);
        if all.iter().any(|&one| self.context.pool.as_bool(one) == Some(false)) {
            return Answer::Unsat;
        }
        let unfolded = self.unfolded(&all);
        all.extend(unfolded);
        let axioms = self.context.calls.congruence(&mut self.context.pool, &all);
        all.extend(axioms);
        let (blurred, has_floats) = self.blur.all(&mut self.context.pool, &all);
        let answer = self.ask(&blurred);
        if matches!(answer, Answer::Unsat) || !has_floats || !self.exact {
            return answer;
        }
        let (sharper, is_blurred) = self.sharper.all(&mut self.context.pool, &all);
        match self.ask(&sharper) {
            Answer::Sat(_) | Answer::Unknown(_) if is_blurred => self.ask(&all),
            answer => answer,
        }
    }

    fn ask(&mut self, constraints: &[Term]) -> Answer {
        if constraints.iter().any(|&one| self.context.pool.as_bool(one) == Some(false)) {
            return Answer::Unsat;
        }
        let before = self.engine.counters().solver_calls;
        let answer = self.engine.check(&mut self.context.pool, constraints);
        self.asked += usize::from(self.engine.counters().solver_calls > before);
        answer
    }

    pub fn require(&mut self, premises: &[Term], goal: Term, words: &str) -> Result<(), Failure> {
        match self.holds(premises, goal) {
            Answer::Unsat => Ok(()),
            Answer::Sat(_) => Err(Failure::Refuted(words.to_owned())),
            Answer::Unknown(reason) => Err(Failure::Undecided(format!("{words}: {reason}"))),
        }
    }

    /// Everything that is known when both have arrived.
    pub fn premises(
        &mut self,
        start: &Start,
        leader: &Segment,
        follower: &Segment,
        lead: &End,
        end: &End,
    ) -> Vec<Term> {
        let mut all = start.premises.clone();
        all.extend(leader.assumptions.iter().chain(&follower.assumptions).copied());
        all.extend([lead.guard, end.guard]);
        all.retain(|&one| self.context.pool.as_bool(one) != Some(true));
        all
    }
    /// The leader's step, and for each of its ends the follower's steps.
    pub fn segments(
        &mut self,
        alignment: &Alignment,
        places: Places,
        start: &Start,
    ) -> Result<(Segment, Vec<Segment>), Obstacle> {
        let (lead, follow) = match alignment.lead {
            Side::Old => ((&self.old, places.0, &start.old), (&self.new, places.1, &start.new)),
            Side::New => ((&self.new, places.1, &start.new), (&self.old, places.0, &start.old)),
        };
        let leader = lead.0.advance(self.context, lead.1, lead.2.clone(), alignment.stride)?;
        let mut by_steps: BTreeMap<usize, Segment> = BTreeMap::new();
        let mut followers = Vec::new();
        for end in &leader.ends {
            // A leader that waits would never come to an end if the follower did not go on.
            let steps = alignment.steps(places, end.target).max(usize::from(lead.1 == Target::Return));
            if let std::collections::btree_map::Entry::Vacant(place) = by_steps.entry(steps) {
                place.insert(follow.0.advance(self.context, follow.1, follow.2.clone(), steps)?);
            }
            followers.push(by_steps[&steps].clone());
        }
        if followers.is_empty() {
            // It always faults, and so must the follower.
            followers.push(follow.0.advance(self.context, follow.1, follow.2.clone(), alignment.stride)?);
        }
        Ok((leader, followers))
    }
}

/// What holds where all of a condition does, one by one.
pub(crate) fn conjuncts(pool: &Pool, condition: Term) -> Vec<Term> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(one) = open.pop() {
        match pool.op(one) {
            hydrogen_term::Op::And => open.extend(pool.args(one).iter().copied()),
            _ => found.push(one),
        }
    }
    found
}

enum Round {
    Stable,
    Weaker,
}

/// The ends of the follower that can go with one of the leader's. A run arrives at one place only, so where the follower arrives somewhere under the
/// very condition of the leader, it arrives nowhere else.
pub(crate) fn partners<'s>(lead: &End, follower: &'s Segment) -> impl Iterator<Item = &'s End> {
    let twin = follower.ends.iter().find(|end| end.guard == lead.guard).map(|end| end.target);
    follower.ends.iter().filter(move |end| twin.is_none_or(|twin| twin == end.target))
}

pub(crate) fn sorted<'e>(lead: Side, leader: &'e End, follower: &'e End) -> (&'e End, &'e End) {
    match lead {
        Side::Old => (leader, follower),
        Side::New => (follower, leader),
    }
}

/// The bytes of the object at an address, and their number.
fn object(runner: &Runner, state: &State, address: u64) -> Option<(Term, u64)> {
    let at = runner.addresses.iter().position(|&other| other == address)?;
    Some((state.objects[at], runner.code.homes.objects[at].bytes))
}

impl Failure {
    /// What did not follow.
    pub fn words(&self) -> &str {
        match self {
            Failure::Refuted(words) | Failure::Undecided(words) => words,
        }
    }
}
