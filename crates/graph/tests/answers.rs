//! Questions that the worked examples do not ask: laziness, items, history, impact, dumps, damaged files.

#![allow(clippy::unwrap_used)]

use hydrogen_graph::{
    BodySource, DotOptions, Event, Graph, Item, ItemKind, JsonOptions, LoadGraphError, Reason, VersionId,
    VersionInfo, VersionInput,
};
use hydrogen_ir::Module;

fn read(source: &str) -> Vec<Module> {
    vec![hydrogen_syntax::read("main.c", source.as_bytes(), &hydrogen_syntax::Options::default()).module]
}

fn info(at: usize) -> VersionInfo {
    let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
    VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() }
}

fn graph(sources: &[&str]) -> Graph {
    let modules: Vec<Vec<Module>> = sources.iter().map(|source| read(source)).collect();
    Graph::build(
        modules.iter().enumerate().map(|(at, modules)| VersionInput::from_modules(info(at), modules)),
    )
    .unwrap()
}

const V: [VersionId; 3] = [VersionId(0), VersionId(1), VersionId(2)];

#[test]
fn unchanged_functions_are_never_loaded() {
    let source = "int f(void) { return 1; }\nint g(void) { return f(); }\n";
    let modules = read(source);
    let mut graph = Graph::build([VersionInput::from_modules(info(0), &modules)]).unwrap();
    // The same functions, ten lines further down.
    let shifted = read(&("\n".repeat(10) + source));
    let mut next = VersionInput::from_modules(info(1), &shifted);
    for function in &mut next.functions {
        function.body = BodySource::Lazy(Box::new(|| panic!("nobody may ask")));
    }
    graph.add(next).unwrap();
    let f = graph.chains_named("f")[0];
    assert_eq!(graph.location(f, V[1]), ("main.c", 11));
    let line = |version| graph.lines(f, version)[2].1;
    assert_eq!((line(V[0]), line(V[1])), (Some(1), Some(11)), "F35");
    // A body that cannot be loaded leaves the graph as it was.
    let changed = read("int f(void) { return 2; }\n");
    let mut broken = VersionInput::from_modules(info(2), &changed);
    broken.functions[0].body = BodySource::Lazy(Box::new(|| Err("gone".into())));
    let before = graph.save();
    let error = graph.add(broken).unwrap_err();
    assert_eq!(error.to_string(), "function `f` of version v3 cannot be loaded");
    assert_eq!(graph.save(), before);
}

#[test]
fn bad_input_is_refused() {
    let modules = read("int f(void) { return 1; }\n");
    let mut input = VersionInput::from_modules(info(3), &modules);
    assert!(Graph::new().add(VersionInput::from_modules(info(3), &modules)).is_err(), "unknown parent");
    let twin = VersionInput::from_modules(info(0), &modules).functions;
    input.info = info(0);
    input.functions.extend(twin);
    assert_eq!(
        Graph::new().add(input).unwrap_err().to_string(),
        "version v1 has two functions `f` with the same key"
    );
}

/// E12's first half: the text and even the instructions are the same, and the statement means something else.
#[test]
fn items_change_what_statements_mean() {
    let source = "void f(char *s) { if (strlen(s) < 12) strcpy(g, s); log(\"g\"); }\nvoid h(struct t p) { p.x = 1; }\n";
    let modules = read(source);
    let item = |kind, name: &str, file: Option<&str>, hash| Item {
        kind,
        name: name.into(),
        file: file.map(str::to_owned),
        hash: hydrogen_ir::ContentHash([hash; 16]),
    };
    let version = |at: usize, size: u8| VersionInput {
        items: [
            item(ItemKind::Global, "g", None, size),
            item(ItemKind::Type, "struct t", None, size),
            item(ItemKind::Global, "strlen", Some("other.c"), size),
            item(ItemKind::Macro, "log", None, 0),
        ]
        .into(),
        ..VersionInput::from_modules(info(at), &modules)
    };
    let graph = Graph::build([version(0, 8), version(1, 16), version(2, 16)]).unwrap();
    let diff = graph.diff(V[0], V[1]);
    assert!(diff.added.nodes.is_empty() && diff.removed.nodes.is_empty());
    let changed: Vec<String> = diff.changed.iter().map(|(node, _)| graph.label(*node)).collect();
    assert_eq!(changed, ["strcpy(g, s)"]);
    assert!(matches!(&diff.changed[0].1[..], [Reason::Item(item)] if item.name == "g"));
    assert!(graph.diff(V[1], V[2]).changed.is_empty());
    let impact = graph.item_impact(V[0], V[1]);
    let by = |name: &str| impact.iter().find(|impact| impact.item.name == name).unwrap();
    assert_eq!(by("g").chains, graph.chains_named("f"));
    assert_eq!(by("struct t").chains, graph.chains_named("h"), "by its head");
    assert!(by("strlen").chains.is_empty(), "another file's");
}

#[test]
fn histories_name_the_versions() {
    let graph = graph(&[
        "int f(int x) { a(); return x; }\n",
        "int f(int x) { a(); b(); return x; }\n",
        "long count(long x) { a(); b(); return x; }\nint g(void) { return count(1); }\nint h(void) { return g(); }\n",
    ]);
    let f = graph.chains_named("f")[0];
    let b = graph.chain_nodes(f).iter().copied().find(|&node| graph.text(node) == "b()").unwrap();
    let history = graph.node_history(b);
    assert_eq!((history.introduced, history.removed), (vec![V[1]], vec![]));
    assert_eq!(graph.nodes_at(V[1], "main.c", 1).len(), 3);
    let events = graph.chain_history(f);
    assert_eq!(events[0], (V[0], vec![Event::Added]));
    assert_eq!(events[1], (V[1], vec![Event::Changed { added: 1, removed: 0, meaning: 0, edges: 3 }]));
    assert_eq!(
        events[2],
        (V[2], vec![Event::Renamed { from: "f".into(), to: "count".into() }, Event::Signature])
    );
    let stats = graph.step_stats(V[1], V[2]);
    assert_eq!((stats.modified, stats.deleted, stats.added_calling, stats.added_leaf), (0, 0, 2, 0));
    assert_eq!((stats.renamed, stats.reused), (1, 1.0));
    // Which calls can reach it (F37): the one in g, and through g the one in h.
    let calls: Vec<String> =
        graph.calls_reaching(f, V[2]).into_iter().map(|node| graph.label(node)).collect();
    assert_eq!(calls, ["return count(1)", "return g()"]);
}

