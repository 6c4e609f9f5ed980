//! A path that breaks a rule, as a reader follows it.

use super::program::Program;
use super::rule::Order;
use super::witness::{Onward, Step};
use hydrogen_evidence::{Entry, Evidence, Spot};
use hydrogen_graph::{ChainId, EdgeId, NodeId, VersionId};
use hydrogen_ir::EdgeKind;
use std::collections::{BTreeMap, BTreeSet};

/// So many functions are named before the rest is only counted.
const NAMED: usize = 12;

/// Makes spots of nodes.
pub(super) struct Places<'a> {
    program: &'a Program<'a>,
    version: VersionId,
    lines: BTreeMap<ChainId, BTreeMap<NodeId, u32>>,
}

impl<'a> Places<'a> {
    pub fn new(program: &'a Program<'a>, version: VersionId) -> Self {
        Self { program, version, lines: BTreeMap::new() }
    }

    /// A node as a reader knows it.
    pub fn spot(&mut self, node: NodeId, notes: Vec<String>) -> Spot {
        let (graph, version) = (self.program.graph, self.version);
        let chain = graph.chain(node);
        let with_line = |(node, line): (NodeId, Option<u32>)| Some((node, line?));
        let lines = self
            .lines
            .entry(chain)
            .or_insert_with(|| graph.lines(chain, version).into_iter().filter_map(with_line).collect());
        Spot {
            function: graph.name(chain, version).to_owned(),
            file: graph.location(chain, version).0.to_owned(),
            line: lines.get(&node).copied().unwrap_or(0),
            text: graph.label(node),
            notes,
        }
    }
}

/// The evidence of a broken rule, and what the path takes for granted.
pub(super) fn story(
    program: &Program<'_>,
    site: NodeId,
    version: VersionId,
    steps: &[Step],
) -> (Evidence, Vec<Entry>) {
    let graph = program.graph;
    let rule = program.rule;
    let mut places = Places::new(program, version);
    let mut path: Vec<Spot> = Vec::new();
    let mut silent: BTreeSet<&str> = BTreeSet::new();
    let mut entered: BTreeSet<ChainId> = BTreeSet::new();
    let mut conditions = 0;
    let raised = steps.iter().rposition(|step| step.node == site && !step.open);
    for (at, step) in steps.iter().enumerate() {
        let mut notes = Vec::new();
        let edge = match step.onward {
            Onward::Edge(edge) => Some(edge),
            _ => None,
        };
        if let Some(outcome) = edge.and_then(|edge| outcome(program, edge)) {
            conditions += 1;
            notes.push(outcome);
        }
        if Some(at) == raised {
            notes.push(match rule.order {
                Order::Follows => format!("from here on, {}() must follow", rule.second),
                Order::Never => format!("from here on, {}() must not follow", rule.second),
            });
        }
        let from_here = raised.is_some_and(|raised| at >= raised);
        if from_here {
            let call = if let Onward::Return(call, _) = step.onward { call } else { step.node };
            outside(program, call, version, &mut entered, &mut silent);
        }
        match step.onward {
            Onward::Return(call, edge) => {
                conditions += usize::from(outcome(program, edge).is_some());
                notes.extend(outcome(program, edge));
                notes.push(format!("{}() came back", graph.name(graph.chain(step.node), version)));
                path.push(places.spot(call, notes));
            }
            Onward::Broken if program.exit(graph.chain(step.node)) == Some(step.node) => {
                let missing = format!("the end of the path, and {}() was not called", rule.second);
                if let Some(last) = path.last_mut() {
                    last.notes.push(missing);
                }
            }
            Onward::Broken => {
                notes.push(format!("{}() is called here", rule.second));
                path.push(places.spot(step.node, notes));
            }
            _ if Some(step.node) == graph.entry(graph.chain(step.node)) => {}
            _ => path.push(places.spot(step.node, notes)),
        }
    }
    let constraint = match rule.order {
        Order::Follows => format!("{}() is not called after {}()", rule.second, rule.first),
        Order::Never => format!("{}() is called after {}()", rule.second, rule.first),
    };
    let mut ledger = Vec::new();
    if !silent.is_empty() {
        let count = silent.len();
        let mut list: Vec<String> = silent.into_iter().take(NAMED).map(|name| format!("{name}()")).collect();
        if count > NAMED {
            list.push(format!("and {} more", count - NAMED));
        }
        ledger.push(Entry::TakenNotToCall { second: rule.second.clone(), functions: list.join(", ") });
    }
    if conditions > 1 {
        ledger.push(Entry::BranchesTogether);
    }
    (Evidence { path, constraint, ..Evidence::default() }, ledger)
}

/// The functions without a body that a node calls, also through functions that the path steps over.
fn outside<'a>(
    program: &'a Program<'_>,
    node: NodeId,
    version: VersionId,
    entered: &mut BTreeSet<ChainId>,
    names: &mut BTreeSet<&'a str>,
) {
    let ours = [program.rule.first.as_str(), program.rule.second.as_str()];
    let mut work = vec![node];
    while let Some(node) = work.pop() {
        for act in program.acts(node, version) {
            names.extend(act.externals.iter().map(String::as_str).filter(|name| !ours.contains(name)));
            for &chain in act.chains.iter().filter(|chain| entered.insert(**chain)) {
                work.extend(program.graph.pieces(chain, version));
            }
        }
    }
}

/// How a condition was decided.
fn outcome(program: &Program<'_>, edge: EdgeId) -> Option<String> {
    match program.graph.edge_kind(edge) {
        EdgeKind::Next => None,
        EdgeKind::True => Some("taken".into()),
        EdgeKind::False => Some("not taken".into()),
        other => Some(other.to_string()),
    }
}
