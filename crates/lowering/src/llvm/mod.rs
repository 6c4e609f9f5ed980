//! A thin safe layer over LLVM's C interface and our shim: the only place with `unsafe`.
//!
//! Handles ([`Value`], [`Type`], [`Block`], [`Node`]) borrow the [`LlvmModule`] they come from, so none outlives it,
//! and a module is never changed after it was made.

mod block;
mod compile;
mod debug;
mod load;
mod module;
pub(crate) mod shim;
mod text;
mod types;
mod value;

pub use block::Block;
pub use compile::{Compiled, Preprocessed, compile, preprocess};
pub use debug::{Debug, Node, Variable};
pub use load::load;
pub(crate) use module::opcode_name;
pub use module::{Counts, LlvmModule};
pub use types::Type;
pub use value::{Value, attribute_kind};

/// What LLVM or clang has to say against its input.
#[derive(Debug, thiserror::Error)]
pub enum LlvmError {
    /// A string with a zero byte cannot cross the C interface.
    #[error("an argument contains a zero byte: {0:?}")]
    ZeroByte(String),
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not bitcode or textual LLVM, or it is damaged.
    #[error("{path} is not valid LLVM 19 bitcode or assembly: {message}")]
    Malformed {
        /// The file.
        path: String,
        /// LLVM's message.
        message: String,
    },
    /// clang rejected the unit; the text is clang's own.
    #[error("{0}")]
    Compile(String),
    /// The module breaks LLVM's own rules.
    #[error("{path} breaks LLVM's rules: {message}")]
    Broken {
        /// The file.
        path: String,
        /// The verifier's message.
        message: String,
    },
}

/// Sends everything printed to standard output from now on to standard error, and returns the real one.
pub fn take_stdout() -> std::io::Result<std::fs::File> {
    use std::os::fd::FromRawFd;
    // SAFETY: plain descriptor calls; the result is checked.
    let descriptor = unsafe { shim::hydrogen_take_stdout() };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made by `dup` and nobody else owns it.
    Ok(unsafe { std::fs::File::from_raw_fd(descriptor) })
}
