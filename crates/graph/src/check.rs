//! Is the graph right? Every version against its own statement graph (INV-1), and the graph against itself.
//!
//! Shares no code with the construction beyond reading: what it says is evidence.

use crate::input::{FunctionInput, VersionInput};
use crate::model::Graph;
use crate::{ChainId, NodeId, Target, VersionId, VersionSet};
use hashbrown::{HashMap, HashSet};
use hydrogen_ir::canonical;
use hydrogen_ir::{Callee, EdgeKind, Function};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A broken invariant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{invariant} does not hold for {place}: {problem}")]
pub struct Violation {
    /// The invariant's name in the specification.
    pub invariant: &'static str,
    /// The function and version, or the part of the graph.
    pub place: String,
    /// What is wrong.
    pub problem: String,
}

impl Graph {
    /// Checks the graph against the versions that it was built from, in their order, and against itself.
    pub fn check(&self, originals: &[VersionInput<'_>]) -> Result<(), Vec<Violation>> {
        let mut violations = self.check_structure();
        violations.extend(self.check_chains());
        if originals.len() != self.versions.len() {
            let problem = format!("{} versions instead of {}", self.versions.len(), originals.len());
            violations.push(Violation { invariant: "INV-1", place: "the graph".into(), problem });
        } else {
            for (version, original) in originals.iter().enumerate() {
                violations.extend(self.check_version(VersionId::at(version), original));
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    /// Checks that the projection to one version is the version's own graph: INV-1 with INV-16.
    pub fn check_version(&self, version: VersionId, original: &VersionInput<'_>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let count = self.chains().filter(|&chain| self.chain_in(chain, version)).count();
        if count != original.functions.len() {
            violations.push(Violation {
                invariant: "INV-1",
                place: format!("version {}", original.info.name),
                problem: format!("{count} functions instead of {}", original.functions.len()),
            });
        }
        let mut by_name: BTreeMap<&str, Vec<&FunctionInput<'_>>> = BTreeMap::new();
        for function in &original.functions {
            by_name.entry(&function.key.name).or_default().push(function);
        }
        let found: Vec<Violation> = original
            .functions
            .par_iter()
            .flat_map_iter(|function| {
                let problems = self.check_function(version, function, &by_name);
                problems.into_iter().map(move |(invariant, problem)| Violation {
                    invariant,
                    place: format!(
                        "`{}` in version {}",
                        function.key.name,
                        self.versions[version.index()].name
                    ),
                    problem,
                })
            })
            .collect();
        violations.extend(found);
        violations
    }

    fn check_function(
        &self,
        version: VersionId,
        input: &FunctionInput<'_>,
        by_name: &BTreeMap<&str, Vec<&FunctionInput<'_>>>,
    ) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let Some(chain) = self.find(&input.key, version) else {
            return vec![("INV-1", "it is missing".into())];
        };
        let body = match input.body.load() {
            Ok(body) => body,
            Err(error) => return vec![("INV-1", format!("it cannot be loaded: {error}"))],
        };
        if self.location(chain, version) != (input.file, input.line)
            || self.signature(chain, version) != input.signature
            || self.is_internal(chain, version) != input.internal
        {
            problems.push(("INV-1", "its place or signature is wrong".into()));
        }
        let nodes = self.lines(chain, version);
        let function: &Function = &body.function;
        if nodes.len() != function.pieces.len() {
            let problem = format!("{} nodes instead of {}", nodes.len(), function.pieces.len());
            return vec![("INV-1", problem)];
        }
        let own = body.function.lines();
        for (at, ((piece, own), (node, line))) in function.pieces.iter().zip(own).zip(&nodes).enumerate() {
            let same = piece.role == self.role(*node)
                && piece.part == self.part(*node)
                && canonical(&piece.text) == canonical(self.text(*node));
            if !same {
                problems.push((
                    "INV-1",
                    format!("piece {at} is `{}`, not `{}`", self.label(*node), piece.label()),
                ));
            }
            if own != *line {
                problems
                    .push(("INV-1", format!("piece {at} `{}` has the wrong line {line:?}", piece.label())));
            }
            if self.payload(*node, version) != body.payload.as_ref().map(|payload| payload[at]) {
                problems.push(("INV-1", format!("piece {at} `{}` has the wrong payload", piece.label())));
            }
        }
        problems.extend(self.check_flow(version, chain, function, &nodes));
        problems.extend(self.check_calls(version, input, function, &nodes, by_name));
        problems
    }

    fn check_flow(
        &self,
        version: VersionId,
        chain: ChainId,
        function: &Function,
        nodes: &[(NodeId, Option<u32>)],
    ) -> Option<(&'static str, String)> {
        let canonical_kind = |kind: EdgeKind| match kind {
            EdgeKind::Case(label) => EdgeKind::Case(canonical(&label)),
            EdgeKind::Config(text) => EdgeKind::Config(canonical(&text)),
            other => other,
        };
        let expected: BTreeSet<(usize, usize, EdgeKind)> = function
            .flow
            .iter()
            .map(|edge| (edge.from.index(), edge.to.index(), canonical_kind(edge.kind.clone())))
            .collect();
        let piece: HashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, (node, _))| (*node, at)).collect();
        let mut found: Vec<(usize, usize, EdgeKind)> = Vec::new();
        for edge in self.chain_edges(chain).filter(|&edge| self.edge_in(edge, version)) {
            let (from, to) = self.ends(edge);
            match (piece.get(&from), piece.get(&to)) {
                (Some(&from), Some(&to)) => found.push((from, to, canonical_kind(self.edge_kind(edge)))),
                _ => return Some(("INV-2", "an edge touches a node that the version has not".into())),
            }
        }
        let count = found.len();
        let found: BTreeSet<_> = found.into_iter().collect();
        if found.len() != count {
            return Some(("INV-1", "an edge is there twice".into()));
        }
        let strange = found.symmetric_difference(&expected).next()?;
        let verb = if found.contains(strange) { "has no" } else { "has" };
        Some(("INV-1", format!("the source {verb} edge {} → {} ({:?})", strange.0, strange.1, strange.2)))
    }

    fn check_calls(
        &self,
        version: VersionId,
        input: &FunctionInput<'_>,
        function: &Function,
        nodes: &[(NodeId, Option<u32>)],
        by_name: &BTreeMap<&str, Vec<&FunctionInput<'_>>>,
    ) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let mut expected: Vec<Vec<Target>> = vec![Vec::new(); nodes.len()];
        for call in &function.calls {
            let targets = &mut expected[call.piece.index()];
            let name = match &call.callee {
                Callee::Indirect(text) => {
                    targets.push(Target::Unknown(text.clone()));
                    continue;
                }
                Callee::Direct(name) => name,
            };
            let all = by_name.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let own: Vec<_> = all.iter().filter(|other| other.file == input.file).collect();
            // What a header defines is part of every file that includes it.
            let is_seen = |other: &&&FunctionInput<'_>| !other.internal || other.file.ends_with(".h");
            let visible: Vec<_> = all.iter().filter(is_seen).collect();
            let chosen = if own.is_empty() { visible } else { own };
            if chosen.is_empty() {
                targets.push(Target::External(name.clone()));
            }
            targets
                .extend(chosen.iter().filter_map(|other| self.find(&other.key, version)).map(Target::Chain));
        }
        for ((node, _), mut expected) in nodes.iter().zip(expected) {
            let targets = self.targets(*node, version).into_iter();
            // What could not be read is not in the version either.
            let mut found: Vec<Target> = targets
                .map(|target| match target {
                    Target::Unread(chain) => Target::External(self.name(chain, version).to_owned()),
                    other => other,
                })
                .collect();
            found.sort();
            expected.sort();
            if found != expected {
                let label = self.label(*node);
                problems.push(("INV-16", format!("`{label}` calls {found:?}, not {expected:?}")));
            }
        }
        problems
    }

