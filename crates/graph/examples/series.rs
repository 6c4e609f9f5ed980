//! Builds the graph of a series of directories of C files in build-free mode, checks it and says what it cost.
//!
//! `cargo run --release -p hydrogen-graph --example series -- DIR1 DIR2 …`

use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let start = Instant::now();
    let versions: Vec<(String, Vec<Module>)> =
        folders.iter().map(|folder| read(folder)).collect::<Result<_, _>>()?;
    say("read C", start.elapsed());

    let start = Instant::now();
    let inputs = inputs(&versions, versions.len());
    say("hash", start.elapsed());
    let functions: Vec<usize> = inputs.iter().map(|input| input.functions.len()).collect();
    let pieces: usize = versions
        .iter()
        .flat_map(|(_, modules)| modules)
        .flat_map(|module| &module.functions)
        .map(|f| f.pieces.len())
        .sum();
    eprintln!("functions {functions:?}, pieces {pieces}");

    let mut graph = Graph::new();
    let all = Instant::now();
    for input in inputs {
        let start = Instant::now();
        graph.add(input)?;
        let sizes = graph.sizes();
        eprintln!("  + {:?} -> {} nodes, {} edges", start.elapsed(), sizes.nodes, sizes.edges);
    }
    let built = all.elapsed();
    say("build all", built);

    // One more version in which one function changed.
    if let Some((name, modules)) = versions.last() {
        let mut modules = modules.clone();
        let function =
            modules.iter_mut().flat_map(|module| &mut module.functions).max_by_key(|f| f.pieces.len());
        if let Some(piece) = function.and_then(|function| function.pieces.last_mut()) {
            piece.text.push_str(" + 1");
        }
        let parents: Vec<VersionId> = graph.newest().into_iter().collect();
        let mut one = Duration::MAX;
        for _ in 0..7 {
            let info =
                VersionInfo { name: format!("{name}+1"), parents: parents.clone(), ..VersionInfo::default() };
            let input = VersionInput::from_modules(info, &modules);
            let mut extended = graph.clone();
            let start = Instant::now();
            extended.add(input)?;
            one = one.min(start.elapsed());
        }
        say("add one with one changed function", one);
        eprintln!("  ratio {:.2} %", 100.0 * one.as_secs_f64() / built.as_secs_f64());
    }

    let start = Instant::now();
    let bytes = graph.save();
    say("save", start.elapsed());
    let start = Instant::now();
    let loaded = Graph::load(&bytes)?;
    say("load", start.elapsed());
    assert_eq!(loaded.save(), bytes, "INV-19");
    eprintln!("file: {} bytes", bytes.len());
    let start = Instant::now();
    let json = graph.to_json(&hydrogen_graph::JsonOptions { compact: true, ..Default::default() });
    say("json", start.elapsed());
    eprintln!("json: {} bytes, text: {} bytes", json.len(), graph.to_text().len());

    let start = Instant::now();
    let checked = graph.check(&self::inputs(&versions, versions.len()));
    say("check", start.elapsed());
    if let Err(violations) = &checked {
        for violation in violations.iter().take(20) {
            eprintln!("{violation}");
        }
        return Err(format!("{} violations", violations.len()).into());
    }
    eprintln!("{:#?}", graph.sizes());
    let mut renamed = 0;
    for (at, info) in graph.versions().iter().enumerate().skip(1) {
        let stats = graph.step_stats(VersionId::at(at - 1), VersionId::at(at));
        renamed += stats.renamed;
        eprintln!(
            "{}: M {} D {} A_I {} A_M {} renamed {} S {:.2} %",
            info.name,
            stats.modified,
            stats.deleted,
            stats.added_calling,
            stats.added_leaf,
            stats.renamed,
            100.0 * stats.reused
        );
    }
    eprintln!("renamed in all: {renamed}, fingerprint size {}", size_of::<hydrogen_ir::Fingerprint>());
    Ok(())
}

fn say(what: &str, time: Duration) {
    eprintln!("{what}: {:.1} ms", time.as_secs_f64() * 1e3);
}

fn inputs(versions: &[(String, Vec<Module>)], count: usize) -> Vec<VersionInput<'_>> {
    let version = |(at, (name, modules)): (usize, &'_ (String, Vec<Module>))| {
        let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
        (VersionInfo { name: name.clone(), parents, ..VersionInfo::default() }, modules.len())
    };
    let infos: Vec<VersionInfo> =
        versions.iter().take(count).enumerate().map(version).map(|(info, _)| info).collect();
    infos
        .into_iter()
        .zip(versions)
        .map(|(info, (_, modules))| VersionInput::from_modules(info, modules))
        .collect()
}

fn read(folder: &Path) -> std::io::Result<(String, Vec<Module>)> {
    let mut files = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(next) = work.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c" || extension == "h") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut modules = Vec::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        modules.push(
            hydrogen_syntax::read(&name, &std::fs::read(&path)?, &hydrogen_syntax::Options::default()).module,
        );
    }
    Ok((folder.to_string_lossy().into_owned(), modules))
}
