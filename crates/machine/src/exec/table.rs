//! What the machine computes against the table of meanings: every byte, and wider values at random.

use super::call::Passed;
use super::{Limits, Machine, Statistics, hot};
use crate::code::Instr;
use crate::fault::{FaultKind, Trouble};
use crate::monitor::Off;
use crate::program::{FuncId, Program};
use crate::world::World;
use hydrogen_ir::Intrinsic;
use hydrogen_semantics::undefined::Partly;
use hydrogen_semantics::{self as semantics, Kind, Numbers};
use hydrogen_testkit::operators::{self, Operator};
use rustc_hash::FxHashMap;

/// The machine just before the instruction, again and again.
struct Bench<'p> {
    machine: Machine<'p, Off>,
    function: FuncId,
}

impl<'p> Bench<'p> {
    fn new(program: &'p Program, strict: bool) -> Self {
        let mut machine = Machine {
            program,
            memory: program.image.clone(),
            registers: Vec::new(),
            shadows: Vec::new(),
            dirty: Vec::new(),
            frames: Vec::new(),
            world: World::default(),
            monitor: Off,
            limits: Limits { strict, ..Limits::default() },
            statistics: Statistics::default(),
            called: vec![false; program.function_count()],
            thread_pointer: 0,
            jumps: FxHashMap::default(),
            serial: 0,
            calling: None,
            after: None,
            given: Vec::new(),
            results: Vec::new(),
            closed: None,
            went_on: None,
            fitting: super::call::Fitting::default(),
            threads: super::threads::Threads::default(),
            nested: Default::default(),
        };
        let function = program.find("f").expect("the program has the function");
        let code = program.code(function).expect("it has code");
        let argument = |parts: &Vec<crate::code::Part>| Passed { parts: parts.clone(), ..Passed::word(0) };
        let arguments: Vec<Passed> = code.parameter_parts.iter().map(argument).collect();
        assert!(machine.enter(function, &arguments, 0, 0).is_ok());
        Self { machine, function }
    }

    /// The result and its undefined bits, or the fault.
    fn run(&mut self, arguments: &[Partly]) -> Result<(u128, u128), FaultKind> {
        let machine = &mut self.machine;
        let careful = arguments.iter().any(|argument| argument.undefined != 0);
        let code = machine.program.code(self.function).expect("it has code");
        machine.forget_undefined();
        let frame = machine.frames.last_mut().expect("it was entered");
        (frame.pc, frame.careful) = (0, false);
        if careful {
            machine.be_careful();
        }
        let mut register = 0;
        for (argument, parts) in arguments.iter().zip(&code.parameter_parts) {
            let count = parts[0].scalar.registers();
            machine.set_wide(register, count, argument.value.bits());
            machine.set_undefined(register, argument.undefined as u64);
            if count == 2 {
                machine.set_undefined(register + 1, (argument.undefined >> 64) as u64);
            }
            register += count;
        }
        loop {
            let careful = machine.frames[0].careful;
            let (_, exit) = match careful {
                true => hot::run::<Off, true>(machine, 10, false),
                false => hot::run::<Off, false>(machine, 10, false),
            };
            let pc = machine.frames[0].pc as usize;
            let outcome = match exit {
                hot::Exit::Cold => match code.instrs[pc] {
                    Instr::Return { src, count } => {
                        let value = machine.get_wide(src, count);
                        let mut bits = u128::from(machine.undefined_bits(src));
                        if count == 2 {
                            bits |= u128::from(machine.undefined_bits(src + 1)) << 64;
                        }
                        return Ok((value, bits));
                    }
                    ref instr => machine.cold(code, instr),
                },
                hot::Exit::Trouble(trouble) => Err(trouble),
                _ => Ok(()),
            };
            match outcome {
                Ok(()) => {}
                Err(Trouble::Fault(kind, _)) => return Err(kind),
                Err(other) => panic!("neither a result nor a fault: {other:?}"),
            }
        }
    }
}

/// Every operator of the list does what the table says, for all bytes, and for so many wider operands.
fn check(list: &[Operator], random: usize) {
    for operator in list {
        let program = Program::load(vec![operator.module()], None);
        // Being strict matters to shifts alone; those of more than a register are never marked.
        let marked = operator.instruction.starts_with("shl") && operator.operands[0].1.width() <= 64;
        let modes: &[bool] = if marked { &[false, true] } else { &[false] };
        for &strict in modes {
            let mut bench = Bench::new(&program, strict);
            for values in operator.inputs(random) {
                let said = operator.said(&values);
                let fault = if strict { said.strictly } else { said.fault };
                let expected = fault.map_or(Ok((said.value, 0)), Err);
                let defined: Vec<Partly> =
                    values.iter().map(|&value| Partly { value, undefined: 0 }).collect();
                let text = &operator.instruction;
                assert_eq!(bench.run(&defined), expected, "{text} of {values:?}, strict: {strict}");
            }
        }
    }
}

#[test]
fn integers() {
    check(&operators::integers(8), 3000);
    for width in [1, 16, 24, 32, 64, 128] {
        check(&operators::integers(width), 3000);
    }
}

#[test]
fn pointers_and_floating_point() {
    check(&operators::pointers(), 2000);
    check(&operators::floating_point(), 2000);
    check(&operators::remainders(), 2000);
}

#[test]
fn undefined_bits() {
    for width in [8, 24, 32, 64] {
        for operator in operators::integers(width) {
            let program = Program::load(vec![operator.module()], None);
            let mut bench = Bench::new(&program, false);
            let mask = u128::MAX >> (128 - operator.result.1.width());
            for values in operator.partly(3000) {
                let Some(expected) = operator.undefined(&values) else { break };
                let Ok((_, found)) = bench.run(&values) else { continue };
                assert_eq!(found & mask, expected, "{} of {values:?}", operator.instruction);
            }
        }
    }
}

#[test]
fn operations_that_say_whether_they_overflow() {
    use Intrinsic::*;
    for which in [SAddOverflow, UAddOverflow, SSubOverflow, USubOverflow, SMulOverflow, UMulOverflow] {
        for width in [8, 32, 64, 128] {
            let like = operators::integers(width).into_iter().find(|one| one.operands.len() == 2);
            for values in like.expect("there are some").inputs(3000).iter().rev().take(3000) {
                let table =
                    semantics::intrinsic(&mut Numbers, which, Kind::Int(width), values).expect("it exists");
                let [a, b] = [values[0].bits(), values[1].bits()];
                let found = super::intrinsics::with_overflow(which, width, a, b);
                assert_eq!(
                    (found.0, Some(found.1)),
                    (table.value.bits(), table.overflow),
                    "{which:?} {values:?}"
                );
            }
        }
    }
}
