//! What values are made of.

use hydrogen_ir::{FloatKind, Type, TypeId, TypeTable};

/// A value that is not made of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// An integer; of more than 128 bits only where bit-fields need it.
    Int(u16),
    /// A pointer.
    Pointer,
    /// A floating-point number.
    Float(FloatKind),
}

impl Scalar {
    /// Bits of value.
    pub fn width(self) -> u32 {
        match self {
            Scalar::Int(width) => u32::from(width),
            Scalar::Pointer => 64,
            Scalar::Float(FloatKind::Half | FloatKind::BFloat) => 16,
            Scalar::Float(FloatKind::Float) => 32,
            Scalar::Float(FloatKind::Double) => 64,
            Scalar::Float(FloatKind::X86Fp80) => 80,
            Scalar::Float(FloatKind::Fp128 | FloatKind::PpcFp128) => 128,
        }
    }

    /// Bytes that a load or store touches.
    pub fn bytes(self) -> u32 {
        self.width().div_ceil(8)
    }

    /// Registers that it takes.
    pub fn registers(self) -> u32 {
        match self {
            Scalar::Int(width) => u32::from(width).div_ceil(64).max(1),
            _ if self.width() > 64 => 2,
            _ => 1,
        }
    }
}

/// A scalar at its place inside a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub scalar: Scalar,
    /// Its place in memory.
    pub offset: u32,
    /// Its register, counted from the value's first.
    pub register: u32,
}

/// No bit-field needs more.
const WIDEST: u16 = 4096;

/// More parts than this are no value that clang keeps in registers.
const MOST_PARTS: usize = 4096;

/// The scalar parts of a type, in order; `None` when the machine has no such values.
pub(crate) fn parts(types: &TypeTable, ty: TypeId) -> Option<Vec<Part>> {
    let mut out = Vec::new();
    collect(types, ty, 0, &mut out)?;
    let mut register = 0;
    for part in &mut out {
        part.register = register;
        register += part.scalar.registers();
    }
    Some(out)
}

/// How many registers the parts take.
pub(crate) fn registers(parts: &[Part]) -> u32 {
    parts.last().map_or(0, |last| last.register + last.scalar.registers())
}

fn collect(types: &TypeTable, ty: TypeId, offset: u64, out: &mut Vec<Part>) -> Option<()> {
    if out.len() > MOST_PARTS {
        return None;
    }
    let scalar = match types.get(ty) {
        Type::Void => return Some(()),
        Type::Int(width) => Scalar::Int(u16::try_from(*width).ok().filter(|width| *width <= WIDEST)?),
        Type::Pointer(_) => Scalar::Pointer,
        Type::Float(FloatKind::PpcFp128) => return None,
        Type::Float(kind) => Scalar::Float(*kind),
        Type::Array { element, len } => {
            let stride = types.layout(*element)?.alloc_bytes;
            return (0..*len).try_for_each(|index| collect(types, *element, offset + index * stride, out));
        }
        Type::Vector { element, len, scalable: false } => {
            // Lanes lie without padding between them.
            let (Type::Int(8 | 16 | 32 | 64 | 128) | Type::Float(_) | Type::Pointer(_)) = types.get(*element)
            else {
                return bit_lanes(types, *element, *len, offset, out);
            };
            let stride = types.layout(*element)?.size_bits / 8;
            return (0..u64::from(*len))
                .try_for_each(|index| collect(types, *element, offset + index * stride, out));
        }
        Type::Struct(body) => {
            let layout = types.layout(ty)?;
            let fields = body.fields.as_ref()?.iter().zip(&layout.field_offsets);
            return fields.into_iter().try_for_each(|(field, at)| collect(types, *field, offset + at, out));
        }
        _ => return None,
    };
    out.push(Part { scalar, offset: u32::try_from(offset).ok()?, register: 0 });
    Some(())
}

/// Vectors of bits have values, from comparisons, but no bytes of their own: they cannot be loaded or stored.
fn bit_lanes(types: &TypeTable, element: TypeId, len: u32, offset: u64, out: &mut Vec<Part>) -> Option<()> {
    let Type::Int(1) = types.get(element) else { return None };
    out.extend((0..len).map(|_| Part { scalar: Scalar::Int(1), offset: offset as u32, register: 0 }));
    Some(())
}

/// The parts as memory sees them: an integer of more than 128 bits is accessed word by word.
pub(crate) fn in_memory(parts: Vec<Part>) -> Vec<Part> {
    let split = |part: Part| {
        let width = part.scalar.width();
        let words = if width > 128 { part.scalar.registers() } else { 1 };
        (0..words).map(move |word| match words {
            1 => part,
            _ => Part {
                scalar: Scalar::Int((width - 64 * word).min(64) as u16),
                offset: part.offset + 8 * word,
                register: part.register + word,
            },
        })
    };
    parts.into_iter().flat_map(split).collect()
}
