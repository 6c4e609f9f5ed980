//! From an answer to what the user sees, and to the exit code.

use super::sources::VersionSources;
use crate::cli::VerdictFormat;
use crate::commands::Outcome;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_evidence::{Answer, Conclusion};
use hydrogen_history::version::Version;
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
        VerdictFormat::Json => output::pretty(&verdicts::json(answer, documented)),
        VerdictFormat::Sarif => output::pretty(&verdicts::sarif(answer)),
        VerdictFormat::Markdown => verdicts::markdown(answer),
        VerdictFormat::Csv => verdicts::csv(answer),
        VerdictFormat::Text => {
            let looks = Looks { colour: context.wants_colour() };
            verdicts::text(answer, documented, &VersionSources { context, versions }, looks)
        }
    })?;
    Ok(if context.is_cancelled() { Outcome::Interrupted } else { outcome(answer) })
}

/// What the tool exits with.
pub fn outcome(answer: &Answer) -> Outcome {
    match answer.conclusion() {
        Conclusion::Found => Outcome::Findings,
        Conclusion::Undecided => Outcome::Undecided,
        Conclusion::Clean => Outcome::Done,
    }
}
