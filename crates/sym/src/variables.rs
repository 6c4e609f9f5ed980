//! The variables of a function at a place: which there are, how wide they are, what they are called and hold.

use crate::{
    code::{Code, Var},
    fold::gathered,
    segment::{RESULT, Target},
    state::{State, Value},
};
use hydrogen_ir::Type;
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// The numbers that are live at a place, with their widths.
pub fn variables(code: &Code, place: Target) -> BTreeMap<Var, u32> {
    let Target::Head(node) = place else {
        return match place {
            Target::Entry => parameters(code),
            Target::Return => width_of(code, RESULT).map(|width| (RESULT, width)).into_iter().collect(),
            _ => BTreeMap::new(),
        };
    };
    code.live(node).iter().filter_map(|&var| Some((var, width_of(code, var)?))).collect()
}

fn parameters(code: &Code) -> BTreeMap<Var, u32> {
    let function = code.module.function(code.frames[0].function);
    let all = (0..).zip(&function.parameters);
    let own = all.map(|(n, _)| Var::Parameter(0, n));
    let gathered = code.frames[0].fold.map(|_| gathered(0));
    own.chain(gathered).filter_map(|var| Some((var, width_of(code, var)?))).collect()
}

/// The width of a variable; none if it is no number.
pub fn width_of(code: &Code, var: Var) -> Option<u32> {
    match var {
        Var::Slot(slot) => Some(code.homes.slots[slot as usize].width),
        Var::Register(frame, id) => {
            crate::homes::scalar_width(code.module, code.frames[frame as usize].body.instruction(id).ty)
        }
        RESULT | Var::Parameter(_, u32::MAX) => {
            let frame = if var == RESULT { 0 } else { frame_of(var) };
            let ty = code.module.function(code.frames[frame].function).ty?;
            match code.module.types.get(ty) {
                Type::Function { result, .. } => crate::homes::scalar_width(code.module, *result),
                _ => None,
            }
        }
        Var::Parameter(frame, n) => {
            let function = code.module.function(code.frames[frame as usize].function);
            crate::homes::scalar_width(code.module, function.parameters.get(n as usize)?.ty?)
        }
    }
}

fn frame_of(var: Var) -> usize {
    match var {
        Var::Parameter(frame, _) | Var::Register(frame, _) => frame as usize,
        Var::Slot(_) => 0,
    }
}

/// What the source calls a variable.
pub fn name_of(code: &Code, var: Var) -> String {
    match var {
        Var::Slot(slot) => code.homes.slots[slot as usize].name.clone(),
        Var::Register(..) | RESULT | Var::Parameter(_, u32::MAX) => String::new(),
        Var::Parameter(frame, n) => {
            let function = code.module.function(code.frames[frame as usize].function);
            function.parameters.get(n as usize).map_or_else(String::new, |parameter| parameter.name.clone())
        }
    }
}

/// The number that a variable holds; none if it is not in the state or no number.
pub fn number(state: &State, var: Var) -> Option<Term> {
    match state.values.get(&var) {
        Some(Value::Bits(term, _)) => Some(*term),
        _ => None,
    }
}
