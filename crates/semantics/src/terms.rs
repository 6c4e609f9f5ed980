//! Values that are terms of a pool.

use crate::Domain;
use hydrogen_term::{FloatOp, Format, Pool, Term, has_terms};

/// Operations that the pool has under the same name.
macro_rules! as_they_are {
    ($($result:ty: $($name:ident)*;)*) => {
        $($(fn $name(&mut self, a: Term, b: Term) -> $result {
            Pool::$name(self, a, b)
        })*)*
    };
}

impl Domain for Pool {
    type Value = Term;
    type Truth = Term;

    as_they_are! {
        Term: add sub mul udiv urem sdiv srem shl lshr ashr bitand bitor bitxor concat ult slt
            sadd_overflows uadd_overflows ssub_overflows usub_overflows smul_overflows umul_overflows;
    }

    fn width(&self, value: Term) -> u32 {
        Pool::width(self, value)
    }
    fn number(&mut self, width: u32, value: u128) -> Term {
        self.bits(width, value)
    }
    fn known(&self, value: Term) -> Option<u128> {
        self.as_bits(value)
    }
    fn truth(&mut self, value: bool) -> Term {
        self.bool(value)
    }
    fn not(&mut self, a: Term) -> Term {
        Pool::not(self, a)
    }
    fn both(&mut self, a: Term, b: Term) -> Term {
        self.and(a, b)
    }
    fn either(&mut self, a: Term, b: Term) -> Term {
        self.or(a, b)
    }
    fn choose(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.ite(condition, then, otherwise)
    }
    fn bit(&mut self, truth: Term, width: u32) -> Term {
        self.bool_to_bits(truth, width)
    }
    fn equal(&mut self, a: Term, b: Term) -> Term {
        self.eq(a, b)
    }
    fn extract(&mut self, value: Term, high: u32, low: u32) -> Term {
        Pool::extract(self, value, high, low)
    }
    fn resize_unsigned(&mut self, value: Term, width: u32) -> Term {
        Pool::resize_unsigned(self, value, width)
    }
    fn resize_signed(&mut self, value: Term, width: u32) -> Term {
        Pool::resize_signed(self, value, width)
    }
    fn has_format(&self, format: Format) -> bool {
        has_terms(format)
    }
    fn float(&mut self, op: FloatOp, format: Format, args: &[Term]) -> Term {
        Pool::float(self, op, format, args)
    }
    fn float_holds(&mut self, op: FloatOp, format: Format, a: Term, b: Term) -> Term {
        Pool::float(self, op, format, &[a, b])
    }
    fn float_remainder(&mut self, _: Format, _: Term, _: Term) -> Option<Term> {
        None
    }
}
