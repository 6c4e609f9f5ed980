//! Machine types.

use crate::llvm::{LlvmModule, Type as Raw};
use hydrogen_ir::{FloatKind, Layout, StructType, Type, TypeId, TypeTable};
use llvm_sys::LLVMTypeKind as Kind;
use rustc_hash::FxHashMap;

/// Lowers types, each once.
pub(super) struct Types<'m> {
    module: &'m LlvmModule,
    known: FxHashMap<Raw<'m>, TypeId>,
    pub(super) table: TypeTable,
}

impl<'m> Types<'m> {
    pub(super) fn new(module: &'m LlvmModule) -> Self {
        Self { module, known: FxHashMap::default(), table: TypeTable::new() }
    }

    /// The model's type of an LLVM type. Pointers are opaque, so types are trees and this ends.
    pub(super) fn lower(&mut self, raw: Raw<'m>) -> TypeId {
        if let Some(&id) = self.known.get(&raw) {
            return id;
        }
        let ty = self.convert(raw);
        let id = self.table.intern(ty);
        if let Some(layout) = self.module.type_layout(raw) {
            let layout = Layout {
                size_bits: layout.size_bits,
                alloc_bytes: layout.alloc_bytes,
                align_bytes: layout.align_bytes,
                field_offsets: layout.field_offsets,
            };
            self.table.set_layout(id, layout);
        }
        self.known.insert(raw, id);
        id
    }

    fn convert(&mut self, raw: Raw<'m>) -> Type {
        match raw.kind() {
            Kind::LLVMVoidTypeKind => Type::Void,
            Kind::LLVMIntegerTypeKind => Type::Int(raw.int_width()),
            Kind::LLVMHalfTypeKind => Type::Float(FloatKind::Half),
            Kind::LLVMBFloatTypeKind => Type::Float(FloatKind::BFloat),
            Kind::LLVMFloatTypeKind => Type::Float(FloatKind::Float),
            Kind::LLVMDoubleTypeKind => Type::Float(FloatKind::Double),
            Kind::LLVMX86_FP80TypeKind => Type::Float(FloatKind::X86Fp80),
            Kind::LLVMFP128TypeKind => Type::Float(FloatKind::Fp128),
            Kind::LLVMPPC_FP128TypeKind => Type::Float(FloatKind::PpcFp128),
            Kind::LLVMPointerTypeKind => Type::Pointer(raw.address_space()),
            Kind::LLVMArrayTypeKind => {
                Type::Array { element: self.lower(raw.element()), len: raw.array_len() }
            }
            Kind::LLVMVectorTypeKind => self.vector(raw, false),
            Kind::LLVMScalableVectorTypeKind => self.vector(raw, true),
            Kind::LLVMStructTypeKind => {
                let fields = (!raw.is_opaque())
                    .then(|| raw.fields().into_iter().map(|field| self.lower(field)).collect());
                Type::Struct(StructType { name: raw.struct_name(), fields, packed: raw.is_packed() })
            }
            Kind::LLVMFunctionTypeKind => Type::Function {
                result: self.lower(raw.result()),
                parameters: raw.parameters().into_iter().map(|parameter| self.lower(parameter)).collect(),
                varargs: raw.is_varargs(),
            },
            _ => Type::Other(raw.print()),
        }
    }

    fn vector(&mut self, raw: Raw<'m>, scalable: bool) -> Type {
        Type::Vector { element: self.lower(raw.element()), len: raw.vector_len(), scalable }
    }
}
