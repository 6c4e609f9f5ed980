//! What the machine computes against the table of meanings: every byte, and wider values at random.

use super::call::Passed;
use super::{Limits, Machine, Statistics, hot};
use crate::code::Instr;
use crate::fault::{FaultKind, Trouble};
use crate::monitor::Off;
use crate::program::{FuncId, Program};
use crate::world::World;
use hydrogen_ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Intrinsic, WrapFlags};
use hydrogen_semantics::undefined::{self, Partly};
use hydrogen_semantics::{self as semantics, Kind, Number, Numbers, Outcome, Step};
use rustc_hash::FxHashMap;

/// A type of the program model: its name, size in bits, and bytes in memory.
const TYPES: [(&str, u32, u32); 11] = [
    ("i1", 1, 1),
    ("i8", 8, 1),
    ("i16", 16, 2),
    ("i32", 32, 4),
    ("i64", 64, 8),
    ("i128", 128, 16),
    ("ptr", 64, 8),
    ("half", 16, 2),
    ("float", 32, 4),
    ("double", 64, 8),
    ("i24", 24, 4),
];

/// A program of one function, which computes one instruction.
fn program(types: &[&str], result: &str, instruction: &str) -> Program {
    let mut text = String::from("module \"t.c\" target \"x86_64-pc-linux-gnu\"\n");
    for (index, (name, bits, bytes)) in TYPES.iter().enumerate() {
        text += &format!("type %{index} = {name} size {bits} alloc {bytes} align {bytes}\n");
    }
    let parameters = types.join(", ");
    text +=
        &format!("type %{} = void\ntype %{} = fn({parameters}) -> {result}\n", TYPES.len(), TYPES.len() + 1);
    let called = instruction.strip_prefix("call ").and_then(|call| call.split('(').next());
    if let Some(called) = called {
        text += &format!("const #0 = &{called}\n");
    }
    text += &format!("function &0 \"f\" external type fn({parameters}) -> {result} {{\n");
    for (index, ty) in types.iter().enumerate() {
        text += &format!("  param \"p{index}\" {ty}\n");
    }
    let instruction = match instruction.strip_prefix("call ") {
        Some(call) => format!("call fn({parameters}) -> {result} &{call}"),
        None => instruction.to_owned(),
    };
    text += "  piece p0 entry s0 \"\"\n  piece p1 exit s0 \"\"\n  flow p0 -> p1 next\n  body {\n    block b0 \"entry\" {\n";
    text +=
        &format!("      v0: {result} = {instruction} | p0\n      v1: void = ret v0 | p0\n    }}\n  }}\n}}\n");
    if let Some(called) = called {
        text += &format!("function &1 \"{called}\" external type fn({parameters}) -> {result}\n");
    }
    let module = hydrogen_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Program::load(vec![module], None)
}

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
            went_on: None,
            fitting: super::call::Fitting::default(),
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
            let frame = *machine.frames.last().expect("it was entered");
            let (base, end) = (frame.base as usize, frame.base as usize + code.registers as usize);
            let window = hot::Hot {
                function: self.function,
                depth: 0,
                code,
                window: &mut machine.registers[base..end],
                shadow: if frame.careful { &mut machine.shadows[base..end] } else { &mut [] },
                memory: &mut machine.memory,
                local: frame.local as usize,
                monitor: &mut machine.monitor,
                branches: &mut machine.statistics.branches,
                strict: machine.limits.strict,
                told: false,
            };
            let (pc, _, exit) = match frame.careful {
                true => hot::run::<Off, true>(window, frame.pc as usize, 10),
                false => hot::run::<Off, false>(window, frame.pc as usize, 10),
            };
            machine.frames[0].pc = pc as u32;
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

    fn value(&mut self, arguments: &[Number]) -> Result<u128, FaultKind> {
        let defined: Vec<Partly> = arguments.iter().map(|&value| Partly { value, undefined: 0 }).collect();
        self.run(&defined).map(|(value, undefined)| {
            assert_eq!(undefined, 0);
            value
        })
    }
}

/// Numbers that look random, with corners.
struct Numerals(u64);

impl Numerals {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ self.0 >> 29
    }

    fn number(&mut self, width: u32) -> Number {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        Number::new(
            width,
            match self.next() >> 60 {
                0..6 => wide,
                6..9 => wide % 140,
                9 | 10 => 0u128.wrapping_sub(wide % 5),
                11 => 1 << (width - 1),
                12 => (1 << (width - 1)) - 1,
                13 => 1 << (wide % u128::from(width)),
                _ => 0,
            },
        )
    }
}

