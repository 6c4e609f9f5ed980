//! Matching the pieces of a function's new content with the nodes of its chain.
//!
//! A chain keeps its nodes in one order that agrees with every version (a *weave*). Matching is increasing in it,
//! so the new content can be woven in: what stays unmatched becomes a new node behind its predecessor.
//!
//! Stages: the nodes of the first parent, of the further parents, then of any version. The last stage recognises a
//! statement that was reverted to an older form, or that a branch without a merge has too; it looks only between
//! the neighbours that earlier stages matched. Because of it a node's versions need not be an interval (INV-3 holds
//! for histories without such reverts only), and two versions share at least what their own comparison gives.

use crate::lcs;
use std::hash::Hash;

/// How a function's new content is woven into its chain.
#[derive(Debug)]
pub struct Plan<N> {
    /// Per piece, the node it was recognised as.
    pub nodes: Vec<Option<N>>,
    /// The chain's new order.
    pub order: Vec<Slot<N>>,
}

/// A place in a chain's order.
#[derive(Debug, Clone, Copy)]
pub enum Slot<N> {
    /// A node of the chain.
    Known(N),
    /// A new node for this piece.
    New(usize),
}

impl<N: Copy> Plan<N> {
    /// Nothing matches.
    pub fn fresh(pieces: usize) -> Self {
        Self { nodes: vec![None; pieces], order: (0..pieces).map(Slot::New).collect() }
    }

    /// The content is that of an earlier version, which had these nodes.
    pub fn known(nodes: &[N], order: &[N]) -> Self {
        Self {
            nodes: nodes.iter().copied().map(Some).collect(),
            order: order.iter().copied().map(Slot::Known).collect(),
        }
    }
}

/// A chain's nodes in order, with what they are matched by.
#[derive(Debug)]
pub struct Weave<N, S> {
    /// The nodes.
    pub order: Vec<N>,
    /// Per node, what it says.
    pub symbols: Vec<S>,
    /// Per node, the first stage in which it may be matched.
    pub stage: Vec<u8>,
}

impl<N: Copy, S: Copy + Eq + Hash> Weave<N, S> {
    /// Matches the pieces, stage by stage.
    pub fn plan(&self, pieces: &[S], stages: u8) -> Plan<N> {
        let mut matched: Vec<Option<usize>> = vec![None; pieces.len()];
        let mut taken = vec![false; self.order.len()];
        for stage in 0..=stages {
            self.match_gaps(pieces, stage, &mut matched, &mut taken);
        }
        let mut order = Vec::with_capacity(self.order.len() + pieces.len());
        let mut rest = 0;
        for (piece, place) in matched.iter().enumerate() {
            match place {
                Some(place) => {
                    order.extend(self.order[rest..=*place].iter().copied().map(Slot::Known));
                    rest = place + 1;
                }
                None => order.push(Slot::New(piece)),
            }
        }
        order.extend(self.order[rest..].iter().copied().map(Slot::Known));
        Plan { nodes: matched.iter().map(|place| place.map(|place| self.order[place])).collect(), order }
    }

    /// Compares every run of unmatched pieces with the nodes between the matched neighbours.
    fn match_gaps(&self, pieces: &[S], stage: u8, matched: &mut [Option<usize>], taken: &mut [bool]) {
        let mut first = 0;
        let mut low = 0;
        while first < pieces.len() {
            if let Some(place) = matched[first] {
                low = place + 1;
                first += 1;
                continue;
            }
            let behind = matched[first..].iter().position(Option::is_some).map(|run| first + run);
            let (last, high) = match behind {
                Some(next) => (next, matched[next].expect("found as matched")),
                None => (pieces.len(), self.order.len()),
            };
            let places: Vec<usize> =
                (low..high).filter(|&place| self.stage[place] <= stage && !taken[place]).collect();
            if !places.is_empty() {
                let symbols: Vec<S> = places.iter().map(|&place| self.symbols[place]).collect();
                for (old, new) in lcs(&symbols, &pieces[first..last]) {
                    matched[first + new] = Some(places[old]);
                    taken[places[old]] = true;
                }
            }
            first = last;
        }
    }
}
