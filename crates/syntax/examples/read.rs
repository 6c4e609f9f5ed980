//! Reads C files and prints their statement graphs, or with `--time` how long reading takes, or with `--names` the
//! functions, or with `--problems` what could not be read.
#![allow(clippy::print_stdout)]

use hydrogen_syntax::{MacroEnv, Options, Unit, read};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut mode = String::new();
    let mut options = Options::default();
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        if let Some(name) = argument.strip_prefix("-D") {
            let env = options.defined.get_or_insert_with(MacroEnv::new);
            match name.split_once('=') {
                Some((name, text)) => env.define(name, Some(text)),
                None => env.define(name, None),
            }
        } else if argument == "--config" {
            options.defined.get_or_insert_with(MacroEnv::new);
        } else if argument.starts_with("--") {
            mode = argument;
        } else {
            files.push(argument);
        }
    }
    for path in files {
        let source = std::fs::read(&path)?;
        let start = Instant::now();
        let unit = read(&path, &source, &options);
        match mode.as_str() {
            "--time" => {
                let mut best = start.elapsed();
                for _ in 0..5 {
                    let start = Instant::now();
                    let again = read(&path, &source, &options);
                    best = best.min(start.elapsed());
                    assert_eq!(again.module.functions.len(), unit.module.functions.len());
                }
                println!(
                    "{path}: {best:?}, {} functions, {} problems",
                    unit.module.functions.len(),
                    unit.problems.len()
                );
            }
            "--names" => unit.module.functions.iter().for_each(|function| println!("{}", function.name)),
            "--items" => {
                unit.items.iter().for_each(|item| println!("{:?} {}: {}", item.kind, item.name, item.text))
            }
            "--problems" => problems(&path, &source, &unit),
            _ => graphs(&unit),
        }
    }
    Ok(())
}

fn problems(path: &str, source: &[u8], unit: &Unit) {
    let lines: Vec<_> = source.split(|&byte| byte == b'\n').collect();
    for problem in &unit.problems {
        let line =
            String::from_utf8_lossy(lines.get(problem.span.start.line as usize - 1).copied().unwrap_or(&[]));
        println!(
            "{path}:{}:{}: {}: {}",
            problem.span.start.line,
            problem.span.start.column,
            problem.message,
            line.trim()
        );
    }
}

fn graphs(unit: &Unit) {
    for function in &unit.module.functions {
        println!("{:?} {}", function.linkage, function.signature);
        for (index, piece) in function.pieces.iter().enumerate() {
            println!("  {index} {:?} `{}`", piece.role, piece.text);
        }
        for edge in &function.flow {
            println!("  {} -> {} {:?}", edge.from.0, edge.to.0, edge.kind);
        }
        for call in &function.calls {
            println!("  {} calls {:?}", call.piece.0, call.callee);
        }
    }
}
