//! `hydrogen watch`: a review of the work tree after every edit.

use super::{keep, make, place};
use crate::cli::{FailOn, ReviewFormat, ReviewOptions, WatchOptions};
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Review;
use hydrogen_history::Repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const TICK: Duration = Duration::from_millis(100);
/// Folders are looked into so deep: links may lead anywhere.
const DEEPEST: usize = 24;

/// Reviews the work tree now, and again whenever a C file of it changes, at once: a review of what is no longer there is ended. What was
/// computed is kept, so that the next answer needs only what changed.
pub fn watch(context: &Context, options: &WatchOptions) -> Result<Outcome> {
    let repository = Repository::discover(context.here())?;
    let folder = repository.work_dir().context("this repository has no work tree to watch")?;
    let asked = ReviewOptions {
        tests: None,
        what: Some(format!("{}..worktree={}", options.base, folder.display())),
        budget: options.budget,
        baseline: None,
        releases: Vec::new(),
        fail_on: FailOn::default(),
        format: ReviewFormat::Text,
    };
    let mut seen = None;
    while !context.is_cancelled() {
        let now = stamps(&folder);
        if seen.as_ref() == Some(&now) {
            std::thread::sleep(TICK);
            continue;
        }
        match once(context, &asked, &folder, &now) {
            // While someone types, many a version is broken, and nobody waits for the answer about the one before.
            Err(error) if !matches!(error.downcast_ref(), Some(hydrogen_model::Error::Interrupted)) => {
                tracing::warn!("{error:#}");
            }
            _ => {}
        }
        seen = Some(now);
    }
    Ok(Outcome::Interrupted)
}

/// One review, until the files are no longer as they were. What is quick is shown at once, the rest when it is known.
fn once(context: &Context, asked: &ReviewOptions, folder: &Path, files: &Stamps) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let show = |review: &Review| context.output(&(hydrogen_report::review::text(review) + "\n"));
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let review = make(context, asked, BTreeSet::new(), &stop, &show)?;
            keep(&place(context)?, &review);
            show(&review)
        });
        while !work.is_finished() {
            std::thread::sleep(TICK);
            if context.is_cancelled() || stamps(folder) != *files {
                stop.store(true, Ordering::Relaxed);
            }
        }
        work.join().unwrap_or_else(|_| bail!("the review was lost, by a bug of ours"))
    })
}

type Stamps = BTreeMap<PathBuf, (SystemTime, u64)>;

/// The C files of a folder and when they were written.
fn stamps(folder: &Path) -> Stamps {
    let mut found = BTreeMap::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && !hidden && depth < DEEPEST {
                open.push((path, depth + 1));
            } else if kind.is_file()
                && path.extension().is_some_and(|end| end == "c" || end == "h")
                && let Ok(data) = entry.metadata()
            {
                let written = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.insert(path, (written, data.len()));
            }
        }
    }
    found
}
