//! How long the big operations take on a module of the size of sqlite3.

use crate::generate;
use hydrogen_ir::*;
use std::time::Instant;

/// Functions of random modules, linked until there are this many instructions.
fn big(instructions: usize) -> Module {
    let mut modules = Vec::new();
    let mut count = 0;
    for seed in 0.. {
        let mut module = generate::module(seed);
        for (index, function) in module.functions.iter_mut().enumerate() {
            function.name = format!("f{seed}_{index}");
        }
        for (index, global) in module.globals.iter_mut().enumerate() {
            global.name = format!("g{seed}_{index}");
        }
        count += module
            .functions
            .iter()
            .filter_map(|f| f.body.as_ref())
            .map(|b| b.instructions.len())
            .sum::<usize>();
        modules.push(module);
        if count >= instructions {
            break;
        }
    }
    timed("link", || link(modules)).module
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!("{what:10} {:8.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    result
}

#[test]
#[ignore = "a measurement: cargo test --release -p hydrogen-ir -- --ignored --nocapture timing"]
fn timing() {
    let module = big(280_000);
    let bytes = timed("encode", || encode(&module));
    println!("{} bytes", bytes.len());
    assert_eq!(timed("decode", || decode(&bytes)).as_ref(), Ok(&module));
    timed("summarize", || summarize(&module));
    assert_eq!(timed("verify", || verify(&module)), Ok(()));
    let text = timed("print", || print(&module));
    println!("{} bytes of text", text.len());
    assert_eq!(timed("parse", || parse(&text)).as_ref(), Ok(&module));
    timed("json", || to_json(&module, None));
}
