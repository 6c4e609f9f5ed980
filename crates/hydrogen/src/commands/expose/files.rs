//! Differences as files: a folder each, with the input, a script that replays it, and what both versions did; and the suite that they belong to.

use super::report::{Finding, ending};
use crate::commands::explore::quoted;
use anyhow::{Context as _, Result, bail};
use bstr::ByteSlice;
use hydrogen_evidence::Input;
use hydrogen_program::{memory, until_zero};
use std::fs;
use std::path::Path;

/// The tests that were written so far.
const SUITE: &str = "suite.json";

/// Writes the differences that the suite does not have yet; says how many are new.
pub fn write(folder: &Path, findings: &[Finding]) -> Result<usize> {
    if folder.is_file() {
        bail!("{} is a file; --output names the folder for the tests", folder.display());
    }
    let made = add(folder, findings);
    made.with_context(|| format!("cannot write tests into {}", folder.display()))
}

fn add(folder: &Path, findings: &[Finding]) -> Result<usize> {
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
            one(&folder.join(name), finding, &input)?;
            suite.push(input);
        }
    }
    fs::write(path, format!("{}\n", serde_json::to_string_pretty(&suite)?))?;
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

fn one(folder: &Path, finding: &Finding, input: &Input) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("input.json"), format!("{}\n", serde_json::to_string_pretty(input)?))?;
    if let Some([old, new]) = &finding.tests {
        fs::write(folder.join("old_test.c"), old)?;
        fs::write(folder.join("new_test.c"), new)?;
        for (name, outcome) in ["old", "new"].iter().zip(&finding.outcomes) {
            let lines: String = outcome.memory.iter().map(|line| format!("{line}\n")).collect();
            fs::write(folder.join(format!("{name}.end")), format!("{}\n{lines}", ending(&outcome.ending)))?;
        }
        return Ok(());
    }
    fs::write(folder.join("stdin"), &input.stdin)?;
    if !input.named.is_empty() {
        fs::write(folder.join("memory"), memory(input))?;
    }
    for (file, bytes) in &input.files {
        let path = folder.join("files").join(file.trim_start_with(|c| c == '/').to_path_lossy());
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    for (name, outcome) in ["old", "new"].iter().zip(&finding.outcomes) {
        fs::write(folder.join(format!("{name}.out")), &outcome.stdout)?;
        fs::write(folder.join(format!("{name}.err")), &outcome.stderr)?;
        fs::write(folder.join(format!("{name}.end")), format!("{}\n", ending(&outcome.ending)))?;
    }
    fs::write(folder.join("replay.sh"), script(input))?;
    Ok(())
}

/// `sh replay.sh PROGRAM` runs the test. Files are copied into the current folder.
fn script(input: &Input) -> Vec<u8> {
    let mut out = b"#!/bin/sh\n# Replays this test: sh replay.sh PROGRAM\n# What the old and the new version did is in old.* and new.*\n\
        here=$(dirname \"$0\")\n"
        .to_vec();
    if !input.files.is_empty() {
        out.extend(b"cp -r \"$here/files/.\" .\n");
    }
    out.extend(b"env");
    for (name, bytes) in &input.environment {
        out.push(b' ');
        out.extend(quoted(&[name.as_slice(), b"=", until_zero(bytes)].concat()));
    }
    if !input.named.is_empty() {
        out.extend(b" HYDROGEN_INPUT=\"$here/memory\"");
    }
    out.extend(b" \"$@\"");
    for arg in input.args.values() {
        out.push(b' ');
        out.extend(quoted(until_zero(arg)));
    }
    out.extend(b" < \"$here/stdin\"\nstatus=$?\necho \"exit $status\" >&2\nexit $status\n");
    out
}
