//! `hydrogen-lower`: answers requests on its standard input until that ends. Not meant to be started by hand.

use std::io::{BufReader, BufWriter};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Standard output belongs to the protocol: whatever clang prints there must not get between the frames.
    let result = hydrogen_lowering::llvm::take_stdout().and_then(|output| {
        hydrogen_lowering::serve::serve(&mut BufReader::new(std::io::stdin().lock()), &mut BufWriter::new(output))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hydrogen-lower: {error}");
            ExitCode::from(70)
        }
    }
}
