//! The statements that differ between two versions.

use crate::meaning::Meaning;
use hydrogen_align::affected_variables;
use hydrogen_graph::{EdgeId, Graph, NodeId, VersionId};
use hydrogen_machine::{Program, Site};
use hydrogen_pair::{Node, Nodes, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// The old and the new version in a graph of both.
const OLD: VersionId = VersionId(0);
const NEW: VersionId = VersionId(1);

/// What differs between two versions, as places that a run can come to. The first instance in which two runs of one input part is one
/// of these, in one version or the other.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Statements of one version alone, statements that compile to something else, and statements behind which control goes elsewhere.
    nodes: BTreeSet<Node>,
    /// By program, their instructions.
    sites: [Vec<Site>; 2],
    /// Whether nothing but words of literals was changed.
    wording: bool,
}

impl Changes {
    /// What differs between the first two programs of these nodes.
    pub fn of(nodes: &mut Nodes<'_>, programs: [&Program; 2]) -> Self {
        let variables = affected_variables(programs.map(|program| program.units().next()));
        let meanings = [0, 1].map(|at| Meaning::of(nodes, at, programs[at], &variables[at]));
        let graph = nodes.graph();
        let diff = graph.diff(OLD, NEW);
        let mut changed: BTreeSet<NodeId> =
            diff.removed.nodes.iter().chain(&diff.added.nodes).copied().collect();
        changed.extend(diff.changed.iter().map(|(node, _)| *node));
        for (edges, others) in
            [(&diff.added.edges, &diff.removed.edges), (&diff.removed.edges, &diff.added.edges)]
        {
            changed.extend(edges.iter().filter_map(|edge| uncovered(graph, *edge, others)));
        }
        changed.extend(meant_otherwise(graph, &meanings, &changed));
        let replaced: BTreeSet<NodeId> =
            diff.removed.nodes.iter().chain(&diff.added.nodes).copied().collect();
        let bare = |list: &[NodeId]| {
            let mut texts: Vec<String> =
                list.iter().map(|node| without_literals(graph.text(*node))).collect();
            texts.sort();
            texts
        };
        let wording = changed == replaced && bare(&diff.removed.nodes) == bare(&diff.added.nodes);
        let homes = [0, 1].map(|at| homes(nodes, at, programs[at]));
        let mut found = Self { wording, ..Self::default() };
        for (at, homes) in homes.iter().enumerate() {
            for id in changed.iter().flat_map(|id| executed(nodes.graph(), *id, VersionId::at(at), homes)) {
                found.nodes.extend(nodes.of_graph(id));
                found.sites[at].extend(homes.get(&id).into_iter().flatten());
            }
            found.sites[at].sort_unstable();
            found.sites[at].dedup();
        }
        found
    }

    /// Whether nothing that can be executed differs.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether nothing but the words of literals was changed.
    pub fn is_wording(&self) -> bool {
        self.wording
    }

    /// Whether a statement is one of them.
    pub fn contains(&self, node: Node) -> bool {
        self.nodes.contains(&node)
    }

    /// The statements.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().copied()
    }

    /// The instructions in a program.
    pub fn sites(&self, program: usize) -> &[Site] {
        &self.sites[program]
    }
}

/// A statement without what stands in its string literals.
fn without_literals(text: &str) -> String {
    let mut rest = text.chars();
    let mut bare = String::new();
    while let Some(c) = rest.next() {
        bare.push(c);
        // A quotation mark as a character is no beginning of a text.
        if c == '\'' {
            let length = if rest.as_str().starts_with('\\') { 3 } else { 2 };
            bare.extend(rest.by_ref().take(length));
        }
        if c == '"' {
            let mut escaped = false;
            for c in rest.by_ref() {
                if c == '"' && !escaped {
                    break;
                }
                escaped = c == '\\' && !escaped;
            }
        }
    }
    bare
}

/// The instructions of each statement of a program.
fn homes(nodes: &mut Nodes<'_>, at: usize, program: &Program) -> BTreeMap<NodeId, Vec<Site>> {
    let mut found: BTreeMap<NodeId, Vec<Site>> = BTreeMap::new();
    for function in program.ids().filter(|id| program.is_users(*id)) {
        let count = program.code(function).map_or(0, |code| code.instrs.len() as u32);
        for site in (0..count).map(|pc| Site { function, pc }) {
            let Some(node) = nodes.at(at, site) else { continue };
            if let Statement::Graph(id) = nodes.statement(node) {
                found.entry(*id).or_default().push(site);
            }
        }
    }
    found
}

/// A statement, or where it has no instructions of its own, as a `return` of a constant, the first ones behind it that have some.
fn executed(
    graph: &Graph,
    node: NodeId,
    version: VersionId,
    homes: &BTreeMap<NodeId, Vec<Site>>,
) -> Vec<NodeId> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut open: Vec<NodeId> = graph.node_in(node, version).then_some(node).into_iter().collect();
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        if homes.contains_key(&node) {
            found.push(node);
            continue;
        }
        let edges = graph.outgoing(node).filter(|edge| graph.edge_in(*edge, version));
        open.extend(edges.map(|edge| graph.ends(edge).1));
    }
    found
}

/// Statements that kept their text and mean something else. Where a function's code differs and no statement of it says how, all of them do.
fn meant_otherwise(graph: &Graph, [old, new]: &[Meaning; 2], known: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut found: BTreeSet<NodeId> = old.mention.union(&new.mention).copied().collect();
    let other = |(node, hash): &(&NodeId, &hydrogen_ir::ContentHash)| {
        new.pieces.get(node).is_some_and(|other| other != *hash)
    };
    found.extend(old.pieces.iter().filter(other).map(|(node, _)| *node));
    let told: BTreeSet<_> = found.iter().chain(known).map(|node| graph.chain(*node)).collect();
    for (chain, hash) in &old.code {
        if new.code.get(chain).is_some_and(|other| other != hash) && !told.contains(chain) {
            found.extend(graph.chain_nodes(*chain));
        }
    }
    found
}

/// Where an edge between statements that both versions have is in one version alone, control goes elsewhere behind its source. Where it goes instead to
/// a statement of the other version alone, that statement says it better.
fn uncovered(graph: &Graph, edge: EdgeId, others: &[EdgeId]) -> Option<NodeId> {
    let shared = |node: NodeId| graph.node_in(node, OLD) && graph.node_in(node, NEW);
    let (from, to) = graph.ends(edge);
    if !shared(from) || !shared(to) {
        return None;
    }
    let kind = graph.edge_kind(edge);
    let instead = |other: &&EdgeId| {
        let (source, target) = graph.ends(**other);
        source == from && graph.edge_kind(**other) == kind && !shared(target)
    };
    others.iter().find(instead).is_none().then_some(from)
}

#[cfg(test)]
mod tests {
    use super::without_literals;

    #[test]
    fn literals_are_left_out() {
        for (text, bare) in [
            (r#"puts ("a \" b"); f ('"', "x")"#, r#"puts ("); f ('"', ")"#),
            (r"x = '\'' + 1", r"x = '\'' + 1"),
        ] {
            assert_eq!(without_literals(text), bare);
        }
    }
}
