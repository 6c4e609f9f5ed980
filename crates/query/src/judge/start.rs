//! What a program begins with: where execution begins at `main`, global variables hold what their definitions say.

use crate::meaning::conditions::group;
use crate::meaning::effect::Effect;
use crate::meaning::operand::{bytes_of, global_name};
use crate::meaning::state::{Cell, Object, Part, Role};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_ir::{Const, Module};
use hydrogen_term::{Op, Term};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a variable holds at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum First {
    /// Zeros, however large it is.
    Zeros,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Something else.
    Other,
}

/// The variables that a version defines. None if other code runs before `main`.
pub(crate) type Initial = Option<BTreeMap<String, First>>;

impl Analyst<'_> {
    /// A condition at the entry of an outermost function, with what is known of global variables there.
    pub(crate) fn at_start(
        &mut self,
        frame: &Frame,
        term: Term,
        versions: &VersionSet,
    ) -> Vec<(Term, VersionSet)> {
        let term = self.terms.without_values(term);
        let begins = self.subject.program.graph.newest_name(frame.chain) == "main";
        let texts = self.texts_of_variables(term);
        if !begins && texts.is_empty() {
            return vec![(term, versions.clone())];
        }
        group(versions, |version| {
            let term = self.with_ends(term, &texts, version);
            if begins { self.started(frame, term, version) } else { term }
        })
    }

    /// The lengths of texts in variables that a condition speaks of, with the variables' names.
    fn texts_of_variables(&self, term: Term) -> Vec<(Term, String)> {
        let mut found = Vec::new();
        for one in self.terms.pool.postorder(&[term]) {
            if self.terms.is_length(one)
                && let Some(Object::Global { name, .. }) = self.terms.known(self.terms.pool.args(one)[0])
            {
                found.push((one, name.clone()));
            }
        }
        found
    }

    /// A condition with what is known of texts in variables at any time: those end that nothing in the program leaves without an end.
    fn with_ends(&mut self, term: Term, texts: &[(Term, String)], version: VersionId) -> Term {
        if texts.is_empty() {
            return term;
        }
        let own = self.own_texts(version);
        let mut all = vec![term];
        for (length, name) in texts {
            if own.get(name) == Some(&None) {
                all.extend(self.terms.ends_inside(*length));
            }
        }
        self.terms.pool.and_all(all)
    }

    fn started(&mut self, frame: &Frame, term: Term, version: VersionId) -> Term {
        // A `main` that the program calls itself begins with whatever was done before.
        if self.callers_of(frame.chain).iter().any(|(_, theirs)| theirs.contains(version)) {
            return term;
        }
        let term = self.with_first_values(term, version);
        match self.is_no_start(frame, term, version) {
            true => self.terms.pool.bool(false),
            false => term,
        }
    }

    fn with_first_values(&mut self, term: Term, version: VersionId) -> Term {
        let initial = self.initial(version);
        let Some(initial) = initial.as_ref() else { return term };
        let mut effect = Effect::default();
        for cell in self.terms.pool.postorder(&[term]) {
            if let Some(value) = self.first_value(initial, cell) {
                effect.put(cell, value);
            }
        }
        match effect.assign.is_empty() {
            true => term,
            false => self.terms.before(term, &effect),
        }
    }

    /// What a cell of memory holds at first, if it is one of a variable and that is known.
    fn first_value(&mut self, initial: &BTreeMap<String, First>, cell: Term) -> Option<Term> {
        let Op::Apply(function) = self.terms.pool.op(cell) else { return None };
        let role = self.terms.role(function);
        if !matches!(role, Role::Memory(..) | Role::Length) {
            return None;
        }
        let &[object, offset] = self.terms.pool.args(cell) else { return None };
        let Some(Object::Global { name, .. }) = self.terms.known(object) else { return None };
        match (role, initial.get(name)?) {
            (Role::Length, First::Zeros) => Some(self.terms.word(0)),
            (Role::Memory(Cell::Int(width), Part::Number), First::Zeros) => {
                Some(self.terms.pool.bits(width, 0))
            }
            (Role::Memory(Cell::Pointer, _), First::Zeros) => Some(self.terms.word(0)),
            (Role::Memory(Cell::Int(width), Part::Number), First::Bytes(bytes)) if width % 8 == 0 => {
                let from = usize::try_from(self.terms.pool.as_bits(offset)?).ok()?;
                let bytes = bytes.get(from..)?.get(..width as usize / 8)?;
                let bits = bytes.iter().rev().fold(0_u128, |all, &byte| all << 8 | u128::from(byte));
                Some(self.terms.pool.bits(width, bits))
            }
            (Role::Length, First::Bytes(bytes)) => {
                let from = usize::try_from(self.terms.pool.as_bits(offset)?).ok()?;
                let length = bytes.get(from..)?.iter().position(|&byte| byte == 0)?;
                Some(self.terms.word(length as u64))
            }
            _ => None,
        }
    }

    /// What a cell of memory holds when the program starts, if that is known.
    pub(crate) fn first_of(&mut self, cell: Term, version: VersionId) -> Option<Term> {
        let initial = self.initial(version);
        self.first_value(initial.as_ref().as_ref()?, cell)
    }

    /// Whether nothing of a version runs before `main`.
    pub(crate) fn begins_with_main(&mut self, version: VersionId) -> bool {
        self.initial(version).is_some()
    }

    fn initial(&mut self, version: VersionId) -> Arc<Initial> {
        if let Some(known) = self.store.initial.get(&version) {
            return Arc::clone(known);
        }
        let mut all: Initial = Some(BTreeMap::new());
        for module in self.modules(version) {
            if module.globals.iter().any(|global| global.name == "llvm.global_ctors") {
                all = None;
            }
            if let Some(all) = &mut all {
                define(&module, all);
            }
        }
        let all = Arc::new(all);
        self.store.initial.insert(version, Arc::clone(&all));
        all
    }
}

/// Adds the variables that a unit defines. Of those that several define nothing is known.
fn define(module: &Module, all: &mut BTreeMap<String, First>) {
    for global in &module.globals {
        let Some(initializer) = global.initializer else { continue };
        let first = match module.constant(initializer) {
            Const::Zero(_) => First::Zeros,
            _ => bytes_of(module, initializer).map_or(First::Other, First::Bytes),
        };
        all.entry(global_name(module, global))
            .and_modify(|known| {
                if *known != first {
                    *known = First::Other;
                }
            })
            .or_insert(first);
    }
}
