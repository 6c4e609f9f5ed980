//! `hydrogen versions --files`: what each version consists of (F4, X1).

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::setup::{CFile, Files};
use hydrogen_model::sources::is_c;
use hydrogen_report::setup as report;
use std::collections::HashMap;

pub fn run(context: &Context, names: &[String], format: TableFormat) -> Result<Outcome> {
    let names = if names.is_empty() { &["HEAD".to_owned()][..] } else { names };
    // A file is counted once, however many versions have it.
    let mut known: HashMap<String, (usize, usize)> = HashMap::new();
    let mut found = Vec::new();
    for version in context.resolve(names)? {
        let files = context.trees.files(&version)?;
        let reader = context.trees.reader(&version)?;
        let mut c = Vec::new();
        for file in files.iter().filter(|file| is_c(file)) {
            let key = format!("{:?}", file.oid);
            let counts = match known.get(&key) {
                Some(counts) => *counts,
                None => *known.entry(key).or_insert(count(&reader.read(file)?)),
            };
            c.push(CFile { path: file.path.to_string(), lines: counts.0, filled: counts.1 });
        }
        found.push(Files { version: version.name, all: files.len(), c });
    }
    context.output(&match format {
        TableFormat::Text => report::files_text(&found),
        TableFormat::Json => report::files_json(&found),
    })?;
    Ok(Outcome::Done)
}

/// Lines, and those that are not blank.
fn count(content: &[u8]) -> (usize, usize) {
    let lines = content.split_inclusive(|&byte| byte == b'\n');
    let filled = lines.clone().filter(|line| !line.iter().all(u8::is_ascii_whitespace));
    (lines.clone().count(), filled.count())
}
