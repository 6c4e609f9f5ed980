//! Every operator of the program model as a function of one instruction, with what the table of meanings says of it: whoever has a meaning
//! of operators is tested against this list.

use crate::operands::Operands;
use hydrogen_ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Intrinsic, Module, WrapFlags};
use hydrogen_machine::FaultKind;
use hydrogen_semantics::undefined::{self, Partly};
use hydrogen_semantics::{self as semantics, Kind, Number, Numbers, Step};
use std::fmt::Write;

/// What the table says of one operator and its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The result, also where there is a fault.
    pub value: u128,
    /// The fault at which every run stops, if there is one.
    pub fault: Option<FaultKind>,
    /// The same, with those that a run tolerates.
    pub strictly: Option<FaultKind>,
}

impl Said {
    fn value(value: u128) -> Self {
        Self { value, fault: None, strictly: None }
    }
}

/// Which bits the table says are undefined.
type Undefined = Box<dyn Fn(&[Partly]) -> u128>;

/// What the table of meanings says of operands.
type Table = Box<dyn Fn(&[Number]) -> Said>;

/// An operator.
pub struct Operator {
    /// The types of its operands, and what they are to the table.
    pub operands: Vec<(String, Kind)>,
    /// The type of its result.
    pub result: (String, Kind),
    /// The instruction; its operands are the parameters `a0`, `a1`, ….
    pub instruction: String,
    table: Table,
    undefined: Option<Undefined>,
}

