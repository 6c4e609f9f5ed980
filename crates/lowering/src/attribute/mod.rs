//! Attributes every instruction to a statement piece, and takes the statement graph from the compiled control flow.
//!
//! Pure: it knows the model and the statements, neither LLVM nor libclang. `docs/statements.md` has the rules.

mod assign;
mod blocks;
mod check;
mod explain;
mod finish;
mod lines;
mod locate;
mod order;
mod runs;
mod shifts;
mod statistics;
mod syntax;
mod thread;

use crate::clang::FunctionStatements;
use hydrogen_ir::{Const, Function, Module};
use hydrogen_statements::{StatementGraph, build_all};
pub use statistics::{Instance, Statistics};
use std::collections::HashMap;

/// Gives every defined function its pieces and flow, and every instruction and call its piece. A function without
/// statements gets a piece per source line.
pub fn attribute(module: &mut Module, statements: &[FunctionStatements]) -> Statistics {
    run(module, statements, None)
}

/// Like [`attribute`], and checks what it promises; gives the broken promises in words.
pub fn attribute_checked(
    module: &mut Module,
    statements: &[FunctionStatements],
) -> (Statistics, Vec<String>) {
    let mut broken = Vec::new();
    let statistics = run(module, statements, Some(&mut broken));
    (statistics, broken)
}

fn run(
    module: &mut Module,
    statements: &[FunctionStatements],
    mut broken: Option<&mut Vec<String>>,
) -> Statistics {
    let by_name: HashMap<&str, &FunctionStatements> =
        statements.iter().map(|function| (function.name.as_str(), function)).collect();
    let mut statistics = Statistics::default();
    let mut functions = std::mem::take(&mut module.functions);
    for function in functions.iter_mut().filter(|function| function.body.is_some()) {
        let found = by_name.get(function.name.as_str()).copied();
        one(function, found, &module.files, &module.constants, &mut statistics, broken.as_deref_mut());
    }
    module.functions = functions;
    statistics
}

fn one(
    function: &mut Function,
    statements: Option<&FunctionStatements>,
    files: &[String],
    constants: &[Const],
    statistics: &mut Statistics,
    broken: Option<&mut Vec<String>>,
) {
    let Some(mut body) = function.body.take() else { return };
    let graph: StatementGraph = match statements {
        Some(statements) => {
            function.span = Some(statements.span);
            function.signature.clone_from(&statements.signature);
            shifts::mark(&mut body, &statements.shifts);
            build_all(&statements.body)
        }
        None => lines::graph(&function.name, &mut body, files),
    };
    let syntax = syntax::Syntax::new(graph);
    let blocks = blocks::Blocks::new(&body, constants);
    let mut assignment = assign::assign(&body, &blocks, &syntax, constants);
    order::order(&body, &blocks, &syntax, &mut assignment);
    let threads = thread::Threads::new(&body, &blocks, &syntax, &mut assignment, constants);
    let runs = runs::Runs::new(&body, &blocks, &assignment, &threads, constants);
    let flow = explain::Flow::new(&syntax, &runs);
    let numbering = finish::pieces(function, &syntax, &runs, &flow);
    let pieces = finish::instructions(&body, &assignment, &runs, &numbering);
    if let Some(broken) = broken {
        let (body, assignment, threads, runs) = (&body, &assignment, &threads, &runs);
        let evidence =
            check::Evidence { function, body, pieces: &pieces, constants, assignment, threads, runs };
        broken.extend(check::check(&evidence));
    }
    finish::write(&mut body, function, &pieces);
    statistics.add(function, &body, files, &assignment, &flow, &syntax);
    function.body = Some(body);
}
