//! `hydrogen-lower`: answers requests on its standard input until that ends. Not meant to be started by hand.

use std::io::{self, BufReader, BufWriter};
use std::process::ExitCode;

/// clang recurses over expressions; generated sources nest them deeply. Only the pages that are touched cost memory.
const STACK_BYTES: usize = 128 << 20;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(serve);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(error))) | Err(error) => {
            eprintln!("hydrogen-lower: {error}");
            ExitCode::from(70)
        }
        Ok(Err(_)) => ExitCode::from(70), // The panic has printed its message.
    }
}

fn serve() -> io::Result<()> {
    // Standard output belongs to the protocol: whatever clang prints there must not get between the frames.
    let mut output = BufWriter::new(hydrogen_lowering::llvm::take_stdout()?);
    hydrogen_lowering::serve::serve(&mut BufReader::new(io::stdin().lock()), &mut output)
}
