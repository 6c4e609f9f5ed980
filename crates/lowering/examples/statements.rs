//! Times the reading of statements: `cargo run --release --example statements -- clang … file.c`.

use hydrogen_ir::FileId;
use hydrogen_lowering::clang::ParsedUnit;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let unit = ParsedUnit::parse(&arguments)?;
    let parsed = start.elapsed();
    let functions = unit.functions(&|_| true, &mut |_| FileId(0));
    let read = start.elapsed() - parsed;
    eprintln!("{} functions, parse {parsed:?}, read {read:?}", functions.len());
    Ok(())
}
