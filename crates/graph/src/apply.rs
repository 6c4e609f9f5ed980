//! Changing version sets: what a new version begins, continues and ends.

use crate::model::{Edge, Facts, Graph, Kind, Node};
use crate::shape::Shape;
use crate::tables::Runs;
use crate::version_set::OPEN;
use crate::{ChainId, EdgeId, NodeId, SetId, VersionId, VersionSet};
use hashbrown::HashSet;
use hydrogen_align::{Plan, Slot};

impl Graph {
    /// Weaves a function's content in version `version` into its chain. Exact by construction (INV-1): afterwards the
    /// version has the planned nodes and the given edges, and no others of the chain.
    pub(crate) fn weave_in(
        &mut self,
        chain: ChainId,
        version: u32,
        shape: &Shape,
        plan: Plan<NodeId>,
        start: u32,
    ) {
        let nodes = self.place_nodes(chain, shape, plan);
        let alive: HashSet<NodeId> = nodes.iter().copied().collect();
        let mut wanted: HashSet<(NodeId, NodeId, Kind)> =
            shape.flow.iter().map(|&(from, to, kind)| (nodes[from], nodes[to], kind)).collect();
        let order = std::mem::take(&mut self.chains[chain.index()].order);
        self.update_edges(&order, version, &alive, &mut wanted);
        for &node in &order {
            self.update_node(node, version, alive.contains(&node));
        }
        self.chains[chain.index()].order = order;
        // In the order of the version's own edges, so that ids are reproducible.
        for &(from, to, kind) in &shape.flow {
            if wanted.remove(&(nodes[from], nodes[to], kind)) {
                self.add_edge(nodes[from], nodes[to], kind, version);
            }
        }
        self.set_facts(&nodes, version, shape, start);
    }

    /// Gives a function in version `version` the content that it had in `from`; nobody need look at it again.
    pub(crate) fn restore(&mut self, chain: ChainId, version: u32, from: u32) {
        let order = std::mem::take(&mut self.chains[chain.index()].order);
        let was = VersionId(from);
        let alive: HashSet<NodeId> = order.iter().copied().filter(|&node| self.node_in(node, was)).collect();
        let edges =
            order.iter().flat_map(|&node| self.links.out(node)).filter(|&edge| self.edge_in(edge, was));
        let mut wanted: HashSet<(NodeId, NodeId, Kind)> = edges
            .map(|edge| {
                let Edge { from, to, kind, .. } = self.edges[edge.index()];
                (from, to, kind)
            })
            .collect();
        self.update_edges(&order, version, &alive, &mut wanted);
        for &node in &order {
            let is = alive.contains(&node);
            self.update_node(node, version, is);
            if is {
                let facts = &mut self.nodes[node.index()].facts;
                let old = *facts.at(from);
                facts.set(version, old);
            }
        }
        self.chains[chain.index()].order = order;
    }

    /// Creates the nodes that a plan asks for and stores the chain's new order. New nodes have no versions yet.
    fn place_nodes(&mut self, chain: ChainId, shape: &Shape, plan: Plan<NodeId>) -> Vec<NodeId> {
        let nowhere = self.sets.set(&VersionSet::empty());
        let unknown = Facts { gap: None, payload: u32::MAX, calls: u32::MAX };
        let mut nodes = Vec::with_capacity(plan.nodes.len());
        for (piece, known) in plan.nodes.into_iter().enumerate() {
            nodes.push(known.unwrap_or_else(|| {
                let id = NodeId::at(self.nodes.len());
                let symbol = shape.symbols[piece];
                self.nodes.push(Node { chain, symbol, versions: nowhere, facts: Runs::new(unknown) });
                self.links.node();
                id
            }));
        }
        let slot = |slot| match slot {
            Slot::Known(node) => node,
            Slot::New(piece) => nodes[piece],
        };
        self.chains[chain.index()].order = plan.order.into_iter().map(slot).collect();
        nodes
    }

