//! Compiled programs and their graphs, for all tests of verdicts.
#![allow(dead_code)] // Not every test uses all of it.

use hydrogen_evidence::Class;
use hydrogen_frontend::protocol::Command;
use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;
use hydrogen_lowering::{lower, pieces, unit};
use std::sync::Arc;

/// The modules of each version.
pub type Code = Vec<Vec<Arc<Module>>>;

/// A file as a module.
pub fn compile(code: &str) -> Arc<Module> {
    compile_as("main.c", code)
}

/// A file of this name as a module.
pub fn compile_as(file: &str, code: &str) -> Arc<Module> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), code).unwrap();
    let directory = folder.path().to_str().unwrap();
    let arguments = ["cc", "-c", file].into_iter().map(Into::into).collect();
    let command =
        Command { directory: directory.into(), root: directory.into(), file: file.into(), arguments };
    let compiled = unit::compile(&command).unwrap();
    let mut module = lower(&compiled.module, &unit::origin(&command)).unwrap();
    pieces::add_pieces(&mut module, &pieces::parse(&command).unwrap(), &command);
    Arc::new(module)
}

/// One version after the other: `v1`, `v2`, …
pub fn graph_of(code: &Code) -> Graph {
    let parts: Vec<(VersionInfo, Vec<Module>)> = code
        .iter()
        .enumerate()
        .map(|(at, modules)| {
            let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
            let info = VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() };
            (info, modules.iter().map(|module| Module::clone(module)).collect())
        })
        .collect();
    Graph::build(parts.iter().map(|(info, modules)| VersionInput::from_modules(info.clone(), modules)))
        .unwrap()
}

/// The modules of each version, and what is expected: kind, statement, verdicts.
pub type Fixture = (Code, Vec<(Class, String, String)>);

pub fn blocks(fixture: &str) -> Fixture {
    let (mut versions, mut expected): (Code, Vec<(Class, String, String)>) = (Vec::new(), Vec::new());
    let mut lines = fixture.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let (word, text) = head.split_once(' ').unwrap_or((head, ""));
        match Class::of_word(word) {
            Some(kind) => expected.push((kind, text.to_owned(), body.join("\n"))),
            // A version of several files: `c v1.c and z.c` is another file of the version before it.
            None => match (text.split_once(" as "), text.split_once(" and ")) {
                (Some((_, file)), _) => versions.push(vec![compile_as(file, &body.join("\n"))]),
                (_, Some((_, file))) => {
                    versions.last_mut().unwrap().push(compile_as(file, &body.join("\n")));
                }
                _ => versions.push(vec![compile(&body.join("\n"))]),
            },
        }
    }
    (versions, expected)
}
