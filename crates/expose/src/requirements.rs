//! What a person who writes a test must make happen: that the effect of a change gets on, statement by statement, up to a distance (004 §2.6.3).
//!
//! A test that executes a change often shows nothing, because what was changed is not used, or not used differently. The statements that depend on a
//! change over at most so many dependences of the new version's code (data and control) say where its effect may get to; a test meets one if the statement
//! computes something else there because of the change, by the test's change-effect graph.

use crate::search::Search;
use crate::uses::Uses;
use hydrogen_evidence::exposed::{Effects, Point};
use hydrogen_machine::Site;
use hydrogen_pair::Node;
use std::collections::BTreeSet;

/// A statement that the effect of a change may get to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The statements from the change to it, one dependence after the other; the change alone at distance 0.
    pub chain: Vec<Point>,
}

impl Requirement {
    /// Over how many dependences.
    pub fn away(&self) -> usize {
        self.chain.len().saturating_sub(1)
    }

    /// Whether the effect of the change got there, by the change-effect graphs of a test.
    pub fn is_met(&self, effects: &[Effects; 2]) -> bool {
        let Some(wanted) = self.chain.last() else { return false };
        effects[1]
            .all
            .iter()
            .any(|effect| effect.point.lines == wanted.lines && effect.point.text == wanted.text)
    }
}

/// So many statements are looked at: behind a change at the beginning of everything lies everything.
const MOST: usize = 200;

impl Search<'_, '_> {
    /// The statements of the new version that the effect of a change may get to over at most so many dependences, the nearest first.
    pub fn requirements(&mut self, entry: &str, distance: usize) -> Vec<Requirement> {
        let uses = Uses::new(self.pair.programs()[1], entry);
        let mut found: Vec<Requirement> = Vec::new();
        let mut known: BTreeSet<Node> = BTreeSet::new();
        let mut layer: Vec<(Site, Vec<Point>)> =
            self.changes.sites(1).to_vec().into_iter().map(|site| (site, Vec::new())).collect();
        for away in 0..=distance {
            let mut next = Vec::new();
            for (site, chain) in layer {
                let Some(node) = self.pair.nodes.at(1, site) else { continue };
                if found.len() >= MOST || !known.insert(node) {
                    continue;
                }
                let point = self.point(node);
                if point.lines[1].is_none() {
                    continue;
                }
                let chain = [chain, vec![point]].concat();
                found.push(Requirement { chain: chain.clone() });
                if away < distance {
                    next.extend(uses.affected_by(site).into_iter().map(|site| (site, chain.clone())));
                }
            }
            layer = next;
        }
        found
    }
}
