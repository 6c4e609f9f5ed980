//! The graph's invariants on random histories.

mod common;

use common::{Program, history, inputs, module, steps};
use hydrogen_graph::{
    ChainId, EdgeId, FunctionInput, FunctionKey, Graph, Item, ItemKey, NodeId, Reason, Target, VersionId,
    VersionInput, VersionSet, VersionStep,
};
use hydrogen_ir::Module;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn modules(history: &[(Program, Vec<usize>)]) -> Vec<Module> {
    history.iter().map(|(program, _)| module(program)).collect()
}

fn build(versions: Vec<VersionInput<'_>>) -> Graph {
    Graph::build(versions).expect("the input is well-formed")
}

type Find<'a> = Box<dyn Fn(&FunctionKey) -> Option<FunctionInput<'a>> + 'a>;

/// What differs between a version and the one before it.
fn step<'a>(old: &VersionInput<'_>, new: VersionInput<'a>, find: Find<'a>) -> VersionStep<'a> {
    let key = |item: &Item| ItemKey { kind: item.kind, name: item.name.clone(), file: item.file.clone() };
    let items = new.items.iter().filter(|item| !old.items.contains(item));
    let items = items.map(|item| (key(item), Some(item.hash))).collect();
    let mut removed: Vec<FunctionKey> = old.functions.iter().map(|function| function.key.clone()).collect();
    removed.retain(|key| new.functions.iter().all(|function| function.key != *key));
    let same = |a: &FunctionInput<'_>, b: &FunctionInput<'_>| {
        (&a.key, &a.file, a.line, a.internal, &a.signature, a.print)
            == (&b.key, &b.file, b.line, b.internal, &b.signature, b.print)
    };
    let mut changed = new.functions;
    changed.retain(|function| !old.functions.iter().any(|other| same(function, other)));
    VersionStep { info: new.info, changed, removed, find, items }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// INV-1, 2, 4, 5, 10, 12, 15, 16 in both modes, for lines and for histories with branches.
    #[test]
    fn every_version_is_recovered(steps in steps(10), branches: bool, payloads: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, payloads));
        let checked = graph.check(&inputs(&history, &modules, payloads));
        prop_assert!(checked.is_ok(), "{:#?}", checked);
    }

    /// INV-6 and INV-19: saving and loading is the identity, and adding to a loaded graph gives the same bytes as
    /// building at once; versions that were there keep all they had.
    #[test]
    fn incremental_is_batch(steps in steps(8), branches: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let batch = build(inputs(&history, &modules, true));
        let mut graph = Graph::new();
        for version in inputs(&history, &modules, true) {
            let before = graph.clone();
            graph.add(version).expect("the input is well-formed");
            for node in before.nodes() {
                let old = VersionSet::all(before.versions().len());
                prop_assert_eq!(graph.node_versions(node).intersection(&old), before.node_versions(node));
            }
            for edge in before.edges() {
                let old = VersionSet::all(before.versions().len());
                prop_assert_eq!(graph.edge_versions(edge).intersection(&old), before.edge_versions(edge));
            }
            let bytes = graph.save();
            graph = Graph::load(&bytes).expect("saved just now");
            prop_assert_eq!(graph.save(), bytes);
        }
        prop_assert_eq!(graph.save(), batch.save());
    }

    /// INV-6: a version that is added by what differs from the newest one gives the same bytes as the whole version.
    #[test]
    fn steps_are_the_whole(steps in steps(10), branches: bool, payloads: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let batch = build(inputs(&history, &modules, payloads));
        let mut graph = Graph::new();
        for at in 0..history.len() {
            let all = || inputs(&history, &modules, payloads);
            let (history, modules) = (&history, &modules);
            let new = all().remove(at);
            if at == 0 || !graph.can_step(&new.info) {
                prop_assert_eq!(at, 0, "only a first version has no parents");
                graph.add(new).expect("the input is well-formed");
                continue;
            }
            let old = all().remove(at - 1);
            graph.add_step(step(&old, new, Box::new(move |key| {
                inputs(history, modules, payloads).remove(at).functions.into_iter().find(|it| it.key == *key)
            }))).expect("the input is well-formed");
        }
        prop_assert_eq!(graph.save(), batch.save());
    }

    /// INV-6: the first versions of a graph are the graph of the first versions.
    #[test]
    fn prefixes_are_projections(steps in steps(8), branches: bool, cut in 1usize..8) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let cut = cut.min(history.len());
        let whole = build(inputs(&history, &modules, true));
        let prefix = build(inputs(&history[..cut], &modules[..cut], true));
        let all = VersionSet::all(cut);
        prop_assert_eq!(whole.project(&all).save(), prefix.project(&all).save());
    }

    /// INV-17, and every projection is right about the versions it has (INV-1, INV-20).
    #[test]
    fn projections_compose(steps in steps(9), branches: bool, a: u16, b: u16) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, true));
        let count = history.len();
        let set = |bits: u16| (0..count).filter(|at| bits >> at & 1 == 1).map(VersionId::at).collect::<VersionSet>();
        let (a, b) = (set(a), set(b));
        let both = a.intersection(&b);
        let first = graph.project(&a);
        let inner: VersionSet = a
            .iter()
            .enumerate()
            .filter(|(_, version)| b.contains(*version))
            .map(|(at, _)| VersionId::at(at))
            .collect();
        prop_assert_eq!(first.project(&inner).save(), graph.project(&both).save());
        prop_assert_eq!(first.check_structure(), vec![]);
        for (version, input) in a.iter().zip(0..) {
            let original = &inputs(&history, &modules, true)[version.index()];
            prop_assert_eq!(first.check_version(VersionId(input), original), vec![]);
        }
    }

    /// INV-7: a version without change adds nothing; reordering functions and changing layout adds no nodes and no
    /// edges (INV-8).
    #[test]
    fn sameness_is_free(steps in steps(6)) {
        let mut history = history(&steps, false);
        let modules_before = modules(&history);
        let before = build(inputs(&history, &modules_before, true));
        let mut last = history.last().expect("there is one").0.clone();
        last.functions.reverse();
        for function in &mut last.functions {
            function.body.insert(0, common::S::Blank);
        }
        let parent = vec![history.len() - 1];
        history.push((last, parent));
        let modules = modules(&history);
        let after = build(inputs(&history, &modules, true));
        prop_assert_eq!(before.nodes().len(), after.nodes().len());
        prop_assert_eq!(before.edges().len(), after.edges().len());
        prop_assert_eq!(before.chains().len(), after.chains().len());
    }

    /// INV-8: the order in which functions are given does not matter.
    #[test]
    fn the_order_of_functions_does_not_matter(steps in steps(6), branches: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let reversed = inputs(&history, &modules, true).into_iter().map(|mut version| {
            version.functions.reverse();
            version
        });
        let reversed = build(reversed.collect());
        prop_assert_eq!(build(inputs(&history, &modules, true)).save(), reversed.save());
    }

    /// A revert to an older version costs no nodes and no edges.
    #[test]
    fn reverts_are_free(steps in steps(6), back in 0usize..6) {
        let mut history = history(&steps, false);
        let back = back.min(history.len() - 1);
        // Functions that the older version has and the newest has not are new chains (F26): compare the others.
        let older = history[back].0.clone();
        let newest = history.last().expect("there is one").0.clone();
        let same = older.functions.len() == newest.functions.len()
            && older.functions.iter().all(|old| newest.functions.iter().any(|new| {
                (&new.name, new.file, new.internal) == (&old.name, old.file, old.internal)
            }));
        prop_assume!(same);
        let modules_before = modules(&history);
        let before = build(inputs(&history, &modules_before, true));
        let stable = history[back..].iter().all(|(program, _)| older.functions.iter().all(|old| {
            program.functions.iter().any(|new| (&new.name, new.file, new.internal) == (&old.name, old.file, old.internal))
        }));
        prop_assume!(stable);
        history.push((older, vec![history.len() - 1]));
        let modules = modules(&history);
        let after = build(inputs(&history, &modules, true));
        prop_assert_eq!(before.nodes().len(), after.nodes().len());
        prop_assert_eq!(before.edges().len(), after.edges().len());
    }

    /// Bytes that are no graph are refused.
    #[test]
    fn damage_is_noticed(steps in steps(4), at: u16, flip in 1u8..) {
        let history = history(&steps, false);
        let modules = modules(&history);
        let mut bytes = build(inputs(&history, &modules, true)).save();
        let at = usize::from(at) % bytes.len();
        prop_assert!(Graph::load(&bytes[..at]).is_err());
        bytes[at] ^= flip;
        prop_assert!(Graph::load(&bytes).is_err());
    }
}

