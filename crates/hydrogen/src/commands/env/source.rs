//! What guilty values do in the source of the program: it is run in the machine as it is here, and with these values as recorded.

use crate::cli::{EnvRun, ProgramOptions};
use crate::commands::program;
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::Input;
use hydrogen_evidence::environment::{Cause, Detail};
use hydrogen_machine::End;
use hydrogen_pair::{Spot, parted};

/// Which line reads what differs, and which branch goes elsewhere.
pub fn followed(context: &Context, source: &[String], run: &EnvRun, causes: &[Cause]) -> Result<Vec<String>> {
    let interrupt = context.cancel_flag();
    let mut options = ProgramOptions::plain(source.to_vec());
    options.args = run.command.iter().skip(1).cloned().collect();
    let (mut here, mut recorded) = (Input::default(), Input::default());
    for (name, value) in std::env::vars_os() {
        use std::os::unix::ffi::OsStrExt;
        here.environment.insert(name.as_bytes().into(), value.as_bytes().to_vec());
    }
    recorded.environment.clone_from(&here.environment);
    let mut names = Vec::new();
    for cause in causes {
        let name = &cause.difference.name;
        match cause.difference.kind {
            "path" => {
                let Ok(content) = std::fs::read(context.here().join(name)) else { continue };
                let Some(other) = with_lines(&content, &cause.details) else { continue };
                here.files.insert(name.as_str().into(), content);
                recorded.files.insert(name.as_str().into(), other);
            }
            "variable" => {
                let variable = name.strip_prefix("variable ").unwrap_or(name);
                // A quoted text is the recorded value. Any other text means that the variable was not set.
                let text = &cause.difference.recorded;
                match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    Some(value) => {
                        drop(recorded.environment.insert(variable.into(), value.as_bytes().to_vec()))
                    }
                    None => drop(recorded.environment.remove(bstr::BStr::new(variable))),
                }
            }
            _ => continue,
        }
        names.push(name.clone());
    }
    if names.is_empty() {
        bail!("only lines of files and variables are followed in it");
    }
    let loaded = program::load(context, &options, &interrupt)?;
    let world = program::world(context, &options)?;
    let worlds = [world.with_input(&here), world.with_input(&recorded)];
    let limits = program::limits(&options, interrupt);
    let found = parted(&loaded.linked.program, worlds, &limits);
    let mut lines = Vec::new();
    if let Some(read) = &found.read {
        lines.push(format!("{} reads it: {}", place(read), read.text));
    }
    if let Some((branch, [now, then])) = &found.branch {
        lines.push(format!("{} decides by it: {}", place(branch), branch.text));
        for (next, when) in [(now, "here"), (then, "as recorded")] {
            if let Some(next) = next {
                lines.push(format!("  {when} it goes on with line {}: {}", next.line, next.text));
            }
        }
    }
    let ends = found.ends.each_ref().map(ending);
    if lines.is_empty() {
        bail!(
            "in the machine, {} decides nothing: {} here, {} as recorded",
            names.join(", "),
            ends[0],
            ends[1]
        );
    }
    lines.push(format!(
        "In the machine, the program {} here, and {} with this as recorded.",
        ends[0], ends[1]
    ));
    Ok(lines)
}

fn place(spot: &Spot) -> String {
    format!("{}:{} {}()", spot.file, spot.line, spot.function)
}

fn ending(end: &End) -> String {
    match end {
        End::Exit(status) => format!("exits with {status}"),
        other => format!("ends otherwise ({other:?})").chars().take(120).collect(),
    }
}

/// A file as it is here, with the guilty lines as recorded.
fn with_lines(content: &[u8], details: &[Detail]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(content);
    let mut lines: Vec<Option<String>> =
        text.split_inclusive('\n').map(|line| Some(line.to_owned())).collect();
    let mut changed = false;
    for detail in details.iter().filter(|one| one.kind == "line") {
        let at = detail.which.parse::<usize>().ok()?.checked_sub(1)?;
        let line = detail.recorded.as_ref().map(|text| format!("{text}\n"));
        match &detail.here {
            Some(_) => *lines.get_mut(at)? = line,
            None => lines.insert(at.min(lines.len()), line),
        }
        changed = true;
    }
    changed.then(|| lines.into_iter().flatten().collect::<String>().into_bytes())
}
