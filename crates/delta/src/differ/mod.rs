//! In which states both sides of a region end differently, and how.
//!
//! Both sides are one state each at every exit, ways joined by choices, so that the work grows with the code and not with its ways. What differs is found
//! *effect by effect*: a call, what is written, a value, where control goes. Each has the condition under which it differs; a solver says whether that can be.

mod calls;
mod effects;
mod memory;

pub(crate) use calls::OtherCalls;

use crate::evaluate::Both;
use hydrogen_evidence::Class;
use hydrogen_sym::code::Var;
use hydrogen_term::{Answer, Engine, Limits, Op, Pool, Reason, Solver, Substitution, Term, standard};
use std::{collections::BTreeSet, time::Duration};

/// More effects than this are not told apart.
const MOST_EFFECTS: usize = 96;
/// A value is told apart by so many choices.
const MOST_SPLITS: u32 = 4;
/// Work for one question, in the solver's own units. The time only ends what works unlike all else.
const WORK: u64 = 200_000;
const QUESTION: Duration = Duration::from_secs(10);
/// Work for all questions about a region, and how many there may be.
const ALL_WORK: u64 = 2_000_000;
const MOST_QUESTIONS: u64 = 6_000;

/// Where a side goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// To a node.
    To(usize),
    Returns,
    /// A call that does not come back: the number of its step.
    Stops(Option<usize>),
    /// Something goes wrong.
    Faults(Class),
}

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Where control goes.
    Exit(Exit, Exit),
    /// What is returned.
    Result(Option<Term>, Option<Term>),
    /// What a variable holds.
    Value { name: String, old: Term, new: Term },
    /// What memory holds: the number of the step that wrote there, by version, and both values.
    Memory { old_step: Option<usize>, new_step: Option<usize>, old: Term, new: Term },
    /// The old version's step alone asks something.
    OldCall(usize),
    /// The new version's step alone asks something.
    NewCall(usize),
    /// The same call, with other arguments or other memory.
    Call(usize, usize),
}

/// One effect that differs, with what belongs to it.
#[derive(Debug)]
pub(crate) struct Case {
    /// When it differs.
    pub condition: Term,
    /// When both versions come there, equal or not.
    pub reached: Term,
    /// Whether it differs wherever both come there.
    pub is_certain: bool,
    /// Whether the solver could not say that it differs, or that it can be.
    pub is_possible: bool,
    pub differences: Vec<Difference>,
}

impl Case {
    /// Whether the old version uses a null pointer in it, and the new one does not.
    pub fn no_longer_fails(&self) -> bool {
        self.differences.iter().any(|one| matches!(one, Difference::Exit(Exit::Faults(Class::Null), _)))
    }
}

/// What could be said of a region.
#[derive(Debug)]
pub(crate) struct Told {
    pub cases: Vec<Case>,
    /// States that are not spoken of: those in which both versions fail, or the new one uses a null pointer that nobody asked about.
    pub ignored: Vec<Term>,
    /// Whether all effects were told apart.
    pub is_complete: bool,
    /// Whether more differs by the answer of a call that another function was asked in the place of, than that it was.
    pub rests_on_stand_ins: bool,
}

/// Which places are one, for whoever compares exits; the variables that are live at both, by name.
pub(crate) trait Places {
    fn are_same(&self, old: usize, new: usize) -> bool;
    fn shared(&self, old: usize, new: usize) -> Vec<(String, Var, Var)>;
    /// Whether a variable is read with a sign.
    fn is_signed(&self, var: Var) -> bool;
}

pub(crate) struct Differ<'a, P: Places> {
    pub both: &'a mut Both,
    pub places: &'a P,
    engine: Engine<Box<dyn Solver + Send>>,
    /// What holds anyway.
    base: Vec<Term>,
    /// Whether a question was not answered since this was last set to no.
    gave_up: bool,
    other_calls: OtherCalls,
}

impl<'a, P: Places> Differ<'a, P> {
    pub fn new(both: &'a mut Both, places: &'a P, other_calls: OtherCalls) -> Self {
        let limits = Limits { time: QUESTION, work: WORK, ..Limits::default() };
        let engine = Engine::new(standard(), limits).alone();
        let base = known(both);
        Self { both, places, engine, base, gave_up: false, other_calls }
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.both.context.pool
    }

