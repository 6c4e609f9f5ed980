//! The proof itself: relations at pairs of cuts, weakened until they are inductive, and what must follow from them.

use crate::{
    Obstacle,
    align::Alignment,
    candidates,
    code::Var,
    context::{Context, Side},
    relation::{Atom, Places, Relation},
    segment::{End, FaultAt, Runner, Segment, Target},
    state::{State, Value},
};
use hydrogen_evidence::Class;
use hydrogen_term::{Answer, Engine, Evaluator, Limits, Solver, Sort, Term};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

/// Rounds of weakening; each drops at least one claim.
const MOST_ROUNDS: usize = 60;
/// Pairs of places.
const MOST_PAIRS: usize = 24;

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
    /// Nothing may be given up or added: a certificate is checked.
    pub strict: bool,
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

/// Both states at a pair of places, with what is known of them.
struct Start {
    old: State,
    new: State,
    premises: Vec<Term>,
}

/// A step from a pair of places: where both arrive.
struct Step<'s> {
    old: &'s End,
    new: &'s End,
    premises: Vec<Term>,
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
                for end in &follower.ends {
                    let (old, new) = sorted(alignment.lead, lead, end);
                    let to = (old.target, new.target);
                    let (Target::Head(_) | Target::Entry, Target::Head(_) | Target::Entry) = to else {
                        continue;
                    };
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

    /// The claims that do not follow.
    fn failing(&mut self, step: &Step, atoms: &[Atom]) -> Vec<Atom> {
        let mut open: Vec<(Atom, Term)> = Vec::new();
        for atom in atoms {
            match self.truth(atom, step.old, step.new) {
                Some(truth) => open.push((atom.clone(), truth)),
                None => open.push((atom.clone(), self.context.pool.bool(false))),
            }
        }
        open.retain(|(_, truth)| self.context.pool.as_bool(*truth) != Some(true));
        let mut failed = Vec::new();
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { time: limits.time.min(CLAIM), ..limits });
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
                let value = crate::relation::number(&new.state, *var)?;
                let width = self.context.pool.width(value);
                let wanted = form.value(self.context, &old.state, width)?;
                Some(self.context.pool.eq(value, wanted))
            }
            Atom::Fact(fact) => fact.truth(self.context, &old.state, &new.state),
            Atom::Kept(side, var) => {
                let state = if *side == Side::Old { &old.state } else { &new.state };
                let value = crate::relation::number(state, *var)?;
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

    /// Whether two memories are equal, everywhere or inside of an object.
    fn same_bytes(&mut self, a: Term, b: Term, inside: Option<(u64, u64)>) -> Term {
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

    fn holds(&mut self, premises: &[Term], goal: Term) -> Answer {
        self.obligations += 1;
        if self.context.pool.as_bool(goal) == Some(true) {
            return Answer::Unsat;
        }
        let denied = self.context.pool.not(goal);
        let mut all: Vec<Term> = premises.to_vec();
        all.push(denied);
        if all.iter().any(|&one| self.context.pool.as_bool(one) == Some(false)) {
            return Answer::Unsat;
        }
        let axioms = self.context.calls.congruence(&mut self.context.pool, &all);
        all.extend(axioms);
        let before = self.engine.counters().solver_calls;
        let answer = self.engine.check(&mut self.context.pool, &all);
        self.asked += usize::from(self.engine.counters().solver_calls > before);
        answer
    }

    fn require(&mut self, premises: &[Term], goal: Term, words: &str) -> Result<(), Failure> {
        match self.holds(premises, goal) {
            Answer::Unsat => Ok(()),
            Answer::Sat(_) => Err(Failure::Refuted(words.to_owned())),
            Answer::Unknown(reason) => Err(Failure::Undecided(format!("{words}: {reason}"))),
        }
    }

    /// Everything that is known when both have arrived.
    fn premises(
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

    /// What must follow from stable relations.
    fn required(
        &mut self,
        alignment: &Alignment,
        relations: &mut BTreeMap<Places, Relation>,
    ) -> Result<Result<(), Failure>, Obstacle> {
        let all: Vec<Places> = relations.keys().copied().collect();
        let never = self.context.pool.bool(false);
        for places in all {
            let start = self.start(places, &relations[&places]);
            let (leader, followers) = self.segments(alignment, places, &start)?;
            for (lead, follower) in leader.ends.iter().zip(&followers) {
                let mut parts: Vec<(&End, Vec<Term>)> = Vec::new();
                for end in &follower.ends {
                    let premises = self.premises(&start, &leader, follower, lead, end);
                    parts.push((end, premises));
                }
                for (end, premises) in parts {
                    let (old, new) = sorted(alignment.lead, lead, end);
                    let to = (old.target, new.target);
                    let outcome = match to {
                        (Target::Return, Target::Return) => self.returns(&premises, old, new),
                        (Target::Stop, Target::Stop) => {
                            self.worlds(&premises, old, new, "the calls made before the end")
                        }
                        (Target::Head(_) | Target::Entry, Target::Head(_) | Target::Entry) => {
                            if relations.contains_key(&to) {
                                self.cut(&premises, old, new)
                            } else {
                                match self.require(&premises, never, "places that were not seen together") {
                                    Err(_)
                                        if relations.len() < MOST_PAIRS
                                            && !self.strict
                                            && alignment.stride == 1 =>
                                    {
                                        // Nobody has been here before: claim what names suggest, and begin again.
                                        let (a, b) = (self.old.code, self.new.code);
                                        let mut relation = candidates::relation(a, b, to, &[]);
                                        relation.objects = self.context.shared.clone();
                                        relation.kept = self.first.keys().copied().collect();
                                        relations.insert(to, relation);
                                        return self.attempt(alignment, relations);
                                    }
                                    other => other,
                                }
                            }
                        }
                        _ => self.require(&premises, never, "one version goes on where the other ends"),
                    };
                    if let Err(failure) = outcome {
                        return Ok(Err(failure));
                    }
                }
            }
            if let Err(failure) = self.faults(alignment, &start, &leader, &followers) {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(()))
    }

    fn worlds(&mut self, premises: &[Term], old: &End, new: &End, words: &str) -> Result<(), Failure> {
        let same = self.context.pool.eq(old.state.world, new.state.world);
        self.require(premises, same, words)
    }

    fn cut(&mut self, premises: &[Term], old: &End, new: &End) -> Result<(), Failure> {
        self.worlds(premises, old, new, "the calls made up to the loop")?;
        let same = self.context.pool.eq(old.state.epoch, new.state.epoch);
        self.require(premises, same, "the calls made up to the loop")?;
        let same = self.same_bytes(old.state.public, new.state.public, None);
        self.require(premises, same, "the memory at the loop")
    }

    fn returns(&mut self, premises: &[Term], old: &End, new: &End) -> Result<(), Failure> {
        let mut values = (Vec::new(), Vec::new());
        old.result.iter().for_each(|value| crate::call::flatten(value, &mut values.0));
        new.result.iter().for_each(|value| crate::call::flatten(value, &mut values.1));
        if values.0.len() != values.1.len() {
            return Err(Failure::Undecided("results of different shapes".to_owned()));
        }
        for (a, b) in values.0.into_iter().zip(values.1) {
            if self.context.pool.sort(a) != self.context.pool.sort(b) {
                return Err(Failure::Undecided("results of different widths".to_owned()));
            }
            let same = self.context.pool.eq(a, b);
            self.require(premises, same, "the result")?;
        }
        self.worlds(premises, old, new, "the calls made")?;
        let same = self.same_bytes(old.state.public, new.state.public, None);
        self.require(premises, same, "the memory that the caller sees")
    }

    /// Both fault in the same cases, in the same way, after the same calls.
    fn faults(
        &mut self,
        alignment: &Alignment,
        start: &Start,
        leader: &Segment,
        followers: &[Segment],
    ) -> Result<(), Failure> {
        let words = "where it faults";
        let mut premises = start.premises.clone();
        premises.extend(leader.assumptions.iter().copied());
        for follower in followers {
            premises.extend(follower.assumptions.iter().copied());
        }
        // The follower may need its largest number of steps to come to the same fault.
        let longest = followers.iter().max_by_key(|follower| follower.faults.len());
        let none = Vec::new();
        let most = longest.map_or(&none, |follower| &follower.faults);
        let (old, new) = match alignment.lead {
            Side::Old => (&leader.faults, most),
            Side::New => (most, &leader.faults),
        };
        if self.assume_defined {
            // Where the old version is defined, the new one is; what both do then was compared under that premise.
            let fine: Vec<Term> = old.iter().map(|fault| self.context.pool.not(fault.guard)).collect();
            premises.extend(fine);
            let bad = self.context.pool.or_all(new.iter().map(|fault| fault.guard));
            let fine = self.context.pool.not(bad);
            return self.require(&premises, fine, words);
        }
        let leading = &leader.faults;
        let classes: BTreeSet<Class> = old.iter().chain(new).map(|fault| fault.class).collect();
        for class in classes {
            let any = |pool: &mut hydrogen_term::Pool, faults: &[FaultAt]| {
                pool.or_all(faults.iter().filter(|fault| fault.class == class).map(|fault| fault.guard))
            };
            // Where the leader faults, the follower does.
            let (a, b) = (any(&mut self.context.pool, leading), any(&mut self.context.pool, most));
            let follows = self.context.pool.implies(a, b);
            self.require(&premises, follows, words)?;
        }
        // Where the leader arrives, the follower does not fault on its way there.
        for (lead, follower) in leader.ends.iter().zip(followers) {
            let bad = self.context.pool.or_all(follower.faults.iter().map(|fault| fault.guard));
            let fine = self.context.pool.not(bad);
            let mut premises = premises.clone();
            premises.push(lead.guard);
            self.require(&premises, fine, words)?;
        }
        // The same calls were made before.
        for a in old {
            for b in new {
                if a.world == b.world {
                    continue;
                }
                let same = self.context.pool.eq(a.world, b.world);
                let mut premises = premises.clone();
                premises.extend([a.guard, b.guard]);
                self.require(&premises, same, "the calls made before a fault")?;
            }
        }
        Ok(())
    }

    /// The leader's step, and for each of its ends the follower's steps.
    fn segments(
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
            let steps = alignment.steps(places, end.target);
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

    /// Two states of which only the relation is known.
    fn start(&mut self, places: Places, relation: &Relation) -> Start {
        let mut premises = Vec::new();
        if places == (Target::Entry, Target::Entry) {
            let (old, new) = (self.initial(Side::Old), self.initial(Side::New));
            let premises = incoming(self.context, &self.old, &old);
            return Start { old, new, premises };
        }
        let mut old = self.shared_state(Side::Old, places);
        for (var, width) in candidates::variables(self.old.code, places.0) {
            let kept = self.kept(relation, Side::Old, var, width);
            let name = format!("old {var:?} at {places:?}");
            let term = kept.unwrap_or_else(|| self.context.pool.var(&name, Sort::Bits(width)));
            old.values.insert(var, Value::Bits(term, None));
        }
        let mut new = self.shared_state(Side::New, places);
        for (var, width) in candidates::variables(self.new.code, places.1) {
            let forms = relation.forms.get(&var).map_or(&[][..], Vec::as_slice);
            let kept = self.kept(relation, Side::New, var, width);
            let values = forms.iter().filter_map(|form| form.value(self.context, &old, width));
            let mut values = kept.into_iter().chain(values);
            let term = match values.next() {
                Some(term) => term,
                None => {
                    drop(values);
                    let name = format!("new {var:?} at {places:?}");
                    new.values
                        .insert(var, Value::Bits(self.context.pool.var(&name, Sort::Bits(width)), None));
                    continue;
                }
            };
            let others: Vec<Term> = values.collect();
            for other in others {
                premises.push(self.context.pool.eq(term, other));
            }
            new.values.insert(var, Value::Bits(term, None));
        }
        for fact in &relation.facts {
            if let Some(truth) = fact.truth(self.context, &old, &new) {
                premises.push(truth);
            }
        }
        for (at, &address) in self.old.addresses.iter().enumerate() {
            let side = if relation.objects.contains(&address) { "both" } else { "old" };
            old.objects[at] =
                self.context.pool.var(&format!("{side} bytes at {address:x} at {places:?}"), Sort::MEMORY);
        }
        for (at, &address) in self.new.addresses.iter().enumerate() {
            let side = if relation.objects.contains(&address) { "both" } else { "new" };
            new.objects[at] =
                self.context.pool.var(&format!("{side} bytes at {address:x} at {places:?}"), Sort::MEMORY);
        }
        premises.retain(|&one| self.context.pool.as_bool(one) != Some(true));
        Start { old, new, premises }
    }

    /// The value of a variable that is claimed to be the one of the first arrival.
    fn kept(&self, relation: &Relation, side: Side, var: Var, width: u32) -> Option<Term> {
        let first = *self.first.get(&(side, var)).filter(|_| relation.kept.contains(&(side, var)))?;
        (self.context.pool.sort(first) == Sort::Bits(width)).then_some(first)
    }

    /// What the variables hold when the first loops are reached; nothing of those that depend on which loop that is.
    pub fn first_values(&mut self) -> Result<BTreeMap<(Side, Var), Term>, Obstacle> {
        let mut found: BTreeMap<(Side, Var), Option<Term>> = BTreeMap::new();
        for side in [Side::Old, Side::New] {
            let start = self.initial(side);
            for (&var, value) in &start.values {
                found.insert((side, var), value.term());
            }
            let runner = if side == Side::Old { &self.old } else { &self.new };
            for end in runner.advance(self.context, Target::Entry, start, 1)?.ends {
                for &var in end.state.values.keys() {
                    let value = crate::relation::number(&end.state, var);
                    found
                        .entry((side, var))
                        .and_modify(|one| *one = one.filter(|_| *one == value))
                        .or_insert(value);
                }
            }
        }
        Ok(found.into_iter().filter_map(|(key, term)| Some((key, term?))).collect())
    }

    fn shared_state(&mut self, side: Side, places: Places) -> State {
        let runner = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        let pool = &mut self.context.pool;
        let public = pool.var(&format!("memory at {places:?}"), Sort::MEMORY);
        let world = pool.var(&format!("world at {places:?}"), Sort::Bits(64));
        let epoch = pool.var(&format!("epoch at {places:?}"), Sort::Bits(64));
        let objects = vec![public; runner.addresses.len()];
        State { values: BTreeMap::new(), public, objects, world, epoch }
    }

    /// The state at the beginning: the same input for both.
    pub fn initial(&mut self, side: Side) -> State {
        let runner = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        initial(self.context, runner)
    }
}

/// The state of a function at its beginning, with symbols that both versions share.
pub(crate) fn initial(context: &mut Context, runner: &Runner) -> State {
    let mut values = BTreeMap::new();
    for (var, width) in candidates::variables(runner.code, Target::Entry) {
        let Var::Parameter(_, n) = var else { continue };
        let term = context.pool.var(&format!("parameter {n}"), Sort::Bits(width));
        values.insert(var, Value::Bits(term, None));
    }
    let public = context.pool.var("memory", Sort::MEMORY);
    let objects = runner
        .addresses
        .iter()
        .map(|address| context.pool.var(&format!("bytes at {address:x}"), Sort::MEMORY))
        .collect();
    let (world, epoch) =
        (context.pool.var("world", Sort::Bits(64)), context.pool.var("epoch", Sort::Bits(64)));
    State { values, public, objects, world, epoch }
}

/// Pointers that come in are addresses that a program can have, and not those of locals that do not exist yet.
pub(crate) fn incoming(context: &mut Context, runner: &Runner, state: &State) -> Vec<Term> {
    let function = runner.code.module.function(runner.code.frames[0].function);
    let mut premises = Vec::new();
    for (n, parameter) in (0..).zip(&function.parameters) {
        let is_pointer = parameter
            .ty
            .is_some_and(|ty| matches!(runner.code.module.types.get(ty), hydrogen_ir::Type::Pointer(_)));
        if let (true, Some(term)) = (is_pointer, crate::relation::number(state, Var::Parameter(0, n))) {
            let end = context.pool.bits(64, crate::context::ADDRESSES);
            premises.push(context.pool.ult(term, end));
        }
    }
    premises
}

enum Round {
    Stable,
    Weaker,
}

fn sorted<'e>(lead: Side, leader: &'e End, follower: &'e End) -> (&'e End, &'e End) {
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
