//! Where changes may interact (Definitions 11 and 12): statements that depend on more than one of them.

use crate::change::{FunctionChange, Why};
use crate::changes::Changes;
use crate::depend::{Dependence, StatementId};
use crate::index::{FunctionKey, Index};
use crate::program::EXIT;
use crate::reach::change_sequences;
use crate::{END, Reading, START, TooLarge};
use hydrogen_flow::{Components, Digraph};
use hydrogen_ir::{Piece, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The change sequence graph of chapter 4: changes, the locations where they may interact, outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionGraph {
    /// Its nodes, by file, function and piece.
    pub nodes: Vec<InteractionNode>,
    /// Control may pass from one node to the other without a third between. The ends are positions in `nodes`, or nothing
    /// for the entry (as a source) and the exit (as a target).
    pub flow: Vec<FlowStep>,
    /// Change and location: the location depends on the change.
    pub dependence: Vec<(usize, usize)>,
    /// What the graph says about the changes.
    pub verdict: Verdict,
}

/// From one node to the next.
pub type FlowStep = (Option<usize>, Option<usize>);

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionNode {
    /// What it is.
    pub kind: NodeKind,
    /// Its file.
    pub file: Box<str>,
    /// Its function.
    pub function: Box<str>,
    /// Its line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The changes that it depends on, as positions in the list of nodes.
    pub depends_on: Vec<usize>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// A changed statement.
    Change,
    /// A statement that depends on several changes.
    Location,
    /// A statement with an effect outside of the program, or an assertion.
    Output,
}

/// Whether changes interact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No statement depends on more than one change: they can be tested one by one. It holds as far as dependence is seen in
    /// the source.
    Cannot,
    /// Some statement does.
    May,
    /// Something changed whose effect is not followed.
    Unknown(Vec<String>),
}

/// Calls that are seen from outside.
const OUTPUTS: [&str; 26] = [
    "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "fputs", "putchar", "fputc", "putc",
    "fwrite", "write", "send", "sendto", "perror", "error", "exit", "_exit", "abort", "assert", "syslog",
    "err", "errx", "warn", "warnx", "die",
];

/// How locations are found (E9); both ways give the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// One forward slice per change; locations are in several.
    #[default]
    Forward,
    /// One backward slice per statement; locations have several changes in theirs.
    Backward,
}

