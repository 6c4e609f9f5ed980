//! Inputs that a run confirmed, as files: for `hydrogen run --test`, and a call also as a test in C.

use super::engine::Functions;
use super::question::Question;
use crate::context::Context;
use crate::output;
use anyhow::{Context as _, Result};
use hydrogen_evidence::{Answer, Call, Finding, Replay, Ruling};
use hydrogen_graph::VersionId;
use hydrogen_witness::Units;
use std::path::Path;

/// Writes the inputs of an answer into a folder.
pub fn write(
    context: &Context,
    folder: Option<&Path>,
    functions: &Functions<'_>,
    question: &Question,
    answer: &mut Answer,
) -> Result<()> {
    let Some(folder) = folder.map(|folder| context.path(folder)) else { return Ok(()) };
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut count = 0;
    for finding in &answer.findings {
        for ruling in &finding.verdicts {
            let (Some(input), Some(Replay::Confirmed)) = (&ruling.evidence.input, &ruling.evidence.replay)
            else {
                continue;
            };
            count += 1;
            let name = name(count, finding, ruling);
            let save = |ending: &str, text: &str| {
                let path = folder.join(format!("{name}.{ending}"));
                std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
            };
            save("json", &output::pretty(&serde_json::json!(input)))?;
            // What memory is refused a test in C cannot say.
            if let Some(call) = input.call.as_ref().filter(|_| input.refused.is_empty())
                && let Some(version) = question.graph.version(&ruling.version)
                && let Some(text) = in_c(functions, version, finding, call)
            {
                save("c", &text)?;
            }
        }
    }
    answer.notes.push(format!("inputs that a run confirmed, written into {}: {count}", folder.display()));
    Ok(())
}

/// A name of letters, digits and dashes.
fn name(number: usize, finding: &Finding, ruling: &Ruling) -> String {
    let place = &finding.location;
    let plain = |text: &str| -> String {
        text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
    };
    let (function, version) = (plain(&place.function), plain(&ruling.version));
    format!("{number:02}-{}-{function}-{}-{version}", finding.kind.word(), place.line)
}

fn in_c(functions: &Functions<'_>, version: VersionId, finding: &Finding, call: &Call) -> Option<String> {
    let file = call.unit.as_deref()?;
    let units = functions.units(version).ok()?;
    let (module, id) =
        units.iter().find_map(|module| Some((module, module.find_function(file, &call.function)?)))?;
    let about = format!(
        "{}: {}\n{call}\nCompiled like {file}, with -fsanitize=address,undefined it ends with the fault.",
        finding.kind.word(),
        finding.message
    );
    Some(hydrogen_program::c_test(module, module.function(id), call, None, file, &about))
}
