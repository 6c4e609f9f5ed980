//! Bitwuzla in this process.

use std::time::Instant;

use hydrogen_bitwuzla::{Context, Handle, Kind, Outcome, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Answer, Limits, Reason, Solver, common_prefix, confirmed, floats::Floats};
use crate::{
    pool::Pool,
    sort::Sort,
    term::{Function, Op, Term},
    theory::{self, Form, Wanted},
    value::{ArrayValue, Model, Value},
    words::mask,
};

/// Bitwuzla, linked into the program.
#[derive(Default)]
pub struct Bitwuzla {
    session: Option<Session>,
    /// What all questions so far cost.
    work: u64,
}

/// What Bitwuzla knows of one pool.
struct Session {
    context: Context,
    scopes: Scopes,
    pool: u64,
    terms: FxHashMap<Wanted, Handle>,
    /// What binds the variables that stand for the bits of floating-point results; asserted with every constraint that has them.
    bound: FxHashMap<Term, Handle>,
    functions: FxHashMap<Function, Handle>,
    /// Arrays that were so far only read at constant indices: each element is a variable of its own, which is far cheaper.
    by_element: FxHashSet<Term>,
    /// Arrays that have been used otherwise.
    whole: FxHashSet<Term>,
    /// The asserted constraints, each in a scope of its own.
    asserted: Vec<Term>,
}

/// Bitwuzla's terms are kept for the questions to come, but not for ever.
const MOST_TERMS: usize = 1 << 20;

impl Bitwuzla {
    /// Whether this program was built with Bitwuzla.
    pub fn is_available() -> bool {
        hydrogen_bitwuzla::is_available()
    }

    /// A solver without questions yet; in a program without Bitwuzla it answers all with [`Reason::Missing`].
    pub fn new() -> Self {
        Self::default()
    }
}

impl Solver for Bitwuzla {
    fn name(&self) -> &str {
        "bitwuzla"
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        let fits = |session: &Session| session.pool == pool.identity() && session.context.len() < MOST_TERMS;
        let before = self.session.take().filter(fits);
        let (answer, session) = ask(pool, constraints, limits, before, Scopes::PerConstraint, &mut self.work);
        self.session = session;
        answer
    }

    fn check_alone(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        ask(pool, constraints, limits, None, Scopes::None, &mut self.work).0
    }

    fn work(&self) -> u64 {
        self.work
    }
}

/// Whether constraints can be taken back one by one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scopes {
    PerConstraint,
    /// All are asserted for good; more is simplified then.
    None,
}

/// Asks in the session, or a new one; the session that comes back is good for more questions.
fn ask(
    pool: &Pool,
    constraints: &[Term],
    limits: &Limits,
    session: Option<Session>,
    scopes: Scopes,
    work: &mut u64,
) -> (Answer, Option<Session>) {
    let started = Instant::now();
    // It would answer "unknown" to most of these, after a complaint on standard error.
    if pool.logic(constraints).compares_constant_arrays() {
        let why = "equality of arrays together with constant arrays";
        return (Answer::Unknown(Reason::Unsupported(why.to_owned())), session);
    }
    let Some(mut session) = session.or_else(|| Session::new(pool, FxHashSet::default(), scopes)) else {
        let why = "this program was built without Bitwuzla; run scripts/setup.sh and build again";
        return (Answer::Unknown(Reason::Missing(why.to_owned())), None);
    };
    // Each failure adds an array to those used as a whole, so this ends.
    while session.move_to(pool, constraints).is_none() {
        let Some(next) = Session::new(pool, session.whole, scopes) else {
            unreachable!("there was a session before")
        };
        session = next;
    }
    let left = limits.time.saturating_sub(started.elapsed());
    let left = left.as_millis().clamp(1, u128::from(u32::MAX)) as u64;
    let reason = match session.context.check(left, limits.memory, limits.work, work) {
        Outcome::Sat => return (session.answer(pool, constraints), Some(session)),
        Outcome::Unsat => return (Answer::Unsat, Some(session)),
        Outcome::Unknown => Reason::Unsupported("it gave no reason".to_owned()),
        Outcome::Timeout => Reason::Timeout,
        Outcome::Memory => Reason::Memory,
        Outcome::Broken => Reason::Crashed("an unexpected error inside of Bitwuzla".to_owned()),
    };
    (Answer::Unknown(reason), None)
}

impl Session {
    fn new(pool: &Pool, whole: FxHashSet<Term>, scopes: Scopes) -> Option<Self> {
        let context = Context::new(scopes == Scopes::None)?;
        Some(Self {
            context,
            scopes,
            pool: pool.identity(),
            terms: FxHashMap::default(),
            bound: FxHashMap::default(),
            functions: FxHashMap::default(),
            by_element: FxHashSet::default(),
            whole,
            asserted: Vec::new(),
        })
    }

