//! What no output depends on and could fault: exploring by relevant slices does not look there.

use hydrogen_evidence::FrameInfo;
use hydrogen_evidence::explored::Warning;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Warnings that are listed unasked.
const SHOWN: usize = 12;

/// The faults of a line, and the branch before it.
type Line<'r> = (Vec<String>, Option<&'r FrameInfo>);

pub(super) fn text(out: &mut String, warnings: &[Warning], all: bool) {
    // Several faults at one place are one line.
    let mut lines: BTreeMap<(&str, u32), Line<'_>> = BTreeMap::new();
    for warning in warnings {
        let key = (warning.place.file.as_str(), warning.place.line);
        let line = lines.entry(key).or_insert((Vec::new(), warning.behind.as_ref()));
        line.0.push(warning.kind.to_string());
    }
    if lines.is_empty() {
        return;
    }
    out.push('\n');
    let shown = if all { usize::MAX } else { SHOWN };
    for ((file, line), (kinds, behind)) in lines.iter().take(shown) {
        let kinds = kinds.join(" or ");
        let why = match behind {
            Some(branch) => format!("and no run turned the branch at {}:{}", branch.file, branch.line),
            None => "while it depends on the input what happens there".to_owned(),
        };
        let _ = writeln!(out, "warning: {file}:{line}: {kinds} is possible; no output depends on it, {why}");
    }
    if lines.len() > shown {
        let _ = writeln!(out, "and {} more warnings; --all lists them", lines.len() - shown);
    }
    let _ = writeln!(out, "what no output depends on is explored by --by path only");
}

pub(super) fn json(warnings: &[Warning]) -> Vec<Value> {
    let place = |place: &FrameInfo| json!({ "file": place.file, "line": place.line, "column": place.column, "function": place.function });
    let one = |warning: &Warning| {
        let mut value = place(&warning.place);
        value["fault"] = json!(warning.kind.name());
        value["executed"] = json!(warning.behind.is_none());
        value["branch"] = warning.behind.as_ref().map_or(Value::Null, place);
        value
    };
    warnings.iter().map(one).collect()
}
