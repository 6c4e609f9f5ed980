//! Inputs that are run without being watched closely: many for the price of one question. Those that do something new are kept, and new ones are made of them.

use crate::command::{Commands, shorter};
use crate::edges::{Edges, Kind};
use crate::types::{Options, Shape, Worth};
use crate::vary::{Dice, smaller, vary};
use crate::vocabulary::Vocabulary;
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::{FuncId, Limits, Monitor, Off, Program, Run, Site};
use hydrogen_pair::{Outcome, memory};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// The tries of one search.
pub(crate) struct Tries<'p> {
    programs: [&'p Program; 2],
    /// By function of the new version.
    kinds: Vec<Kind>,
    words: Vocabulary,
    commands: Commands,
    dice: Dice,
    /// By shape: inputs that did something new.
    kept: Vec<Kept>,
    /// Branches of the new version that were seen, with the size of their number.
    edges: FxHashSet<(Site, u32, u32)>,
    /// By how many instructions the versions were apart.
    apart: FxHashSet<(i64, Option<u32>)>,
    /// Kinds of differences that were told, and are not wanted again.
    told: BTreeSet<&'static str>,
    /// Differences that were told, by their kind and the way of the functions that changed: another one that went the same way says nothing more.
    ways: FxHashSet<(&'static str, u64)>,
    /// How often a difference in messages alone was told, by these messages without their numbers.
    messages: FxHashMap<(&'static str, u64), u32>,
    /// How many inputs were run.
    pub(crate) count: u64,
    /// How many since it was last looked whether they come to an end, how many did, and within how many instructions.
    begun: u64,
    ended: u64,
    longest: u64,
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

/// What an input did.
struct Did {
    /// What it is worth that the versions differ, if they do.
    worth: Option<Worth>,
    /// In instructions.
    cost: u64,
    /// Whether something is new about it: how far the versions are apart, or a branch.
    new: Option<bool>,
    /// The way of the functions that changed.
    way: u64,
    /// What stands for the messages, where the versions differ in them alone.
    messages: Option<u64>,
}

/// So many inputs of a shape are kept, and so many shapes.
const MOST_KEPT: usize = 400;
const MOST_SHAPES: usize = 2000;
/// Runs of more instructions are cut: a program that counts to the number that it is given would take all of the time.
const LONG: u64 = 300_000;
/// So many shapes are new.
const NEWEST: usize = 12;
/// After so many inputs it is plain whether most of them are longer.
const FEW: u64 = 32;
/// What a run costs before its first instruction, in instructions.
const START: u64 = 20_000;
/// A difference in the same messages is told so often: who reads them knows it by then.
const SAME_MESSAGES: u32 = 2;
/// So many instructions to make a difference small.
const SHRINKING: u64 = 20_000_000;

impl<'p> Tries<'p> {
    /// For two programs of which these functions changed.
    pub(crate) fn new(programs: [&'p Program; 2], [old, new]: [BTreeSet<FuncId>; 2]) -> Self {
        Self {
            programs,
            kinds: Kind::of_all(programs[1], &new),
            words: Vocabulary::of(programs, [&old, &new]),
            commands: Commands::of(programs[1]),
            dice: Dice::new(),
            kept: Vec::new(),
            edges: FxHashSet::default(),
            apart: FxHashSet::default(),
            told: BTreeSet::new(),
            ways: FxHashSet::default(),
            messages: FxHashMap::default(),
            count: 0,
            begun: 0,
            ended: 0,
            longest: LONG,
        }
    }

    /// Command lines are made of this one, too.
    pub(crate) fn learn(&mut self, line: Vec<BString>) {
        self.commands.learn(line);
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

    /// Whether a difference is told: those of a kind that is not wanted are told once.
    pub(crate) fn tells(&self, worth: Worth) -> bool {
        worth.wanted || !self.told.contains(worth.kind)
    }

    /// A difference of a kind was told.
    pub(crate) fn tell(&mut self, worth: Worth) {
        self.told.insert(worth.kind);
    }

    /// Tries inputs for about so many instructions. Other command lines become shapes of their own.
    pub(crate) fn turn(
        &mut self,
        shapes: &mut Vec<Shape>,
        options: &Options,
        steps: u64,
        mut is_over: impl FnMut() -> bool,
    ) -> Tried {
        let mut left = steps;
        let mut new = None;
        while left > 0 && !self.kept.is_empty() && !is_over() {
            let shape = self.choose();
            // What is symbolic in a call has types that bytes know nothing of; a call that is given has parts.
            let kept = &self.kept[shape];
            let list =
                if kept.telling.is_empty() || self.dice.below(3) == 0 { &kept.inputs } else { &kept.telling };
            let from = list.get(self.dice.below(list.len())).cloned();
            let Some(from) = from.filter(|_| shapes[shape].symbolic.call.is_none()) else {
                left = left.saturating_sub(steps / 64);
                continue;
            };
            let other = (shapes[shape].free && self.dice.below(2) == 0)
                .then(|| self.commands.vary(&mut self.dice, &self.words, &shapes[shape], &from));
            let (made, input) = match other {
                Some((made, input)) => (Some(made), input),
                None => {
                    (None, vary(&mut self.dice, &self.words, &shapes[shape], &from, &self.kept[shape].inputs))
                }
            };
            let did = self.run(made.as_ref().unwrap_or(&shapes[shape]), options, &input);
            left = left.saturating_sub(did.cost.max(START));
            if let Some(worth) = did.worth.filter(|worth| self.tells(*worth)) {
                if !self.is_news(worth, &did) {
                    continue;
                }
                let whole = made.unwrap_or_else(|| shapes[shape].clone());
                let (small, input) = self.smallest(whole, options, input, worth);
                // What is left of it may be a difference that was told.
                let again = self.run(&small, options, &input);
                left = left.saturating_sub(SHRINKING / 4);
                if again.way != did.way && !self.ways.insert((worth.kind, again.way)) {
                    continue;
                }
                let shape = match shapes[shape].free {
                    true => {
                        shapes.push(small);
                        shapes.len() - 1
                    }
                    false => shape,
                };
                // Other differences are near.
                self.keep(shape, &input, true);
                return Tried::Differs(shape, input);
            }
            // What takes long would be asked about for ever.
            let Some(telling) =
                did.new.filter(|_| did.cost <= 2 * self.longest && shapes.len() < MOST_SHAPES)
            else {
                continue;
            };
            let shape = match made {
                Some(made) => {
                    shapes.push(made);
                    shapes.len() - 1
                }
                None => shape,
            };
            self.keep(shape, &input, telling);
            if telling {
                new = Some((shape, input));
            }
        }
        Tried::Nothing(new)
    }

    /// Runs an input that somebody proposes: it is kept if it does something new, and whether the versions differ.
    pub(crate) fn offer(
        &mut self,
        shapes: &[Shape],
        options: &Options,
        shape: usize,
        input: &Input,
    ) -> Option<Input> {
        let did = self.run(&shapes[shape], options, input);
        if let Some(worth) = did.worth.filter(|worth| self.tells(*worth)) {
            let is_new = self.ways.insert((worth.kind, did.way));
            return is_new.then(|| self.small(&shapes[shape], options, input.clone(), worth));
        }
        if let Some(telling) = did.new {
            self.keep(shape, input, telling);
        }
        None
    }

    /// Whether a difference says more than those that were told: another way of what changed, and messages that did not come again and again.
    fn is_news(&mut self, worth: Worth, did: &Did) -> bool {
        let often = did.messages.map_or(0, |messages| {
            let often = self.messages.entry((worth.kind, messages)).or_insert(0);
            *often += 1;
            *often
        });
        often <= SAME_MESSAGES && self.ways.insert((worth.kind, did.way))
    }

    /// A shape to make inputs of: every other time one of the newest, which lead on from where the others are.
    fn choose(&mut self) -> usize {
        let all = self.kept.len();
        match self.dice.below(2) {
            0 => all - 1 - self.dice.below(all.min(NEWEST)),
            _ => self.dice.below(all),
        }
    }

    fn run(&mut self, shape: &Shape, options: &Options, input: &Input) -> Did {
        self.count += 1;
        self.begun += 1;
        let [one, two] = self.programs;
        let limits = || Limits { steps: options.limits.steps.min(self.longest), ..options.limits.clone() };
        let before = one.run_with(shape.symbolic.world(one, &shape.world, input), limits(), Off);
        let after =
            two.run_with(shape.symbolic.world(two, &shape.world, input), limits(), Edges::new(&self.kinds));
        let (old, new) = (&outcome(one, &before), &outcome(two, &after));
        let steps = [before.statistics.steps, after.statistics.steps];
        let (edges, way) = (after.monitor.counts(), after.monitor.way());
        let mut did = Did { worth: None, cost: steps.iter().sum(), new: None, way, messages: None };
        if !old.is_whole() || !new.is_whole() {
            // Where most inputs take longer, longer is what they take.
            if self.begun >= FEW && self.ended * 2 < self.begun && did.cost > self.longest {
                (self.longest, self.ended, self.begun) = (self.longest * 2, 0, 0);
            }
            return did;
        }
        self.ended += 1;
        if !old.same(new, &options.observables) {
            did.worth = Some(options.worth(&shape.world, input, [old, new]));
            let alone = old.stdout == new.stdout && old.stderr != new.stderr;
            did.messages = alone.then(|| messages([old, new]));
        }
        let apart = steps[1] as i64 - steps[0] as i64;
        let mut is_new = false;
        for ((site, target), count) in edges {
            is_new |= self.edges.insert((*site, *target, count.ilog2()));
        }
        // Loops of the input part the versions by as many instructions as they have rounds: only the size counts.
        let apart = (apart.signum(), apart.unsigned_abs().checked_ilog2());
        did.new = match self.apart.insert(apart) && apart.0 != 0 {
            true => Some(true),
            false => is_new.then_some(false),
        };
        did
    }

    /// The input with everything left out that the difference does not need.
    fn small(&mut self, shape: &Shape, options: &Options, input: Input, worth: Worth) -> Input {
        let mut left = SHRINKING;
        self.small_bytes(shape, options, input, worth, &mut left)
    }

    /// The same, and where the command line may be another one, without words.
    pub(crate) fn smallest(
        &mut self,
        mut shape: Shape,
        options: &Options,
        mut input: Input,
        worth: Worth,
    ) -> (Shape, Input) {
        let mut left = SHRINKING;
        'again: while shape.free && left > 0 {
            for (fewer, next) in shorter(&shape, &input) {
                let did = self.run(&fewer, options, &next);
                left = left.saturating_sub(did.cost);
                if did.worth == Some(worth) {
                    (shape, input) = (fewer, next);
                    continue 'again;
                }
            }
            break;
        }
        let input = self.small_bytes(&shape, options, input, worth, &mut left);
        (shape, input)
    }

    fn small_bytes(
        &mut self,
        shape: &Shape,
        options: &Options,
        mut input: Input,
        worth: Worth,
        left: &mut u64,
    ) -> Input {
        'again: loop {
            for next in smaller(shape, &input) {
                let did = self.run(shape, options, &next);
                *left = left.saturating_sub(did.cost);
                if did.worth == Some(worth) {
                    input = next;
                    continue 'again;
                }
                if *left == 0 {
                    return input;
                }
            }
            return input;
        }
    }
}

/// What stands for the messages of both versions, whatever numbers are in them.
fn messages(outcomes: [&Outcome; 2]) -> u64 {
    let mut hasher = FxHasher::default();
    for outcome in outcomes {
        let words: Vec<u8> = outcome.stderr.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect();
        (words, std::mem::discriminant(&outcome.ending)).hash(&mut hasher);
    }
    hasher.finish()
}

/// What came out of a run.
fn outcome<M: Monitor>(program: &Program, run: &Run<M>) -> Outcome {
    let seen = memory(program, run.world.call.as_deref(), run.after.as_ref());
    Outcome::of(&run.end, &run.world, None).with_memory(&seen)
}
