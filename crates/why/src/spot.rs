//! Statements as people see them: a line of one version, and what stands for it in the other (F-C27).

use crate::changed::Changed;
use hydrogen_evidence::why::{Counterpart, Side, Spot};
use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_pair::{Node, Nodes, Statement};
use std::collections::BTreeSet;

fn version(side: Side) -> VersionId {
    VersionId::at(side.number())
}

/// The statement of a node in a version; none where the version does not have it, or it is of the C library.
pub(crate) fn spot(nodes: &Nodes<'_>, side: Side, node: Node) -> Option<Spot> {
    let Statement::Graph(id) = nodes.statement(node) else { return None };
    of_graph(nodes.graph(), side, *id)
}

/// The statement of a node of the graph in a version.
pub(crate) fn of_graph(graph: &Graph, side: Side, id: NodeId) -> Option<Spot> {
    let version = version(side);
    if !graph.node_in(id, version) {
        return None;
    }
    let chain = graph.chain(id);
    Some(Spot {
        side,
        file: graph.location(chain, version).0.to_owned(),
        line: graph.line(id, version)?,
        function: graph.name(chain, version).to_owned(),
        text: graph.text(id).to_owned(),
    })
}

/// What the other version has in the place of a statement.
pub(crate) fn counterpart(nodes: &Nodes<'_>, changed: &Changed, side: Side, node: Node) -> Counterpart {
    let Statement::Graph(id) = nodes.statement(node) else { return Counterpart::Missing(None) };
    let (graph, there) = (nodes.graph(), side.other());
    if let Some(spot) = of_graph(graph, there, *id) {
        return match () {
            () if changed.is_redefined(node) => Counterpart::Redefined(spot),
            () if changed.is_moved(node) => Counterpart::Moved(spot),
            () => Counterpart::Same(spot),
        };
    }
    let (other, behind) = stands_for(graph, changed, side, *id);
    match other.and_then(|other| of_graph(graph, there, other)) {
        Some(spot) => Counterpart::Other(spot),
        None => Counterpart::Missing(behind),
    }
}

/// The statement that the other version has in the place of one that it does not have itself.
pub(crate) fn partner_of(nodes: &Nodes<'_>, changed: &Changed, side: Side, node: Node) -> Option<Node> {
    let Statement::Graph(id) = nodes.statement(node) else { return None };
    if nodes.is_shared(node) {
        return None;
    }
    nodes.of_graph(stands_for(nodes.graph(), changed, side, *id).0?)
}

/// What stands for a statement that only one version has, and where it is missing: the file and the line before.
fn stands_for(
    graph: &Graph,
    changed: &Changed,
    side: Side,
    id: NodeId,
) -> (Option<NodeId>, Option<(String, u32)>) {
    let (chain, there) = (graph.chain(id), side.other());
    if !graph.chain_in(chain, version(there)) {
        return (None, None);
    }
    // Between the same two statements that both versions have.
    let (own, others) = (graph.lines(chain, version(side)), graph.lines(chain, version(there)));
    let Some(at) = own.iter().position(|(other, _)| *other == id) else { return (None, None) };
    let place = |(node, _): &(NodeId, Option<u32>)| others.iter().position(|(other, _)| other == node);
    let before = own[..at].iter().rposition(|one| place(one).is_some());
    let behind =
        own[at..].iter().position(|one| place(one).is_some()).map_or(own.len(), |behind| at + behind);
    let from = before.and_then(|before| place(&own[before])).map_or(0, |from| from + 1);
    let to = own.get(behind).and_then(place).unwrap_or(others.len());
    let alone = |(one, line): &(NodeId, Option<u32>)| line.is_some().then_some(*one);
    let gap: Vec<NodeId> =
        own[before.map_or(0, |before| before + 1)..behind].iter().filter_map(alone).collect();
    let lacks = |one: &NodeId| !graph.node_in(*one, version(side));
    let across: Vec<NodeId> =
        others.get(from..to).unwrap_or(&[]).iter().filter_map(alone).filter(lacks).collect();
    // What was executed there stands for it; where nothing of it was, what is written there does.
    let executed = |all: &[NodeId]| -> Vec<NodeId> {
        all.iter().copied().filter(|one| changed.was_executed(*one)).collect()
    };
    // One for one, or one test for another, it need not say nearly the same.
    let least =
        |other: &NodeId| match gap.len() == across.len() || decides(graph, id) && decides(graph, *other) {
            true => 0,
            false => ALIKE,
        };
    let other = partner(graph, side, &executed(&gap), &executed(&across), id).or_else(|| {
        let other = partner(graph, side, &gap, &across, id);
        other.filter(|other| words_in_common(graph.text(id), graph.text(*other)) >= least(other))
    });
    let file = graph.location(chain, version(there)).0;
    let line = others[..from].iter().rev().find_map(|one| one.1);
    (other, line.map(|line| (file.to_owned(), line)))
}

