//! Vector instructions that have no operator of their own in the model.

use super::float::{compare, format};
use super::int::{low, sign};
use crate::code::{Part, Scalar, X86};
use hydrogen_float::{Format, Rounding};
use std::cmp::Ordering;

/// A value as lanes: their bits, and what they are.
pub(super) struct Lanes {
    pub(super) bits: Vec<u64>,
    pub(super) kind: Scalar,
}

impl Lanes {
    fn width(&self) -> u32 {
        self.kind.width()
    }

    fn signed(&self, lane: usize) -> i64 {
        sign(self.bits[lane], self.width() as u8)
    }

    fn order(&self, other: &Self, lane: usize) -> Option<Ordering> {
        compare(self.kind, self.bits[lane].into(), other.bits[lane].into()).flatten()
    }
}

/// The lanes of the result. `clock` is what a clock says.
pub(super) fn compute(which: X86, args: &[Lanes], result: &[Part], clock: u64) -> Option<Vec<u64>> {
    let (first, second) = (args.first(), args.get(1));
    Some(match which {
        X86::Clock => vec![clock],
        X86::MoveMask => {
            let a = first?;
            let bit = |(lane, bits): (usize, &u64)| (bits >> (a.width() - 1) & 1) << lane;
            vec![a.bits.iter().enumerate().map(bit).sum()]
        }
        X86::SumOfDifferences => {
            let (a, b) = (first?, second?);
            let differences: Vec<u64> = a.bits.iter().zip(&b.bits).map(|(a, b)| a.abs_diff(*b)).collect();
            differences.chunks(8).map(|eight| eight.iter().sum()).collect()
        }
        X86::MultiplyHigh { signed } => {
            let (a, b) = (first?, second?);
            let high = |lane: usize| match signed {
                true => low(((a.signed(lane) * b.signed(lane)) >> 16) as u64, 16),
                false => (a.bits[lane] * b.bits[lane]) >> 16,
            };
            (0..a.bits.len()).map(high).collect()
        }
        X86::MultiplyAdd => {
            let (a, b) = (first?, second?);
            let product = |lane: usize| a.signed(lane) * b.signed(lane);
            let pair = |lane: usize| low((product(lane) + product(lane + 1)) as u64, 32);
            (0..a.bits.len()).step_by(2).map(pair).collect()
        }
        X86::Pack { signed } => {
            let (a, b) = (first?, second?);
            let width = a.width() / 2;
            let (least, most) = match signed {
                true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
                false => (0, (1i64 << width) - 1),
            };
            let pack = |lanes: &Lanes, lane: usize| low(lanes.signed(lane).clamp(least, most) as u64, width);
            let lanes = 0..a.bits.len();
            lanes.clone().map(|lane| pack(a, lane)).chain(lanes.map(|lane| pack(b, lane))).collect()
        }
        X86::ShiftLeft | X86::ShiftRight | X86::ShiftRightSigned => {
            let (a, by) = (first?, second?);
            // The distance is the lower half of a vector, or a number.
            let lower = (64 / by.width()).max(1) as usize;
            let join = |(lane, bits): (usize, &u64)| bits << (lane as u32 * by.width()).min(63);
            let by: u64 = by.bits.iter().take(lower).enumerate().map(join).fold(0, |all, one| all | one);
            let width = a.width();
            let shift = |lane: usize| {
                let value = a.bits[lane];
                match which {
                    X86::ShiftRightSigned => low((a.signed(lane) >> by.min(63)) as u64, width),
                    _ if by >= width.into() => 0,
                    X86::ShiftLeft => low(value << by, width),
                    _ => value >> by,
                }
            };
            (0..a.bits.len()).map(shift).collect()
        }
        X86::Average => {
            let (a, b) = (first?, second?);
            a.bits.iter().zip(&b.bits).map(|(a, b)| (a + b + 1) >> 1).collect()
        }
        X86::ToInt { truncate } => {
            let a = first?;
            let (from, width) = (format(a.kind)?, result.first()?.scalar.width());
            let how = if truncate { Rounding::TowardZero } else { Rounding::NearestEven };
            let convert = |lane: usize| {
                let Some(bits) = a.bits.get(lane).filter(|_| lane < a.bits.len()) else { return 0 };
                let rounded = hydrogen_float::round(from, how, (*bits).into());
                // What does not fit is the "indefinite" value, for the instruction as in C nothing is.
                hydrogen_float::to_int(from, true, width, rounded).unwrap_or(1 << (width - 1)) as u64
            };
            (0..result.len()).map(convert).collect()
        }
        X86::Narrow => {
            let source = args.last()?;
            let narrow =
                |bits: &u64| hydrogen_float::convert(Format::Double, Format::Single, (*bits).into()) as u64;
            match args {
                // One lane; the others are those of the first argument.
                [kept, from] if kept.kind != from.kind => {
                    let mut lanes = kept.bits.clone();
                    *lanes.first_mut()? = narrow(from.bits.first()?);
                    lanes
                }
                _ => {
                    let mut lanes: Vec<u64> = source.bits.iter().map(narrow).collect();
                    lanes.resize(result.len(), 0);
                    lanes
                }
            }
        }
        X86::Min { scalar } | X86::Max { scalar } => {
            let (a, b) = (first?, second?);
            let wanted = if matches!(which, X86::Min { .. }) { Ordering::Less } else { Ordering::Greater };
            let one = |lane: usize| match a.order(b, lane) {
                Some(order) if order == wanted => a.bits[lane],
                _ => b.bits[lane],
            };
            (0..a.bits.len()).map(|lane| if scalar && lane > 0 { a.bits[lane] } else { one(lane) }).collect()
        }
        X86::Compare { scalar } => {
            let (a, b, how) = (first?, second?, *args.get(2)?.bits.first()?);
            let one = |lane: usize| {
                let order = a.order(b, lane);
                let holds = match how & 3 {
                    0 => order == Some(Ordering::Equal),
                    1 => order == Some(Ordering::Less),
                    2 => order.is_some_and(Ordering::is_le),
                    _ => order.is_none(),
                };
                if holds != (how & 4 != 0) { low(u64::MAX, a.width()) } else { 0 }
            };
            (0..a.bits.len()).map(|lane| if scalar && lane > 0 { a.bits[lane] } else { one(lane) }).collect()
        }
        X86::Order(how) => {
            let order = first?.order(second?, 0);
            let holds = match how {
                0 => order.is_some_and(Ordering::is_eq),
                1 => order.is_some_and(Ordering::is_lt),
                2 => order.is_some_and(Ordering::is_le),
                3 => order.is_some_and(Ordering::is_gt),
                4 => order.is_some_and(Ordering::is_ge),
                _ => order.is_none_or(Ordering::is_ne),
            };
            vec![holds.into()]
        }
    })
}
