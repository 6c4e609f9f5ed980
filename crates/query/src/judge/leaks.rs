//! Where memory is made, and when it is lost.

use crate::judge::fault::Site;
use crate::judge::operation::Operation;
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, StepId};
use crate::meaning::state::{Object, Role, Value};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_ir::Op;
use hydrogen_library::Clause;
use hydrogen_term::Term;

/// Objects of a function that another one may be held by; where there are more, it is not asked which one is.
const MOST_CONTAINERS: usize = 4;

impl Analyst<'_> {
    /// The library's function that a step calls for new memory.
    fn allocator(&self, shape: &Shape, step: StepId) -> Option<String> {
        let Op::Call { callee, .. } = shape.op(shape.call(step)?) else { return None };
        let function = shape.named(callee).filter(|function| !function.is_defined())?;
        let allocates = |clause: &Clause| matches!(clause, Clause::New { sure: false, .. });
        let contract = self.subject.library.contract(&function.name)?;
        contract.clauses.iter().any(allocates).then(|| function.name.clone())
    }

    /// The object that a step allocates.
    fn made_at(&mut self, frame: &Frame, shape: &Shape, step: StepId) -> Term {
        self.terms.object(Object::Heap(Self::place(frame, shape.steps[step].spot, 0)))
    }

    /// Whether an object is lost with another one of the function: nothing but that one held its address, nobody outside got to know that one
    /// either, and it is freed, or lost itself.
    fn goes_with(&mut self, object: Term, containers: &[Term], returned: Option<Value>) -> Term {
        let mut any = self.terms.pool.bool(false);
        for &container in containers {
            let (made, freed) =
                (self.terms.flag(Role::Made, container, None), self.terms.flag(Role::Freed, container, None));
            let known = self.terms.flag(Role::Escaped, container, None);
            let elsewhere = self.terms.elsewhere(object, container);
            let out = self.terms.pool.or(known, elsewhere);
            let inside = self.terms.pool.not(out);
            let returned = self.is_returned(container, returned);
            let dropped = self.terms.pool.not(returned);
            let gone = self.terms.pool.or(freed, dropped);
            let lost = self.terms.pool.and_all([made, gone, inside]);
            any = self.terms.pool.or(any, lost);
        }
        any
    }

    fn is_returned(&mut self, object: Term, value: Option<Value>) -> Term {
        match value {
            Some(Value::Pointer(other, _)) => self.terms.pool.eq(other, object),
            _ => self.terms.pool.bool(false),
        }
    }

    /// An object made here that is lost when the function ends: not freed, not returned, and nobody outside knows where it is; or that
    /// is lost with what holds it.
    pub(super) fn leaks(&mut self, frame: &Frame, shape: &Shape, step: StepId, out: &mut Vec<Site>) {
        let Some(function) = self.allocator(shape, step) else { return };
        let object = self.made_at(frame, shape, step);
        let others =
            (0..shape.steps.len()).filter(|&other| other != step && shape.order[other] != usize::MAX);
        let others: Vec<StepId> = others.filter(|&other| self.allocator(shape, other).is_some()).collect();
        let containers: Vec<Term> = match others.len() > MOST_CONTAINERS {
            true => Vec::new(),
            false => others.into_iter().map(|other| self.made_at(frame, shape, other)).collect(),
        };
        for (end, one) in shape.steps.iter().enumerate().filter(|(end, _)| shape.order[*end] != usize::MAX) {
            let Some(value) = shape.returned(end) else { continue };
            let value = value.map(|value| Eval::new(&mut self.terms, shape, &frame.prefix, 0).operand(value));
            let (made, freed) =
                (self.terms.flag(Role::Made, object, None), self.terms.flag(Role::Freed, object, None));
            let known = self.terms.flag(Role::Escaped, object, None);
            let returned = self.is_returned(object, value);
            let with_its_container = self.goes_with(object, &containers, value);
            let unknown = self.terms.pool.not(known);
            let unreachable = self.terms.pool.or(unknown, with_its_container);
            let kept = self.terms.pool.or(freed, returned);
            let lost = self.terms.pool.not(kept);
            let condition = self.terms.pool.and_all([made, lost, unreachable]);
            let message = format!("the memory from {function}() can be lost");
            let operation = Operation::default();
            out.push(Site {
                kind: Class::Leak,
                spot: one.spot,
                condition,
                operation,
                message,
                unsure: None,
                of_contents: false,
            });
        }
    }
}
