//! Which bytes of a type can hold pointers.

use super::Generator;
use crate::points_to::shape::Shape;
use hydrogen_ir::{Type, TypeId};
use std::sync::Arc;

/// Aggregates with more places for pointers than this are treated through the first ones of each array.
const MANY_LEAVES: usize = 4096;

impl Generator<'_> {
    pub(super) fn shape(&mut self, ty: TypeId) -> Option<Arc<Shape>> {
        let types = &self.module.types;
        self.shapes.entry(ty).or_insert_with(|| Shape::of(types, ty).map(Arc::new)).clone()
    }

    /// The byte offsets at which a value of this type can hold a pointer.
    pub(super) fn leaves(&mut self, ty: TypeId) -> Arc<[u32]> {
        if let Some(leaves) = self.leaves.get(&ty) {
            return leaves.clone();
        }
        let mut leaves = Vec::new();
        self.collect(ty, 0, &mut leaves);
        leaves.sort_unstable();
        leaves.dedup();
        let leaves: Arc<[u32]> = leaves.into();
        self.leaves.insert(ty, leaves.clone());
        leaves
    }

    fn collect(&self, ty: TypeId, base: u64, out: &mut Vec<u32>) {
        let types = &self.module.types;
        let Ok(at) = u32::try_from(base) else { return };
        match types.get(ty) {
            Type::Pointer(_) => out.push(at),
            // An integer that is as wide as a pointer can carry one; wider ones carry several.
            Type::Int(width) if *width >= 64 => out.extend((0..width / 64).map(|word| at + word * 8)),
            Type::Int(width) if self.options.narrow && *width >= 8 => out.push(at),
            Type::Struct(body) => {
                let Some(layout) = types.layout(ty) else { return };
                for (&field, offset) in body.fields.iter().flatten().zip(&layout.field_offsets) {
                    self.collect(field, base + offset, out);
                }
            }
            Type::Array { element, len } => self.collect_elements(*element, *len, base, out),
            Type::Vector { element, len, .. } => self.collect_elements(*element, u64::from(*len), base, out),
            _ => {}
        }
    }

    fn collect_elements(&self, element: TypeId, len: u64, base: u64, out: &mut Vec<u32>) {
        let stride = self.module.types.layout(element).map_or(0, |layout| layout.alloc_bytes);
        for index in 0..len {
            let before = out.len();
            self.collect(element, base + index * stride, out);
            if out.len() == before || out.len() > MANY_LEAVES || stride == 0 {
                return;
            }
        }
    }
}
