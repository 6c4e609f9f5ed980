//! Inputs on which two functions differ: by trying, then by solving from the beginning with loops run a few times.

use crate::{
    Obstacle,
    context::Context,
    entry::{incoming, initial},
    outcome::{Argument, argument_list, difference, parameters, run},
    segment::{Runner, Segment, Target},
    verdict::Candidate,
};
use hydrogen_ir::{Module, Type};
use hydrogen_term::{Answer, Engine, Evaluator, Solver, Term};
use std::time::Instant;

/// Inputs that are tried.
const TRIES: u64 = 160;
/// Visits of cuts that are solved for.
const VISITS: [usize; 2] = [2, 5];
/// Bytes behind a pointer.
const BUFFER: u64 = 64;

/// An input found by trying: one that shows the difference, else one that may.
pub(crate) fn tries(
    context: &mut Context,
    module: &Module,
    (old, new): (&Runner, &Runner),
    assume_defined: bool,
    deadline: Instant,
) -> Result<Option<Candidate>, Obstacle> {
    let mut unsure = None;
    for n in 0..TRIES {
        if Instant::now() > deadline {
            break;
        }
        let arguments = argument_list(module, old.code.frames[0].function, n);
        match confirmed(context, (old, new), arguments, assume_defined)? {
            Some(found) if found.sure => return Ok(Some(found)),
            found => unsure = unsure.or(found),
        }
    }
    Ok(unsure)
}

/// An input found by solving.
pub(crate) fn solved(
    context: &mut Context,
    engine: &mut Engine<Box<dyn Solver + Send>>,
    module: &Module,
    (old, new): (&Runner, &Runner),
    assume_defined: bool,
) -> Result<Option<Candidate>, Obstacle> {
    let has_loops = !old.code.heads.is_empty() || !new.code.heads.is_empty();
    let visits = if has_loops { &VISITS[..] } else { &[1] };
    let mut unsure = None;
    for &steps in visits {
        match solve(context, engine, module, (old, new), steps, assume_defined)? {
            Some(found) if found.sure => return Ok(Some(found)),
            found => unsure = unsure.or(found),
        }
    }
    Ok(unsure)
}

/// The input, if both versions run on it and differ.
fn confirmed(
    context: &mut Context,
    (old, new): (&Runner, &Runner),
    arguments: Vec<Argument>,
    assume_defined: bool,
) -> Result<Option<Candidate>, Obstacle> {
    let ((a, guessed), (b, too)) = (run(context, old, &arguments)?, run(context, new, &arguments)?);
    if assume_defined && matches!(a, crate::outcome::Outcome::Faulted(_)) {
        return Ok(None);
    }
    Ok(difference(&a, &b).map(|what| Candidate { arguments, what, sure: !guessed && !too }))
}

