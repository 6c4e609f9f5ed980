//! What is in the cache.

use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::setup::{CacheSize, CacheState};
use serde_json::{Map, Value, json};

/// The cache as `cache/1`.
pub fn json(cache: &CacheState) -> String {
    let kinds: Map<String, Value> =
        cache.kinds.iter().map(|(name, size)| (name.clone(), json!(size))).collect();
    envelope::json(
        "cache/1",
        &json!({
            "directory": cache.directory,
            "limit": cache.limit,
            "entries": cache.total.entries,
            "bytes": cache.total.bytes,
            "kinds": kinds,
        }),
    )
}

/// The cache as a table.
pub fn text(cache: &CacheState) -> String {
    let mut rows = vec![vec!["kind".to_owned(), "entries".into(), "size".into()]];
    let row =
        |name: &str, size: &CacheSize| vec![name.to_owned(), size.entries.to_string(), bytes(size.bytes)];
    rows.extend(cache.kinds.iter().map(|(name, size)| row(name, size)));
    rows.push(row("total", &cache.total));
    format!("{} (limit {})\n{}", cache.directory, bytes(cache.limit), table(&rows))
}

/// That everything was removed.
pub fn removed(entries: u64, size: u64) -> String {
    format!("removed {entries} entries, {}\n", bytes(size))
}

/// That something was removed, and how much is left.
pub fn freed(size: u64, left: u64) -> String {
    format!("freed {}; {} left\n", bytes(size), bytes(left))
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
