//! Confining a build: it may read everything and write below its own folders only.
//!
//! The process confines itself with Landlock and then becomes the build; every process the build starts inherits it.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

/// The rights of Linux 6.2: writing, creating, removing, renaming, truncating.
const RIGHTS: ABI = ABI::V3;
/// Devices that every program may write to.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx"];

/// `--sandbox STATUS FOLDER… -- PROGRAM ARGUMENT…`: writes into STATUS how well it is confined, and runs PROGRAM.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let Some(end) = arguments.iter().position(|word| word == "--") else {
        eprintln!("hydrogen-cc: --sandbox STATUS FOLDER... -- PROGRAM ARGUMENT...");
        return ExitCode::from(2);
    };
    let (options, command) = (&arguments[..end], &arguments[end + 1..]);
    let (Some(status), Some(program)) = (options.first(), command.first()) else {
        return ExitCode::from(2);
    };
    // Opened before the door closes.
    let mut report = File::create(status).ok();
    let word = match confine(&options[1..]) {
        Ok(RulesetStatus::FullyEnforced) => "full",
        Ok(RulesetStatus::PartiallyEnforced) => "partial",
        Ok(RulesetStatus::NotEnforced) | Err(_) => "none",
    };
    if let Some(report) = &mut report {
        let _ = report.write_all(word.as_bytes());
    }
    drop(report);
    // The build dies with us, and leaves no core files.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let error = Command::new(program).args(&command[1..]).exec();
    eprintln!("cannot run {}: {error}", program.display());
    ExitCode::from(127)
}

fn confine(folders: &[OsString]) -> Result<RulesetStatus, RulesetError> {
    let write = AccessFs::from_all(RIGHTS);
    let devices = AccessFs::from_file(RIGHTS);
    let ruleset = Ruleset::default()
        .handle_access(write)?
        .create()?
        .add_rules(path_beneath_rules(["/"], AccessFs::from_read(RIGHTS)))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules(folders, write))?;
    Ok(ruleset.restrict_self()?.ruleset)
}
