//! Strings that cross the C interface.

use std::ffi::{CStr, c_char};

/// A string of known length that LLVM owns, copied. LLVM's strings are bytes; C programs keep them in UTF-8.
///
/// # Safety
/// `data` must be null or point to `size` readable bytes.
pub(super) unsafe fn owned(data: *const c_char, size: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A message that LLVM allocated for us, copied and freed.
///
/// # Safety
/// `message` must be null or a message of LLVM's that nobody else frees.
pub(super) unsafe fn message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller; the text is copied before it is freed.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().trim_end().to_owned();
        llvm_sys::core::LLVMDisposeMessage(message);
        text
    }
}
