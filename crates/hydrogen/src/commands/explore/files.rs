//! Tests as files: an input each, and a script that replays it on any build of the program.

use crate::output::into;
use anyhow::{Context as _, Result};
use bstr::ByteSlice;
use hydrogen_evidence::Call;
use hydrogen_evidence::explored::Explored;
use hydrogen_explore::{Exploration, Test};
use hydrogen_jail::inside;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_program::memory;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What is written: the tests of an exploration, what is told of it, and when each of them was found.
pub struct Written<'a> {
    pub program: &'a Program,
    pub found: &'a Exploration,
    pub told: &'a Explored,
    pub times: &'a [Duration],
}

pub fn write(folder: &Path, written: &Written<'_>) -> Result<()> {
    let made = write_all(folder, written);
    made.with_context(|| format!("cannot write tests into {}", folder.display()))
}

fn write_all(folder: &Path, written: &Written<'_>) -> Result<()> {
    let tests = &written.found.tests;
    fs::create_dir_all(folder)?;
    remove_old(folder)?;
    for (number, test) in (1..).zip(tests) {
        let name = format!("{number:04}");
        match &test.input.call {
            Some(call) => write_call(folder, &name, written.program, test, call)?,
            None => write_test(folder, &name, test)?,
        }
    }
    let mut curve = String::from("test,seconds,instructions\n");
    let mut all = 0;
    for (number, (test, time)) in (1..).zip(tests.iter().zip(written.times)) {
        all += test.new;
        curve.push_str(&format!("{number},{:.3},{all}\n", time.as_secs_f64()));
    }
    into(folder, "coverage.csv", curve)?;
    into(folder, "report.json", format!("{}\n", hydrogen_report::runs::explored_value(written.told)))?;
    Ok(())
}

/// Removes the tests of an earlier exploration, and nothing else.
fn remove_old(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((number, ending)) = name.split_once('.') else { continue };
        let ours = number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit());
        match ending {
            "json" | "stdin" | "sh" | "memory" | "c" if ours => fs::remove_file(entry.path())?,
            "files" if ours => fs::remove_dir_all(entry.path())?,
            _ => {}
        }
    }
    Ok(())
}

/// The call of a function: as `hydrogen run --test` reads it, and as a test in C.
fn write_call(folder: &Path, name: &str, program: &Program, test: &Test, call: &Call) -> Result<()> {
    let path = |ending: &str| format!("{name}.{ending}");
    into(folder, path("json"), format!("{}\n", serde_json::to_string_pretty(&test.input)?))?;
    let limits = Limits { steps: test.steps.saturating_mul(2), ..Limits::default() };
    let after = program.run(World::default().with_input(&test.input), limits).after;
    into(folder, path("c"), crate::commands::program::test_of(program, call, after.as_ref())?)?;
    Ok(())
}

fn write_test(folder: &Path, name: &str, test: &Test) -> Result<()> {
    let input = &test.input;
    let path = |ending: &str| format!("{name}.{ending}");
    into(folder, path("json"), format!("{}\n", serde_json::to_string_pretty(input)?))?;
    let with_stdin = !input.stdin.is_empty() || input.exact;
    if with_stdin {
        into(folder, path("stdin"), &input.stdin)?;
    }
    if !input.named.is_empty() {
        into(folder, path("memory"), memory(input))?;
    }
    for (file, bytes) in &input.files {
        let file =
            Path::new(&format!("{name}.files")).join(file.trim_start_with(|c| c == '/').to_path_lossy());
        inside::write(folder, &file, bytes)?;
    }
    let arguments = test.world.args.iter().skip(1).map(|arg| arg.as_slice());
    into(folder, path("sh"), hydrogen_report::replay::alone(name, input, arguments))?;
    Ok(())
}
