//! The control flow of a function between its calls: all that matters of one that did not change itself.

use hydrogen_syntax::NameHash;
use std::sync::OnceLock;

/// Nodes are numbered: the entry, the exit, each piece that calls in order, one that stands for all places where the program
/// ends, and one for all loops without calls that nothing leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skeleton {
    /// The pieces that call, ascending.
    callers: Box<[u32]>,
    /// Per node, where its successors end.
    ends: Box<[u32]>,
    successors: Box<[u32]>,
    /// What control comes to from the entry, if all calls come back.
    whole: Whole,
    reached: Reached,
}

/// Per node, what control comes to when it leaves the node, if all calls come back; found when somebody asks, and kept as
/// long as the function.
#[derive(Debug, Clone, Default)]
struct Reached(OnceLock<Box<[u64]>>);

impl PartialEq for Reached {
    /// It follows from the rest.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Reached {}

/// Of a function with more nodes than this nothing is kept: that would be more than the function itself.
const MOST_NODES: usize = 512;

/// What control comes to from the entry of a function, if all its calls come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole {
    /// Whether it comes to all nodes that call.
    pub calls: bool,
    /// Whether it comes to the exit.
    pub exit: bool,
    /// Whether it comes to a place where the program ends.
    pub end: bool,
}

impl Skeleton {
    /// Of a function with so many pieces; edges and calls are sorted by piece.
    pub fn of(pieces: usize, flow: &[(u32, u32, u64)], calls: &[(u32, NameHash)]) -> Self {
        let mut callers: Vec<u32> = calls.iter().map(|call| call.0).collect();
        callers.dedup();
        let pieces = pieces.max(2);
        let mut starts = vec![0usize; pieces + 1];
        flow.iter().for_each(|edge| starts[edge.0 as usize + 1] += 1);
        for at in 0..pieces {
            starts[at + 1] += starts[at];
        }
        let sink = callers.len() as u32 + 2;
        let (mut ends, mut successors) = (Vec::with_capacity(callers.len() + 3), Vec::new());
        let mut seen = vec![u32::MAX; pieces];
        let mut waiting: Vec<u32> = Vec::new();
        // The exit leads nowhere.
        for (node, from) in [Some(0), None].into_iter().chain(callers.iter().copied().map(Some)).enumerate() {
            let begin = successors.len();
            waiting.extend(from);
            while let Some(piece) = waiting.pop() {
                let leaving = &flow[starts[piece as usize]..starts[piece as usize + 1]];
                if leaving.is_empty() {
                    successors.push(sink);
                }
                for &(_, to, _) in leaving {
                    if std::mem::replace(&mut seen[to as usize], node as u32) == node as u32 {
                        continue;
                    }
                    match callers.binary_search(&to) {
                        _ if to == crate::program::EXIT => successors.push(crate::program::EXIT),
                        Ok(at) => successors.push(at as u32 + 2),
                        Err(_) => waiting.push(to),
                    }
                }
            }
            // Going round for ever is no end of the program.
            if from.is_some() && successors.len() == begin {
                successors.push(sink + 1);
            }
            successors[begin..].sort_unstable();
            let own = successors.split_off(begin);
            successors.extend(own.chunk_by(|a, b| a == b).map(|same| same[0]));
            ends.push(successors.len() as u32);
        }
        ends.push(successors.len() as u32);
        successors.push(sink + 1);
        ends.push(successors.len() as u32);
        let whole = Whole { calls: false, exit: false, end: false };
        let (ends, successors) = (ends.into(), successors.into());
        let mut skeleton =
            Self { callers: callers.into(), ends, successors, whole, reached: Reached::default() };
        let mut seen = vec![false; skeleton.len()];
        let (exit, end) = skeleton.reached(crate::program::ENTRY, &mut seen);
        let calls = seen[2..2 + skeleton.callers.len()].iter().all(|&it| it);
        skeleton.whole = Whole { calls, exit, end };
        skeleton
    }

    /// Marks the nodes that control comes to when it leaves one; whether it comes to the exit, and to an end of the program.
    fn reached(&self, from: u32, seen: &mut [bool]) -> (bool, bool) {
        let mut waiting = vec![from];
        let mut end = false;
        while let Some(node) = waiting.pop() {
            let next = self.successors(node);
            end |= next.is_empty() && node != crate::program::EXIT;
            let fresh = |node: &&u32| !std::mem::replace(&mut seen[**node as usize], true);
            waiting.extend(next.iter().filter(fresh));
        }
        (seen[crate::program::EXIT as usize], end)
    }

    /// What control comes to when it leaves a node, if all calls come back; nothing for very large functions.
    pub(crate) fn behind(&self, node: u32) -> Option<Behind<'_>> {
        let count = self.len();
        if count > MOST_NODES {
            return None;
        }
        // One bit for each node, and one for ends of the program.
        let width = (count + 1).div_ceil(64);
        let all = self.reached.0.get_or_init(|| {
            let mut bits = vec![0u64; width * count];
            let mut seen = vec![false; count];
            for (from, row) in bits.chunks_mut(width).enumerate() {
                seen.fill(false);
                let (_, end) = self.reached(from as u32, &mut seen);
                let places = seen.iter().copied().chain([end]).enumerate();
                places.filter(|(_, is)| *is).for_each(|(at, _)| row[at / 64] |= 1 << (at % 64));
            }
            bits.into()
        });
        Some(Behind { row: &all[node as usize * width..][..width], count: count as u32 })
    }

    /// What control comes to from the entry, if all calls come back.
    pub(crate) fn whole(&self) -> Whole {
        self.whole
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no node, which no function has.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where control goes from a node.
    pub fn successors(&self, node: u32) -> &[u32] {
        let begin = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.successors[begin as usize..self.ends[node as usize] as usize]
    }

    /// The node of a piece that calls.
    pub fn node_of(&self, piece: u32) -> Option<u32> {
        self.callers.binary_search(&piece).ok().map(|at| at as u32 + 2)
    }
}

