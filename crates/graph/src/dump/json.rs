//! JSON, for programs and for the viewer.

use super::{outcome, role_name};
use crate::model::Graph;
use crate::{ChainId, NodeId, Target, VersionId, VersionInfo, VersionSet};
use hashbrown::HashMap;
use serde::Serialize;
use serde_json::{Map, Value};

/// What a JSON document contains.
#[derive(Debug, Clone, Default)]
pub struct JsonOptions {
    /// Version sets as ranges of version numbers only, and lines only where they change: for many versions.
    pub compact: bool,
    /// Only these functions.
    pub chains: Option<Vec<ChainId>>,
    /// More numbers for `stats`, such as seconds and peak bytes.
    pub stats: Map<String, Value>,
}

#[derive(Serialize)]
struct Document<'a> {
    versions: Vec<&'a str>,
    commits: &'a [VersionInfo],
    functions: Vec<FunctionEntry<'a>>,
    nodes: Vec<NodeEntry<'a>>,
    edges: Vec<EdgeEntry<'a>>,
    calls: Vec<CallEntry<'a>>,
    stats: Value,
}

#[derive(Serialize)]
struct Versions<'a> {
    /// Names, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<Vec<&'a str>>,
    /// First and last number of each run.
    ranges: Vec<[u32; 2]>,
}

#[derive(Serialize)]
struct FunctionEntry<'a> {
    id: u32,
    /// The newest name.
    name: &'a str,
    /// The newest file.
    file: &'a str,
    #[serde(flatten)]
    versions: Versions<'a>,
    /// The versions that may have it: its file could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<&'a str>,
    /// Where it stands, from which version on.
    places: Vec<PlaceEntry<'a>>,
}

#[derive(Serialize)]
struct PlaceEntry<'a> {
    from: u32,
    name: &'a str,
    file: &'a str,
    line: u32,
    signature: &'a str,
    r#static: bool,
}

#[derive(Serialize)]
struct NodeEntry<'a> {
    id: u32,
    /// The newest name of its function.
    function: &'a str,
    /// The id of its function.
    function_id: u32,
    text: &'a str,
    label: String,
    kind: &'static str,
    #[serde(flatten)]
    versions: Versions<'a>,
    /// By version name; compact: [version number, line] where the line changes.
    lines: Value,
    v_branch: bool,
    v_merge: bool,
    /// The versions with which it means something else under the same text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meaning_changed: Vec<&'a str>,
}

/// A call of a function by a statement.
#[derive(Serialize)]
struct CallEntry<'a> {
    /// The statement's node.
    from: u32,
    /// The id of the function of the program that is called, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u32>,
    /// Its name; for a call through a pointer that may lead anywhere, the called expression.
    name: String,
    /// `function`, `external`, `unread` (its file could not be read) or `unknown`.
    kind: &'static str,
    #[serde(flatten)]
    versions: Versions<'a>,
}

#[derive(Serialize)]
struct EdgeEntry<'a> {
    from: u32,
    to: u32,
    kind: String,
    #[serde(flatten)]
    versions: Versions<'a>,
}

impl Graph {
    /// The graph as JSON.
    pub fn to_json(&self, options: &JsonOptions) -> String {
        let chains: Vec<ChainId> = options.chains.clone().unwrap_or_else(|| self.chains().collect());
        let mut nodes = Vec::new();
        let mut edges = Vec::new();
        let mut calls = Vec::new();
        let mut meaning = self.meaning_changes();
        for &chain in &chains {
            let lines = self.line_changes(chain);
            for &node in self.chain_nodes(chain) {
                let changed = meaning.remove(&node).unwrap_or_default();
                nodes.push(self.node_entry(chain, node, lines.get(&node), changed, options.compact));
                calls.extend(self.call_entries(node, options.compact));
            }
            for edge in self.chain_edges(chain) {
                let (from, to) = self.ends(edge);
                let kind = outcome(&self.edge_kind(edge));
                let kind = if kind.is_empty() { "next".to_owned() } else { kind };
                let versions = self.versions_entry(&self.edge_versions(edge), options.compact);
                edges.push(EdgeEntry { from: from.0, to: to.0, kind, versions });
            }
        }
        let mut stats = serde_json::to_value(self.sizes()).expect("numbers can be encoded");
        if let Value::Object(stats) = &mut stats {
            stats.extend(options.stats.clone());
        }
        let document = Document {
            versions: self.versions.iter().map(|info| info.name.as_str()).collect(),
            commits: &self.versions,
            functions: chains.iter().map(|&chain| self.function_entry(chain, options.compact)).collect(),
            nodes,
            edges,
            calls,
            stats,
        };
        serde_json::to_string(&document).expect("plain data can be encoded")
    }