/// Statements with so many percent of their words in common are versions of each other, wherever they stand. What was not executed stands
/// for what was only where it is one.
const ALIKE: usize = 50;

/// Who stands for whom in a gap: statements with the same neighbours and words first, each for one other.
fn partner(graph: &Graph, side: Side, own: &[NodeId], others: &[NodeId], wanted: NodeId) -> Option<NodeId> {
    let mut pairs: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (i, one) in own.iter().enumerate() {
        for (j, two) in others.iter().enumerate() {
            if decides(graph, *one) != decides(graph, *two) {
                continue;
            }
            let around = [false, true].map(|forwards| {
                let mine = neighbours(graph, *one, version(side), forwards);
                let theirs = neighbours(graph, *two, version(side.other()), forwards);
                mine.intersection(&theirs).count()
            });
            let (near, alike) = (around[0] + around[1], words_in_common(graph.text(*one), graph.text(*two)));
            if near > 0 || alike >= ALIKE {
                pairs.push((100 * near + alike, usize::MAX - i.abs_diff(j), i, j));
            }
        }
    }
    pairs.sort_by_key(|pair| std::cmp::Reverse((pair.0, pair.1)));
    let (mut taken, mut given) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, i, j) in pairs {
        if taken.contains(&i) || given.contains(&j) {
            continue;
        }
        if own[i] == wanted {
            return Some(others[j]);
        }
        taken.insert(i);
        given.insert(j);
    }
    None
}

/// Whether a statement decides where to go on.
pub(crate) fn decides(graph: &Graph, node: NodeId) -> bool {
    use hydrogen_ir::Role::{Condition, DoWhile, For, If, Switch, While};
    matches!(graph.role(node), If | While | DoWhile | For | Switch | Condition)
}

fn neighbours(graph: &Graph, node: NodeId, version: VersionId, forwards: bool) -> BTreeSet<NodeId> {
    let own = |edge: &hydrogen_graph::EdgeId| graph.edge_in(*edge, version);
    match forwards {
        true => graph.outgoing(node).filter(own).map(|edge| graph.ends(edge).1).collect(),
        false => graph.incoming(node).filter(own).map(|edge| graph.ends(edge).0).collect(),
    }
}

/// How much of two texts is the same, in percent of their words. All calls have brackets: those say nothing.
fn words_in_common(one: &str, two: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut inside = false;
        for letter in text.chars() {
            let is_word = letter.is_alphanumeric() || letter == '_';
            match words.last_mut() {
                Some(last) if is_word && inside => last.push(letter),
                _ if letter.is_whitespace() || "(),;".contains(letter) => {}
                _ => words.push(letter.to_string()),
            }
            inside = is_word;
        }
        words.sort();
        words
    };
    let (one, mut two) = (words(one), words(two));
    let all = one.len() + two.len();
    let mut common = 0;
    for word in &one {
        if let Ok(at) = two.binary_search(word) {
            two.remove(at);
            common += 1;
        }
    }
    200 * common / all.max(1)
}
