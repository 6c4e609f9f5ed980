//! Explains every transition of compiled control by the source's graph, or shows it as it is.

use super::runs::{Landing, Runs};
use super::syntax::{ENTRY, EXIT, Step, Syntax};
use hydrogen_ir::EdgeKind;
use std::collections::BTreeSet;

/// A node of the final graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Entry,
    Exit,
    /// A run with instructions.
    Run(usize),
    /// A piece without instructions.
    Silent(usize),
}

/// The edges of the final graph.
pub(super) struct Flow<'a> {
    syntax: &'a Syntax,
    runs: &'a Runs,
    occupied: Vec<bool>,
    /// The first run of each piece.
    first: Vec<usize>,
    pub(super) edges: BTreeSet<(Node, EdgeKind, Node)>,
    /// Transitions between pieces that the source does not show.
    pub(super) unexplained: Vec<(usize, usize)>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(syntax: &'a Syntax, runs: &'a Runs) -> Self {
        let mut occupied = vec![false; syntax.pieces.len()];
        occupied[ENTRY] = true;
        occupied[EXIT] = true;
        let mut first = vec![usize::MAX; syntax.pieces.len()];
        for (index, run) in runs.runs.iter().enumerate() {
            occupied[run.piece] = true;
            first[run.piece] = first[run.piece].min(index);
        }
        let mut flow =
            Self { syntax, runs, occupied, first, edges: BTreeSet::new(), unexplained: Vec::new() };
        flow.leave(Node::Entry, ENTRY, &runs.start);
        for (index, run) in runs.runs.iter().enumerate() {
            if run.piece != EXIT {
                flow.leave(Node::Run(index), run.piece, &run.onward);
            }
        }
        flow
    }

    fn leave(&mut self, node: Node, piece: usize, outcomes: &[(EdgeKind, Landing)]) {
        use EdgeKind::{False, True};
        if let [(True, then), (False, otherwise)] = outcomes {
            // Clang exchanges the ways out of `!a`; the source says which is which.
            let negated =
                self.syntax.pieces[piece].text.bytes().take_while(|byte| *byte == b'!').count() % 2 == 1;
            let straight = self.fits(piece, &True, then) + self.fits(piece, &False, otherwise);
            let crossed = self.fits(piece, &False, then) + self.fits(piece, &True, otherwise);
            let cross = crossed > straight || (crossed == straight && negated);
            let (then_kind, otherwise_kind) = if cross { (False, True) } else { (True, False) };
            self.outcome(node, piece, &then_kind, then);
            self.outcome(node, piece, &otherwise_kind, otherwise);
            return;
        }
        for (kind, landing) in outcomes {
            self.outcome(node, piece, kind, landing);
        }
    }

    /// How well the source's edges of this kind explain a landing.
    fn fits(&self, piece: usize, kind: &EdgeKind, landing: &Landing) -> u32 {
        match landing {
            Landing::Run(run) => {
                u32::from(!self.ways(piece, self.runs.runs[*run].piece, Some(kind)).is_empty())
            }
            Landing::Forever => 0,
        }
    }

    fn outcome(&mut self, node: Node, piece: usize, kind: &EdgeKind, landing: &Landing) {
        let run = match landing {
            Landing::Run(run) => *run,
            Landing::Forever => {
                let steps = self.syntax.forever(piece, &|piece| !self.occupied[piece]);
                self.add(&steps, node, None, piece);
                return;
            }
        };
        let target_piece = self.runs.runs[run].piece;
        let target = if target_piece == EXIT { Node::Exit } else { Node::Run(run) };
        // A piece leads to itself in a loop, which begins with its first part; else it goes on inside.
        let inside = piece == target_piece && self.first[piece] != run;
        let mut ways = if inside { Vec::new() } else { self.ways(piece, target_piece, Some(kind)) };
        let mut relabel = false;
        if ways.is_empty() && piece != target_piece {
            ways = self.ways(piece, target_piece, None);
            // The shortest is the one around code that the compiler dropped.
            ways.sort_by_key(Vec::len);
            ways.truncate(1);
            relabel = *kind != EdgeKind::Next
                && ways.first().and_then(|way| way.first()).is_some_and(|step| step.1 == EdgeKind::Next);
        } else if !matches!(kind, EdgeKind::Case(_)) {
            ways.sort_by_key(Vec::len);
            ways.truncate(1);
        }
        if ways.is_empty() {
            self.edges.insert((node, kind.clone(), target));
            if piece != target_piece && self.syntax.has_flow {
                self.unexplained.push((piece, target_piece));
            }
        }
        for mut way in ways {
            if relabel {
                way[0].1 = kind.clone();
            }
            self.add(&way, node, Some(target), piece);
        }
    }

    /// The ways of the source from piece to piece through silent pieces, one for each first edge that fits.
    fn ways(&self, from: usize, to: usize, kind: Option<&EdgeKind>) -> Vec<Vec<Step>> {
        let fits = |found: &EdgeKind| match kind {
            None => true,
            // The source's labels are texts, the compiled ones numbers.
            Some(EdgeKind::Case(_)) => matches!(found, EdgeKind::Case(_)),
            Some(kind) => found == kind,
        };
        let edges = self.syntax.onward[from].iter().enumerate().filter(|(_, (kind, _))| fits(kind));
        edges
            .filter_map(|(edge, _)| self.syntax.way(from, edge, to, &|piece| !self.occupied[piece]))
            .collect()
    }

    fn add(&mut self, way: &[Step], node: Node, target: Option<Node>, piece: usize) {
        for (index, (from, kind, to)) in way.iter().enumerate() {
            let from =
                if *from == piece && (index == 0 || target.is_none()) { node } else { Node::Silent(*from) };
            let to = match target {
                Some(target) if index + 1 == way.len() => target,
                _ => Node::Silent(*to),
            };
            self.edges.insert((from, kind.clone(), to));
        }
    }
}