    fn versions_entry(&self, set: &VersionSet, compact: bool) -> Versions<'_> {
        let names = || set.iter().map(|version| self.versions[version.index()].name.as_str()).collect();
        let ranges = set.intervals().iter().map(|run| [run.first.0, run.last.0]).collect();
        Versions { versions: (!compact).then(names), ranges }
    }

    fn function_entry(&self, chain: ChainId, compact: bool) -> FunctionEntry<'_> {
        let versions = self.chain_versions(chain);
        let mut places: Vec<PlaceEntry<'_>> = Vec::new();
        let starts = self.chains[chain.index()].places.starts().map(VersionId);
        for version in versions.first().into_iter().chain(starts) {
            let place = self.place_at(chain, version);
            places.push(PlaceEntry {
                from: version.0,
                name: self.name_of(place.name),
                file: self.name_of(place.file),
                line: place.line,
                signature: self.name_of(place.signature),
                r#static: place.internal,
            });
        }
        let unread = (0..self.versions.len()).map(VersionId::at).filter(|&at| self.is_unread(chain, at));
        FunctionEntry {
            id: chain.0,
            name: self.newest_name(chain),
            file: self.name_of(self.chains[chain.index()].places.last().file),
            versions: self.versions_entry(&versions, compact),
            unread: unread.map(|version| self.version_name(version)).collect(),
            places,
        }
    }

    fn version_name(&self, version: VersionId) -> &str {
        &self.versions[version.index()].name
    }

    fn call_entries(&self, node: NodeId, compact: bool) -> Vec<CallEntry<'_>> {
        let entry = |(target, versions): (Target, VersionSet)| {
            let (kind, to) = match target {
                Target::Chain(chain) => ("function", Some(chain)),
                Target::Unread(chain) => ("unread", Some(chain)),
                Target::External(_) => ("external", None),
                Target::Unknown(_) => ("unknown", None),
            };
            let name = match &target {
                Target::Chain(chain) | Target::Unread(chain) => self.newest_name(*chain).to_owned(),
                // Compiled code does not say what the called expression was.
                Target::Unknown(text) if text.is_empty() => self.text(node).to_owned(),
                Target::External(name) | Target::Unknown(name) => name.clone(),
            };
            let versions = self.versions_entry(&versions, compact);
            CallEntry { from: node.0, to: to.map(|chain| chain.0), name, kind, versions }
        };
        self.calls_of(node).into_iter().map(entry).collect()
    }

    /// The lines of a function's nodes at each version in which one may have changed.
    fn line_changes(&self, chain: ChainId) -> HashMap<NodeId, Vec<(VersionId, u32)>> {
        let stored = &self.chains[chain.index()];
        let versions = self.chain_versions(chain);
        let mut starts: Vec<u32> = versions.intervals().iter().map(|run| run.first.0).collect();
        starts.extend(stored.places.starts().chain(stored.state.starts()));
        starts.sort_unstable();
        starts.dedup();
        let mut out: HashMap<NodeId, Vec<(VersionId, u32)>> = HashMap::new();
        for version in starts.into_iter().map(VersionId).filter(|&version| versions.contains(version)) {
            for (node, line) in self.lines(chain, version) {
                let Some(line) = line else { continue };
                let known = out.entry(node).or_default();
                if known.last().is_none_or(|(_, last)| *last != line) {
                    known.push((version, line));
                }
            }
        }
        out
    }

    fn node_entry(
        &self,
        chain: ChainId,
        node: NodeId,
        lines: Option<&Vec<(VersionId, u32)>>,
        changed: Vec<VersionId>,
        compact: bool,
    ) -> NodeEntry<'_> {
        let set = self.node_versions(node);
        let lines = match lines {
            None if compact => Value::Array(Vec::new()),
            None => Value::Object(Map::new()),
            Some(changes) if compact => {
                changes.iter().map(|(version, line)| Value::from(vec![version.0, *line])).collect()
            }
            Some(changes) => {
                let line = |version: VersionId| {
                    let behind = changes.partition_point(|(from, _)| *from <= version);
                    behind.checked_sub(1).map_or(Value::Null, |at| Value::from(changes[at].1))
                };
                set.iter().map(|version| (self.version_name(version).to_owned(), line(version))).collect()
            }
        };
        NodeEntry {
            id: node.0,
            function: self.newest_name(chain),
            function_id: chain.0,
            text: self.text(node),
            label: self.label(node),
            kind: role_name(self.role(node)),
            lines,
            v_branch: self.is_v_branch(node),
            v_merge: self.is_v_merge(node),
            meaning_changed: changed.into_iter().map(|version| self.version_name(version)).collect(),
            versions: self.versions_entry(&set, compact),
        }
    }
}
