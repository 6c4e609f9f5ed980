//! One input run in both versions, and inputs on which they differ.
//!
//! The runs are those of the prover's own evaluator on numbers. They find inputs; whoever reports one runs it in the machine first.

use crate::{
    Obstacle,
    code::Var,
    context::Context,
    data,
    segment::{Runner, Target},
    state::State,
    subject::Subject,
    variables::number,
};
use hydrogen_evidence::{Call, Cell, Class, Object, Value as Known};
use hydrogen_ir::{FloatKind, FunctionId, Module, Type};
use hydrogen_term::{Op, Term};
use std::collections::BTreeSet;

/// Cuts that a run may visit.
const MOST_VISITS: usize = 300;
/// Bytes behind a pointer that comes in.
const BUFFER: u64 = 64;

/// An input of a function.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Argument {
    /// A number, or a floating-point number by its bits, with its width.
    Number(u32, u128),
    /// A pointer to new memory with these bytes.
    Memory(Vec<u8>),
    /// The null pointer.
    Null,
    /// The same memory as the parameter of this number.
    Same(usize),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Results, memory, and what the outside has seen.
    Returned(Vec<u128>, Vec<(u64, u128)>, u128),
    /// By a call that does not come back.
    Stopped(u128),
    Faulted(Class),
    /// It did not end in time, or met something that is not followed.
    Unknown,
}

/// How a run ended, and whether it met something of which only the name is known: then it is one of many possible runs.
pub(crate) type Run = (Outcome, bool);

/// Numbers at the edges, where rewrites that hold in mathematics fail in C.
const EDGES: &[i128] = &[
    0,
    1,
    -1,
    2,
    3,
    -2,
    5,
    7,
    10,
    100,
    -100,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    i32::MAX as i128,
    i32::MIN as i128,
    i32::MAX as i128 - 1,
    i32::MIN as i128 + 1,
    u32::MAX as i128,
    i64::MAX as i128,
    i64::MIN as i128,
    1 << 16,
    1 << 30,
    1 << 31,
    46341,
    65537,
    1 << 62,
];
const FLOATS: &[f64] = &[
    0.0,
    1.0,
    -1.0,
    0.1,
    0.2,
    0.3,
    -0.0,
    2.5,
    3.7,
    1e16,
    1e-16,
    1e308,
    -1e308,
    1e-320,
    7.0,
    1.0 / 3.0,
    100.5,
    f64::INFINITY,
    f64::NAN,
    123456789.123,
    0.7,
];

/// The `n`-th input to try: small ones first.
pub(crate) fn argument_list(module: &Module, function: FunctionId, n: u64) -> Vec<Argument> {
    let function = module.function(function);
    let mut seed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = |sides: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % sides
    };
    for _ in 0..4 {
        roll(2);
    }
    let mut all = Vec::new();
    for parameter in &function.parameters {
        let ty = parameter.ty.map(|ty| module.types.get(ty));
        let width = parameter.ty.and_then(|ty| crate::homes::scalar_width(module, ty)).unwrap_or(64);
        all.push(match ty {
            Some(Type::Pointer(_)) => match roll(8) {
                0 => match all.iter().position(|one| matches!(one, Argument::Memory(_))) {
                    Some(other) if roll(2) == 0 => Argument::Same(other),
                    _ => Argument::Null,
                },
                kind => Argument::Memory(
                    (0..BUFFER)
                        .map(|at| match kind {
                            1..=3 if at % 4 == 0 => roll(9) as u8,
                            1..=3 => 0,
                            4 | 5 if at + 1 == BUFFER || roll(6) == 0 => 0,
                            4 | 5 => b"ab 1-Zz"[roll(7) as usize],
                            6 => [0, 0xff, 0x7f, 0x80, 1][roll(5) as usize],
                            _ if at % 4 == 3 => [0, 0x7f, 0xff, 0x80][roll(4) as usize],
                            _ => {
                                if roll(2) == 0 {
                                    0xff
                                } else {
                                    roll(256) as u8
                                }
                            }
                        })
                        .collect(),
                ),
            },
            Some(Type::Float(kind)) => {
                let value = match roll(3) {
                    0 => FLOATS[roll(FLOATS.len() as u64) as usize],
                    1 => roll(2000) as f64 / 7.0 - 100.0,
                    _ => roll(20) as f64 / 4.0,
                };
                let bits = match kind {
                    FloatKind::Float => u128::from((value as f32).to_bits()),
                    _ => u128::from(value.to_bits()),
                };
                Argument::Number(width, bits)
            }
            _ => {
                let value = match roll(if n < 60 { 2 } else { 4 }) {
                    0 => roll(9) as i128 - 2,
                    1 => roll(40) as i128 - 10,
                    2 => EDGES[roll(EDGES.len() as u64) as usize],
                    _ => (roll(u64::MAX) as i128) << roll(8),
                };
                Argument::Number(
                    width,
                    value as u128 & if width >= 128 { u128::MAX } else { (1 << width) - 1 },
                )
            }
        });
    }
    all
}

