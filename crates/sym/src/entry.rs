//! The state of a function at its beginning: an input that versions share.

use crate::{
    code::Var,
    context::Context,
    fold::{at_first, gathered},
    segment::{Runner, Target},
    state::{State, Value},
    variables,
};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// What a parameter holds when it comes in.
pub fn incoming_parameter(context: &mut Context, n: u32, width: u32) -> Term {
    context.pool.var(&format!("parameter {n}"), Sort::Bits(width))
}

/// The state of a function at its beginning, with symbols that both versions share.
pub fn initial(context: &mut Context, runner: &Runner) -> State {
    let mut values = BTreeMap::new();
    for (var, width) in variables::variables(runner.code, Target::Entry) {
        let Var::Parameter(_, n) = var else { continue };
        let term = incoming_parameter(context, n, width);
        values.insert(var, Value::Bits(term, None));
    }
    if let Some(neutral) = at_first(context, runner.code, 0) {
        values.insert(gathered(0), Value::Bits(neutral, None));
    }
    let public = context.pool.var("memory", Sort::MEMORY);
    let objects = runner
        .addresses
        .iter()
        .map(|address| context.pool.var(&format!("bytes at {address:x}"), Sort::MEMORY))
        .collect();
    let (world, epoch) =
        (context.pool.var("world", Sort::Bits(64)), context.pool.var("epoch", Sort::Bits(64)));
    State { values, public, objects, world, epoch }
}

/// Pointers that come in are addresses that a program can have, and not those of locals that do not exist yet.
pub fn incoming(context: &mut Context, runner: &Runner, state: &State) -> Vec<Term> {
    let function = runner.code.module.function(runner.code.frames[0].function);
    let mut premises = Vec::new();
    for (n, parameter) in (0..).zip(&function.parameters) {
        let is_pointer = parameter
            .ty
            .is_some_and(|ty| matches!(runner.code.module.types.get(ty), hydrogen_ir::Type::Pointer(_)));
        if let (true, Some(term)) = (is_pointer, variables::number(state, Var::Parameter(0, n))) {
            let end = context.pool.bits(64, crate::context::ADDRESSES);
            premises.push(context.pool.ult(term, end));
        }
    }
    premises
}
