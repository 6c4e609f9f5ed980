//! For which inputs a function that was proved equal is defined at all. Two versions that fault alike on nearly everything are equal, and
//! nobody wants to read that alone.

use crate::{
    Obstacle,
    code::Jumps,
    context::Side,
    outcome::{Argument, Outcome, argument_list, run},
    prepare::{Prepared, prepare},
    segment::{Loops, Runner},
    subject::Subject,
};
use hydrogen_ir::{Op, Type};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Inputs that are tried.
const TRIES: u64 = 64;
/// The time for it.
const TIME: Duration = Duration::from_millis(400);
/// So many of those that were tried and end must be undefined, of a hundred.
const NEARLY_ALL: u64 = 90;

/// What the ledger says of a function that is undefined for nearly all inputs that were tried. Numbers alone are tried: how much memory a
/// function needs behind a pointer its callers know.
pub(crate) fn seldom_defined(subject: Subject) -> Option<String> {
    let function = subject.module.function(subject.function);
    let is_number = |ty| matches!(subject.module.types.get(ty), Type::Int(_) | Type::Float(_));
    let are_numbers = function.parameters.iter().all(|one| one.ty.is_some_and(is_number));
    let calls = |op: &Op| matches!(op, Op::Call { .. });
    // Without an operation that may fault there is nothing to ask.
    let may_fault = function.body.as_ref()?.instructions.iter().any(|one| {
        calls(&one.op)
            || matches!(one.op, Op::Binary { .. } | Op::Load { .. } | Op::Store { .. } | Op::Unreachable)
    });
    if function.parameters.is_empty() || !are_numbers || !may_fault {
        return None;
    }
    tried(subject).ok().flatten()
}

fn tried(subject: Subject) -> Result<Option<String>, Obstacle> {
    let Prepared { old, mut context, old_addresses, .. } =
        prepare(subject, subject, &BTreeSet::new(), None, Jumps::Last)?;
    let runner =
        Runner { code: &old, side: Side::Old, addresses: old_addresses, loops: Loops::Cut, reader: None };
    let end = Instant::now() + TIME;
    context.deadline = Some(end);
    let (mut defined, mut undefined): (Vec<Vec<Argument>>, u64) = (Vec::new(), 0);
    for n in 0..TRIES {
        if Instant::now() > end {
            break;
        }
        let arguments = argument_list(subject.module, subject.function, n);
        match run(&mut context, &runner, &arguments)? {
            (Outcome::Faulted(_), false) => undefined += 1,
            (Outcome::Returned(..) | Outcome::Stopped(_), _) => defined.push(arguments),
            _ => {}
        }
    }
    let all = undefined + defined.len() as u64;
    if undefined == 0 || undefined * 100 < all * NEARLY_ALL {
        return Ok(None);
    }
    let function = subject.module.function(subject.function);
    let name = &function.name;
    let shown = |arguments: &Vec<Argument>| {
        let words = function.parameters.iter().zip(arguments).map(|(parameter, argument)| match argument {
            Argument::Number(width, bits) => {
                let signed = (*bits as i128) << (128 - (*width).min(128)) >> (128 - (*width).min(128));
                format!("{} = {signed}", parameter.name)
            }
            _ => parameter.name.clone(),
        });
        format!("{name}({})", words.collect::<Vec<_>>().join(", "))
    };
    let examples: Vec<String> = defined.iter().take(2).map(shown).collect();
    Ok(Some(match examples.as_slice() {
        [] => format!(
            "`{name}` is undefined for all of {all} inputs that were tried: both versions fault alike there"
        ),
        _ => format!(
            "`{name}` is defined for {} of {all} inputs that were tried, as {}; for the others both versions fault alike",
            defined.len(),
            examples.join(" and ")
        ),
    }))
}
