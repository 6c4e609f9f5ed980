//! Runs of both versions on a few inputs. They propose alignments and relations; nothing is believed because of them.

use crate::{
    Obstacle,
    code::Var,
    context::Context,
    segment::{Runner, Target},
    state::{State, Value},
    variables::number,
};
use hydrogen_ir::{Module, Type};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// Runs are followed over this many cuts.
const MOST_VISITS: usize = 40;
/// Bytes behind every pointer that comes in.
const BYTES: u64 = 96;

/// Numbers of the variables at one cut.
pub(crate) type Row = BTreeMap<Var, (u32, u128)>;

/// One run: the places it came to, with the numbers there. The last place may be an end.
pub(crate) type Trace = Vec<(Target, Row)>;

/// A small generator, so that the same question always gets the same inputs.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// An input: numbers for parameters, and memory.
pub(crate) fn input(context: &mut Context, module: &Module, runner: &Runner, seed: u64) -> (Vec<Term>, Term) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        dice.roll(2);
    }
    let function = module.function(runner.code.frames[0].function);
    let zero = context.pool.bits(8, 0);
    let mut memory = context.pool.const_array(64, zero);
    let mut arguments = Vec::new();
    for (n, parameter) in (0..).zip(&function.parameters) {
        let ty = parameter.ty.map(|ty| module.types.get(ty));
        let value = match ty {
            Some(Type::Pointer(_)) => {
                let begin = 0x1_0000 + n * 0x1000;
                let kind = dice.roll(3);
                for at in 0..BYTES {
                    let byte = match kind {
                        // Small numbers of four bytes.
                        0 => {
                            if at % 4 == 0 {
                                dice.roll(12)
                            } else {
                                0
                            }
                        }
                        // A string.
                        1 => {
                            if at + 1 == BYTES || dice.roll(7) == 0 {
                                0
                            } else {
                                u64::from(b"ab 1-"[dice.roll(5) as usize])
                            }
                        }
                        // Numbers and pointers to the next object, as lists have them.
                        _ => match at % 16 {
                            0 => dice.roll(12),
                            9 if at < 48 => (begin + (at / 16 + 1) * 16) >> 8 & 0xff,
                            8 if at < 48 => (begin + (at / 16 + 1) * 16) & 0xff,
                            10 if at < 48 => (begin + (at / 16 + 1) * 16) >> 16 & 0xff,
                            _ => 0,
                        },
                    };
                    if byte != 0 {
                        let (at, byte) = (context.word(begin + at), context.pool.bits(8, u128::from(byte)));
                        memory = context.pool.store(memory, at, byte);
                    }
                }
                u128::from(begin)
            }
            Some(Type::Float(kind)) => {
                let number = f64::from(u32::try_from(dice.roll(40)).unwrap_or(0)) / 4.0 - 3.0;
                match kind {
                    hydrogen_ir::FloatKind::Float => u128::from((number as f32).to_bits()),
                    _ => u128::from(number.to_bits()),
                }
            }
            _ => match dice.roll(8) {
                0 => u128::from(dice.roll(4)).wrapping_neg(),
                1 => u128::from(dice.roll(200)),
                _ => u128::from(dice.roll(13)),
            },
        };
        let width = parameter.ty.and_then(|ty| crate::homes::scalar_width(module, ty)).unwrap_or(64);
        arguments.push(context.pool.bits(width, value));
    }
    (arguments, memory)
}

/// The state at the beginning with these arguments and this memory.
pub(crate) fn state_of(context: &mut Context, runner: &Runner, arguments: &[Term], memory: Term) -> State {
    let mut values: BTreeMap<Var, Value> =
        (0..).zip(arguments).map(|(n, &term)| (Var::Parameter(0, n), Value::Bits(term, None))).collect();
    if let Some(neutral) = crate::fold::at_first(context, runner.code, 0) {
        values.insert(crate::fold::gathered(0), Value::Bits(neutral, None));
    }
    let zero = context.pool.bits(8, 0);
    let empty = context.pool.const_array(64, zero);
    let objects = vec![empty; runner.addresses.len()];
    let (world, epoch) = (context.word(0), context.word(0));
    State { values, public: memory, objects, world, epoch }
}

/// Follows one run.
pub(crate) fn trace(context: &mut Context, runner: &Runner, start: State) -> Result<Trace, Obstacle> {
    let mut trace = vec![(Target::Entry, row(context, &start))];
    let (mut at, mut state) = (Target::Entry, start);
    while trace.len() < MOST_VISITS {
        let mut segment = runner.advance(context, at, state, 1)?;
        if segment.ends.len() != 1 || context.pool.as_bool(segment.ends[0].guard) != Some(true) {
            break;
        }
        let end = segment.ends.remove(0);
        let row = row(context, &end.state);
        trace.push((end.target, row));
        if !matches!(end.target, Target::Head(_)) {
            break;
        }
        (at, state) = (end.target, end.state);
    }
    Ok(trace)
}

fn row(context: &Context, state: &State) -> Row {
    let numbers = state.values.keys().filter_map(|&var| {
        let term = number(state, var)?;
        match context.pool.sort(term) {
            Sort::Bits(width) => Some((var, (width, context.pool.as_bits(term)?))),
            _ => None,
        }
    });
    numbers.collect()
}
