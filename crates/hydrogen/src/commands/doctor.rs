//! `hydrogen doctor`: what is missing on this machine, and the command that helps.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::setup::{Need, Part};
use hydrogen_frontend::{Command, Pool};
use hydrogen_machine::Library;
use hydrogen_report::setup as report;
use std::path::{Path, PathBuf};

pub fn run(context: &Context, format: TableFormat) -> Result<Outcome> {
    let parts = examine(context);
    context.output(&match format {
        TableFormat::Text => report::parts_text(&parts),
        TableFormat::Json => report::parts_json(&parts),
    })?;
    let broken = parts.iter().any(|part| part.need == Need::Required && part.found.is_err());
    Ok(if broken { Outcome::Findings } else { Outcome::Done })
}

/// Where the jail is, and which protections this kernel does not offer.
fn confines() -> Result<String, String> {
    let helper = hydrogen_jail::find_helper().map_err(|error| error.to_string())?;
    let missing = hydrogen_jail::offered().missing();
    let missing =
        if missing.is_empty() { String::new() } else { format!("; missing: {}", missing.join("; ")) };
    Ok(format!("{}{missing}", helper.display()))
}

fn examine(context: &Context) -> Vec<Part> {
    use Need::{Optional, Required};
    let lower = Pool::default_program();
    let part = |name, what_for, need, found, help| Part { name, what_for, need, found, help };
    let debian = "apt-get install clang-19 libclang-19-dev";
    vec![
        part("hydrogen-lower", "reads C and bitcode", Required, compiles(&lower), debian),
        part(
            "hydrogen-cc",
            "records the compile commands of builds",
            Required,
            hydrogen_history::build::find_wrapper()
                .map(|path| path.display().to_string())
                .ok_or_else(|| "not found beside hydrogen, nor on the path".to_owned()),
            "make install",
        ),
        part("hydrogen-jail", "confines builds, tests and compilers", Required, confines(), "make install"),
        part(
            "cache",
            "keeps what was computed",
            Required,
            cache(context),
            "--cache-dir DIR, or HYDROGEN_CACHE",
        ),
        part(
            "C library",
            "what programs run with: run, explore, slice",
            Optional,
            Library::find()
                .map(|found| found.home().display().to_string())
                .ok_or_else(|| "not found".to_owned()),
            "scripts/musl.sh in the source tree, or HYDROGEN_MUSL",
        ),
        part(
            "Bitwuzla",
            "the faster solver",
            Optional,
            if hydrogen_term::Bitwuzla::is_available() {
                Ok("built in".into())
            } else {
                Err("not built in".into())
            },
            "scripts/vendor-bitwuzla.sh, then build again",
        ),
        part("z3", "the other solver", Optional, program("z3"), "apt-get install z3"),
        part(
            "clang-19",
            "native builds for replays",
            Optional,
            program("clang-19"),
            "apt-get install clang-19",
        ),
        part("make", "builds of projects with a Makefile", Optional, program("make"), "apt-get install make"),
        part(
            "cmake",
            "builds of projects with CMake",
            Optional,
            program("cmake"),
            "apt-get install cmake ninja-build",
        ),
        part("git", "merges in memory", Optional, program("git"), "apt-get install git"),
    ]
}

/// Whether the child program reads a small file with a standard header.
fn compiles(lower: &Path) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for temporary files: {error}"))?;
    let file = folder.path().join("doctor.c");
    let written = std::fs::write(&file, "#include <stddef.h>\nint doctor(void *p) { return p == NULL; }\n");
    written.map_err(|error| format!("cannot write a temporary file: {error}"))?;
    let bytes = |path: &Path| bstr::BString::from(path.as_os_str().as_encoded_bytes());
    let arguments = vec!["cc".into(), "-c".into(), bytes(&file)];
    let command = Command {
        directory: bytes(folder.path()),
        root: bytes(folder.path()),
        file: bytes(&file),
        arguments,
    };
    let pool = Pool::new(lower.to_owned(), Default::default(), || false);
    pool.model(&command).map(|_| lower.display().to_string()).map_err(|error| error.to_string())
}

fn cache(context: &Context) -> Result<String, String> {
    let folder = context.cache_directory().map_err(|error| format!("{error:#}"))?;
    context.cache().map_err(|error| format!("{error:#}"))?;
    tempfile::tempfile_in(&folder)
        .map(|_| folder.display().to_string())
        .map_err(|error| format!("{} cannot be written: {error}", folder.display()))
}

fn program(name: &str) -> Result<String, String> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found: Option<PathBuf> =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.map(|path| path.display().to_string()).ok_or_else(|| "not on the path".to_owned())
}
