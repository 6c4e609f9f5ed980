//! What no output depends on and could fault: exploring by relevant slices does not look there.

use hydrogen_explore::{Exploration, Risk, risks};
use hydrogen_machine::{FrameInfo, Program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Warnings that are listed unasked.
const SHOWN: usize = 12;

/// The faults of a line, and the branch before it.
type Line<'r> = (Vec<String>, Option<&'r FrameInfo>);

pub struct Warnings(Vec<Risk>);

impl Warnings {
    pub fn new(program: &Program, found: &Exploration) -> Self {
        Self(risks(program, found))
    }

    pub fn text(&self, out: &mut String, all: bool) {
        // Several faults at one place are one line.
        let mut lines: BTreeMap<(&str, u32), Line<'_>> = BTreeMap::new();
        for risk in &self.0 {
            let key = (risk.place.file.as_str(), risk.place.line);
            let line = lines.entry(key).or_insert((Vec::new(), risk.behind.as_ref()));
            line.0.push(risk.kind.to_string());
        }
        if !lines.is_empty() {
            out.push('\n');
        }
        let shown = if all { usize::MAX } else { SHOWN };
        for ((file, line), (kinds, behind)) in lines.iter().take(shown) {
            let kinds = kinds.join(" or ");
            let why = match behind {
                Some(branch) => format!("and no run turned the branch at {}:{}", branch.file, branch.line),
                None => "while it depends on the input what happens there".to_owned(),
            };
            let _ =
                writeln!(out, "warning: {file}:{line}: {kinds} is possible; no output depends on it, {why}");
        }
        if lines.len() > shown {
            let _ = writeln!(out, "and {} more warnings; --all lists them", lines.len() - shown);
        }
        if !lines.is_empty() {
            let _ = writeln!(out, "what no output depends on is explored by --by path only");
        }
    }

    pub fn json(&self) -> Vec<Value> {
        let place = |place: &FrameInfo| json!({ "file": place.file, "line": place.line, "column": place.column, "function": place.function });
        let one = |risk: &Risk| {
            let mut value = place(&risk.place);
            value["fault"] = json!(risk.kind.name());
            value["executed"] = json!(risk.behind.is_none());
            value["branch"] = risk.behind.as_ref().map_or(Value::Null, place);
            value
        };
        self.0.iter().map(one).collect()
    }
}
