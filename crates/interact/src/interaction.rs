//! Where changes may interact (Definitions 11 and 12): statements that depend on more than one of them.

use crate::assemble::{Standing, What};
use crate::change::{FunctionChange, Why};
use crate::changes::Changes;
use crate::depend::{Dependence, Start, StatementId};
use crate::index::FunctionKey;
use crate::origins::{Changed, Origin, Origins, place_of};
use crate::reach::change_sequences;
use crate::transition::Transition;
use crate::{END, Reading, START, TooLarge};
use hydrogen_evidence::interaction::{FlowStep, InteractionGraph, InteractionNode, NodeKind, Verdict};
use hydrogen_flow::{Components, Digraph, Successors};
use hydrogen_ir::{Piece, Role};
use hydrogen_library::{Library, Trait};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// How locations are found (E9); both ways give the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// One forward slice per change; locations are in several.
    #[default]
    Forward,
    /// One backward slice per statement; locations have several changes in theirs.
    Backward,
}

/// Per statement, the changes it depends on, as positions in `changes`. A change is given by the statements where its effect
/// starts.
pub fn depended_changes(dependence: &Dependence, changes: &[Vec<Start>], method: Method) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); dependence.len()];
    match method {
        Method::Forward => {
            for (number, starts) in changes.iter().enumerate() {
                let slice = dependence.forward(starts.iter().copied());
                for (_, list) in found.iter_mut().enumerate().filter(|(at, _)| slice[*at]) {
                    list.push(number as u32);
                }
            }
        }
        Method::Backward => {
            for (statement, list) in found.iter_mut().enumerate() {
                let slice = dependence.affecting([StatementId(statement as u32)]);
                let inside =
                    |starts: &[Start]| starts.iter().any(|start| Dependence::is_among(&slice, *start));
                let own = changes.iter().enumerate().filter(|(_, starts)| inside(starts));
                list.extend(own.map(|(number, _)| number as u32));
            }
        }
    }
    found
}

/// Drops locations that merely depend on another with the same changes (E8). Of statements that depend on each other in a
/// circle, the first is kept.
pub fn thinned(dependence: &Dependence, locations: &BTreeSet<u32>, depends: &[Vec<u32>]) -> BTreeSet<u32> {
    let graph = dependence.graph();
    // Entries of functions are no statements of their own: they pass on what calls bring.
    let passes = |node: usize| {
        node >= dependence.len() || {
            let (_, function, piece) = dependence.place(StatementId(node as u32));
            function.pieces[piece as usize].is_synthetic()
        }
    };
    let mut classes: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
    for &location in locations {
        classes.entry(&depends[location as usize]).or_default().push(location);
    }
    classes.into_values().flat_map(|own| not_led_to(graph, &own, passes)).collect()
}

/// Of locations with the same changes, those that no other one leads to over nodes that pass effects on; of a circle the
/// first. Such nodes are few and lead to thousands: ways through them are not listed location by location.
fn not_led_to(
    graph: &Digraph<crate::depend::Via>,
    locations: &[u32],
    passes: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let mut nodes: Vec<usize> = locations.iter().map(|&location| location as usize).collect();
    let mut numbers: FxHashMap<usize, usize> = nodes.iter().copied().zip(0..).collect();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(&node) = nodes.get(at) {
        for edge in graph.leaving(node) {
            let to = match numbers.get(&edge.to) {
                Some(&known) => known,
                None if passes(edge.to) => {
                    nodes.push(edge.to);
                    numbers.insert(edge.to, nodes.len() - 1);
                    nodes.len() - 1
                }
                None => continue,
            };
            edges.push((at, to));
        }
        at += 1;
    }
    edges.sort_unstable();
    edges.dedup();
    let reached = Digraph::unlabelled(nodes.len(), edges);
    let components = Components::of(&reached);
    let mut first: Vec<Option<u32>> = vec![None; components.count()];
    for (number, &location) in locations.iter().enumerate() {
        first[components.component_of(number)].get_or_insert(location);
    }
    // Components are numbered with what they lead to first.
    let mut led_to = vec![false; components.count()];
    for component in (0..components.count()).rev() {
        let leads = led_to[component] || first[component].is_some();
        for to in components.members(component).iter().flat_map(|&member| reached.successors(member)) {
            let to = components.component_of(to);
            led_to[to] |= leads && to != component;
        }
    }
    first.into_iter().zip(led_to).filter(|(_, led_to)| !led_to).filter_map(|(first, _)| first).collect()
}

