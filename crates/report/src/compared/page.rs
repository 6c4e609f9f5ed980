//! What `compare` says, as Markdown for a pull request and as a page.

use super::text::{counts, ledger, method, native, reasons, whole_words};
use hydrogen_evidence::compared::{Compared, Function, Word};
use std::fmt::Write;

/// The comparison for a pull request.
pub fn markdown(all: &Compared<'_>) -> String {
    let [equal, differs, open] = counts(all);
    let mut out = format!(
        "### {} → {}: {equal} equal, {differs} differ, {open} open\n\n",
        code(all.old.name),
        code(all.new.name)
    );
    if !all.functions.is_empty() {
        out += "| function | verdict | why |\n|---|---|---|\n";
    }
    for row in &all.functions {
        let _ = writeln!(
            out,
            "| {} {} | **{}** | {} |",
            code(row.name),
            cell(row.place),
            row.word().text(),
            why(row).iter().map(|line| cell(line)).collect::<Vec<_>>().join("<br>")
        );
        // One table row per function; the words of a difference are its lines.
    }
    for line in rest(all) {
        let _ = writeln!(out, "\n- {}", cell(&line));
    }
    out
}

/// The comparison as a page of its own.
pub fn html(all: &Compared<'_>) -> String {
    let [equal, differs, open] = counts(all);
    let title = format!("{} → {}", all.old.name, all.new.name);
    let mut body = format!(
        "<h1>{}</h1><p>{equal} equal, {differs} differ, {open} open</p><div class=\"bar\">",
        escaped(&title)
    );
    for (count, class) in [(equal, "equal"), (differs, "differs"), (open, "open")] {
        if count > 0 {
            let _ = write!(body, "<span class=\"{class}\" style=\"flex:{count}\">{count} {class}</span>");
        }
    }
    body += "</div>";
    for row in &all.functions {
        let class = row.word().text();
        let shown = if row.word() == Word::Differs { " open" } else { "" };
        let _ = write!(
            body,
            "<details class=\"{class}\"{shown}><summary><b>{}</b> <code>{}</code> {class}</summary><ul>",
            escaped(row.name),
            escaped(row.place)
        );
        for line in why(row) {
            let _ = write!(body, "<li>{}</li>", escaped(&line));
        }
        if let Some(shown) = row.difference {
            for (side, test) in [all.old.name, all.new.name].into_iter().zip(&shown.tests) {
                let _ = write!(
                    body,
                    "<li><details><summary>test in C of {}</summary><pre>{}</pre></details></li>",
                    escaped(side),
                    escaped(test)
                );
            }
        }
        body += "</ul></details>";
    }
    body += "<ul>";
    for line in rest(all) {
        let _ = write!(body, "<li>{}</li>", escaped(&line));
    }
    body += "</ul>";
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
        escaped(&title)
    )
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
.bar{display:flex;color:#fff}.bar span{padding:.2em .6em}.bar .equal{background:#2a7d46}.bar .differs{background:#b3261e}.bar .open{background:#6b6b6b}\
details{margin:.4em 0;padding-left:.6em;border-left:4px solid #6b6b6b}details.equal{border-color:#2a7d46}details.differs{border-color:#b3261e}\
details details{border:0}pre{overflow:auto;background:#f4f4f4;padding:1em}";

/// The lines that say why.
fn why(row: &Function<'_>) -> Vec<String> {
    match (&row.proof, row.difference) {
        (_, Some(shown)) => vec![
            shown.input.clone(),
            format!("before: {}", shown.old),
            format!("after: {}", shown.new),
            native(&shown.native),
        ]
        .into_iter()
        .chain(row.reach.map(str::to_owned))
        .collect(),
        (Some(proof), None) => vec![format!("proved: {}", method(proof))],
        _ => reasons(row),
    }
}

/// What is said below the functions.
fn rest(all: &Compared<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for (names, side) in [(all.removed, &all.old), (all.added, &all.new)] {
        if !names.is_empty() {
            lines.push(format!("only in {}: {}", side.name, names.join(", ")));
        }
    }
    if !all.variables.is_empty() {
        lines.push(format!("variables that begin with other values: {}", all.variables.join(", ")));
    }
    lines.extend(all.whole.map(whole_words));
    lines.extend(ledger(all).into_iter().map(|line| format!("assumed: {line}")));
    for side in [&all.old, &all.new] {
        lines.extend(side.missing.iter().map(|missing| format!("not read in {}: {missing}", side.name)));
    }
    lines
}

fn code(text: &str) -> String {
    // A bar ends the cell of a table, also in code.
    crate::md::code(text).replace('|', "\\|")
}

/// A text inside of a table: nothing in it ends the cell or is markup.
fn cell(text: &str) -> String {
    crate::md::escape(text)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
