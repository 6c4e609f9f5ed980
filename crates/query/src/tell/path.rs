//! The way that a witness takes, read from its model.
//!
//! For evidence a question is asked again with choices: where control branches, the condition says by a variable of its own which way it
//! came, so that a model of the whole condition names the path. Ways are named by the statements that all versions share, so that versions
//! whose ways are the same have the same condition, and others have not.

use crate::judge::resolve::Arrival;
use crate::meaning::shape::{ENTRY, Shape, Spot, StepId};
use crate::walk::region::is_new_round;
use crate::walk::{Analyst, Frame};
use hydrogen_graph::VersionId;
use hydrogen_term::{Answer, Evaluator, Model, Sort, Term};
use std::collections::VecDeque;

/// The width of a choice, and of how many rounds are to come.
const CHOICE: u32 = 64;
/// Questions that are asked for a shorter way.
const MOST_ASKED: usize = 48;

/// The variable that holds a choice.
fn choice(frame: &Frame, round: usize, spot: Spot) -> String {
    format!("!{}|{round}|{}.{}", frame.prefix, spot.node.0, spot.ordinal)
}

/// What a choice is when control goes on there.
fn chosen_number(to: Spot) -> u128 {
    u128::from(to.node.0) << 32 | u128::from(to.ordinal)
}

impl Analyst<'_> {
    /// The condition with the mark that control goes on to `to`.
    pub(crate) fn chosen(&mut self, frame: &Frame, round: usize, from: Spot, to: Spot, term: Term) -> Term {
        if !self.asking.choices || frame.depth > 0 {
            return term;
        }
        let variable = self.terms.pool.var(&choice(frame, round, from), Sort::Bits(CHOICE));
        let value = self.terms.pool.bits(CHOICE, chosen_number(to));
        let mark = self.terms.pool.eq(variable, value);
        self.terms.pool.and(mark, term)
    }

    /// The condition with the mark of how many rounds are still to come at the function's entry.
    pub(crate) fn chosen_round(&mut self, frame: &Frame, round: usize, term: Term) -> Term {
        if !self.asking.choices || frame.depth > 0 {
            return term;
        }
        let mark = self.is_round(frame, round);
        self.terms.pool.and(mark, term)
    }

    /// The variable that holds how many rounds are to come at a function's entry.
    pub(crate) fn rounds_to_come(&mut self, frame: &Frame) -> Term {
        self.terms.pool.var(&format!("!{}", frame.prefix), Sort::Bits(CHOICE))
    }

    fn is_round(&mut self, frame: &Frame, round: usize) -> Term {
        let variable = self.rounds_to_come(frame);
        let value = self.terms.pool.bits(CHOICE, round as u128);
        self.terms.pool.eq(variable, value)
    }

    /// The runs from the function's entry to `to`, by a model of a condition with choices.
    pub(crate) fn read_path(
        &mut self,
        frame: &Frame,
        version: VersionId,
        to: Spot,
        model: &Model,
    ) -> Vec<Spot> {
        self.follow_choices(frame, version, to, &mut |one, variable, _| {
            Some(Evaluator::new(&one.terms.pool, model).bits(variable))
        })
    }

    /// A model of the shortest way, as far as that is asked for: fewest rounds first, then at each branch the side from which it is the
    /// least far. So it does not depend on which model the solver has at hand what way is told. What was chosen is added to the
    /// constraints.
    pub(crate) fn nearest(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        constraints: &mut Vec<Term>,
        first: Model,
    ) -> Model {
        let known = self.terms.pool.variables(&[arrival.term]);
        let (mut model, mut asked) = (first, 0);
        for (frame, to) in arrival.frames.clone() {
            self.follow_choices(&frame, version, to, &mut |one, variable, better| {
                // What the condition does not speak of is no choice.
                if !known.contains(&variable) {
                    return None;
                }
                let present = Evaluator::new(&one.terms.pool, &model).bits(variable);
                let mut taken = present;
                for &number in better.iter().take_while(|&&number| number != present) {
                    if asked == MOST_ASKED {
                        break;
                    }
                    asked += 1;
                    let value = one.terms.pool.bits(CHOICE, number);
                    constraints.push(one.terms.pool.eq(variable, value));
                    match one.engine.check(&mut one.terms.pool, constraints) {
                        Answer::Sat(shorter) => {
                            (model, taken) = (shorter, number);
                            return Some(taken);
                        }
                        _ => drop(constraints.pop()),
                    }
                }
                let value = one.terms.pool.bits(CHOICE, taken);
                constraints.push(one.terms.pool.eq(variable, value));
                Some(taken)
            });
        }
        model
    }

    /// The runs from the function's entry to `to`, where somebody chooses: the number of rounds, and at each branch where to go on. What
    /// can be chosen comes with the best first. Empty where something else is chosen, or nothing.
    fn follow_choices(
        &mut self,
        frame: &Frame,
        version: VersionId,
        to: Spot,
        choose: &mut impl FnMut(&mut Self, Term, &[u128]) -> Option<u128>,
    ) -> Vec<Spot> {
        let Some(shape) = self.shape(frame.chain, version) else { return Vec::new() };
        let Some(&end) = shape.by_spot.get(&to) else { return Vec::new() };
        let far = distances(&shape, end);
        let start = self.rounds_to_come(frame);
        let most: Vec<u128> = (0..=self.asking.rounds as u128).collect();
        let Some(mut round) = choose(self, start, &most).and_then(|round| usize::try_from(round).ok()) else {
            return Vec::new();
        };
        let mut step = ENTRY;
        let mut path = vec![shape.steps[step].spot];
        // A model may leave choices open that do not matter; then the way ends early and is not shown.
        for _ in 0..shape.steps.len().saturating_mul(round.saturating_add(2)) {
            if shape.steps[step].spot == to && round == 0 {
                return path;
            }
            let next = match successors(&shape, step)[..] {
                [] => return Vec::new(),
                [only] => only,
                ref several => {
                    let name = choice(frame, round, shape.steps[step].spot);
                    let variable = self.terms.pool.var(&name, Sort::Bits(CHOICE));
                    let mut nearest = several.to_vec();
                    nearest.sort_by_key(|&one| (far[one], one));
                    let number = |&one: &StepId| chosen_number(shape.steps[one].spot);
                    let numbers: Vec<u128> = nearest.iter().map(number).collect();
                    let taken = choose(self, variable, &numbers);
                    match nearest.iter().find(|&one| Some(number(one)) == taken) {
                        Some(&next) => next,
                        None => return Vec::new(),
                    }
                }
            };
            if is_new_round(&shape, step, next) {
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

/// How many runs are between each run and this one.
fn distances(shape: &Shape, to: StepId) -> Vec<usize> {
    let mut far = vec![usize::MAX; shape.steps.len()];
    far[to] = 0;
    let mut open = VecDeque::from([to]);
    while let Some(step) = open.pop_front() {
        for entering in &shape.steps[step].entering {
            if far[entering.from] == usize::MAX {
                far[entering.from] = far[step] + 1;
                open.push_back(entering.from);
            }
        }
    }
    far
}
