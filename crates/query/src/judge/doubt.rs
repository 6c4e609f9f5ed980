//! Whether a model is a witness, and how strong it is.

use crate::judge::resolve::Arrival;
use crate::meaning::approximate::Toward;
use crate::meaning::state::{OWN, Role};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Entry;
use hydrogen_graph::VersionId;
use hydrogen_ir::CType;
use hydrogen_ir::layout::{plain, pointee};
use hydrogen_term::{Answer, Evaluator, Model, Op, Sort, Term};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Whether a condition cannot hold while all numbers in memory that comes in are zero, data aside.
    pub(crate) fn is_weak(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let mut constraints = constraints.to_vec();
        let before = constraints.len();
        for one in self.terms.pool.postorder(&[arrival.term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && let Role::Memory(_, crate::meaning::state::Part::Number) = self.terms.role(function)
                && !self.is_data(arrival, one)
            {
                let zero = self.terms.pool.bits(self.terms.pool.width(one), 0);
                constraints.push(self.terms.pool.eq(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// Whether a cell of incoming memory is what callers fill as they like, and no state of the program: a byte behind a pointer to
    /// characters, or a number behind a parameter that points to numbers.
    fn is_data(&mut self, arrival: &Arrival, cell: Term) -> bool {
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return false;
        };
        let Some(shape) = self.shape(frame.chain, version) else { return false };
        let &[object, _] = self.terms.pool.args(cell) else { return false };
        let Some((_, Some(ctype))) = self.pointer_name(&frame, &shape, object) else { return false };
        let Some(target) = pointee(&shape.module, ctype) else { return false };
        match shape.module.ctype(plain(&shape.module, target)) {
            CType::Basic { size_bits: 8, .. } => true,
            CType::Basic { .. } => self.terms.pool.as_var(object).is_some(),
            _ => false,
        }
    }

    /// Another model where the first leaves doubts: of the inputs for which the condition holds whatever the unknown values are. Without
    /// this, the solver's choice of a model would decide between present and unknown.
    pub(crate) fn surer(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        first: (Vec<Entry>, Model),
    ) -> (Vec<Entry>, Model) {
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
    pub(crate) fn doubts(&mut self, arrival: &Arrival, version: VersionId, model: &Model) -> Vec<Entry> {
        let Some((frame, _)) = arrival.frames.first() else { return vec![Entry::NotFollowed] };
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
        let mut constraints = self.arrival_axioms(arrival);
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
    ) -> Option<Result<(), Entry>> {
        match self.terms.pool.op(term) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(term).unwrap_or_default().to_owned();
                if let Some(event) = self.terms.event_of_variable(term) {
                    let event = self.terms.event_by_number(event);
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                if name.starts_with('!')
                    || name.starts_with(crate::walk::rounds::ROUNDS)
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
                Some(if known { Ok(()) } else { Err(Entry::ReadUnset { name: stem }) })
            }
            Op::Apply(function) => {
                if let Some((_, event)) = self.terms.event_of(function) {
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                let object = *self.terms.pool.args(term).first()?;
                let own = self.terms.pool.as_bits(object).is_some_and(|number| number >= OWN.into());
                Some(match self.terms.role(function) {
                    Role::Memory(..) | Role::Length if self.terms.is_constant(object) => {
                        Err(Entry::ConstantTable)
                    }
                    Role::Memory(..) | Role::Length if own => Err(Entry::NeverWritten),
                    Role::Memory(..) | Role::Length => Ok(()),
                    Role::Size => Err(Entry::SizeUnknown),
                    // Objects may lie anywhere; differences inside one object do not depend on it.
                    Role::Address | Role::Freed | Role::Rooted | Role::Whole(_) => Ok(()),
                    Role::Escaped | Role::Elsewhere | Role::Made if own => Ok(()),
                    Role::Escaped | Role::Elsewhere | Role::Made | Role::OfNumber(_) | Role::Fixed => {
                        Err(Entry::NotFollowed)
                    }
                })
            }
            _ => None,
        }
    }
}
