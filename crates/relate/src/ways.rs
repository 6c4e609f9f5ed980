//! Which ways there are to read two functions, and what is known of them before anything is proved.

use crate::{
    align::{self, Alignment},
    candidates,
    code::{Code, Jumps, Reading, direct_call},
    context::Context,
    data,
    obstacle::Obstacle,
    pair::Options,
    segment::{Loops, Runner, Target},
    subject::Subject,
};
use hydrogen_ir::{CastOp, FunctionId, InstructionId, Module, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Alignments that are tried.
const MOST_ALIGNMENTS: usize = 5;
/// Inputs that are run to find out what goes with what.
const RUNS: u64 = 24;

/// The ways to read two functions: loops step by step first, then closed, then under the assumption that objects are small; and whether the versions
/// change places, because claims say what the variables of the new version are in terms of the old one's: an index is the distance of two
/// pointers, but a pointer is a base and an index.
pub(crate) fn readings(old: Subject, new: Subject, jumps: &[Jumps]) -> Vec<(Reading, bool)> {
    let plain = jumps.iter().copied().map(|jumps| (Reading::plain(jumps), false));
    let Some(&first) = jumps.iter().find(|jumps| !matches!(jumps, Jumps::Folded(_))) else {
        return plain.collect();
    };
    let closed = Reading { loops: Loops::Closed, ..Reading::plain(first) };
    let small = Reading { small_objects: true, ..Reading::plain(jumps[0]) };
    let goes_round = |subject: Subject| {
        let body = subject.module.function(subject.function).body.as_ref();
        body.is_some_and(|body| body.blocks.len() > 2)
    };
    let moves = |subject: Subject| {
        let body = subject.module.function(subject.function).body.iter();
        body.flat_map(|body| &body.instructions).any(|one| matches!(one.op, Op::ElementAddress { .. }))
    };
    let both = goes_round(old) && goes_round(new);
    let closed = Some((closed, false)).filter(|_| both);
    let smalls = [(small, false), (small, true)]
        .into_iter()
        .filter(|&(_, turned)| (moves(old) || moves(new)) && (both || !turned));
    let turned = Some((Reading::plain(first), true)).filter(|_| both);
    plain.chain(closed).chain(smalls).chain(turned).collect()
}

/// Alignments that the runs agree with: those first under which most variables of the new version are explained by the old one's.
pub(crate) fn ranked(old: &Code, new: &Code, olds: &[data::Trace], news: &[data::Trace]) -> Vec<Alignment> {
    let mut all: Vec<(usize, usize, Alignment)> = Vec::new();
    for alignment in align::alignments(olds, news) {
        let mut unexplained = 0;
        for (&places, rows) in &candidates::rows(&alignment, olds, news) {
            if let (Target::Head(_), Target::Head(_)) = places {
                let relation = candidates::relation(old, new, places, rows);
                let explained = |forms: &&Vec<crate::relation::Form>| !forms.is_empty();
                unexplained += relation.forms.len() - relation.forms.values().filter(explained).count();
            }
        }
        let unusual = alignment.steps.values().map(|&steps| steps.abs_diff(1)).sum();
        all.push((unexplained, unusual, alignment));
    }
    all.sort_by_key(|(unexplained, unusual, _)| (*unexplained, *unusual));
    all.into_iter().map(|(_, _, alignment)| alignment).take(MOST_ALIGNMENTS).collect()
}

/// A line of the ledger: functions of `math.h` are taken to compute only.
pub(crate) const MATHS: &str = "functions of `math.h` only compute: `errno` is not looked at";
/// A line of the ledger: two faults count as the same, whichever they are.
pub(crate) const ANY_FAULT: &str = "which undefined behaviour comes first does not matter";

pub(crate) fn ledger(has_loops: bool, has_floats: bool, options: &Options) -> Vec<String> {
    let mut ledger = Vec::new();
    if has_loops {
        ledger.push("termination: both versions end or neither does".to_owned());
    }
    if options.assume_defined {
        ledger.push("only inputs on which the old version is defined".to_owned());
    }
    if has_floats {
        ledger.push("of results that are no numbers it does not matter which they are".to_owned());
    }
    ledger.push(
        "pointers do not wrap around the address space; programs do not depend on where objects lie"
            .to_owned(),
    );
    ledger
}

/// Whether there is an operation on floating-point numbers.
pub(crate) fn computes_with_floats(code: &Code) -> bool {
    let is_float = |ty: hydrogen_ir::TypeId| matches!(code.module.types.get(ty), hydrogen_ir::Type::Float(_));
    code.frames.iter().any(|frame| {
        frame.body.instructions.iter().any(|one| {
            is_float(one.ty)
                || matches!(
                    one.op,
                    Op::FloatCompare { .. } | Op::Cast { op: CastOp::FpToSi | CastOp::FpToUi, .. }
                )
        })
    })
}

/// Whether a function of `math.h` is called.
pub(crate) fn calls_maths(code: &Code) -> bool {
    code.frames.iter().any(|frame| {
        (0..frame.body.instructions.len())
            .filter_map(|at| direct_call(code.module, frame.body, InstructionId::at(at)))
            .map(|(callee, _)| code.module.function(callee))
            .any(|callee| {
                !callee.is_defined() && hydrogen_library::Library::standard().is_of_maths(&callee.name)
            })
    })
}

pub(crate) fn calls_itself(subject: Subject) -> bool {
    let Some(body) = &subject.module.function(subject.function).body else { return false };
    (0..body.instructions.len()).any(|at| {
        direct_call(subject.module, body, InstructionId::at(at)).is_some_and(|(id, _)| id == subject.function)
    })
}

/// Callees with more blocks stay closed.
const MOST_BLOCKS: usize = 24;

/// How often a function calls others by name.
fn calls<'m>(subject: Subject<'m>) -> BTreeMap<&'m str, (usize, FunctionId)> {
    let mut found: BTreeMap<&'m str, (usize, FunctionId)> = BTreeMap::new();
    let Some(body) = &subject.module.function(subject.function).body else { return found };
    for at in 0..body.instructions.len() {
        if let Some((callee, _)) = direct_call(subject.module, body, InstructionId::at(at)) {
            found.entry(&subject.module.function(callee).name).or_insert((0, callee)).0 += 1;
        }
    }
    found
}

