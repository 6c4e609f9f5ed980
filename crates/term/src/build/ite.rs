//! If-then-else.

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
};

impl Pool {
    /// `condition ? then : otherwise`, on any sort.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.expect_bool(condition);
        let sort = self.sort(then);
        assert_eq!(sort, self.sort(otherwise), "both branches must have the same sort");
        if self.is_raw() {
            return self.intern(Op::Ite, sort, &[condition, then, otherwise]);
        }
        if let Some(value) = self.as_bool(condition) {
            return if value { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        if let Some(inner) = self.single_if(condition, Op::Not) {
            return self.ite(inner, otherwise, then);
        }
        let simpler = match sort {
            Sort::Bool => truth_rules(self, condition, then, otherwise),
            _ => value_rules(self, condition, then, otherwise),
        };
        match simpler {
            Some(simpler) => simpler,
            None => self.intern(Op::Ite, sort, &[condition, then, otherwise]),
        }
    }
}

fn truth_rules(pool: &mut Pool, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    match (pool.as_bool(then), pool.as_bool(otherwise)) {
        (Some(true), _) => return Some(pool.or(condition, otherwise)),
        (_, Some(false)) => return Some(pool.and(condition, then)),
        (Some(false), _) => {
            let denied = pool.not(condition);
            return Some(pool.and(denied, otherwise));
        }
        (_, Some(true)) => {
            let denied = pool.not(condition);
            return Some(pool.or(denied, then));
        }
        _ => {}
    }
    if pool.are_opposite(then, otherwise) {
        return Some(pool.eq(condition, then));
    }
    if then == condition {
        return Some(pool.or(condition, otherwise));
    }
    if otherwise == condition {
        return Some(pool.and(condition, then));
    }
    value_rules(pool, condition, then, otherwise)
}

fn value_rules(pool: &mut Pool, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    // The branches know the condition.
    if let Some(&[inner, a, b]) = pool.args_if(then, Op::Ite) {
        if inner == condition {
            return Some(pool.ite(condition, a, otherwise));
        }
        // c ? (d ? x : y) : y is c && d ? x : y.
        if b == otherwise {
            let both = pool.and(condition, inner);
            return Some(pool.ite(both, a, b));
        }
        if a == otherwise {
            let denied = pool.not(inner);
            let both = pool.and(condition, denied);
            return Some(pool.ite(both, b, a));
        }
    }
    if let Some(&[inner, a, b]) = pool.args_if(otherwise, Op::Ite) {
        if inner == condition {
            return Some(pool.ite(condition, then, b));
        }
        if a == then {
            let either = pool.or(condition, inner);
            return Some(pool.ite(either, a, b));
        }
        if b == then {
            let denied = pool.not(inner);
            let either = pool.or(condition, denied);
            return Some(pool.ite(either, b, a));
        }
    }
    // x == y ? x : y is y.
    if let Some((a, b)) = pool.pair_if(condition, Op::Eq)
        && ((a, b) == (then, otherwise) || (b, a) == (then, otherwise))
    {
        return Some(otherwise);
    }
    None
}
