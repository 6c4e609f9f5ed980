//! clang inside this process.

use super::module::Context;
use super::shim::{self, HydrogenBytes, HydrogenResult};
use super::{LlvmError, LlvmModule};
use std::ffi::{CString, c_char};

/// A compiled unit.
pub struct Compiled {
    /// The module.
    pub module: LlvmModule,
    /// The files that were read, as clang names them (relative to the directory).
    pub dependencies: Vec<Vec<u8>>,
    /// What the driver did not understand and left out.
    pub warnings: String,
}

/// A preprocessed unit.
pub struct Preprocessed {
    /// The text, with line markers.
    pub text: Vec<u8>,
    /// The place of every token and the source text of every macro use: what the text does not show and the
    /// model depends on.
    pub places: Vec<u8>,
    /// The files that were read.
    pub dependencies: Vec<Vec<u8>>,
}

/// Compiles a unit as the arguments of a clang driver say. `name` stands for it in messages.
pub fn compile(name: &str, directory: &[u8], arguments: &[Vec<u8>]) -> Result<Compiled, LlvmError> {
    let context = Context::new();
    let outcome = Outcome::run(directory, arguments, |arguments, count, directory| {
        // SAFETY: `Outcome::run` passes arrays that live during the call.
        unsafe { shim::hydrogen_compile(context.raw, arguments, count, directory) }
    })?;
    let dependencies = outcome.dependencies();
    let warnings = outcome.string(shim::hydrogen_result_warnings);
    // SAFETY: the result is live; taking the module leaves null behind.
    let module = unsafe { shim::hydrogen_result_take_module(outcome.0) };
    drop(outcome);
    if module.is_null() {
        return Err(LlvmError::Compile(format!("{name}: clang made no module")));
    }
    // SAFETY: clang made the module in this context and we took it.
    let module = unsafe { LlvmModule::adopt(context, module, name) }?;
    Ok(Compiled { module, dependencies, warnings })
}

/// Preprocesses a unit.
pub fn preprocess(directory: &[u8], arguments: &[Vec<u8>]) -> Result<Preprocessed, LlvmError> {
    let outcome = Outcome::run(directory, arguments, |arguments, count, directory| {
        // SAFETY: `Outcome::run` passes arrays that live during the call.
        unsafe { shim::hydrogen_preprocess(arguments, count, directory) }
    })?;
    Ok(Preprocessed {
        text: outcome.bytes(shim::hydrogen_result_text),
        places: outcome.bytes(shim::hydrogen_result_places),
        dependencies: outcome.dependencies(),
    })
}

type Getter = unsafe extern "C" fn(*const HydrogenResult) -> HydrogenBytes;

/// Owns the shim's result.
struct Outcome(*mut HydrogenResult);

impl Outcome {
    fn run(
        directory: &[u8],
        arguments: &[Vec<u8>],
        call: impl FnOnce(*const *const c_char, usize, *const c_char) -> *mut HydrogenResult,
    ) -> Result<Self, LlvmError> {
        let directory = c_string(directory)?;
        let arguments = arguments.iter().map(|text| c_string(text)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = arguments.iter().map(|text| text.as_ptr()).collect();
        let outcome = Self(call(pointers.as_ptr(), pointers.len(), directory.as_ptr()));
        // SAFETY: the shim returns a live result, which `outcome` owns.
        if unsafe { shim::hydrogen_result_success(outcome.0) } {
            return Ok(outcome);
        }
        let message = outcome.string(shim::hydrogen_result_diagnostics);
        let message = match message.trim_end() {
            "" => "clang failed without a message",
            text => text,
        };
        Err(LlvmError::Compile(message.to_owned()))
    }

    fn bytes(&self, getter: Getter) -> Vec<u8> {
        // SAFETY: the result is live and owns the bytes; they are copied.
        unsafe { getter(self.0).get().to_vec() }
    }

    fn string(&self, getter: Getter) -> String {
        String::from_utf8_lossy(&self.bytes(getter)).into_owned()
    }

    fn dependencies(&self) -> Vec<Vec<u8>> {
        // SAFETY: the result is live and the indices are within its count; the bytes are copied.
        unsafe {
            (0..shim::hydrogen_result_dependencies(self.0))
                .map(|index| shim::hydrogen_result_dependency(self.0, index).get().to_vec())
                .collect()
        }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: the shim made the result and only we free it.
        unsafe { shim::hydrogen_result_free(self.0) }
    }
}

fn c_string(text: &[u8]) -> Result<CString, LlvmError> {
    CString::new(text).map_err(|_| LlvmError::ZeroByte(String::from_utf8_lossy(text).into_owned()))
}
