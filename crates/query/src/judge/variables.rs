//! Global variables that begin with something else in another version: whoever names them may do something else, too.

use crate::meaning::operand::global_name;
use crate::meaning::statics::variable;
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{Const, ConstId, ContentHash, Module, Operand, Reference};
use std::collections::{BTreeMap, BTreeSet};

/// How deep constants are looked into: a variable may hold its own address.
const DEEPEST: u32 = 32;

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
            for global in module.globals.iter().filter(|global| !global.private) {
                let Some(initializer) = global.initializer else { continue };
                let size = module.types.layout(global.ty).map(|layout| layout.alloc_bytes);
                let mut content = format!("{size:?} ");
                write(&module, initializer, DEEPEST, &mut content);
                found.insert(global_name(&module, global), ContentHash::of(content.as_bytes()));
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

/// A constant as a text that is the same in every unit: other variables by name, literals by what they hold.
fn write(module: &Module, id: ConstId, deep: u32, out: &mut String) {
    let constant = module.constant(id);
    match constant {
        Const::Global(global) => {
            let global = module.global(*global);
            match global.initializer.filter(|_| global.private && deep > 0) {
                Some(literal) => write(module, literal, deep - 1, out),
                None => out.push_str(&global.name),
            }
        }
        Const::Function(function) => out.push_str(&module.function(*function).name),
        Const::Int { bits, .. } | Const::Float { bits, .. } => out.push_str(&bits.to_string()),
        Const::Bytes { data, .. } => out.push_str(&format!("{data:?}")),
        Const::Zero(_) => out.push('0'),
        _ if deep == 0 => out.push('?'),
        _ => {
            out.push('(');
            constant.references(|reference| {
                if let Reference::Const(id) = reference {
                    write(module, *id, deep - 1, out);
                    out.push(',');
                }
            });
            out.push(')');
        }
    }
}
