//! Where two runs with the same outcome have become the same again (Alg. 3): a hint for the search, never a part of a condition.
//!
//! As printed, the values at these places are what a partition is made of, which is wrong (ERR-1): branches behind them can take an infected value to
//! the output. Here the whole relevant-slice conditions of both outputs are, and the places only say which branches to turn around first, and tell
//! people where the change stops to matter. Both runs are looked at, so that a dependence that was deleted counts, too (ERR-2).

use crate::changes::Change;
use crate::subject::Subject;
use hydrogen_evidence::Input;
use hydrogen_pair::{Alignment, Facts, Node, Pair, Ran};
use hydrogen_trace::{Criterion, Static};
use std::collections::BTreeSet;

/// Longer runs are not looked at: a hint must not cost more than what it saves.
const MOST_STEPS: u64 = 300_000;

/// Finds where runs become the same again; what that needs of the programs is found once.
pub(crate) struct Converging<'a> {
    pair: Pair<'a>,
    statics: Vec<Static<'a>>,
    changed: BTreeSet<Node>,
}

/// The places of one input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// The statement in the oldest and in the newest version.
    pub(crate) places: BTreeSet<(Change, Change)>,
    /// By version, oldest and newest, the instructions that decide there, by their number in the run.
    pub(crate) decide: [BTreeSet<u64>; 2],
}

/// What a run's output depends on, by instances of statements.
struct Depends {
    /// Whether an instance is in the relevant slice of the output.
    relevant: Vec<bool>,
    /// Who depends on whom, by data or control.
    edges: BTreeSet<(u32, u32)>,
}

impl<'a> Converging<'a> {
    pub(crate) fn new(subject: &Subject<'a>) -> Option<Self> {
        let (old, new) = (*subject.programs.first()?, *subject.programs.last()?);
        let entry = subject.world.entry.as_str();
        let statics = [old, new].map(|program| Static::new(program, &[entry])).into();
        Some(Self { pair: Pair::new(&[old, new]), statics, changed: BTreeSet::new() })
    }

    /// The places for an input that executes these changed statements, given by their lines.
    pub(crate) fn of(
        &mut self,
        subject: &Subject<'a>,
        input: &Input,
        changed: &BTreeSet<Change>,
    ) -> Option<Hints> {
        let last = subject.programs.len() - 1;
        let mut runs = Vec::new();
        for (at, version) in [0, last].into_iter().enumerate() {
            let ran = self.pair.run_in(at, subject.setting(), &subject.own_input(version, input)).ok()?;
            if ran.seen.steps > MOST_STEPS {
                return None;
            }
            runs.push(ran);
        }
        let [old, new] = runs.as_slice() else { return None };
        let depends = [self.depends(0, old)?, self.depends(1, new)?];
        self.changed = self.changed_nodes(last, [old, new], changed);
        Some(self.frontier([old, new], &depends, last))
    }

    fn depends(&self, at: usize, ran: &Ran) -> Option<Depends> {
        let facts = Facts::new(&self.statics[at], ran).ok()?;
        let all = facts.dependences();
        let slice = all.relevant_slice(&all.find(&Criterion::Everything).ok()?).ok()?;
        let mut relevant = vec![false; ran.instances.all.len()];
        for step in (1..=all.steps).filter(|&step| slice.contains(step)) {
            if let Some(at) = ran.instances.position(step) {
                relevant[at as usize] = true;
            }
        }
        let mut edges = BTreeSet::new();
        all.each(|who, on, _| {
            if let (Some(who), Some(on)) = (ran.instances.position(who), ran.instances.position(on))
                && who != on
                && slice_has(&relevant, who)
            {
                edges.insert((who, on));
            }
        })
        .ok()?;
        Some(Depends { relevant, edges })
    }

    /// The statements of these runs that stand in a changed line.
    fn changed_nodes(&self, last: usize, runs: [&Ran; 2], changed: &BTreeSet<Change>) -> BTreeSet<Node> {
        let mut found = BTreeSet::new();
        for (at, ran) in runs.into_iter().enumerate() {
            for instance in &ran.instances.all {
                if self.place(at, last, instance.node).is_some_and(|place| changed.contains(&place)) {
                    found.insert(instance.node);
                }
            }
        }
        found
    }

    fn place(&self, at: usize, last: usize, node: Node) -> Option<Change> {
        let (file, line) = self.pair.nodes.line(at, node)?;
        Some(Change { version: if at == 0 { 0 } else { last }, file: file.to_owned(), line })
    }

    /// Instances that are the same in both runs and depend on one that is not.
    fn frontier(&self, runs: [&Ran; 2], depends: &[Depends; 2], last: usize) -> Hints {
        let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
        let same = |one: u32| {
            let other = alignment.second_of[one as usize]?;
            let (a, b) = (&runs[0].instances.all[one as usize], &runs[1].instances.all[other as usize]);
            let is_same = a.node == b.node && a.values == b.values && !self.changed.contains(&a.node);
            is_same.then_some(other)
        };
        let mut clean: [Vec<bool>; 2] =
            [vec![false; runs[0].instances.all.len()], vec![false; runs[1].instances.all.len()]];
        for one in 0..runs[0].instances.all.len() as u32 {
            if let Some(other) = same(one) {
                clean[0][one as usize] = true;
                clean[1][other as usize] = true;
            }
        }
        let touched = |side: usize, at: u32| {
            let on = depends[side].edges.range((at, 0)..=(at, u32::MAX));
            on.into_iter().any(|&(_, on)| !clean[side][on as usize])
        };
        let mut hints = Hints::default();
        for (one, other) in alignment.pairs().filter(|&(one, _)| clean[0][one as usize]) {
            let is_relevant = slice_has(&depends[0].relevant, one) || slice_has(&depends[1].relevant, other);
            if !is_relevant || !(touched(0, one) || touched(1, other)) {
                continue;
            }
            for (side, ran, at) in [(0, runs[0], one), (1, runs[1], other)] {
                let decides = ran.seen.path.iter().map(|one| one.instance);
                let here = decides.filter(|&step| ran.instances.position(step) == Some(at));
                hints.decide[side].extend(here);
            }
            let node = runs[0].instances.all[one as usize].node;
            if let (Some(old), Some(new)) = (self.place(0, last, node), self.place(1, last, node)) {
                hints.places.insert((old, new));
            }
        }
        hints
    }
}

fn slice_has(relevant: &[bool], at: u32) -> bool {
    relevant.get(at as usize).copied().unwrap_or(false)
}