/// Per statement, the changes it depends on, as positions in `changes`.
pub fn depended_changes(dependence: &Dependence, changes: &[StatementId], method: Method) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); dependence.len()];
    match method {
        Method::Forward => {
            for (number, &change) in changes.iter().enumerate() {
                let slice = dependence.forward([change]);
                for (statement, list) in found.iter_mut().enumerate().filter(|(at, _)| slice[*at]) {
                    debug_assert!(statement < dependence.len(), "slices go beyond statements, lists do not");
                    list.push(number as u32);
                }
            }
        }
        Method::Backward => {
            for (statement, list) in found.iter_mut().enumerate() {
                let slice = dependence.backward([StatementId(statement as u32)]);
                let own = changes.iter().enumerate().filter(|(_, change)| slice[change.0 as usize]);
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
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for &location in locations {
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut waiting: Vec<usize> = graph.entering(location as usize).map(|edge| edge.from).collect();
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            if passes(node) {
                waiting.extend(graph.entering(node).map(|edge| edge.from));
            } else if locations.contains(&(node as u32)) && depends[node] == depends[location as usize] {
                edges.push((node, location as usize));
            }
        }
    }
    let merely = Digraph::unlabelled(dependence.len(), edges);
    let components = Components::of(&merely);
    let mut led_to = vec![false; components.count()];
    for edge in merely.edges() {
        let (from, to) = (components.component_of(edge.from), components.component_of(edge.to));
        led_to[to] |= from != to;
    }
    let mut kept = BTreeSet::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    for &location in locations {
        let component = components.component_of(location as usize);
        if !led_to[component] && taken.insert(component) {
            kept.insert(location);
        }
    }
    kept
}

/// The graph of a step's changes; `index` and `dependence` are of the new tree. With `all`, locations are not thinned.
pub fn interactions(
    index: &Index,
    changes: &Changes,
    dependence: &Dependence,
    all: bool,
) -> Result<InteractionGraph, TooLarge> {
    let mut statements: Vec<StatementId> = Vec::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for (&key, change) in &changes.functions {
        let (facts, path) = (index.function(key), &index.file(key.file).expect("a file of the tree").path);
        for &piece in change.pieces.keys() {
            match dependence.statement(path, key.function, piece) {
                Some(statement) => statements.push(statement),
                None => drop(unknown.insert(format!("{path}: {} is read differently", facts.name))),
            }
        }
        if !change.deletions.is_empty() {
            unknown.insert(format!(
                "{path}: what depended on statements deleted in {} is not followed",
                facts.name
            ));
        }
        if change.head {
            unknown
                .insert(format!("{path}: the head of {} changed; its callers are not followed", facts.name));
        }
    }
    for gone in &changes.gone {
        unknown.insert(format!("{}: the deletion of {} is not followed", gone.file, gone.name));
    }
    statements.sort_unstable();
    let depends = depended_changes(dependence, &statements, Method::Forward);
    let is_change: BTreeSet<u32> = statements.iter().map(|it| it.0).collect();
    let (mut outputs, mut locations) = (BTreeSet::new(), BTreeSet::new());
    for (at, on) in depends.iter().enumerate().filter(|(_, on)| !on.is_empty()) {
        let at = at as u32;
        let (_, function, piece) = dependence.place(StatementId(at));
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
        locations = thinned(dependence, &locations, &depends);
    }
    let verdict = match (several, unknown.is_empty()) {
        (true, _) => Verdict::May,
        (false, true) => Verdict::Cannot,
        (false, false) => Verdict::Unknown(unknown.into_iter().collect()),
    };
    let chosen: BTreeSet<u32> = is_change.iter().chain(&outputs).chain(&locations).copied().collect();
    let chosen: Vec<u32> = chosen.into_iter().collect();
    let position = |statement: u32| chosen.binary_search(&statement).expect("it was chosen");
    let nodes: Vec<InteractionNode> = chosen
        .iter()
        .map(|&at| {
            let (unit, function, piece) = dependence.place(StatementId(at));
            let piece = &function.pieces[piece as usize];
            let kind = match (is_change.contains(&at), outputs.contains(&at)) {
                (true, _) => NodeKind::Change,
                (_, true) => NodeKind::Output,
                _ => NodeKind::Location,
            };
            let on = depends[at as usize].iter().map(|&change| position(statements[change as usize].0));
            InteractionNode {
                kind,
                file: unit.module.name.as_str().into(),
                function: function.name.as_str().into(),
                line: piece.span.map_or(0, |span| span.start.line),
                text: piece.label(),
                depends_on: on.collect(),
            }
        })
        .collect();
    let dependence_edges = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind == NodeKind::Location)
        .flat_map(|(at, node)| node.depends_on.iter().map(move |&change| (change, at)))
        .collect();
    let flow = control_flow(index, dependence, &chosen)?;
    Ok(InteractionGraph { nodes, flow, dependence: dependence_edges, verdict })
}

/// Which of the statements may follow each other, between functions too.
fn control_flow(index: &Index, dependence: &Dependence, chosen: &[u32]) -> Result<Vec<FlowStep>, TooLarge> {
    let mut marked = Changes::default();
    let mut positions: BTreeMap<(FunctionKey, u32), usize> = BTreeMap::new();
    for (number, facts) in index.files() {
        for function in 0..facts.functions.len() as u32 {
            let Some(entry) = dependence.statement(&facts.path, function, 0) else { continue };
            let count = facts.functions[function as usize].pieces.len() as u32;
            let from = chosen.partition_point(|&at| at < entry.0);
            let own = chosen[from..].iter().take_while(|&&at| at < entry.0 + count);
            let key = FunctionKey { file: number, function };
            for (offset, &at) in own.enumerate() {
                let piece = at - entry.0;
                let change: &mut FunctionChange = marked.functions.entry(key).or_default();
                change.pieces.insert(piece, Why::Text);
                positions.insert((key, piece), from + offset);
            }
        }
    }
    let assembled = crate::assemble::assemble(index, &marked);
    let graph = change_sequences(&assembled.program, Reading::Full)?;
    let node = |vertex: u32| {
        if vertex == START || vertex == END {
            return None;
        }
        let vertex = graph.vertices[vertex as usize];
        let crate::assemble::What::Function(key) = assembled.functions[vertex.function as usize] else {
            return None;
        };
        debug_assert!(vertex.node > EXIT, "entries and exits are never chosen");
        positions.get(&(key, vertex.node)).copied()
    };
    let mut flow: Vec<FlowStep> = graph.edges().map(|(from, to)| (node(from), node(to))).collect();
    flow.sort_unstable();
    Ok(flow)
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
    piece.role != Role::Declaration && OUTPUTS.iter().any(called)
}