/// An input as a call that can be made.
pub fn call_of(subject: Subject, arguments: &[Argument]) -> Call {
    let function = subject.module.function(subject.function);
    let mut call = Call { function: function.name.clone(), ..Call::default() };
    // Where the memory of a parameter is.
    let mut objects: Vec<Option<usize>> = Vec::new();
    for (argument, parameter) in arguments.iter().zip(&function.parameters) {
        let name = parameter.name.clone();
        objects.push(None);
        let value = match argument {
            Argument::Number(width, bits) => Known::number((*width).min(64), *bits as u64),
            Argument::Null => Known::Null,
            Argument::Same(other) => match objects.get(*other).copied().flatten() {
                Some(object) => Known::Object(object, 0),
                None => Known::Null,
            },
            Argument::Memory(bytes) => {
                let cells = bytes.chunks(8).enumerate().map(|(at, chunk)| {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    let (at, path) = (at as u64 * 8, String::new());
                    let value = Known::number(chunk.len() as u32 * 8, u64::from_le_bytes(word));
                    Cell { at, path, value }
                });
                let cells = cells.collect();
                objects.pop();
                objects.push(Some(call.objects.len()));
                let (of, size) = (String::new(), bytes.len() as u64);
                call.objects.push(Object { name: name.clone(), of, size, cells });
                Known::Object(call.objects.len() - 1, 0)
            }
        };
        call.arguments.push(hydrogen_evidence::Argument { name, value });
    }
    call
}

/// Runs one version on an input.
pub(crate) fn run(context: &mut Context, runner: &Runner, arguments: &[Argument]) -> Result<Run, Obstacle> {
    let (mut terms, mut buffers) = (Vec::new(), Vec::new());
    let zero = context.pool.bits(8, 0);
    let mut memory = context.pool.const_array(64, zero);
    for (n, argument) in (0u64..).zip(arguments) {
        terms.push(match argument {
            Argument::Number(width, bits) => context.pool.bits(*width, *bits),
            Argument::Null => context.word(0),
            Argument::Same(other) => context.word(0x1_0000 + *other as u64 * 0x1000),
            Argument::Memory(bytes) => {
                let begin = 0x1_0000 + n * 0x1000;
                buffers.push((begin, bytes.len() as u64));
                for (at, &byte) in (begin..).zip(bytes) {
                    let (at, byte) = (context.word(at), context.pool.bits(8, u128::from(byte)));
                    memory = context.pool.store(memory, at, byte);
                }
                context.word(begin)
            }
        });
    }
    let start = data::state_of(context, runner, &terms, memory);
    context.concrete = true;
    context.guessed = false;
    context.buffers = Some(buffers);
    let outcome = follow(context, runner, start);
    context.concrete = false;
    context.buffers = None;
    Ok((outcome?, context.guessed))
}

