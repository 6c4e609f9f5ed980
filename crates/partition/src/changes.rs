//! The statements that are not in all versions, and programs that are the same.

use hydrogen_graph::NodeId;
use hydrogen_ir::{ContentHash, FunctionId, Module, exact_hash};
use hydrogen_machine::{Program, Site};
use hydrogen_pair::{Node, Nodes, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// A changed statement of a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The version, 0 for the oldest.
    pub version: usize,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
}

/// By version, the changed statements, each with its instructions.
pub(crate) struct Changes {
    by_version: Vec<BTreeMap<Node, Vec<Site>>>,
    lines: Vec<BTreeMap<Node, (String, u32)>>,
}

impl Changes {
    /// A statement is changed where some version does not have it, or a version's instructions for it are others.
    pub(crate) fn of(programs: &[&Program]) -> Self {
        let mut nodes = Nodes::new(programs);
        let mut by_version: Vec<BTreeMap<Node, Vec<Site>>> = Vec::new();
        for (version, program) in programs.iter().enumerate() {
            let mut all: BTreeMap<Node, Vec<Site>> = BTreeMap::new();
            for function in program.ids().filter(|id| program.is_users(*id)) {
                let Some(code) = program.code(function) else { continue };
                for pc in 0..code.instrs.len() as u32 {
                    let site = Site { function, pc };
                    if let Some(node) = nodes.at(version, site) {
                        all.entry(node).or_default().push(site);
                    }
                }
            }
            by_version.push(all);
        }
        // A statement whose text is the same may compute something else: a macro, a type or a layout changed.
        let meant: BTreeSet<NodeId> = nodes.graph().meaning_changes().into_keys().collect();
        let is_changed = |node: &Node| match nodes.statement(*node) {
            Statement::Graph(id) => meant.contains(id) || !nodes.is_shared(*node),
            Statement::Elsewhere(..) => false,
        };
        for all in &mut by_version {
            all.retain(|node, _| is_changed(node));
        }
        let lines = by_version.iter().enumerate().map(|(version, all)| {
            let line = |node: &Node| nodes.line(version, *node).map(|(file, line)| (file.to_owned(), line));
            all.keys().filter_map(|node| Some((*node, line(node)?))).collect()
        });
        let lines = lines.collect();
        Self { by_version, lines }
    }

    /// The instructions of changed statements of a version.
    pub(crate) fn sites(&self, version: usize) -> impl Iterator<Item = (Node, Site)> + '_ {
        self.by_version[version].iter().flat_map(|(node, sites)| sites.iter().map(|site| (*node, *site)))
    }

    /// Where changed statements are.
    pub(crate) fn places(&self, version: usize, nodes: &BTreeSet<Node>) -> BTreeSet<Change> {
        let place = |node: &Node| {
            let (file, line) = self.lines[version].get(node)?;
            Some(Change { version, file: file.clone(), line: *line })
        };
        nodes.iter().filter_map(place).collect()
    }

    /// All changed statements.
    pub(crate) fn all(&self) -> BTreeSet<Change> {
        let versions = 0..self.by_version.len();
        versions.flat_map(|at| self.places(at, &self.by_version[at].keys().copied().collect())).collect()
    }
}

/// Whether two programs are the same but for where their statements stand: nothing needs to be run to know that they do the same.
pub fn identical(one: &Program, other: &Program) -> bool {
    let users = |program: &Program| -> Option<Vec<(String, Option<ContentHash>)>> {
        let mut module: Module = program.units().next()?.clone();
        module.name.clear();
        let functions = (0..module.functions.len()).map(FunctionId::at);
        let known = functions.map(|id| (module.function(id).name.clone(), exact_hash(&module, id)));
        Some(known.collect())
    };
    match (users(one), users(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}
