//! The functions of `shim/*.cpp`.
#![allow(missing_docs)] // Documented where they are defined.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::prelude::*;
use std::ffi::{c_char, c_int, c_void};

/// The outcome of a run of clang.
#[repr(C)]
pub struct HydrogenResult {
    _opaque: [u8; 0],
}

/// Bytes that somebody else owns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HydrogenBytes {
    data: *const u8,
    size: usize,
}

impl HydrogenBytes {
    /// The bytes, for as long as their owner lives.
    ///
    /// # Safety
    /// The owner must outlive `'a`.
    pub unsafe fn get<'a>(self) -> &'a [u8] {
        if self.data.is_null() {
            return &[];
        }
        // SAFETY: the shim fills both fields from one string; the caller vouches for the owner.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

/// One node of debug information; see `shim/debug.cpp`.
#[repr(C)]
pub struct HydrogenDebug {
    pub tag: u32,
    pub encoding: u32,
    pub line: u32,
    pub argument: u32,
    pub size_bits: u64,
    pub offset_bits: u64,
    pub name: HydrogenBytes,
    pub base: LLVMMetadataRef,
    pub file: LLVMMetadataRef,
    pub elements: LLVMMetadataRef,
    pub element_count: usize,
    pub value: [u64; 2],
    pub known: bool,
    pub bit_field: bool,
    pub is_static: bool,
    pub scope: LLVMMetadataRef,
}

pub type Found = extern "C" fn(*mut c_void, LLVMMetadataRef, LLVMMetadataRef, LLVMValueRef, LLVMValueRef);

unsafe extern "C" {
    pub fn hydrogen_compile(
        context: LLVMContextRef,
        arguments: *const *const c_char,
        count: usize,
        directory: *const c_char,
    ) -> *mut HydrogenResult;
    pub fn hydrogen_preprocess(
        arguments: *const *const c_char,
        count: usize,
        directory: *const c_char,
    ) -> *mut HydrogenResult;
    pub fn hydrogen_result_success(result: *const HydrogenResult) -> bool;
    pub fn hydrogen_result_take_module(result: *mut HydrogenResult) -> LLVMModuleRef;
    pub fn hydrogen_result_diagnostics(result: *const HydrogenResult) -> HydrogenBytes;
    pub fn hydrogen_result_warnings(result: *const HydrogenResult) -> HydrogenBytes;
    pub fn hydrogen_result_text(result: *const HydrogenResult) -> HydrogenBytes;
    pub fn hydrogen_result_places(result: *const HydrogenResult) -> HydrogenBytes;
    pub fn hydrogen_result_dependencies(result: *const HydrogenResult) -> usize;
    pub fn hydrogen_result_dependency(result: *const HydrogenResult, index: usize) -> HydrogenBytes;
    pub fn hydrogen_result_free(result: *mut HydrogenResult);
    pub fn hydrogen_take_stdout() -> c_int;

    pub fn hydrogen_int_words(value: LLVMValueRef, count: *mut usize) -> *const u64;
    pub fn hydrogen_float_bits(value: LLVMValueRef, words: *mut u64);
    pub fn hydrogen_raw_data(value: LLVMValueRef) -> HydrogenBytes;
    pub fn hydrogen_fence_ordering(value: LLVMValueRef) -> LLVMAtomicOrdering;
    pub fn hydrogen_normalise(module: LLVMModuleRef);
    pub fn hydrogen_count(module: LLVMModuleRef, counts: *mut u64);
    pub fn hydrogen_variables(function: LLVMValueRef, context: *mut c_void, found: Found);
    pub fn hydrogen_metadata_text(value: LLVMValueRef) -> *mut c_char;

    pub fn hydrogen_debug(node: LLVMMetadataRef, out: *mut HydrogenDebug);
    pub fn hydrogen_debug_element(tuple: LLVMMetadataRef, index: usize) -> LLVMMetadataRef;
    pub fn hydrogen_debug_global(value: LLVMValueRef) -> LLVMMetadataRef;
    pub fn hydrogen_scope_file(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    pub fn hydrogen_scope_around(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    pub fn hydrogen_file_name(file: LLVMMetadataRef) -> HydrogenBytes;
    pub fn hydrogen_file_directory(file: LLVMMetadataRef) -> HydrogenBytes;
}
