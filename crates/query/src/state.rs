//! Symbolic values and the two readings of a query.

use hydrogen_term::{Op, Pool, Sort, Substitution, Term};

/// Objects of callers are numbered below this, those of the function above.
pub(crate) const OWN_OBJECTS: u64 = 1 << 32;
/// Heap objects are numbered from here.
pub(crate) const HEAP_OBJECTS: u64 = 1 << 33;
/// No object or string is larger.
pub(crate) const LARGEST: u128 = 1 << 62;

/// A machine value: a number, or a pointer as object (0 for null) and offset.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Int(Term),
    Pointer { object: Term, offset: Term },
}

/// A query's condition, twice (see the crate's page).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Condition {
    pub wide: Term,
    pub narrow: Term,
    /// Heap objects made so far on the way back.
    pub heap: u32,
}

impl Condition {
    pub fn substitute(&mut self, pool: &mut Pool, with: &Substitution) {
        self.wide = pool.substitute(self.wide, with);
        self.narrow = pool.substitute(self.narrow, with);
    }

    pub fn require(&mut self, pool: &mut Pool, constraint: Term) {
        self.wide = pool.and(self.wide, constraint);
        self.narrow = pool.and(self.narrow, constraint);
    }
}

pub(crate) fn named(pool: &mut Pool, name: &str, width: Option<u32>) -> Value {
    match width {
        Some(width) => Value::Int(pool.var(name, Sort::Bits(width))),
        None => Value::Pointer {
            object: pool.var(&format!("{name}.object"), Sort::Bits(64)),
            offset: pool.var(&format!("{name}.offset"), Sort::Bits(64)),
        },
    }
}

/// A value that is not understood; `?` marks it.
pub(crate) fn unknown(pool: &mut Pool, why: &str, width: Option<u32>) -> Value {
    match width {
        Some(width) => Value::Int(pool.fresh(&format!("?{why}"), Sort::Bits(width))),
        None => Value::Pointer {
            object: pool.fresh(&format!("?{why}"), Sort::Bits(64)),
            offset: pool.fresh(&format!("?{why}"), Sort::Bits(64)),
        },
    }
}

pub(crate) fn assign(with: &mut Substitution, target: Value, value: Value) -> bool {
    match (target, value) {
        (Value::Int(target), Value::Int(value)) => {
            with.insert(target, value);
            true
        }
        (Value::Pointer { object, offset }, Value::Pointer { object: to, offset: at }) => {
            with.insert(object, to);
            with.insert(offset, at);
            true
        }
        _ => false,
    }
}

const WORD: Sort = Sort::Bits(64);

/// The size of an object.
pub(crate) fn size(pool: &mut Pool, object: Term) -> Term {
    let function = pool.function("size", &[WORD], WORD);
    pool.apply(function, &[object])
}

/// The length of the string at a place, now.
pub(crate) fn length(pool: &mut Pool, object: Term, offset: Term) -> Term {
    let function = pool.function("strlen", &[WORD, WORD], WORD);
    pool.apply(function, &[object, offset])
}

/// The applications of the function of this name.
pub(crate) fn applications(pool: &Pool, term: Term, name: &str) -> Vec<Term> {
    let is = |term: &Term| matches!(pool.op(*term), Op::Apply(f) if pool.function_name(f) == name);
    pool.postorder(&[term]).into_iter().filter(is).collect()
}

/// Strings in memory may have changed: in the wide reading always, in the narrow one unless it is assumed otherwise.
pub(crate) fn forget_strings(pool: &mut Pool, condition: &mut Condition, why: &str, assume_kept: bool) {
    let both = pool.and(condition.wide, condition.narrow);
    let mut with = Substitution::default();
    for string in applications(pool, both, "strlen") {
        let any = pool.fresh(&format!("?{why}"), WORD);
        with.insert(string, any);
    }
    condition.wide = pool.substitute(condition.wide, &with);
    if !assume_kept {
        condition.narrow = pool.substitute(condition.narrow, &with);
    }
}

/// The constraints with what holds of every object and string.
pub(crate) fn with_axioms(pool: &mut Pool, term: Term) -> Vec<Term> {
    let mut all = vec![term];
    let most = pool.bits(64, LARGEST);
    let mut found = applications(pool, term, "size");
    found.extend(applications(pool, term, "strlen"));
    for one in found {
        all.push(pool.ule(one, most));
    }
    all
}
