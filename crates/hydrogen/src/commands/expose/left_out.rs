//! C files that changed and that the program is not made of: what is said of the program says nothing of them.

use crate::commands::program::{Two, is_test};
use bstr::ByteSlice;
use hydrogen_history::tree::changed_files;
use hydrogen_machine::Program;

/// The C files that differ between the versions, are no tests, and of which neither program has anything.
pub fn left_out(two: &Two) -> Vec<String> {
    let (Some(old), Some(new)) = (two.old.loaded.version(), two.new.loaded.version()) else {
        return Vec::new();
    };
    let changed = changed_files(old, new).unwrap_or_default();
    let paths = changed.into_iter().map(|file| file.path.to_str_lossy().into_owned());
    let sources = paths.filter(|path| path.ends_with(".c") && !is_test(path));
    let programs = [two.old.program(), two.new.program()];
    sources.filter(|path| !programs.iter().any(|program| has(program, path))).collect()
}

/// Whether a program has code of a file. How a build names it may have folders before it, or fewer than the repository has.
fn has(program: &Program, path: &str) -> bool {
    let is_it = |file: &str| {
        let file = file.trim_start_matches("./");
        file == path || file.ends_with(&format!("/{path}")) || path.ends_with(&format!("/{file}"))
    };
    program.units().any(|module| module.files.iter().any(|file| is_it(file)))
}

/// What is said of such files.
pub fn said(files: &[String]) -> String {
    let verb = if files.len() == 1 { "is" } else { "are" };
    format!(
        "{} changed and {verb} not part of the program that was built: hydrogen.toml says how to build it ([build] command or sources)",
        files.join(", ")
    )
}
