//! `hydrogen cache`.

use super::Outcome;
use crate::cli::{CacheAction, TableFormat};
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_history::cache::Stats;
use serde_json::json;

pub fn run(context: &Context, action: Option<CacheAction>) -> Result<Outcome> {
    let cache = context.cache()?;
    match action.unwrap_or(CacheAction::Show { format: TableFormat::Text }) {
        CacheAction::Show { format } => {
            let stats = cache.stats();
            context.output(&match format {
                TableFormat::Json => as_json(&stats),
                TableFormat::Text => as_text(&stats),
            })?;
        }
        CacheAction::Clear => {
            let total = cache.stats().total();
            cache.clear();
            for beside in ["checkouts", "explore", "include"] {
                let folder = context.cache_directory()?.join(beside);
                if folder.exists() {
                    std::fs::remove_dir_all(&folder)?;
                }
            }
            context.output(&format!("removed {} entries, {}\n", total.entries, bytes(total.bytes)))?;
        }
        CacheAction::Clean => {
            let before = cache.stats().total();
            cache.gc();
            let after = cache.stats().total();
            let freed = before.bytes.saturating_sub(after.bytes);
            context.output(&format!("freed {}; {} left\n", bytes(freed), bytes(after.bytes)))?;
        }
    }
    for warning in cache.take_warnings() {
        tracing::warn!("{warning}");
    }
    Ok(Outcome::Done)
}

fn as_json(stats: &Stats) -> String {
    let kinds: serde_json::Map<String, serde_json::Value> = stats
        .kinds
        .iter()
        .map(|(name, kind)| (name.clone(), json!({ "entries": kind.entries, "bytes": kind.bytes })))
        .collect();
    let total = stats.total();
    output::json(
        "cache/1",
        &json!({
            "directory": stats.directory.display().to_string(),
            "limit": stats.limit,
            "entries": total.entries,
            "bytes": total.bytes,
            "kinds": kinds,
        }),
    )
}

fn as_text(stats: &Stats) -> String {
    let mut rows = vec![vec!["kind".to_owned(), "entries".into(), "size".into()]];
    let row = |name: &str, entries: u64, size: u64| vec![name.to_owned(), entries.to_string(), bytes(size)];
    rows.extend(stats.kinds.iter().map(|(name, kind)| row(name, kind.entries, kind.bytes)));
    let total = stats.total();
    rows.push(row("total", total.entries, total.bytes));
    format!("{} (limit {})\n{}", stats.directory.display(), bytes(stats.limit), output::table(&rows))
}

/// A size for people.
fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", count as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", count as f64 / 1_073_741_824.0),
    }
}
