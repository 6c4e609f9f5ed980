//! AINV-2, AINV-3 and AINV-8 on generated histories: no version gets lost or comes from nowhere, and witnesses are those of their version.
//! That versions never become more on the way of a condition is asserted where conditions walk, in every test of this crate.
#![allow(clippy::unwrap_used)]

mod common;
mod generated;

use common::{Code, blocks, compile, graph_of};
use generated::edits::edit;
use generated::{Chance, Generator, PRELUDE};
use hydrogen_evidence::{Class, Ruling, Verdict};
use hydrogen_graph::{Graph, NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};
use std::collections::BTreeMap;

fn history(seed: u64) -> Code {
    let mut generator = Generator::new(seed);
    let mut all = vec![generator.program(0)];
    let mut chance = Chance::new(seed ^ 0x77);
    for _ in 0..3 {
        let mut next = all.last().unwrap().clone();
        let condition = ["x > 1", "a >= 0", "i < 4"][chance.below(3)];
        edit(&mut chance, next.functions.last_mut().unwrap(), condition, "y = 3;", "");
        all.push(next);
    }
    all.iter().map(|one| vec![compile(&format!("{PRELUDE}{}", one.text()))]).collect()
}

/// A node of the version with this text on this line.
fn node_at(graph: &Graph, version: VersionId, function: &str, line: u32, text: &str) -> Option<NodeId> {
    let chains = graph.chains().filter(|&chain| graph.chain_in(chain, version));
    let mut nodes = chains
        .filter(|&chain| graph.name(chain, version) == function)
        .flat_map(|chain| graph.chain_nodes(chain).to_vec())
        .filter(|&node| graph.node_in(node, version));
    nodes.find(|&node| {
        let is_end = matches!(graph.role(node), Role::Entry | Role::Exit);
        graph.label(node) == text && (is_end || graph.line(node, version) == Some(line))
    })
}

/// AINV-3: what leads to a node has all the versions that the node has, and no other way in.
#[test]
fn no_version_is_lost_where_ways_meet() {
    for seed in 1..9 {
        let code = history(seed);
        let graph = graph_of(&code);
        for chain in graph.chains() {
            for version in graph.chain_versions(chain).iter() {
                let live = graph.reach(graph.entry(chain), version, true);
                for &node in live.iter().filter(|&&node| graph.role(node) != Role::Entry) {
                    let led = graph.incoming(node).filter(|&edge| graph.edge_in(edge, version)).count();
                    assert!(led > 0, "seed {seed}: {} in {version:?}", graph.label(node));
                }
            }
            for &node in graph.chain_nodes(chain) {
                for edge in graph.incoming(node).chain(graph.outgoing(node)) {
                    let (from, to) = graph.ends(edge);
                    let both = graph.node_versions(from).intersection(&graph.node_versions(to));
                    assert!(graph.edge_versions(edge).is_subset(&both), "seed {seed}: {}", graph.label(node));
                }
            }
        }
    }
}

/// Every witness of every statement, with its kind: what is present in a history, asked about all versions together.
fn each_witness(code: &Code, see: &mut dyn FnMut(&Graph, NodeId, Class, &Ruling)) {
    let graph = graph_of(code);
    let program = Program { graph: &graph, code };
    let budget = Budget { steps: 400, terms: 800, rounds: 2, more_rounds: 2, ..Budget::default() };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget);
    let versions = VersionSet::all(code.len());
    for node in graph.nodes() {
        let Some(at) = graph.node_versions(node).first() else { continue };
        let question = Question { node, at, kind: None, versions: &versions, inside: false };
        for finding in analyst.judge(&question) {
            for ruling in finding.verdicts.iter().filter(|one| one.verdict == Verdict::Present) {
                see(&graph, node, finding.kind, ruling);
            }
        }
    }
}

/// AINV-2: a version is called faulty at a statement only if it has the statement, or another one in its place. AINV-8: every statement of
/// a witness is one of its version, and control can come from each to the next of the same function there.
#[test]
fn witnesses_are_those_of_their_version() {
    let mut seen = 0;
    for seed in 1..7 {
        each_witness(&history(seed), &mut |graph, node, _, ruling| {
            let version = VersionId(ruling.id);
            let replaced = ruling.ledger.iter().any(|entry| entry.code().starts_with("statement-"));
            assert!(graph.node_in(node, version) || replaced, "seed {seed}: {ruling:#?}");
            let path: Vec<(String, NodeId)> = ruling
                .evidence
                .path
                .iter()
                .map(|spot| {
                    let found = node_at(graph, version, &spot.function, spot.line, &spot.text);
                    (spot.function.clone(), found.unwrap_or_else(|| panic!("seed {seed}: {spot:?}")))
                })
                .collect();
            for pair in path.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                let behind = graph.reach([pair[0].1], version, true);
                assert!(behind.contains(&pair[1].1), "seed {seed}: {ruling:#?}");
            }
            assert!(!ruling.evidence.constraint.is_empty(), "seed {seed}: {ruling:#?}");
            seen += 1;
        });
    }
    assert!(seen > 20, "{seen} witnesses are too few to say something");
}

/// The statements of a path, by function, line and text.
type Path = Vec<(String, u32, String)>;

/// The paths of what is present, per version: by line, kind, and the number of the operation.
fn told(code: &Code) -> Vec<BTreeMap<(u32, Class, usize), Path>> {
    let mut out: Vec<BTreeMap<(u32, Class, usize), Path>> = vec![BTreeMap::new(); code.len()];
    each_witness(code, &mut |graph, node, kind, ruling| {
        let version = VersionId(ruling.id);
        let Some(line) = graph.line(node, version).filter(|_| graph.node_in(node, version)) else { return };
        let spots = ruling.evidence.path.iter();
        let path = spots.map(|spot| (spot.function.clone(), spot.line, spot.text.clone())).collect();
        let all = &mut out[version.index()];
        let number = (0..).find(|&number| !all.contains_key(&(line, kind, number))).unwrap();
        all.insert((line, kind, number), path);
    });
    out
}

/// Paths that are told of a version, all versions together and each alone: how many are there, and those that differ.
fn compared(code: &Code) -> (usize, Vec<String>) {
    let (mut seen, mut other) = (0, Vec::new());
    let together = told(code);
    for (at, modules) in code.iter().enumerate() {
        let alone = &told(&vec![modules.clone()])[0];
        for (key, path) in &together[at] {
            // Where only one of the two found a witness, verdicts differ, which is another test's.
            let Some(own) = alone.get(key) else { continue };
            seen += 1;
            if own != path {
                other.push(format!("v{} {key:?}:\n  together {path:?}\n  alone {own:?}", at + 1));
            }
        }
    }
    (seen, other)
}

/// The path that is told of a version is its own: the one that it is told alone.
#[test]
fn paths_are_those_of_each_version_alone() {
    let mut seen = 0;
    for fixture in [
        include_str!("fixtures/e01-overflow.md"),
        include_str!("fixtures/leaks.md"),
        include_str!("fixtures/paths.md"),
        include_str!("fixtures/own-ways.md"),
    ] {
        let (some, other) = compared(&blocks(fixture).0);
        assert!(other.is_empty(), "{}", other.join("\n"));
        seen += some;
    }
    let (some, other) = compared(&history(1));
    assert!(other.is_empty(), "{}", other.join("\n"));
    seen += some;
    assert!(seen > 10, "{seen} paths are too few to say something");
}
