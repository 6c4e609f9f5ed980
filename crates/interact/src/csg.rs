//! Change sequence graphs and their cyclomatic complexity.

use crate::program::{FunctionNumber, Node};
use hydrogen_evidence::complexity::Measure;
use hydrogen_flow::{Components, Digraph};

/// The vertex where every run begins.
pub const START: u32 = 0;
/// The vertex where every run ends.
pub const END: u32 = 1;

/// A changed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex {
    /// The function.
    pub function: FunctionNumber,
    /// The node in it.
    pub node: Node,
}

/// The graph would be too large to be of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the changes may follow each other in more than {edges} ways; they are not listed")]
pub struct TooLarge {
    /// The limit.
    pub edges: usize,
}

/// A change sequence graph (Definition 14): start, end, the changes, and which may follow which without a third between.
///
/// There is never an edge from start to end: a run that meets no change is not a change sequence (AMB-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csg {
    /// The changes; the first two entries stand for start and end.
    pub vertices: Vec<Vertex>,
    /// By vertex, ascending.
    pub successors: Vec<Vec<u32>>,
}

impl Csg {
    /// A graph of which every vertex is made part of a run: where no run comes to a group of changes, or where none leaves
    /// it (an endless loop), an edge from the start or to the end is added.
    pub(crate) fn connected(vertices: Vec<Vertex>, mut successors: Vec<Vec<u32>>) -> Self {
        let ends = groups(&successors, false);
        for vertex in ends {
            successors[vertex as usize].push(END);
            successors[vertex as usize].sort_unstable();
        }
        let starts = groups(&successors, true);
        successors[START as usize].extend(starts);
        successors[START as usize].sort_unstable();
        Self { vertices, successors }
    }

    /// Whether there is no change.
    pub fn is_empty(&self) -> bool {
        self.vertices.len() <= 2
    }

    /// Its size.
    pub fn measure(&self) -> Measure {
        let edges = self.successors.iter().map(Vec::len).sum();
        // Every vertex lies on a way from start to end.
        Measure { edges, nodes: self.vertices.len(), components: 1 }
    }

    /// All edges, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = self.successors.iter().enumerate();
        all.flat_map(|(from, targets)| targets.iter().map(move |&to| (from as u32, to)))
    }

    /// Joins vertices that are passed only together, where `same` allows it: a vertex with the only one that follows it,
    /// which follows no other. The complexity stays the same. Gives the graph, and per new vertex the old ones in order.
    pub fn joined(&self, same: impl Fn(Vertex, Vertex) -> bool) -> (Csg, Vec<Vec<u32>>) {
        let count = self.vertices.len();
        let mut entering = vec![0u32; count];
        self.edges().for_each(|(_, to)| entering[to as usize] += 1);
        let follows = |vertex: usize| match self.successors[vertex][..] {
            [next]
                if vertex >= 2
                    && next as usize != vertex
                    && next >= 2
                    && entering[next as usize] == 1
                    && same(self.vertices[vertex], self.vertices[next as usize]) =>
            {
                Some(next as usize)
            }
            _ => None,
        };
        let mut is_first = vec![true; count];
        (2..count).filter_map(follows).for_each(|next| is_first[next] = false);
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut number = vec![u32::MAX; count];
        for first in (0..count).filter(|&vertex| is_first[vertex]) {
            let mut chain = vec![first as u32];
            let mut at = first;
            while let Some(next) = follows(at) {
                chain.push(next as u32);
                at = next;
            }
            chain.iter().for_each(|&vertex| number[vertex as usize] = members.len() as u32);
            members.push(chain);
        }
        let last = |chain: &Vec<u32>| *chain.last().expect("a chain has a vertex") as usize;
        let mut successors: Vec<Vec<u32>> = Vec::with_capacity(members.len());
        for chain in &members {
            let mut row: Vec<u32> =
                self.successors[last(chain)].iter().map(|&to| number[to as usize]).collect();
            row.sort_unstable();
            successors.push(row);
        }
        let vertices = members.iter().map(|chain| self.vertices[chain[0] as usize]).collect();
        (Csg { vertices, successors }, members)
    }
}

/// One vertex, the smallest, of each group of vertices that cannot reach the end (or be reached from the start): of the
/// last groups on the way (or the first).
fn groups(successors: &[Vec<u32>], backward: bool) -> Vec<u32> {
    let count = successors.len();
    let (root, other) = if backward { (START, END) } else { (END, START) };
    let mut reached = match backward {
        true => reached(count, root, |vertex| &successors[vertex as usize]),
        false => {
            let before = Before::of(successors);
            reached(count, root, |vertex| before.of_vertex(vertex))
        }
    };
    reached[other as usize] = true;
    // Nearly always.
    if reached.iter().all(|&it| it) {
        return Vec::new();
    }
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (from, targets) in successors.iter().enumerate() {
        // Against the direction of the search.
        edges.extend(
            targets.iter().map(|&to| if backward { (from, to as usize) } else { (to as usize, from) }),
        );
    }
    let towards = Digraph::unlabelled(count, edges);
    let components = Components::of(&towards);
    let mut has_outside = vec![false; components.count()];
    for edge in towards.edges() {
        let (from, to) = (components.component_of(edge.from), components.component_of(edge.to));
        // A group is last when no edge of the search enters it from another.
        has_outside[to] |= from != to;
    }
    let mut found: Vec<u32> = Vec::new();
    for (component, has_outside) in has_outside.into_iter().enumerate() {
        let members = components.members(component);
        if !has_outside && members.iter().all(|&vertex| !reached[vertex]) {
            found.extend(members.iter().min().map(|&vertex| vertex as u32));
        }
    }
    found.sort_unstable();
    found
}

/// The vertices that a search from one of them comes to.
fn reached<'a>(count: usize, root: u32, next: impl Fn(u32) -> &'a [u32]) -> Vec<bool> {
    let mut reached = vec![false; count];
    reached[root as usize] = true;
    let mut waiting = vec![root];
    while let Some(vertex) = waiting.pop() {
        for &other in next(vertex) {
            if !std::mem::replace(&mut reached[other as usize], true) {
                waiting.push(other);
            }
        }
    }
    reached
}

/// The vertices before each vertex.
struct Before {
    /// Per vertex, where those before it end.
    ends: Vec<usize>,
    all: Vec<u32>,
}

impl Before {
    fn of(successors: &[Vec<u32>]) -> Self {
        let mut ends = vec![0; successors.len() + 1];
        successors.iter().flatten().for_each(|&to| ends[to as usize + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut all = vec![0; ends[successors.len()]];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                all[ends[to as usize]] = from as u32;
                ends[to as usize] += 1;
            }
        }
        Self { ends, all }
    }

    fn of_vertex(&self, vertex: u32) -> &[u32] {
        let begin = (vertex as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin..self.ends[vertex as usize]]
    }
}
