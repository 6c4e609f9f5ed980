//! Reading a graph: what is in which version.

use crate::input::{FunctionKey, VersionInfo};
use crate::model::{Edge, Graph, Kind, Place, Symbol};
use crate::{ChainId, Digest, EdgeId, NodeId, VersionId, VersionSet};
use hydrogen_ir::{Callee, EdgeKind, Piece, Role};

impl Symbol {
    /// Whether it stands for source text.
    pub(crate) fn is_real(&self) -> bool {
        !matches!(self.role, Role::Entry | Role::Exit)
    }
}

impl Graph {
    /// The versions in the order in which they were added.
    pub fn versions(&self) -> &[VersionInfo] {
        &self.versions
    }

    /// The newest version.
    pub fn newest(&self) -> Option<VersionId> {
        self.versions.len().checked_sub(1).map(VersionId::at)
    }

    /// The version with a name or commit.
    pub fn version(&self, name: &str) -> Option<VersionId> {
        let by = |same: &dyn Fn(&VersionInfo) -> bool| self.versions.iter().position(same).map(VersionId::at);
        by(&|info| info.name == name).or_else(|| by(&|info| info.commit.as_deref() == Some(name)))
    }

    /// All functions over their versions.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = ChainId> + use<> {
        (0..self.chains.len()).map(ChainId::at)
    }

    /// All nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::at)
    }

    /// All edges.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeId> + use<> {
        (0..self.edges.len()).map(EdgeId::at)
    }

    /// The versions that have a function.
    pub fn chain_versions(&self, chain: ChainId) -> VersionSet {
        self.sets.get(self.chains[chain.index()].versions.0).resolved(self.versions.len())
    }

    /// The versions that have a node: V_N.
    pub fn node_versions(&self, node: NodeId) -> VersionSet {
        self.sets.get(self.nodes[node.index()].versions.0).resolved(self.versions.len())
    }

    /// The versions that have an edge: V_E.
    pub fn edge_versions(&self, edge: EdgeId) -> VersionSet {
        let Edge { from, to, versions, .. } = self.edges[edge.index()];
        match versions {
            Some(set) => self.sets.get(set.0).resolved(self.versions.len()),
            None => self.node_versions(from).intersection(&self.node_versions(to)),
        }
    }

    /// Whether a version has a function.
    pub fn chain_in(&self, chain: ChainId, version: VersionId) -> bool {
        version.index() < self.versions.len()
            && self.sets.get(self.chains[chain.index()].versions.0).contains(version)
    }

    /// Whether a version has a node.
    pub fn node_in(&self, node: NodeId, version: VersionId) -> bool {
        version.index() < self.versions.len()
            && self.sets.get(self.nodes[node.index()].versions.0).contains(version)
    }

    /// Whether a version has an edge.
    pub fn edge_in(&self, edge: EdgeId, version: VersionId) -> bool {
        let Edge { from, to, versions, .. } = self.edges[edge.index()];
        match versions {
            Some(set) => version.index() < self.versions.len() && self.sets.get(set.0).contains(version),
            None => self.node_in(from, version) && self.node_in(to, version),
        }
    }

    /// Whether the edge's versions are stored, because its ends do not decide them.
    pub fn is_explicit(&self, edge: EdgeId) -> bool {
        self.edges[edge.index()].versions.is_some()
    }

    /// The function that a node belongs to.
    pub fn chain(&self, node: NodeId) -> ChainId {
        self.nodes[node.index()].chain
    }

    /// What part of a statement a node is.
    pub fn role(&self, node: NodeId) -> Role {
        self.nodes[node.index()].symbol.role
    }

    /// The number of a node among those that control flow divides one statement text into.
    pub fn part(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].symbol.part
    }

    /// The text of a node, as it was first written.
    pub fn text(&self, node: NodeId) -> &str {
        self.texts.get(self.nodes[node.index()].symbol.text)
    }

    /// The node as a reader expects it: conditions with their keyword.
    pub fn label(&self, node: NodeId) -> String {
        let text = self.text(node).to_owned();
        Piece { role: self.role(node), statement: 0, part: self.part(node), text, span: None }.label()
    }

    /// From where to where an edge leads.
    pub fn ends(&self, edge: EdgeId) -> (NodeId, NodeId) {
        let edge = &self.edges[edge.index()];
        (edge.from, edge.to)
    }

    /// Under which outcome an edge is taken.
    pub fn edge_kind(&self, edge: EdgeId) -> EdgeKind {
        match self.edges[edge.index()].kind {
            Kind::Next => EdgeKind::Next,
            Kind::True => EdgeKind::True,
            Kind::False => EdgeKind::False,
            Kind::Default => EdgeKind::Default,
            Kind::Indirect => EdgeKind::Indirect,
            Kind::Case(label) => EdgeKind::Case(self.texts.get(label).to_owned()),
            Kind::Config(text) => EdgeKind::Config(self.texts.get(text).to_owned()),
        }
    }

    /// The edges that leave a node, in any version.
    pub fn outgoing(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        self.links.out(node)
    }

    /// The edges that reach a node, in any version.
    pub fn incoming(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        self.links.incoming(node)
    }

    /// The nodes of a function over all versions, in an order that agrees with every version.
    pub fn chain_nodes(&self, chain: ChainId) -> &[NodeId] {
        &self.chains[chain.index()].order
    }

    /// The edges of a function over all versions.
    pub fn chain_edges(&self, chain: ChainId) -> impl Iterator<Item = EdgeId> + '_ {
        self.chain_nodes(chain).iter().flat_map(|&node| self.links.out(node))
    }

    /// The nodes of a function in a version, in the order of its pieces: the n-th is the n-th piece.
    pub fn pieces(&self, chain: ChainId, version: VersionId) -> Vec<NodeId> {
        self.chain_nodes(chain).iter().copied().filter(|&node| self.node_in(node, version)).collect()
    }

    /// A function's entry node.
    pub fn entry(&self, chain: ChainId) -> Option<NodeId> {
        self.chain_nodes(chain).iter().copied().find(|&node| self.role(node) == Role::Entry)
    }

    /// A function's exit node.
    pub fn exit(&self, chain: ChainId) -> Option<NodeId> {
        self.chain_nodes(chain).iter().copied().find(|&node| self.role(node) == Role::Exit)
    }

    pub(crate) fn place_at(&self, chain: ChainId, version: VersionId) -> &Place {
        self.chains[chain.index()].places.at(version.0)
    }

    pub(crate) fn name_of(&self, id: crate::NameId) -> &str {
        self.names.get(id.0)
    }

    /// A function's identity in a version that has it.
    pub fn key(&self, chain: ChainId, version: VersionId) -> FunctionKey {
        let place = self.place_at(chain, version);
        FunctionKey {
            name: self.name_of(place.name).to_owned(),
            file: place.keyed.then(|| self.name_of(place.file).to_owned()),
            ordinal: place.ordinal,
        }
    }

    /// A function's name in a version that has it.
    pub fn name(&self, chain: ChainId, version: VersionId) -> &str {
        self.name_of(self.place_at(chain, version).name)
    }

    /// A function's newest name.
    pub fn newest_name(&self, chain: ChainId) -> &str {
        self.name_of(self.chains[chain.index()].places.last().name)
    }

    /// The file and first line of a function in a version that has it.
    pub fn location(&self, chain: ChainId, version: VersionId) -> (&str, u32) {
        let place = self.place_at(chain, version);
        (self.name_of(place.file), place.line)
    }

    /// The head of a function as written in a version that has it.
    pub fn signature(&self, chain: ChainId, version: VersionId) -> &str {
        self.name_of(self.place_at(chain, version).signature)
    }

    /// Whether only its own file can call the function by name in a version that has it.
    pub fn is_internal(&self, chain: ChainId, version: VersionId) -> bool {
        self.place_at(chain, version).internal
    }

    /// The function with a key in a version.
    pub fn find(&self, key: &FunctionKey, version: VersionId) -> Option<ChainId> {
        let named = self.named.get(&crate::NameId(self.names.find(key.name.as_str())?))?;
        let is = |chain: &ChainId| self.chain_in(*chain, version) && self.key(*chain, version) == *key;
        named.iter().copied().find(is)
    }

    /// Every function that has a name in some version.
    pub fn chains_named(&self, name: &str) -> Vec<ChainId> {
        let id = self.names.find(name).map(crate::NameId);
        id.and_then(|id| self.named.get(&id)).cloned().unwrap_or_default()
    }

    /// The nodes of a function in a version with their lines, in the order of pieces. Synthetic nodes have no line.
    pub fn lines(&self, chain: ChainId, version: VersionId) -> Vec<(NodeId, Option<u32>)> {
        let mut line = self.place_at(chain, version).line;
        let with_line = |node: NodeId| {
            let gap = self.nodes[node.index()].facts.at(version.0).gap;
            let at = gap.map(|gap| {
                line = line.wrapping_add_signed(gap);
                line
            });
            (node, at)
        };
        self.pieces(chain, version).into_iter().map(with_line).collect()
    }

    /// The line of a node in a version that has it.
    pub fn line(&self, node: NodeId, version: VersionId) -> Option<u32> {
        let lines = self.lines(self.chain(node), version);
        lines.into_iter().find(|(other, _)| *other == node)?.1
    }

    /// The newest version that has a node, and its line there (F34).
    pub fn provenance(&self, node: NodeId) -> Option<(VersionId, Option<u32>)> {
        let version = self.node_versions(node).last()?;
        Some((version, self.line(node, version)))
    }

    /// The hash of a node's instructions in a version that has it.
    pub fn payload(&self, node: NodeId, version: VersionId) -> Option<Digest> {
        let payload = self.nodes[node.index()].facts.at(version.0).payload;
        payload.checked_sub(1).map(|id| *self.payloads.get(id))
    }

    /// Whom a node calls in a version that has it, as written.
    pub fn callees(&self, node: NodeId, version: VersionId) -> &[Callee] {
        match self.nodes[node.index()].facts.at(version.0).calls.checked_sub(1) {
            Some(id) => self.calls.get(id),
            None => &[],
        }
    }
}
