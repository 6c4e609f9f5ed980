//! Strongly connected components (Tarjan), without recursion.

use crate::Successors;

/// The strongly connected components of a graph, successors first ("bottom-up").
#[derive(Debug, Clone)]
pub struct Components {
    component_of: Vec<usize>,
    members: Vec<Vec<usize>>,
    cyclic: Vec<bool>,
}

impl Components {
    /// Finds the components. An edge between two components leads from the later to the earlier one.
    pub fn of<G: Successors>(graph: &G) -> Self {
        let count = graph.node_count();
        let mut search = Search {
            next: 0,
            number: vec![usize::MAX; count],
            low: vec![0; count],
            open: Vec::new(),
            found: Components {
                component_of: vec![usize::MAX; count],
                members: Vec::new(),
                cyclic: Vec::new(),
            },
        };
        let mut stack = Vec::new();
        for root in 0..count {
            if search.number[root] != usize::MAX {
                continue;
            }
            search.enter(root);
            stack.push((root, graph.successors(root)));
            while let Some((node, rest)) = stack.last_mut() {
                let node = *node;
                match rest.next() {
                    Some(next) if search.number[next] == usize::MAX => {
                        search.enter(next);
                        stack.push((next, graph.successors(next)));
                    }
                    // A node whose component is known lies behind us and cannot lead back here.
                    Some(next) if search.found.component_of[next] == usize::MAX => {
                        search.low[node] = search.low[node].min(search.number[next]);
                    }
                    Some(_) => {}
                    None => {
                        stack.pop();
                        if let Some((parent, _)) = stack.last() {
                            search.low[*parent] = search.low[*parent].min(search.low[node]);
                        }
                        search.leave(node);
                    }
                }
            }
        }
        let mut found = search.found;
        for node in 0..count {
            if graph.successors(node).any(|next| next == node) {
                found.cyclic[found.component_of[node]] = true;
            }
        }
        found
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The component of a node.
    pub fn component_of(&self, node: usize) -> usize {
        self.component_of[node]
    }

    /// The nodes of a component, ascending.
    pub fn members(&self, component: usize) -> &[usize] {
        &self.members[component]
    }

    /// Whether a component has an edge inside: more than one node, or a node with an edge to itself.
    pub fn is_cyclic(&self, component: usize) -> bool {
        self.cyclic[component]
    }

    /// All components, successors first.
    pub fn bottom_up(&self) -> impl DoubleEndedIterator<Item = &[usize]> {
        self.members.iter().map(Vec::as_slice)
    }
}

struct Search {
    next: usize,
    number: Vec<usize>,
    low: Vec<usize>,
    open: Vec<usize>,
    found: Components,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.number[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        let first = self.open.iter().rposition(|&n| n == node).expect("an open node is on the stack");
        let mut members = self.open.split_off(first);
        members.sort_unstable();
        for &member in &members {
            self.found.component_of[member] = self.found.members.len();
        }
        self.found.cyclic.push(members.len() > 1);
        self.found.members.push(members);
    }
}
