//! The statement graph as the source has it, prepared for questions about silent pieces.

use super::locate::Locator;
use hydrogen_ir::{EdgeKind, Location, Piece, Role};
use hydrogen_statements::StatementGraph;
use std::collections::{HashMap, VecDeque};

pub(super) const ENTRY: usize = 0;
pub(super) const EXIT: usize = 1;

/// An edge of the source's graph: from, kind, to.
pub(super) type Step = (usize, EdgeKind, usize);

/// The source's statement graph.
pub(super) struct Syntax {
    pub(super) pieces: Vec<Piece>,
    /// The edges out of each piece.
    pub(super) onward: Vec<Vec<(EdgeKind, usize)>>,
    locator: Locator,
    /// Jump statements and where control would go without them.
    falls: Vec<(usize, usize)>,
    /// Whether there is a graph at all; without source there are only pieces.
    pub(super) has_flow: bool,
    /// The piece for everything, where not even lines are known.
    pub(super) only: Option<usize>,
}

impl Syntax {
    pub(super) fn new(graph: StatementGraph) -> Self {
        let locator = Locator::new(&graph.pieces);
        let mut onward = vec![Vec::new(); graph.pieces.len()];
        for edge in graph.flow {
            onward[edge.from.index()].push((edge.kind, edge.to.index()));
        }
        let falls = graph.fall_through.iter().map(|(jump, next)| (jump.index(), next.index())).collect();
        let has_flow = onward.iter().any(|edges| !edges.is_empty());
        let only = (!has_flow && graph.pieces.len() == EXIT + 2).then_some(EXIT + 1);
        Self { pieces: graph.pieces, onward, locator, falls, has_flow, only }
    }

    pub(super) fn at(&self, place: Location) -> Option<usize> {
        self.locator.innermost(&self.pieces, place)
    }

    pub(super) fn parent(&self, piece: usize) -> Option<usize> {
        self.locator.parent(piece)
    }

    pub(super) fn inside(&self, inner: usize, outer: usize) -> bool {
        self.locator.inside(inner, outer)
    }

    pub(super) fn has_parts(&self, piece: usize) -> bool {
        self.locator.has_parts(piece)
    }

    /// Whether the piece is a jump statement, whose only instruction may be the jump.
    pub(super) fn is_jump(&self, piece: usize) -> bool {
        matches!(self.pieces[piece].role, Role::Break | Role::Continue | Role::Goto | Role::Return)
    }

    /// Jump statements, each with the first piece that control would reach without it and that `counts`: code that nothing
    /// else leads to is not compiled, but what follows it may be.
    pub(super) fn fall_through(&self, counts: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for &(jump, next) in self.falls.iter().filter(|(jump, _)| counts(*jump)) {
            let mut seen = vec![next];
            let mut at = 0;
            while at < seen.len() {
                let piece = seen[at];
                at += 1;
                if counts(piece) {
                    found.push((jump, piece));
                    continue;
                }
                let onward = self.onward[piece].iter().map(|(_, next)| *next);
                let falls = self.falls.iter().filter(|(jump, _)| *jump == piece).map(|(_, next)| *next);
                for next in onward.chain(falls) {
                    if !seen.contains(&next) {
                        seen.push(next);
                    }
                }
            }
        }
        found
    }

    /// The shortest way that begins with the given edge and leads to `target` through silent pieces alone.
    /// Where the compiler folded a branch away, the shortest way is the one around the dropped code.
    pub(super) fn way(
        &self,
        from: usize,
        edge: usize,
        target: usize,
        silent: &dyn Fn(usize) -> bool,
    ) -> Option<Vec<Step>> {
        let (kind, first) = &self.onward[from][edge];
        let mut way = vec![(from, kind.clone(), *first)];
        if *first == target {
            return Some(way);
        }
        if !silent(*first) {
            return None;
        }
        let mut came: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut queue = VecDeque::from([*first]);
        'search: while let Some(at) = queue.pop_front() {
            for (index, (_, next)) in self.onward[at].iter().enumerate() {
                let new = *next == target || (silent(*next) && *next != *first && !came.contains_key(next));
                if new {
                    came.insert(*next, (at, index));
                    queue.push_back(*next);
                }
                if *next == target {
                    break 'search;
                }
            }
        }
        let mut back = Vec::new();
        let mut at = target;
        loop {
            let &(before, index) = came.get(&at)?;
            back.push((before, self.onward[before][index].0.clone(), at));
            at = before;
            if at == *first {
                break;
            }
        }
        way.extend(back.into_iter().rev());
        Some(way)
    }

    /// The edges of silent pieces that control may go round in for ever after `from`: `for (;;);`.
    pub(super) fn forever(&self, from: usize, silent: &dyn Fn(usize) -> bool) -> Vec<Step> {
        let mut reached = vec![from];
        let mut at = 0;
        while at < reached.len() {
            for (_, next) in &self.onward[reached[at]] {
                if silent(*next) && !reached.contains(next) {
                    reached.push(*next);
                }
            }
            at += 1;
        }
        // Take away what must leave, until only endless ways are left.
        loop {
            let before = reached.len();
            let kept: Vec<usize> = reached
                .iter()
                .copied()
                .filter(|&piece| {
                    self.onward[piece].iter().any(|(_, next)| silent(*next) && reached.contains(next))
                })
                .collect();
            reached = kept;
            if reached.len() == before {
                break;
            }
        }
        let mut steps = Vec::new();
        for &piece in &reached {
            for (kind, next) in &self.onward[piece] {
                if silent(*next) && reached.contains(next) {
                    steps.push((piece, kind.clone(), *next));
                }
            }
        }
        steps
    }
}
