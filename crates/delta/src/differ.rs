//! In which cases both sides of a region end differently, and how.
//!
//! A *case* is one combination of what branches decide on both sides: which exit is taken, what is asked and written on the way, what goes wrong. In one case
//! each side is a straight line, so that its effects can be compared one by one; a solver says which cases there are, and where values are equal after all.

use crate::evaluate::Both;
use hydrogen_evidence::Class;
use hydrogen_sym::{
    calls::{Question, Reach},
    code::Var,
    segment::{Did, End, FaultAt, RESULT, Segment, Step, Target},
    state::{Origin, Value},
};
use hydrogen_term::{
    Answer, Engine, Evaluator, Limits, Op, Pool, Solver, Sort, Substitution, Term, standard,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// More cases than this are not told apart.
const MOST_CASES: usize = 24;
/// A case is split by so many choices between values.
const MOST_SPLITS: u32 = 4;
/// More conditions than this are not enumerated.
const MOST_GUARDS: usize = 160;
/// Bytes of memory that are compared one by one.
const MOST_PLACES: usize = 64;
/// Work and time for one question.
const WORK: u64 = 200_000;
const QUESTION: Duration = Duration::from_secs(2);

/// Where a side goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// To a node.
    To(usize),
    Returns,
    /// A call that does not come back.
    Stops,
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

/// One case with what differs in it.
#[derive(Debug)]
pub(crate) struct Case {
    /// When it is, in both versions.
    pub condition: Term,
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
    /// Whether all cases were told apart.
    pub is_complete: bool,
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
}

/// One side in one case.
struct Line<'s> {
    end: Option<&'s End>,
    fault: Option<FaultAt>,
    /// The numbers of its steps.
    steps: Vec<usize>,
}

/// Where one call takes the place of another, both are taken to give the same answer: that another call is made is told, and what it might give besides
/// would be told with every condition behind it.
pub(crate) fn unify(both: &mut Both) {
    let asked = |side: &Segment| -> Vec<(Question, Vec<Term>)> {
        let all = side.steps.iter().filter_map(|step| match &step.did {
            Did::Asks { question, results, .. } => Some((question.clone(), results.clone())),
            _ => None,
        });
        all.collect()
    };
    let (a, b) = (asked(&both.old), asked(&both.new));
    // What both ask in the same words has one answer anyway.
    let shared: BTreeSet<&Vec<Term>> =
        a.iter().map(|one| &one.1).filter(|one| b.iter().any(|other| other.1 == **one)).collect();
    let mut names: BTreeMap<&String, u32> = BTreeMap::new();
    for (question, _) in a.iter().chain(&b) {
        let next = u32::try_from(names.len()).expect("calls are few");
        names.entry(&question.name).or_insert(next);
    }
    let numbers =
        |all: &[(Question, Vec<Term>)]| -> Vec<u32> { all.iter().map(|one| names[&one.0.name]).collect() };
    let pairs = hydrogen_align::lcs(&numbers(&a), &numbers(&b));
    let mut put = Substitution::default();
    let (mut i, mut j) = (0, 0);
    for (x, y) in pairs.into_iter().chain([(a.len(), b.len())]) {
        // Runs of other calls, as many on both sides, stand for each other in order.
        let others = if x - i == y - j { (i..x).zip(j..y).collect() } else { Vec::new() };
        let here = (x < a.len() && y < b.len()).then_some((x, y));
        for (p, q) in others.into_iter().chain(here) {
            let ((_, results), (_, instead)) = (&a[p], &b[q]);
            if results == instead || shared.contains(results) || shared.contains(instead) {
                continue;
            }
            for (&old, &new) in results.iter().zip(instead) {
                let pool = &mut both.context.pool;
                let new_sort = pool.sort(new);
                match (pool.sort(old), new_sort) {
                    (x, y) if x == y => drop(put.insert(new, old)),
                    // Declared otherwise, it gives more or fewer of the same bits.
                    (Sort::Bits(x), Sort::Bits(y)) if x > y => {
                        let low = pool.truncate(old, y);
                        put.insert(new, low);
                    }
                    (Sort::Bits(x), Sort::Bits(_)) => {
                        let low = pool.truncate(new, x);
                        put.insert(old, low);
                    }
                    _ => {}
                }
            }
        }
        (i, j) = (x + 1, y + 1);
    }
    if put.is_empty() {
        return;
    }
    let pool = &mut both.context.pool;
    for side in [&mut both.old, &mut both.new] {
        let mut change = |term: &mut Term| *term = pool.substitute_with(*term, &mut put);
        for end in &mut side.ends {
            change(&mut end.guard);
            end.state.values.values_mut().for_each(|value| each(value, &mut change));
            end.result.iter_mut().for_each(|value| each(value, &mut change));
            end.state.objects.iter_mut().for_each(&mut change);
            [&mut end.state.public, &mut end.state.world, &mut end.state.epoch]
                .into_iter()
                .for_each(&mut change);
        }
        for fault in &mut side.faults {
            [&mut fault.guard, &mut fault.bare].into_iter().for_each(&mut change);
        }
        side.wraps.iter_mut().for_each(&mut change);
        side.assumptions.iter_mut().chain(&mut side.required).for_each(&mut change);
        for step in &mut side.steps {
            change(&mut step.when);
            match &mut step.did {
                Did::Gives(term) => change(term),
                Did::Writes { address, value, .. } => [address, value].into_iter().for_each(&mut change),
                Did::Asks { question, results, .. } => {
                    question.arguments.iter_mut().for_each(&mut change);
                    question.memory.iter_mut().for_each(|(_, term)| change(term));
                    results.iter_mut().for_each(&mut change);
                }
            }
        }
    }
}

