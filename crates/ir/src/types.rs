//! Machine types with their layouts, interned per module.

use crate::TypeId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A machine type. Pointers are opaque: what they point to is said by the instructions that use them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of the given width in bits.
    Int(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer into an address space (0 is ordinary memory).
    Pointer(u32),
    /// `len` elements in a row.
    Array {
        /// The type of each element.
        element: TypeId,
        /// Their number.
        len: u64,
    },
    /// A SIMD vector.
    Vector {
        /// The type of each lane.
        element: TypeId,
        /// The (minimal) number of lanes.
        len: u32,
        /// Whether the number of lanes is a multiple known only at run time.
        scalable: bool,
    },
    /// A structure or union.
    Struct(StructType),
    /// A function's type.
    Function {
        /// What it returns.
        result: TypeId,
        /// What it takes.
        parameters: Vec<TypeId>,
        /// Whether further arguments may follow.
        varargs: bool,
    },
    /// Anything else that can stand as an operand's type (label, token, metadata, target types), by name.
    Other(String),
}

/// A structure's fields as the machine sees them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StructType {
    /// The compiler's name, such as `struct.foo`; literal structures have none.
    pub name: Option<String>,
    /// The fields in order, padding included; `None` for a structure that is only declared.
    pub fields: Option<Vec<TypeId>>,
    /// Whether fields are laid out without padding.
    pub packed: bool,
}

/// The floating-point formats clang uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FloatKind {
    /// IEEE 16 bits.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE 32 bits.
    Float,
    /// IEEE 64 bits.
    Double,
    /// x87 80 bits (`long double` on x86).
    X86Fp80,
    /// IEEE 128 bits.
    Fp128,
    /// Two doubles (PowerPC).
    PpcFp128,
}

/// Size and alignment on the target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Bits of value, without tail padding.
    pub size_bits: u64,
    /// Bytes between neighbours in an array.
    pub alloc_bytes: u64,
    /// Required alignment in bytes.
    pub align_bytes: u32,
    /// For structures: the byte offset of each field.
    pub field_offsets: Vec<u64>,
}

/// All types of a module, each stored once.
///
/// Named structures are identified by name: two with one body and different names are different types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TypeTable {
    types: Vec<Type>,
    layouts: Vec<Option<Layout>>,
    #[serde(skip)]
    index: HashMap<Type, TypeId>,
}

impl PartialEq for TypeTable {
    fn eq(&self, other: &Self) -> bool {
        self.types == other.types && self.layouts == other.layouts
    }
}

impl Eq for TypeTable {}

impl TypeTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The table with exactly these entries, in this order.
    pub fn from_entries(entries: impl IntoIterator<Item = (Type, Option<Layout>)>) -> Self {
        let (types, layouts) = entries.into_iter().unzip();
        Self { types, layouts, index: HashMap::new() }
    }

    /// Whether every type has its place for a layout: true but for forged bytes.
    pub(crate) fn is_consistent(&self) -> bool {
        self.types.len() == self.layouts.len()
    }

    /// The id of `ty`, adding it when it is new. An id never changes its meaning.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        // The index is not stored; rebuild it on the first change after loading.
        if self.index.len() != self.types.len() {
            self.index = self.types.iter().enumerate().map(|(i, t)| (t.clone(), TypeId::at(i))).collect();
        }
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId::at(self.types.len());
        self.index.insert(ty.clone(), id);
        self.types.push(ty);
        self.layouts.push(None);
        id
    }

    /// Adds a type without looking for an equal one: for a named structure that must exist before its fields.
    /// [`TypeTable::define`] completes it.
    pub fn declare(&mut self, name: String) -> TypeId {
        self.intern(Type::Struct(StructType { name: Some(name), fields: None, packed: false }))
    }

    /// Gives a declared structure its fields.
    pub fn define(&mut self, id: TypeId, fields: Vec<TypeId>, packed: bool) {
        if let Some(Type::Struct(body)) = self.types.get_mut(id.index()) {
            let old = Type::Struct(body.clone());
            body.fields = Some(fields);
            body.packed = packed;
            let new = Type::Struct(body.clone());
            self.index.remove(&old);
            self.index.insert(new, id);
        }
    }

    /// Records the target's layout of a type.
    pub fn set_layout(&mut self, id: TypeId, layout: Layout) {
        self.layouts[id.index()] = Some(layout);
    }

    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// The layout of a sized type.
    pub fn layout(&self, id: TypeId) -> Option<&Layout> {
        self.layouts[id.index()].as_ref()
    }

    /// Whether the id belongs to this table.
    pub fn contains(&self, id: TypeId) -> bool {
        id.index() < self.types.len()
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// All types in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> + Clone {
        self.types.iter().enumerate().map(|(i, t)| (TypeId::at(i), t))
    }
}
