//! Questions without floating-point arithmetic: its operators as unknown functions.
//!
//! Most of what a proof about numbers needs is that the same operation on the same operands gives the same result. A solver finds that at once when it
//! does not have to look into the operations; what follows without knowing them follows.

use hydrogen_term::{FloatOp, Op, Pool, Substitution, Term};

/// What is kept of floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Kept {
    /// Nothing: the quickest question.
    #[default]
    Nothing,
    /// Comparisons and conversions, which solvers do well, and that sums and products are commutative.
    Comparisons,
}

/// Replaces operators by unknown functions, the same ones for the same operators.
#[derive(Default)]
pub(crate) struct Blur {
    kept: Kept,
    done: Substitution,
}

impl Blur {
    pub fn keeping(kept: Kept) -> Self {
        Self { kept, done: Substitution::default() }
    }

    /// A term without the operators that are not kept. Where comparisons are not, less or equal is still less, or equal.
    pub fn blurred(&mut self, pool: &mut Pool, term: Term) -> Term {
        for current in pool.postorder(&[term]) {
            let Op::Float(op, format) = pool.op(current) else { continue };
            if self.done.contains_key(&current) || self.keeps(op) {
                continue;
            }
            let mut args = Vec::new();
            for arg in pool.args(current).to_vec() {
                args.push(pool.substitute_with(arg, &mut self.done));
            }
            let unknown = |pool: &mut Pool, op: FloatOp, args: &[Term]| {
                let sorts: Vec<_> = args.iter().map(|&arg| pool.sort(arg)).collect();
                let function = pool.function(&format!("{op:?} of {format:?}"), &sorts, pool.sort(current));
                pool.apply(function, args)
            };
            let made = match op {
                FloatOp::LessEq => {
                    let less = unknown(pool, FloatOp::Less, &args);
                    args.sort_unstable();
                    let equal = unknown(pool, FloatOp::Eq, &args);
                    pool.or(less, equal)
                }
                FloatOp::Eq => {
                    args.sort_unstable();
                    unknown(pool, op, &args)
                }
                FloatOp::Add | FloatOp::Mul if self.kept == Kept::Comparisons => {
                    // The same for both orders: the operand with the smaller bits comes first.
                    let in_order = pool.ule(args[0], args[1]);
                    let first = pool.ite(in_order, args[0], args[1]);
                    let second = pool.ite(in_order, args[1], args[0]);
                    unknown(pool, op, &[first, second])
                }
                _ => unknown(pool, op, &args),
            };
            self.done.insert(current, made);
        }
        pool.substitute_with(term, &mut self.done)
    }

    fn keeps(&self, op: FloatOp) -> bool {
        use FloatOp::*;
        self.kept == Kept::Comparisons
            && matches!(op, Eq | Less | LessEq | FromSigned | FromUnsigned | ToSigned(_) | ToUnsigned(_))
    }

    /// Several terms, and whether any of them has changed.
    pub fn all(&mut self, pool: &mut Pool, terms: &[Term]) -> (Vec<Term>, bool) {
        let blurred: Vec<Term> = terms.iter().map(|&term| self.blurred(pool, term)).collect();
        let changed = blurred != terms;
        (blurred, changed)
    }
}
