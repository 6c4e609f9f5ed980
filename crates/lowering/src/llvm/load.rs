//! Bitcode and textual LLVM.

use super::module::Context;
use super::{LlvmError, LlvmModule, text};
use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use std::path::Path;
use std::ptr::null_mut;

/// Reads a `.bc` or `.ll` file.
pub fn load(path: &Path) -> Result<LlvmModule, LlvmError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| LlvmError::Read { path: name.clone(), source })?;
    if bytes.is_empty() {
        // To LLVM this is assembly of an empty module; to a user it is a file that was never written.
        return Err(LlvmError::Malformed { path: name, message: "the file is empty".to_owned() });
    }
    let context = Context::new();
    let (mut module, mut message) = (null_mut(), null_mut());
    // SAFETY: the buffer copies our bytes and LLVM's parser takes it over; the message is freed by `text::message`.
    let (failed, message) = unsafe {
        let buffer =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c"".as_ptr());
        let failed = LLVMParseIRInContext(context.raw, buffer, &mut module, &mut message) != 0;
        (failed, text::message(message))
    };
    let message = if message.is_empty() { context.errors() } else { message };
    if failed || module.is_null() {
        return Err(LlvmError::Malformed { path: name, message });
    }
    // SAFETY: the parser made the module in this context and gave it to us.
    unsafe { LlvmModule::adopt(context, module, &name) }
}
