//! DOT and JSON.

use crate::{generate, sample::*};
use expect_test::expect;
use hydrogen_ir::*;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn dot_shows_the_statement_graph() {
    let module = edited(&[("\"x > 0\"", "\"x > \\\"&lt;\\\\n\\\"\"")]);
    expect![[r#"
        digraph "f" {
          node [shape=box, fontname="monospace"];
          p0 [label="entry", shape=ellipse];
          p1 [label="exit", shape=ellipse];
          p2 [label="5: if (x > \"&amp;lt;\\n\")", shape=diamond];
          p3 [label="6: printf(\"hi\", LINE);"];
          p4 [label="8: return counter;"];
          p0 -> p2;
          p2 -> p3 [label="true"];
          p2 -> p4 [label="false"];
          p3 -> p4;
          p4 -> p1;
        }
    "#]]
    .assert_eq(&to_dot(&module, FunctionId(0)));
}

#[test]
fn graphviz_accepts_every_graph() {
    if Command::new("dot").arg("-V").stderr(Stdio::null()).status().is_err() {
        return hydrogen_testkit::skip("Graphviz is not installed, so `dot` cannot check the graphs");
    }
    let mut graphs = String::new();
    for seed in 0..30 {
        let module = generate::module(seed);
        for (id, _) in module.definitions() {
            graphs.push_str(&to_dot(&module, id));
        }
    }
    let mut dot = Command::new("dot").arg("-Tcanon").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let dot = dot.as_mut().expect("dot starts");
    dot.stdin.take().expect("the pipe is ours").write_all(graphs.as_bytes()).expect("dot reads it all");
    assert!(dot.wait().expect("dot ends").success());
}

#[test]
fn json_is_readable() {
    let json = to_json(&sample(), Some(FunctionId(0)));
    let f = &json["functions"][0];
    assert_eq!(f["pieces"].as_array().map(Vec::len), Some(5));
    expect![[r#"
        {
          "end_line": 5,
          "id": 2,
          "line": 5,
          "part": 0,
          "role": "if",
          "statement": 0,
          "text": "x > 0"
        }"#]]
    .assert_eq(&format!("{:#}", f["pieces"][2]));
    expect![[r#"[{"from":0,"kind":"next","to":2},{"from":2,"kind":"true","to":3},{"from":2,"kind":"false","to":4},{"from":3,"kind":"next","to":4},{"from":4,"kind":"next","to":1}]"#]].assert_eq(&f["flow"].to_string());
    expect![[r#"[{"callee":"printf","indirect":false,"instruction":4,"piece":3}]"#]]
        .assert_eq(&f["calls"].to_string());
    expect![[r#"
        {
          "id": 1,
          "instructions": [
            {
              "id": 6,
              "line": 6,
              "piece": 3,
              "text": "i32 = load expr ptr gep inbounds %struct.foo, @table, [i32 0, i32 1] align 4"
            },
            {
              "id": 7,
              "line": 6,
              "piece": 3,
              "text": "void = store v6, @f.seen align 4"
            },
            {
              "id": 8,
              "line": 6,
              "piece": 3,
              "text": "void = jump b2"
            }
          ],
          "label": "if.then"
        }"#]]
    .assert_eq(&format!("{:#}", f["blocks"][1]));
    let all = to_json(&sample(), None);
    assert_eq!(all["functions"].as_array().map(Vec::len), Some(2));
    assert_eq!(all["functions"][1]["blocks"], serde_json::Value::Null);
}

#[test]
fn every_module_exports() {
    for seed in 0..50 {
        let module = generate::module(seed);
        to_json(&module, None);
        for index in 0..=module.functions.len() {
            print_function(&module, FunctionId::at(index));
            to_dot(&module, FunctionId::at(index));
        }
    }
}
