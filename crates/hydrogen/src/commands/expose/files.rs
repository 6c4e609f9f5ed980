//! Differences as files: a folder each, with the input, a script that replays it, and what both versions did; and the suite that they belong to.

use super::report::Finding;
use crate::output::into;
use anyhow::{Context as _, Result, bail};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::{Ending, Input, Recipe, until_zero};
use hydrogen_jail::inside;
use hydrogen_pair::Observable;
use hydrogen_program::memory;
use hydrogen_report::exposed::ending;
use hydrogen_report::replay::{Replayed, both, status};
use std::fs;
use std::path::{Path, PathBuf};

/// The tests that were written so far.
const SUITE: &str = "suite.json";

/// Writes the differences that the suite does not have yet; says how many are new.
pub fn write(folder: &Path, findings: &[Finding], recipes: Option<&[Recipe; 2]>) -> Result<usize> {
    if folder.is_file() {
        bail!("{} is a file; --output names the folder for the tests", folder.display());
    }
    let made = add(folder, findings, recipes);
    made.with_context(|| format!("cannot write tests into {}", folder.display()))
}

/// The test that was written last.
pub fn newest(folder: &Path) -> PathBuf {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let tests = listed.filter(|path| path.join("replay.sh").is_file());
    tests.max().unwrap_or_else(|| folder.to_owned())
}

fn add(folder: &Path, findings: &[Finding], recipes: Option<&[Recipe; 2]>) -> Result<usize> {
    fs::create_dir_all(folder)?;
    let path = folder.join(SUITE);
    let mut suite: Vec<Input> = match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).context("suite.json is not a list of inputs")?,
        Err(_) => Vec::new(),
    };
    let before = suite.len();
    for finding in findings {
        let input = whole(finding);
        if !suite.contains(&input) {
            let number = (suite.len() + 1..).find(|number| !folder.join(format!("{number:03}")).exists());
            let name = format!("{:03}", number.unwrap_or_default());
            one(&folder.join(name), finding, &input, recipes)?;
            suite.push(input);
        }
    }
    into(folder, SUITE, format!("{}\n", serde_json::to_string_pretty(&suite)?))?;
    Ok(suite.len() - before)
}

/// The input with all arguments and standard input, so that it means the same without the command line of this run.
pub fn whole(finding: &Finding) -> Input {
    let world = finding.world.with_input(&finding.input);
    let mut input = finding.input.clone();
    if input.call.is_none() {
        let arguments = world.args.iter().enumerate().skip(1);
        input.args = arguments.map(|(index, arg)| (index, until_zero(arg).to_vec())).collect();
        input.stdin = world.stdin().to_vec();
        input.exact = true;
    }
    input
}

/// Named outputs as the native functions write them.
fn named(outputs: &[(BString, u64)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (name, value) in outputs {
        text.extend_from_slice(name);
        text.extend(format!("={}\n", value.cast_signed()).bytes());
    }
    text
}

fn one(folder: &Path, finding: &Finding, input: &Input, recipes: Option<&[Recipe; 2]>) -> Result<()> {
    fs::create_dir_all(folder)?;
    into(folder, "input.json", format!("{}\n", serde_json::to_string_pretty(input)?))?;
    for (name, outcome) in ["old", "new"].iter().zip(&finding.outcomes) {
        let lines: String = outcome.memory.iter().map(|line| format!("{line}\n")).collect();
        into(folder, format!("{name}.end"), format!("{}\n{lines}", ending(outcome)))?;
        into(folder, format!("{name}.status"), format!("{}\n", status(&outcome.ending)))?;
        into(folder, format!("{name}.out"), &outcome.stdout)?;
        into(folder, format!("{name}.err"), &outcome.stderr)?;
    }
    if let Some(tests) = &finding.tests {
        for (name, test) in ["old", "new"].iter().zip(tests) {
            into(folder, test.file(), &test.text)?;
            into(folder, format!("{name}.out"), &test.prints)?;
        }
    } else {
        into(folder, "stdin", &input.stdin)?;
        if !input.named.is_empty() {
            into(folder, "memory", memory(input))?;
        }
        for (file, bytes) in &input.files {
            let name = Path::new("files").join(file.trim_start_with(|c| c == '/').to_path_lossy());
            inside::write(folder, &name, bytes)?;
        }
        if finding.outcomes.iter().any(|outcome| !outcome.named.is_empty()) {
            for (name, outcome) in ["old", "new"].iter().zip(&finding.outcomes) {
                into(folder, format!("{name}.named"), named(&outcome.named))?;
            }
        }
        if finding.differs == [Observable::Stderr.to_string()] {
            // What else is there is the same, so messages count.
            for name in ["old", "new"] {
                into(folder, format!("{name}.only-err"), b"")?;
            }
        }
    }
    // Whoever compiles it elsewhere has no header of ours.
    let headers = !input.named.is_empty() || finding.outcomes.iter().any(|outcome| !outcome.named.is_empty());
    if headers {
        hydrogen_machine::write_headers(&folder.join("include"))?;
        into(folder, "include/hydrogen.c", hydrogen_machine::NATIVE_SOURCE)?;
    }
    let replayed = Replayed {
        headers,
        input,
        program: finding.world.args.first().map_or(&b""[..], |name| name.as_slice()),
        tests: finding
            .tests
            .as_ref()
            .map(|tests| tests.each_ref().map(|test| (test.unit.as_str(), test.file()))),
        faults: finding.outcomes.iter().any(|outcome| matches!(outcome.ending, Ending::Fault(..))),
        recipes,
    };
    into(folder, "replay.sh", both(&replayed))?;
    Ok(())
}