#[test]
fn json_has_what_is_promised() {
    let graph = graph(&["int f(void) { a(\"\\n\"); return 1; }\n", "\nint f(void) { b(); return 1; }\n"]);
    let json: serde_json::Value = serde_json::from_str(&graph.to_json(&JsonOptions::default())).unwrap();
    assert_eq!(json["versions"], serde_json::json!(["v1", "v2"]));
    assert_eq!(json["functions"][0]["name"], "f");
    assert_eq!(json["functions"][0]["versions"], serde_json::json!(["v1", "v2"]));
    let nodes = json["nodes"].as_array().unwrap();
    let with = |text: &str| nodes.iter().find(|node| node["text"] == text).unwrap();
    assert_eq!(with("return 1")["lines"], serde_json::json!({"v1": 1, "v2": 2}));
    assert_eq!(with("return 1")["kind"], "return");
    assert_eq!(with("b()")["versions"], serde_json::json!(["v2"]));
    let ids: Vec<u64> = nodes.iter().map(|node| node["id"].as_u64().unwrap()).collect();
    for edge in json["edges"].as_array().unwrap() {
        assert!(ids.contains(&edge["from"].as_u64().unwrap()) && ids.contains(&edge["to"].as_u64().unwrap()));
        assert_eq!(edge["kind"], "next");
        assert!(!edge["versions"].as_array().unwrap().is_empty());
    }
    let call = serde_json::json!({
        "from": with("b()")["id"], "name": "b", "kind": "external", "versions": ["v2"], "ranges": [[1, 1]],
    });
    assert!(json["calls"].as_array().unwrap().contains(&call), "{}", json["calls"]);
    assert_eq!(json["stats"]["sum_nodes"], 8);
    let compact: serde_json::Value =
        serde_json::from_str(&graph.to_json(&JsonOptions { compact: true, ..JsonOptions::default() }))
            .unwrap();
    assert_eq!(compact["nodes"].as_array().unwrap().len(), nodes.len());
}

#[test]
fn dot_is_well_formed() {
    let graph = graph(&["int f(void) { a(\"\\n \\\"q\\\"\"); return 1; }\n", "int f(void) { return 1; }\n"]);
    let dot = graph.to_dot(&DotOptions { compare: Some((V[0], V[1])), chains: None });
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert!(dot.contains(r#"a(\"\\n \\\"q\\\"\")"#), "{dot}");
    assert!(dot.contains("style=dashed") && dot.contains("peripheries=2"));
    assert!(graph.call_graph_dot().contains("[v1]") || graph.call_graph_dot().contains("label=\"v1\""));
}

#[test]
fn foreign_and_damaged_files_are_refused() {
    let bytes = graph(&["int f(void) { return 1; }\n"]).save();
    assert_eq!(Graph::load(b"").unwrap_err(), LoadGraphError::Foreign);
    assert_eq!(Graph::load(b"not a graph at all").unwrap_err(), LoadGraphError::Foreign);
    assert!(matches!(Graph::load(&bytes[..30]), Err(LoadGraphError::Damaged(_))));
    assert!(matches!(Graph::load(&bytes[..bytes.len() - 1]), Err(LoadGraphError::Damaged(_))));
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(Graph::load(&newer).unwrap_err(), LoadGraphError::Format { found: 9 });
    assert!(Graph::load(&newer).unwrap_err().to_string().contains("build the graph again"));
    assert_eq!(Graph::load(&bytes).unwrap().save(), bytes);
}

/// A ladder of conditions has more paths than anybody can walk; the search says so instead of walking.
#[test]
fn changed_paths_give_up() {
    let ladder: String = (0..60).map(|at| format!("if (c{at}) a{at}();\n")).collect();
    let graph = graph(&[
        &format!("void f(void) {{ {ladder} }}\n"),
        &format!("void f(void) {{ {ladder} for (;;) ; b(); }}\n"),
    ]);
    let f = graph.chains_named("f")[0];
    let paths = graph.changed_paths(f, V[1], V[0], 2);
    assert!(paths.truncated && paths.paths.len() <= 2);
}

#[test]
fn graphviz_draws_it() {
    let graph = graph(&[
        "int f(int x) { if (x > \"\\\"\"[0]) { a(\"<b> {c} | \\n\"); } return 1; }\n",
        "int f(int x) { switch (x) { case 1: b(); default: c(); } return 1; }\nint g(void) { return f(2); }\n",
    ]);
    let options = DotOptions { compare: Some((V[0], V[1])), ..DotOptions::default() };
    for dot in [graph.to_dot(&DotOptions::default()), graph.to_dot(&options), graph.call_graph_dot()] {
        let mut child = match std::process::Command::new("dot")
            .arg("-Tsvg")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
        {
            Ok(child) => child,
            Err(_) => return hydrogen_testkit::skip("graphviz is not installed"),
        };
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), dot.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(String::from_utf8_lossy(&output.stdout).contains("</svg>"));
    }
}