/// A node before it is described: a change, by position in the origins, or a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Chosen {
    Origin(usize),
    Statement(u32),
}

/// The graph of a step's changes. With `all`, locations are not thinned.
pub fn interactions(step: &Transition, all: bool) -> Result<InteractionGraph, TooLarge> {
    let origins = Origins::of(step);
    let starts: Vec<Vec<Start>> = origins.all.iter().map(|origin| origin.starts.clone()).collect();
    let depends = depended_changes(&step.new, &starts, Method::Forward);
    let is_change: BTreeSet<u32> = origins.all.iter().filter_map(|origin| statement(origin.what)).collect();
    let (mut outputs, mut locations) = (BTreeSet::new(), BTreeSet::new());
    for (at, on) in depends.iter().enumerate().filter(|(_, on)| !on.is_empty()) {
        let at = at as u32;
        let (_, function, piece) = step.new.place(StatementId(at));
        let piece = &function.pieces[piece as usize];
        if is_change.contains(&at) || piece.is_synthetic() {
            continue;
        }
        if is_output(piece) {
            outputs.insert(at);
        } else if on.len() > 1 {
            locations.insert(at);
        }
    }
    let several =
        !locations.is_empty() || outputs.iter().chain(&is_change).any(|&at| depends[at as usize].len() > 1);
    if !all {
        locations = thinned(&step.new, &locations, &depends);
    }
    let verdict = match (several, origins.not_followed.is_empty()) {
        (true, _) => Verdict::May,
        (false, true) => Verdict::Cannot,
        (false, false) => Verdict::Unknown(origins.not_followed.clone()),
    };
    let chosen = in_order(step, &origins.all, outputs.iter().chain(&locations).copied().collect());
    let mut position = vec![0; origins.all.len()];
    for (at, node) in chosen.iter().enumerate() {
        if let Chosen::Origin(origin) = node {
            position[*origin] = at;
        }
    }
    let nodes: Vec<InteractionNode> = chosen
        .iter()
        .map(|&node| {
            let on = |at: u32| depends[at as usize].iter().map(|&change| position[change as usize]).collect();
            match node {
                Chosen::Origin(number) => origin_node(&origins.all[number], |it| match statement(it) {
                    Some(at) => on(at),
                    None => vec![position[number]],
                }),
                Chosen::Statement(at) => {
                    let kind = if outputs.contains(&at) { NodeKind::Output } else { NodeKind::Location };
                    statement_node(&step.new, at, kind, on(at))
                }
            }
        })
        .collect();
    let dependence_edges = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind == NodeKind::Location)
        .flat_map(|(at, node)| node.depends_on.iter().map(move |&change| (change, at)))
        .collect();
    let flow = control_flow(step, &origins.all, &chosen)?;
    Ok(InteractionGraph { nodes, flow, dependence: dependence_edges, verdict })
}

/// The statement that a change is, if it is one.
fn statement(what: Changed) -> Option<u32> {
    match what {
        Changed::Statement(statement) => Some(statement.0),
        Changed::Deletion(..) | Changed::Head(_) | Changed::Gone(_) => None,
    }
}

/// Changes and other statements in the order of the source.
fn in_order(step: &Transition, origins: &[Origin], others: BTreeSet<u32>) -> Vec<Chosen> {
    let changes = origins.iter().enumerate();
    let changes = changes.map(|(number, origin)| (place_of(step, origin), Chosen::Origin(number)));
    let others = others.into_iter().map(|at| ((StatementId(at), 2), Chosen::Statement(at)));
    let mut chosen: Vec<((StatementId, u8), Chosen)> = changes.chain(others).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, node)| node).collect()
}

