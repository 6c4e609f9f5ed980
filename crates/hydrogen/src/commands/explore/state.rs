//! What was answered so far, on disk: an exploration that ended early goes on from there.

use crate::cli::ExploreOptions;
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_explore::{Answered, Answers, Options, Search};
use hydrogen_machine::World;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// States of other explorations that are kept in the cache.
const KEPT: usize = 32;

type Line = ((usize, usize), Answered);

/// The state of an exploration.
pub struct State {
    path: PathBuf,
    file: Option<fs::File>,
    known: Vec<Line>,
    /// How many answers were there already.
    pub earlier: usize,
}

impl State {
    /// The state in the folder of the tests, or in the cache; empty when it is of something else.
    pub fn open(context: &Context, folder: Option<&Path>, key: String, fresh: bool) -> Result<Self> {
        let path = match folder {
            Some(folder) => folder.join("state.jsonl"),
            None => context.kept("explore")?.join(format!("{}.jsonl", &key[..32])),
        };
        let known = if fresh { Vec::new() } else { read(&path, &key).unwrap_or_default() };
        // Written again as a whole: the last line may be broken.
        let file = write(&path, &key, &known);
        let file = match (file, folder) {
            (Ok(file), _) => Some(file),
            (Err(error), Some(_)) => return Err(error),
            // Without a cache it works too; only going on later does not.
            (Err(_), None) => None,
        };
        if folder.is_none() {
            clean(&path);
        }
        Ok(Self { path, file, earlier: known.len(), known })
    }

    /// The answers of earlier times.
    pub fn answers(&mut self) -> Answers {
        Answers::from_earlier(std::mem::take(&mut self.known))
    }

    pub fn append(&mut self, lines: Vec<Line>) -> Result<()> {
        let (Some(file), false) = (&mut self.file, lines.is_empty()) else { return Ok(()) };
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

fn read(path: &Path, key: &str) -> Option<Vec<Line>> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let first: String = serde_json::from_str(lines.next()?).ok()?;
    (first == key).then(|| lines.map_while(|line| serde_json::from_str(line).ok()).collect())
}

fn write(path: &Path, key: &str, known: &[Line]) -> Result<fs::File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    let mut text = serde_json::to_string(key)?;
    text.push('\n');
    for line in known {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    let (folder, name) = (path.parent().unwrap_or(Path::new(".")), path.file_name().unwrap_or_default());
    crate::output::into(folder, name, &text).with_context(|| format!("cannot write {}", path.display()))?;
    fs::OpenOptions::new().append(true).open(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes states of long ago.
fn clean(path: &Path) {
    let Some(entries) = path.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    let mut states: Vec<(std::time::SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    states.sort();
    for (_, path) in states.iter().rev().skip(KEPT) {
        let _ = fs::remove_file(path);
    }
}

/// Everything that decides which question is asked when, and what a run does.
pub fn key(program: &[u8; 32], options: &ExploreOptions, how: &Options, world: &World) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |what: String| {
        hasher.update(&(what.len() as u64).to_le_bytes()).update(what.as_bytes());
    };
    // Another build of this tool may see other conditions.
    let own = std::env::current_exe().and_then(fs::metadata).ok();
    add(format!("{:?}", own.map(|own| (own.len(), own.modified().ok()))));
    add(format!("{program:?}"));
    add(format!("{:?}", how.symbolic));
    add(format!("{:?} {:?} {:?}", world.args, world.environment, world.stdin()));
    let search = match &how.search {
        Search::Depth => "depth",
        Search::Generational => "generational",
        Search::Directed(_) => options.search.as_str(),
    };
    add(format!("{search} {} {} {}", how.faults, how.summaries, options.program.entry));
    add(format!("{} {:?}", options.by == crate::cli::By::Rsc, options.of));
    let limits = &how.limits;
    add(format!("{} {} {} {}", limits.steps, limits.memory, limits.stack, limits.output));
    add(format!("{:?} {:?}", options.program.clock, how.solver_limits));
    for map in &options.program.map {
        add(map.clone());
        let folder = map.rsplit_once(':').map_or(map.as_str(), |(folder, _)| folder);
        let mut work = vec![PathBuf::from(folder)];
        while let Some(folder) = work.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                let known = fs::metadata(&path).ok().map(|one| (one.len(), one.modified().ok()));
                add(format!("{} {known:?}", path.display()));
                if path.is_dir() && !path.is_symlink() {
                    work.push(path);
                }
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}