const BINARY: [(&str, BinaryOp); 13] = [
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

const COMPARISONS: [(&str, IntPredicate); 10] = [
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

const FLOAT_COMPARISONS: [(&str, FloatPredicate); 14] = [
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

/// Names, and how many operands.
const INTRINSICS: [(&str, Intrinsic, usize); 16] = [
    ("sadd.sat", Intrinsic::SAddSat, 2),
    ("uadd.sat", Intrinsic::UAddSat, 2),
    ("ssub.sat", Intrinsic::SSubSat, 2),
    ("usub.sat", Intrinsic::USubSat, 2),
    ("bitreverse", Intrinsic::BitReverse, 1),
    ("bswap", Intrinsic::BSwap, 1),
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
];

const FLOAT_INTRINSICS: [(&str, Intrinsic, usize); 13] = [
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

fn int(width: u32) -> (String, Kind) {
    (format!("i{width}"), Kind::Int(width))
}

fn floats() -> [(String, Kind); 3] {
    use hydrogen_float::Format::{Double, Half, Single};
    [("half", Half), ("float", Single), ("double", Double)]
        .map(|(name, format)| (name.to_owned(), Kind::Float(format)))
}

/// The operators on integers of one width.
pub fn integers(width: u32) -> Vec<Operator> {
    let mut all = Vec::new();
    let ty = int(width);
    for (name, op) in BINARY {
        for (words, nsw, other) in [("", false, false), (" nsw", true, false), (" flag", false, true)] {
            let flags = WrapFlags { nsw, other, ..WrapFlags::default() };
            // Only shifts carry the mark of a signed number, and only wrapping operators can be told not to wrap.
            let wraps = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
            if other && op != BinaryOp::Shl || nsw && !wraps {
                continue;
            }
            let table = move |values: &[Number]| {
                let outcome = semantics::binary(&mut Numbers, op, flags, values[0], values[1])
                    .expect("all are on integers");
                let first = |strict: bool| {
                    let counts = |why: semantics::Why| strict || !why.is_tolerated();
                    let fault = outcome.faults.iter().find(|fault| fault.when && counts(fault.why));
                    fault.map(|fault| fault.why.kind())
                };
                Said { value: outcome.value.bits(), fault: first(false), strictly: first(true) }
            };
            all.push(Operator {
                operands: vec![ty.clone(), ty.clone()],
                result: ty.clone(),
                instruction: format!("{name}{words} a0, a1"),
                table: Box::new(table),
                undefined: Some(Box::new(move |values| undefined::binary(op, values[0], values[1]))),
            });
        }
    }
    for (name, predicate) in COMPARISONS {
        all.push(comparison(name, predicate, ty.clone()));
    }
    for (name, which, arity) in INTRINSICS {
        // Bytes come in pairs or more.
        if which != Intrinsic::BSwap || width.is_multiple_of(16) {
            all.push(intrinsic(name, which, arity, &ty));
        }
    }
    for to in [1, 8, 24, 32, 64, 128] {
        match width > to {
            true => all.push(conversion("trunc", CastOp::Trunc, &ty, &int(to))),
            false if width < to => {
                all.push(conversion("zext", CastOp::ZExt, &ty, &int(to)));
                all.push(conversion("sext", CastOp::SExt, &ty, &int(to)));
            }
            false => {}
        }
    }
    all
}

fn comparison(name: &str, predicate: IntPredicate, ty: (String, Kind)) -> Operator {
    let holds = move |values: &[Number]| {
        Said::value(semantics::compare(&mut Numbers, predicate, values[0], values[1]).into())
    };
    Operator {
        operands: vec![ty.clone(), ty],
        result: int(1),
        instruction: format!("icmp {name} a0, a1"),
        table: Box::new(holds),
        undefined: Some(Box::new(move |values| undefined::compare(predicate, values[0], values[1]).into())),
    }
}

/// Comparisons of pointers, and the way from a pointer to an element.
pub fn pointers() -> Vec<Operator> {
    let pointer = ("ptr".to_owned(), Kind::Int(64));
    let mut all: Vec<Operator> =
        COMPARISONS.iter().map(|(name, predicate)| comparison(name, *predicate, pointer.clone())).collect();
    for (ty, bytes, index) in [("i8", 1, 64), ("i64", 8, 32), ("i16", 2, 8)] {
        all.push(Operator {
            operands: vec![pointer.clone(), int(index)],
            result: pointer.clone(),
            instruction: format!("gep {ty}, a0, [a1]"),
            table: Box::new(move |values| {
                let way = [Step::Index(values[1], bytes)];
                Said::value(semantics::moved(&mut Numbers, values[0], way).bits())
            }),
            undefined: None,
        });
    }
    all
}

fn intrinsic(name: &str, which: Intrinsic, arity: usize, ty: &(String, Kind)) -> Operator {
    let names: Vec<String> = (0..arity).map(|index| format!("a{index}")).collect();
    let kind = ty.1;
    let table = move |values: &[Number]| {
        Said::value(semantics::intrinsic(&mut Numbers, which, kind, values).expect("it exists").value.bits())
    };
    Operator {
        operands: vec![ty.clone(); arity],
        result: ty.clone(),
        instruction: format!("call llvm.{name}.{}({})", ty.0, names.join(", ")),
        table: Box::new(table),
        undefined: None,
    }
}

fn conversion(name: &str, op: CastOp, from: &(String, Kind), to: &(String, Kind)) -> Operator {
    let kinds = (from.1, to.1);
    let table = move |values: &[Number]| {
        let value = semantics::cast(&mut Numbers, op, kinds.0, kinds.1, values[0]).expect("it exists");
        let signed = match op {
            CastOp::FpToSi => Some(true),
            CastOp::FpToUi => Some(false),
            _ => None,
        };
        let fits = match (signed, kinds) {
            (Some(signed), (Kind::Float(from), Kind::Int(width))) => {
                semantics::fits(&mut Numbers, signed, from, width, values[0])
            }
            _ => None,
        };
        let fault = (fits == Some(false)).then_some(FaultKind::BadConversion);
        Said { fault, strictly: fault, ..Said::value(value.bits()) }
    };
    Operator {
        operands: vec![from.clone()],
        result: to.clone(),
        instruction: format!("{name} a0"),
        table: Box::new(table),
        undefined: None,
    }
}

fn float_binary(name: &str, op: BinaryOp, ty: &(String, Kind)) -> Operator {
    let kind = ty.1;
    let table = move |values: &[Number]| {
        let Kind::Float(format) = kind else { return Said::value(0) };
        let value = semantics::float_binary(&mut Numbers, op, format, values[0], values[1]);
        Said::value(value.expect("numbers have all").bits())
    };
    Operator {
        operands: vec![ty.clone(), ty.clone()],
        result: ty.clone(),
        instruction: format!("{name} a0, a1"),
        table: Box::new(table),
        undefined: None,
    }
}

/// The remainders of floating-point numbers, which have no terms.
pub fn remainders() -> Vec<Operator> {
    floats().iter().map(|ty| float_binary("frem", BinaryOp::FRem, ty)).collect()
}

/// The operators on floating-point numbers that have terms: all but the remainder.
pub fn floating_point() -> Vec<Operator> {
    let mut all = Vec::new();
    let binary = [
        ("fadd", BinaryOp::FAdd),
        ("fsub", BinaryOp::FSub),
        ("fmul", BinaryOp::FMul),
        ("fdiv", BinaryOp::FDiv),
    ];
    for ty in floats() {
        let Kind::Float(format) = ty.1 else { continue };
        all.extend(binary.iter().map(|(name, op)| float_binary(name, *op, &ty)));
        for (name, predicate) in FLOAT_COMPARISONS {
            all.push(Operator {
                operands: vec![ty.clone(), ty.clone()],
                result: int(1),
                instruction: format!("fcmp {name} a0, a1"),
                table: Box::new(move |values| {
                    let holds =
                        semantics::float_compare(&mut Numbers, predicate, format, values[0], values[1]);
                    Said::value(holds.expect("numbers have all").into())
                }),
                undefined: None,
            });
        }
        for (name, which, arity) in FLOAT_INTRINSICS {
            all.push(intrinsic(name, which, arity, &ty));
        }
        for width in [8, 16, 32, 64] {
            all.push(conversion("sitofp", CastOp::SiToFp, &int(width), &ty));
            all.push(conversion("uitofp", CastOp::UiToFp, &int(width), &ty));
            all.push(conversion("fptosi", CastOp::FpToSi, &ty, &int(width)));
            all.push(conversion("fptoui", CastOp::FpToUi, &ty, &int(width)));
        }
    }
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        all.push(conversion("fpext", CastOp::FpExt, &floats()[a], &floats()[b]));
        all.push(conversion("fptrunc", CastOp::FpTrunc, &floats()[b], &floats()[a]));
    }
    all
}

impl Operator {
    /// What the table says of these operands.
    pub fn said(&self, values: &[Number]) -> Said {
        (self.table)(values)
    }

    /// Which bits of the result the table says are undefined, where it does.
    pub fn undefined(&self, values: &[Partly]) -> Option<u128> {
        self.undefined.as_ref().map(|table| table(values))
    }

    /// Operands of which some bits are undefined, so many.
    pub fn partly(&self, random: usize) -> Vec<Vec<Partly>> {
        let kinds: Vec<Kind> = self.operands.iter().map(|(_, kind)| *kind).collect();
        let mut some = Operands::of(&kinds);
        (0..random)
            .map(|round| {
                let (values, undefined) = (some.some(), some.some());
                let one = |(at, (value, undefined)): (usize, (Number, Number))| {
                    // Every third is defined.
                    let undefined = if (round + at) % 3 == 0 { 0 } else { undefined.bits() };
                    Partly { value, undefined }
                };
                values.into_iter().zip(undefined).enumerate().map(one).collect()
            })
            .collect()
    }

    /// All operands, where they have at most sixteen bits together; so many that look random, with corners, otherwise.
    pub fn inputs(&self, random: usize) -> Vec<Vec<Number>> {
        let kinds: Vec<Kind> = self.operands.iter().map(|(_, kind)| *kind).collect();
        Operands::of(&kinds).all_or(random)
    }

    /// A module with a function `f` that computes the operator of its parameters.
    pub fn module(&self) -> Module {
        let parameters: Vec<&str> = self.operands.iter().map(|(name, _)| name.as_str()).collect();
        let result = &self.result.0;
        let signature = format!("fn({}) -> {result}", parameters.join(", "));
        let mut text = String::from("module \"t.c\" target \"x86_64-pc-linux-gnu\"\n");
        for (index, (name, bits, bytes)) in TYPES.iter().enumerate() {
            let _ = writeln!(text, "type %{index} = {name} size {bits} alloc {bytes} align {bytes}");
        }
        let _ = writeln!(text, "type %{} = void\ntype %{} = {signature}", TYPES.len(), TYPES.len() + 1);
        let called = self.instruction.strip_prefix("call ");
        let name = called.and_then(|call| call.split('(').next());
        if let Some(name) = name {
            let _ = writeln!(text, "const #0 = &{name}");
        }
        let _ = writeln!(text, "function &0 \"f\" external type {signature} {{");
        for (index, ty) in parameters.iter().enumerate() {
            let _ = writeln!(text, "  param \"p{index}\" {ty}");
        }
        let instruction = match called {
            Some(call) => format!("call {signature} &{call}"),
            None => self.instruction.clone(),
        };
        let _ = writeln!(
            text,
            "  piece p0 entry s0 \"\"\n  piece p1 exit s0 \"\"\n  flow p0 -> p1 next\n  body {{\n    block b0 \"entry\" {{\n      \
             v0: {result} = {instruction} | p0\n      v1: void = ret v0 | p0\n    }}\n  }}\n}}"
        );
        if let Some(name) = name {
            let _ = writeln!(text, "function &1 \"{name}\" external type {signature}");
        }
        hydrogen_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

/// Types of the program model: name, bits, and bytes in memory.
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
