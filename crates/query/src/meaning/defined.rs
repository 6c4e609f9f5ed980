//! Variables that other files define: how large they are and what they hold stands there, and not where they are declared.

use crate::meaning::operand::{bytes_of, has_null};
use crate::meaning::state::Contents;
use crate::meaning::statics::named_in;
use crate::walk::Analyst;
use hydrogen_graph::VersionId;
use hydrogen_ir::{Body, Global, Linkage, Module};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The variables of a version that all of its files can name: their sizes and contents.
#[derive(Debug, Default)]
pub(crate) struct Defined(BTreeMap<String, Option<(u64, Contents)>>);

impl Defined {
    fn of(units: &[Arc<Module>]) -> Self {
        let mut found: BTreeMap<String, Option<(u64, Contents)>> = BTreeMap::new();
        for module in units {
            for global in module.globals.iter().filter(|global| global.linkage == Linkage::External) {
                let Some(one) = definition(module, global) else { continue };
                let known = found.entry(global.name.clone()).or_insert_with(|| Some(one.clone()));
                // Several programs may each have one of the name.
                if known.as_ref() != Some(&one) {
                    *known = None;
                }
            }
        }
        Self(found)
    }

    /// What a variable that is only declared is elsewhere; none where that is not known.
    pub fn get(&self, global: &Global) -> Option<&(u64, Contents)> {
        match global.initializer {
            None => self.0.get(&global.name)?.as_ref(),
            Some(_) => None,
        }
    }
}

fn definition(module: &Module, global: &Global) -> Option<(u64, Contents)> {
    let value = global.initializer?;
    let bytes = module.types.layout(global.ty)?.alloc_bytes;
    let contents = match global.constant {
        false => Contents::Variable,
        true => match bytes_of(module, value) {
            Some(bytes) => Contents::Bytes(bytes.into()),
            None => Contents::Constant { nulls: has_null(module, value) },
        },
    };
    Some((bytes, contents))
}

/// Whether a function names a variable of which its own file does not say enough: a constant, or an array of unknown length.
fn is_wanted(module: &Module, body: &Body) -> bool {
    named_in(module, body).into_iter().map(|id| module.global(id)).any(|global| {
        let size = module.types.layout(global.ty).map_or(0, |layout| layout.alloc_bytes);
        global.initializer.is_none() && (global.constant || size == 0)
    })
}

impl Analyst<'_> {
    /// The definitions that a function needs.
    pub(crate) fn defined_for(&mut self, module: &Module, body: &Body, version: VersionId) -> Arc<Defined> {
        if !is_wanted(module, body) {
            return Arc::default();
        }
        let code = self.subject.program.code;
        let known = self.store.defined.entry(version);
        Arc::clone(known.or_insert_with(|| Arc::new(Defined::of(&code.units(version)))))
    }
}