const OPERATORS: [(&str, BinaryOp); 13] = [
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("udiv", BinaryOp::UDiv),
    ("sdiv", BinaryOp::SDiv),
    ("urem", BinaryOp::URem),
    ("srem", BinaryOp::SRem),
    ("shl", BinaryOp::Shl),
    ("lshr", BinaryOp::LShr),
    ("ashr", BinaryOp::AShr),
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("xor", BinaryOp::Xor),
];

/// What the table says that a run does.
fn expected(outcome: &Outcome<Numbers>, strict: bool) -> Result<u128, FaultKind> {
    match outcome.faults.iter().find(|fault| fault.when && (strict || !fault.why.is_tolerated())) {
        Some(fault) => Err(fault.why.kind()),
        None => Ok(outcome.value.bits()),
    }
}

fn check_operator(width: u32, strict: bool, pairs: &mut dyn FnMut() -> Vec<(Number, Number)>) {
    for (name, op) in OPERATORS {
        for (words, nsw, other) in [("", false, false), (" nsw", true, false), (" flag", false, true)] {
            let marked = op == BinaryOp::Shl && width <= 64;
            if (strict || other) && !marked {
                continue;
            }
            let flags = WrapFlags { nsw, other, ..WrapFlags::default() };
            let ty = format!("i{width}");
            let program = program(&[&ty, &ty], &ty, &format!("{name}{words} a0, a1"));
            let mut bench = Bench::new(&program, strict);
            for (a, b) in pairs() {
                let outcome = semantics::binary(&mut Numbers, op, flags, a, b).expect("all are on integers");
                let found = bench.value(&[a, b]);
                assert_eq!(found, expected(&outcome, strict), "{a:?} {name}{words} {b:?}, strict: {strict}");
            }
        }
    }
}

#[test]
fn integer_operators() {
    let bytes = |a: u32| (0..256).map(move |b| (Number::new(8, a.into()), Number::new(8, b)));
    check_operator(8, false, &mut || (0..256).flat_map(bytes).collect());
    check_operator(8, true, &mut || (0..256).flat_map(bytes).collect());
    for width in [1, 16, 24, 32, 64, 128] {
        let mut numbers = Numerals(u64::from(width));
        for strict in [false, true] {
            check_operator(width, strict, &mut || {
                (0..3000).map(|_| (numbers.number(width), numbers.number(width))).collect()
            });
        }
    }
}

#[test]
fn undefined_bits() {
    for width in [8, 24, 32, 64] {
        let ty = format!("i{width}");
        for (name, op) in OPERATORS {
            let program = program(&[&ty, &ty], &ty, &format!("{name} a0, a1"));
            let mut bench = Bench::new(&program, false);
            let mut numbers = Numerals(7);
            for _ in 0..3000 {
                let mut partly = || {
                    let value = numbers.number(width);
                    let undefined = numbers.number(width).bits();
                    Partly { value, undefined: if numbers.next().is_multiple_of(3) { 0 } else { undefined } }
                };
                let (a, b) = (partly(), partly());
                let Ok((_, found)) = bench.run(&[a, b]) else { continue };
                let mask = u128::MAX >> (128 - width);
                assert_eq!(found & mask, undefined::binary(op, a, b), "{a:?} {name} {b:?}");
            }
        }
        for (name, predicate) in PREDICATES {
            let program = program(&[&ty, &ty], "i1", &format!("icmp {name} a0, a1"));
            let mut bench = Bench::new(&program, false);
            let mut numbers = Numerals(9);
            for _ in 0..1000 {
                let mut partly =
                    || Partly { value: numbers.number(width), undefined: numbers.number(width).bits() };
                let (a, b) = (partly(), partly());
                let (_, found) = bench.run(&[a, b]).expect("a comparison is no fault");
                assert_eq!(found & 1 != 0, undefined::compare(predicate, a, b), "{a:?} {name} {b:?}");
            }
        }
    }
}

const PREDICATES: [(&str, IntPredicate); 10] = [
    ("eq", IntPredicate::Eq),
    ("ne", IntPredicate::Ne),
    ("ugt", IntPredicate::Ugt),
    ("uge", IntPredicate::Uge),
    ("ult", IntPredicate::Ult),
    ("ule", IntPredicate::Ule),
    ("sgt", IntPredicate::Sgt),
    ("sge", IntPredicate::Sge),
    ("slt", IntPredicate::Slt),
    ("sle", IntPredicate::Sle),
];

