//! Which of the changed statements behind a wrong value make it, and which only hand it on.

use crate::ask::WhyError;
use crate::changed::Changed;
use crate::origin::{Origin, is_inside};
use crate::told::Told;
use hydrogen_align::Piece;
use hydrogen_ir::{Op, Operand};
use hydrogen_pair::{Instances, Pair};

/// What a changed statement is to a value: less comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The value, or one that it was computed of, is made there.
    Makes,
    /// It decides about something, or about what is computed.
    Decides,
    /// A value is only put elsewhere there, or given back by a call of what else changed.
    HandsOn,
}

/// Puts the changed statements behind the values of some instructions in order: what makes these values first, and of equal ones the
/// nearest.
pub(crate) fn in_order(
    pair: &Pair<'_>,
    changed: &Changed,
    instances: &Instances,
    told: &Told<'_, '_>,
    steps: &[u64],
    near: &mut [Origin],
) -> Result<(), WhyError> {
    if near.len() > 1 {
        let values = told.values_behind(steps)?;
        let makes: Vec<Origin> = near.iter().filter(|one| values.contains(one.step)).copied().collect();
        near.sort_by_cached_key(|one| {
            let part = match values.contains(one.step) {
                _ if changed.only_moves(one.node) => Part::HandsOn,
                true if makes.iter().any(|other| is_called(pair, instances, one, other)) => Part::HandsOn,
                true => Part::Makes,
                false => Part::Decides,
            };
            (part, std::cmp::Reverse(one.step))
        });
    }
    Ok(())
}

/// Whether one changed statement was executed in a call that another makes.
fn is_called(pair: &Pair<'_>, instances: &Instances, caller: &Origin, other: &Origin) -> bool {
    let [Some(caller), Some(own)] = [caller, other].map(|one| instances.at_step(one.step)) else {
        return false;
    };
    caller.node != own.node && is_inside(pair, own.index, *caller)
}

/// Whether a statement only reads variables and puts their values elsewhere: `return x`, `x = y`, `p->a = q->b`.
pub(crate) fn only_moves(piece: &Piece<'_>) -> bool {
    let constant = |operand: &Operand| matches!(operand, Operand::Const(_));
    let mut moves = false;
    for instruction in piece.instructions().into_iter().filter_map(|id| piece.instruction(id)) {
        match &instruction.op {
            Op::Store { value, .. } if constant(value) => return false,
            Op::Return { value: Some(value) } if constant(value) => return false,
            Op::Store { .. } | Op::Return { .. } => moves = true,
            Op::Load { .. } => {}
            // Where a member lies is the same for every value.
            Op::ElementAddress { indices, .. } if indices.iter().all(constant) => {}
            _ => return false,
        }
    }
    moves
}
