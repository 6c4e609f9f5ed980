//! Offsets inside objects of known type.
//!
//! All elements of an array share the cells of its first element: an offset is brought into *normal form* by
//! taking it modulo the element size of every array around it. Fields of structures stay apart.

use hydrogen_ir::{Type, TypeId, TypeTable};

/// A place inside an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Offset {
    /// At this byte; inside an array, at the same byte of any element.
    At(u64),
    /// At any byte.
    Anywhere,
}

/// An array inside an object, by its first element in normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub start: u64,
    /// Just behind the array; [`u64::MAX`] when its length is open.
    pub end: u64,
    pub stride: u64,
}

/// The arrays of a type, outer before inner, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub regions: Vec<Region>,
    pub size: u64,
}

impl Shape {
    /// The shape of a type, `None` when its layout is unknown.
    pub fn of(types: &TypeTable, ty: TypeId) -> Option<Self> {
        let mut shape = Shape { regions: Vec::new(), size: types.layout(ty)?.alloc_bytes };
        shape.collect(types, ty, 0)?;
        if shape.regions.iter().any(|region| region.end == u64::MAX) {
            shape.size = u64::MAX;
        }
        Some(shape)
    }

    /// The shape of an array of unknown length.
    pub fn array_of(types: &TypeTable, element: TypeId) -> Option<Self> {
        let stride = types.layout(element)?.alloc_bytes.max(1);
        let mut shape = Shape { regions: vec![Region { start: 0, end: u64::MAX, stride }], size: u64::MAX };
        shape.collect(types, element, 0)?;
        Some(shape)
    }

    fn collect(&mut self, types: &TypeTable, ty: TypeId, base: u64) -> Option<()> {
        match types.get(ty) {
            Type::Array { element, len } => {
                let stride = types.layout(*element)?.alloc_bytes;
                if stride > 0 {
                    // An array of length zero is a flexible member, or declared elsewhere with its length.
                    let end = if *len == 0 { u64::MAX } else { base.checked_add(stride.checked_mul(*len)?)? };
                    self.regions.push(Region { start: base, end, stride });
                    self.collect(types, *element, base)?;
                }
            }
            Type::Struct(body) => {
                let offsets = &types.layout(ty)?.field_offsets;
                for (&field, offset) in body.fields.as_ref()?.iter().zip(offsets) {
                    self.collect(types, field, base + offset)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The normal form of an offset.
    pub fn normal(&self, mut offset: u64) -> u64 {
        for region in &self.regions {
            if region.start <= offset && offset < region.end {
                offset = region.start + (offset - region.start) % region.stride;
            }
        }
        offset
    }

    /// The arrays around an offset in normal form, outer before inner.
    pub fn around(&self, offset: u64) -> impl DoubleEndedIterator<Item = &Region> {
        self.regions
            .iter()
            .filter(move |r| r.start <= offset && offset < r.end && offset - r.start < r.stride)
    }

    /// Where a pointer to `from` (in normal form) may point after adding `distance` bytes.
    ///
    /// C's rule for arithmetic (6.5.6) is used: a step that can stay inside the array it begins in does. A step
    /// that leaves the array, as `container_of` makes them, is followed through the rest of the object. What
    /// leaves the object is somewhere in it: programs with "one before the first" do come back.
    pub fn step(&self, from: u64, distance: i64, out: &mut Vec<Offset>) {
        let Some(target) = i64::try_from(from).ok().and_then(|from| from.checked_add(distance)) else {
            return out.push(Offset::Anywhere);
        };
        let mut left = 0;
        for region in self.around(from).rev() {
            if let Some(inside) =
                u64::try_from(target).ok().filter(|t| (region.start..=region.end).contains(t))
            {
                return out
                    .push(Offset::At(self.normal(region.start + (inside - region.start) % region.stride)));
            }
            left += 1;
            if distance.unsigned_abs() < region.end - region.start {
                // From a later element the same step stays inside.
                let inside = (target as i128 - region.start as i128).rem_euclid(region.stride as i128);
                out.push(Offset::At(self.normal(region.start + inside as u64)));
            }
        }
        match u64::try_from(target).ok().filter(|&target| target <= self.size) {
            // Beginning in a later element, the same step could end in another place behind the array.
            Some(_) if left > 1 => out.push(Offset::Anywhere),
            Some(target) => {
                out.push(Offset::At(self.normal(target)));
                if let Some(region) = self.around(from).next() {
                    self.leave(region, target, out);
                }
            }
            None => out.push(Offset::Anywhere),
        }
    }

    /// The ends of a step that leaves `region`, for all its elements but the first.
    fn leave(&self, region: &Region, first: u64, out: &mut Vec<Offset>) {
        let elements = (region.end - region.start) / region.stride;
        for index in 1..elements {
            let target = first.saturating_add(index.saturating_mul(region.stride));
            if (region.start..=region.end).contains(&target) || target > self.size {
                return;
            }
            if index > 8 {
                return out.push(Offset::Anywhere);
            }
            out.push(Offset::At(self.normal(target)));
        }
    }

    /// Where a pointer to `from` may point after adding any multiple of `stride` bytes.
    pub fn walk(&self, from: u64, stride: u64) -> Offset {
        let in_array = self.around(from).any(|region| stride.is_multiple_of(region.stride));
        // An object that is no array is an array of one element: only the multiple 0 stays inside.
        let alone = from < stride && from.saturating_add(stride) >= self.size;
        if in_array || alone { Offset::At(from) } else { Offset::Anywhere }
    }
}
