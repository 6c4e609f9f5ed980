//! `hydrogen versions --files`: what each version consists of (F4, X1).

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_model::sources::is_c;
use serde_json::json;
use std::collections::HashMap;

/// The files of a version.
struct Files {
    version: String,
    /// All of them, whatever they are.
    all: usize,
    /// C files with their lines and how many of these are not blank.
    c: Vec<(String, usize, usize)>,
}

impl Files {
    fn lines(&self) -> [usize; 2] {
        self.c.iter().fold([0, 0], |[lines, filled], file| [lines + file.1, filled + file.2])
    }
}

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
            c.push((file.path.to_string(), counts.0, counts.1));
        }
        found.push(Files { version: version.name, all: files.len(), c });
    }
    context.output(&match format {
        TableFormat::Text => as_text(&found),
        TableFormat::Json => as_json(&found),
    })?;
    Ok(Outcome::Done)
}

/// Lines, and those that are not blank.
fn count(content: &[u8]) -> (usize, usize) {
    let lines = content.split_inclusive(|&byte| byte == b'\n');
    let filled = lines.clone().filter(|line| !line.iter().all(u8::is_ascii_whitespace));
    (lines.clone().count(), filled.count())
}

fn as_text(found: &[Files]) -> String {
    let mut rows = vec![["version", "files", "C files", "lines", "not blank"].map(str::to_owned).to_vec()];
    for files in found {
        let [lines, filled] = files.lines();
        let counts = [files.all, files.c.len(), lines, filled];
        rows.push([vec![files.version.clone()], counts.map(|it| it.to_string()).to_vec()].concat());
    }
    let mut out = output::table(&rows);
    if let [files] = found {
        let mut rows = vec![["file", "lines"].map(str::to_owned).to_vec()];
        rows.extend(files.c.iter().map(|(path, lines, _)| vec![path.clone(), lines.to_string()]));
        out.push('\n');
        out.push_str(&output::table(&rows));
    }
    out
}

fn as_json(found: &[Files]) -> String {
    let version = |files: &Files| {
        let [lines, filled] = files.lines();
        let c = files.c.iter();
        let c = c.map(|(path, lines, filled)| json!({ "path": path, "lines": lines, "filled": filled }));
        let c: Vec<_> = c.collect();
        json!({ "version": files.version, "files": files.all, "lines": lines, "filled": filled, "c": c })
    };
    let versions: Vec<_> = found.iter().map(version).collect();
    output::json("files/1", &json!({ "versions": versions }))
}
