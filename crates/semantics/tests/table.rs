//! The table against plain arithmetic of the host, and over terms against itself over numbers.

use hydrogen_evidence::FaultKind;
use hydrogen_ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Intrinsic, WrapFlags};
use hydrogen_semantics::{
    Domain, Kind, Number, Numbers, Outcome, Step, binary, cast, compare, fits, float_binary, float_compare,
    float_negated, intrinsic, moved,
};
use hydrogen_term::{Evaluator, Format, Model, Pool, Sort, Term, Value};
use proptest::prelude::*;

const INTEGER: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::SDiv,
    BinaryOp::URem,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];

const PREDICATES: [IntPredicate; 10] = [
    IntPredicate::Eq,
    IntPredicate::Ne,
    IntPredicate::Ugt,
    IntPredicate::Uge,
    IntPredicate::Ult,
    IntPredicate::Ule,
    IntPredicate::Sgt,
    IntPredicate::Sge,
    IntPredicate::Slt,
    IntPredicate::Sle,
];

fn all_flags() -> impl Iterator<Item = WrapFlags> {
    (0..16u8).map(|bits| WrapFlags {
        nuw: bits & 1 != 0,
        nsw: bits & 2 != 0,
        exact: bits & 4 != 0,
        other: bits & 8 != 0,
    })
}

/// The first fault that is there.
fn first_fault(outcome: &Outcome<Numbers>) -> Option<FaultKind> {
    outcome.faults.iter().find(|fault| fault.when).map(|fault| fault.why.kind())
}

/// What the language says about bytes, written without a look at the table.
fn by_hand(op: BinaryOp, flags: WrapFlags, a: u8, b: u8) -> Result<u8, FaultKind> {
    use FaultKind::{BadShift, DivisionByZero, SignedOverflow};
    let (sa, sb) = (a as i8, b as i8);
    let signed = |exact: Option<i8>, wrapped: i8| match (flags.nsw, exact) {
        (true, None) => Err(SignedOverflow),
        _ => Ok(wrapped as u8),
    };
    match op {
        BinaryOp::Add => signed(sa.checked_add(sb), sa.wrapping_add(sb)),
        BinaryOp::Sub => signed(sa.checked_sub(sb), sa.wrapping_sub(sb)),
        BinaryOp::Mul => signed(sa.checked_mul(sb), sa.wrapping_mul(sb)),
        BinaryOp::UDiv => a.checked_div(b).ok_or(DivisionByZero),
        BinaryOp::URem => a.checked_rem(b).ok_or(DivisionByZero),
        BinaryOp::SDiv | BinaryOp::SRem if b == 0 => Err(DivisionByZero),
        BinaryOp::SDiv => sa.checked_div(sb).map(|value| value as u8).ok_or(SignedOverflow),
        BinaryOp::SRem => sa.checked_rem(sb).map(|value| value as u8).ok_or(SignedOverflow),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= 8 => Err(BadShift),
        BinaryOp::LShr => Ok(a >> b),
        BinaryOp::AShr => Ok((sa >> b) as u8),
        BinaryOp::Shl => {
            let exact = i32::from(sa) << b;
            let fits = i32::from(exact as i8) == exact;
            match () {
                () if flags.other && (sa < 0 || !fits) => Err(BadShift),
                () if flags.nsw && !flags.other && !fits => Err(SignedOverflow),
                () => Ok(exact as u8),
            }
        }
        BinaryOp::And => Ok(a & b),
        BinaryOp::Or => Ok(a | b),
        _ => Ok(a ^ b),
    }
}

#[test]
fn bytes_are_as_the_language_says() {
    for op in INTEGER {
        for flags in all_flags() {
            for (a, b) in (0..=u16::MAX).map(|pair| ((pair >> 8) as u8, pair as u8)) {
                let (x, y) = (Number::new(8, a.into()), Number::new(8, b.into()));
                let outcome = binary(&mut Numbers, op, flags, x, y).expect("all are on integers");
                let expected = by_hand(op, flags, a, b);
                assert_eq!(first_fault(&outcome), expected.err(), "{a} {op:?} {b} {flags:?}");
                if let Ok(value) = expected {
                    assert_eq!(outcome.value.bits(), u128::from(value), "{a} {op:?} {b} {flags:?}");
                }
            }
        }
    }
}

/// Variables for the arguments of a table entry, and their values.
struct Lab {
    pool: Pool,
    variables: Vec<Term>,
}

impl Lab {
    fn new(widths: &[u32]) -> Self {
        let mut pool = Pool::new();
        let name = |(index, &width): (usize, &u32)| pool.var(&format!("x{index}"), Sort::Bits(width));
        let variables = widths.iter().enumerate().map(name).collect();
        Self { pool, variables }
    }

    fn evaluate(&self, values: &[Number], terms: &[Term]) -> Vec<u128> {
        let mut model = Model::new();
        for (&variable, value) in self.variables.iter().zip(values) {
            model.set(variable, Value::Bits { width: value.width(), value: value.bits() });
        }
        let mut evaluator = Evaluator::new(&self.pool, &model);
        terms.iter().map(|&term| evaluator.bits(term)).collect()
    }
}

