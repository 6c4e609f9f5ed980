//! The statements that a change can matter to.

use crate::judge::away::distances;
use crate::judge::own_texts::OwnTexts;
use crate::meaning::operand::global_name;
use crate::meaning::statics::named_in;
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, NodeId, Target, VersionId};
use hydrogen_ir::Role;
use std::collections::{BTreeMap, BTreeSet};

/// What a change can matter to.
pub(super) struct Impacted {
    /// Statements, each with the version that it is asked about in.
    pub statements: Vec<(NodeId, VersionId)>,
    /// The functions that both versions have and that changed.
    pub changed: Vec<ChainId>,
    /// The functions that only the newer version has.
    pub fresh: Vec<ChainId>,
    /// The functions that did not change and are called behind the change, so that a changed value may come in.
    pub called: Vec<ChainId>,
    /// How many edges away from the change a statement is.
    pub away: BTreeMap<NodeId, usize>,
}

impl Analyst<'_> {
    /// The statements that a change can matter to: on a changed path of the newer version, behind the change; those that only the
    /// older version has; and those of functions that changed statements call.
    pub(super) fn impacted(&mut self, old: VersionId, new: VersionId) -> Impacted {
        let readers = self.readers_of_opened(old, new);
        let graph = self.subject.program.graph;
        let mut found: BTreeSet<(NodeId, VersionId)> = BTreeSet::new();
        let (mut called, mut reached): (BTreeSet<ChainId>, BTreeSet<ChainId>) = Default::default();
        let (mut changed, mut fresh): (Vec<ChainId>, Vec<ChainId>) = Default::default();
        let mut away: BTreeMap<NodeId, usize> = BTreeMap::new();
        let variables = self.changed_variables(old, new);
        for chain in graph.chains() {
            let (then, now) = (graph.chain_in(chain, old), graph.chain_in(chain, new));
            if !now {
                continue;
            }
            let payload = |node: NodeId| {
                graph.node_in(node, old)
                    && graph.node_in(node, new)
                    && graph.payload(node, old) != graph.payload(node, new)
            };
            let starts: Vec<NodeId> = if then {
                let edges = graph.new_edges(chain, new, old);
                let ends = edges.iter().map(|&edge| graph.ends(edge).1);
                let others = graph.chain_nodes(chain).iter().copied().filter(|&node| payload(node));
                let namers = match variables.is_empty() {
                    true => Vec::new(),
                    false => self.namers(chain, new, &variables),
                };
                // Whom others can call now gets what nobody passed before.
                let opened = !graph.is_internal(chain, new) && graph.is_internal(chain, old);
                let entry = graph.entry(chain).filter(|_| opened);
                ends.chain(others).chain(namers).chain(entry).collect()
            } else {
                graph.entry(chain).into_iter().collect()
            };
            if !then {
                fresh.push(chain);
            }
            if then && !starts.is_empty() {
                changed.push(chain);
            }
            let mut behind = distances(graph, starts.iter().copied(), new);
            // Where a way in is gone, the new version may do no more what the old one did there.
            if then {
                let gone = graph.new_edges(chain, old, new);
                let lost = distances(graph, gone.iter().map(|&edge| graph.ends(edge).1), new);
                for (node, edges) in lost {
                    let known = behind.entry(node).or_insert(edges + 1);
                    *known = (*known).min(edges + 1);
                }
            }
            for (&node, &edges) in &behind {
                found.insert((node, new));
                away.insert(node, edges);
            }
            if then {
                let gone = graph
                    .chain_nodes(chain)
                    .iter()
                    .filter(|&&node| graph.node_in(node, old) && !graph.node_in(node, new));
                for &node in gone {
                    found.insert((node, old));
                    away.insert(node, 0);
                }
            }
            for &node in behind.keys() {
                let fresh = !graph.node_in(node, old) || payload(node);
                for target in graph.targets(node, new) {
                    if let Target::Chain(callee) = target {
                        if fresh {
                            called.insert(callee)
                        } else {
                            reached.insert(callee)
                        };
                    }
                }
            }
        }
        let unchanged = reached.difference(&called).filter(|&chain| graph.chain_in(*chain, old));
        let reached = unchanged.filter(|&chain| !changed.contains(chain)).copied().collect();
        for chain in called.into_iter().chain(readers) {
            found.extend(graph.pieces(chain, new).into_iter().map(|node| (node, new)));
        }
        // A statement that both have is asked about once.
        let real = |(node, _): &(NodeId, VersionId)| !matches!(graph.role(*node), Role::Entry | Role::Exit);
        Impacted {
            statements: found.into_iter().filter(real).collect(),
            changed,
            fresh,
            called: reached,
            away,
        }
    }

    /// The functions that name variables in which texts always end in one of two versions only: what changed is elsewhere, and matters to them.
    fn readers_of_opened(&mut self, old: VersionId, new: VersionId) -> Vec<ChainId> {
        let (then, now) = (self.own_texts(old), self.own_texts(new));
        let differs = |name: &&String| {
            let ends = |texts: &OwnTexts| texts.get(*name).map(Option::is_none);
            ends(&then).zip(ends(&now)).is_some_and(|(then, now)| then != now)
        };
        let names: BTreeSet<&String> = now.keys().filter(differs).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let graph = self.subject.program.graph;
        let both = |chain: &ChainId| graph.chain_in(*chain, old) && graph.chain_in(*chain, new);
        let chains: Vec<ChainId> = graph.chains().filter(both).collect();
        let mut readers = Vec::new();
        for chain in chains {
            let Some(shape) = self.shape(chain, new) else { continue };
            let named = named_in(&shape.module, shape.body());
            let mut named = named.into_iter().map(|id| global_name(&shape.module, shape.module.global(id)));
            if named.any(|name| names.contains(&name)) {
                readers.push(chain);
            }
        }
        readers
    }
}
