//! Counted loops in a run: while one goes on nothing is followed, and behind it what it leaves is known.

use crate::concolic::Concolic;
use crate::counted::Shape;
use hydrogen_machine::Step;
use hydrogen_machine::code::{Pc, Reg};
use hydrogen_term::Term;
use std::sync::Arc;

/// A loop under way that is not followed.
#[derive(Debug)]
pub(crate) struct Looping {
    shape: Arc<Shape>,
    /// The branch that leaves it.
    at: Pc,
    /// What its registers are behind it.
    behind: Vec<(Reg, Term)>,
}

impl Concolic<'_> {
    /// Whether the branch that is about to be executed is that of a counted loop. Then the loop begins here.
    pub(crate) fn begins_loop(&mut self, step: &Step<'_>, targets: [Pc; 2]) -> bool {
        if !self.summaries {
            return false;
        }
        let (pool, site) = (&mut self.pool, step.site);
        let shape = self
            .shapes
            .entry(site)
            .or_insert_with(|| Shape::of(step.code, site.pc, targets[0]).map(Arc::new));
        let (Some(shape), Some(frame)) = (shape.clone(), self.frames.last()) else { return false };
        let Some(behind) = shape.behind(pool, step.code, frame, step.registers) else { return false };
        self.looping = Some(Looping { shape, at: site.pc, behind });
        true
    }

    /// An instruction while a loop is not followed: whether it still belongs to it.
    pub(crate) fn step_in_loop(&mut self, step: &Step<'_>) -> bool {
        let Some(looping) = &self.looping else { return false };
        let pc = step.site.pc;
        if pc == looping.at || looping.shape.contains(pc) {
            return true;
        }
        let behind = self.looping.take().map(|looping| looping.behind).unwrap_or_default();
        for (reg, term) in behind {
            if let Some(audit) = &mut self.audit {
                audit.insert((term, u128::from(step.registers[reg as usize])));
            }
            self.set(reg, Some(term));
        }
        false
    }
}
