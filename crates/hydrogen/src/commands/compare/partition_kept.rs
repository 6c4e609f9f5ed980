//! What was answered so far, in the cache: a comparison that was interrupted goes on from there.

use crate::cli::CompareOptions;
use crate::context::Context;
use hydrogen_evidence::Input;
use hydrogen_explore::Answered;
use hydrogen_partition::{Answers, Subject};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Comparisons that are kept.
const KEPT: usize = 32;

/// The answers of one comparison.
pub struct Kept {
    file: Option<fs::File>,
    known: Vec<Answered>,
}

impl Kept {
    /// Without a cache it works too; only going on later does not.
    pub fn open(context: &Context, key: String, fresh: bool) -> Self {
        let folder = context.kept("compare");
        let path = folder.map(|folder| folder.join(format!("{}.jsonl", &key[..32]))).ok();
        let known = match &path {
            Some(path) if !fresh => read(path).unwrap_or_default(),
            _ => Vec::new(),
        };
        let file = path.as_deref().and_then(|path| write(path, &known));
        if let Some(folder) = path.as_deref().and_then(Path::parent) {
            clean(folder);
        }
        Self { file, known }
    }

    /// The answers of earlier times.
    pub fn answers(&mut self) -> Answers {
        Answers::from_earlier(std::mem::take(&mut self.known))
    }

    pub fn append(&mut self, new: &[Answered]) {
        let Some(file) = &mut self.file else { return };
        let lines: Vec<String> = new.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
        if !lines.is_empty() && file.write_all(format!("{}\n", lines.join("\n")).as_bytes()).is_err() {
            self.file = None;
        }
    }
}

fn read(path: &Path) -> Option<Vec<Answered>> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().map_while(|line| serde_json::from_str(line).ok()).collect())
}

/// Written again as a whole: the last line may be broken.
fn write(path: &Path, known: &[Answered]) -> Option<fs::File> {
    let lines: Option<Vec<String>> = known.iter().map(|one| serde_json::to_string(one).ok()).collect();
    let text: String = lines?.into_iter().map(|line| line + "\n").collect();
    crate::output::write(Some(path), text.as_bytes()).ok()?;
    fs::OpenOptions::new().append(true).open(path).ok()
}

/// Removes comparisons of long ago.
fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut all: Vec<(std::time::SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    all.sort();
    for (_, path) in all.iter().rev().skip(KEPT) {
        let _ = fs::remove_file(path);
    }
}

/// Everything that decides which question is asked when, and what a run does.
pub fn key(
    programs: &[[u8; 32]],
    options: &CompareOptions,
    subject: &Subject<'_>,
    given: &[Input],
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |what: String| {
        hasher.update(&(what.len() as u64).to_le_bytes()).update(what.as_bytes());
    };
    // Another build of this tool may see other conditions.
    let own = std::env::current_exe().and_then(fs::metadata).ok();
    add(format!("{:?}", own.map(|own| (own.len(), own.modified().ok()))));
    add(format!("{programs:?} {:?}", subject.symbolic));
    add(format!("{:?} {:?} {:?}", subject.world.args, subject.world.environment, subject.undefined));
    add(format!("{:?} {given:?} {}", subject.renames, options.stop_on_difference));
    add(format!("{:?} {} {}", subject.observables, options.partition.by_reach, subject.limits.go_on));
    hasher.finalize().to_hex().to_string()
}
