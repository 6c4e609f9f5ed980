//! Compiling and exploring.

use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_explore::Options;
use hydrogen_frontend::{Command, Pool};
use hydrogen_machine::{Library, Limits};
use hydrogen_trace::{Criterion, OutputName};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

pub const HEADER: &str = "void hydrogen_symbolic(void *, unsigned long, const char *); void hydrogen_assume(unsigned long);\
    void hydrogen_output(const char *, long long);\
    static int in(const char *n) { int v; hydrogen_symbolic(&v, 4, n); return v; }";

/// Who compiles.
pub fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new(Pool::default_program(), Default::default(), || false))
}

/// A program with what it needs; its first line is line 1.
pub fn with_header(source: &str) -> String {
    format!("# 1 \"prelude.h\"\n{HEADER}\n# 1 \"test.c\"\n{source}")
}

/// The model of a program; its first line is line 1.
pub fn model(source: &str) -> hydrogen_ir::Module {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.c");
    std::fs::write(&path, with_header(source)).unwrap();
    let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
    let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into(), "-w".into()];
    arguments.extend(Library::find().map(|library| library.arguments()).unwrap_or_default());
    arguments.push(bytes(&path));
    let (directory, file) = (bytes(folder.path()), bytes(&path));
    let command = Command { directory: directory.clone(), root: directory, file, arguments };
    hydrogen_ir::decode(&pool().model(&command).unwrap().module).unwrap()
}

pub fn options() -> Options {
    Options {
        limits: Limits { steps: 1_000_000, ..Limits::default() },
        runs: 1000,
        time: Duration::from_secs(60),
        ..Options::default()
    }
}

/// An input of numbers, four bytes each.
pub fn input(values: &[(&str, i32)]) -> Input {
    let named = values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    Input { named, ..Input::default() }
}

/// The outputs of these names.
pub fn criteria(outputs: &[&str]) -> Vec<Criterion> {
    outputs.iter().map(|name| Criterion::Output(OutputName::Named((*name).into()))).collect()
}
