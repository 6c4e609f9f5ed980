//! The compiler's functions for the vector instructions that every x86-64 processor has, by name. Most of those instructions are ordinary
//! operations on vectors in the model; these are the rest.

/// What a function does with the lanes of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // As the instructions are called.
pub enum X86 {
    /// The highest bits of all lanes, as a number.
    MoveMask,
    SumOfDifferences,
    MultiplyHigh {
        signed: bool,
    },
    MultiplyAdd,
    /// Lanes of half the width; what does not fit becomes the nearest that does.
    Pack {
        signed: bool,
    },
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Average,
    /// Floating point to integers of 32 or 64 bits.
    ToInt {
        truncate: bool,
    },
    /// `double` to `float`.
    Narrow,
    /// The second operand where one is no number.
    Min {
        scalar: bool,
    },
    Max {
        scalar: bool,
    },
    /// A mask of ones where the predicate of the third argument holds.
    Compare {
        scalar: bool,
    },
    /// Whether the lowest lanes compare so: 0 =, 1 <, 2 ≤, 3 >, 4 ≥, 5 ≠.
    Order(u8),
    /// A clock: instructions executed so far.
    Clock,
}

/// The function of this name; `Some(None)` for one that does nothing here.
pub(super) fn named(name: &str) -> Option<Option<X86>> {
    use X86::*;
    if name == "llvm.readcyclecounter" {
        return Some(Some(Clock));
    }
    let name = name.strip_prefix("llvm.x86.")?;
    const ORDERS: [&str; 6] = ["eq", "lt", "le", "gt", "ge", "neq"];
    let order = ["sse.comi", "sse.ucomi", "sse2.comi", "sse2.ucomi"].iter().find_map(|start| {
        let how = name
            .strip_prefix(start)?
            .strip_suffix(".ss")
            .or(name.strip_prefix(start)?.strip_suffix(".sd"))?;
        ORDERS.iter().position(|order| *order == how)
    });
    if let Some(order) = order {
        return Some(Some(Order(order as u8)));
    }
    Some(Some(match name {
        "sse2.lfence" | "sse2.mfence" | "sse.sfence" | "sse2.pause" | "sse2.clflush" => return Some(None),
        "rdtsc" => Clock,
        "sse2.pmovmskb.128" | "sse2.movmsk.pd" | "sse.movmsk.ps" => MoveMask,
        "sse2.psad.bw" => SumOfDifferences,
        "sse2.pmulh.w" => MultiplyHigh { signed: true },
        "sse2.pmulhu.w" => MultiplyHigh { signed: false },
        "sse2.pmadd.wd" => MultiplyAdd,
        "sse2.packsswb.128" | "sse2.packssdw.128" => Pack { signed: true },
        "sse2.packuswb.128" => Pack { signed: false },
        "sse2.psll.w" | "sse2.psll.d" | "sse2.psll.q" | "sse2.pslli.w" | "sse2.pslli.d" | "sse2.pslli.q" => {
            ShiftLeft
        }
        "sse2.psrl.w" | "sse2.psrl.d" | "sse2.psrl.q" | "sse2.psrli.w" | "sse2.psrli.d" | "sse2.psrli.q" => {
            ShiftRight
        }
        "sse2.psra.w" | "sse2.psra.d" | "sse2.psrai.w" | "sse2.psrai.d" => ShiftRightSigned,
        "sse2.pavg.b" | "sse2.pavg.w" => Average,
        "sse2.cvtps2dq" | "sse2.cvtpd2dq" | "sse2.cvtsd2si" | "sse2.cvtsd2si64" | "sse.cvtss2si"
        | "sse.cvtss2si64" => ToInt { truncate: false },
        "sse2.cvttps2dq" | "sse2.cvttpd2dq" | "sse2.cvttsd2si" | "sse2.cvttsd2si64" | "sse.cvttss2si"
        | "sse.cvttss2si64" => ToInt { truncate: true },
        "sse2.cvtpd2ps" | "sse2.cvtsd2ss" => Narrow,
        "sse.min.ps" | "sse2.min.pd" => Min { scalar: false },
        "sse.min.ss" | "sse2.min.sd" => Min { scalar: true },
        "sse.max.ps" | "sse2.max.pd" => Max { scalar: false },
        "sse.max.ss" | "sse2.max.sd" => Max { scalar: true },
        "sse.cmp.ps" | "sse2.cmp.pd" => Compare { scalar: false },
        "sse.cmp.ss" | "sse2.cmp.sd" => Compare { scalar: true },
        _ => return None,
    }))
}
