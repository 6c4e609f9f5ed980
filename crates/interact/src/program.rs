//! The part of a program that a change sequence graph is made of: functions, their nodes, calls between them.

use crate::skeleton::Skeleton;
use std::sync::Arc;

/// A function's position in [`Program::functions`].
pub type FunctionNumber = u32;
/// A node's position in [`Routine`]; 0 is the entry and 1 the exit.
pub type Node = u32;

/// The node where control enters a routine.
pub const ENTRY: Node = 0;
/// The node where control leaves it.
pub const EXIT: Node = 1;

/// The functions that contain a change or may lead to one.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The functions.
    pub functions: Vec<Routine>,
    /// Where a run may begin: `main`, or whatever can be called from outside.
    pub entries: Vec<FunctionNumber>,
}

/// A function as a graph.
#[derive(Debug, Clone, Default)]
pub struct Routine {
    /// Where control goes from each node. A node without successors other than the exit ends the program.
    pub successors: Flow,
    /// The calls a node makes, by node and in order; each has at least one function it may reach.
    pub calls: Vec<Call>,
    /// Whether each node is changed; nothing where none is. Entry and exit never are.
    pub changed: Vec<bool>,
}

/// Where control goes from each node of a function.
#[derive(Debug, Clone)]
pub enum Flow {
    /// By node.
    Lists(Vec<Vec<Node>>),
    /// Between its calls; shared by all steps of a history.
    Between(Arc<Skeleton>),
}

impl Flow {
    /// Where control goes from a node.
    pub fn of(&self, node: Node) -> &[Node] {
        match self {
            Flow::Lists(lists) => &lists[node as usize],
            Flow::Between(skeleton) => skeleton.successors(node),
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        match self {
            Flow::Lists(lists) => lists.len(),
            Flow::Between(skeleton) => skeleton.len(),
        }
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Flow {
    fn default() -> Self {
        Flow::Lists(Vec::new())
    }
}

impl From<Vec<Vec<Node>>> for Flow {
    fn from(lists: Vec<Vec<Node>>) -> Self {
        Flow::Lists(lists)
    }
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The node that calls.
    pub node: Node,
    /// The functions it may reach; calls of one name share them.
    pub targets: Arc<[FunctionNumber]>,
    /// Whether it may also reach code that is not in the program, and so passes all changes.
    pub elsewhere: bool,
}

impl Routine {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The positions in [`Routine::calls`] of a node's calls.
    pub fn calls_of(&self, node: Node) -> std::ops::Range<usize> {
        let start = self.calls.partition_point(|call| call.node < node);
        start..start + self.calls[start..].partition_point(|call| call.node == node)
    }

    /// The changed nodes, ascending.
    pub fn changes(&self) -> impl Iterator<Item = Node> {
        (0..self.changed.len() as Node).filter(|&node| self.changed[node as usize])
    }

    /// Whether a node is changed.
    pub fn is_changed(&self, node: Node) -> bool {
        self.changed.get(node as usize).copied().unwrap_or(false)
    }

    /// Whether the program ends in this node.
    pub fn is_end(&self, node: Node) -> bool {
        node != EXIT && self.successors.of(node).is_empty()
    }
}
