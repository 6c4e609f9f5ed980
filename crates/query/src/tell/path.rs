//! The way that a witness takes, read from its model.
//!
//! For evidence a question is asked again with choices: where control branches, the condition says by a variable of its own which way it
//! came, so that a model of the whole condition names the path.

use crate::meaning::shape::{ENTRY, Shape, Spot, StepId};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::{Evaluator, Model, Sort, Term};

/// The variable that holds a choice.
fn choice(frame: &Frame, round: usize, spot: Spot) -> String {
    format!("!{}|{round}|{}.{}", frame.prefix, spot.node.0, spot.ordinal)
}

/// The variable that holds how many rounds are to come at a function's entry.
pub(crate) fn round(frame: &Frame) -> String {
    format!("!{}", frame.prefix)
}

impl Analyst<'_> {
    /// The condition with the mark that control goes on to `to`.
    pub(crate) fn chosen(
        &mut self,
        frame: &Frame,
        round: usize,
        from: Spot,
        to: Spot,
        term: Term,
        versions: &VersionSet,
    ) -> Term {
        if !self.asking.choices || frame.depth > 0 {
            return term;
        }
        let Some((_, step)) = versions.first().and_then(|version| self.step(frame, to, version)) else {
            return term;
        };
        let variable = self.terms.pool.var(&choice(frame, round, from), Sort::Bits(32));
        let value = self.terms.pool.bits(32, step as u128);
        let mark = self.terms.pool.eq(variable, value);
        self.terms.pool.and(mark, term)
    }

    /// The condition with the mark of how many rounds are still to come at the function's entry.
    pub(crate) fn chosen_round(&mut self, frame: &Frame, round: usize, term: Term) -> Term {
        if !self.asking.choices || frame.depth > 0 {
            return term;
        }
        let variable = self.terms.pool.var(&self::round(frame), Sort::Bits(32));
        let value = self.terms.pool.bits(32, round as u128);
        let mark = self.terms.pool.eq(variable, value);
        self.terms.pool.and(mark, term)
    }

    /// The runs from the function's entry to `to`, by a model of a condition with choices.
    pub(crate) fn read_path(
        &mut self,
        frame: &Frame,
        version: VersionId,
        to: Spot,
        model: &Model,
    ) -> Vec<Spot> {
        let Some(shape) = self.shape(frame.chain, version) else { return Vec::new() };
        let start = self.terms.pool.var(&self::round(frame), Sort::Bits(32));
        let mut round = Evaluator::new(&self.terms.pool, model).bits(start) as usize;
        let mut step = ENTRY;
        let mut path = vec![shape.steps[step].spot];
        // A model may leave choices open that do not matter; then the way ends early and is not shown.
        for _ in 0..shape.steps.len() * (round + 2) {
            if shape.steps[step].spot == to && round == 0 {
                return path;
            }
            let next = match successors(&shape, step)[..] {
                [] => return Vec::new(),
                [only] => only,
                ref several => {
                    let name = choice(frame, round, shape.steps[step].spot);
                    let variable = self.terms.pool.var(&name, Sort::Bits(32));
                    let value = Evaluator::new(&self.terms.pool, model).bits(variable) as usize;
                    if !several.contains(&value) {
                        return Vec::new();
                    }
                    value
                }
            };
            if shape.dominators.dominates(next, step) {
                let Some(fewer) = round.checked_sub(1) else { return Vec::new() };
                round = fewer;
            }
            step = next;
            path.push(shape.steps[step].spot);
        }
        Vec::new()
    }
}

fn successors(shape: &Shape, step: StepId) -> Vec<StepId> {
    let leads = |(_, one): &(StepId, &crate::meaning::shape::Step)| {
        one.entering.iter().any(|entering| entering.from == step)
    };
    shape.steps.iter().enumerate().filter(leads).map(|(to, _)| to).collect()
}
