//! The same unknown is the same unknown: while versions are compared, a call whose code is not seen is one function of what it is given and
//! of the memory it may see, whichever version calls it.
//!
//! What memory is like is one variable of the state. Every write that somebody else can see makes it another one: a function of what it
//! was, of the place and of the value. So two calls saw the same memory if the terms for it are the same at the place where the
//! versions are compared.

use crate::meaning::effect::{Effect, Write};
use crate::meaning::state::{Cell, Terms, Value, WORD};
use hydrogen_term::{Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variable for what memory is like.
const MEMORY: &str = "!memory";

/// A call of unknown code.
#[derive(Debug, Clone)]
struct Called {
    /// Whom, by name and kinds of arguments.
    key: String,
    /// What it saw.
    saw: Term,
}

/// Unknown calls while versions are compared.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// By the event that stands for what the call left behind or gave.
    calls: FxHashMap<u32, Called>,
}

impl Terms {
    /// What memory is like.
    fn memory_as_it_is(&mut self) -> Term {
        self.pool.var(MEMORY, WORD)
    }

    /// Whether a condition speaks of what an unknown call saw.
    pub fn asks_for_memory(&mut self, term: Term) -> bool {
        self.shared.is_some() && {
            let memory = self.memory_as_it_is();
            self.pool.variables(&[term]).contains(&memory)
        }
    }

    /// Notes that a run's writes make memory another one.
    pub fn note_writes(&mut self, effect: &mut Effect) {
        if self.shared.is_none() || effect.writes.is_empty() {
            return;
        }
        let mut seen = Vec::new();
        for write in &effect.writes {
            match *write {
                Write::Cell { object, offset, value, .. } => {
                    if !self.is_private(object) {
                        seen.extend([object, offset]);
                        seen.extend(parts(value));
                    }
                }
                Write::Region { object, offset, bytes, event } => {
                    if !self.is_private(object) {
                        seen.extend([object, offset]);
                        seen.extend(bytes);
                        seen.push(self.word(event.into()));
                    }
                }
                Write::Copy { object, offset, from, bytes, .. } => {
                    if !self.is_private(object) {
                        seen.extend([object, offset, from.0, from.1, bytes]);
                    }
                }
                Write::Fill { object, offset, byte, bytes, .. } => {
                    if !self.is_private(object) {
                        seen.extend([object, offset, byte, bytes]);
                    }
                }
                Write::All { event, .. } => seen.push(self.word(event.into())),
                Write::New { object, bytes, .. } => {
                    seen.push(object);
                    seen.extend(bytes);
                }
                Write::Free { object } => seen.push(object),
                Write::Escape { .. } | Write::Length { .. } => {}
            }
        }
        if seen.is_empty() {
            return;
        }
        let memory = self.memory_as_it_is();
        seen.insert(0, memory);
        let after = self.function_of("all that was written", &seen, WORD);
        effect.put(memory, after);
    }

    /// Notes that memory is another one in a way that nobody follows.
    pub fn forget_memory(&mut self, effect: &mut Effect, event: u32) {
        if self.shared.is_none() {
            return;
        }
        if let Value::Int(any) = self.changed(event, "memory", Cell::Int(64)) {
            let memory = self.memory_as_it_is();
            effect.put(memory, any);
        }
    }

    /// What a call of unknown code sees, and a name for whom is called.
    pub fn what_it_sees(&mut self, name: &str, arguments: &[Value]) -> (Term, String) {
        let mut seen = vec![self.memory_as_it_is()];
        seen.extend(arguments.iter().flat_map(|&one| parts(one)));
        let kinds: Vec<String> = seen.iter().map(|&one| self.pool.sort(one).to_string()).collect();
        let key = format!("{name}({})", kinds.join(","));
        (self.function_of(&format!("after {name}"), &seen, WORD), key)
    }

    /// The events that stand for what a call of unknown code leaves behind are functions of what it saw.
    pub fn saw(&mut self, events: [u32; 2], key: &str, saw: Term, effect: &mut Effect) {
        let memory = self.memory_as_it_is();
        effect.put(memory, saw);
        if let Some(shared) = &mut self.shared {
            for event in events {
                shared.calls.insert(event, Called { key: key.to_owned(), saw });
            }
        }
    }

    /// What an unknown call saw, and a name for it, if an event stands for one.
    fn call_of(&self, event: u32) -> Option<(&str, Term)> {
        let called = self.shared.as_ref()?.calls.get(&event)?;
        Some((&called.key, called.saw))
    }

    /// A number that an unknown call left at an address, by what the call saw.
    pub fn left_by_call(&mut self, name: &str, arguments: &[Term], sort: Sort, event: u32) -> Option<Term> {
        let (key, saw) = self.call_of(event)?;
        let name = format!("{name}@{key}");
        let arguments: Vec<Term> = arguments.iter().copied().chain([saw]).collect();
        let term = self.function_of(&name, &arguments, sort);
        if let Op::Apply(function) = self.pool.op(term) {
            self.mark_event(function, event);
        }
        Some(term)
    }

    /// The result of an unknown call, by what the call saw.
    pub fn result_of_call(&mut self, cell: Cell, event: u32) -> Option<Value> {
        Some(match cell {
            Cell::Int(width) => Value::Int(self.left_by_call("result", &[], Sort::Bits(width), event)?),
            Cell::Pointer => Value::Pointer(
                self.left_by_call("result object", &[], WORD, event)?,
                self.left_by_call("result offset", &[], WORD, event)?,
            ),
        })
    }

    fn function_of(&mut self, name: &str, arguments: &[Term], result: Sort) -> Term {
        let sorts: Vec<Sort> = arguments.iter().map(|&one| self.pool.sort(one)).collect();
        let function = self.pool.function(name, &sorts, result);
        self.pool.apply(function, arguments)
    }

    /// The parts of a condition that unknown calls decide, by whom was called. What rests on something else that is not followed is not
    /// among them.
    pub fn unknown_calls(&self, terms: &[Term]) -> FxHashMap<Term, String> {
        let mut found = FxHashMap::default();
        let mut rests: FxHashSet<Term> = FxHashSet::default();
        let Some(shared) = &self.shared else { return found };
        for one in self.pool.postorder(terms) {
            let inner = self.pool.args(one).iter().any(|inner| rests.contains(inner));
            let call = match self.pool.op(one) {
                Op::Apply(function) => {
                    self.event_of(function).and_then(|(event, _)| shared.calls.get(&event))
                }
                _ => None,
            };
            match call {
                Some(called) if !inner => drop(found.insert(one, called.key.clone())),
                _ if inner || self.is_unknown(one) => drop(rests.insert(one)),
                _ => {}
            }
        }
        found
    }
}

/// The numbers that a value is made of.
fn parts(value: Value) -> Vec<Term> {
    match value {
        Value::Int(number) => vec![number],
        Value::Pointer(object, offset) => vec![object, offset],
        Value::Opaque => Vec::new(),
    }
}
