//! Types.

use super::text;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMTypeRef;
use llvm_sys::target::*;
use std::marker::PhantomData;

/// A type of LLVM's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'m>(LLVMTypeRef, PhantomData<&'m ()>);

/// Size and alignment on a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLayout {
    /// Bits of value.
    pub size_bits: u64,
    /// Bytes between neighbours in an array.
    pub alloc_bytes: u64,
    /// Alignment in bytes.
    pub align_bytes: u32,
    /// The byte offset of each field of a structure.
    pub field_offsets: Vec<u64>,
}

// Every method passes a live type to a getter of LLVM's. A getter for one kind of type is reached only after
// `kind` said so: callers match on it.
impl<'m> Type<'m> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        Self(raw, PhantomData)
    }

    /// Which kind of type this is.
    pub fn kind(self) -> LLVMTypeKind {
        // SAFETY: see above.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// The width of an integer.
    pub fn int_width(self) -> u32 {
        // SAFETY: see above.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// The address space of a pointer.
    pub fn address_space(self) -> u32 {
        // SAFETY: see above.
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    /// The element of an array or vector.
    pub fn element(self) -> Self {
        // SAFETY: see above.
        Self::new(unsafe { LLVMGetElementType(self.0) })
    }

    /// The length of an array.
    pub fn array_len(self) -> u64 {
        // SAFETY: see above.
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// The (minimal) number of lanes of a vector.
    pub fn vector_len(self) -> u32 {
        // SAFETY: see above.
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// The name of a structure; literal ones have none.
    pub fn struct_name(self) -> Option<String> {
        // SAFETY: see above; the name is zero-terminated and copied.
        unsafe {
            let name = LLVMGetStructName(self.0);
            (!name.is_null()).then(|| text::owned(name, std::ffi::CStr::from_ptr(name).count_bytes()))
        }
    }

    /// Whether a structure is only declared.
    pub fn is_opaque(self) -> bool {
        // SAFETY: see above.
        unsafe { LLVMIsOpaqueStruct(self.0) != 0 }
    }

    /// Whether a structure has no padding.
    pub fn is_packed(self) -> bool {
        // SAFETY: see above.
        unsafe { LLVMIsPackedStruct(self.0) != 0 }
    }

    /// The fields of a structure.
    pub fn fields(self) -> Vec<Self> {
        // SAFETY: see above; indices are within the count.
        unsafe {
            (0..LLVMCountStructElementTypes(self.0))
                .map(|index| Self::new(LLVMStructGetTypeAtIndex(self.0, index)))
                .collect()
        }
    }

    /// What a function returns.
    pub fn result(self) -> Self {
        // SAFETY: see above.
        Self::new(unsafe { LLVMGetReturnType(self.0) })
    }

    /// What a function takes.
    pub fn parameters(self) -> Vec<Self> {
        // SAFETY: see above; LLVM fills exactly as many as it counts.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Self::new).collect()
        }
    }

    /// Whether a function takes further arguments.
    pub fn is_varargs(self) -> bool {
        // SAFETY: see above.
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// The type in LLVM's notation.
    pub fn print(self) -> String {
        // SAFETY: see above; the message is freed.
        unsafe { text::message(LLVMPrintTypeToString(self.0)) }
    }

    /// Whether the size is known only at run time.
    fn is_scalable(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMScalableVectorTypeKind => true,
            LLVMTypeKind::LLVMArrayTypeKind => self.element().is_scalable(),
            LLVMTypeKind::LLVMStructTypeKind => self.fields().into_iter().any(Self::is_scalable),
            _ => false,
        }
    }

    pub(super) fn layout(self, target: LLVMTargetDataRef) -> Option<RawLayout> {
        // SAFETY: see above; the target's layout belongs to the type's module. Only sized types are asked.
        unsafe {
            if LLVMTypeIsSized(self.0) == 0 || self.is_scalable() {
                return None;
            }
            let fields = match self.kind() {
                LLVMTypeKind::LLVMStructTypeKind => LLVMCountStructElementTypes(self.0),
                _ => 0,
            };
            Some(RawLayout {
                size_bits: LLVMSizeOfTypeInBits(target, self.0),
                alloc_bytes: LLVMABISizeOfType(target, self.0),
                align_bytes: LLVMABIAlignmentOfType(target, self.0),
                field_offsets: (0..fields).map(|index| LLVMOffsetOfElement(target, self.0, index)).collect(),
            })
        }
    }
}
