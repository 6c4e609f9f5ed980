//! Debug information.

use super::Value;
use super::shim::{self, HydrogenDebug};
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A node of debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node<'m>(LLVMMetadataRef, PhantomData<&'m ()>);

/// What a node says; which fields mean something depends on the tag.
#[derive(Debug, Clone)]
pub struct Debug<'m> {
    /// DWARF's tag.
    pub tag: u32,
    /// DWARF's encoding of a basic type.
    pub encoding: u32,
    /// The line of a declaration, or 0.
    pub line: u32,
    /// The number of a parameter, from 1; 0 for locals.
    pub argument: u32,
    /// The size of a type or member.
    pub size_bits: u64,
    /// The offset of a member.
    pub offset_bits: u64,
    /// The name.
    pub name: String,
    /// The type of a variable, member or function; the target of a pointer.
    pub base: Option<Node<'m>>,
    /// The file of a variable or function.
    pub file: Option<Node<'m>>,
    /// Members, enumerators, dimensions; the result and parameters of a function type. `None` for `void` and `...`.
    pub elements: Vec<Option<Node<'m>>>,
    /// The value of an enumerator, the length of a dimension.
    pub value: i128,
    /// Whether a dimension is constant.
    pub known: bool,
    /// Whether a member is a bit-field.
    pub bit_field: bool,
    /// Whether a member belongs to the class, not to its objects.
    pub is_static: bool,
    /// The block inside of its function that a variable belongs to.
    pub scope: Option<Node<'m>>,
}

/// A variable of a function: its description, the location of its declaration, its address, the instruction that follows its declaration.
pub type Variable<'m> = (Node<'m>, Option<Node<'m>>, Option<Value<'m>>, Option<Value<'m>>);

impl<'m> Node<'m> {
    pub(super) fn new(raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw, PhantomData))
    }

    /// Reads the node.
    pub fn read(self) -> Debug<'m> {
        let mut raw = MaybeUninit::<HydrogenDebug>::uninit();
        // SAFETY: the node is live; the shim fills the whole structure.
        let raw = unsafe {
            shim::hydrogen_debug(self.0, raw.as_mut_ptr());
            raw.assume_init()
        };
        Debug {
            tag: raw.tag,
            encoding: raw.encoding,
            line: raw.line,
            argument: raw.argument,
            size_bits: raw.size_bits,
            offset_bits: raw.offset_bits,
            // SAFETY: the node is live and owns its name; it is copied.
            name: String::from_utf8_lossy(unsafe { raw.name.get() }).into_owned(),
            base: Self::new(raw.base),
            file: Self::new(raw.file),
            elements: (0..raw.element_count)
                // SAFETY: the tuple is live and the index within its count.
                .map(|index| Self::new(unsafe { shim::hydrogen_debug_element(raw.elements, index) }))
                .collect(),
            value: (u128::from(raw.value[1]) << 64 | u128::from(raw.value[0])) as i128,
            known: raw.known,
            bit_field: raw.bit_field,
            is_static: raw.is_static,
            scope: Self::new(raw.scope),
        }
    }

    /// Of a location: its scope, line and column.
    pub fn location(self) -> (Option<Self>, u32, u32) {
        // SAFETY: locations come from instructions and variable records only, and are live.
        unsafe {
            let scope = Self::new(LLVMDILocationGetScope(self.0));
            (scope, LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0))
        }
    }

    /// Of a scope: its file.
    pub fn scope_file(self) -> Option<Self> {
        // SAFETY: the shim checks the kind of the node.
        Self::new(unsafe { shim::hydrogen_scope_file(self.0) })
    }

    /// The scope that a block is in; `None` for what is no block.
    pub fn scope_around(self) -> Option<Self> {
        // SAFETY: the shim checks the kind of the node.
        Self::new(unsafe { shim::hydrogen_scope_around(self.0) })
    }

    /// Of a file: its directory and name.
    pub fn path(self) -> (String, String) {
        // SAFETY: the shim checks the kind of the node; the strings belong to it and are copied.
        let (directory, name) =
            unsafe { (shim::hydrogen_file_directory(self.0).get(), shim::hydrogen_file_name(self.0).get()) };
        (String::from_utf8_lossy(directory).into_owned(), String::from_utf8_lossy(name).into_owned())
    }

    /// The location of an instruction.
    pub fn of_instruction(instruction: Value<'m>) -> Option<Self> {
        // SAFETY: the value is a live instruction.
        Self::new(unsafe { LLVMInstructionGetDebugLoc(instruction.raw()) })
    }

    /// The description of a function.
    pub fn of_function(function: Value<'m>) -> Option<Self> {
        // SAFETY: the value is a live function.
        Self::new(unsafe { LLVMGetSubprogram(function.raw()) })
    }

    /// The description of a global variable.
    pub fn of_global(global: Value<'m>) -> Option<Self> {
        // SAFETY: the shim checks the kind of the value.
        Self::new(unsafe { shim::hydrogen_debug_global(global.raw()) })
    }

    /// The variables of a function in order of their declarations.
    pub fn variables(function: Value<'m>) -> Vec<Variable<'m>> {
        extern "C" fn found(
            list: *mut c_void,
            variable: LLVMMetadataRef,
            location: LLVMMetadataRef,
            address: LLVMValueRef,
            next: LLVMValueRef,
        ) {
            // SAFETY: the pointer is the list below, which nobody else uses during the call.
            let list = unsafe { &mut *list.cast::<Vec<Variable<'_>>>() };
            if let Some(variable) = Node::new(variable) {
                list.push((variable, Node::new(location), Value::new(address), Value::new(next)));
            }
        }
        let mut list: Vec<Variable<'m>> = Vec::new();
        let data: *mut Vec<Variable<'m>> = &mut list;
        // SAFETY: the value is a live function; the list outlives the call.
        unsafe { shim::hydrogen_variables(function.raw(), data.cast(), found) };
        list
    }
}
