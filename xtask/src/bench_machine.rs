//! The machine against native code, in one run, by processor time.

use crate::programs::{self, Subject};
use crate::{measure, table};
use anyhow::{Context, Result, ensure};
use hydrogen_machine::{End, Limits, World};
use hydrogen_program::Workshop;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REPEATED: usize = 3;
/// Programs of ours, each of a kind that is hard on an interpreter: recursion over small objects, scanning of text, callbacks, and a
/// loop around a switch.
const KINDS: [&str; 4] = ["lisp", "markup", "events", "stack"];

pub fn run() -> Result<()> {
    let workshop = programs::workshop()?;
    let folder = tempfile::tempdir()?;
    let text = words(1 << 20);
    let input = folder.path().join("input");
    std::fs::write(&input, &text)?;
    let subjects = programs::subjects()?;
    let known = |name: &str| subjects.iter().find(|one| one.name == name).context("a known subject");
    let own = KINDS.map(|name| Subject::single(name, programs::driver(&format!("{name}.c")), &[]));
    const NOTHING: &[&str] = &[];
    const TO_STDOUT: &[&str] = &["-c"];
    let mut all = vec![(known("zlib")?, NOTHING, "40"), (known("bzip2")?, TO_STDOUT, "-")];
    all.extend(own.iter().map(|subject| (subject, NOTHING, "30")));
    let mut rows = Vec::new();
    for (subject, args, limit) in all {
        let name = subject.name;
        let binary = folder.path().join(name);
        subject.build(&binary)?;
        let mut native = Duration::MAX;
        let mut expected = Vec::new();
        for _ in 0..REPEATED {
            let (time, output) = measure::program_time(
                Command::new(&binary).args(args).stdin(std::fs::File::open(&input)?).stderr(Stdio::null()),
            )?;
            native = native.min(time);
            expected = output;
        }
        let program = programs::load(&workshop, subject)?;
        let mut machine = Duration::MAX;
        let mut steps = 0;
        for _ in 0..REPEATED {
            let words = std::iter::once("program").chain(args.iter().copied());
            let world = World::new(words).with_stdin(text.clone());
            let start = measure::own_time()?;
            let run = program.run(world, Limits::default());
            machine = machine.min(measure::own_time()?.saturating_sub(start));
            ensure!(run.end == End::Exit(0), "{name}: {:?}", run.end);
            ensure!(run.world.stdout == expected, "{name}: the output differs from the native program's");
            steps = run.statistics.steps;
        }
        rows.push(vec![
            name.to_owned(),
            format!("{:.0} ms", native.as_secs_f64() * 1e3),
            format!("{:.0} ms", machine.as_secs_f64() * 1e3),
            format!("{:.1}", machine.as_secs_f64() / native.as_secs_f64()),
            limit.to_owned(),
            format!("{:.0}", steps as f64 / machine.as_secs_f64() / 1e6),
        ]);
    }
    let header = ["program", "native -O0", "machine", "ratio", "limit", "million steps/s"];
    table::print("machine", &header, &rows);
    short_runs(&workshop)
}

/// Many runs of a program that was loaded once.
fn short_runs(workshop: &Workshop) -> Result<()> {
    let subject = Subject::single("short", programs::driver("short.c"), &[]);
    let program = programs::load(workshop, &subject)?;
    let stdin = "pear 5\napple 17\nfig 3\npear 6\nbad\n";
    let world = World::new(["short", "pear"]).with_stdin(stdin);
    let start = Instant::now();
    let mut runs = 0u32;
    let mut steps = 0;
    while start.elapsed() < Duration::from_secs(2) {
        let run = program.run(world.clone(), Limits::default());
        ensure!(run.end == End::Exit(1), "{:?}", run.end);
        steps = run.statistics.steps;
        runs += 1;
    }
    let each = f64::from(runs) / start.elapsed().as_secs_f64();
    let row = vec!["short.c".to_owned(), format!("{each:.0}"), "1000".to_owned(), steps.to_string()];
    table::print("machine-short", &["program", "runs/s", "at least", "steps each"], &[row]);
    Ok(())
}

/// Text of this many bytes that compresses about as well as prose.
pub fn words(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let known: Vec<Vec<u8>> =
        (0..2000).map(|_| (0..2 + random(8)).map(|_| b'a' + random(26) as u8).collect()).collect();
    let mut text = Vec::with_capacity(len + 10);
    while text.len() < len {
        text.extend(&known[random(2000) as usize]);
        text.push(b' ');
    }
    text.truncate(len);
    text
}
