//! The state of one function at one place, as terms.

use crate::{code::Var, context::Context};
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// The object that an address is known to lead into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A local object, by its number in the code's homes.
    Local(u32),
    /// A constant global with known bytes, by its number in the context.
    Table(u32),
}

/// What an instruction computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number, a floating-point number by its bits, or an address; for an address the object that it leads into, where that is
    /// known.
    Bits(Term, Option<Origin>),
    /// A structure or array as a value.
    Parts(Vec<Value>),
}

impl Value {
    /// The term of a number.
    pub fn term(&self) -> Option<Term> {
        match self {
            Value::Bits(term, _) => Some(*term),
            Value::Parts(_) => None,
        }
    }
}

/// Everything that the rest of a run depends on.
#[derive(Debug, Clone)]
pub struct State {
    /// Numbers and structures by name.
    pub values: BTreeMap<Var, Value>,
    /// Memory that others see.
    pub public: Term,
    /// The bytes of each local object, by its address.
    pub objects: Vec<Term>,
    /// What the outside has seen so far. Two runs with equal worlds made the same calls with the same arguments.
    pub world: Term,
    /// Stands for which objects exist: whether an address may be accessed depends on it.
    pub epoch: Term,
}

/// The way to a place.
#[derive(Debug, Clone)]
pub struct Way {
    /// Outcomes of branches, in order.
    pub branches: Vec<Term>,
    /// That nothing went wrong on it.
    pub sound: Term,
}

impl Way {
    /// When a run comes along.
    pub fn guard(&self, context: &mut Context) -> Term {
        let all: Vec<Term> = self.branches.iter().copied().chain([self.sound]).collect();
        context.pool.and_all(all)
    }
}

/// One of two ways that meet: the common beginning stays, and where they part decides between the states.
pub fn meet(context: &mut Context, first: (Way, State), second: (Way, State)) -> (Way, State) {
    let ((way, mut state), (other, others)) = (first, second);
    let common = way.branches.iter().zip(&other.branches).take_while(|(a, b)| a == b).count();
    let condition = context.pool.and_all(way.branches[common..].iter().copied());
    let otherwise = context.pool.and_all(other.branches[common..].iter().copied());
    let mut branches = way.branches[..common].to_vec();
    let either = context.pool.or(condition, otherwise);
    if context.pool.as_bool(either) != Some(true) {
        branches.push(either);
    }
    let sound = context.pool.ite(condition, way.sound, other.sound);
    let mut values = BTreeMap::new();
    for (var, value) in state.values {
        // What only one way has written is not read behind.
        if let Some(second) = others.values.get(&var)
            && let Some(value) = choose(context, condition, &value, second)
        {
            values.insert(var, value);
        }
    }
    state.values = values;
    state.public = context.pool.ite(condition, state.public, others.public);
    state.world = context.pool.ite(condition, state.world, others.world);
    state.epoch = context.pool.ite(condition, state.epoch, others.epoch);
    for (object, other) in state.objects.iter_mut().zip(&others.objects) {
        *object = context.pool.ite(condition, *object, *other);
    }
    (Way { branches, sound }, state)
}

/// The first value where the condition holds, else the second.
pub fn choose(context: &mut Context, condition: Term, first: &Value, second: &Value) -> Option<Value> {
    match (first, second) {
        (Value::Bits(a, object), Value::Bits(b, other)) => {
            if context.pool.sort(*a) != context.pool.sort(*b) {
                return None;
            }
            let object = object.filter(|_| object == other);
            Some(Value::Bits(context.pool.ite(condition, *a, *b), object))
        }
        (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b).map(|(a, b)| choose(context, condition, a, b));
            Some(Value::Parts(parts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}
