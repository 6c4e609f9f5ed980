//! Global variables that begin with something else in another version: whoever names them may do something else, too.

use crate::meaning::operand::global_name;
use crate::meaning::statics::variable;
use crate::walk::Analyst;
use hydrogen_align::first_contents;
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{ContentHash, Operand, Reference};
use std::collections::{BTreeMap, BTreeSet};

impl Analyst<'_> {
    /// The variables that both versions define, and that begin with something else or have another size.
    pub(super) fn changed_variables(&self, old: VersionId, new: VersionId) -> BTreeSet<String> {
        let (old, new) = (self.contents_of_variables(old), self.contents_of_variables(new));
        let differs =
            |(name, content): &(&String, &ContentHash)| old.get(*name).is_some_and(|one| one != *content);
        new.iter().filter(differs).map(|(name, _)| name.clone()).collect()
    }

    fn contents_of_variables(&self, version: VersionId) -> BTreeMap<String, ContentHash> {
        let mut found = BTreeMap::new();
        for module in self.modules(version) {
            for (id, content) in first_contents(&module) {
                found.insert(global_name(&module, module.global(id)), content);
            }
        }
        found
    }

    /// The statements of a function that name one of these variables.
    pub(super) fn namers(
        &self,
        chain: ChainId,
        version: VersionId,
        variables: &BTreeSet<String>,
    ) -> Vec<NodeId> {
        let program = self.subject.program;
        let (graph, file) = (program.graph, program.file(chain, version));
        let Some((module, id)) = program.code.function(version, file, graph.name(chain, version)) else {
            return Vec::new();
        };
        let Some(body) = &module.function(id).body else { return Vec::new() };
        let pieces = graph.pieces(chain, version);
        let mut found = BTreeSet::new();
        for instruction in &body.instructions {
            instruction.op.references(|reference| {
                if let Reference::Operand(Operand::Const(id)) = reference
                    && let Some(global) = variable(&module, *id)
                    && variables.contains(&global_name(&module, module.global(global)))
                {
                    found.extend(pieces.get(instruction.piece.index()).copied());
                }
            });
        }
        found.into_iter().collect()
    }
}
