//! All rows that were seen, as a tree: what has been asked, and what no row holds.

use crate::joint::{Atom, Turn};
use hydrogen_term::{Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows of conditions that share their beginnings.
#[derive(Default)]
pub(crate) struct Tree {
    children: FxHashMap<(u32, Term), u32>,
    /// By node, its children in the order in which they came.
    below: FxHashMap<u32, Vec<(Term, u32)>>,
    /// By node but the root, which is 0: its parent, and the condition on the way.
    ways: Vec<(u32, Term)>,
    /// Nodes at which nothing is open: a row ends, or what follows is left out.
    closed: FxHashSet<u32>,
    asked: FxHashSet<(u32, Term)>,
}

impl Tree {
    fn child(&mut self, node: u32, term: Term) -> u32 {
        if let Some(known) = self.children.get(&(node, term)) {
            return *known;
        }
        self.ways.push((node, term));
        let new = u32::try_from(self.ways.len()).expect("memory ends before 2^32 conditions");
        self.children.insert((node, term), new);
        self.below.entry(node).or_default().push((term, new));
        new
    }

    /// Enters a row; returns the nodes before each of its conditions.
    pub(crate) fn enter(&mut self, pool: &mut Pool, atoms: &[Atom]) -> Vec<u32> {
        let mut nodes = Vec::with_capacity(atoms.len());
        let mut node = 0;
        for atom in atoms {
            nodes.push(node);
            if atom.turn == Turn::Exclude {
                let other = pool.not(atom.term);
                let out = self.child(node, other);
                self.closed.insert(out);
            }
            node = self.child(node, atom.term);
        }
        self.closed.insert(node);
        nodes
    }

    /// Whether the other side of a condition is worth a question: nobody was there, and nobody asked.
    pub(crate) fn is_new(&mut self, pool: &mut Pool, node: u32, term: Term) -> bool {
        let other = pool.not(term);
        !self.children.contains_key(&(node, other)) && self.asked.insert((node, other))
    }

    /// Whether somebody went there since the question was made.
    pub(crate) fn was_visited(&self, node: u32, term: Term) -> bool {
        self.children.contains_key(&(node, term))
    }

    /// Whether an input lies where nothing is open (the membership test): in a row that was seen, or outside of the comparison.
    pub(crate) fn holds(&self, mut fulfils: impl FnMut(Term) -> bool) -> bool {
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if self.closed.contains(&node) {
                return true;
            }
            let below = self.below.get(&node).into_iter().flatten();
            open.extend(below.filter(|(term, _)| fulfils(*term)).map(|(_, child)| *child));
        }
        false
    }

    /// What no row holds and nothing leaves out. It is built from the leaves: at a node, an input is outside if it is outside on every
    /// way that it could go.
    pub(crate) fn gap(&self, pool: &mut Pool) -> Term {
        let mut outside = vec![pool.bool(true); self.ways.len() + 1];
        for (at, (parent, term)) in self.ways.iter().enumerate().rev() {
            let node = at + 1;
            let below = match self.closed.contains(&(node as u32)) {
                true => pool.bool(false),
                false => outside[node],
            };
            let not = pool.not(*term);
            let way = pool.or(not, below);
            outside[*parent as usize] = pool.and(outside[*parent as usize], way);
        }
        match self.closed.contains(&0) {
            true => pool.bool(false),
            false => outside[0],
        }
    }
}
