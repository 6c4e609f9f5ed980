//! Random programs of csmith give the same checksum natively.

use super::support::{limits, load, run_native, seen, tools};
use hydrogen_machine::World;
use std::path::Path;
use std::process::Command;

const PROGRAMS: u32 = 20;

#[test]
fn random_programs_compute_the_same() {
    let Some(tools) = tools() else { return };
    let folder = tempfile::tempdir().unwrap();
    for seed in 1..=PROGRAMS {
        let Ok(output) = Command::new("csmith").args(["--seed", &seed.to_string()]).output() else {
            eprintln!("skipped: csmith is missing");
            return;
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
        let expected = run_native(&binary, &[], Path::new("/dev/null"));
        let run = load(tools, &source, &flags).run(World::default(), limits());
        assert_eq!(seen(&run), expected, "csmith --seed {seed}");
    }
}