/// Everything that an operator says, of two operands of one width.
fn everything<D: Domain>(
    domain: &mut D,
    flags: WrapFlags,
    a: D::Value,
    b: D::Value,
) -> (Vec<D::Value>, Vec<D::Truth>) {
    let (mut values, mut truths) = (Vec::new(), Vec::new());
    for op in INTEGER {
        let outcome = binary(domain, op, flags, a, b).expect("all are on integers");
        values.push(outcome.value);
        truths.extend(outcome.fine_when(domain, true));
        truths.extend(outcome.fine_when(domain, false));
        truths.extend(outcome.faults.iter().map(|fault| fault.when));
    }
    truths.extend(PREDICATES.map(|predicate| compare(domain, predicate, a, b)));
    let width = domain.width(a);
    use Intrinsic::*;
    let kinds = [
        SAddOverflow,
        UAddOverflow,
        SSubOverflow,
        USubOverflow,
        SMulOverflow,
        UMulOverflow,
        SAddSat,
        UAddSat,
        SSubSat,
        USubSat,
        BSwap,
        BitReverse,
        CtPop,
        CtLz,
        CtTz,
        FShl,
        FShr,
        Abs,
        SMax,
        SMin,
        UMax,
        UMin,
        PtrMask,
    ];
    for which in kinds {
        if let Some(computed) = intrinsic(domain, which, Kind::Int(width), &[a, b, b]) {
            values.push(computed.value);
            truths.extend(computed.overflow);
        }
    }
    for wide in [1, 8, 16, 64, 128] {
        for op in [CastOp::Trunc, CastOp::ZExt, CastOp::SExt] {
            values.extend(cast(domain, op, Kind::Int(width), Kind::Int(wide), a));
        }
    }
    let (base, way) = (domain.resize_unsigned(a, 64), [Step::Field(12), Step::Index(b, 24)]);
    values.push(moved(domain, base, way));
    (values, truths)
}

fn terms_are_numbers(width: u32, flags: WrapFlags, pairs: impl Iterator<Item = (u128, u128)>) {
    let mut lab = Lab::new(&[width, width]);
    let (a, b) = (lab.variables[0], lab.variables[1]);
    let (values, truths) = everything(&mut lab.pool, flags, a, b);
    let all: Vec<Term> = values.into_iter().chain(truths).collect();
    for (a, b) in pairs {
        let numbers = [Number::new(width, a), Number::new(width, b)];
        let (values, truths) = everything(&mut Numbers, flags, numbers[0], numbers[1]);
        let expected: Vec<u128> =
            values.iter().map(|value| value.bits()).chain(truths.into_iter().map(u128::from)).collect();
        assert_eq!(lab.evaluate(&numbers, &all), expected, "{width} bits, {a:#x} and {b:#x}, {flags:?}");
    }
}

#[test]
fn terms_of_bytes_are_the_numbers() {
    let flags = WrapFlags { nsw: true, ..WrapFlags::default() };
    // All bytes against every third; all flags below.
    terms_are_numbers(8, flags, (0..=255).flat_map(|a| (0..=255).step_by(3).map(move |b| (a, b))));
    let corners = [0, 1, 2, 7, 8, 9, 100, 127, 128, 129, 200, 254, 255];
    for flags in all_flags() {
        terms_are_numbers(8, flags, corners.iter().flat_map(|&a| corners.map(|b| (a, b))));
    }
}

const FLOATS: [BinaryOp; 4] = [BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul, BinaryOp::FDiv];
const COMPARISONS: [FloatPredicate; 16] = [
    FloatPredicate::False,
    FloatPredicate::Oeq,
    FloatPredicate::Ogt,
    FloatPredicate::Oge,
    FloatPredicate::Olt,
    FloatPredicate::Ole,
    FloatPredicate::One,
    FloatPredicate::Ord,
    FloatPredicate::Uno,
    FloatPredicate::Ueq,
    FloatPredicate::Ugt,
    FloatPredicate::Uge,
    FloatPredicate::Ult,
    FloatPredicate::Ule,
    FloatPredicate::Une,
    FloatPredicate::True,
];

