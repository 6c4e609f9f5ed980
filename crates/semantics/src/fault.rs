//! Results, and what can be wrong with them.

use crate::Domain;
use hydrogen_evidence::FaultKind;
use smallvec::SmallVec;

/// Why an operation is a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The divisor is zero.
    ZeroDivisor,
    /// The least number is divided by -1.
    Quotient,
    /// A signed sum, difference or product does not fit.
    Overflow,
    /// A shift by the width or more.
    ShiftCount,
    /// A negative number is shifted left as a signed one.
    NegativeShifted,
    /// A signed number loses bits in a shift to the left, or becomes negative.
    ShiftedOut,
}

impl Why {
    /// What kind of fault it is.
    pub fn kind(self) -> FaultKind {
        match self {
            Why::ZeroDivisor => FaultKind::DivisionByZero,
            Why::Quotient | Why::Overflow => FaultKind::SignedOverflow,
            Why::ShiftCount | Why::NegativeShifted | Why::ShiftedOut => FaultKind::BadShift,
        }
    }

    /// Whether every compiler gives the result that two's complement suggests, and programs rely on it: a run goes on unless it is asked to
    /// stop there.
    pub fn is_tolerated(self) -> bool {
        matches!(self, Why::NegativeShifted | Why::ShiftedOut)
    }
}

/// A way in which an operation can be a fault.
#[derive(Debug, Clone, Copy)]
pub struct Fault<T> {
    /// What is wrong.
    pub why: Why,
    /// When it is.
    pub when: T,
}

/// In the order in which they are looked for.
pub type Faults<T> = SmallVec<[Fault<T>; 2]>;

/// What an operation does.
pub struct Outcome<D: Domain + ?Sized> {
    /// The result, also where there is a fault.
    pub value: D::Value,
    /// What can be wrong.
    pub faults: Faults<D::Truth>,
}

impl<D: Domain> Outcome<D> {
    /// That none of the faults is there; none if there are none to look for. Tolerated ones count only if asked for.
    pub fn fine_when(&self, domain: &mut D, tolerated: bool) -> Option<D::Truth> {
        let counted = self.faults.iter().filter(|fault| tolerated || !fault.why.is_tolerated());
        counted.fold(None, |fine, fault| {
            let not = domain.not(fault.when);
            Some(match fine {
                Some(fine) => domain.both(fine, not),
                None => not,
            })
        })
    }
}