fn solve(
    context: &mut Context,
    engine: &mut Engine<Box<dyn Solver + Send>>,
    module: &Module,
    (old, new): (&Runner, &Runner),
    steps: usize,
    assume_defined: bool,
) -> Result<Option<Candidate>, Obstacle> {
    let function = module.function(old.code.frames[0].function);
    let is_pointers: Vec<bool> = function
        .parameters
        .iter()
        .map(|one| one.ty.is_some_and(|ty| matches!(module.types.get(ty), Type::Pointer(_))))
        .collect();
    let buffers: Vec<(u64, u64)> = (0u64..)
        .zip(&is_pointers)
        .filter(|(_, is)| **is)
        .map(|(n, _)| (0x1_0000 + n * 0x1000, BUFFER))
        .collect();
    context.buffers = Some(buffers);
    let segments = both(context, old, new, steps);
    context.buffers = None;
    let (a, b) = segments?;
    let start = initial(context, old);
    let mut premises = incoming(context, old, &start);
    premises.extend(a.assumptions.iter().chain(&b.assumptions).copied());
    let terms = parameters(&start, is_pointers.len());
    for (n, (term, is_pointer)) in (0u64..).zip(terms.iter().zip(&is_pointers)) {
        if let (Some(term), true) = (term, is_pointer) {
            // Null, memory of its own, or that of an earlier parameter.
            let mut choices = vec![context.word(0)];
            for other in (0..=n).filter(|&other| is_pointer_at(&is_pointers, other)) {
                choices.push(context.word(0x1_0000 + other * 0x1000));
            }
            let choices: Vec<Term> = choices.into_iter().map(|one| context.pool.eq(*term, one)).collect();
            premises.push(context.pool.or_all(choices));
        }
    }
    for condition in differences(context, &a, &b, assume_defined) {
        let mut all = premises.clone();
        all.push(condition);
        let axioms = context.calls.congruence(&mut context.pool, &all);
        all.extend(axioms);
        let Answer::Sat(model) = engine.check(&mut context.pool, &all) else { continue };
        let mut arguments: Vec<Argument> = Vec::new();
        for (n, (term, is_pointer)) in (0u64..).zip(terms.iter().zip(&is_pointers)) {
            let Some(term) = term else { return Ok(None) };
            let bits = Evaluator::new(&context.pool, &model).bits(*term);
            arguments.push(match is_pointer {
                true if bits == 0 => Argument::Null,
                true if bits != u128::from(0x1_0000 + n * 0x1000) => {
                    let other = usize::try_from((bits - 0x1_0000) / 0x1000).unwrap_or(0);
                    match arguments.get(other) {
                        Some(Argument::Memory(_)) => Argument::Same(other),
                        // The earlier parameter is null or elsewhere: this memory belongs to nobody else.
                        _ => return Ok(None),
                    }
                }
                true => {
                    let memory = start.public;
                    let mut bytes = Vec::new();
                    for at in 0..BUFFER {
                        let at = context.word(0x1_0000 + n * 0x1000 + at);
                        let byte = context.pool.select(memory, at);
                        bytes.push(Evaluator::new(&context.pool, &model).bits(byte) as u8);
                    }
                    Argument::Memory(bytes)
                }
                false => Argument::Number(context.pool.width(*term), bits),
            });
        }
        if let Some(found) = confirmed(context, (old, new), arguments, assume_defined)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn both(
    context: &mut Context,
    old: &Runner,
    new: &Runner,
    steps: usize,
) -> Result<(Segment, Segment), Obstacle> {
    let (a, b) = (initial(context, old), initial(context, new));
    let a = old.advance(context, Target::Entry, a, steps)?;
    Ok((a, new.advance(context, Target::Entry, b, steps)?))
}

/// Conditions under which the outcomes differ, one per kind.
fn differences(context: &mut Context, a: &Segment, b: &Segment, assume_defined: bool) -> Vec<Term> {
    let mut found = Vec::new();
    let pool = &mut context.pool;
    let returned = |segment: &Segment| segment.ends.iter().position(|end| end.target == Target::Return);
    if let (Some(i), Some(j)) = (returned(a), returned(b)) {
        let (one, other) = (&a.ends[i], &b.ends[j]);
        let here = pool.and(one.guard, other.guard);
        if let (Some(x), Some(y)) = (
            one.result.as_ref().and_then(|value| value.term()),
            other.result.as_ref().and_then(|value| value.term()),
        ) && pool.sort(x) == pool.sort(y)
        {
            let differ = pool.ne(x, y);
            found.push(pool.and(here, differ));
        }
        if one.state.public != other.state.public {
            let at = pool.fresh("at", hydrogen_term::Sort::Bits(64));
            let (x, y) = (pool.select(one.state.public, at), pool.select(other.state.public, at));
            let differ = pool.ne(x, y);
            found.push(pool.and(here, differ));
        }
    }
    let faults = |pool: &mut hydrogen_term::Pool, segment: &Segment| {
        pool.or_all(segment.faults.iter().map(|fault| fault.guard))
    };
    let (bad, worse) = (faults(pool, a), faults(pool, b));
    if let Some(i) = returned(a) {
        found.push(pool.and(a.ends[i].guard, worse));
    }
    if let Some(j) = returned(b)
        && !assume_defined
    {
        found.push(pool.and(b.ends[j].guard, bad));
    }
    found.retain(|&one| pool.as_bool(one) != Some(false));
    found
}

fn is_pointer_at(is_pointers: &[bool], at: u64) -> bool {
    usize::try_from(at).ok().and_then(|at| is_pointers.get(at)).copied().unwrap_or(false)
}