#[test]
fn comparisons_also_of_pointers() {
    for (name, predicate) in PREDICATES {
        for (ty, width) in [("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64), ("i128", 128), ("ptr", 64)] {
            let program = program(&[ty, ty], "i1", &format!("icmp {name} a0, a1"));
            let mut bench = Bench::new(&program, false);
            let mut numbers = Numerals(u64::from(width));
            for _ in 0..2000 {
                let a = numbers.number(width);
                let b = if numbers.next().is_multiple_of(4) { a } else { numbers.number(width) };
                let holds = semantics::compare(&mut Numbers, predicate, a, b);
                assert_eq!(bench.value(&[a, b]), Ok(u128::from(holds)), "{a:?} {name} {b:?}");
            }
        }
    }
}

#[test]
fn addresses() {
    let program = program(&["ptr", "i32"], "ptr", "gep i64, a0, [a1]");
    let mut bench = Bench::new(&program, false);
    let mut numbers = Numerals(3);
    for _ in 0..2000 {
        let (base, index) = (numbers.number(64), numbers.number(32));
        let moved = semantics::moved(&mut Numbers, base, [Step::Index(index, 8)]);
        assert_eq!(bench.value(&[base, index]), Ok(moved.bits()));
    }
}

#[test]
fn conversions() {
    use CastOp::*;
    let int = |width: u32| (format!("i{width}"), Kind::Int(width));
    let floats = [
        ("half".to_owned(), Kind::Float(hydrogen_float::Format::Half)),
        ("float".to_owned(), Kind::Float(hydrogen_float::Format::Single)),
        ("double".to_owned(), Kind::Float(hydrogen_float::Format::Double)),
    ];
    let mut cases = Vec::new();
    for from in [8, 16, 32, 64, 128] {
        for to in [1, 8, 24, 32, 64, 128] {
            match from > to {
                true => cases.push(("trunc", Trunc, int(from), int(to))),
                false if from < to => {
                    cases.push(("zext", ZExt, int(from), int(to)));
                    cases.push(("sext", SExt, int(from), int(to)));
                }
                false => {}
            }
        }
        for float in &floats {
            cases.push(("sitofp", SiToFp, int(from), float.clone()));
            cases.push(("uitofp", UiToFp, int(from), float.clone()));
            cases.push(("fptosi", FpToSi, float.clone(), int(from)));
            cases.push(("fptoui", FpToUi, float.clone(), int(from)));
        }
    }
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        cases.push(("fpext", FpExt, floats[a].clone(), floats[b].clone()));
        cases.push(("fptrunc", FpTrunc, floats[b].clone(), floats[a].clone()));
    }
    for (name, op, (from, from_kind), (to, to_kind)) in cases {
        let program = program(&[&from], &to, &format!("{name} a0"));
        let mut bench = Bench::new(&program, false);
        let mut numbers = Numerals(11);
        for round in 0..1500 {
            let mut value = numbers.number(from_kind.width());
            if let (Kind::Float(format), true) = (from_kind, round % 2 == 0) {
                let integer = numbers.number(70).signed() >> (numbers.next() % 70);
                value = Number::new(format.width(), hydrogen_float::from_int(format, true, integer as u128));
            }
            let expected = semantics::cast(&mut Numbers, op, from_kind, to_kind, value).expect("it exists");
            assert_eq!(bench.value(&[value]), Ok(expected.bits()), "{name} {from} {value:?} to {to}");
        }
    }
}

#[test]
fn floating_point() {
    let formats = [
        ("half", hydrogen_float::Format::Half),
        ("float", hydrogen_float::Format::Single),
        ("double", hydrogen_float::Format::Double),
    ];
    let operators = [
        ("fadd", BinaryOp::FAdd),
        ("fsub", BinaryOp::FSub),
        ("fmul", BinaryOp::FMul),
        ("fdiv", BinaryOp::FDiv),
        ("frem", BinaryOp::FRem),
    ];
    let predicates = [
        ("oeq", FloatPredicate::Oeq),
        ("ogt", FloatPredicate::Ogt),
        ("oge", FloatPredicate::Oge),
        ("olt", FloatPredicate::Olt),
        ("ole", FloatPredicate::Ole),
        ("one", FloatPredicate::One),
        ("ord", FloatPredicate::Ord),
        ("uno", FloatPredicate::Uno),
        ("ueq", FloatPredicate::Ueq),
        ("ugt", FloatPredicate::Ugt),
        ("uge", FloatPredicate::Uge),
        ("ult", FloatPredicate::Ult),
        ("ule", FloatPredicate::Ule),
        ("une", FloatPredicate::Une),
    ];
    let some = |numbers: &mut Numerals, format: hydrogen_float::Format| {
        let bits = match numbers.next() % 4 {
            0 => numbers.number(format.width()).bits(),
            1 => hydrogen_float::from_int(format, true, numbers.number(12).signed() as u128),
            2 => format.infinity() | numbers.number(2).bits(),
            _ => u128::from(numbers.next() % 3) | format.sign_bit(),
        };
        Number::new(format.width(), bits)
    };
    for (ty, format) in formats {
        for (name, op) in operators {
            let program = program(&[ty, ty], ty, &format!("{name} a0, a1"));
            let (mut bench, mut numbers) = (Bench::new(&program, false), Numerals(5));
            for _ in 0..2000 {
                let (a, b) = (some(&mut numbers, format), some(&mut numbers, format));
                let value =
                    semantics::float_binary(&mut Numbers, op, format, a, b).expect("numbers have all");
                assert_eq!(bench.value(&[a, b]), Ok(value.bits()), "{a:?} {name} {b:?}");
            }
        }
        for (name, predicate) in predicates {
            let program = program(&[ty, ty], "i1", &format!("fcmp {name} a0, a1"));
            let (mut bench, mut numbers) = (Bench::new(&program, false), Numerals(5));
            for _ in 0..1000 {
                let a = some(&mut numbers, format);
                let b = if numbers.next().is_multiple_of(3) { a } else { some(&mut numbers, format) };
                let holds = semantics::float_compare(&mut Numbers, predicate, format, a, b);
                assert_eq!(bench.value(&[a, b]).ok(), holds.map(u128::from), "{a:?} {name} {b:?}");
            }
        }
        check_intrinsics(FLOAT_INTRINSICS, ty, Kind::Float(format), |numbers| some(numbers, format));
    }
}