fn each(value: &mut Value, change: &mut impl FnMut(&mut Term)) {
    match value {
        Value::Bits(term, _) => change(term),
        Value::Parts(parts) => parts.iter_mut().for_each(|part| each(part, change)),
    }
}

impl<'a, P: Places> Differ<'a, P> {
    pub fn new(both: &'a mut Both, places: &'a P) -> Self {
        let limits = Limits { time: QUESTION, work: WORK, ..Limits::default() };
        let engine = Engine::new(standard(), limits).alone();
        let base: Vec<Term> = both
            .premises
            .iter()
            .chain(&both.old.assumptions)
            .chain(&both.new.assumptions)
            .chain(&both.old.required)
            .chain(&both.new.required)
            .copied()
            .collect();
        Self { both, places, engine, base, gave_up: false }
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.both.context.pool
    }

    /// Whether constraints can hold together, with what is known anyway.
    fn check(&mut self, constraints: &[Term]) -> Answer {
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

    /// All cases in which something differs.
    pub fn told(&mut self) -> Told {
        let guards = self.guards();
        let mut told =
            Told { cases: Vec::new(), ignored: Vec::new(), is_complete: guards.len() <= MOST_GUARDS };
        if !told.is_complete {
            return told;
        }
        let mut open: Vec<Term> = Vec::new();
        loop {
            let model = match self.check(&open) {
                Answer::Sat(model) => model,
                Answer::Unsat => return told,
                Answer::Unknown(_) => {
                    told.is_complete = false;
                    return told;
                }
            };
            if told.cases.len() >= MOST_CASES || open.len() >= 4 * MOST_CASES {
                told.is_complete = false;
                return told;
            }
            let values: Vec<bool> = {
                let model = model.completed(&self.both.context.pool, &guards);
                let mut evaluator = Evaluator::new(&self.both.context.pool, &model);
                guards.iter().map(|&guard| evaluator.holds(guard)).collect()
            };
            let literals: Vec<Term> = guards
                .iter()
                .zip(&values)
                .map(|(&guard, &value)| if value { guard } else { self.both.context.pool.not(guard) })
                .collect();
            let condition = self.pool().and_all(literals);
            let truth: BTreeMap<Term, bool> = guards.iter().copied().zip(values.iter().copied()).collect();
            self.case(condition, &truth, MOST_SPLITS, &mut told);
            let other = self.pool().not(condition);
            open.push(other);
        }
    }

    /// What decides about the case: exits, what is asked and written, and what goes wrong.
    fn guards(&self) -> Vec<Term> {
        let mut found: BTreeSet<Term> = BTreeSet::new();
        for side in [&self.both.old, &self.both.new] {
            found.extend(side.ends.iter().map(|end| end.guard));
            found.extend(side.faults.iter().map(|fault| fault.guard));
            let told = side.steps.iter().filter(|step| is_told(step));
            found.extend(told.map(|step| step.when));
        }
        let pool = &self.both.context.pool;
        found.into_iter().filter(|&guard| pool.as_bool(guard).is_none()).collect()
    }

    fn case(&mut self, condition: Term, truth: &BTreeMap<Term, bool>, splits: u32, told: &mut Told) {
        self.gave_up = false;
        let (old, new) = (self.both.old.clone(), self.both.new.clone());
        let (one, other) = (self.line(&old, truth), self.line(&new, truth));
        if other.fault.is_some_and(|fault| one.fault.is_some() || fault.class == Class::Null) {
            told.ignored.push(condition);
            return;
        }
        let mut differences = Vec::new();
        let mut put = Substitution::default();
        self.calls(condition, (&old, &one), (&new, &other), &mut put, &mut differences);
        let (from, to) = (exit(&one), exit(&other));
        let is_same = match (from, to) {
            (Exit::To(old), Exit::To(new)) => self.places.are_same(old, new),
            (from, to) => from == to,
        };
        if !is_same {
            differences.push(Difference::Exit(from, to));
        }
        let mut unsure = Vec::new();
        if let (Some(a), Some(b)) = (one.end, other.end) {
            self.results(condition, (a, b), &mut put, &mut unsure);
            if is_same && let (Exit::To(old), Exit::To(new)) = (from, to) {
                for (name, x, y) in self.places.shared(old, new) {
                    let (Some(p), Some(q)) = (value(a, x), value(b, y)) else { continue };
                    let (p, q) = self.alike(p, q, x, y);
                    let (p, q) = (self.put(p, &mut put), self.put(q, &mut put));
                    self.compare(condition, p, q, &mut unsure, |old, new| Difference::Value {
                        name: name.clone(),
                        old,
                        new,
                    });
                }
            }
            self.memory(condition, ((&old, &one), a), ((&new, &other), b), &mut put, &mut unsure);
        } else if let (Some(a), None) | (None, Some(a)) = (one.end, other.end) {
            // The other side goes wrong: what this one returns is told.
            if let (Target::Return, Some(Value::Bits(term, _))) = (a.target, &a.result) {
                let term = self.put(*term, &mut put);
                let term = self.simplified(condition, term);
                differences.push(match one.end.is_some() {
                    true => Difference::Result(Some(term), None),
                    false => Difference::Result(None, Some(term)),
                });
            }
        }
        if let Some(choice) = self.choice(&unsure).filter(|_| splits > 0) {
            let denied = self.pool().not(choice);
            for half in [choice, denied] {
                let half = self.pool().and(condition, half);
                if self.may_hold(&[half]) {
                    self.case(half, truth, splits - 1, told);
                }
            }
            return;
        }
        let gave_up = self.gave_up;
        if let Some(mut case) = self.closed(condition, differences, unsure) {
            case.is_possible |= gave_up;
            told.cases.push(case);
        }
    }

    /// What decides between two values of something that differs.
    fn choice(&self, unsure: &[(Difference, Term)]) -> Option<Term> {
        let pool = &self.both.context.pool;
        let of = |term: Term| (pool.op(term) == Op::Ite).then(|| pool.args(term)[0]);
        unsure.iter().find_map(|(difference, _)| match difference {
            Difference::Value { old, new, .. } | Difference::Memory { old, new, .. } => of(*new).or(of(*old)),
            Difference::Result(old, new) => new.and_then(of).or(old.and_then(of)),
            _ => None,
        })
    }

    /// Puts together what differs in any state of the case, and what differs in some.
    fn closed(
        &mut self,
        condition: Term,
        mut differences: Vec<Difference>,
        unsure: Vec<(Difference, Term)>,
    ) -> Option<Case> {
        let is_certain = !differences.is_empty();
        let mut condition = condition;
        let mut is_possible = false;
        if !is_certain && !unsure.is_empty() {
            let any: Vec<Term> = unsure.iter().map(|(_, differs)| *differs).collect();
            let any = self.pool().or_all(any);
            match self.check(&[condition, any]) {
                Answer::Unsat => return None,
                Answer::Unknown(_) => is_possible = true,
                Answer::Sat(_) => {}
            }
            condition = self.pool().and(condition, any);
        }
        differences.extend(unsure.into_iter().map(|(difference, _)| difference));
        (!differences.is_empty()).then_some(Case { condition, is_possible, differences })
    }

    fn line<'s>(&self, side: &'s Segment, truth: &BTreeMap<Term, bool>) -> Line<'s> {
        let pool = &self.both.context.pool;
        let holds =
            |guard: Term| pool.as_bool(guard).unwrap_or_else(|| truth.get(&guard).copied().unwrap_or(false));
        let steps = side.steps.iter().enumerate();
        Line {
            end: side.ends.iter().find(|end| holds(end.guard)),
            fault: side.faults.iter().find(|fault| holds(fault.guard)).copied(),
            steps: steps.filter(|(_, step)| is_told(step) && holds(step.when)).map(|(at, _)| at).collect(),
        }
    }

    fn put(&mut self, term: Term, put: &mut Substitution) -> Term {
        self.both.context.pool.substitute_with(term, put)
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

    fn compare(
        &mut self,
        condition: Term,
        old: Term,
        new: Term,
        unsure: &mut Vec<(Difference, Term)>,
        difference: impl FnOnce(Term, Term) -> Difference,
    ) {
        if old == new || self.pool().sort(old) != self.pool().sort(new) {
            return;
        }
        let differs = self.pool().ne(old, new);
        let same = self.pool().not(differs);
        if self.follows(&[condition], same) {
            return;
        }
        let (old, new) = (self.simplified(condition, old), self.simplified(condition, new));
        unsure.push((difference(old, new), differs));
    }

    fn results(
        &mut self,
        condition: Term,
        (a, b): (&End, &End),
        put: &mut Substitution,
        unsure: &mut Vec<(Difference, Term)>,
    ) {
        let number = |end: &End| match (&end.target, &end.result) {
            (Target::Return, Some(Value::Bits(term, _))) => Some(*term),
            _ => None,
        };
        match (number(a), number(b)) {
            (Some(p), Some(q)) => {
                let (p, q) = (self.put(p, put), self.put(q, put));
                if self.pool().sort(p) == self.pool().sort(q) {
                    self.compare(condition, p, q, unsure, |old, new| {
                        Difference::Result(Some(old), Some(new))
                    });
                }
            }
            (p, q) if p.is_some() || q.is_some() => {
                let mut tell = |one: Option<Term>| {
                    let one = one.map(|term| self.put(term, put));
                    one.map(|term| self.simplified(condition, term))
                };
                let (p, q) = (tell(p), tell(q));
                let yes = self.pool().bool(true);
                unsure.push((Difference::Result(p, q), yes));
            }
            _ => {}
        }
    }

    /// Two values of a variable that became wider or narrower, as the wider.
    fn alike(&mut self, p: Term, q: Term, x: Var, y: Var) -> (Term, Term) {
        let (Sort::Bits(a), Sort::Bits(b)) = (self.pool().sort(p), self.pool().sort(q)) else {
            return (p, q);
        };
        if a == b {
            return (p, q);
        }
        let signed = self.places.is_signed(if a < b { x } else { y });
        let width = a.max(b);
        let pool = self.pool();
        let mut wide = |one: Term| match signed {
            true => pool.resize_signed(one, width),
            false => pool.resize_unsigned(one, width),
        };
        (wide(p), wide(q))
    }

    /// What both versions ask, one by one. What only one of them asks is taken to change nothing from there on, so that the rest can be compared.
    fn calls(
        &mut self,
        condition: Term,
        (old, one): (&Segment, &Line),
        (new, other): (&Segment, &Line),
        put: &mut Substitution,
        differences: &mut Vec<Difference>,
    ) {
        let asks = |side: &Segment, line: &Line| -> Vec<usize> {
            let all = line.steps.iter().copied();
            all.filter(|&at| matches!(side.steps[at].did, Did::Asks { .. })).collect()
        };
        let (a, b) = (asks(old, one), asks(new, other));
        let name = |side: &Segment, at: usize| match &side.steps[at].did {
            Did::Asks { question, .. } => question.name.clone(),
            _ => String::new(),
        };
        let names: (Vec<String>, Vec<String>) =
            (a.iter().map(|&at| name(old, at)).collect(), b.iter().map(|&at| name(new, at)).collect());
        let mut ids: BTreeMap<&String, u32> = BTreeMap::new();
        for one in names.0.iter().chain(&names.1) {
            let next = u32::try_from(ids.len()).expect("calls are few");
            ids.entry(one).or_insert(next);
        }
        let numbers = |all: &[String]| -> Vec<u32> { all.iter().map(|one| ids[one]).collect() };
        let pairs = hydrogen_align::lcs(&numbers(&names.0), &numbers(&names.1));
        let (mut i, mut j) = (0, 0);
        for (x, y) in pairs.into_iter().chain([(a.len(), b.len())]) {
            for &at in &a[i..x] {
                self.alone(&old.steps[at], put);
                if matters(&old.steps[at]) {
                    differences.push(Difference::OldCall(at));
                }
            }
            for &at in &b[j..y] {
                self.alone(&new.steps[at], put);
                if matters(&new.steps[at]) {
                    differences.push(Difference::NewCall(at));
                }
            }
            if let (Some(&at), Some(&instead)) = (a.get(x), b.get(y)) {
                self.paired(
                    condition,
                    (at, &old.steps[at]),
                    (instead, &new.steps[instead]),
                    put,
                    differences,
                );
            }
            (i, j) = (x + 1, y + 1);
        }
    }

    /// A call that only one version makes leaves everything as it was, as far as the rest is compared.
    fn alone(&mut self, step: &Step, put: &mut Substitution) {
        let Did::Asks { question, results, .. } = &step.did else { return };
        for (before, after) in left(&self.both.context.pool, question, results) {
            let before = self.put(before, put);
            put.insert(after, before);
        }
    }

    fn paired(
        &mut self,
        condition: Term,
        (at, old): (usize, &Step),
        (instead, new): (usize, &Step),
        put: &mut Substitution,
        differences: &mut Vec<Difference>,
    ) {
        let (Did::Asks { question: a, results, .. }, Did::Asks { question: b, results: others, reach }) =
            (&old.did, &new.did)
        else {
            return;
        };
        let mut is_same = a.arguments.len() == b.arguments.len();
        for (&p, &q) in a.arguments.iter().zip(&b.arguments) {
            let (p, q) = (self.put(p, put), self.put(q, put));
            if p == q {
                continue;
            }
            if self.pool().sort(p) != self.pool().sort(q) {
                is_same = false;
                continue;
            }
            let same = self.pool().eq(p, q);
            is_same &= self.follows(&[condition], same);
        }
        if *reach != Reach::Values {
            for ((key, p), (other, q)) in a.memory.iter().zip(&b.memory) {
                let (p, q) = (self.put(*p, put), self.put(*q, put));
                if key != other || p == q {
                    continue;
                }
                is_same &= match self.pool().sort(p) {
                    Sort::Bits(_) => true,
                    _ => self.same_memory(condition, p, q),
                };
            }
        }
        if !is_same {
            differences.push(Difference::Call(at, instead));
        }
        // The same question gets the same answer. Another one is told of; that what follows may differ because of its answer goes without saying.
        for (&result, &other) in results.iter().zip(others) {
            if result != other && self.pool().sort(result) == self.pool().sort(other) {
                let result = self.put(result, put);
                put.insert(other, result);
            }
        }
    }

    /// Whether two memories hold the same wherever one of them was written.
    fn same_memory(&mut self, condition: Term, p: Term, q: Term) -> bool {
        let mut places: BTreeSet<Term> = BTreeSet::new();
        let mut bases = BTreeSet::new();
        for term in self.both.context.pool.postorder(&[p, q]) {
            let pool = &self.both.context.pool;
            match pool.op(term) {
                Op::Store => drop(places.insert(pool.args(term)[1])),
                Op::Var(_) if !matches!(pool.sort(term), Sort::Bits(_) | Sort::Bool) => {
                    bases.insert(term);
                }
                _ => {}
            }
        }
        if places.len() > MOST_PLACES || bases.len() > 1 && self.roots(p) != self.roots(q) {
            return false;
        }
        places.into_iter().all(|at| {
            let pool = self.pool();
            let (x, y) = (pool.select(p, at), pool.select(q, at));
            let same = pool.eq(x, y);
            self.follows(&[condition], same)
        })
    }

    /// The memories that one was made of.
    fn roots(&self, memory: Term) -> BTreeSet<Term> {
        let pool = &self.both.context.pool;
        let (mut open, mut found) = (vec![memory], BTreeSet::new());
        while let Some(one) = open.pop() {
            match pool.op(one) {
                Op::Store => open.push(pool.args(one)[0]),
                Op::Ite => open.extend(&pool.args(one)[1..]),
                _ => drop(found.insert(one)),
            }
        }
        found
    }

    fn memory(
        &mut self,
        condition: Term,
        ((old, one), a): ((&Segment, &Line), &End),
        ((new, other), b): ((&Segment, &Line), &End),
        put: &mut Substitution,
        unsure: &mut Vec<(Difference, Term)>,
    ) {
        let (before, now) = (self.put(a.state.public, put), self.put(b.state.public, put));
        let mut pairs = vec![(None, before, now)];
        let addresses = self.both.addresses.clone();
        for (x, address) in addresses.0.iter().enumerate() {
            if let Some(y) = addresses.1.iter().position(|one| one == address) {
                let (p, q) = (self.put(a.state.objects[x], put), self.put(b.state.objects[y], put));
                pairs.push((Some((x, y)), p, q));
            }
        }
        let writes =
            |side: &Segment, line: &Line, is_old: bool| -> Vec<(usize, bool, Term, Option<Origin>, u32)> {
                let all = line.steps.iter().copied();
                let found = all.filter_map(|at| match &side.steps[at].did {
                    Did::Writes { address, origin, value } => {
                        let bytes = match self.both.context.pool.sort(*value) {
                            Sort::Bits(width) => width / 8,
                            _ => 0,
                        };
                        Some((at, is_old, *address, *origin, bytes))
                    }
                    _ => None,
                });
                found.filter(|one| one.4 > 0).collect()
            };
        let mut all = writes(old, one, true);
        all.extend(writes(new, other, false));
        for one in &mut all {
            one.2 = self.put(one.2, put);
        }
        let mut told: BTreeMap<(Option<usize>, Term, u32), usize> = BTreeMap::new();
        for (object, p, q) in pairs {
            if p == q {
                continue;
            }
            let mut is_explained = false;
            for &(at, is_old, address, origin, bytes) in &all {
                let leads_here = match (object, origin) {
                    (None, None | Some(Origin::Table(_))) => true,
                    (Some((x, y)), Some(Origin::Local(local))) => {
                        local as usize == if is_old { x } else { y }
                    }
                    (Some(_), None) => true,
                    _ => false,
                };
                if !leads_here {
                    continue;
                }
                is_explained = true;
                let key = (object.map(|(x, _)| x), address, bytes);
                let step = |is_it: bool| is_it.then_some(at);
                if let Some(&place) = told.get(&key) {
                    // The last write of each version is the one that stays.
                    if let Some((Difference::Memory { old_step, new_step, .. }, _)) = unsure.get_mut(place) {
                        if is_old { *old_step = step(true) } else { *new_step = step(true) }
                    }
                    continue;
                }
                let pool = &mut self.both.context.pool;
                let (x, y) = (pool.read_le(p, address, bytes), pool.read_le(q, address, bytes));
                let count = unsure.len();
                let (x, y) = match (
                    self.written(at, condition, x, is_old, put),
                    self.written(at, condition, y, !is_old, put),
                ) {
                    (Some(x), _) => (x, y),
                    (_, Some(y)) => (x, y),
                    _ => (x, y),
                };
                self.compare(condition, x, y, unsure, |old, new| Difference::Memory {
                    old_step: step(is_old),
                    new_step: step(!is_old),
                    old,
                    new,
                });
                if unsure.len() > count {
                    told.insert(key, count);
                    let stays = all.iter().any(|one| one.1 != is_old && one.2 == address);
                    if !stays {
                        // What one version alone writes is written, whatever was there.
                        unsure[count].1 = self.pool().bool(true);
                    }
                }
            }
            // Something else made them different: what that is, nobody here can say.
            if is_explained {
                continue;
            }
            let (p, q) = (self.simplified(condition, p), self.simplified(condition, q));
            if p != q && !self.same_memory(condition, p, q) {
                let yes = self.pool().bool(true);
                unsure.push((Difference::Memory { old_step: None, new_step: None, old: p, new: q }, yes));
            }
        }
    }
}

