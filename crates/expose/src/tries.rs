//! Inputs that are run without being watched closely: many for the price of one question. Those that do something new are kept, and new ones are made of them.

use crate::types::Shape;
use crate::vary::{Dice, smaller, vary};
use crate::vocabulary::Vocabulary;
use hydrogen_evidence::Input;
use hydrogen_machine::{Limits, Monitor, Program, Site, Step};
use hydrogen_pair::{Observable, Outcome, memory};
use rustc_hash::FxHashSet;

/// The branches of a run of the user's code, with how often each went which way, roughly.
struct Edges<'p> {
    program: &'p Program,
    last: Site,
    users: bool,
    counts: rustc_hash::FxHashMap<(Site, u32), u32>,
}

impl Monitor for Edges<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.last = step.site;
    }

    fn branch(&mut self, target: u32) {
        if self.users && self.program.is_users(self.last.function) {
            *self.counts.entry((self.last, target)).or_insert(0) += 1;
        }
    }
}

/// The tries of one search.
pub(crate) struct Tries<'p> {
    programs: [&'p Program; 2],
    words: Vocabulary,
    dice: Dice,
    /// By shape: inputs that did something new.
    kept: Vec<Kept>,
    /// Branches of the new version that were seen, with the size of their number.
    edges: FxHashSet<(Site, u32, u32)>,
    /// By how many instructions the versions were apart.
    apart: FxHashSet<(i64, Option<u32>)>,
}

/// What is known of one shape.
#[derive(Default)]
struct Kept {
    inputs: Vec<Input>,
    /// Those in which the versions went different ways.
    telling: Vec<Input>,
}

/// What came of a turn.
pub(crate) enum Tried {
    /// The versions differ.
    Differs(usize, Input),
    /// They went different ways as never before, or nothing is new.
    Nothing(Option<(usize, Input)>),
}

/// So many inputs of a shape are kept.
const MOST_KEPT: usize = 400;
/// Runs of more instructions are not kept.
const LONG: u64 = 300_000;
/// What a run costs before its first instruction, in instructions.
const START: u64 = 20_000;
/// So many instructions to make a difference small.
const SHRINKING: u64 = 20_000_000;

impl<'p> Tries<'p> {
    pub(crate) fn new(programs: [&'p Program; 2]) -> Self {
        let (edges, apart) = (FxHashSet::default(), FxHashSet::default());
        Self { programs, words: Vocabulary::of(programs), dice: Dice::new(), kept: Vec::new(), edges, apart }
    }

    /// An input of the search is a start for others.
    pub(crate) fn keep(&mut self, shape: usize, input: &Input, differs: bool) {
        if self.kept.len() <= shape {
            self.kept.resize_with(shape + 1, Kept::default);
        }
        let kept = &mut self.kept[shape];
        if kept.inputs.len() < MOST_KEPT {
            kept.inputs.push(input.clone());
            if differs {
                kept.telling.push(input.clone());
            }
        }
    }

    /// Tries inputs for about so many instructions.
    pub(crate) fn turn(
        &mut self,
        shapes: &[Shape],
        limits: &Limits,
        observables: &[Observable],
        steps: u64,
        mut is_over: impl FnMut() -> bool,
    ) -> Tried {
        let mut left = steps;
        let mut new = None;
        while left > 0 && !self.kept.is_empty() && !is_over() {
            let shape = self.dice.below(self.kept.len());
            // What is symbolic in a call has types that bytes know nothing of; a call that is given has parts.
            if shapes[shape].symbolic.call.is_some() {
                left = left.saturating_sub(steps / 64);
                continue;
            }
            let kept = &self.kept[shape];
            let list =
                if kept.telling.is_empty() || self.dice.below(3) == 0 { &kept.inputs } else { &kept.telling };
            let from = list.get(self.dice.below(list.len())).cloned();
            let Some(from) = from else {
                left = left.saturating_sub(steps / 64);
                continue;
            };
            let input = vary(&mut self.dice, &self.words, &shapes[shape], &from, &self.kept[shape].inputs);
            let (differs, cost, is_new) = self.run(&shapes[shape], limits, observables, &input);
            left = left.saturating_sub(cost.max(START));
            if differs {
                let input = self.small(&shapes[shape], limits, observables, input);
                return Tried::Differs(shape, input);
            }
            match is_new {
                // What takes long would be asked about for ever.
                _ if cost > LONG => {}
                Some(true) => {
                    self.keep(shape, &input, true);
                    new = Some((shape, input));
                }
                Some(false) => self.keep(shape, &input, false),
                None => {}
            }
        }
        Tried::Nothing(new)
    }

    /// Whether an input tells the versions apart; what it cost; and whether something is new about it: how far the versions are apart, or a branch.
    fn run(
        &mut self,
        shape: &Shape,
        limits: &Limits,
        observables: &[Observable],
        input: &Input,
    ) -> (bool, u64, Option<bool>) {
        let mut outcomes = Vec::new();
        let mut steps = Vec::new();
        let mut edges = Vec::new();
        for (at, program) in self.programs.into_iter().enumerate() {
            let world = shape.symbolic.world(program, &shape.world, input);
            let nowhere = Site { function: hydrogen_machine::FuncId(0), pc: 0 };
            let watch = Edges { program, last: nowhere, users: at == 1, counts: Default::default() };
            let run = program.run_with(world, limits.clone(), watch);
            let seen = memory(program, run.world.call.as_deref(), run.after.as_ref());
            outcomes.push(Outcome::of(&run.end, &run.world, None).with_memory(&seen));
            steps.push(run.statistics.steps);
            edges.extend(run.monitor.counts);
        }
        let cost = steps.iter().sum();
        let [old, new] = outcomes.as_slice() else { return (false, cost, None) };
        if !old.is_whole() || !new.is_whole() {
            return (false, cost, None);
        }
        let differs = !old.same(new, observables);
        let apart = steps[1] as i64 - steps[0] as i64;
        let mut is_new = false;
        for ((site, target), count) in edges {
            is_new |= self.edges.insert((site, target, count.ilog2()));
        }
        // Loops of the input part the versions by as many instructions as they have rounds: only the size counts.
        let apart = (apart.signum(), apart.unsigned_abs().checked_ilog2());
        if self.apart.insert(apart) && apart.0 != 0 {
            return (differs, cost, Some(true));
        }
        (differs, cost, is_new.then_some(false))
    }

    /// The input with everything left out that the difference does not need.
    pub(crate) fn small(
        &mut self,
        shape: &Shape,
        limits: &Limits,
        observables: &[Observable],
        mut input: Input,
    ) -> Input {
        let mut left = SHRINKING;
        'again: loop {
            for next in smaller(shape, &input) {
                let (differs, cost, _) = self.run(shape, limits, observables, &next);
                left = left.saturating_sub(cost);
                if differs {
                    input = next;
                    continue 'again;
                }
                if left == 0 {
                    return input;
                }
            }
            return input;
        }
    }
}
