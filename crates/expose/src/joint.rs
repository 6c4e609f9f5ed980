//! One input in both versions, as one list of conditions: those of the new version's path, then what the old one's adds.
//!
//! The list is the input's place in a tree: an input that fulfils the first conditions and the next one turned around has the same first conditions.
//! So all pairs of paths are found by turning every condition of every list.

use crate::changes::Changes;
use crate::sequences::Walked;
use hydrogen_evidence::Input;
use hydrogen_explore::{Conjunct, Distances, Kind};
use hydrogen_machine::FuncId;
use hydrogen_pair::{Alignment, Apart, Ran};
use hydrogen_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// A condition of a run in both versions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) conjunct: Conjunct,
    /// Whether a change was executed before, in either version.
    pub(crate) behind: bool,
    /// How far it is to a change on the other side; none where no change can be reached there.
    pub(crate) distance: Option<u64>,
    /// Whether only one version has the condition.
    pub(crate) single: bool,
    /// Whether it is the user's code that decides, not the C library.
    pub(crate) own: bool,
    /// What stands for the changes that were executed before it, in their order; 0 where nobody asks for sequences.
    pub(crate) walked: u64,
}

/// What a run is seen by: the changes, how far it is to them, and which of them it has executed.
pub(crate) struct Towards<'a> {
    pub(crate) changes: &'a Changes,
    pub(crate) distances: &'a [Distances; 2],
    pub(crate) walked: Walked,
}

/// One input in both versions.
#[derive(Debug)]
pub(crate) struct Joint {
    /// Which shape of input.
    pub(crate) shape: usize,
    pub(crate) input: Input,
    pub(crate) parts: Vec<Part>,
    /// The paths of the old and the new version.
    pub(crate) paths: [Vec<Conjunct>; 2],
    /// Whether a change was executed.
    pub(crate) reached: bool,
    /// Whether the versions did something different behind it, even if nothing of it came out.
    pub(crate) infected: bool,
    /// Pairs of branches of the same instance that decide alike by different conditions, by their number on each path.
    pub(crate) alike: Vec<(usize, usize)>,
    /// When something different comes out although both paths stay as they are; none where that is impossible.
    pub(crate) apart: Option<Apart>,
}

impl Joint {
    pub(crate) fn new(
        shape: usize,
        input: Input,
        runs: &[Ran; 2],
        to: &Towards<'_>,
        apart: Option<Apart>,
        is_users: impl Fn(usize, FuncId) -> bool,
    ) -> Self {
        let Towards { changes, distances, walked } = to;
        let [old, new] = runs;
        let first =
            |ran: &Ran| ran.instances.all.iter().find(|it| changes.contains(it.node)).map(|it| it.step);
        let begins = [first(old), first(new)];
        let reached = begins.iter().any(Option::is_some);
        let is_behind = |program: usize, step: u64| begins[program].is_some_and(|begin| begin <= step);
        let paths = [old.seen.path.clone(), new.seen.path.clone()];
        // Up to the first change both paths are the same, so a condition has the same number on both.
        let together = |number: usize| {
            let own = paths[1].get(number).zip(paths[0].get(number));
            own.filter(|(new, old)| new.term == old.term && !is_behind(0, old.instance))
        };
        let terms: [FxHashSet<Term>; 2] =
            [0, 1].map(|program| paths[program].iter().map(|one| one.term).collect());
        let mut known = FxHashSet::default();
        let mut parts = Vec::new();
        for (number, conjunct) in paths[1].iter().enumerate() {
            if !known.insert(conjunct.term) {
                continue;
            }
            let partner = together(number).map(|(_, old)| old);
            let behind = is_behind(1, conjunct.instance) || partner.is_none();
            let near = distances[1].other_side(conjunct);
            let other = partner.and_then(|old| distances[0].other_side(old));
            let distance = near.into_iter().chain(other).min();
            let single = !terms[0].contains(&conjunct.term);
            let own = is_users(1, conjunct.site.function);
            let walked = walked.until(conjunct.instance);
            parts.push(Part { conjunct: *conjunct, behind, distance, single, own, walked });
        }
        for conjunct in &paths[0] {
            if known.insert(conjunct.term) {
                let distance = distances[0].other_side(conjunct);
                let own = is_users(0, conjunct.site.function);
                let walked = 0;
                parts.push(Part { conjunct: *conjunct, behind: true, distance, single: true, own, walked });
            }
        }
        let alignment = reached.then(|| Alignment::of(&old.instances, &new.instances));
        let alike = alignment.as_ref().map_or(Vec::new(), |alignment| alike(runs, alignment));
        let infected = alignment.as_ref().is_some_and(|alignment| is_infected(runs, alignment, changes));
        Self { shape, input, parts, paths, reached, infected, alike, apart }
    }

    /// The conditions before one.
    pub(crate) fn before(&self, at: usize) -> Vec<Term> {
        self.parts[..at].iter().map(|part| part.conjunct.term).collect()
    }

    /// The conditions of both paths before the branches of a pair.
    pub(crate) fn before_pair(&self, (old, new): (usize, usize)) -> Vec<Term> {
        let both = self.paths[1][..new].iter().chain(&self.paths[0][..old]);
        both.map(|one| one.term).collect()
    }
}

/// Conditions of aligned instances that differ as terms, and hold in both runs.
fn alike(runs: &[Ran; 2], alignment: &Alignment) -> Vec<(usize, usize)> {
    let [old, new] = runs;
    let number_of = |ran: &Ran, conjunct: &Conjunct| {
        let instance = ran.instances.at_step(conjunct.instance)?;
        let place = ran.instances.all.partition_point(|it| it.step < instance.step);
        Some(place as u32)
    };
    // By instance of the old run, its conditions in order.
    let mut olds: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (number, conjunct) in old.seen.path.iter().enumerate() {
        if let Some(instance) = number_of(old, conjunct) {
            olds.entry(instance).or_default().push(number);
        }
    }
    let mut used: FxHashMap<u32, usize> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (number, conjunct) in new.seen.path.iter().enumerate() {
        let Some(instance) = number_of(new, conjunct) else { continue };
        let Some(partner) = alignment.first_of.get(instance as usize).copied().flatten() else { continue };
        let Some(candidates) = olds.get(&partner) else { continue };
        let place = used.entry(instance).or_insert(0);
        let Some(&other) = candidates.get(*place) else { continue };
        *place += 1;
        let before = &old.seen.path[other];
        if before.kind == conjunct.kind && before.kind == Kind::Branch && before.term != conjunct.term {
            pairs.push((other, number));
        }
    }
    pairs
}

/// Whether a statement that both executed computed something else, or one version alone executed one that did not change.
fn is_infected([old, new]: &[Ran; 2], alignment: &Alignment, changes: &Changes) -> bool {
    let alone = |ran: &Ran, partners: &[Option<u32>]| {
        let all = ran.instances.all.iter().zip(partners);
        all.into_iter().any(|(it, partner)| partner.is_none() && !changes.contains(it.node))
    };
    let other = |(it, partner): (&hydrogen_pair::Instance, &Option<u32>)| {
        partner.is_some_and(|at| new.instances.all[at as usize].values != it.values)
    };
    old.instances.all.iter().zip(&alignment.second_of).any(other)
        || alone(old, &alignment.second_of)
        || alone(new, &alignment.first_of)
}
