//! Random C programs: the model is what LLVM says.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use std::process::Command as Process;

const SEEDS: std::ops::Range<u32> = 1..21;
const HEADERS: &str = "/usr/include/csmith";

#[test]
fn random_programs_are_what_llvm_says() {
    // It leaves a file in the folder it runs in, whatever it is asked.
    let version = Process::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output();
    if version.is_err() || !std::path::Path::new(HEADERS).is_dir() {
        return hydrogen_testkit::skip("csmith is not installed (apt-get install csmith libcsmith-dev)");
    }
    let folder = tempfile::tempdir().unwrap();
    for seed in SEEDS {
        let file = folder.path().join(format!("seed{seed}.c"));
        let output = Process::new("csmith")
            .args(["--seed", &seed.to_string(), "--float", "--inline-function"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        std::fs::write(&file, &output.stdout).unwrap();
        let command = support::command(&file, &["-I", HEADERS]);
        match support::faithful(&command) {
            Ok((_, mut model)) => {
                support::attributed(&command, &mut model);
                support::sound(&model);
            }
            Err(message) => panic!("seed {seed}: {message}"),
        }
    }
}
