//! A file that could not be read in one version is neither deleted nor added.

#![allow(clippy::unwrap_used)]

use hydrogen_graph::{
    Event, Gap, Graph, Item, ItemKind, JsonOptions, Target, VersionId, VersionInfo, VersionInput,
};
use hydrogen_ir::{ContentHash, Module};

const A: &str = "int f(int x) { a(); return x; }\n";
const A2: &str = "int f(int x) { a(); b(); return x; }\n";
const B: &str = "int main(void) { return f(1); }\n";

/// Per version, the files that can be read; the file `a.c` is missing where it is not given.
fn graph(versions: &[&[(&str, &str)]]) -> Graph {
    let read = |(path, source): &(&str, &str)| {
        hydrogen_syntax::read(path, source.as_bytes(), &hydrogen_syntax::Options::default()).module
    };
    let modules: Vec<Vec<Module>> = versions.iter().map(|files| files.iter().map(read).collect()).collect();
    Graph::build(versions.iter().zip(&modules).enumerate().map(|(at, (files, modules))| {
        let missing = match files.iter().any(|(path, _)| *path == "a.c") {
            true => Vec::new(),
            false => vec![Gap { file: "a.c".into(), message: "a.c:1: error".into() }],
        };
        let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
        let info = VersionInfo { name: format!("v{}", at + 1), parents, missing, ..VersionInfo::default() };
        let hash = ContentHash([0; 16]);
        let item = Item { kind: ItemKind::Global, name: "x".into(), file: None, hash };
        let items = if info.missing.is_empty() { vec![item] } else { Vec::new() };
        VersionInput { items: items.into(), ..VersionInput::from_modules(info, modules) }
    }))
    .unwrap()
}

const V: [VersionId; 4] = [VersionId(0), VersionId(1), VersionId(2), VersionId(3)];

#[test]
fn a_gap_is_no_deletion_and_no_addition() {
    let graph = graph(&[
        &[("a.c", A), ("b.c", B)],
        &[("b.c", B)],
        &[("b.c", "int main(void) { return f(2); }\n")],
        &[("a.c", A2), ("b.c", B)],
    ]);
    let f = graph.chains_named("f");
    assert_eq!(f.len(), 1, "one function, before and after the gap");
    assert_eq!(graph.chain_versions(f[0]).iter().collect::<Vec<_>>(), [V[0], V[3]]);
    for (old, new) in [(V[0], V[1]), (V[1], V[0]), (V[2], V[3])] {
        let diff = graph.diff(old, new);
        assert!(diff.removed.chains.is_empty() && diff.added.chains.is_empty(), "{old:?} {new:?}");
        assert_eq!(diff.unread.chains, f);
        assert!(diff.items.is_empty(), "an item of the missing file is no change");
        let statement = |node: &hydrogen_graph::NodeId| graph.chain(*node) == f[0];
        assert!(!diff.removed.nodes.iter().chain(&diff.added.nodes).any(statement));
        assert!(diff.changed.is_empty(), "the call of a function that may be there has not changed");
        let stats = graph.step_stats(old, new);
        assert_eq!((stats.deleted, stats.added_calling + stats.added_leaf, stats.unread), (0, 0, 1));
    }
    // The statements are compared with those that were last seen.
    let diff = graph.diff(V[0], V[3]);
    assert_eq!(diff.added.nodes.iter().map(|node| graph.label(*node)).collect::<Vec<_>>(), ["b()"]);
    let events = graph.chain_history(f[0]);
    let what: Vec<String> = events
        .iter()
        .map(|(version, events)| {
            format!("{} {}", version.0, events.iter().map(ToString::to_string).collect::<String>())
        })
        .collect();
    assert_eq!(
        what,
        [
            "0 added",
            "1 unknown (its file could not be read)",
            "2 unknown (its file could not be read)",
            "3 changed: 1 statement added, 0 removed, 0 with another meaning",
        ]
    );
    let a = graph.nodes_at(V[0], "a.c", 1);
    let call = *a.iter().find(|node| graph.label(**node) == "a()").unwrap();
    let history = graph.node_history(call);
    assert_eq!((history.introduced, history.removed, history.unread), (vec![V[0]], vec![], vec![V[1], V[2]]));
    let b = diff.added.nodes[0];
    assert_eq!(graph.node_history(b).introduced, [V[3]]);
    let main = graph.nodes_at(V[1], "b.c", 1);
    let call = *main.iter().find(|node| graph.label(**node) == "return f(1)").unwrap();
    assert_eq!(graph.targets(call, V[1]), [Target::Unread(f[0])]);
    // Stored and loaded again, the next version still finds it.
    let mut back = Graph::load(&graph.save()).unwrap();
    assert!(back.is_unread(f[0], V[1]) && !back.is_unread(f[0], V[3]));
    assert_eq!(back.check_structure(), []);
    let json: serde_json::Value = serde_json::from_str(&back.to_json(&JsonOptions::default())).unwrap();
    let function = json["functions"].as_array().unwrap().iter().find(|one| one["name"] == "f").unwrap();
    assert_eq!(function["unread"], serde_json::json!(["v2", "v3"]));
    assert_eq!(json["commits"][1]["missing"][0]["file"], "a.c");
    let modules = vec![];
    let info = VersionInfo { name: "v5".into(), parents: vec![V[1]], ..VersionInfo::default() };
    back.add(VersionInput::from_modules(info, &modules)).unwrap();
    assert!(
        matches!(&back.chain_history(f[0])[4..], [(_, events)] if events == &[Event::Removed]),
        "read and not there"
    );
}

#[test]
fn what_was_never_seen_is_first_seen() {
    let graph = graph(&[&[("b.c", B)], &[("a.c", A), ("b.c", B)]]);
    let f = graph.chains_named("f")[0];
    assert_eq!(graph.chain_history(f), [(V[1], vec![Event::FirstSeen])]);
    let node = graph.pieces(f, V[1])[1];
    let history = graph.node_history(node);
    assert_eq!((history.introduced.len(), history.first_seen), (0, vec![V[1]]));
}

/// A function of the missing file must not be taken for one that appears elsewhere.
#[test]
fn a_gap_is_no_rename() {
    let long = "int f(int x) { a(); b(); c(); d(); return x; }\n";
    let copy = "int g(int x) { a(); b(); c(); d(); return x; }\n";
    let graph = graph(&[&[("a.c", long)], &[("b.c", copy)]]);
    assert_ne!(graph.chains_named("f"), graph.chains_named("g"));
    assert_eq!(graph.diff(V[0], V[1]).added.chains, graph.chains_named("g"));
}