/// Everything about two floating-point numbers.
fn every_float<D: Domain>(
    domain: &mut D,
    format: Format,
    a: D::Value,
    b: D::Value,
) -> (Vec<D::Value>, Vec<D::Truth>) {
    let mut values: Vec<D::Value> = Vec::new();
    values.extend(FLOATS.iter().filter_map(|&op| float_binary(domain, op, format, a, b)));
    values.push(float_negated(domain, a));
    use Intrinsic::*;
    let kinds =
        [FAbs, Sqrt, Floor, Ceil, FTrunc, Rint, Round, RoundEven, CopySign, MinNum, MaxNum, Fma, FMulAdd];
    for which in kinds {
        let computed =
            intrinsic(domain, which, Kind::Float(format), &[a, b, a]).expect("there are terms for it");
        values.push(computed.value);
    }
    for class in 0..10 {
        let mask = domain.number(format.width(), 1 << class);
        let computed =
            intrinsic(domain, IsFpClass, Kind::Float(format), &[a, mask]).expect("the class is known");
        values.push(computed.value);
    }
    for width in [1, 8, 16, 32, 33, 64] {
        for op in [CastOp::FpToSi, CastOp::FpToUi] {
            values.extend(cast(domain, op, Kind::Float(format), Kind::Int(width), a));
        }
    }
    for op in [CastOp::SiToFp, CastOp::UiToFp] {
        values.extend(cast(domain, op, Kind::Int(format.width()), Kind::Float(format), b));
    }
    for other in [Format::Half, Format::Single, Format::Double] {
        if other != format {
            values.extend(cast(domain, CastOp::FpExt, Kind::Float(format), Kind::Float(other), a));
        }
    }
    let mut truths: Vec<D::Truth> = COMPARISONS
        .iter()
        .map(|&predicate| float_compare(domain, predicate, format, a, b).expect("there are terms for it"))
        .collect();
    for width in [1, 8, 31, 32, 64] {
        truths.extend([true, false].into_iter().filter_map(|signed| fits(domain, signed, format, width, a)));
    }
    (values, truths)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_of_any_width_are_the_numbers(
        index in 0..7usize, bits in 0..16u8, a in any::<u128>(), b in any::<u128>(), near in any::<bool>(),
    ) {
        let width = [1, 2, 16, 32, 33, 64, 128][index];
        let flags = WrapFlags { nsw: bits & 1 != 0, other: bits & 2 != 0, ..WrapFlags::default() };
        let b = if near { b % 140 } else { b };
        terms_are_numbers(width, flags, [(a, b), (a % 3, b), (1 << (width - 1), b), (a, u128::MAX)].into_iter());
    }

    #[test]
    fn terms_of_floats_are_the_numbers(index in 0..4usize, a in any::<u64>(), b in any::<u64>(), near in 0..4u8) {
        let format = [Format::Half, Format::BFloat, Format::Single, Format::Double][index];
        let width = format.width();
        let whole = |bits: u64| hydrogen_float::from_int(format, true, i128::from(bits as i8) as u128);
        let (a, b) = match near {
            0 => (u128::from(a), u128::from(b)),
            1 => (u128::from(a), u128::from(a ^ (b % 8))),
            2 => (whole(a), whole(b)),
            _ => (format.infinity() | u128::from(a % 4), u128::from(b)),
        };
        let mut lab = Lab::new(&[width, width]);
        let (x, y) = (lab.variables[0], lab.variables[1]);
        let (values, truths) = every_float(&mut lab.pool, format, x, y);
        let all: Vec<Term> = values.into_iter().chain(truths).collect();
        let numbers = [Number::new(width, a), Number::new(width, b)];
        let (values, truths) = every_float(&mut Numbers, format, numbers[0], numbers[1]);
        let expected: Vec<u128> =
            values.iter().map(|value| value.bits()).chain(truths.into_iter().map(u128::from)).collect();
        prop_assert_eq!(lab.evaluate(&numbers, &all), expected);
    }

    /// Doubles and what C does with them, by the host.
    #[test]
    fn doubles_are_the_hosts(a in any::<u64>(), b in any::<u64>(), small in any::<bool>()) {
        let (a, b) = if small { (f64::from(a as i32).to_bits(), (f64::from(b as i32) / 8.0).to_bits()) } else { (a, b) };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let (p, q) = (Number::new(64, a.into()), Number::new(64, b.into()));
        let domain = &mut Numbers;
        let holds = |predicate| float_compare(&mut Numbers, predicate, Format::Double, p, q).expect("numbers have all");
        prop_assert_eq!(holds(FloatPredicate::Olt), x < y);
        prop_assert_eq!(holds(FloatPredicate::Ule), x.partial_cmp(&y).is_none_or(|order| order.is_le()));
        prop_assert_eq!(holds(FloatPredicate::One), x.partial_cmp(&y).is_some_and(|order| order.is_ne()));
        prop_assert_eq!(holds(FloatPredicate::Une), x != y);
        prop_assert_eq!(holds(FloatPredicate::Uno), x.is_nan() || y.is_nan());
        let to = |domain: &mut Numbers, op, width| {
            cast(domain, op, Kind::Float(Format::Double), Kind::Int(width), q).expect("numbers have all").bits()
        };
        if y.trunc().abs() < 1e9 {
            prop_assert_eq!(to(domain, CastOp::FpToSi, 32), u128::from(y as i32 as u32));
            prop_assert_eq!(to(domain, CastOp::FpToSi, 8), u128::from(y as i32 as u8));
        }
        if !y.is_nan() {
            prop_assert_eq!(fits(domain, true, Format::Double, 32, q), Some(y as i64 == i64::from(y as i32)));
        }
    }
}
