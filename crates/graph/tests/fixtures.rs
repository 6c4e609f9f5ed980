//! The worked examples of the specification, one Markdown file each.
//!
//! Blocks ```` ```c v2.c ```` or ```` ```c v2/name.c ```` are the versions; every other block states what must hold:
//!
//! - `nodes F`: every node of `F` but the entry `S` and the exit `T`: name, versions, label;
//! - `edges F`: every edge: `from -> to versions [outcome]`;
//! - `explicit F`: the edges whose versions are stored;
//! - `v-branch F`, `v-merge F`: the nodes at which versions part and come together;
//! - `paths F NEW OLD`: the paths of `NEW` that are new since `OLD`;
//! - `functions`: every function with its versions;
//! - `calls F`: `node -> target versions`, the target being a function's name with its versions, or `external NAME`;
//! - `provenance F COUNT`: `node version line` in the graph of the first COUNT versions;
//! - `text F`: the text form;
//! - `sizes`: `name number`.

#![allow(clippy::unwrap_used)]

use hydrogen_graph::{
    ChainId, EdgeId, Graph, NodeId, Target, VersionId, VersionInfo, VersionInput, VersionSet,
};
use hydrogen_ir::{EdgeKind, Module, Role};
use hydrogen_testkit::Block;
use std::collections::{BTreeMap, BTreeSet};

hydrogen_testkit::fixtures!(
    "fixtures",
    check,
    e01_privilege_and_overflow = "e01-privilege-and-overflow",
    e02_integer_overflow = "e02-integer-overflow",
    e03_union_of_two = "e03-union-of-two",
    e04_labels = "e04-labels",
    e05_deletion = "e05-deletion",
    e07_text_dump = "e07-text-dump",
    e10_switch_loses_a_case = "e10-switch-loses-a-case",
    e11_insert_then_revert = "e11-insert-then-revert",
    e14_callee_comes_back = "e14-callee-comes-back",
    e16_two_static_functions = "e16-two-static-functions",
    e17_exported_function_deleted = "e17-exported-function-deleted",
    e18_moved_and_renamed = "e18-moved-and-renamed",
);

fn check(fixture: &hydrogen_testkit::Fixture, name: &str) {
    let read = |(file, source): (&String, &String)| {
        let unit = hydrogen_syntax::read(file, source.as_bytes(), &hydrogen_syntax::Options::default());
        assert!(unit.problems.is_empty(), "{name}, {file}: {:?}", unit.problems);
        unit.module
    };
    let versions = fixture.versions.iter().map(|files| files.iter().map(read).collect()).collect();
    Fixture { versions, expected: &fixture.blocks }.check(name);
}

struct Fixture<'a> {
    /// Per version, its files.
    versions: Vec<Vec<Module>>,
    expected: &'a [Block],
}

