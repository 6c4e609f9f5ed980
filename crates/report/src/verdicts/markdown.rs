//! An answer as Markdown, made for a comment on a change: a sentence, a table, and folded details.

use super::text::conclusion;
use super::words;
use crate::md::{code, escape, prose};
use hydrogen_evidence::{Answer, Basis, Command, Finding, Status, Verdict};
use std::fmt::Write as _;

/// Statements of a path that are shown.
const STEPS: usize = 12;

/// An answer as Markdown.
pub fn markdown(answer: &Answer) -> String {
    let mut out =
        format!("### `hydrogen {}` {}\n\n", answer.command.word(), escape(&answer.versions.join(", ")));
    if answer.findings.is_empty() {
        out.push_str("Nothing was found.\n\n");
    }
    for finding in &answer.findings {
        one(&mut out, answer, finding);
    }
    for note in &answer.remarks() {
        let _ = writeln!(out, "- {}", prose(note));
    }
    if answer.partial {
        out.push_str("- The budget ran out: what is not decided may be decidable.\n");
    }
    out
}

fn one(out: &mut String, answer: &Answer, finding: &Finding) {
    let place = &finding.location;
    let status = match finding.status.filter(|_| answer.command == Command::Check) {
        Some(Status::New) => "New: ",
        Some(Status::Fixed) => "Fixed: ",
        Some(Status::Unchanged) => "There before and after: ",
        Some(Status::Open) => "Not decided: ",
        None => "",
    };
    let _ = writeln!(out, "**{status}{}: {}**  ", finding.kind.word(), prose(&finding.message));
    let _ = writeln!(
        out,
        "{} in {} ({}): {}\n",
        code(&format!("{}:{}", place.file, place.line)),
        code(&format!("{}()", place.function)),
        escape(&finding.at_version),
        code(&words::cut(&place.text, 80))
    );
    if words::about_a_fix(answer) && answer.deciding().any(|one| one == finding) {
        let _ = writeln!(out, "{}\n", prose(&conclusion(answer, finding)));
    }
    let both = finding.verdicts.iter().any(|ruling| ruling.basis == Basis::Patch);
    out.push_str(if both {
        "| version | verdict | measured by |\n|---|---|---|\n"
    } else {
        "| version | verdict |\n|---|---|\n"
    });
    for ruling in &finding.verdicts {
        let by = if both { format!(" {} |", words::basis(ruling.basis)) } else { String::new() };
        let _ = writeln!(out, "| {} | {} |{by}", escape(&ruling.version), words::verdict(answer, ruling));
    }
    out.push('\n');
    let newest = finding.verdicts.iter().rev().find(|ruling| ruling.verdict == Verdict::Present);
    if let Some(ruling) = newest.filter(|ruling| !ruling.evidence.path.is_empty()) {
        let _ = writeln!(out, "<details><summary>Path in {}</summary>\n", escape(&ruling.version));
        let path = &ruling.evidence.path;
        let hidden = path.len().saturating_sub(STEPS);
        if hidden > 0 {
            let _ = writeln!(out, "1. … {hidden} more before");
        }
        for spot in &path[hidden..] {
            let _ = writeln!(
                out,
                "1. {} {}",
                code(&format!("{}:{}", spot.file, spot.line)),
                code(&words::cut(&spot.text, 80))
            );
        }
        if !ruling.evidence.constraint.is_empty() {
            let _ = writeln!(out, "\nwhen {}", code(&words::cut(&ruling.evidence.constraint, 300)));
        }
        out.push_str("\n</details>\n\n");
    }
    for question in words::questions(finding) {
        let _ = writeln!(out, "To decide it: {}\n", prose(&question));
    }
}
