//! `hydrogen review [A..B]`: what a change did, on one screen.
//!
//! The other commands answer; this one asks them, each in a process of its own, so that none of them can spoil the answer of another:
//! one that takes too long is ended, one that fails is named, and what is known then is told.

mod ask;
mod does;
mod range;
mod read;
mod watch;

pub use ask::{Asker, Part};
pub use watch::watch;

use super::Outcome;
use crate::cli::{FailOn, ReviewFormat, ReviewOptions};
use crate::context::Context;
use crate::output;
use anyhow::{Context as _, Result, bail};
use does::Does;
use hydrogen_evidence::{Review, Topic, Weight};
use hydrogen_report::review;
use range::Range;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The form of a review as JSON.
const SCHEMA: &str = "review/1";
/// Findings whose releases are looked for.
const LOOKED_FOR: usize = 2;

pub fn run(context: &Context, options: &ReviewOptions) -> Result<Outcome> {
    let known = match &options.baseline {
        Some(path) => ids(&context.path(path))?,
        None => BTreeSet::new(),
    };
    let place = place(context)?;
    let cancel = context.cancel_flag();
    // What is known at once is shown at once, to whoever waits in front of a terminal.
    let waits = matches!(options.format, ReviewFormat::Text)
        && !context.is_quiet()
        && std::io::stderr().is_terminal();
    let review = make(context, options, known, &cancel, &|so_far| {
        if waits && so_far.topics() == [Topic::Does] {
            eprintln!("{}\n(so far; proofs and runs follow)", output::shown(&review::text(so_far), false));
        }
        Ok(())
    })?;
    keep(&place, &review);
    context.output(&match options.format {
        ReviewFormat::Text => review::text(&review),
        ReviewFormat::Json => output::json(SCHEMA, &serde_json::to_value(&review)?),
        ReviewFormat::Sarif => output::pretty(&review::sarif(&review)),
        ReviewFormat::Md => review::markdown(&review),
        ReviewFormat::Html => review::page(&review),
    })?;
    let finds = match options.fail_on {
        FailOn::Nothing => false,
        FailOn::Faults => review.fails(),
        FailOn::Differs => review.differs(),
    };
    Ok(if finds {
        Outcome::Findings
    } else if options.fail_on != FailOn::Nothing && review.is_partial() {
        Outcome::Undecided
    } else {
        Outcome::Done
    })
}

/// Asks all parts and puts their answers together. What is quick is told before the rest is asked for.
fn make(
    context: &Context,
    options: &ReviewOptions,
    known: BTreeSet<String>,
    cancel: &Arc<AtomicBool>,
    tell: &dyn Fn(&Review) -> Result<()>,
) -> Result<Review> {
    let deadline = Instant::now() + options.budget;
    let range = Range::find(context, options.what.as_deref())?;
    let asker = Asker::new(context, deadline, cancel)?;
    let mut review =
        Review { old: range.old.clone(), new: range.new.clone(), items: Vec::new(), gaps: Vec::new() };
    // What is quick comes first; then those that need solvers, side by side.
    let mut slow = range.slow();
    if let Some(tests) = &options.tests {
        slow.push(range.select(&context.path(tests).display().to_string()));
    }
    // What each hunk does comes first of all: it depends on the hunks alone.
    let does = match Does::of(context, &range, cancel) {
        Ok(does) => {
            review.items.extend(does.items.iter().cloned());
            Some(does)
        }
        Err(error) => {
            let part = format!("hydrogen delta {}..{}", range.old, range.new);
            review.gaps.push(hydrogen_evidence::Gap { part, why: format!("{error:#}") });
            None
        }
    };
    if !cancel.load(Ordering::Relaxed) {
        tell(&review)?;
    }
    for (part, answer) in asker.ask(&range.quick()) {
        take(&mut review, &part, answer);
    }
    if !cancel.load(Ordering::Relaxed) {
        tell(&review)?;
    }
    for (part, answer) in asker.ask(&slow) {
        take(&mut review, &part, answer);
    }
    review.items.extend(read::tests_to_add(&range.tests(), &review));
    if range.is_of_commits() {
        releases(context, options, &range, &asker, &mut review);
    }
    if cancel.load(Ordering::Relaxed) {
        bail!(hydrogen_model::Error::Interrupted);
    }
    for item in &mut review.items {
        item.known = known.contains(&item.id);
    }
    if let Some(does) = &does {
        does.settle(&mut review);
    }
    review.settle();
    review.sort();
    Ok(review)
}

fn take(review: &mut Review, part: &Part, answer: Result<serde_json::Value, String>) {
    match answer {
        Ok(value) => read::items(part, &value, review),
        Err(why) => review.gaps.push(hydrogen_evidence::Gap { part: part.shown(), why }),
    }
}

/// For what the change fixed: which releases have it.
fn releases(
    context: &Context,
    options: &ReviewOptions,
    range: &Range,
    asker: &Asker<'_>,
    review: &mut Review,
) {
    let fixed: Vec<(String, u32)> = review
        .of(Topic::Faults)
        .filter(|item| item.weight == Weight::Notice)
        .filter_map(|item| Some((item.file.clone()?, item.line?)))
        .take(LOOKED_FOR)
        .collect();
    if fixed.is_empty() {
        return;
    }
    let names =
        if options.releases.is_empty() { range::newest_tags(context) } else { options.releases.clone() };
    if names.is_empty() {
        return;
    }
    let parts: Vec<Part> = fixed.iter().map(|(file, line)| range.impact(file, *line, &names)).collect();
    for (part, answer) in asker.ask(&parts) {
        take(review, &part, answer);
    }
}

/// The ids of a review that was written as JSON.
fn ids(path: &Path) -> Result<BTreeSet<String>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let review: Review = serde_json::from_slice(&text)
        .with_context(|| format!("{} is no review that was written with --format json", path.display()))?;
    Ok(review.items.into_iter().map(|item| item.id).collect())
}

/// Where the last review of this folder is kept.
fn place(context: &Context) -> Result<PathBuf> {
    let name = blake3::hash(context.here().as_os_str().as_encoded_bytes()).to_hex();
    Ok(context.kept("reviews")?.join(format!("{}.json", &name[..16])))
}

/// Keeps a review, for `explain`. A cache that cannot be written to costs only that.
fn keep(place: &Path, review: &Review) {
    let text = serde_json::to_vec(review).map_err(anyhow::Error::from);
    let kept = text.and_then(|text| output::write(Some(place), &text));
    if let Err(error) = kept {
        tracing::warn!("the review is not kept, `hydrogen explain` will not know it: {error:#}");
    }
}

/// `hydrogen explain ID`: all about one item of the last review in this folder.
pub fn explain(context: &Context, id: &str) -> Result<Outcome> {
    let nothing = "there is no review of this folder yet: run `hydrogen review` first";
    let place = place(context)?;
    let text = std::fs::read(place).context(nothing)?;
    let last: Review = serde_json::from_slice(&text).context(nothing)?;
    let found: Vec<_> = last.items.iter().filter(|item| item.id.starts_with(id)).collect();
    match found.as_slice() {
        [item] => context.output(&review::explained(&last, item))?,
        [] => bail!("the last review ({} → {}) has no item `{id}`", last.old, last.new),
        _ => bail!("`{id}` is the beginning of several ids"),
    }
    Ok(Outcome::Done)
}
