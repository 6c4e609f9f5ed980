//! Which variables and conditions of two versions belong together.

use crate::fix::cut::Cut;
use crate::meaning::effect::Effect;
use crate::meaning::shape::Shape;
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{Fix, VersionId};
use hydrogen_ir::{Op, Role, Type};
use hydrogen_term::{Sort, Term};

impl Analyst<'_> {
    /// The states for which it does not matter what the variables hold that only one side of the fix has: a parameter that was
    /// removed says nothing about the fix. None if such a variable is a pointer.
    pub(crate) fn whatever_is_unrelated(&mut self, frame: &Frame, term: Term, fix: Fix) -> Option<Term> {
        let mut term = term;
        for _ in 0..6 {
            let Some(variable) = self.unrelated_variable(frame, term, fix.after, fix) else {
                return Some(term);
            };
            let width = match self.terms.pool.sort(variable) {
                Sort::Bits(width) if self.terms.pool.as_var(variable).is_some_and(|name| !is_part(name)) => {
                    width
                }
                _ => return None,
            };
            let mut all = self.terms.pool.bool(true);
            for value in [0, 1] {
                let value = self.terms.pool.bits(width, value);
                let effect = Effect { assign: vec![(variable, value)], ..Effect::default() };
                let with = self.terms.before(term, &effect);
                all = self.terms.pool.and(all, with);
            }
            // Two values are a guess; what comes of it must hold for every other value as well.
            let fails = self.terms.pool.not(term);
            let fails = self.terms.pool.and(all, fails);
            if self.is_possible(fails) != Some(false) {
                return None;
            }
            term = all;
        }
        None
    }

    pub(crate) fn unrelated(
        &mut self,
        frame: &Frame,
        term: Term,
        version: VersionId,
        fix: Fix,
    ) -> Option<String> {
        let variable = self.unrelated_variable(frame, term, version, fix)?;
        self.terms.pool.as_var(variable).map(str::to_owned)
    }

    /// A variable of the condition that one of the two versions does not have.
    pub(crate) fn unrelated_variable(
        &mut self,
        frame: &Frame,
        term: Term,
        version: VersionId,
        fix: Fix,
    ) -> Option<Term> {
        let (one, other) = (self.shape(frame.chain, version)?, self.shape(frame.chain, fix.before)?);
        let known = |shape: &Shape, name: &str| {
            shape.plain.values().any(|found| found == name)
                || shape.objects.values().any(|(found, _)| found == name)
                || shape.function().parameters.iter().any(|parameter| parameter.name == name)
        };
        // What has another name in the version has a counterpart.
        let renamed = match self.asking.reference {
            Some(reference) => self.renamed(frame.chain, version, reference),
            None => Default::default(),
        };
        for variable in self.terms.pool.variables(&[term]) {
            let name = self.terms.pool.as_var(variable)?.to_owned();
            let stem = name.strip_suffix(".object").or_else(|| name.strip_suffix(".offset")).unwrap_or(&name);
            if stem.starts_with(['?', '!', '%'])
                || stem.starts_with("the statement's")
                || stem.starts_with("argument ")
            {
                continue;
            }
            let here = known(&one, stem) || renamed.values().any(|common| common == stem);
            let sort = self.terms.pool.sort(variable);
            let is_other = [&one, &other].into_iter().any(|shape| !fits(shape, stem, sort));
            if !here || !known(&other, stem) || is_other {
                return Some(variable);
            }
        }
        None
    }

    /// Whether a version tests something on the way to a cut that the fix's own version does not.
    pub(crate) fn guards_above(&mut self, frame: &Frame, cut: Cut, version: VersionId, fix: Fix) -> bool {
        let graph = self.subject.program.graph;
        let Some(shape) = self.shape(frame.chain, version) else { return true };
        // Nothing of the function stands above its entry.
        let (Cut::Before(cut) | Cut::Within(cut, _)) = cut else { return false };
        let Some(&at) = shape.by_spot.get(&cut) else { return true };
        shape.dominators.dominators_of(at).any(|step| {
            let node = shape.steps[step].spot.node;
            let tests = matches!(graph.role(node), Role::If | Role::Switch | Role::Condition);
            tests && !graph.node_in(node, fix.before)
        })
    }
}

/// Whether what a version has under a name is a number of the same width, if it is one at all.
fn fits(shape: &Shape, name: &str, sort: Sort) -> bool {
    let Sort::Bits(wanted) = sort else { return true };
    let mut slots = shape.plain.iter().filter(|(_, found)| *found == name);
    slots.all(|(slot, _)| match shape.op(*slot) {
        Op::Alloca { ty, .. } => match shape.module.types.get(*ty) {
            Type::Int(width) => *width == wanted,
            _ => true,
        },
        _ => true,
    })
}

/// Whether a variable is one half of a pointer.
fn is_part(name: &str) -> bool {
    name.ends_with(".object") || name.ends_with(".offset")
}
