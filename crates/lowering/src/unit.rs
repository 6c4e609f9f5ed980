//! One compile command: its identity, and its compiled module.

use crate::arguments::{Resources, driver_arguments};
use crate::bounds;
use crate::llvm::{self, Compiled, LlvmError};
use crate::lower::{Origin, lexical};
use bstr::{BString, ByteSlice};
use hydrogen_frontend::protocol::Command;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Changes whenever equal commands and sources give another model than before.
const MODEL_VERSION: &[u8] = b"hydrogen model 2\0";

/// The identity of a unit, and the files it was made from.
pub struct Identity {
    /// Equal for units whose models are equal.
    pub hash: [u8; 32],
    /// The files that were read, absolute.
    pub dependencies: Vec<BString>,
}

/// The arguments that a unit is compiled and read with.
pub(crate) fn arguments(command: &Command) -> Vec<Vec<u8>> {
    let arguments: Vec<&[u8]> = command.arguments.iter().map(|argument| argument.as_slice()).collect();
    driver_arguments(&arguments, &command.file, &command.root, &Resources::default())
}

/// Compiles a unit.
pub fn compile(command: &Command) -> Result<Compiled, LlvmError> {
    crate::clang::initialise();
    llvm::compile(&command.file.to_str_lossy(), &command.directory, &arguments(command))
}

/// Preprocesses a unit and hashes what its model depends on.
pub fn identify(command: &Command) -> Result<Identity, LlvmError> {
    let arguments = arguments(command);
    crate::clang::initialise();
    let unit = llvm::preprocess(&command.directory, &arguments)?;
    if let Some(limit) = bounds::exceeded(&unit.text) {
        return Err(LlvmError::Compile(format!("{}: it is not read: {limit}", command.file.to_str_lossy())));
    }
    let root = command.root.strip_suffix(b"/").unwrap_or(&command.root);
    let mut hasher = blake3::Hasher::new();
    hasher.update(MODEL_VERSION);
    // Code generation depends on options that leave no trace in the text. Where the version lies does not matter.
    for part in arguments.iter().map(Vec::as_slice).chain([command.directory.as_slice()]) {
        let part = if root.is_empty() { part.to_vec() } else { part.replace(root, b"") };
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(&part);
    }
    hash_text(&mut hasher, &unit.text, root);
    hasher.update(&unit.places);
    Ok(Identity {
        hash: *hasher.finalize().as_bytes(),
        dependencies: absolute(&command.directory, &unit.dependencies),
    })
}

/// Hashes preprocessed text without the root's name in its line markers (`# 1 "/root/a.c" 2`).
fn hash_text(hasher: &mut blake3::Hasher, text: &[u8], root: &[u8]) {
    let marker = [b" \"", root, b"/"].concat();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.find(&marker) {
            Some(at) if !root.is_empty() && line.starts_with(b"# ") => {
                hasher.update(&line[..at + 2]);
                hasher.update(&line[at + marker.len()..]);
            }
            _ => {
                hasher.update(line);
            }
        };
    }
}

/// The absolute names of the files that clang read.
pub fn absolute(directory: &[u8], dependencies: &[Vec<u8>]) -> Vec<BString> {
    let directory = Path::new(std::ffi::OsStr::from_bytes(directory));
    let paths = dependencies.iter().map(|name| directory.join(std::ffi::OsStr::from_bytes(name)));
    let mut paths: Vec<BString> = paths.map(|path| lexical(&path).as_os_str().as_bytes().into()).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// How a command's files are named in the model.
pub fn origin(command: &Command) -> Origin {
    let path = |bytes: &BString| Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned();
    Origin::new(&path(&command.directory), &path(&command.root))
}