impl Fixture<'_> {
    fn inputs(&self) -> Vec<VersionInput<'_>> {
        let version = |(at, modules): (usize, &'_ Vec<Module>)| {
            let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
            let info = VersionInfo { name: (at + 1).to_string(), parents, ..VersionInfo::default() };
            (info, modules.clone())
        };
        let versions: Vec<_> = self.versions.iter().enumerate().map(version).map(|(info, _)| info).collect();
        versions
            .into_iter()
            .zip(&self.versions)
            .map(|(info, modules)| VersionInput::from_modules(info, modules))
            .collect()
    }

    fn check(&self, name: &str) {
        let graph = Graph::build(self.inputs()).unwrap();
        if let Err(violations) = graph.check(&self.inputs()) {
            panic!("{name}: {violations:#?}");
        }
        let mut names: BTreeMap<String, BTreeMap<String, NodeId>> = BTreeMap::new();
        for Block { head, text } in self.expected {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let place = format!("{name}, block `{}`", head.join(" "));
            let function = head.get(1).map_or("", String::as_str);
            if head[0] == "nodes" {
                names.insert(function.to_owned(), name_nodes(&graph, function, &lines, &place));
                continue;
            }
            let empty = BTreeMap::new();
            let view = View {
                graph: &graph,
                chain: chain(&graph, function),
                names: names.get(function).unwrap_or(&empty),
            };
            let lines: BTreeSet<String> =
                lines.iter().map(|line| squeeze(line)).filter(|line| !line.is_empty()).collect();
            let found = match head[0].as_str() {
                "edges" => view.edges(|_| true),
                "explicit" => view.edges(|edge| graph.is_explicit(edge)),
                "v-branch" => view.marked(|node| graph.is_v_branch(node)),
                "v-merge" => view.marked(|node| graph.is_v_merge(node)),
                "paths" => view.paths(&head[2], &head[3]),
                "functions" => functions(&graph),
                "calls" => view.calls(),
                "provenance" => {
                    let count: usize = head[2].parse().unwrap();
                    let earlier = Graph::build(self.inputs().into_iter().take(count)).unwrap();
                    View { graph: &earlier, ..view }.provenance()
                }
                "text" => {
                    let shown = graph.chain_text(view.chain.unwrap());
                    assert_eq!(shown.trim_end(), text.trim_end(), "{place}:\n{shown}");
                    continue;
                }
                "sizes" => sizes(&graph, &lines),
                other => panic!("{place}: unknown block {other}"),
            };
            let expected: BTreeSet<String> = lines.iter().map(|line| normal(line)).collect();
            let found: BTreeSet<String> = found.iter().map(|line| normal(line)).collect();
            assert_eq!(found, expected, "{place}");
        }
    }
}

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Version sets are written `1-3,5`; both sides are expanded before they are compared.
fn normal(line: &str) -> String {
    let expand = |word: &str| -> String {
        let ranges: Option<Vec<(u32, u32)>> = word
            .split(',')
            .map(|range| {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                Some((first.parse().ok()?, last.parse().ok()?))
            })
            .collect();
        match ranges {
            Some(ranges) if word.contains(['-', ',']) => {
                let all: Vec<String> = ranges
                    .iter()
                    .flat_map(|(first, last)| *first..=*last)
                    .map(|version| version.to_string())
                    .collect();
                all.join(",")
            }
            _ => word.to_owned(),
        }
    };
    line.split(' ').map(expand).collect::<Vec<_>>().join(" ")
}

fn show(set: &VersionSet) -> String {
    set.iter().map(|version| (version.0 + 1).to_string()).collect::<Vec<_>>().join(",")
}

fn chain(graph: &Graph, name: &str) -> Option<ChainId> {
    let (name, number) = name.split_once('#').unwrap_or((name, "1"));
    graph.chains_named(name).get(number.parse::<usize>().unwrap() - 1).copied()
}

/// Names the nodes of a function; label and versions must identify them, in order where they do not.
fn name_nodes(graph: &Graph, function: &str, lines: &[String], place: &str) -> BTreeMap<String, NodeId> {
    let chain = chain(graph, function).unwrap_or_else(|| panic!("{place}: no such function"));
    let mut left: Vec<NodeId> = graph.chain_nodes(chain).to_vec();
    let mut names = BTreeMap::new();
    for (name, role) in [("S", Role::Entry), ("T", Role::Exit)] {
        let at = left.iter().position(|&node| graph.role(node) == role).unwrap();
        names.insert(name.to_owned(), left.remove(at));
    }
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let line = squeeze(line);
        let mut words = line.splitn(3, ' ');
        let (name, versions, label) =
            (words.next().unwrap(), normal(words.next().unwrap()), words.next().unwrap());
        let is = |node: &NodeId| graph.label(*node) == label && show(&graph.node_versions(*node)) == versions;
        let Some(at) = left.iter().position(is) else {
            let rest: Vec<String> = left
                .iter()
                .map(|&node| format!("{} {}", show(&graph.node_versions(node)), graph.label(node)))
                .collect();
            panic!("{place}: no node for `{line}` among\n{}", rest.join("\n"));
        };
        names.insert(name.to_owned(), left.remove(at));
    }
    let rest: Vec<String> = left
        .iter()
        .map(|&node| format!("{} {}", show(&graph.node_versions(node)), graph.label(node)))
        .collect();
    assert!(rest.is_empty(), "{place}: not listed:\n{}", rest.join("\n"));
    names
}

