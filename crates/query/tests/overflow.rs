//! Verdicts on buffer overflows, from Markdown fixtures: versions as ```` ```c vN.c ```` blocks, and a block `overflow TEXT` with a line per
//! version for the statement of that text.
#![allow(clippy::unwrap_used)]

use hydrogen_frontend::protocol::Command;
use hydrogen_graph::{Graph, NodeId, VersionId, VersionInfo, VersionInput, VersionSet};
use hydrogen_ir::Module;
use hydrogen_lowering::{lower, pieces, unit};
use hydrogen_query::{Analysis, Program, Verdict, analyse};

fn compile(code: &str) -> Module {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.c"), code).unwrap();
    let directory = folder.path().to_str().unwrap();
    let arguments = ["cc", "-c", "main.c"].into_iter().map(Into::into).collect();
    let command =
        Command { directory: directory.into(), root: directory.into(), file: "main.c".into(), arguments };
    let compiled = unit::compile(&command).unwrap();
    let mut module = lower(&compiled.module, &unit::origin(&command)).unwrap();
    pieces::add_pieces(&mut module, &pieces::parse(&command).unwrap(), &command);
    module
}

fn graph_of(modules: &[Module]) -> Graph {
    let input = |(at, module): (usize, &'_ Module)| {
        let info = VersionInfo {
            name: format!("v{}", at + 1),
            parents: at.checked_sub(1).map(VersionId::at).into_iter().collect(),
            ..Default::default()
        };
        (info, std::slice::from_ref(module).to_vec())
    };
    let parts: Vec<(VersionInfo, Vec<Module>)> = modules.iter().enumerate().map(input).collect();
    Graph::build(parts.iter().map(|(info, modules)| VersionInput::from_modules(info.clone(), modules)))
        .unwrap()
}

fn run(modules: &[Module], text: &str) -> Option<(NodeId, Analysis)> {
    let graph = graph_of(modules);
    let node = graph.nodes().find(|&node| graph.text(node) == text)?;
    let program = Program { graph: &graph, modules };
    Some((node, analyse(program, node, &VersionSet::all(modules.len()))))
}

fn words(analysis: &Analysis) -> Vec<&'static str> {
    analysis.verdicts.values().map(|verdict| verdict.word()).collect()
}

fn check(fixture: &str) {
    let (mut versions, mut expected) = (Vec::new(), Vec::new());
    let mut lines = fixture.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        match head.strip_prefix("overflow ") {
            Some(text) => expected.push((text.to_owned(), body.join("\n"))),
            None => versions.push(compile(&body.join("\n"))),
        }
    }
    assert!(!expected.is_empty());
    for (text, expect) in expected {
        let (_, together) = run(&versions, &text).expect("the statement is in a version");
        let found = words(&together);
        let listed: Vec<String> =
            found.iter().enumerate().map(|(at, word)| format!("v{}: {word}", at + 1)).collect();
        assert_eq!(listed.join("\n"), expect, "{text}: {:#?}", together.verdicts);
        // AINV-1: alone, every version gets the same verdict.
        for (at, module) in versions.iter().enumerate() {
            let alone =
                run(std::slice::from_ref(module), &text).map_or("not_applicable", |(_, one)| words(&one)[0]);
            assert_eq!(alone, together.verdicts[&VersionId::at(at)].word(), "{text} in v{} alone", at + 1);
        }
    }
}

/// The versions of the fixture, whose blocks of C come in their order.
fn versions(fixture: &str) -> Vec<Module> {
    let blocks = fixture.split("```c ").skip(1);
    blocks.map(|block| compile(block.split("```").next().unwrap().split_once('\n').unwrap().1)).collect()
}

/// Figure 5 of the paper: the fix is confirmed at the fourth node, and nothing above it is looked at.
#[test]
fn the_fix_is_confirmed_on_demand() {
    let modules = versions(include_str!("fixtures/e01-overflow.md"));
    let graph = graph_of(&modules);
    let node = graph.nodes().find(|&node| graph.text(node) == "strcpy(a, b)").unwrap();
    let program = Program { graph: &graph, modules: &modules };
    let analysis = analyse(program, node, &VersionSet::one(VersionId::at(3)));
    let visited: Vec<&str> = analysis.visited.iter().map(|&node| graph.text(node)).collect();
    assert_eq!(visited, ["strcpy(a, b)", "a == NULL", "a = malloc(len)", "len = strlen(b) + 1"]);
}

#[test]
fn evidence_is_a_path_with_values() {
    let modules = versions(include_str!("fixtures/e01-overflow.md"));
    let graph = graph_of(&modules);
    let node = graph.nodes().find(|&node| graph.text(node) == "strcpy(a, b)").unwrap();
    let program = Program { graph: &graph, modules: &modules };
    let analysis = analyse(program, node, &VersionSet::all(modules.len()));
    let Verdict::Present(evidence) = &analysis.verdicts[&VersionId::at(2)] else {
        panic!("version 3 has the fault")
    };
    let path: Vec<String> = evidence.path.iter().map(|&node| graph.label(node)).collect();
    let expected = [
        "entry",
        "get_privilege()",
        "char *a = NULL",
        "size_t len = 0",
        "len = strlen(b)",
        "a = malloc(len)",
        "if (a == NULL)",
        "strcpy(a, b)",
    ];
    assert_eq!(path, expected);
    assert!(!evidence.model.is_empty() && !evidence.constraint.is_empty());
}

#[test]
fn privilege_example() {
    check(include_str!("fixtures/e01-overflow.md"));
}

#[test]
fn what_is_not_known_is_not_decided() {
    check(include_str!("fixtures/honest.md"));
}

#[test]
fn paths_are_kept_apart() {
    check(include_str!("fixtures/paths.md"));
}
