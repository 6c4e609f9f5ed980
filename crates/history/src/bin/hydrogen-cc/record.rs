//! One line per call, in a file that all calls of a build share.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::Role;

/// Appends a call. It is one write to a file opened for appending, so lines of parallel calls do not mix.
pub fn append(log: &Path, role: Role, arguments: &[OsString]) -> Result<(), String> {
    let directory = std::env::current_dir().unwrap_or_default();
    let tool = match role {
        Role::C => "cc",
        Role::Cxx => "c++",
        Role::Archiver => "ar",
    };
    let mut line = format!("{{\"tool\":\"{tool}\",\"directory\":");
    push(&mut line, directory.as_os_str().as_bytes());
    line.push_str(",\"arguments\":[");
    let environment = if role == Role::Archiver { Vec::new() } else { from_environment() };
    for (at, word) in arguments.iter().chain(&environment).enumerate() {
        if at > 0 {
            line.push(',');
        }
        push(&mut line, word.as_bytes());
    }
    line.push_str("]}\n");
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| format!("cannot write {}: {error}", log.display()))
}

/// Include folders that the compiler takes from its environment, as arguments.
fn from_environment() -> Vec<OsString> {
    let mut arguments = Vec::new();
    for (variable, option) in [("CPATH", "-I"), ("C_INCLUDE_PATH", "-isystem")] {
        for folder in std::env::var_os(variable).iter().flat_map(std::env::split_paths) {
            // An empty entry means the current folder.
            let folder = if folder.as_os_str().is_empty() { ".".into() } else { folder.into_os_string() };
            arguments.extend([option.into(), folder]);
        }
    }
    arguments
}

/// A JSON string in which every character stands for one byte, so that any bytes survive.
fn push(line: &mut String, bytes: &[u8]) {
    line.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => line.extend(['\\', char::from(byte)]),
            0..0x20 | 0x7f..=0xff => line.push_str(&format!("\\u{byte:04x}")),
            _ => line.push(char::from(byte)),
        }
    }
    line.push('"');
}