fn functions(graph: &Graph) -> BTreeSet<String> {
    graph
        .chains()
        .map(|chain| format!("{} {}", graph.newest_name(chain), show(&graph.chain_versions(chain))))
        .collect()
}

fn sizes(graph: &Graph, lines: &BTreeSet<String>) -> BTreeSet<String> {
    let sizes = graph.sizes();
    let value = |name: &str| match name {
        "nodes" => sizes.nodes,
        "edges" => sizes.edges,
        "sum_nodes" => sizes.sum_nodes,
        "sum_edges" => sizes.sum_edges,
        "functions" => sizes.functions,
        "explicit_edges" => sizes.explicit_edges,
        "thesis_size" => sizes.thesis_size,
        other => panic!("no size {other}"),
    };
    let names = lines.iter().map(|line| line.split(' ').next().unwrap());
    names.map(|name| format!("{name} {}", value(name))).collect()
}

struct View<'a> {
    graph: &'a Graph,
    chain: Option<ChainId>,
    names: &'a BTreeMap<String, NodeId>,
}

impl View<'_> {
    fn name(&self, node: NodeId) -> &str {
        self.names.iter().find(|(_, known)| **known == node).map_or("?", |(name, _)| name)
    }

    fn edges(&self, which: impl Fn(EdgeId) -> bool) -> BTreeSet<String> {
        let line = |edge: EdgeId| {
            let (from, to) = self.graph.ends(edge);
            let kind = match self.graph.edge_kind(edge) {
                EdgeKind::Next => String::new(),
                EdgeKind::Case(label) => format!(" case {label}"),
                kind => format!(" {}", format!("{kind:?}").to_lowercase()),
            };
            format!(
                "{} -> {} {}{kind}",
                self.name(from),
                self.name(to),
                show(&self.graph.edge_versions(edge))
            )
        };
        self.graph.chain_edges(self.chain.unwrap()).filter(|&edge| which(edge)).map(line).collect()
    }

    fn marked(&self, which: impl Fn(NodeId) -> bool) -> BTreeSet<String> {
        let nodes = self.graph.chain_nodes(self.chain.unwrap()).iter().copied();
        nodes.filter(|&node| which(node)).map(|node| self.name(node).to_owned()).collect()
    }

    fn paths(&self, new: &str, old: &str) -> BTreeSet<String> {
        let version = |name: &str| self.graph.version(name).unwrap();
        let found = self.graph.changed_paths(self.chain.unwrap(), version(new), version(old), 100);
        assert!(!found.truncated);
        let line = |path: &Vec<NodeId>| {
            let inner = &path[1..path.len() - 1];
            inner.iter().map(|&node| self.name(node)).collect::<Vec<_>>().join(" ")
        };
        found.paths.iter().map(line).collect()
    }

    fn calls(&self) -> BTreeSet<String> {
        let mut found: BTreeMap<(String, String), Vec<VersionId>> = BTreeMap::new();
        for &node in self.graph.chain_nodes(self.chain.unwrap()) {
            for version in self.graph.node_versions(node).iter() {
                for target in self.graph.targets(node, version) {
                    let target = match target {
                        Target::Chain(callee) => {
                            let versions = show(&self.graph.chain_versions(callee));
                            format!("{}[{versions}]", self.graph.name(callee, version))
                        }
                        Target::External(name) => format!("external {name}"),
                        Target::Unread(callee) => format!("unread {}", self.graph.name(callee, version)),
                        Target::Unknown(text) => format!("unknown {text}"),
                    };
                    found.entry((self.name(node).to_owned(), target)).or_default().push(version);
                }
            }
        }
        let line = |((node, target), versions): ((String, String), Vec<VersionId>)| {
            format!("{node} -> {target} {}", show(&versions.into_iter().collect()))
        };
        found.into_iter().map(line).collect()
    }

    fn provenance(&self) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        for (name, &node) in self.names.iter().filter(|(name, _)| *name != "S" && *name != "T") {
            if node.index() < self.graph.nodes().len()
                && let Some((version, Some(line))) = self.graph.provenance(node)
            {
                out.insert(format!("{name} {} {line}", version.0 + 1));
            }
        }
        out
    }
}
