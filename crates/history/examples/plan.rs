//! Prints how a version would be built: `cargo run --example plan -- SPEC...`.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use hydrogen_history::build::{BuildOptions, plan};
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::config::Config;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::resolve;

fn main() {
    let specs: Vec<String> = std::env::args().skip(1).collect();
    let cwd = std::env::current_dir().expect("there is a current directory");
    let wrapper = std::env::current_exe()
        .expect("a program knows itself")
        .parent()
        .expect("it is in a folder")
        .join("../hydrogen-cc");
    let slots = std::env::temp_dir().join("hydrogen-plan-example");
    let start = Instant::now();
    let versions = match resolve(&specs, &cwd) {
        Ok(versions) => versions,
        Err(error) => return println!("{error}"),
    };
    println!("resolve: {} versions in {:?}", versions.len(), start.elapsed());
    let checkouts = Checkouts::open(&slots).expect("the temporary directory is writable");
    for version in versions {
        let start = Instant::now();
        let lease = checkouts.lease(&version).expect("a checkout");
        println!("{}: {} files checked out in {:?}", version.name, lease.files().len(), start.elapsed());
        let config = Config::for_version(&Trees::new(), &version, None).expect("a configuration");
        let start = Instant::now();
        match plan(lease.path(), &config, &BuildOptions::new(Path::new(&wrapper), lease.scratch())) {
            Ok(plan) => {
                println!(
                    "  {}: {} units, {} links in {:?}",
                    plan.how,
                    plan.units.len(),
                    plan.links.len(),
                    start.elapsed()
                );
                if std::env::var_os("VERBOSE").is_some() {
                    for unit in &plan.units {
                        println!(
                            "  {} [{}] {}",
                            unit.file.display(),
                            unit.directory.display(),
                            unit.arguments.join(" ")
                        );
                    }
                    for link in &plan.links {
                        println!("  {} <- {:?}", link.output.display(), link.inputs);
                    }
                }
                plan.problems.iter().for_each(|problem| println!("  problem: {problem}"));
            }
            Err(error) => println!("  error: {error}"),
        }
    }
}
