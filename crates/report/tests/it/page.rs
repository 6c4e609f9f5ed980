//! The page as a text: what is in it, and that nothing in the data can get out of its place.

use hydrogen_graph::{Graph, JsonOptions, VersionId, VersionInfo, VersionInput};
use hydrogen_report::html;
use serde_json::{Value, json};

use crate::samples::worked_examples;

/// The data as the page's scripts will read it.
fn data(page: &str) -> Value {
    let (_, rest) =
        page.split_once(r#"<script type="application/json" id="data">"#).expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

#[test]
fn hostile_texts_stay_texts() {
    let nasty = "</script><script>alert(1)</script><!-- {{data}} \u{2028} &amp; \"'";
    let graph = json!({
        "versions": [nasty], "functions": [{"name": nasty, "file": nasty, "versions": [nasty]}],
        "nodes": [{"id": 1, "function": 0, "text": nasty, "kind": nasty, "versions": [nasty], "lines": {nasty: 3}}],
        "edges": [],
    });
    let plain = html(&json!({"versions": ["v1"]}), "t");
    let page = html(&graph, nasty);
    for tag in ["<script", "</script", "<!--"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    let data = data(&page);
    assert_eq!(data["title"], nasty);
    assert_eq!(data["functions"]["name"][0], nasty);
    assert_eq!(data["nodes"]["lines"][0], json!([0, 3]));
    assert!(page.contains("<title>&lt;/script&gt;&lt;script&gt;alert(1)"));
}

#[test]
fn everything_is_inside_and_locked() {
    let page = html(&worked_examples(), "examples");
    let policy =
        page.split_once("Content-Security-Policy\" content=\"").and_then(|(_, rest)| rest.split_once("\">"));
    let policy = policy.expect("the page has a policy").0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page, html(&worked_examples(), "examples"), "the same graph gives the same bytes");
}

#[test]
fn the_library_comes_with_its_licence() {
    let page = html(&json!({"versions": []}), "t");
    if page.contains("id=\"elk\"></script>") {
        return hydrogen_testkit::skip("elkjs is not vendored; run scripts/setup.sh");
    }
    assert!(page.contains("Eclipse Public License"));
    assert!(page.len() < 2_000_000, "{} bytes without any data", page.len());
}

#[test]
fn data_is_compact_and_regular() {
    let data = data(&html(&worked_examples(), "examples"));
    // Node 3 of E1 has another line in every version; node 5 stands on line 2 in all of its versions.
    let texts = data["texts"].as_array().expect("texts");
    let of = |text: &str| {
        let text = texts.iter().position(|known| known == text).expect("the text is there");
        let node =
            data["nodes"]["text"].as_array().and_then(|list| list.iter().position(|known| *known == text));
        node.expect("the statement is there")
    };
    assert_eq!(data["nodes"]["lines"][of("strcpy(a, b);")], json!([0, 3, 1, 5, 2, 9, 3, 10]));
    assert_eq!(data["nodes"]["lines"][of("char *a = NULL; size_t len = 0;")], json!([1, 2]));
    let set = data["nodes"]["set"][of("len = strlen(b);")].as_u64().expect("a set") as usize;
    assert_eq!(data["sets"][set], json!([1, 2]));
    assert_eq!(data["commits"][3]["parents"], json!([2]));
    assert_eq!(data["omitted"], 0);
}

#[test]
fn optional_and_unknown_keys_are_tolerated() {
    let graph = json!({
        "format": 7, "versions": ["a", "b", "c"],
        "functions": [{"name": "f", "versions": ["a"]}, {"name": "f", "versions": ["c"]}, {"name": "g", "extra": 1}],
        "nodes": [
            {"id": "x", "function": "f", "text": "one", "versions": ["c"], "v_branch": true, "meaning_changed": ["c"]},
            {"id": "y", "function": "g", "versions": ["b"]},
            {"id": "z", "function": "undeclared", "versions": ["b"]},
        ],
        "edges": [{"from": "x", "to": "nowhere"}, {"from": "y", "to": "y"}],
        "calls": [{"from": "x", "to": "f", "versions": ["c"]}, {"from": "x", "to": "puts"}, {"from": "?", "to": 0}],
    });
    let data = data(&html(&graph, "t"));
    assert_eq!(data["nodes"]["function"], json!([1, 2, 3]));
    assert_eq!(data["nodes"]["branch"], json!([1, -1, -1]));
    assert_eq!(data["nodes"]["meaning"][0], json!([2]));
    assert_eq!(data["functions"]["name"], json!(["f", "f", "g", "undeclared"]));
    assert_eq!(data["calls"]["to"], json!([1, -1]));
    assert_eq!(data["omitted"], 2);
    assert_eq!(data["commits"][2]["parents"], json!([1]), "without commits, versions follow each other");
    // Nothing at all is a page too.
    html(&Value::Null, "");
}

/// A graph as the command line gives it to the page: nothing of it may get lost between the two.
#[test]
fn a_real_graph_reaches_the_page_whole() {
    let sources = [
        "static int f(int x) {\n  if (x > 1)\n    puts(\"a\");\n  return x;\n}\nint g(void) { return f(2); }\n",
        "\nstatic int f(int x) {\n  if (x > 2)\n    puts(\"a\");\n  return x;\n}\nint g(void) { return f(2); }\n",
    ];
    let options = hydrogen_syntax::Options::default();
    let modules =
        sources.map(|source| vec![hydrogen_syntax::read("a.c", source.as_bytes(), &options).module]);
    let graph = Graph::build(modules.iter().enumerate().map(|(at, modules)| {
        let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
        let info = VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() };
        VersionInput::from_modules(info, modules)
    }))
    .expect("well-formed");
    for compact in [false, true] {
        let json = graph.to_json(&JsonOptions { compact, ..JsonOptions::default() });
        let data = data(&html(&serde_json::from_str(&json).expect("JSON"), "t"));
        let (nodes, texts) = (&data["nodes"], &data["texts"]);
        let text = |at: &Value| texts[at.as_u64().expect("an index") as usize].clone();
        let of = |label: &str| {
            let all = nodes["text"].as_array().expect("a column");
            all.iter().position(|at| text(at) == label).unwrap_or_else(|| panic!("{label} is not there"))
        };
        let call = of("puts(\"a\")");
        assert_eq!(nodes["lines"][call], json!([0, 3, 1, 4]), "compact: {compact}");
        let set = |at: usize| data["sets"][nodes["set"][at].as_u64().expect("an index") as usize].clone();
        assert_eq!((set(of("if (x > 1)")), set(of("if (x > 2)"))), (json!([0, 0]), json!([1, 1])));
        assert_eq!(text(&data["functions"]["file"][0]), "a.c");
        let calls = data["calls"]["from"].as_array().expect("a column");
        let reached = |from: usize| {
            let at = calls.iter().position(|it| *it == json!(from)).expect("it calls");
            (data["calls"]["to"][at].clone(), text(&data["calls"]["name"][at]))
        };
        assert_eq!(reached(call), (json!(-1), json!("puts")));
        assert_eq!(reached(of("return f(2)")), (json!(0), json!("f")));
    }
}
