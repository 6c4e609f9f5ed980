//! Recursion as a loop: what is done with the result of a recursive call is gathered before the call instead.
//!
//! A function that ends with `x ∘ f(…)`, where ∘ can be regrouped and reordered, does the same as a loop that begins with ∘'s neutral element,
//! takes `x` into what it has gathered, and combines that with the value it returns in the end. That what follows the call has this form is no guess: it is evaluated
//! with any result and any memory that the call may leave, and must follow in every proof that uses it.

use crate::{
    Obstacle,
    code::{Code, Var},
    context::Context,
    segment::{Evaluation, Target},
    state::{Value, Way},
    subject::Subject,
};
use hydrogen_flow::called;
use hydrogen_ir::{BinaryOp, InstructionId, Module, Op};
use hydrogen_term::{Pool, Sort, Term};
use std::collections::BTreeSet;

/// What joins the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fold {
    /// Nothing: the result is passed on.
    Plain,
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// Bits that all have.
    And,
    /// Bits that any has.
    Or,
    /// Bits that an odd number has.
    Xor,
}

impl Fold {
    /// All of them.
    pub const ALL: [Fold; 6] = [Fold::Plain, Fold::Add, Fold::Mul, Fold::And, Fold::Or, Fold::Xor];

    /// Whether a function has the operation at all.
    fn occurs(self, module: &Module, function: hydrogen_ir::FunctionId) -> bool {
        let body = module.function(function).body.iter();
        body.flat_map(|body| &body.instructions).any(|instruction| match &instruction.op {
            Op::Binary { op, .. } => matches!(
                (self, op),
                (Fold::Add, BinaryOp::Add)
                    | (Fold::Mul, BinaryOp::Mul)
                    | (Fold::And, BinaryOp::And)
                    | (Fold::Or, BinaryOp::Or)
                    | (Fold::Xor, BinaryOp::Xor)
            ),
            _ => self == Fold::Plain,
        })
    }

    /// Whether a function, or one of those that it calls, calls itself and has the operation.
    pub fn may_help(self, subject: Subject) -> bool {
        let (mut open, mut seen) = (vec![subject.function], BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let callees = called(subject.module, id);
            if callees.contains(&id) && self.occurs(subject.module, id) {
                return true;
            }
            open.extend(callees);
        }
        false
    }

    /// The value that changes nothing.
    pub fn neutral(self, pool: &mut Pool, width: u32) -> Term {
        match self {
            Fold::Plain | Fold::Add | Fold::Or | Fold::Xor => pool.bits(width, 0),
            Fold::Mul => pool.bits(width, 1),
            Fold::And => pool.signed_bits(width, -1),
        }
    }

    /// What has been gathered, joined with one more value.
    pub fn join(self, pool: &mut Pool, gathered: Term, value: Term) -> Term {
        match self {
            Fold::Plain => value,
            Fold::Add => pool.add(gathered, value),
            Fold::Mul => pool.mul(gathered, value),
            Fold::And => pool.bitand(gathered, value),
            Fold::Or => pool.bitor(gathered, value),
            Fold::Xor => pool.bitxor(gathered, value),
        }
    }
}

/// The variable in which a frame gathers.
pub const fn gathered(frame: u32) -> Var {
    Var::Parameter(frame, u32::MAX)
}

/// What a frame has gathered when it begins; none where it gathers nothing.
pub fn at_first(context: &mut Context, code: &Code, frame: u32) -> Option<Term> {
    let fold = code.frames[frame as usize].fold.filter(|&fold| fold != Fold::Plain)?;
    let width = crate::variables::width_of(code, gathered(frame))?;
    Some(fold.neutral(&mut context.pool, width))
}

impl Evaluation<'_, '_, '_> {
    /// Takes what follows a recursive call into what has been gathered.
    pub fn gather(&mut self, fold: Fold, call: InstructionId, next: usize) -> Result<(), Obstacle> {
        let obstacle = || Obstacle::new("what follows the recursive call is more than joining its result");
        let frame = self.frame;
        let width = crate::variables::width_of(self.runner.code, gathered(frame)).ok_or_else(obstacle)?;
        let pool = &mut self.context.pool;
        let answer = pool.fresh("answer", Sort::Bits(width));
        let mut state = self.state.clone();
        // The call may leave anything behind: what follows must not depend on it.
        let left = [
            pool.fresh("left memory", Sort::MEMORY),
            pool.fresh("left world", Sort::Bits(64)),
            pool.fresh("left epoch", Sort::Bits(64)),
        ];
        [state.public, state.world, state.epoch] = left;
        state.objects.iter_mut().for_each(|object| *object = left[0]);
        state.values.insert(Var::Register(frame, call), Value::Bits(answer, None));
        let way = Way { branches: Vec::new(), sound: pool.bool(true) };
        let segment = self.runner.segment_within(self.context, next, way, state, Some(frame))?;
        let [end] = segment.ends.as_slice() else { return Err(obstacle()) };
        let is_quiet = segment.faults.is_empty() && segment.assumptions.is_empty();
        let is_same = [end.state.public, end.state.world, end.state.epoch] == left;
        let Some(Value::Bits(result, _)) = &end.result else { return Err(obstacle()) };
        if end.target != Target::Return || !is_quiet || !is_same {
            return Err(obstacle());
        }
        let pool = &mut self.context.pool;
        if pool.sort(*result) != Sort::Bits(width) {
            return Err(obstacle());
        }
        let neutral = fold.neutral(pool, width);
        let part = pool.substitute(*result, &[(answer, neutral)].into_iter().collect());
        let is_free = |term: Term| {
            let names = pool.variables(&[term]);
            left.iter().all(|one| !names.contains(one))
        };
        if !is_free(part) || !is_free(*result) || !is_free(end.guard) {
            return Err(obstacle());
        }
        let joined = fold.join(pool, part, answer);
        let is_it = pool.eq(joined, *result);
        let comes_back = pool.and(is_it, end.guard);
        self.segment.required.extend(segment.required);
        let guard = self.way.guard(self.context);
        let required = self.context.pool.implies(guard, comes_back);
        if self.context.pool.as_bool(required) != Some(true) {
            self.segment.required.push(required);
        }
        if fold != Fold::Plain {
            let Some(Value::Bits(before, _)) = self.state.values.get(&gathered(frame)) else {
                return Err(obstacle());
            };
            let now = fold.join(&mut self.context.pool, *before, part);
            self.state.values.insert(gathered(frame), Value::Bits(now, None));
        }
        Ok(())
    }

    /// What a frame returns: its value joined with what it gathered.
    pub fn returned(&mut self, value: Option<Value>) -> Result<Option<Value>, Obstacle> {
        let fold = self.runner.code.frames[self.frame as usize].fold.filter(|&fold| fold != Fold::Plain);
        // What follows a recursive call is looked at before anything is joined with it.
        let Some(fold) = fold.filter(|_| self.within != Some(self.frame)) else { return Ok(value) };
        match (&value, self.state.values.get(&gathered(self.frame))) {
            (Some(Value::Bits(term, None)), Some(Value::Bits(before, _))) => {
                let joined = fold.join(&mut self.context.pool, *before, *term);
                Ok(Some(Value::Bits(joined, None)))
            }
            _ => Err(Obstacle::new("a recursive function whose results are not numbers")),
        }
    }
}