    /// Leaves and enters scopes until exactly these constraints are asserted. None if an array has to be translated otherwise.
    fn move_to(&mut self, pool: &Pool, constraints: &[Term]) -> Option<()> {
        let kept = common_prefix(&self.asserted, constraints);
        let left = self.asserted.len() - kept;
        if left > 0 {
            self.context.pop(u32::try_from(left).expect("constraints are fewer than 2^32"));
            self.asserted.truncate(kept);
        }
        for &constraint in &constraints[kept..] {
            let handle = self.translated(pool, constraint)?;
            if self.scopes == Scopes::PerConstraint {
                self.context.push();
            }
            self.context.assert(handle);
            for binding in self.bindings(pool, constraint) {
                self.context.assert(binding);
            }
            self.asserted.push(constraint);
        }
        Some(())
    }

    /// What the variables for bits of floating-point results in a translated constraint are bound by.
    fn bindings(&self, pool: &Pool, constraint: Term) -> Vec<Handle> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut open = vec![(constraint, Form::Plain)];
        while let Some(wanted) = open.pop() {
            if pool.logic(&[wanted.0]).has_floats() && seen.insert(wanted) {
                found.extend(self.bound.get(&wanted.0).filter(|_| wanted.1 == Form::Plain));
                open.extend(theory::needs(pool, wanted));
            }
        }
        found
    }

    fn translated(&mut self, pool: &Pool, term: Term) -> Option<Handle> {
        let mut open = vec![(term, Form::Plain)];
        while let Some(&wanted) = open.last() {
            hydrogen_stop::look();
            if self.terms.contains_key(&wanted) {
                open.pop();
                continue;
            }
            let (current, form) = wanted;
            if let (Form::Plain, Some((array, _))) = (form, self.element(pool, current)) {
                self.by_element.insert(array);
                let handle = self.context.variable(shape(pool.sort(current)));
                self.terms.insert(wanted, handle);
                continue;
            }
            if self.by_element.contains(&current) {
                self.whole.insert(current);
                return None;
            }
            let before = open.len();
            let missing = |part: &Wanted| !self.terms.contains_key(part);
            open.extend(theory::needs(pool, wanted).into_iter().filter(missing));
            if open.len() > before {
                continue;
            }
            let handle = self.translate(pool, wanted);
            self.terms.insert(wanted, handle);
            open.pop();
        }
        self.terms.get(&(term, Form::Plain)).copied()
    }

    /// Array and index, if a term reads an array variable at a constant index and that array is not known to be used otherwise.
    fn element(&self, pool: &Pool, term: Term) -> Option<(Term, u64)> {
        let (Op::Select, &[array, index]) = (pool.op(term), pool.args(term)) else { return None };
        let is_variable = matches!(pool.op(array), Op::Var(_));
        let at = u64::try_from(pool.as_bits(index)?).ok()?;
        // An array that this context has as a whole already stays one.
        (is_variable && !self.whole.contains(&array) && !self.terms.contains_key(&(array, Form::Plain)))
            .then_some((array, at))
    }

    /// A term whose arguments have been translated.
    fn translate(&mut self, pool: &Pool, wanted: Wanted) -> Handle {
        let (term, form) = wanted;
        let made = |part: Wanted| self.terms[&part];
        if theory::is_unbound(pool, wanted) {
            let variable = self.context.variable(shape(pool.sort(term)));
            let binding = theory::bits_of(&mut Floats(&mut self.context), pool, term, &variable, &made);
            self.bound.insert(term, binding);
            return variable;
        }
        if form != Form::Plain || matches!(pool.op(term), Op::Float(..)) {
            return theory::number(&mut Floats(&mut self.context), pool, wanted, &made);
        }
        let args: Vec<Handle> = pool.args(term).iter().map(|&arg| self.terms[&(arg, form)]).collect();
        let context = &mut self.context;
        match pool.op(term) {
            Op::Bool(value) => context.bool(value),
            Op::Bits(value) => context.bits(pool.width(term), value),
            Op::Var(_) => context.variable(shape(pool.sort(term))),
            Op::Extract { high, low } => context.extract(args[0], high, low),
            Op::Zext(width) => {
                context.extend(Kind::BvZeroExtend, args[0], width - pool.width(pool.args(term)[0]))
            }
            Op::Sext(width) => {
                context.extend(Kind::BvSignExtend, args[0], width - pool.width(pool.args(term)[0]))
            }
            Op::ConstArray(index) => context.const_array(index, args[0]),
            // The oldest parts first: sums along a path then share their beginnings, and their gates.
            Op::Add => {
                let mut parts: Vec<(bool, Term, Handle)> = Vec::with_capacity(args.len());
                parts.extend(
                    pool.args(term)
                        .iter()
                        .zip(&args)
                        .map(|(&arg, &handle)| (pool.as_bits(arg).is_some(), arg, handle)),
                );
                parts.sort_unstable_by_key(|&(is_constant, arg, _)| (is_constant, arg));
                let sum = parts.into_iter().map(|(_, _, handle)| handle);
                sum.reduce(|sum, part| context.term(Kind::BvAdd, &[sum, part])).expect("a sum has parts")
            }
            Op::Mul if pool.as_bits(pool.args(term)[1]) == Some(mask(pool.width(term))) => {
                context.term(Kind::BvNeg, &args[..1])
            }
            // By a power of two it is a shift, once negative numbers are rounded towards zero: pointers are subtracted like this, and a
            // divider's gates would outnumber all others.
            Op::Sdiv if power_of_two(pool, term).is_some() => {
                let (shift, width) = (power_of_two(pool, term).unwrap_or(0), pool.width(term));
                let mut count = |value: u32| context.bits(width, u128::from(value));
                let (sign, rest, shift) = (count(width - 1), count(width - shift), count(shift));
                let all_signs = context.term(Kind::BvAshr, &[args[0], sign]);
                let rounding = context.term(Kind::BvShr, &[all_signs, rest]);
                let rounded = context.term(Kind::BvAdd, &[args[0], rounding]);
                context.term(Kind::BvAshr, &[rounded, shift])
            }
            Op::Apply(function) => {
                let signature = pool.signature(function);
                let function = *self.functions.entry(function).or_insert_with(|| {
                    let arguments: Vec<Shape> = signature.arguments.iter().map(|&sort| shape(sort)).collect();
                    context.function(&arguments, shape(signature.result))
                });
                context.apply(function, &args)
            }
            op => context.term(kind(op), &args),
        }
    }

    /// The values of the variables in the constraints; of functions, those for the arguments that occur in them.
    fn answer(&mut self, pool: &Pool, constraints: &[Term]) -> Answer {
        match self.model(pool, constraints) {
            Some(model) => confirmed(pool, constraints, model),
            None => Answer::Unknown(Reason::Unsupported("its model cannot be read".to_owned())),
        }
    }

    fn model(&mut self, pool: &Pool, constraints: &[Term]) -> Option<Model> {
        let mut model = Model::new();
        for term in pool.postorder(constraints) {
            match (pool.op(term), pool.sort(term)) {
                (Op::Var(_), Sort::Bool) => model.set(term, Value::Bool(self.bits(term)? != 0)),
                (Op::Var(_), Sort::Bits(width)) => {
                    model.set(term, Value::Bits { width, value: self.bits(term)? })
                }
                (Op::Var(_), Sort::Array { .. }) if self.by_element.contains(&term) => {}
                (Op::Select, _) if self.element(pool, term).is_some() => {
                    let Some((array, at)) = self.element(pool, term) else { continue };
                    let (value, blank) = (self.bits(term)?, Value::zero(pool.sort(array)));
                    if let Value::Array(elements) = model.variables.entry(array).or_insert(blank) {
                        elements.set(at, value);
                    }
                }
                (Op::Var(_), Sort::Array { index, element }) => {
                    let (default, entries) = self.context.array_value(self.terms[&(term, Form::Plain)])?;
                    let mut array = ArrayValue::constant(index, element, default);
                    for (at, value) in entries.into_iter().rev() {
                        array.set(u64::try_from(at).ok()?, value);
                    }
                    model.set(term, Value::Array(array));
                }
                (Op::Apply(function), _) => {
                    let arguments =
                        pool.args(term).iter().map(|&arg| self.bits(arg)).collect::<Option<Vec<_>>>()?;
                    let value = self.bits(term)?;
                    let table = model.functions.entry(function).or_default();
                    table.entries.insert(arguments, value);
                }
                _ => {}
            }
        }
        Some(model)
    }

    fn bits(&mut self, term: Term) -> Option<u128> {
        self.context.bits_value(self.terms[&(term, Form::Plain)])
    }
}

