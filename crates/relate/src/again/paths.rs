//! Proofs by runs: a list of inputs, one in each partition of the arguments, is all that such a certificate holds.
//!
//! The checker follows each input with symbols beside the numbers, in both versions. That gives the condition under which other inputs go the same way, which is the
//! partition; in it the outcomes must be equal, and no arguments may be left that are in none of them. Nothing of that is taken from whoever ran the inputs.

use super::advance;
use crate::{
    Rejected, Side,
    alone::depends_on_numbers_alone,
    call::flatten,
    code::{Jumps, Var},
    context::Context,
    entry::initial,
    meaning::result_formats,
    prepare::{Prepared, prepare},
    segment::{Loops, Runner, Target},
    state::State,
    subject::Subject,
    variables::number,
};
use hydrogen_ir::{ContentHash, exact_hash};
use hydrogen_term::{Answer, Engine, Evaluator, Limits, Model, Solver, Term, Value};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Visits of loop heads that one input may need.
const MOST_VISITS: usize = 2000;

/// One input of every partition of a function's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    pub(crate) old: ContentHash,
    pub(crate) new: ContentHash,
    pub(crate) inputs: Vec<Vec<u64>>,
}

impl Inputs {
    /// The certificate of a proof by these inputs; none where a function is not there.
    pub fn new(old: Subject, new: Subject, inputs: Vec<Vec<u64>>) -> Option<Self> {
        let (old, new) = (exact_hash(old.module, old.function)?, exact_hash(new.module, new.function)?);
        Some(Self { old, new, inputs })
    }
}

/// What a run of one version comes to, for all inputs that go the same way.
struct Followed {
    when: Vec<Term>,
    assumed: Vec<Term>,
    /// The state it ends in and the numbers it gives back; none where it faults.
    end: Option<(Target, State, Vec<Term>)>,
}

/// Goes through a proof by runs again.
pub(crate) fn check_paths(
    inputs: &Inputs,
    old: Subject,
    new: Subject,
    solver: Box<dyn Solver + Send>,
    time: Duration,
) -> Result<(), Rejected> {
    let wrong = |words: &str| Rejected::DoesNotFollow(words.to_owned());
    for (subject, hash) in [(old, inputs.old), (new, inputs.new)] {
        if exact_hash(subject.module, subject.function) != Some(hash) {
            return Err(Rejected::OtherCode(subject.module.function(subject.function).name.clone()));
        }
        if !depends_on_numbers_alone(subject.module, subject.function) {
            return Err(wrong("more than the arguments decides what the function does"));
        }
    }
    let prepared = prepare(old, new, &std::collections::BTreeSet::new(), None, Jumps::Last);
    let prepared = prepared.map_err(|obstacle| Rejected::NotRead(obstacle.to_string()))?;
    let Prepared { old: old_code, new: new_code, mut context, old_addresses, new_addresses, .. } = prepared;
    let loops = Loops::Cut;
    let runners = [
        Runner {
            code: &old_code,
            side: Side::Old,
            addresses: old_addresses,
            loops,
            reader: Some(crate::again::advance),
        },
        Runner {
            code: &new_code,
            side: Side::New,
            addresses: new_addresses,
            loops,
            reader: Some(crate::again::advance),
        },
    ];
    let mut engine = Engine::new(solver, Limits { time, ..Limits::default() }).alone();
    let deadline = Instant::now() + time;
    engine.set_deadline(deadline);
    let mut partitions = Vec::new();
    for input in &inputs.inputs {
        if Instant::now() > deadline {
            return Err(Rejected::NotRead("the time is over".to_owned()));
        }
        let a = follow(&mut context, &runners[0], input)?;
        let b = follow(&mut context, &runners[1], input)?;
        let partition = context.pool.and_all(a.when.iter().chain(&b.when).copied());
        let same = equal(&mut context, &runners[0], &a, &b).ok_or_else(|| wrong("other outcomes"))?;
        let differs = context.pool.not(same);
        let mut question = vec![partition, differs];
        question.extend(a.assumed.into_iter().chain(b.assumed));
        none(&mut context, &mut engine, question, "the outcomes of a partition")?;
        partitions.push(partition);
    }
    let any = context.pool.or_all(partitions);
    let outside = context.pool.not(any);
    none(&mut context, &mut engine, vec![outside], "arguments in none of the partitions")
}

