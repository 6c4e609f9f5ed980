//! Questions without floating-point arithmetic: its operators as unknown functions.
//!
//! Most of what a proof about numbers needs is that the same operation on the same operands gives the same result. A solver finds that at once when it
//! does not have to look into the operations; what follows without knowing them follows.

use hydrogen_term::{FloatOp, Op, Pool, Substitution, Term};

/// Replaces operators by unknown functions, the same ones for the same operators.
#[derive(Default)]
pub(crate) struct Blur {
    done: Substitution,
}

impl Blur {
    /// A term without floating-point operators. Comparisons keep what is easily said of them: less or equal is less, or equal.
    pub fn blurred(&mut self, pool: &mut Pool, term: Term) -> Term {
        for current in pool.postorder(&[term]) {
            let Op::Float(op, format) = pool.op(current) else { continue };
            if self.done.contains_key(&current) {
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
                _ => unknown(pool, op, &args),
            };
            self.done.insert(current, made);
        }
        pool.substitute_with(term, &mut self.done)
    }

    /// Several terms, and whether any of them has changed.
    pub fn all(&mut self, pool: &mut Pool, terms: &[Term]) -> (Vec<Term>, bool) {
        let blurred: Vec<Term> = terms.iter().map(|&term| self.blurred(pool, term)).collect();
        let changed = blurred != terms;
        (blurred, changed)
    }
}
