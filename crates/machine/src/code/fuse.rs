//! Frequent instructions that follow each other, done at once.
//!
//! Between two instructions the loop that executes them has to find out what the next one is, and that costs more than most of them do. The
//! quick form of a function has an instruction at each place that the plain form has one, so that a jump may lead anywhere, and
//! where something goes wrong in the middle the plain form says where that is.

use super::instr::{Complex, Instr, Pc, Reg};
use super::scalar::Scalar;
use hydrogen_ir::{CastOp, FloatKind, Intrinsic};

/// The quick form of a function's instructions.
pub(super) fn fuse(instrs: &[Instr], table: &[Complex]) -> Vec<Instr> {
    let one = |pc: usize| match instrs[pc] {
        Instr::Complex { index } => frequent(&table[index as usize]),
        _ => fused(&instrs[pc..]),
    };
    (0..instrs.len()).map(|pc| one(pc).unwrap_or(instrs[pc])).collect()
}

/// An instruction of the table that the loop does itself.
fn frequent(complex: &Complex) -> Option<Instr> {
    const DOUBLE: Scalar = Scalar::Float(FloatKind::Double);
    const SINGLE: Scalar = Scalar::Float(FloatKind::Float);
    let double = |kind: Scalar| match kind {
        DOUBLE => Some(true),
        SINGLE => Some(false),
        _ => None,
    };
    Some(match complex {
        Complex::Select { dst, cond, then, otherwise, count: 1 } => {
            let [dst, cond, then, otherwise] = small([*dst, *cond, *then, *otherwise])?;
            Instr::Choose { dst, cond, then, otherwise }
        }
        Complex::FloatNegate { kind, dst, a } => {
            let sign = if double(*kind)? { 63 } else { 31 };
            Instr::Negate { dst: *dst, a: *a, sign }
        }
        Complex::Cast { op: op @ (CastOp::SiToFp | CastOp::UiToFp), from, to, dst, src } => {
            let Scalar::Int(width @ 1..=64) = *from else { return None };
            let (signed, double) = (*op == CastOp::SiToFp, double(*to)?);
            Instr::FromInt { dst: *dst, a: *src, width: width as u8, signed, double }
        }
        Complex::Cast { op: op @ (CastOp::FpToSi | CastOp::FpToUi), from, to, dst, src } => {
            let Scalar::Int(width @ 1..=64) = *to else { return None };
            let (signed, double) = (*op == CastOp::FpToSi, double(*from)?);
            Instr::ToInt { dst: *dst, a: *src, width: width as u8, signed, double }
        }
        Complex::Cast { op: CastOp::FpExt, from: SINGLE, to: DOUBLE, dst, src } => {
            Instr::Widen { dst: *dst, a: *src }
        }
        Complex::Cast { op: CastOp::FpTrunc, from: DOUBLE, to: SINGLE, dst, src } => {
            Instr::Narrow { dst: *dst, a: *src }
        }
        Complex::Intrinsic { which: Intrinsic::MemCpy, args, .. } => {
            let [to, from, len] = small([*args.first()?, *args.get(1)?, *args.get(2)?])?;
            Instr::CopyBytes { to, from, len }
        }
        _ => return None,
    })
}

/// Registers that can be named in half the room.
fn small<const N: usize>(regs: [Reg; N]) -> Option<[u16; N]> {
    let mut all = [0; N];
    for (to, from) in all.iter_mut().zip(regs) {
        *to = u16::try_from(from).ok()?;
    }
    Some(all)
}

/// An address a fixed way from another.
fn offset(instr: &Instr) -> Option<(Reg, Reg, i32)> {
    match *instr {
        Instr::Offset { dst, a, offset } => Some((dst, a, offset)),
        Instr::Move { dst, src } => Some((dst, src, 0)),
        _ => None,
    }
}

fn fused(instrs: &[Instr]) -> Option<Instr> {
    let [first, second, rest @ ..] = instrs else { return None };
    if let Instr::Branch { cond, then, otherwise } = *second {
        return compared(first, cond, then, otherwise);
    }
    if let (Instr::Move { dst, src }, Instr::Jump { target }) = (*first, *second) {
        return Some(Instr::MoveJump { dst, src, target });
    }
    if let Instr::Scaled { dst: via, a, b: index, scale } = *second
        && let Some(scaled) = scaled(first, rest.first(), index, via, a, scale)
    {
        return Some(scaled);
    }
    if let Instr::Scaled { dst: via, a, b, scale } = *first {
        return indexed(second, via, a, b, scale);
    }
    let (via, a, by) = offset(first)?;
    if let Some((inner, from, more)) = offset(second)
        && from == via
        && let Some(third) = rest.first()
        && let Some(deep) = deep(third, via, inner, a, by, more)
    {
        return Some(deep);
    }
    at(second, via, a, by)
}

/// An index that was made for a scaled address, and where a load follows, that too.
fn scaled(first: &Instr, third: Option<&Instr>, index: Reg, via: Reg, a: Reg, scale: u16) -> Option<Instr> {
    let (b, widened) = match *first {
        Instr::Move { dst, src } if dst == index => (src, false),
        Instr::SExt { dst, a, from: 32, to: 64 } if dst == index => (a, true),
        _ => return None,
    };
    let loaded = match third {
        Some(Instr::Load8 { dst, ptr }) if *ptr == via => Some((8, *dst)),
        Some(Instr::Load32 { dst, ptr }) if *ptr == via && widened => Some((32, *dst)),
        Some(Instr::Load64 { dst, ptr }) if *ptr == via && widened => Some((64, *dst)),
        _ => None,
    };
    let [index, b, via, a, dst] = small([index, b, via, a, loaded.map_or(0, |loaded| loaded.1)])?;
    Some(match (loaded.map(|loaded| loaded.0), widened) {
        (Some(8), false) => Instr::MoveIndexed8 { index, b, via, a, dst, scale },
        (Some(8), true) => Instr::WidenIndexed8 { index, b, via, a, dst, scale },
        (Some(32), _) => Instr::WidenIndexed32 { index, b, via, a, dst, scale },
        (Some(_), _) => Instr::WidenIndexed64 { index, b, via, a, dst, scale },
        (None, false) => Instr::MoveScaled { index, b, dst: via, a, scale },
        (None, true) => Instr::WidenScaled { index, b, dst: via, a, scale },
    })
}