/// The way of one input through one version.
fn follow(context: &mut Context, runner: &Runner, input: &[u64]) -> Result<Followed, Rejected> {
    let wrong = |words: &str| Rejected::DoesNotFollow(words.to_owned());
    let mut state = initial(context, runner);
    let mut model = Model::new();
    for (n, &bits) in (0..).zip(input) {
        let Some(term) = number(&state, Var::Parameter(0, n)) else {
            return Err(wrong("an unused argument"));
        };
        let width = context.pool.width(term);
        let value = u128::from(bits) & (u128::MAX >> (128 - width));
        model.set(term, Value::Bits { width, value });
    }
    let (mut at, mut when, mut assumed) = (Target::Entry, Vec::new(), Vec::new());
    for _ in 0..MOST_VISITS {
        let segment = advance(runner, context, at, state, 1);
        let segment = segment.map_err(|obstacle| Rejected::NotRead(obstacle.to_string()))?;
        if !segment.required.is_empty() {
            return Err(Rejected::NotRead("recursion that is more than a jump".to_owned()));
        }
        assumed.extend(segment.assumptions.iter().copied());
        let mut evaluator = Evaluator::new(&context.pool, &model);
        if let Some(fault) = segment.faults.iter().find(|fault| evaluator.holds(fault.guard)) {
            when.push(fault.guard);
            return Ok(Followed { when, assumed, end: None });
        }
        let Some(end) = segment.ends.into_iter().find(|end| evaluator.holds(end.guard)) else {
            return Err(wrong("an input that arrives nowhere"));
        };
        when.push(end.guard);
        if !matches!(end.target, Target::Head(_) | Target::Entry) {
            let mut numbers = Vec::new();
            end.result.iter().for_each(|value| flatten(value, &mut numbers));
            return Ok(Followed { when, assumed, end: Some((end.target, end.state, numbers)) });
        }
        (at, state) = (end.target, end.state);
    }
    Err(Rejected::NotRead("an input that does not come to an end".to_owned()))
}

/// Whether two runs come to the same; none where they end in different ways.
fn equal(context: &mut Context, runner: &Runner, old: &Followed, new: &Followed) -> Option<Term> {
    let ((one, left, a), (other, right, b)) = match (&old.end, &new.end) {
        // Undefined is undefined.
        (None, None) => return Some(context.pool.bool(true)),
        (Some(old), Some(new)) => (old, new),
        _ => return None,
    };
    if one != other || a.len() != b.len() || left.public != right.public {
        return None;
    }
    let formats = result_formats(runner.code.module, runner.code.frames[0].function);
    let mut all = vec![context.pool.eq(left.world, right.world)];
    for (n, (&a, &b)) in a.iter().zip(b).enumerate() {
        if context.pool.sort(a) != context.pool.sort(b) {
            return None;
        }
        let mut same = context.pool.eq(a, b);
        if let Some(format) = formats.get(n).copied().flatten() {
            let (a, b) = (context.pool.is_nan(format, a), context.pool.is_nan(format, b));
            let neither = context.pool.and(a, b);
            same = context.pool.or(same, neither);
        }
        all.push(same);
    }
    Some(context.pool.and_all(all))
}

/// That nothing satisfies the conditions.
fn none(
    context: &mut Context,
    engine: &mut Engine<Box<dyn Solver + Send>>,
    mut conditions: Vec<Term>,
    what: &str,
) -> Result<(), Rejected> {
    let axioms = context.calls.congruence(&mut context.pool, &conditions);
    conditions.extend(axioms);
    if conditions.iter().any(|&one| context.pool.as_bool(one) == Some(false)) {
        return Ok(());
    }
    match engine.check(&mut context.pool, &conditions) {
        Answer::Unsat => Ok(()),
        Answer::Sat(_) => Err(Rejected::DoesNotFollow(what.to_owned())),
        Answer::Unknown(_) => Err(Rejected::NotRead(format!("{what}: no answer of the solver"))),
    }
}