    /// Checks that a function with the same key in a version and its first parent is one chain (INV-15). In a projection
    /// this need not be so: the version in which the function was absent may be left out.
    fn check_chains(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (version, info) in self.versions.iter().enumerate() {
            let Some(parent) = info.parents.first() else { continue };
            let keys = self.keys_at(VersionId::at(version));
            for (key, chain) in self.keys_at(*parent) {
                if keys.get(&key).is_some_and(|now| *now != chain) {
                    violations.push(Violation {
                        invariant: "INV-15",
                        place: format!("`{}` in version {}", self.name(chain, *parent), info.name),
                        problem: "it is continued by another function".into(),
                    });
                }
            }
        }
        violations.sort();
        violations
    }

    /// Checks what must hold in every graph.
    pub fn check_structure(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut report = |invariant, place: String, problem: &str| {
            violations.push(Violation { invariant, place, problem: problem.to_owned() });
        };
        let (mut node_sum, mut edge_sum) = (0, 0);
        for node in self.nodes() {
            let versions = self.node_versions(node);
            node_sum += versions.len();
            let place = || {
                format!("node {} `{}` of `{}`", node.0, self.label(node), self.newest_name(self.chain(node)))
            };
            if versions.is_empty() || !versions.is_subset(&self.chain_versions(self.chain(node))) {
                report("INV-2", place(), "its versions are not among its function's");
            }
            let incident = self.outgoing(node).chain(self.incoming(node));
            let touched =
                incident.fold(VersionSet::empty(), |sum, edge| sum.union(&self.edge_versions(edge)));
            if !touched.is_subset(&versions) {
                report("INV-4", place(), "it has edges in versions that have not the node");
            }
        }
        let mut seen = HashSet::new();
        for edge in self.edges() {
            let versions = self.edge_versions(edge);
            edge_sum += versions.len();
            let (from, to) = self.ends(edge);
            let both = self.node_versions(from).intersection(&self.node_versions(to));
            let place = || format!("edge {} of `{}`", edge.0, self.newest_name(self.chain(from)));
            if versions.is_empty() || !versions.is_subset(&both) {
                report("INV-2", place(), "its versions are not among its ends'");
            }
            if self.is_explicit(edge) == (versions == both) {
                report("INV-10", place(), "its versions are stored exactly when they need not be");
            }
            if !seen.insert((from, to, self.edges[edge.index()].kind)) {
                report("INV-2", place(), "it is there twice");
            }
        }
        drop(seen);
        let (mut nodes, mut edges, mut most_nodes, mut most_edges) = (0, 0, 0, 0);
        for version in (0..self.versions.len()).map(VersionId::at) {
            let n = self.nodes().filter(|&node| self.node_in(node, version)).count();
            let e = self.edges().filter(|&edge| self.edge_in(edge, version)).count();
            (nodes, edges) = (nodes + n, edges + e);
            (most_nodes, most_edges) = (most_nodes.max(n), most_edges.max(e));
            let mut keys: HashMap<_, ChainId> = HashMap::new();
            for chain in self.chains().filter(|&chain| self.chain_in(chain, version)) {
                if keys.insert(self.place_at(chain, version).key(), chain).is_some() {
                    report(
                        "INV-15",
                        format!("`{}`", self.name(chain, version)),
                        "two functions have one key",
                    );
                }
            }
        }
        if (nodes, edges) != (node_sum, edge_sum) {
            report("INV-5", "the graph".into(), "versions and version sets count differently");
        }
        if most_nodes > self.nodes.len()
            || self.nodes.len() > nodes
            || most_edges > self.edges.len()
            || self.edges.len() > edges
        {
            report("INV-12", "the graph".into(), "the union is too small or too large");
        }
        violations.sort();
        violations
    }
}