fn origin_node(origin: &Origin, on: impl Fn(Changed) -> Vec<usize>) -> InteractionNode {
    InteractionNode {
        kind: NodeKind::Change,
        file: origin.file.clone(),
        function: origin.function.clone(),
        line: origin.line,
        text: origin.text.clone(),
        depends_on: on(origin.what),
    }
}

fn statement_node(dependence: &Dependence, at: u32, kind: NodeKind, on: Vec<usize>) -> InteractionNode {
    let (unit, function, piece) = dependence.place(StatementId(at));
    let piece = &function.pieces[piece as usize];
    InteractionNode {
        kind,
        file: unit.module.name.as_str().into(),
        function: function.name.as_str().into(),
        line: piece.span.map_or(0, |span| span.start.line),
        text: piece.label(),
        depends_on: on,
    }
}

/// Which of the nodes may follow each other, between functions too.
fn control_flow(step: &Transition, origins: &[Origin], chosen: &[Chosen]) -> Result<Vec<FlowStep>, TooLarge> {
    let keys: BTreeMap<StatementId, FunctionKey> = step
        .index
        .files()
        .flat_map(|(file, facts)| {
            (0..facts.functions.len() as u32).map(move |function| (file, facts, function))
        })
        .filter_map(|(file, facts, function)| {
            Some((step.new.statement(&facts.path, function, 0)?, FunctionKey { file, function }))
        })
        .collect();
    // The marked program has the chosen statements instead of the changed ones, and all else that changed.
    let mut marked = Changes { gone: step.changes.gone.clone(), ..Changes::default() };
    let mut positions: BTreeMap<(FunctionKey, Place), usize> = BTreeMap::new();
    let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, node) in chosen.iter().enumerate() {
        let what = match *node {
            Chosen::Origin(number) => origins[number].what,
            Chosen::Statement(statement) => Changed::Statement(StatementId(statement)),
        };
        let (key, place) = match what {
            Changed::Statement(statement) => {
                let Some(&key) = keys.get(&step.new.entry_of(statement)) else { continue };
                (key, Place::Piece(step.new.piece_of(statement)))
            }
            Changed::Deletion(key, number) => (key, Place::Deletion(number)),
            Changed::Head(key) => (key, Place::Head),
            Changed::Gone(number) => {
                gone.insert(number, at);
                continue;
            }
        };
        let change: &mut FunctionChange = marked.functions.entry(key).or_default();
        match place {
            Place::Piece(piece) => drop(change.pieces.insert(piece, Why::Text)),
            Place::Deletion(_) => change.deletions.clone_from(&step.changes.functions[&key].deletions),
            Place::Head => change.head = true,
        }
        positions.insert((key, place), at);
    }
    let assembled = crate::assemble::assemble(&step.index, &marked);
    let graph = change_sequences(&assembled.program, Reading::Full)?;
    let node = |vertex: u32| {
        if vertex == START || vertex == END {
            return None;
        }
        let vertex = graph.vertices[vertex as usize];
        let key = match assembled.functions[vertex.function as usize] {
            What::Function(key) => key,
            What::Gone(number) => return gone.get(&number).copied(),
        };
        let place = match assembled.places[vertex.function as usize].get(&vertex.node)? {
            Standing::Piece(piece, _) => Place::Piece(*piece),
            Standing::Deletion(number) => Place::Deletion(*number),
            Standing::Head => Place::Head,
            Standing::Gone => return None,
        };
        positions.get(&(key, place)).copied()
    };
    let mut flow: Vec<FlowStep> = graph.edges().map(|(from, to)| (node(from), node(to))).collect();
    flow.sort_unstable();
    flow.dedup();
    Ok(flow)
}

/// A place of a function that a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Piece(u32),
    Deletion(usize),
    Head,
}

pub(crate) fn is_output(piece: &Piece) -> bool {
    let text = piece.text.as_str();
    let called = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let behind = text[at + name.len()..].trim_start().starts_with('(');
            behind && before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
        })
    };
    static OUTPUTS: OnceLock<Vec<&str>> = OnceLock::new();
    let outputs = OUTPUTS.get_or_init(|| Library::standard().all(Trait::Output).collect());
    piece.role != Role::Declaration && outputs.iter().any(called)
}