    /// Begins, continues and ends the edges that are known already, and takes them from `wanted`. Every edge of the
    /// version before is looked at, so that a pure removal is noticed too (ERR-2). Uses the nodes' old version sets.
    fn update_edges(
        &mut self,
        order: &[NodeId],
        version: u32,
        alive: &HashSet<NodeId>,
        wanted: &mut HashSet<(NodeId, NodeId, Kind)>,
    ) {
        let edges: Vec<EdgeId> = order.iter().flat_map(|&node| self.links.out(node)).collect();
        for id in edges {
            let Edge { from, to, kind, versions } = self.edges[id.index()];
            let is = wanted.remove(&(from, to, kind));
            let explicit = match versions {
                None if is || !(alive.contains(&from) && alive.contains(&to)) => continue,
                None => self.common(from, to),
                Some(set) => self.sets.get(set.0).clone(),
            };
            let changed = match (explicit.is_open(), is) {
                (true, false) => explicit.closed(version - 1),
                (false, true) => explicit.opened(version),
                _ => explicit,
            };
            self.edges[id.index()].versions = Some(self.sets.set(&changed));
        }
    }

    /// The versions that have both nodes.
    fn common(&self, from: NodeId, to: NodeId) -> VersionSet {
        let of = |node: NodeId| self.sets.get(self.nodes[node.index()].versions.0);
        if self.nodes[from.index()].versions == self.nodes[to.index()].versions {
            return of(from).clone();
        }
        of(from).intersection(of(to))
    }

    fn update_node(&mut self, node: NodeId, version: u32, is: bool) {
        let versions = self.nodes[node.index()].versions;
        self.nodes[node.index()].versions = self.updated(versions, version, is);
    }

    fn updated(&mut self, set: SetId, version: u32, is: bool) -> SetId {
        let versions = self.sets.get(set.0);
        match (versions.is_open(), is) {
            (true, false) => {
                let closed = versions.closed(version - 1);
                self.sets.set(&closed)
            }
            (false, true) => {
                let opened = versions.opened(version);
                self.sets.set(&opened)
            }
            _ => set,
        }
    }

    fn add_edge(&mut self, from: NodeId, to: NodeId, kind: Kind, version: u32) {
        let own = VersionSet::span(version, OPEN);
        let versions = (self.common(from, to) != own).then(|| self.sets.set(&own));
        self.edges.push(Edge { from, to, kind, versions });
        self.links.edge(from, to);
    }

    fn set_facts(&mut self, nodes: &[NodeId], version: u32, shape: &Shape, start: u32) {
        let mut before = start;
        for (piece, &node) in nodes.iter().enumerate() {
            let gap = shape.lines[piece].map(|line| {
                let gap = i64::from(line) - i64::from(before);
                before = line;
                // Lines beyond 2^31 do not occur; wrapping gives the line back all the same.
                gap as i32
            });
            let payload = shape.payload.as_ref().map_or(0, |all| self.payloads.insert(&all[piece]) + 1);
            let calls = &shape.calls[piece];
            let calls = if calls.is_empty() { 0 } else { self.calls.insert(calls) + 1 };
            let facts = Facts { gap, payload, calls };
            let runs = &mut self.nodes[node.index()].facts;
            if runs.last().payload == u32::MAX {
                *runs = Runs::new(facts);
            } else {
                runs.set(version, facts);
            }
        }
    }

    /// Ends chains that the version before had and this one has not (ERR-14).
    pub(crate) fn end(&mut self, ended: &[ChainId], version: u32) {
        for &chain in ended {
            let order = std::mem::take(&mut self.chains[chain.index()].order);
            self.update_edges(&order, version, &HashSet::new(), &mut HashSet::new());
            for &node in &order {
                self.update_node(node, version, false);
            }
            let versions = self.chains[chain.index()].versions;
            let versions = self.updated(versions, version, false);
            let chain = &mut self.chains[chain.index()];
            (chain.order, chain.versions) = (order, versions);
        }
    }
}
