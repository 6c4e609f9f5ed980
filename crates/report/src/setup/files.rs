//! What versions consist of.

use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::setup::Files;
use serde_json::json;

/// A row for each version; of one alone, its files too.
pub fn text(found: &[Files]) -> String {
    let mut rows = vec![["version", "files", "C files", "lines", "not blank"].map(str::to_owned).to_vec()];
    for files in found {
        let [lines, filled] = files.lines();
        let counts = [files.all, files.c.len(), lines, filled];
        rows.push([vec![files.version.clone()], counts.map(|it| it.to_string()).to_vec()].concat());
    }
    let mut out = table(&rows);
    if let [files] = found {
        let mut rows = vec![["file", "lines"].map(str::to_owned).to_vec()];
        rows.extend(files.c.iter().map(|file| vec![file.path.clone(), file.lines.to_string()]));
        out.push('\n');
        out.push_str(&table(&rows));
    }
    out
}

/// The versions as `files/1`.
pub fn json(found: &[Files]) -> String {
    let version = |files: &Files| {
        let [lines, filled] = files.lines();
        json!({ "version": files.version, "files": files.all, "lines": lines, "filled": filled, "c": files.c })
    };
    let versions: Vec<_> = found.iter().map(version).collect();
    envelope::json("files/1", &json!({ "versions": versions }))
}
