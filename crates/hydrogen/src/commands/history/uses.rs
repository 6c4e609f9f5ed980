//! Since when the values of a statement come from where they do, and go where they go (F65).

use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_interact::{DefUse, def_use};
use hydrogen_ir::Role;
use std::collections::BTreeSet;

/// A value of a statement: the variable, the other statement, and whether it comes from there.
type Value = (Box<str>, NodeId, bool);

/// What each version changed about the values that a statement gets and gives, against its first parent that has it.
pub fn changes(graph: &Graph, node: NodeId) -> Vec<(VersionId, String)> {
    let mut all = Vec::new();
    for (at, info) in graph.versions().iter().enumerate() {
        let version = VersionId::at(at);
        let parent = info.parents.iter().copied().find(|&parent| graph.node_in(node, parent));
        let Some(parent) = parent.filter(|_| graph.node_in(node, version) && !info.unrelated) else {
            continue;
        };
        let (old, new) = (values(graph, node, parent), values(graph, node, version));
        let mut tell = |value: &Value, version_of: VersionId, begun: bool| {
            all.push((version, told(graph, value, version_of, begun)));
        };
        new.difference(&old).for_each(|value| tell(value, version, true));
        old.difference(&new).for_each(|value| tell(value, parent, false));
    }
    all
}

fn values(graph: &Graph, node: NodeId, version: VersionId) -> BTreeSet<Value> {
    let (nodes, chains) = chains(graph, node, version);
    let mut found = BTreeSet::new();
    for DefUse { user, name, definer } in chains {
        if nodes[user] == node {
            found.insert((name.clone(), nodes[definer], true));
        }
        if nodes[definer] == node {
            found.insert((name, nodes[user], false));
        }
    }
    found
}

/// The def-use chains of a statement's function in a version, and the nodes that they number.
fn chains(graph: &Graph, node: NodeId, version: VersionId) -> (Vec<NodeId>, Vec<DefUse>) {
    let mut nodes = graph.pieces(graph.chain(node), version);
    nodes.sort_by_key(|&it| graph.role(it) != Role::Entry);
    let place = |node: NodeId| nodes.iter().position(|&it| it == node);
    let statements: Vec<(&str, bool)> =
        nodes.iter().map(|&it| (graph.text(it), graph.role(it) == Role::Declaration)).collect();
    let edges = nodes.iter().flat_map(|&it| graph.outgoing(it)).filter(|&edge| graph.edge_in(edge, version));
    let flow: Vec<(usize, usize)> = edges
        .filter_map(|edge| {
            let (from, to) = graph.ends(edge);
            Some((place(from)?, place(to)?))
        })
        .collect();
    let chains = def_use(&statements, &flow);
    (nodes, chains)
}

fn told(graph: &Graph, (name, other, comes): &Value, version: VersionId, begun: bool) -> String {
    let way = match (begun, comes) {
        (true, true) => "now comes from",
        (true, false) => "now goes to",
        (false, true) => "no longer comes from",
        (false, false) => "no longer goes to",
    };
    match graph.line(*other, version) {
        Some(line) => format!("`{name}` {way} line {line}: {}", graph.label(*other)),
        None => format!("`{name}` {way} outside"),
    }
}
