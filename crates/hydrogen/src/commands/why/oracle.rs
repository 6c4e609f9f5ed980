//! The user's word on what is right: `--oracle CMD`, a command; `--contract FILE`, a contract of the change.

use super::input::Given;
use anyhow::{Context as _, Result, anyhow};
use hydrogen_contract::{Contract, End, Verdict};
use hydrogen_evidence::Input;
use hydrogen_jail::{Command, Limits, Policy, Watch};
use hydrogen_machine::Program;
use hydrogen_pair::{Ending, Observable, Outcome};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An oracle that thinks longer has no opinion.
const LONGEST: Duration = Duration::from_secs(10);

pub struct Judge<'a> {
    command: &'a str,
    interrupt: &'a AtomicBool,
}

impl<'a> Judge<'a> {
    pub fn new(command: &'a str, interrupt: &'a AtomicBool) -> Self {
        Self { command, interrupt }
    }

    /// Whether what came out is right; nothing where the command could not be run.
    pub fn passes(&self, outcome: &Outcome) -> Option<bool> {
        let status = match &outcome.ending {
            Ending::Exit(status) => status.to_string(),
            Ending::Signal(signal) => (128 + signal).to_string(),
            // Undefined behaviour is never right.
            _ => return Some(false),
        };
        let folder = tempfile::tempdir().ok()?;
        let mut stdin = tempfile::tempfile().ok()?;
        stdin.write_all(&outcome.stdout).ok()?;
        stdin.rewind().ok()?;
        let command = Command::new("/bin/sh", folder.path())
            .args(["-c", self.command])
            .environment(hydrogen_jail::allowed())
            .env("STATUS", status)
            .stdin(stdin);
        let policy = Policy::of_the_system().writing(folder.path()).limited(Limits::of_a_run());
        let ended = hydrogen_jail::run(command, &policy, &Watch::new(LONGEST).until(self.interrupt)).ok()?;
        match ended.end {
            hydrogen_jail::End::Exit(code) => Some(code == 0),
            _ => None,
        }
    }
}

/// A contract of the change, and what it is about.
pub struct Promised<'a> {
    contract: Contract,
    given: &'a Given,
    program: &'a Program,
    observables: &'a [Observable],
}

impl<'a> Promised<'a> {
    pub fn read(
        file: &Path,
        given: &'a Given,
        program: &'a Program,
        observables: &'a [Observable],
    ) -> Result<Self> {
        let cannot = || format!("cannot read the contract {}", file.display());
        let text = std::fs::read_to_string(file).with_context(cannot)?;
        let contract = Contract::parse(&text).map_err(|error| anyhow!("{}: {error}", file.display()))?;
        Ok(Self { contract, given, program, observables })
    }

    /// What it says of an input and what both versions did with it.
    pub fn judge(&self, input: &Input, old: &Outcome, new: &Outcome) -> Verdict {
        let Some([old, new]) = run(old).zip(run(new)).map(|(old, new)| [old, new]) else {
            return Verdict::Broken("a run did not come to its end".into());
        };
        let world = self.given.symbolic.world(self.program, &self.given.world, input);
        let values = input.named.iter().filter_map(|(name, bytes)| Some((name.to_string(), number(bytes)?)));
        let given = hydrogen_contract::Given {
            args: world.args.iter().map(|arg| arg.to_vec()).collect(),
            stdin: world.stdin().to_vec(),
            values: values.collect(),
            files: input.files.iter().map(|(name, content)| (name.to_string(), content.clone())).collect(),
        };
        self.contract.judge(&given, &old, &new)
    }

    /// Whether both versions keep to it: where no case speaks, they do the same.
    pub fn passes(&self, input: &Input, old: &Outcome, new: &Outcome) -> bool {
        match self.judge(input, old, new) {
            Verdict::Kept => true,
            Verdict::Broken(_) => false,
            Verdict::Same => old.same(new, self.observables),
        }
    }
}

/// What a contract sees of a run; nothing where it was cut.
fn run(outcome: &Outcome) -> Option<hydrogen_contract::Run> {
    let end = match &outcome.ending {
        Ending::Exit(status) => End::Returned(*status),
        Ending::Signal(signal) => End::Signal(*signal),
        Ending::Fault(..) => End::Trap,
        Ending::Assumption | Ending::Cut(_) => return None,
    };
    let files = outcome.files.iter().map(|(name, content)| (name.to_string(), content.clone()));
    let mut out: BTreeMap<String, Vec<u8>> = files.collect();
    out.insert("stdout".into(), outcome.stdout.clone());
    out.insert("stderr".into(), outcome.stderr.clone());
    let lines = outcome.memory.iter().filter_map(|line| line.split_once(" = "));
    let mut values: BTreeMap<String, i128> =
        lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect();
    values.extend(outcome.named.iter().map(|(name, value)| (name.to_string(), i128::from(*value as i64))));
    Some(hydrogen_contract::Run { end, out, values })
}

/// Memory of the size of a number, as one.
fn number(bytes: &[u8]) -> Option<i128> {
    Some(match bytes.len() {
        1 => i128::from(bytes[0] as i8),
        2 => i128::from(i16::from_le_bytes(bytes.try_into().ok()?)),
        4 => i128::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        8 => i128::from(i64::from_le_bytes(bytes.try_into().ok()?)),
        _ => return None,
    })
}
