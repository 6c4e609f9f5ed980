//! A slice for people and for programs.

use super::explanation;
use super::listing::Sources;
use crate::cli::SliceKind;
use hydrogen_explore::Explanation;
use hydrogen_machine::{End, FuncId, Program};
use hydrogen_trace::Line;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub struct Report<'a> {
    pub lines: BTreeMap<(String, u32), Line>,
    pub program: &'a Program,
    pub kind: SliceKind,
    pub criterion: String,
    pub end: &'a End,
    pub executed: u64,
    pub sliced: u64,
    pub precise: bool,
    pub explanation: Option<Explanation>,
}

impl Report<'_> {
    fn kind(&self) -> &'static str {
        match self.kind {
            SliceKind::Dynamic => "dynamic",
            SliceKind::Relevant => "relevant",
        }
    }

    fn sliced_lines(&self) -> usize {
        self.lines.values().filter(|line| line.sliced > 0).count()
    }

    pub fn text(&self, sources: &Sources, colour: bool) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{} slice of {}: {} of {} executed instructions, {} of {} executed lines",
            self.kind(),
            self.criterion,
            self.sliced,
            self.executed,
            self.sliced_lines(),
            self.lines.len()
        );
        match self.end {
            End::Limit(limit, _) => {
                let _ = writeln!(out, "the run was stopped before its end: {limit}");
            }
            End::Fault(fault) if !self.criterion.starts_with("the fault") => {
                let _ = writeln!(out, "the run ended with a fault: {}: {}", fault.kind, fault.message);
            }
            _ => {}
        }
        if let Some(explanation) = &self.explanation {
            out.push('\n');
            out.push_str(&explanation::text(self.program, explanation));
            return out;
        }
        let _ = writeln!(out, "* in the slice   . executed   (nothing) not executed");
        let mut last = String::new();
        let mut shown = BTreeSet::new();
        for (file, from, to) in functions(self.program, &self.lines) {
            let text = sources.lines(&file);
            if file != last {
                let note = if text.is_none() { " (its text is not here)" } else { "" };
                let _ = writeln!(out, "\n{file}{note}");
            } else {
                let _ = writeln!(out, "     ⋮");
            }
            for number in from..=to {
                shown.insert((file.clone(), number));
                let line = text.as_ref().and_then(|text| text.get(number as usize - 1));
                self.line(&mut out, &file, number, line.map_or("", String::as_str), colour);
            }
            last = file;
        }
        // Lines outside of the listed functions: macros and included code.
        let others = self.lines.iter().filter(|(at, line)| line.sliced > 0 && !shown.contains(*at));
        for ((file, number), _) in others {
            let _ = writeln!(out, "* {file}:{number}");
        }
        out
    }

    fn line(&self, out: &mut String, file: &str, number: u32, text: &str, colour: bool) {
        let counted = self.lines.get(&(file.to_owned(), number));
        let (mark, style) = match counted {
            Some(line) if line.sliced > 0 => ('*', "\x1b[1;32m"),
            Some(_) => ('.', ""),
            None => (' ', "\x1b[2m"),
        };
        let line = format!("{number:6} {mark} {text}");
        let line = line.trim_end();
        let _ = match colour && !style.is_empty() {
            true => writeln!(out, "{style}{line}\x1b[0m"),
            false => writeln!(out, "{line}"),
        };
    }

    pub fn json(&self) -> String {
        let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for ((file, line), count) in &self.lines {
            let value = json!({ "line": line, "executed": count.executed, "sliced": count.sliced });
            files.entry(file).or_default().push(value);
        }
        let files: Vec<Value> =
            files.into_iter().map(|(file, lines)| json!({ "file": file, "lines": lines })).collect();
        let end = match self.end {
            End::Exit(status) => json!({ "kind": "exit", "status": status }),
            End::Signal(signal) => json!({ "kind": "signal", "signal": signal }),
            End::Fault(fault) => {
                json!({ "kind": "fault", "fault": fault.kind.name(), "message": fault.message })
            }
            End::Limit(limit, _) => json!({ "kind": "limit", "limit": limit.to_string() }),
            End::Unresolved(name, _) => json!({ "kind": "unresolved", "symbol": name }),
            End::Assumption(_) => json!({ "kind": "assumption" }),
            End::Unsupported(what, _) => json!({ "kind": "unsupported", "what": what }),
        };
        crate::output::json(
            "slice/1",
            &json!({
                "criterion": self.criterion,
                "kind": self.kind(),
                "end": end,
                "instructions": { "executed": self.executed, "sliced": self.sliced },
                "precise": self.precise,
                "files": files,
                "explanation": self.explanation.as_ref().map(|one| explanation::json(self.program, one)),
            }),
        )
    }
}

/// The functions that have lines in the slice: file, first and last line.
pub fn functions(program: &Program, lines: &BTreeMap<(String, u32), Line>) -> BTreeSet<(String, u32, u32)> {
    let mut found = BTreeSet::new();
    for id in (0..program.function_count() as u32).map(FuncId) {
        let Some((module, function)) = program.model(id) else { continue };
        let Some(span) = function.span else { continue };
        let file = module.file(span.file).to_owned();
        let range = (file.clone(), span.start.line)..=(file.clone(), span.end.line);
        if lines.range(range).any(|(_, line)| line.sliced > 0) {
            found.insert((file, span.start.line, span.end.line));
        }
    }
    found
}
