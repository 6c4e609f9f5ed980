//! Who did what in a history with merges, with items that change, and with files that move.

#![allow(clippy::unwrap_used)]

use hydrogen_graph::{Event, Graph, Item, ItemKind, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;

/// A version: its parents, its file, its source, what `LIMIT` is, and what `own`, a variable of the file, is.
type Version<'a> = (&'a [u32], &'a str, &'a str, u8, u8);

fn graph(versions: &[Version<'_>]) -> Graph {
    let read = |file: &str, source: &str| -> Vec<Module> {
        vec![hydrogen_syntax::read(file, source.as_bytes(), &hydrogen_syntax::Options::default()).module]
    };
    let modules: Vec<Vec<Module>> = versions.iter().map(|it| read(it.1, it.2)).collect();
    let input = |(at, it): (usize, &Version<'_>)| {
        let parents = it.0.iter().map(|&parent| VersionId(parent)).collect();
        let info = VersionInfo { name: format!("v{at}"), parents, ..VersionInfo::default() };
        let item = |kind, name: &str, file: Option<&str>, content: u8| Item {
            kind,
            name: name.into(),
            file: file.map(str::to_owned),
            hash: hydrogen_ir::ContentHash([content; 16]),
        };
        let items =
            [item(ItemKind::Macro, "LIMIT", None, it.3), item(ItemKind::Global, "own", Some(it.1), it.4)];
        VersionInput { items: items.into(), ..VersionInput::from_modules(info, &modules[at]) }
    };
    Graph::build(versions.iter().enumerate().map(input).collect::<Vec<_>>()).unwrap()
}

/// What each version did to `f`, in a line each.
fn told(graph: &Graph) -> Vec<String> {
    let history = graph.chain_history(graph.chains_named("f")[0]);
    let line = |(version, events): (VersionId, Vec<Event>)| {
        let events: Vec<String> = events.iter().map(ToString::to_string).collect();
        format!("{}: {}", version.0, events.join("; "))
    };
    history.into_iter().map(line).collect()
}

const OLD: &str = "int f(int x) { first(x); if (x > LIMIT) second(own); return x; }\n";
const WITHOUT: &str = "int f(int x) { if (x > LIMIT) second(own); return x; }\n";
const BOTH: &str = "int f(int x) { if (x > LIMIT) second(own); third(); return x; }\n";

#[test]
fn a_merge_did_only_what_no_branch_did() {
    // One branch takes a statement away and makes a limit larger; the other one does something elsewhere.
    let branches: [Version<'_>; 4] = [
        (&[], "a.c", OLD, 1, 1),
        (&[0], "a.c", WITHOUT, 1, 1),
        (&[1], "a.c", WITHOUT, 2, 1),
        (&[0], "a.c", OLD, 1, 1),
    ];
    let merged = |source| [&branches[..], &[(&[3, 2], "a.c", source, 2, 1)]].concat();
    let clean = graph(&merged(WITHOUT));
    let expect = [
        "0: added",
        "1: changed: 0 statements added, 1 removed, 0 with another meaning",
        "2: changed: 0 statements added, 0 removed, 1 with another meaning",
    ];
    assert_eq!(told(&clean), expect);
    let steps: Vec<_> = clean.steps().into_iter().flatten().collect();
    let numbers = |at: usize| {
        let it = &steps[at];
        (it.modified, it.statements_added, it.statements_removed, it.statements_meaning)
    };
    assert_eq!([0, 1, 2, 3].map(numbers), [(1, 0, 1, 0), (1, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 0)]);
    // What whoever merged added is theirs.
    let own = graph(&merged(BOTH));
    assert_eq!(told(&own)[3], "4: changed: 1 statement added, 0 removed, 0 with another meaning");
}

#[test]
fn a_merge_that_drops_what_one_branch_added_took_it_away() {
    let dropped = graph(&[
        (&[], "a.c", WITHOUT, 1, 1),
        (&[0], "a.c", OLD, 1, 1),
        (&[0], "a.c", WITHOUT, 1, 1),
        (&[1, 2], "a.c", WITHOUT, 1, 1),
    ]);
    assert_eq!(told(&dropped)[2], "3: changed: 0 statements added, 1 removed, 0 with another meaning");
}

#[test]
fn statements_tell_which_name_changed() {
    let graph = graph(&[(&[], "a.c", OLD, 1, 1), (&[0], "a.c", OLD, 2, 1), (&[1], "a.c", OLD, 2, 2)]);
    let f = graph.chains_named("f")[0];
    let changed = |label: &str| {
        let node = graph.chain_nodes(f).iter().copied().find(|&node| graph.label(node) == label).unwrap();
        graph.node_history(node).changed
    };
    assert_eq!(changed("if (x > LIMIT)"), [(VersionId(1), vec!["LIMIT".to_owned()])]);
    assert_eq!(changed("second(own)"), [(VersionId(2), vec!["own".to_owned()])]);
    assert_eq!(changed("first(x)"), []);
}

#[test]
fn what_belongs_to_a_file_moves_with_it() {
    let moved = |own| graph(&[(&[], "a.c", OLD, 1, 1), (&[0], "src/a.c", OLD, 1, own)]);
    let kept = moved(1);
    assert_eq!(told(&kept), ["0: added", "1: moved from a.c to src/a.c"]);
    assert!(kept.diff(VersionId(0), VersionId(1)).changed.is_empty());
    assert!(kept.meaning_changes().is_empty());
    let other = moved(2);
    let changed = other.diff(VersionId(0), VersionId(1)).changed;
    let changed: Vec<_> = changed.iter().map(|(node, why)| (other.label(*node), why.len())).collect();
    assert_eq!(changed, [("second(own)".to_owned(), 1)]);
}
