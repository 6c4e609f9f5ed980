//! A module with the context that owns it.

use super::shim::{hydrogen_count, hydrogen_normalise};
use super::text;
use super::{LlvmError, Type, Value};
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use llvm_sys::{LLVMDiagnosticSeverity, LLVMOpcode};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::rc::Rc;

type Messages = RefCell<Vec<String>>;

/// An LLVM context whose diagnostics are kept; LLVM's own handler would end the process.
pub(super) struct Context {
    pub(super) raw: LLVMContextRef,
    messages: Rc<Messages>,
}

impl Context {
    pub(super) fn new() -> Self {
        let messages = Rc::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's data is freed after the context, because `Drop` comes before the fields' own.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data: *const Messages = Rc::as_ptr(&messages);
            LLVMContextSetDiagnosticHandler(raw, Some(keep), data.cast_mut().cast());
            raw
        };
        Self { raw, messages }
    }

    /// The error messages so far.
    pub(super) fn errors(&self) -> String {
        self.messages.borrow().join("\n")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules of this context are dropped before it (see `LlvmModule`).
        unsafe { LLVMContextDispose(self.raw) }
    }
}

extern "C" fn keep(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: `data` is the list of `Context::new`; LLVM calls the handler only while the context lives.
    unsafe {
        let text = text::message(LLVMGetDiagInfoDescription(info));
        if matches!(LLVMGetDiagInfoSeverity(info), LLVMDiagnosticSeverity::LLVMDSError) {
            (*data.cast::<Messages>()).borrow_mut().push(text);
        }
    }
}

/// LLVM's own counts of a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Functions, declarations included.
    pub functions: u64,
    /// Basic blocks.
    pub blocks: u64,
    /// Edges between blocks, repetitions included.
    pub edges: u64,
    /// Instructions.
    pub instructions: u64,
}

/// A verified LLVM module.
pub struct LlvmModule {
    raw: LLVMModuleRef,
    _context: Context,
}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        // SAFETY: we own the module; its context is a field and is dropped after this.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl LlvmModule {
    /// Takes a module over, checks it and brings its debug variables into one form.
    ///
    /// # Safety
    /// `raw` must be a module of `context` that nobody else owns.
    pub(super) unsafe fn adopt(context: Context, raw: LLVMModuleRef, path: &str) -> Result<Self, LlvmError> {
        let module = Self { raw, _context: context };
        let mut message = null_mut();
        // SAFETY: the module is live; the message is freed by `text::message`.
        let (broken, message) = unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(raw, action, &mut message) != 0;
            (broken, text::message(message))
        };
        if broken {
            return Err(LlvmError::Broken { path: path.to_owned(), message });
        }
        // SAFETY: a verified module that nobody has handles into yet.
        unsafe { hydrogen_normalise(raw) };
        Ok(module)
    }

    pub(super) fn layout(&self) -> LLVMTargetDataRef {
        // SAFETY: the module is live and owns the layout.
        unsafe { LLVMGetModuleDataLayout(self.raw) }
    }

    /// The name of the main source file, as the compiler was given it.
    pub fn source_name(&self) -> String {
        let mut size = 0;
        // SAFETY: the module is live and owns the string.
        unsafe { text::owned(LLVMGetSourceFileName(self.raw, &mut size), size) }
    }

    /// The target triple.
    pub fn target(&self) -> String {
        // SAFETY: the module is live and owns the zero-terminated string.
        unsafe { std::ffi::CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    /// Assembly outside functions.
    pub fn assembly(&self) -> String {
        let mut size = 0;
        // SAFETY: the module is live and owns the string.
        unsafe { text::owned(LLVMGetModuleInlineAsm(self.raw, &mut size), size) }
    }

    /// All functions in order.
    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is live, and the iteration ends at null.
        let first = unsafe { LLVMGetFirstFunction(self.raw) };
        // SAFETY: each value is a function of this module.
        walk(first, |value| unsafe { LLVMGetNextFunction(value) })
    }

    /// All global variables in order.
    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for functions.
        let first = unsafe { LLVMGetFirstGlobal(self.raw) };
        // SAFETY: each value is a global variable of this module.
        walk(first, |value| unsafe { LLVMGetNextGlobal(value) })
    }

    /// All aliases in order.
    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for functions.
        let first = unsafe { LLVMGetFirstGlobalAlias(self.raw) };
        // SAFETY: each value is an alias of this module.
        walk(first, |value| unsafe { LLVMGetNextGlobalAlias(value) })
    }

    /// All symbols that a function chooses at load time, in order.
    pub fn ifuncs(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for functions.
        let first = unsafe { LLVMGetFirstGlobalIFunc(self.raw) };
        // SAFETY: each value is an ifunc of this module.
        walk(first, |value| unsafe { LLVMGetNextGlobalIFunc(value) })
    }

    /// LLVM's own counts.
    pub fn counts(&self) -> Counts {
        let mut counts = [0; 4];
        // SAFETY: the module is live; the shim fills four numbers.
        unsafe { hydrogen_count(self.raw, counts.as_mut_ptr()) };
        let [functions, blocks, edges, instructions] = counts;
        Counts { functions, blocks, edges, instructions }
    }

    /// Size and alignment of a type on this module's target.
    pub fn type_layout<'m>(&'m self, ty: Type<'m>) -> Option<super::types::RawLayout> {
        ty.layout(self.layout())
    }
}

fn walk<'m>(
    first: LLVMValueRef,
    next: impl Fn(LLVMValueRef) -> LLVMValueRef + 'm,
) -> impl Iterator<Item = Value<'m>> {
    std::iter::successors(Value::new(first), move |value| Value::new(next(value.raw())))
}

/// The name of an instruction kind, in LLVM's spelling.
pub(crate) fn opcode_name(opcode: LLVMOpcode) -> String {
    format!("{opcode:?}").trim_start_matches("LLVM").to_ascii_lowercase()
}
