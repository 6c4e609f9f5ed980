//! What the tests of a suite execute of two versions: which of them a change can affect (C3), which changes none of them executes, and which of them are
//! enough (C4).

use crate::changes::Changes;
use crate::way::point;
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Point;
use hydrogen_machine::{FuncId, Limits, Monitor, Program, Site, Step, World};
use hydrogen_pair::{Ending, Node, Nodes, Observable, Outcome};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Two versions of a program, and what differs between them.
pub struct Suite<'p> {
    programs: [&'p Program; 2],
    nodes: Nodes<'p>,
    /// What differs between them.
    pub changes: Changes,
}

/// What a test executes.
#[derive(Debug, Clone, Default)]
pub struct Visit {
    /// The statements that changed, of either version.
    pub changes: BTreeSet<Node>,
    /// All statements of the new version that the user wrote.
    pub statements: BTreeSet<Node>,
    /// The branches of the new version, with the sides that they took.
    pub branches: BTreeSet<(Site, u32)>,
    /// Why a run did not come to its end: then it may execute more than is said here.
    pub cut: Option<String>,
    /// In what the versions differ.
    pub differs: Vec<String>,
}

impl Visit {
    /// Whether the change can affect the test: it executes a statement that changed, or it is not known what it executes.
    pub fn is_affected(&self) -> bool {
        !self.changes.is_empty() || self.cut.is_some()
    }
}

/// The user's instructions that a run executes, and its branches.
struct Visited<'p> {
    program: &'p Program,
    last: Site,
    sites: FxHashSet<Site>,
    branches: FxHashSet<(Site, u32)>,
}

impl Monitor for Visited<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.last = step.site;
        if self.program.is_users(step.site.function) {
            self.sites.insert(step.site);
        }
    }

    fn branch(&mut self, target: u32) {
        if self.program.is_users(self.last.function) {
            self.branches.insert((self.last, target));
        }
    }
}

impl<'p> Suite<'p> {
    /// Prepares two versions, the old one first.
    pub fn new(programs: [&'p Program; 2]) -> Self {
        let mut nodes = Nodes::new(&programs);
        let changes = Changes::of(&mut nodes, programs);
        Self { programs, nodes, changes }
    }

    /// The statements that changed, in the order of the source.
    pub fn points(&self) -> Vec<(Node, Point)> {
        let mut all: Vec<(Node, Point)> =
            self.changes.nodes().map(|node| (node, point(&self.nodes, node, true))).collect();
        all.retain(|(_, point)| point.lines.iter().any(Option::is_some));
        all.sort_by(|(_, one), (_, two)| {
            let place = |point: &Point| point.lines[1].clone().or_else(|| point.lines[0].clone());
            place(one).cmp(&place(two))
        });
        all
    }

    /// Runs a test in both versions.
    pub fn run(&mut self, world: &World, input: &Input, limits: &Limits) -> Visit {
        let mut visit = Visit::default();
        let mut outcomes = Vec::new();
        for (at, program) in self.programs.into_iter().enumerate() {
            let last = Site { function: FuncId(0), pc: 0 };
            let watch =
                Visited { program, last, sites: FxHashSet::default(), branches: FxHashSet::default() };
            let run = program.run_with(world.with_input(input), limits.clone(), watch);
            let outcome = Outcome::of(&run.end, &run.world, None);
            if let Ending::Cut(why) = &outcome.ending {
                visit.cut.get_or_insert_with(|| why.clone());
            }
            outcomes.push(outcome);
            for site in run.monitor.sites {
                let Some(node) = self.nodes.at(at, site) else { continue };
                if self.changes.contains(node) {
                    visit.changes.insert(node);
                }
                if at == 1 {
                    visit.statements.insert(node);
                }
            }
            if at == 1 {
                visit.branches.extend(run.monitor.branches);
            }
        }
        if let [old, new] = outcomes.as_slice()
            && old.is_whole()
            && new.is_whole()
        {
            let differences = old.differences(new, &Observable::usual());
            visit.differs = differences.iter().map(|one| one.observable.to_string()).collect();
        }
        visit
    }
}

/// The tests that together cover what all of them cover, by number: without any one of them something is lost.
pub fn reduce<T: Ord + Clone>(tests: &[BTreeSet<T>]) -> Vec<usize> {
    let mut left: BTreeSet<T> = tests.iter().flatten().cloned().collect();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let gain = |at: &usize| tests[*at].intersection(&left).count();
        // Of equals the first, so that the same suite always gives the same tests.
        let Some(best) = (0..tests.len()).max_by_key(|at| (gain(at), std::cmp::Reverse(*at))) else { break };
        for one in &tests[best] {
            left.remove(one);
        }
        chosen.push(best);
    }
    // What a later choice covers too is not needed.
    for at in (0..chosen.len()).rev() {
        let others: BTreeSet<&T> =
            chosen.iter().filter(|one| **one != chosen[at]).flat_map(|one| &tests[*one]).collect();
        if tests[chosen[at]].iter().all(|one| others.contains(one)) {
            chosen.remove(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The order in which to run tests, by number: next is the one that covers most of what those before it do not; of equals the first. When nothing is left to
/// cover, it begins again with the rest, so that no test is lost.
pub fn prioritise<T: Ord + Clone>(tests: &[BTreeSet<T>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut open: Vec<usize> = (0..tests.len()).collect();
    while !open.is_empty() {
        let mut covered: BTreeSet<&T> = BTreeSet::new();
        loop {
            let gain = |at: &usize| tests[*at].iter().filter(|one| !covered.contains(one)).count();
            let best = open.iter().copied().max_by_key(|at| (gain(at), std::cmp::Reverse(*at)));
            let Some(best) = best.filter(|at| gain(at) > 0) else { break };
            covered.extend(&tests[best]);
            open.retain(|at| *at != best);
            order.push(best);
        }
        // What covers nothing at all comes last, as it stands.
        if open.iter().all(|at| tests[*at].is_empty()) {
            order.append(&mut open);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{prioritise, reduce};
    use std::collections::BTreeSet;

    #[test]
    fn what_is_left_covers_the_same_and_nothing_of_it_can_go() {
        // All suites of three tests over four things.
        for code in 0u32..1 << 12 {
            let tests: Vec<BTreeSet<u32>> = (0..3)
                .map(|test| (0..4).filter(|thing| code >> (test * 4 + thing) & 1 == 1).collect())
                .collect();
            let chosen = reduce(&tests);
            let covered = |skip: Option<usize>| -> BTreeSet<u32> {
                chosen.iter().filter(|at| Some(**at) != skip).flat_map(|at| tests[*at].clone()).collect()
            };
            let all: BTreeSet<u32> = tests.iter().flatten().copied().collect();
            assert_eq!(covered(None), all, "{tests:?}");
            assert!(chosen.iter().all(|at| covered(Some(*at)) != all), "{tests:?}: {chosen:?}");
        }
    }

    #[test]
    fn every_test_has_its_place_and_the_first_ones_cover_most() {
        for code in 0u32..1 << 12 {
            let tests: Vec<BTreeSet<u32>> = (0..3)
                .map(|test| (0..4).filter(|thing| code >> (test * 4 + thing) & 1 == 1).collect())
                .collect();
            let order = prioritise(&tests);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
            // No other second test covers more together with the first.
            let together = |second: usize| tests[order[0]].union(&tests[second]).count();
            assert!(tests.iter().all(|one| one.len() <= tests[order[0]].len()), "{tests:?}");
            assert!(
                (0..3).filter(|at| *at != order[0]).all(|at| together(at) <= together(order[1])),
                "{tests:?}: {order:?}"
            );
        }
    }
}