/// Small callees that are known to be equal and that one version calls more often than the other.
pub(crate) fn called_unevenly(old: Subject, new: Subject, alike: &BTreeSet<String>) -> BTreeSet<String> {
    let is_small = |module: &Module, function: FunctionId| {
        let body = module.function(function).body.as_ref();
        body.is_some_and(|body| body.blocks.len() <= MOST_BLOCKS)
            && !calls_itself(Subject { module, function })
    };
    let own = [old, new].map(|subject| subject.module.function(subject.function).name.as_str());
    let (a, b) = (calls(old), calls(new));
    let all: BTreeSet<&str> = a.keys().chain(b.keys()).copied().collect();
    let uneven = all.into_iter().filter(|name| {
        let (one, other) = (a.get(name).copied(), b.get(name).copied());
        one.map(|one| one.0) != other.map(|other| other.0)
            && alike.contains(*name)
            && !own.contains(name)
            && one.is_none_or(|(_, id)| is_small(old.module, id))
            && other.is_none_or(|(_, id)| is_small(new.module, id))
    });
    uneven.map(str::to_owned).collect()
}

pub(crate) type Traces = (Vec<data::Trace>, Vec<data::Trace>);

pub(crate) fn traces(
    context: &mut Context,
    module: &Module,
    old: &Runner,
    new: &Runner,
) -> Result<Traces, Obstacle> {
    let (mut olds, mut news) = (Vec::new(), Vec::new());
    context.concrete = true;
    for seed in 1..=RUNS {
        let (arguments, memory) = data::input(context, module, old, seed);
        let (a, b) = (
            data::state_of(context, old, &arguments, memory),
            data::state_of(context, new, &arguments, memory),
        );
        let (a, b) = (data::trace(context, old, a), data::trace(context, new, b));
        match (a, b) {
            (Ok(a), Ok(b)) => {
                olds.push(a);
                news.push(b);
            }
            (Err(obstacle), _) | (_, Err(obstacle)) => {
                context.concrete = false;
                return Err(obstacle);
            }
        }
    }
    context.concrete = false;
    Ok((olds, news))
}