type Named = (&'static str, Intrinsic, usize);

const FLOAT_INTRINSICS: &[Named] = &[
    ("fabs", Intrinsic::FAbs, 1),
    ("sqrt", Intrinsic::Sqrt, 1),
    ("floor", Intrinsic::Floor, 1),
    ("ceil", Intrinsic::Ceil, 1),
    ("trunc", Intrinsic::FTrunc, 1),
    ("rint", Intrinsic::Rint, 1),
    ("round", Intrinsic::Round, 1),
    ("roundeven", Intrinsic::RoundEven, 1),
    ("copysign", Intrinsic::CopySign, 2),
    ("minnum", Intrinsic::MinNum, 2),
    ("maxnum", Intrinsic::MaxNum, 2),
    ("fma", Intrinsic::Fma, 3),
    ("fmuladd", Intrinsic::FMulAdd, 3),
];

const INTRINSICS: &[Named] = &[
    ("sadd.sat", Intrinsic::SAddSat, 2),
    ("uadd.sat", Intrinsic::UAddSat, 2),
    ("ssub.sat", Intrinsic::SSubSat, 2),
    ("usub.sat", Intrinsic::USubSat, 2),
    ("bitreverse", Intrinsic::BitReverse, 1),
    ("ctpop", Intrinsic::CtPop, 1),
    ("ctlz", Intrinsic::CtLz, 1),
    ("cttz", Intrinsic::CtTz, 1),
    ("fshl", Intrinsic::FShl, 3),
    ("fshr", Intrinsic::FShr, 3),
    ("abs", Intrinsic::Abs, 1),
    ("smax", Intrinsic::SMax, 2),
    ("smin", Intrinsic::SMin, 2),
    ("umax", Intrinsic::UMax, 2),
    ("umin", Intrinsic::UMin, 2),
    ("bswap", Intrinsic::BSwap, 1),
];

fn check_intrinsics(list: &[Named], ty: &str, kind: Kind, mut some: impl FnMut(&mut Numerals) -> Number) {
    for &(name, which, arity) in list {
        let arguments: Vec<String> = (0..arity).map(|index| format!("a{index}")).collect();
        let program =
            program(&vec![ty; arity], ty, &format!("call llvm.{name}.{ty}({})", arguments.join(", ")));
        let (mut bench, mut numbers) = (Bench::new(&program, false), Numerals(5));
        for _ in 0..1500 {
            let values: Vec<Number> = (0..arity).map(|_| some(&mut numbers)).collect();
            let expected = semantics::intrinsic(&mut Numbers, which, kind, &values).expect("it exists");
            assert_eq!(bench.value(&values), Ok(expected.value.bits()), "{name} of {values:?}");
        }
    }
}

#[test]
fn the_compilers_own_functions() {
    for width in [8, 16, 32, 64, 128] {
        check_intrinsics(INTRINSICS, &format!("i{width}"), Kind::Int(width), |numbers| numbers.number(width));
    }
    use Intrinsic::*;
    for which in [SAddOverflow, UAddOverflow, SSubOverflow, USubOverflow, SMulOverflow, UMulOverflow] {
        for width in [8, 32, 64, 128] {
            let mut numbers = Numerals(u64::from(width));
            for _ in 0..3000 {
                let (a, b) = (numbers.number(width), numbers.number(width));
                let table =
                    semantics::intrinsic(&mut Numbers, which, Kind::Int(width), &[a, b]).expect("it exists");
                let found = super::intrinsics::with_overflow(which, width, a.bits(), b.bits());
                assert_eq!(
                    (found.0, Some(found.1)),
                    (table.value.bits(), table.overflow),
                    "{which:?} {a:?} {b:?}"
                );
            }
        }
    }
}