/// The exponent, if a division is by a power of two larger than one that is not the smallest negative number.
fn power_of_two(pool: &Pool, division: Term) -> Option<u32> {
    let divisor = pool.as_bits(pool.args(division)[1])?;
    let exponent = divisor.checked_ilog2()?;
    (divisor.is_power_of_two() && exponent > 0 && exponent < pool.width(division) - 1).then_some(exponent)
}

fn shape(sort: Sort) -> Shape {
    match sort {
        Sort::Bool => Shape::Bool,
        Sort::Bits(width) => Shape::Bits(width),
        Sort::Array { index, element } => Shape::Array(index, element),
    }
}

/// Operators that both have under different names.
fn kind(op: Op) -> Kind {
    match op {
        Op::Not => Kind::Not,
        Op::And => Kind::And,
        Op::Or => Kind::Or,
        Op::Ite => Kind::Ite,
        Op::Eq => Kind::Equal,
        Op::BitNot => Kind::BvNot,
        Op::BitAnd => Kind::BvAnd,
        Op::BitOr => Kind::BvOr,
        Op::BitXor => Kind::BvXor,
        Op::Mul => Kind::BvMul,
        Op::Udiv => Kind::BvUdiv,
        Op::Urem => Kind::BvUrem,
        Op::Sdiv => Kind::BvSdiv,
        Op::Srem => Kind::BvSrem,
        Op::Shl => Kind::BvShl,
        Op::Lshr => Kind::BvShr,
        Op::Ashr => Kind::BvAshr,
        Op::Concat => Kind::BvConcat,
        Op::Ult => Kind::BvUlt,
        Op::Slt => Kind::BvSlt,
        Op::Select => Kind::Select,
        Op::Store => Kind::Store,
        other => unreachable!("{other:?} is translated elsewhere"),
    }
}
