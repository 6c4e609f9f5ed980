//! From a compiled unit to a unit with statement pieces.

use crate::attribute::{Statistics, attribute, attribute_checked};
use crate::clang::{FunctionStatements, ParsedUnit, ReadError, Wanted};
use crate::unit;
use hydrogen_frontend::protocol::Command;
use hydrogen_ir::{BinaryOp, Body, FileId, Module, Op};
use std::collections::HashMap;

/// Parses a unit with libclang, with the arguments it is compiled with.
pub fn parse(command: &Command) -> Result<ParsedUnit, ReadError> {
    let mut arguments = unit::arguments(command);
    // libclang puts options of its own at the end, where `--` would make them files.
    if let [.., separator, file] = arguments.as_mut_slice()
        && separator == b"--"
    {
        if file.starts_with(b"-") {
            file.splice(0..0, *b"./");
        }
        let at = arguments.len() - 2;
        arguments.remove(at);
    }
    // The process has one working directory, and units have many.
    arguments.insert(1, [b"-working-directory=", command.directory.as_slice()].concat());
    ParsedUnit::parse(&arguments)
}

/// Attributes the instructions of a unit to the statements that libclang found.
pub fn add_pieces(module: &mut Module, parsed: &ParsedUnit, command: &Command) -> Statistics {
    let statements = statements(module, parsed, command);
    attribute(module, &statements)
}

/// Like [`add_pieces`], and checks the promises of attribution; gives the broken ones in words.
pub fn add_pieces_checked(
    module: &mut Module,
    parsed: &ParsedUnit,
    command: &Command,
) -> (Statistics, Vec<String>) {
    let statements = statements(module, parsed, command);
    attribute_checked(module, &statements)
}

fn statements(module: &mut Module, parsed: &ParsedUnit, command: &Command) -> Vec<FunctionStatements> {
    let origin = unit::origin(command);
    let mut files = std::mem::take(&mut module.files);
    let mut ids: HashMap<String, FileId> =
        files.iter().enumerate().map(|(index, name)| (name.clone(), FileId::at(index))).collect();
    let shifts = |body: &Body| {
        body.instructions.iter().any(|one| matches!(one.op, Op::Binary { op: BinaryOp::Shl, .. }))
    };
    let defined = module.functions.iter().filter_map(|function| Some((function, function.body.as_ref()?)));
    let wanted: HashMap<&str, Wanted> = defined
        .map(|(function, body)| {
            (function.name.as_str(), if shifts(body) { Wanted::Shifts } else { Wanted::Statements })
        })
        .collect();
    let want = |name: &str| wanted.get(name).copied().unwrap_or(Wanted::Nothing);
    let mut statements = parsed.functions(&want, &mut |name| {
        let name = origin.name("", name);
        *ids.entry(name).or_insert_with_key(|name| {
            files.push(name.clone());
            FileId::at(files.len() - 1)
        })
    });
    // `#line` may say that code of the version comes from a file outside of it: a function of the system is nobody's change, and this one is
    // the version's own.
    // What stands in angle brackets is no file either.
    let is_outside = |file: FileId| files[file.index()].starts_with(['/', '<']);
    for one in
        statements.iter_mut().filter(|one| is_outside(one.span.file) && !is_outside(one.read_from.file))
    {
        one.span = one.read_from;
    }
    module.files = files;
    statements
}

/// Gives every function a piece per source line: for bitcode, whose source is elsewhere.
pub fn add_lines(module: &mut Module) -> Statistics {
    attribute(module, &[])
}

/// Statements nest as deep as their author likes, and so do the functions that walk over them.
const DEEP: usize = 256 << 20;

/// Runs on a thread with room for deep recursion.
pub fn deep<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, work);
        thread
            .expect("a thread can be started")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs `aside` on another thread while `work` runs on this one. What libclang and the compiler share is set up
/// before ([`crate::clang::initialise`]): without that, they race for it.
pub fn beside<A: Send, B>(aside: impl FnOnce() -> A + Send, work: impl FnOnce() -> B) -> (B, A) {
    crate::clang::initialise();
    std::thread::scope(|scope| {
        let aside = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, aside);
        let done = work();
        let aside = aside.expect("a thread can be started").join();
        (done, aside.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
