//! The graph's invariants on random histories.

mod common;

use common::{Program, history, inputs, module, steps};
use hydrogen_graph::{Graph, VersionId, VersionInput, VersionSet};
use hydrogen_ir::Module;
use proptest::prelude::*;

fn modules(history: &[(Program, Vec<usize>)]) -> Vec<Module> {
    history.iter().map(|(program, _)| module(program)).collect()
}

fn build(versions: Vec<VersionInput<'_>>) -> Graph {
    Graph::build(versions).expect("the input is well-formed")
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
