//! Pointers that came into a function and are never set in it: they lead to nothing that the function, or whom it calls, made since.

use crate::meaning::shape::Shape;
use crate::meaning::state::{Cell, Object, Terms, Value};
use hydrogen_ir::{Op, Operand};
use hydrogen_term::{Op as TermOp, Term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many choices of an object are looked into.
const MOST_CHOICES: usize = 8;

/// What is known of the activations that conditions speak of.
#[derive(Default)]
pub(crate) struct CameIn {
    /// The parameters that are never set in each activation, by what its variables' names begin with.
    activations: FxHashMap<String, Arc<BTreeSet<String>>>,
    /// The objects of pointers among them, with their activation.
    objects: FxHashMap<Term, String>,
}

impl Shape {
    /// The parameters that the function never sets.
    pub(crate) fn never_set(&self) -> BTreeSet<String> {
        let parameters = &self.function().parameters;
        let mut set: BTreeMap<&str, Vec<&Operand>> = BTreeMap::new();
        for instruction in &self.body().instructions {
            if let Op::Store { value, pointer: Operand::Instruction(slot), .. } = &instruction.op
                && let Some(name) = self.plain.get(slot)
            {
                set.entry(name).or_default().push(value);
            }
        }
        let is_as_it_came = |name: &str, value: &&Operand| match value {
            Operand::Parameter(at) => parameters.get(*at as usize).is_some_and(|one| one.name == name),
            _ => false,
        };
        set.retain(|name, values| values.iter().all(|value| is_as_it_came(name, value)));
        set.into_keys().map(str::to_owned).collect()
    }
}

impl Terms {
    /// From now on, these parameters are never set in the activation with this name. What was told of it before, if that was another thing.
    pub fn activate(
        &mut self,
        prefix: &str,
        parameters: Arc<BTreeSet<String>>,
    ) -> Option<Arc<BTreeSet<String>>> {
        let before = self.came_in.activations.get(prefix).cloned();
        if before.as_ref() == Some(&parameters) {
            return None;
        }
        self.came_in.objects.retain(|_, other| other != prefix);
        for name in parameters.iter() {
            if let Value::Pointer(object, _) = self.variable(&format!("{prefix}{name}"), Cell::Pointer) {
                self.came_in.objects.insert(object, prefix.to_owned());
            }
        }
        self.came_in.activations.insert(prefix.to_owned(), parameters);
        before
    }

    /// Whether a pointer came in before an object was made. What is chosen between counts by each choice; nothing is written behind null.
    pub(super) fn came_before(&self, pointer: Term, object: Term, choices: usize) -> bool {
        if let (TermOp::Ite, &[_, then, otherwise]) = (self.pool.op(object), self.pool.args(object)) {
            let apart =
                |one: Term| self.pool.as_bits(one) == Some(0) || self.came_before(pointer, one, choices + 1);
            return choices < MOST_CHOICES && apart(then) && apart(otherwise);
        }
        let Some(activation) = self.came_in.objects.get(&pointer) else { return false };
        match self.known(object) {
            Some(Object::Stack { name: place, .. } | Object::Heap(place)) => is_within(place, activation),
            _ => false,
        }
    }
}

/// Whether a place belongs to an activation, or to one that began in it. Names of callers stand before those of whom they call, the outermost
/// first (`main():read():`), and calls that were entered behind them, the outermost first as well (`12.0#0/`).
fn is_within(place: &str, activation: &str) -> bool {
    let callers = |name: &str| name.rfind("():").map_or(0, |at| at + 3);
    let (outer, calls) = activation.split_at(callers(activation));
    let (inner, rest) = place.split_at(callers(place));
    if inner == outer {
        return rest.starts_with(calls);
    }
    // An activation further down, on the way to the statement.
    let further = outer.strip_suffix(inner).is_some_and(|rest| rest.ends_with("():"));
    calls.is_empty() && further
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_later_is_within() {
        for (place, activation) in [
            ("line", ""),
            ("12.0#0/line", ""),
            ("12.0#0/30.1#0", "12.0#0/"),
            ("read():line", "read():"),
            ("read():12.0#0/line", "read():"),
            ("line", "read():"),
            ("12.0#0/line", "main():read():"),
            ("read():line", "main():read():"),
        ] {
            assert!(is_within(place, activation), "{place} in {activation}");
        }
        for (place, activation) in [
            ("read():line", ""),
            ("line", "12.0#0/"),
            ("13.0#0/line", "12.0#0/"),
            ("main():read():line", "read():"),
            ("line", "read():12.0#0/"),
            ("read():line", "reread():"),
        ] {
            assert!(!is_within(place, activation), "{place} in {activation}");
        }
    }
}
