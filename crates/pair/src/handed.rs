//! What a call is given, as far as no instruction computed it: variables as they are. `printf("%d", x)` computes nothing, and is wrong
//! where `x` is.

use crate::values::{Form, form};
use hydrogen_ir::{Body, Module, Op, Operand};
use hydrogen_machine::Step;
use hydrogen_machine::code::{Code, Instr};

/// An argument that is the content of a variable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handed {
    /// Which argument.
    pub(crate) nth: u32,
    pub(crate) form: Form,
}

/// By instruction of the machine, the arguments of a call that are contents of variables.
pub(crate) fn handed(module: &Module, body: &Body, code: &Code) -> Vec<Vec<Handed>> {
    let of = |id: usize| {
        let Some(Op::Call { arguments, .. }) = body.instructions.get(id).map(|one| &one.op) else {
            return Vec::new();
        };
        let loaded = |argument: &Operand| match argument {
            Operand::Instruction(id) => {
                let from = body.instructions.get(id.index())?;
                matches!(from.op, Op::Load { .. }).then(|| form(module, from.ty))
            }
            _ => None,
        };
        let given = (0u32..).zip(arguments).filter_map(|(nth, one)| Some(Handed { nth, form: loaded(one)? }));
        given.collect()
    };
    code.origin.iter().map(|origin| of(origin.index())).collect()
}

/// The words of an argument, before the call; none of what is passed as memory.
pub(crate) fn words<'s>(step: &'s Step<'_>, nth: u32) -> &'s [u64] {
    let Instr::Call { site } = step.instr else { return &[] };
    let Some(argument) = step.code.calls.get(*site as usize).and_then(|call| call.args.get(nth as usize))
    else {
        return &[];
    };
    match argument.by_value {
        Some(_) => &[],
        // One of the machine's registers is enough for what variables of simple types hold.
        None => step.registers.get(argument.src as usize).map_or(&[], std::slice::from_ref),
    }
}
