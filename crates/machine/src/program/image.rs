//! Memory before the first instruction: initial values of globals, and what runs before and after `main`.

use super::{FuncId, Program};
use crate::memory::HEAP;
use hydrogen_ir::{Const, GlobalId};

impl Program {
    /// Writes every global's initial value.
    pub(super) fn fill_image(&mut self) {
        let mut image = std::mem::take(&mut self.image);
        let (mut constructors, mut destructors) = (Vec::new(), Vec::new());
        for unit in 0..self.units.len() {
            let module = std::sync::Arc::clone(&self.units[unit].module);
            for (index, global) in module.globals.iter().enumerate() {
                let owned = self.units[unit].globals[index]
                    .filter(|_| global.thread_local && global.initializer.is_some());
                self.thread_locals.extend(owned);
                let Some(initializer) = global.initializer else { continue };
                if global.name == "llvm.global_ctors" {
                    constructors.extend(self.table(unit, initializer));
                }
                if global.name == "llvm.global_dtors" {
                    destructors.extend(self.table(unit, initializer));
                }
                // Only the unit that owns the object writes it.
                let Some(address) = self.units[unit].globals[index] else { continue };
                let owner = image.number(address).and_then(|number| image.info(number)).map(|info| info.kind);
                if owner != Some(crate::memory::ObjectKind::Global(unit as u32, GlobalId::at(index))) {
                    continue;
                }
                let size = module.types.layout(global.ty).map_or(0, |layout| layout.alloc_bytes);
                let mut bytes = vec![0; size as usize];
                // What cannot be computed stays zero; reading it is then wrong only where a compiler would refuse it.
                let _ = self.write_constant(unit, initializer, 0, &mut bytes, 0);
                if let Some(place) = image.range(address, size, true).filter(|_| size > 0) {
                    debug_assert_eq!(place.0, HEAP);
                    image.fill(place, &bytes);
                }
                if global.constant {
                    image.freeze(address);
                }
            }
        }
        let sorted = |mut table: Vec<(i64, FuncId)>| -> Vec<FuncId> {
            table.sort_by_key(|(priority, _)| *priority);
            table.into_iter().map(|(_, function)| function).collect()
        };
        self.thread_locals.sort_unstable();
        self.thread_locals.dedup();
        self.constructors = sorted(constructors);
        self.destructors = sorted(destructors);
        self.destructors.reverse();
        self.image = image;
    }

    /// Constructors or destructors with their priorities.
    fn table(&self, unit: usize, id: hydrogen_ir::ConstId) -> Vec<(i64, FuncId)> {
        let module = self.module(unit);
        let Const::Aggregate { elements, .. } = module.constant(id) else { return Vec::new() };
        let entry = |id: &hydrogen_ir::ConstId| {
            let Const::Aggregate { elements, .. } = module.constant(*id) else { return None };
            let priority = super::constant_int(module, *elements.first()?)?;
            let (words, _) = self.constant_words(unit, *elements.get(1)?)?;
            Some((priority, self.function_at(*words.first()?)?))
        };
        elements.iter().filter_map(entry).collect()
    }
}
