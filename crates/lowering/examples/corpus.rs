//! Attribution figures of C files: `cargo run --release --example corpus -- [flags] FILE…`.
#![allow(clippy::print_stdout)]

use hydrogen_frontend::protocol::Command;
use hydrogen_lowering::attribute::Statistics;
use hydrogen_lowering::{lower, pieces, unit};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let verbose = std::env::var_os("VERBOSE").is_some();
    let mut all = Statistics::default();
    let mut times = [Duration::ZERO; 4];
    for file in &files {
        let path = Path::new(file).canonicalize()?;
        let directory = path.parent().unwrap_or(&path).to_string_lossy().into_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let arguments = ["cc".to_owned()].into_iter().chain(flags.clone()).chain(["-c".into(), name.clone()]);
        let command = Command {
            directory: directory.as_str().into(),
            root: directory.as_str().into(),
            file: name.as_str().into(),
            arguments: arguments.map(|argument| argument.as_str().into()).collect(),
        };
        let start = Instant::now();
        let compiled = match unit::compile(&command) {
            Ok(compiled) => compiled,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        times[0] += start.elapsed();
        let start = Instant::now();
        let mut module = lower(&compiled.module, &unit::origin(&command))?;
        times[1] += start.elapsed();
        let start = Instant::now();
        let parsed = pieces::parse(&command)?;
        times[2] += start.elapsed();
        let start = Instant::now();
        let found = pieces::add_pieces(&mut module, &parsed, &command);
        times[3] += start.elapsed();
        if std::env::var_os("CHECK").is_some() {
            let mut again = lower(&compiled.module, &unit::origin(&command))?;
            let (_, broken) = pieces::add_pieces_checked(&mut again, &parsed, &command);
            broken.iter().for_each(|message| println!("broken {message}"));
        }
        if let Some(wanted) = std::env::var_os("FUNCTION") {
            for function in module.functions.iter().filter(|function| *function.name == *wanted) {
                for (index, piece) in function.pieces.iter().enumerate() {
                    println!(
                        "{index} {:?}#{} {:?} {}",
                        piece.role,
                        piece.part,
                        piece.span.map(|s| (s.start, s.end)),
                        piece.text
                    );
                }
                for edge in &function.flow {
                    println!("{} → {} {:?}", edge.from.0, edge.to.0, edge.kind);
                }
                for (block, instructions) in function.body.iter().flat_map(|body| {
                    body.blocks.iter().map(|b| (b, &body.instructions[b.first.index()..][..b.count as usize]))
                }) {
                    println!("{}:", block.label);
                    for instruction in instructions {
                        let at = instruction.location.map(|l| (l.position.line, l.position.column));
                        println!("  [{}] {at:?} {:?}", instruction.piece.0, instruction.op);
                    }
                }
            }
        }
        all.functions += found.functions;
        all.instructions += found.instructions;
        all.synthetic += found.synthetic;
        all.real += found.real;
        all.unattributed.extend(found.unattributed);
        all.adopted.extend(found.adopted);
        all.unexplained.extend(found.unexplained);
    }
    if verbose {
        all.unattributed
            .iter()
            .for_each(|one| println!("unattributed {} {} {}", one.function, one.place, one.what));
        all.adopted.iter().for_each(|one| println!("adopted {} {} {}", one.function, one.place, one.what));
        for (one, to) in &all.unexplained {
            println!("unexplained {} {} {} → {to}", one.function, one.place, one.what);
        }
    }
    println!(
        "{} functions, {} instructions, {} synthetic, real {:.3} % of the rest, {} unattributed, {} adopted, {} unexplained edges; compile {:?}, lower {:?}, parse {:?}, attribute {:?}",
        all.functions,
        all.instructions,
        all.synthetic,
        all.real as f64 * 100.0 / (all.instructions - all.synthetic) as f64,
        all.unattributed.len(),
        all.adopted.len(),
        all.unexplained.len(),
        times[0],
        times[1],
        times[2],
        times[3],
    );
    Ok(())
}