fn compared(first: &Instr, cond: Reg, then: Pc, otherwise: Pc) -> Option<Instr> {
    macro_rules! pairs {
        ($($plain:ident $both:ident),*) => {
            match *first {
                $(Instr::$plain { dst, a, b } if dst == cond => {
                    let [dst, a, b] = small([dst, a, b])?;
                    Some(Instr::$both { dst, a, b, then, otherwise })
                })*
                _ => None,
            }
        };
    }
    pairs!(
        Eq EqBranch, Ne NeBranch, Ult UltBranch, Ule UleBranch, Slt32 Slt32Branch, Sle32 Sle32Branch, Slt64 Slt64Branch,
        Sle64 Sle64Branch
    )
}

fn at(second: &Instr, via: Reg, a: Reg, offset: i32) -> Option<Instr> {
    macro_rules! pairs {
        ($($load:ident $load_at:ident $store:ident $store_at:ident),*) => {
            match *second {
                $(Instr::$load { dst, ptr } if ptr == via => {
                    let [via, a, dst] = small([via, a, dst])?;
                    Some(Instr::$load_at { via, a, dst, offset })
                }
                Instr::$store { src, ptr } if ptr == via => {
                    let [via, a, src] = small([via, a, src])?;
                    Some(Instr::$store_at { via, a, src, offset })
                })*
                _ => None,
            }
        };
    }
    pairs!(
        Load8 LoadAt8 Store8 StoreAt8, Load16 LoadAt16 Store16 StoreAt16, Load32 LoadAt32 Store32 StoreAt32,
        Load64 LoadAt64 Store64 StoreAt64
    )
}

fn indexed(second: &Instr, via: Reg, a: Reg, b: Reg, scale: u16) -> Option<Instr> {
    macro_rules! pairs {
        ($($load:ident $load_at:ident $store:ident $store_at:ident),*) => {
            match *second {
                $(Instr::$load { dst, ptr } if ptr == via => {
                    let [via, a, b, dst] = small([via, a, b, dst])?;
                    Some(Instr::$load_at { via, a, b, dst, scale })
                }
                Instr::$store { src, ptr } if ptr == via => {
                    let [via, a, b, src] = small([via, a, b, src])?;
                    Some(Instr::$store_at { via, a, b, src, scale })
                })*
                _ => None,
            }
        };
    }
    pairs!(
        Load8 LoadIndexed8 Store8 StoreIndexed8, Load32 LoadIndexed32 Store32 StoreIndexed32, Load64 LoadIndexed64 Store64
        StoreIndexed64
    )
}

fn deep(third: &Instr, via: Reg, inner: Reg, a: Reg, first: i32, second: i32) -> Option<Instr> {
    let (Ok(first), Ok(second)) = (i16::try_from(first), i16::try_from(second)) else { return None };
    match *third {
        Instr::Load32 { dst, ptr } if ptr == inner => {
            let [via, inner, a, dst] = small([via, inner, a, dst])?;
            Some(Instr::LoadDeep32 { via, inner, a, dst, first, second })
        }
        Instr::Load64 { dst, ptr } if ptr == inner => {
            let [via, inner, a, dst] = small([via, inner, a, dst])?;
            Some(Instr::LoadDeep64 { via, inner, a, dst, first, second })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(instrs: &[Instr], first: Instr) {
        let quick = fuse(instrs, &[]);
        assert_eq!(quick.len(), instrs.len());
        assert_eq!(quick[0], first);
        assert_eq!(quick.last(), instrs.last());
    }

    #[test]
    fn an_access_behind_its_address_is_one_with_it() {
        let address = Instr::Offset { dst: 3, a: 1, offset: 8 };
        check(
            &[address, Instr::Load32 { dst: 4, ptr: 3 }],
            Instr::LoadAt32 { via: 3, a: 1, dst: 4, offset: 8 },
        );
        check(
            &[Instr::Move { dst: 3, src: 1 }, Instr::Store8 { src: 4, ptr: 3 }],
            Instr::StoreAt8 { via: 3, a: 1, src: 4, offset: 0 },
        );
        check(&[address, Instr::Load32 { dst: 4, ptr: 2 }], address);
        let inner = Instr::Offset { dst: 5, a: 3, offset: -4 };
        check(
            &[address, inner, Instr::Load64 { dst: 6, ptr: 5 }],
            Instr::LoadDeep64 { via: 3, inner: 5, a: 1, dst: 6, first: 8, second: -4 },
        );
    }

    #[test]
    fn a_comparison_goes_with_the_branch_that_asks_for_it() {
        let compare = Instr::Ne { dst: 3, a: 1, b: 2 };
        let branch = |cond| Instr::Branch { cond, then: 7, otherwise: 9 };
        check(&[compare, branch(3)], Instr::NeBranch { dst: 3, a: 1, b: 2, then: 7, otherwise: 9 });
        check(&[compare, branch(4)], compare);
        let far = Instr::Ne { dst: 3, a: 1 << 16, b: 2 };
        check(&[far, branch(3)], far);
    }
}
