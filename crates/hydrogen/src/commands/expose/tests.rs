//! Tests that are there already.

use anyhow::{Context as _, Result, bail};
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome};
use std::path::{Path, PathBuf};

/// A test of the suite.
#[derive(Clone)]
pub struct Test {
    /// What people call it.
    pub name: String,
    /// The world around its input.
    pub world: World,
    pub input: Input,
}

/// Reads the tests of a folder, by name, or the lines of a file.
pub fn read(place: &Path, world: &World) -> Result<Vec<Test>> {
    let tests = if place.is_dir() {
        let mut files: Vec<PathBuf> = Vec::new();
        let listed = std::fs::read_dir(place).with_context(|| format!("cannot read {}", place.display()))?;
        for entry in listed {
            files.push(entry.with_context(|| format!("cannot read {}", place.display()))?.path());
        }
        files.sort();
        let mut tests = Vec::new();
        for file in &files {
            // A folder that expose wrote is one test.
            let inside = file.join("input.json");
            if inside.is_file() {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                tests.extend(one(&inside, world)?.map(|test| Test { name, ..test }));
            } else if file.is_file() {
                tests.extend(one(file, world)?);
            }
        }
        tests
    } else if place.is_file() {
        lines(place, world)?
    } else {
        bail!("--tests {}: there is no such folder or file", place.display());
    };
    if tests.is_empty() {
        bail!("--tests {}: no test is there (.json, .args, or files for standard input)", place.display());
    }
    Ok(tests)
}

fn content(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The test that a file stands for; none for what belongs to another one.
fn one(file: &Path, world: &World) -> Result<Option<Test>> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let beside = |ending: &str| file.with_extension(ending).is_file();
    let (world, input) = match ending.as_str() {
        "json" => {
            let text = content(file)?;
            // A report is no test.
            let Ok(input) = serde_json::from_slice::<Input>(&text) else { return Ok(None) };
            if input == Input::default() {
                return Ok(None);
            }
            (world.clone(), input)
        }
        "args" => {
            let text = String::from_utf8_lossy(&content(file)?).into_owned();
            let mut world = with_arguments(world, &text).with_context(|| format!("{}", file.display()))?;
            if beside("stdin") {
                world = world.with_stdin(content(&file.with_extension("stdin"))?);
            }
            (world, Input::default())
        }
        "sh" | "c" | "out" | "err" | "memory" | "csv" | "md" => return Ok(None),
        "stdin" if beside("args") || beside("json") => return Ok(None),
        _ => (world.clone().with_stdin(content(file)?), Input::default()),
    };
    Ok(Some(Test { name, world, input }))
}

/// One test per line: its arguments, and `< FILE` for its standard input.
fn lines(file: &Path, world: &World) -> Result<Vec<Test>> {
    let text = String::from_utf8_lossy(&content(file)?).into_owned();
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut tests = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let name = format!("line {number}");
        let (arguments, stdin) = line.rsplit_once('<').map_or((line, None), |(a, b)| (a, Some(b.trim())));
        let Ok(mut world) = with_arguments(world, arguments) else {
            bail!("{}:{number}: an open quote", file.display())
        };
        if let Some(stdin) = stdin {
            world = world.with_stdin(content(&folder.join(stdin))?);
        }
        tests.push(Test { name, world, input: Input::default() });
    }
    Ok(tests)
}

fn with_arguments(world: &World, text: &str) -> Result<World> {
    let words = shlex::split(text).context("an open quote")?;
    let mut world = world.clone();
    world.args.truncate(1);
    world.args.extend(words.into_iter().map(BString::from));
    Ok(world)
}

/// The tests to start from: those on which the versions differ already, then the first ones. All are run, without being watched.
pub fn most_telling(tests: Vec<Test>, programs: [&Program; 2], limits: &Limits, most: usize) -> Vec<Test> {
    let observables = Observable::usual();
    let differs = |test: &Test| {
        let [old, new] = programs.map(|program| {
            let run = program.run(test.world.with_input(&test.input), limits.clone());
            Outcome::of(&run.end, &run.world, None)
        });
        old.is_whole() && new.is_whole() && !old.same(&new, &observables)
    };
    let (mut telling, others): (Vec<Test>, Vec<Test>) = tests.into_iter().partition(differs);
    telling.extend(others);
    telling.truncate(most);
    telling
}