/// A reference for V_N and V_E that knows nothing of intervals: sets of versions, by asking version by version.
fn reference_branch(graph: &Graph, node: NodeId, forward: bool) -> bool {
    let edges_in = |version: VersionId| -> BTreeSet<EdgeId> {
        let edges: Vec<EdgeId> =
            if forward { graph.outgoing(node).collect() } else { graph.incoming(node).collect() };
        edges.into_iter().filter(|&edge| graph.edge_in(edge, version)).collect()
    };
    graph.versions().iter().enumerate().any(|(at, info)| {
        let version = VersionId::at(at);
        info.parents.iter().any(|&parent| {
            graph.node_in(node, version)
                && graph.node_in(node, parent)
                && edges_in(version) != edges_in(parent)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// INV-11, INV-13 and INV-14 against plain counting and searching.
    #[test]
    fn marks_sizes_and_reachability(steps in steps(8), branches: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, false));
        for node in graph.nodes() {
            prop_assert_eq!(graph.is_v_branch(node), reference_branch(&graph, node, true));
            prop_assert_eq!(graph.is_v_merge(node), reference_branch(&graph, node, false));
        }
        let sizes = graph.sizes();
        let pieces: usize = modules.iter().flat_map(|module| &module.functions).map(|f| f.pieces.len()).sum();
        let flow: usize = modules.iter().flat_map(|module| &module.functions).map(|f| f.flow.len()).sum();
        prop_assert_eq!((sizes.sum_nodes, sizes.sum_edges), (pieces, flow));
        let labels: usize = graph.edges().map(|edge| graph.edge_versions(edge).len()).sum();
        prop_assert_eq!(sizes.thesis_size, graph.nodes().len() + graph.edges().len() + graph.edges().len() + labels);
        prop_assert_eq!(sizes.reduced_by_rule, sizes.thesis_size < sizes.sequence_size);
        for (at, input) in inputs(&history, &modules, false).iter().enumerate() {
            for function in &input.functions {
                let chain = graph.find(&function.key, VersionId::at(at)).expect("INV-1");
                let body = function.body.load().expect("it is at hand");
                let nodes = graph.pieces(chain, VersionId::at(at));
                let reached = graph.reach([nodes[0]], VersionId::at(at), true);
                let mut expected = BTreeSet::from([0usize]);
                let mut work = vec![0];
                while let Some(from) = work.pop() {
                    for edge in body.function.flow.iter().filter(|edge| edge.from.index() == from) {
                        if expected.insert(edge.to.index()) {
                            work.push(edge.to.index());
                        }
                    }
                }
                let expected: BTreeSet<NodeId> = expected.into_iter().map(|piece| nodes[piece]).collect();
                prop_assert_eq!(reached, expected);
            }
        }
    }

    /// INV-20: another order of versions, or some of them, may share differently and still gives every version back.
    #[test]
    fn any_order_gives_every_version(steps in steps(7), seed: u64) {
        let mut history = history(&steps, false);
        let mut random = seed;
        for at in (1..history.len()).rev() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            history.swap(at, (random >> 33) as usize % (at + 1));
        }
        history.truncate(history.len().div_ceil(2) + (seed % 2) as usize);
        for (at, (_, parents)) in history.iter_mut().enumerate() {
            *parents = at.checked_sub(1).into_iter().collect();
        }
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, true));
        let checked = graph.check(&inputs(&history, &modules, true));
        prop_assert!(checked.is_ok(), "{:#?}", checked);
    }

    /// The difference of any two versions agrees with their projections (F22), and common statements with another
    /// payload are reported.
    #[test]
    fn differences_agree_with_projections(steps in steps(6), a: u8, b: u8) {
        let history = history(&steps, true);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, true));
        let version = |pick: u8| VersionId::at(usize::from(pick) % history.len());
        let (old, new) = (version(a), version(b));
        let diff = graph.diff(old, new);
        let count = |version: VersionId| graph.project(&VersionSet::one(version)).sizes();
        let (x, y) = (count(old), count(new));
        prop_assert_eq!(diff.common.nodes.len() + diff.removed.nodes.len(), x.nodes);
        prop_assert_eq!(diff.common.nodes.len() + diff.added.nodes.len(), y.nodes);
        prop_assert_eq!(diff.common.edges.len() + diff.removed.edges.len(), x.edges);
        prop_assert_eq!(diff.common.edges.len() + diff.added.edges.len(), y.edges);
        prop_assert_eq!(diff.common.chains.len() + diff.added.chains.len(), y.functions);
        let both: VersionSet = [old, new].into_iter().collect();
        prop_assert_eq!(&graph.commonality(&both), &diff.common);
        for &node in &diff.common.nodes {
            let reasons = diff.changed.iter().find(|(changed, _)| *changed == node).map(|(_, reasons)| reasons.as_slice());
            let reasons = reasons.unwrap_or_default();
            let payload = graph.payload(node, old) != graph.payload(node, new);
            prop_assert_eq!(reasons.contains(&Reason::Payload), payload);
            let item = history[old.index()].0.global != history[new.index()].0.global && graph.text(node).contains("x1 ");
            prop_assert_eq!(reasons.iter().any(|reason| matches!(reason, Reason::Item(_))), item);
        }
    }

    /// Every changed path is a path of the version with a new edge, and lies inside the region (F23).
    #[test]
    fn changed_paths_fill_the_changed_region(steps in steps(5)) {
        let history = history(&steps, false);
        prop_assume!(history.len() > 1);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, false));
        let (new, old) = (VersionId::at(history.len() - 1), VersionId::at(history.len() - 2));
        for chain in graph.chains().filter(|&chain| graph.chain_in(chain, new)) {
            let fresh: BTreeSet<EdgeId> = graph.new_edges(chain, new, old).into_iter().collect();
            let paths = graph.changed_paths(chain, new, old, 2000);
            let region = graph.changed_region(chain, new, old);
            prop_assert_eq!(fresh.is_empty(), region.is_empty());
            let on_paths: BTreeSet<NodeId> = paths.paths.iter().flatten().copied().collect();
            prop_assert!(on_paths.is_subset(&region));
            for path in &paths.paths {
                let steps: Vec<Vec<EdgeId>> = path.windows(2).map(|pair| {
                    graph.outgoing(pair[0]).filter(|&edge| graph.ends(edge).1 == pair[1] && graph.edge_in(edge, new)).collect()
                }).collect();
                prop_assert!(steps.iter().all(|edges| !edges.is_empty()));
                prop_assert!(steps.iter().flatten().any(|edge| fresh.contains(edge)));
            }
        }
    }

    /// The call graph over versions agrees with asking every node in every version (F27, F28).
    #[test]
    fn the_call_graph_agrees_with_its_nodes(steps in steps(8), branches: bool) {
        let history = history(&steps, branches);
        let modules = modules(&history);
        let graph = build(inputs(&history, &modules, false));
        let mut expected: BTreeMap<(ChainId, Target), BTreeSet<VersionId>> = BTreeMap::new();
        for node in graph.nodes() {
            for version in graph.node_versions(node).iter() {
                for target in graph.targets(node, version) {
                    expected.entry((graph.chain(node), target)).or_default().insert(version);
                }
            }
        }
        let found: BTreeMap<(ChainId, Target), BTreeSet<VersionId>> = graph
            .call_graph()
            .into_iter()
            .map(|link| ((link.caller, link.target), link.versions.iter().collect()))
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// Same bytes whatever the number of threads (INV-19).
    #[test]
    fn threads_do_not_matter(steps in steps(5)) {
        let history = history(&steps, true);
        let modules = modules(&history);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads are available");
            pool.install(|| build(inputs(&history, &modules, true)).save())
        };
        prop_assert_eq!(with(1), with(4));
    }
}
