//! A few lines of source around a place.

use super::Sources;
use super::style::Looks;
use std::fmt::Write as _;

/// Lines shown before and after.
const AROUND: u32 = 1;

/// The lines around a line, the line itself marked; nothing where the source is not at hand.
pub(super) fn excerpt(sources: &dyn Sources, looks: Looks, version: &str, file: &str, line: u32) -> String {
    let Some(text) = sources.file(version, file).filter(|_| line > 0) else { return String::new() };
    let first = line.saturating_sub(AROUND).max(1);
    let last = line + AROUND;
    let width = last.to_string().len();
    let mut out = String::new();
    let lines = text.lines().zip(1u32..).filter(|(_, at)| (first..=last).contains(at));
    for (content, at) in lines {
        let content = content.trim_end().replace('\t', "    ");
        let here = at == line;
        let mark = if here { looks.bad(">") } else { " ".into() };
        let number = looks.dim(&format!("{at:width$} |"));
        let content = if here { looks.bold(&content) } else { content };
        let _ = writeln!(out, "{}", format!("  {mark} {number} {content}").trim_end());
    }
    out
}
