//! How often build-free mode sees the same statement graph as compiled mode.

use crate::{corpora, statements, table};
use anyhow::Result;
use hydrogen_ir::{Function, Module};
use hydrogen_statements::{Cause, disagreement};
use hydrogen_syntax::{MacroEnv, Names, Options};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

pub fn run(list: bool) -> Result<()> {
    let pool = statements::pool();
    let mut rows = Vec::new();
    for corpus in corpora::fetch_all()? {
        let mut functions = 0;
        let mut missing = 0;
        let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
        let known = Arc::new(headers(&corpus)?);
        for (file, module, _) in statements::models(&pool, &corpus)? {
            let defined = configuration(&corpus, &file)?;
            let name = file.strip_prefix(&corpus.folder).unwrap_or(&file).to_string_lossy().into_owned();
            let options = Options { defined: Some(defined), known: Some(Arc::clone(&known)) };
            let read = hydrogen_syntax::read(&name, &std::fs::read(&file)?, &options);
            for function in of_file(&module, &name) {
                functions += 1;
                let twin =
                    read.module.functions.iter().find(|one| one.name == function.name && one.is_defined());
                let Some(twin) = twin else {
                    missing += 1;
                    if list {
                        println!("{name}:{} {}: not found", function.line().unwrap_or(0), function.name);
                    }
                    continue;
                };
                if let Some(found) = disagreement(function, twin) {
                    *causes.entry(found.cause).or_default() += 1;
                    if list {
                        println!(
                            "{name}:{} {}: {}",
                            function.line().unwrap_or(0),
                            function.name,
                            found.cause
                        );
                        found.details.iter().take(8).for_each(|line| println!("    {line}"));
                    }
                }
            }
        }
        let differ: usize = causes.values().sum::<usize>() + missing;
        let share = 100.0 * (functions - differ) as f64 / functions.max(1) as f64;
        let mut reasons: Vec<String> =
            causes.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
        reasons.extend((missing > 0).then(|| format!("{missing} not found")));
        rows.push(vec![
            corpus.name.to_owned(),
            functions.to_string(),
            (functions - differ).to_string(),
            format!("{share:.2} %"),
            reasons.join(", "),
        ]);
    }
    table::print("agreement", &["program", "functions", "agree", "share", "causes of the rest"], &rows);
    Ok(())
}

/// The functions that the file itself defines.
fn of_file<'a>(module: &'a Module, name: &'a str) -> impl Iterator<Item = &'a Function> {
    let own = move |function: &&Function| function.file().is_some_and(|file| module.file(file) == name);
    module.definitions().map(|(_, function)| function).filter(own)
}

/// What the headers of a program say about names.
fn headers(corpus: &corpora::Corpus) -> Result<Names> {
    let mut names = Names::default();
    for entry in std::fs::read_dir(&corpus.folder)?.flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "h") {
            names.merge(hydrogen_syntax::names(&std::fs::read(entry.path())?));
        }
    }
    Ok(names)
}

/// The macros at the end of the unit: the configuration that compiled mode saw.
fn configuration(corpus: &corpora::Corpus, file: &Path) -> Result<MacroEnv> {
    let output = Command::new("clang-19")
        .args(corpus.flags)
        .args(["-dM", "-E", "-w"])
        .arg(file)
        .current_dir(&corpus.folder)
        .output()?;
    let mut defined = MacroEnv::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some(rest) = line.strip_prefix("#define ") else { continue };
        // A function-like macro's parameters belong to its name: `assert(x)`.
        let end = match (rest.find(' '), rest.find('('), rest.find(')')) {
            (space, Some(open), Some(close)) if space.is_none_or(|space| open < space) => close + 1,
            (space, ..) => space.unwrap_or(rest.len()),
        };
        defined.define(&rest[..end], Some(rest[end..].trim_start()));
    }
    Ok(defined)
}
