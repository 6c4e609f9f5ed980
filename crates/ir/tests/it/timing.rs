//! How long the big operations take on a module of the size of sqlite3.

use crate::{generate, sample::sample};
use hydrogen_ir::*;

/// The sample's function over and over.
fn repeated(instructions: usize) -> Module {
    let mut module = sample();
    let function = module.functions[0].clone();
    let length = function.body.as_ref().map_or(1, |body| body.instructions.len());
    for index in 0..instructions / length {
        module.functions.push(Function { name: format!("f{index}"), ..function.clone() });
    }
    module
}

/// Units of every shape, linked until there are this many instructions.
fn mixed(instructions: usize) -> Module {
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
        let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
        count += bodies.map(|body| body.instructions.len()).sum::<usize>();
        modules.push(module);
        if count >= instructions {
            break;
        }
    }
    timed("link", || link(modules)).module
}

/// Processor time of this thread, for the machine may be busy.
fn processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |n| n / 1e6)
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = processor_ms();
    let result = run();
    eprintln!("{what:10} {:8.1} ms", processor_ms() - start);
    result
}

fn measure(name: &str, module: &Module) {
    eprintln!("--- {name}");
    let bytes = timed("encode", || encode(module));
    eprintln!("{} bytes", bytes.len());
    assert_eq!(timed("decode", || decode(&bytes)).as_ref(), Ok(module));
    timed("summarize", || summarize(module));
    assert_eq!(timed("verify", || verify(module)), Ok(()));
    let text = timed("print", || print(module));
    eprintln!("{} bytes of text", text.len());
    assert_eq!(timed("parse", || parse(&text)).as_ref(), Ok(module));
    timed("json", || to_json(module, None));
}

#[test]
#[ignore = "a measurement: cargo test --release -p hydrogen-ir -- --ignored --nocapture timing"]
fn timing() {
    measure("one function repeated, 280 000 instructions", &repeated(280_000));
    measure("mixed units, 28 000 instructions", &mixed(28_000));
}
