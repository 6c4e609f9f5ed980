//! Random programs of csmith give the same checksum natively.

use super::support::{limits, load, run_native, seen, tools};
use hydrogen_machine::{End, Limits, World};
use std::path::Path;
use std::process::Command;

const PROGRAMS: u32 = 20;
const STEPS: u64 = 10_000_000;

#[test]
fn random_programs_compute_the_same() {
    let Some(tools) = tools() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for seed in 1..=PROGRAMS {
        let Ok(output) = csmith(seed, folder.path()) else {
            return hydrogen_testkit::skip("csmith is missing");
        };
        let source = folder.path().join("test.c");
        std::fs::write(&source, output.stdout).unwrap();
        let binary = folder.path().join("native");
        let flags = ["-I/usr/include/csmith", "-w"];
        let compiled = Command::new("clang-19")
            .arg("-O0")
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&binary)
            .status()
            .unwrap();
        assert!(compiled.success());
        let limits = Limits { steps: STEPS, ..limits() };
        let run = load(tools, &source, &flags).run(World::default(), limits);
        // Some of them run for ever, natively too.
        if matches!(run.end, End::Limit(..)) {
            continue;
        }
        let expected = run_native(&binary, &[], Path::new("/dev/null"));
        assert_eq!(seen(&run), expected, "csmith --seed {seed}");
        compared += 1;
    }
    assert!(compared >= PROGRAMS * 3 / 4, "only {compared} programs came to an end");
}

/// Small programs: the many large ones are `cargo xtask machine`'s. It leaves a file behind where it runs.
fn csmith(seed: u32, folder: &Path) -> std::io::Result<std::process::Output> {
    let small = ["--max-funcs", "4", "--max-block-size", "3", "--max-block-depth", "3"];
    Command::new("csmith").args(["--seed", &seed.to_string()]).args(small).current_dir(folder).output()
}