impl<P: Places> Differ<'_, P> {
    /// What a step of a version wrote, if that is what a place holds in the end: it has a name more often.
    fn written(
        &mut self,
        at: usize,
        condition: Term,
        held: Term,
        is_own: bool,
        put: &mut Substitution,
    ) -> Option<Term> {
        if !is_own {
            return None;
        }
        let values: Vec<Term> = [&self.both.old, &self.both.new]
            .into_iter()
            .filter_map(|side| match side.steps.get(at).map(|step| &step.did) {
                Some(Did::Writes { value, .. }) => Some(*value),
                _ => None,
            })
            .collect();
        values.into_iter().find_map(|value| {
            let value = self.put(value, put);
            if value == held || self.pool().sort(value) != self.pool().sort(held) {
                return None;
            }
            let same = self.pool().eq(value, held);
            self.follows(&[condition], same).then_some(value)
        })
    }
}

/// Whether a step is one that others can see.
fn is_told(step: &Step) -> bool {
    !matches!(step.did, Did::Gives(_))
}

/// Whether making a call or not makes a difference by itself: one that only gives a number does not.
fn matters(step: &Step) -> bool {
    match &step.did {
        Did::Asks { reach, .. } => *reach == Reach::All,
        _ => false,
    }
}

/// The memory before a call beside the memory after it.
fn left(pool: &Pool, question: &Question, results: &[Term]) -> Vec<(Term, Term)> {
    let find = |key: u64| question.memory.iter().find(|(one, _)| *one == key).map(|(_, term)| *term);
    let arrays: Vec<usize> =
        (0..results.len()).filter(|&at| pool.sort(results[at]) == Sort::MEMORY).collect();
    let Some(&first) = arrays.first() else { return Vec::new() };
    let mut pairs = Vec::new();
    for (key, at) in [(0, first), (1, first + 1), (2, first + 2)] {
        if let (Some(before), Some(&after)) = (find(key), results.get(at)) {
            pairs.push((before, after));
        }
    }
    let objects = question.memory.iter().filter(|(key, _)| *key > 2).map(|(_, term)| *term);
    pairs.extend(objects.zip(results.iter().skip(first + 3).copied()));
    pairs
}

fn exit(line: &Line) -> Exit {
    match (line.fault, line.end) {
        (Some(fault), _) => Exit::Faults(fault.class),
        (None, Some(end)) => match end.target {
            Target::Head(node) => Exit::To(node),
            Target::Return | Target::Entry => Exit::Returns,
            Target::Stop => Exit::Stops,
        },
        (None, None) => Exit::Stops,
    }
}

fn value(end: &End, var: Var) -> Option<Term> {
    match end.state.values.get(&var) {
        Some(Value::Bits(term, _)) => Some(*term),
        _ => None,
    }
}

const _: Var = RESULT;
