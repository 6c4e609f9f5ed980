//! What is known where a function begins.

use crate::meaning::effect::Effect;
use crate::meaning::eval::SET;
use crate::meaning::state::{Object, Role};
use crate::walk::{Analyst, Frame};
use hydrogen_term::{Op, Term};

impl Analyst<'_> {
    /// A condition at the entry of a function, without what the function's own variables had before they had a value.
    pub(crate) fn at_entry(&mut self, frame: &Frame, term: Term) -> Term {
        let mut assign = Vec::new();
        let no = self.terms.pool.bool(false);
        for variable in self.terms.pool.variables(&[term]) {
            let name = self.terms.pool.as_var(variable).unwrap_or_default();
            if name.ends_with(SET) && name.starts_with(&frame.prefix) {
                assign.push((variable, no));
            }
        }
        // Nothing is made before the function begins that it makes itself. What its caller made is another matter.
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && self.terms.role(function) == Role::Made
                && let Some(Object::Heap(place)) =
                    self.terms.pool.args(one).first().and_then(|object| self.terms.known(*object))
                && place.starts_with(&frame.prefix)
            {
                assign.push((one, no));
            }
        }
        self.terms.before(term, &Effect { assign, ..Effect::default() })
    }
}