    /// Whether the work for this region is used up: what is asked from here on has no answer.
    pub fn is_exhausted(&self) -> bool {
        let counters = self.engine.counters();
        counters.work > ALL_WORK || counters.asked > MOST_QUESTIONS
    }

    /// Whether constraints can hold together, with what is known anyway.
    fn check(&mut self, constraints: &[Term]) -> Answer {
        if self.is_exhausted() {
            self.gave_up = true;
            return Answer::Unknown(Reason::Unsupported("the work for this region is used up".to_owned()));
        }
        let mut all: Vec<Term> = self.base.iter().chain(constraints).copied().collect();
        let axioms = self.both.context.calls.congruence(&mut self.both.context.pool, &all);
        all.extend(axioms);
        let answer = self.engine.check(&mut self.both.context.pool, &all);
        self.gave_up |= matches!(answer, Answer::Unknown(_));
        answer
    }

    /// From here on nobody asks about states in which one of these holds.
    pub fn leave_out(&mut self, ignored: &[Term]) {
        for &one in ignored {
            let denied = self.both.context.pool.not(one);
            self.base.push(denied);
        }
    }

    /// When signed numbers of a version run over.
    pub fn wraps(&mut self, is_old: bool) -> Term {
        let all = if is_old { self.both.old.wraps.clone() } else { self.both.new.wraps.clone() };
        self.pool().or_all(all)
    }

    /// The conditions under which pointers are null that are used.
    pub fn nulls(&self) -> BTreeSet<Term> {
        let pool = &self.both.context.pool;
        let all = self.both.old.faults.iter().chain(&self.both.new.faults);
        let nulls = all.filter(|fault| fault.class == Class::Null);
        let atoms = nulls.flat_map(|fault| pool.conjuncts(fault.bare));
        atoms.filter(|&atom| pool.op(atom) == Op::Ult).collect()
    }

    /// Whether a term holds wherever the constraints do.
    pub fn follows(&mut self, constraints: &[Term], term: Term) -> bool {
        if self.pool().as_bool(term) == Some(true) {
            return true;
        }
        let denied = self.pool().not(term);
        let all: Vec<Term> = constraints.iter().copied().chain([denied]).collect();
        matches!(self.check(&all), Answer::Unsat)
    }

    /// Whether constraints can hold together, as far as is known.
    pub fn may_hold(&mut self, constraints: &[Term]) -> bool {
        !matches!(self.check(constraints), Answer::Unsat)
    }

    /// Values with which constraints hold.
    pub fn model(&mut self, constraints: &[Term]) -> Option<hydrogen_term::Model> {
        match self.check(constraints) {
            Answer::Sat(model) => Some(model),
            _ => None,
        }
    }

    /// A term where a condition holds.
    fn simplified(&mut self, condition: Term, term: Term) -> Term {
        let facts = self.both.context.pool.conjuncts(condition);
        let mut known = Substitution::default();
        for fact in facts {
            let pool = &mut self.both.context.pool;
            let yes = pool.bool(true);
            match pool.op(fact) {
                Op::Not => {
                    let inner = pool.args(fact)[0];
                    let no = pool.bool(false);
                    known.insert(inner, no);
                }
                Op::Or | Op::Bool(_) => {}
                _ => drop(known.insert(fact, yes)),
            }
        }
        let simple = self.both.context.pool.substitute_with(term, &mut known);
        self.without_choices(condition, simple)
    }

    /// A choice whose condition follows is none.
    fn without_choices(&mut self, condition: Term, mut term: Term) -> Term {
        for _ in 0..8 {
            let pool = &mut self.both.context.pool;
            if pool.op(term) != Op::Ite {
                break;
            }
            let [c, a, b] = *pool.args(term) else { break };
            let denied = pool.not(c);
            if self.follows(&[condition], c) {
                term = a;
            } else if self.follows(&[condition], denied) {
                term = b;
            } else {
                break;
            }
        }
        term
    }
}

/// What holds of every state in front of a region, and of what is done in it.
fn known(both: &Both) -> Vec<Term> {
    let sides = [&both.old, &both.new];
    let taken = sides.into_iter().flat_map(|side| side.assumptions.iter().chain(&side.required));
    both.premises.iter().chain(taken).copied().collect()
}
