//! From an answer to what the user sees, and to the exit code.

use super::sources::VersionSources;
use crate::cli::VerdictFormat;
use crate::commands::Outcome;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_history::version::Version;
use hydrogen_query::{Answer, Finding, PatchTable, Status, Verdict};
use hydrogen_report::verdicts::{self, Comparison, Looks};

/// Writes the answer in the format asked for.
pub fn finish(
    context: &Context,
    answer: &Answer,
    documented: Option<&Comparison>,
    versions: &[Version],
    format: VerdictFormat,
) -> Result<Outcome> {
    context.output(&match format {
        VerdictFormat::Json => output::json(&verdicts::json(answer, documented)),
        VerdictFormat::Sarif => output::json(&verdicts::sarif(answer)),
        VerdictFormat::Text => {
            let looks = Looks { colour: context.wants_colour() };
            verdicts::text(answer, documented, &VersionSources { context, versions }, looks)
        }
    })?;
    Ok(outcome(answer))
}

/// Whether a release has the fault although it could be patched, or because it could not; and whether that is open.
fn patched(answer: &Answer, table: &PatchTable) -> (bool, bool) {
    let (mut found, mut open) = (false, false);
    for finding in &answer.findings {
        let settled = finding.settled();
        let of =
            |name: &str| settled.iter().find(|(version, _)| *version == name).map(|(_, verdict)| *verdict);
        for pair in &table.releases {
            match (of(&pair.release), of(&pair.patched)) {
                (_, Some(Verdict::Fixed | Verdict::Absent)) => {}
                (_, Some(Verdict::Present)) => found = true,
                (Some(Verdict::Absent | Verdict::Fixed | Verdict::NotApplicable), _) => {}
                (Some(Verdict::Present), Some(Verdict::NotApplicable)) => found = true,
                _ => open = true,
            }
        }
    }
    (found, open)
}

/// What the tool exits with: findings count more than what could not be decided.
pub fn outcome(answer: &Answer) -> Outcome {
    let asked = |finding: &Finding| -> Vec<Verdict> {
        let mut settled = finding.settled().into_iter().map(|(_, verdict)| verdict);
        match answer.command.as_str() {
            // The version after the fix decides; a statement that is gone is no proof.
            "verify" => match settled.next_back() {
                Some(Verdict::NotApplicable) => vec![Verdict::Unknown],
                last => last.into_iter().collect(),
            },
            _ => settled.collect(),
        }
    };
    let (found, open) = if let Some(table) = &answer.patch {
        patched(answer, table)
    } else if answer.command == "check" {
        let any = |status| answer.findings.iter().any(|finding| finding.status == Some(status));
        (any(Status::New), any(Status::Open))
    } else {
        let any = |wanted| answer.findings.iter().flat_map(asked).any(|verdict| verdict == wanted);
        (any(Verdict::Present), any(Verdict::Unknown))
    };
    // Where nothing was found to ask about, nothing was decided.
    let open = open || answer.candidates && answer.findings.is_empty();
    match (found, open || answer.partial) {
        (true, _) => Outcome::Findings,
        (false, true) => Outcome::Undecided,
        (false, false) => Outcome::Done,
    }
}
