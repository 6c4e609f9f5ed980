//! `hydrogen cache`.

use super::Outcome;
use crate::cli::{CacheAction, TableFormat};
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::setup::{CacheSize, CacheState};
use hydrogen_history::cache::Stats;
use hydrogen_report::setup as report;

pub fn run(context: &Context, action: Option<CacheAction>) -> Result<Outcome> {
    let cache = context.cache()?;
    match action.unwrap_or(CacheAction::Show { format: TableFormat::Text }) {
        CacheAction::Show { format } => {
            let stats = told(&cache.stats());
            context.output(&match format {
                TableFormat::Json => report::cache_json(&stats),
                TableFormat::Text => report::cache_text(&stats),
            })?;
        }
        CacheAction::Clear => {
            let total = cache.stats().total();
            cache.clear();
            for beside in ["checkouts", "compare", "explore", "include", "reviews"] {
                match std::fs::remove_dir_all(context.kept(beside)?) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                    _ => {}
                }
            }
            context.output(&report::removed(total.entries, total.bytes))?;
        }
        CacheAction::Clean => {
            let before = cache.stats().total();
            cache.gc();
            let after = cache.stats().total();
            let freed = before.bytes.saturating_sub(after.bytes);
            context.output(&report::freed(freed, after.bytes))?;
        }
    }
    for warning in cache.take_warnings() {
        tracing::warn!("{warning}");
    }
    Ok(Outcome::Done)
}

fn told(stats: &Stats) -> CacheState {
    let kinds = stats.kinds.iter().map(|(name, kind)| (name.clone(), size(kind.entries, kind.bytes)));
    let total = stats.total();
    CacheState {
        directory: stats.directory.display().to_string(),
        limit: stats.limit,
        kinds: kinds.collect(),
        total: size(total.entries, total.bytes),
    }
}

fn size(entries: u64, bytes: u64) -> CacheSize {
    CacheSize { entries, bytes }
}