/// What control comes to when it leaves a node.
#[derive(Clone, Copy)]
pub(crate) struct Behind<'a> {
    row: &'a [u64],
    count: u32,
}

impl Behind<'_> {
    /// Whether it comes to a node.
    pub fn reaches(self, node: u32) -> bool {
        self.row[node as usize / 64] >> (node % 64) & 1 != 0
    }

    /// Whether it comes to a place where the program ends.
    pub fn ends(self) -> bool {
        self.reaches(self.count)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Skeleton;
    use crate::Reading;
    use crate::program::{Call, Flow, Program, Routine};
    use crate::reach::change_sequences;
    use hydrogen_syntax::NameHash;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn graph(skeleton: &Skeleton) -> Vec<Vec<u32>> {
        (0..skeleton.len() as u32).map(|node| skeleton.successors(node).to_vec()).collect()
    }

    #[test]
    fn what_calls_nothing_is_passed() {
        // The entry leads to 2, that to 3 and 4; 3 calls and leads back to 2; 4 leads to the exit and to 5, which ends.
        let flow = [(0, 2, 0), (2, 3, 1), (2, 4, 2), (3, 2, 0), (4, 1, 1), (4, 5, 2)];
        let skeleton = Skeleton::of(6, &flow, &[(3, NameHash(7)), (3, NameHash(8))]);
        assert_eq!(graph(&skeleton), [vec![1, 2, 3], vec![], vec![1, 2, 3], vec![], vec![4]]);
        assert_eq!((skeleton.node_of(3), skeleton.node_of(4)), (Some(2), None));
        // One that calls and ends.
        let skeleton = Skeleton::of(3, &[(0, 2, 0)], &[(2, NameHash(7))]);
        assert_eq!(graph(&skeleton), [vec![2], vec![], vec![3], vec![], vec![4]]);
        // One that calls and goes round for ever.
        let skeleton = Skeleton::of(4, &[(0, 2, 0), (2, 3, 0), (3, 3, 0)], &[(2, NameHash(7))]);
        assert_eq!(graph(&skeleton), [vec![2], vec![], vec![4], vec![], vec![4]]);
    }

    /// A function: where control goes from each piece, whom pieces call, and whether it has a change.
    type Drawn = (Vec<Vec<usize>>, Vec<(usize, usize, bool)>, Option<usize>);

    const PIECES: usize = 6;
    const FUNCTIONS: usize = 4;

    fn drawn() -> impl Strategy<Value = Drawn> {
        let flow = prop::collection::vec(prop::collection::vec(1..PIECES, 0..3), PIECES);
        let calls = prop::collection::vec((2..PIECES, 0..FUNCTIONS, any::<bool>()), 0..4);
        (flow, calls, prop::option::of(2..PIECES))
    }

    fn program(functions: &[Drawn], by_skeleton: bool) -> Program {
        let routine = |(flow, calls, change): &Drawn| {
            let mut edges: Vec<(u32, u32, u64)> = Vec::new();
            for (from, targets) in flow.iter().enumerate().filter(|(from, _)| *from != 1) {
                edges.extend(targets.iter().map(|&to| (from as u32, to as u32, 0)));
            }
            edges.sort_unstable();
            edges.dedup();
            let mut calls: Vec<(u32, NameHash, bool)> =
                calls.iter().map(|&(at, whom, more)| (at as u32, NameHash(whom as u64), more)).collect();
            calls.sort_by_key(|call| call.0);
            let named: Vec<(u32, NameHash)> = calls.iter().map(|call| (call.0, call.1)).collect();
            let skeleton = Arc::new(Skeleton::of(PIECES, &edges, &named));
            let reduced = by_skeleton && change.is_none();
            let successors = match reduced {
                true => Flow::Between(Arc::clone(&skeleton)),
                false => {
                    let mut all = vec![Vec::new(); PIECES];
                    edges.iter().for_each(|edge| all[edge.0 as usize].push(edge.1));
                    all.into()
                }
            };
            let node = |piece: u32| if reduced { skeleton.node_of(piece).unwrap() } else { piece };
            // The last function is not among those that lead to a change, for whoever calls it.
            let inside = calls.iter().filter(|call| call.1.0 + 1 < FUNCTIONS as u64);
            let calls = inside
                .map(|&(at, whom, elsewhere)| Call {
                    node: node(at),
                    targets: [whom.0 as u32].into(),
                    elsewhere,
                })
                .collect();
            let changed = (0..successors.len()).map(|node| !reduced && Some(node) == *change).collect();
            Routine { successors, calls, changed }
        };
        Program { functions: functions.iter().map(routine).collect(), entries: vec![0] }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Which changes may follow each other is the same with all that is left of functions without changes.
        #[test]
        fn nothing_is_lost(functions in prop::collection::vec(drawn(), FUNCTIONS)) {
            for reading in [Reading::Full, Reading::Thesis] {
                let [whole, reduced] = [false, true].map(|it| change_sequences(&program(&functions, it), reading));
                prop_assert_eq!(whole, reduced);
            }
        }
    }
}
