//! What an operator computes and when it faults: the table of `semantics`, with floating point in its normal form.

use crate::{Obstacle, context::Context, float};
use hydrogen_evidence::Class;
use hydrogen_ir::{
    BinaryOp, CastOp, FloatPredicate, FunctionId, IntPredicate, Intrinsic, Module, Type, TypeId, WrapFlags,
};
use hydrogen_semantics::{self as semantics, Kind};
use hydrogen_term::{Format, Sort, Term, has_terms};

/// A condition under which an operation faults.
pub type Faults = Vec<(Class, Term)>;

/// What a type's values are to operators.
pub fn kind_of(module: &Module, ty: TypeId) -> Option<Kind> {
    match module.types.get(ty) {
        Type::Int(width) => Some(Kind::Int(*width)),
        Type::Pointer(_) => Some(Kind::Int(64)),
        Type::Float(kind) => semantics::format_of(*kind).map(Kind::Float),
        _ => None,
    }
}

/// The format of a type, if terms have operators of it.
fn format(kind: Option<Kind>) -> Option<Format> {
    match kind {
        Some(Kind::Float(format)) if has_terms(format) => Some(format),
        _ => None,
    }
}

/// The formats of the numbers that a function's result is made of; none for those that are no floating-point numbers.
pub fn result_formats(module: &Module, function: FunctionId) -> Vec<Option<Format>> {
    fn walk(module: &Module, ty: TypeId, out: &mut Vec<Option<Format>>) {
        match module.types.get(ty) {
            Type::Void => {}
            Type::Struct(body) => body.fields.iter().flatten().for_each(|&field| walk(module, field, out)),
            Type::Array { element, len } if *len <= 64 => (0..*len).for_each(|_| walk(module, *element, out)),
            _ => out.push(format(kind_of(module, ty))),
        }
    }
    let mut found = Vec::new();
    if let Some(Type::Function { result, .. }) = module.function(function).ty.map(|ty| module.types.get(ty)) {
        walk(module, *result, &mut found);
    }
    found
}

/// What an operator computes, and when it faults.
pub fn binary(
    context: &mut Context,
    op: BinaryOp,
    flags: WrapFlags,
    kind: Option<Kind>,
    a: Term,
    b: Term,
) -> Result<(Term, Faults), Obstacle> {
    if context.pool.sort(a) != context.pool.sort(b) {
        return Err(Obstacle::new("operands of different widths"));
    }
    let Some(outcome) = semantics::binary(&mut context.pool, op, flags, a, b) else {
        return Ok((float_binary(context, op, format(kind), a, b), Vec::new()));
    };
    let counted = outcome.faults.iter().filter(|fault| !fault.why.is_tolerated());
    Ok((outcome.value, counted.map(|fault| (fault.why.kind().class(), fault.when)).collect()))
}

/// Formats without terms, and the remainder, are unknown functions: the same in both versions.
fn float_binary(context: &mut Context, op: BinaryOp, format: Option<Format>, a: Term, b: Term) -> Term {
    let pool = &mut context.pool;
    match (op, format) {
        (BinaryOp::FAdd, Some(format)) => float::sum(pool, format, a, b),
        (BinaryOp::FSub, Some(format)) => float::difference(pool, format, a, b),
        (BinaryOp::FMul, Some(format)) => float::product(pool, format, a, b),
        (BinaryOp::FDiv, Some(format)) => float::quotient(pool, format, a, b),
        _ => {
            let sort = pool.sort(a);
            let is_commutative = matches!(op, BinaryOp::FAdd | BinaryOp::FMul);
            let (a, b) = if is_commutative && b < a { (b, a) } else { (a, b) };
            context.unknown(&format!("{op:?}"), &[a, b], sort)
        }
    }
}

/// What a comparison of integers gives, as one bit.
pub fn int_compare(context: &mut Context, predicate: IntPredicate, a: Term, b: Term) -> Term {
    let truth = semantics::compare(&mut context.pool, predicate, a, b);
    context.pool.bool_to_bits(truth, 1)
}

/// What a comparison of floating-point numbers gives, as one bit.
pub fn float_compare(
    context: &mut Context,
    predicate: FloatPredicate,
    kind: Option<Kind>,
    a: Term,
    b: Term,
) -> Term {
    let known =
        format(kind).and_then(|format| semantics::float_compare(&mut context.pool, predicate, format, a, b));
    let truth = known.unwrap_or_else(|| context.unknown(&format!("{predicate:?}"), &[a, b], Sort::Bool));
    context.pool.bool_to_bits(truth, 1)
}

/// What a conversion computes.
pub fn cast(
    context: &mut Context,
    op: CastOp,
    from: Option<Kind>,
    to: Option<Kind>,
    a: Term,
) -> Result<Term, Obstacle> {
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Obstacle::new("a conversion that is not followed"));
    };
    if let (CastOp::FpTrunc | CastOp::FpExt, Some(from), Some(to)) =
        (op, format(Some(from)), format(Some(to)))
    {
        return Ok(float::converted(&mut context.pool, from, to, a));
    }
    match semantics::cast(&mut context.pool, op, from, to, a) {
        Some(value) => Ok(value),
        None if matches!(from, Kind::Float(_)) || matches!(to, Kind::Float(_)) => {
            let name = format!("{op:?} from {from:?} to {to:?}");
            Ok(context.unknown(&name, &[a], Sort::Bits(to.width())))
        }
        None => Err(Obstacle::new("a conversion that is not followed")),
    }
}

/// What a function of the compiler computes of values alone, and whether it overflowed where it says so.
pub fn intrinsic(
    context: &mut Context,
    which: Intrinsic,
    kind: Option<Kind>,
    arguments: &[Term],
) -> Option<(Term, Option<Term>)> {
    if let (Intrinsic::FMulAdd, Some(format), &[a, b, c]) = (which, format(kind), arguments) {
        // Without a machine that has the fused operation, the compiler makes two of it.
        let product = float::product(&mut context.pool, format, a, b);
        return Some((float::sum(&mut context.pool, format, product, c), None));
    }
    let computed = semantics::intrinsic(&mut context.pool, which, kind?, arguments)?;
    Some((computed.value, computed.overflow))
}

/// Functions of `math.h` that are exact: what the standard says of them leaves nothing open.
pub fn exact_function(name: &str) -> Option<Intrinsic> {
    let plain = name.strip_suffix('f').unwrap_or(name);
    let of = |name: &str| {
        Some(match name {
            "sqrt" => Intrinsic::Sqrt,
            "fabs" => Intrinsic::FAbs,
            "floor" => Intrinsic::Floor,
            "ceil" => Intrinsic::Ceil,
            "trunc" => Intrinsic::FTrunc,
            "rint" | "nearbyint" => Intrinsic::Rint,
            "round" => Intrinsic::Round,
            "copysign" => Intrinsic::CopySign,
            "fma" => Intrinsic::Fma,
            _ => return None,
        })
    };
    of(name).or_else(|| of(plain))
}
