//! Whether a model is a witness, and how strong it is.

use crate::approximate::Toward;
use crate::resolve::Arrival;
use crate::state::{OWN, Role};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::VersionId;
use hydrogen_term::{Answer, Evaluator, Model, Op, Sort, Term};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Whether a condition cannot hold while all numbers in memory that comes in are zero.
    pub(crate) fn is_weak(&mut self, constraints: &[Term], term: Term) -> bool {
        let mut constraints = constraints.to_vec();
        let before = constraints.len();
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && let Role::Memory(_, crate::state::Part::Number) = self.terms.role(function)
            {
                let zero = self.terms.pool.bits(self.terms.pool.width(one), 0);
                constraints.push(self.terms.pool.eq(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// Whether a condition cannot hold while all pointers that come in lead somewhere, those aside that the function compares with null.
    pub(crate) fn needs_null(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let mut constraints = constraints.to_vec();
        let (before, zero) = (constraints.len(), self.terms.word(0));
        let asked = self.asked_for_null(arrival);
        for one in self.terms.pool.postorder(&[arrival.term]) {
            let name = self.terms.pool.as_var(one).and_then(|name| name.strip_suffix(".object"));
            let comes_in = match self.terms.pool.op(one) {
                Op::Var(_) => name.is_some_and(|name| !name.starts_with('?') && !asked.contains(name)),
                Op::Apply(function) => {
                    matches!(self.terms.role(function), Role::Memory(_, crate::state::Part::Object))
                }
                _ => false,
            };
            if comes_in {
                constraints.push(self.terms.pool.ne(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// The variables that the outermost function compares with null, as conditions name them.
    pub(crate) fn asked_for_null(&mut self, arrival: &Arrival) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return found;
        };
        let Some(shape) = self.shape(frame.chain, version) else { return found };
        for instruction in &shape.body().instructions {
            let hydrogen_ir::Op::IntCompare { left, right, .. } = &instruction.op else { continue };
            let null = |operand: &hydrogen_ir::Operand| {
                matches!(operand, hydrogen_ir::Operand::Const(id)
                    if matches!(shape.module.constant(*id), hydrogen_ir::Const::Zero(_)))
            };
            let (hydrogen_ir::Operand::Instruction(load), true) = (left, null(right)) else { continue };
            if let hydrogen_ir::Op::Load { pointer: hydrogen_ir::Operand::Instruction(slot), .. } =
                shape.op(*load)
                && let Some(name) = shape.plain.get(slot)
            {
                found.insert(format!("{}{name}", frame.prefix));
            }
        }
        found
    }

    /// Another model where the first leaves doubts: of the inputs for which the condition holds whatever the unknown values are. Without
    /// this, the solver's choice of a model would decide between present and unknown.
    pub(crate) fn surer(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        first: (Vec<String>, Model),
    ) -> (Vec<String>, Model) {
        if first.0.is_empty() {
            return first;
        }
        let strong = self.terms.approximate(arrival.term, Toward::Stronger);
        let constraints = self.entry_axioms(strong);
        let Answer::Sat(model) = self.engine.check(&mut self.terms.pool, &constraints) else { return first };
        match self.doubts(arrival, version, &model) {
            doubts if doubts.is_empty() => (doubts, model),
            _ => first,
        }
    }

    /// Why a model is no witness: it needs a value that is not an input. Empty if it is one.
    pub(crate) fn doubts(&mut self, arrival: &Arrival, version: VersionId, model: &Model) -> Vec<String> {
        let Some((frame, _)) = arrival.frames.first() else { return vec!["nothing is known".into()] };
        let frame = frame.clone();
        let (mut doubts, mut sure) = (BTreeSet::new(), Vec::new());
        for one in self.terms.pool.postorder(&[arrival.term]) {
            match self.doubt(&frame, version, one) {
                None => {}
                Some(Ok(())) => sure.push(one),
                Some(Err(why)) => drop(doubts.insert(why)),
            }
        }
        if doubts.is_empty() {
            return Vec::new();
        }
        // Whatever the doubtful values are: with these inputs the condition may hold all the same.
        let mut constraints = self.entry_axioms(arrival.term);
        constraints.remove(0);
        let denied = self.terms.pool.not(arrival.term);
        constraints.insert(0, denied);
        for one in sure {
            let value = match self.terms.pool.sort(one) {
                Sort::Bool => {
                    let holds = Evaluator::new(&self.terms.pool, model).holds(one);
                    self.terms.pool.bool(holds)
                }
                Sort::Bits(width) => {
                    let bits = Evaluator::new(&self.terms.pool, model).bits(one);
                    self.terms.pool.bits(width, bits)
                }
                Sort::Array { .. } => continue,
            };
            constraints.push(self.terms.pool.eq(one, value));
        }
        match self.engine.check(&mut self.terms.pool, &constraints) {
            Answer::Unsat => Vec::new(),
            _ => doubts.into_iter().collect(),
        }
    }

    /// Whether a part of a condition is an input (`Ok`), not understood (`Err`), or made of other parts.
    pub(crate) fn doubt(
        &mut self,
        frame: &Frame,
        version: VersionId,
        term: Term,
    ) -> Option<Result<(), String>> {
        match self.terms.pool.op(term) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(term).unwrap_or_default().to_owned();
                if let Some(event) = self.terms.event_of_variable(term) {
                    let event = self.terms.event_by_number(event);
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                if name.starts_with('!')
                    || name.starts_with("rounds of the loop")
                    || name.starts_with("the statement's")
                {
                    return Some(Ok(()));
                }
                let stem =
                    name.strip_suffix(".object").or_else(|| name.strip_suffix(".offset")).unwrap_or(&name);
                let stem = stem.strip_prefix(&frame.prefix).unwrap_or(stem).to_owned();
                let shape = self.shape(frame.chain, version)?;
                let parameters = &shape.function().parameters;
                let known = parameters.iter().any(|parameter| parameter.name == stem)
                    || stem.starts_with("argument ");
                Some(if known { Ok(()) } else { Err(format!("a value is read before it is set: {stem}")) })
            }
            Op::Apply(function) => {
                if let Some((_, event)) = self.terms.event_of(function) {
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                let object = *self.terms.pool.args(term).first()?;
                let own = self.terms.pool.as_bits(object).is_some_and(|number| number >= OWN.into());
                Some(match self.terms.role(function) {
                    Role::Memory(..) | Role::Length if self.terms.is_constant(object) => {
                        Err("the contents of a constant table are not followed".into())
                    }
                    Role::Memory(..) | Role::Length if own => {
                        Err("memory is read that was never written".into())
                    }
                    Role::Memory(..) | Role::Length => Ok(()),
                    Role::Size => Err("the size of a caller's object is not known".into()),
                    // Objects may lie anywhere; differences inside one object do not depend on it.
                    Role::Address | Role::Freed | Role::Whole(_) => Ok(()),
                    Role::Escaped | Role::Made if own => Ok(()),
                    Role::Escaped | Role::Made | Role::Fixed => Err("not followed".into()),
                })
            }
            _ => None,
        }
    }
}