fn follow(context: &mut Context, runner: &Runner, start: State) -> Result<Outcome, Obstacle> {
    let (mut at, mut state) = (Target::Entry, start);
    for _ in 0..MOST_VISITS {
        let mut segment = runner.advance(context, at, state, 1)?;
        let sure = |guard: Term| context.pool.as_bool(guard) == Some(true);
        if let Some(fault) = segment.faults.iter().find(|fault| sure(fault.guard)) {
            return Ok(Outcome::Faulted(fault.class));
        }
        if segment.ends.len() != 1 || !sure(segment.ends[0].guard) {
            return Ok(Outcome::Unknown);
        }
        let end = segment.ends.remove(0);
        match end.target {
            Target::Head(_) => (at, state) = (end.target, end.state),
            Target::Return => {
                let mut values = Vec::new();
                end.result.iter().for_each(|value| crate::call::flatten(value, &mut values));
                let numbers: Option<Vec<u128>> =
                    values.iter().map(|&term| context.pool.as_bits(term)).collect();
                // What is no number is just that.
                let formats =
                    crate::meaning::result_formats(runner.code.module, runner.code.frames[0].function);
                let plain = |(at, bits): (usize, u128)| match formats.get(at).copied().flatten() {
                    Some(format) if format.is_nan(bits) => format.default_nan(),
                    _ => bits,
                };
                let numbers: Option<Vec<u128>> =
                    numbers.map(|numbers| numbers.into_iter().enumerate().map(plain).collect());
                let memory = touched(context, end.state.public);
                let world = context.pool.as_bits(end.state.world);
                return Ok(match (numbers, memory, world) {
                    (Some(numbers), Some(memory), Some(world)) => Outcome::Returned(numbers, memory, world),
                    _ => Outcome::Unknown,
                });
            }
            Target::Stop => {
                return Ok(context.pool.as_bits(end.state.world).map_or(Outcome::Unknown, Outcome::Stopped));
            }
            Target::Entry => return Ok(Outcome::Unknown),
        }
    }
    Ok(Outcome::Unknown)
}

/// What memory holds at all addresses that were written, in order.
fn touched(context: &mut Context, memory: Term) -> Option<Vec<(u64, u128)>> {
    let mut addresses = BTreeSet::new();
    let mut array = memory;
    while context.pool.op(array) == Op::Store {
        let (below, at) = (context.pool.args(array)[0], context.pool.args(array)[1]);
        addresses.insert(u64::try_from(context.pool.as_bits(at)?).ok()?);
        array = below;
    }
    let mut bytes = Vec::new();
    for address in addresses {
        let at = context.word(address);
        let byte = context.pool.select(memory, at);
        let byte = context.pool.as_bits(byte)?;
        // Memory is zero where nothing was written.
        if byte != 0 {
            bytes.push((address, byte));
        }
    }
    Some(bytes)
}

/// What differs between two outcomes; none if nothing does or one is not known.
pub(crate) fn difference(old: &Outcome, new: &Outcome) -> Option<String> {
    match (old, new) {
        (Outcome::Unknown, _) | (_, Outcome::Unknown) => None,
        // Two faults of different kinds are both undefined behaviour.
        (Outcome::Faulted(_), Outcome::Faulted(_)) => None,
        _ if old == new => None,
        (Outcome::Returned(a, ..), Outcome::Returned(b, ..)) if a != b => Some("the result".to_owned()),
        (Outcome::Returned(_, _, a), Outcome::Returned(_, _, b)) if a != b => {
            Some("the calls or volatile accesses made".to_owned())
        }
        (Outcome::Returned(..), Outcome::Returned(..)) => Some("the memory that the caller sees".to_owned()),
        (Outcome::Faulted(_), _) | (_, Outcome::Faulted(_)) => Some("whether it faults".to_owned()),
        _ => Some("whether it comes back".to_owned()),
    }
}

/// The arguments of the parameters in a model's terms.
pub(crate) fn parameters(state: &State, count: usize) -> Vec<Option<Term>> {
    (0..).map(|n| number(state, Var::Parameter(0, n))).take(count).collect()
}
