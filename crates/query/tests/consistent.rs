//! AINV-2, AINV-3 and AINV-8 on generated histories: no version gets lost or comes from nowhere, and witnesses are those of their version.
//! That versions never become more on the way of a condition is asserted where conditions walk, in every test of this crate.
#![allow(clippy::unwrap_used)]

mod common;
mod generated;

use common::{Code, compile, graph_of};
use generated::edits::edit;
use generated::{Chance, Generator, PRELUDE};
use hydrogen_evidence::Verdict;
use hydrogen_graph::{Graph, NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};

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

/// AINV-2: a version is called faulty at a statement only if it has the statement, or another one in its place. AINV-8: every statement of
/// a witness is one of its version, and control can come from each to the next of the same function there.
#[test]
fn witnesses_are_those_of_their_version() {
    let mut seen = 0;
    for seed in 1..7 {
        let code = history(seed);
        let graph = graph_of(&code);
        let program = Program { graph: &graph, code: &code };
        let budget = Budget { steps: 400, terms: 800, rounds: 2, more_rounds: 2, ..Budget::default() };
        let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget);
        let versions = VersionSet::all(code.len());
        for node in graph.nodes() {
            let Some(at) = graph.node_versions(node).first() else { continue };
            let question = Question { node, at, kind: None, versions: &versions, inside: false };
            for finding in analyst.judge(&question) {
                for ruling in finding.verdicts.iter().filter(|one| one.verdict == Verdict::Present) {
                    let version = VersionId(ruling.id);
                    let replaced = ruling.ledger.iter().any(|entry| entry.code().starts_with("statement-"));
                    assert!(graph.node_in(node, version) || replaced, "seed {seed}: {ruling:#?}");
                    let path: Vec<(String, NodeId)> = ruling
                        .evidence
                        .path
                        .iter()
                        .map(|spot| {
                            let found = node_at(&graph, version, &spot.function, spot.line, &spot.text);
                            (spot.function.clone(), found.unwrap_or_else(|| panic!("seed {seed}: {spot:?}")))
                        })
                        .collect();
                    for pair in path.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                        let behind = graph.reach([pair[0].1], version, true);
                        assert!(behind.contains(&pair[1].1), "seed {seed}: {ruling:#?}");
                    }
                    assert!(!ruling.evidence.constraint.is_empty(), "seed {seed}: {ruling:#?}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 20, "{seen} witnesses are too few to say something");
}
