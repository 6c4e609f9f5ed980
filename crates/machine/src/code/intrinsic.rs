//! The compiler's own functions, `llvm.…`, by name.

/// An operation that clang writes as a call. Those without effect at -O0 are not decoded at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // LLVM's names.
pub enum Intrinsic {
    MemCpy,
    MemMove,
    MemSet,
    VaStart,
    VaCopy,
    StackSave,
    StackRestore,
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
    FAbs,
    Sqrt,
    Floor,
    Ceil,
    FTrunc,
    Rint,
    Round,
    RoundEven,
    CopySign,
    MinNum,
    MaxNum,
    Fma,
    FMulAdd,
    IsFpClass,
    Expect,
    ObjectSize,
    PtrMask,
    Assume,
    Trap,
    FrameAddress,
    ThreadLocalAddress,
    IsConstant,
    ReduceAdd,
    ReduceMul,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
}

/// What a name stands for.
pub(crate) enum Meaning {
    /// An operation.
    Does(Intrinsic),
    /// Something for debuggers and optimisers.
    Nothing,
    /// Something that the machine does not know.
    Unknown,
}

/// The meaning of `llvm.…`.
pub(crate) fn meaning(name: &str) -> Meaning {
    use Intrinsic::*;
    let Some(rest) = name.strip_prefix("llvm.") else { return Meaning::Unknown };
    const NOTHING: &[&str] = &[
        "dbg.",
        "lifetime.",
        "va_end",
        "prefetch",
        "donothing",
        "invariant.",
        "experimental.noalias.scope",
        "pseudoprobe",
        "sideeffect",
        "clear_cache",
        "codeview",
        "annotation",
        "var.annotation",
    ];
    if NOTHING.iter().any(|prefix| rest.starts_with(prefix)) {
        return Meaning::Nothing;
    }
    const TABLE: &[(&str, Intrinsic)] = &[
        ("memcpy", MemCpy),
        ("memmove", MemMove),
        ("memset", MemSet),
        ("va_start", VaStart),
        ("va_copy", VaCopy),
        ("stacksave", StackSave),
        ("stackrestore", StackRestore),
        ("sadd.with.overflow", SAddOverflow),
        ("uadd.with.overflow", UAddOverflow),
        ("ssub.with.overflow", SSubOverflow),
        ("usub.with.overflow", USubOverflow),
        ("smul.with.overflow", SMulOverflow),
        ("umul.with.overflow", UMulOverflow),
        ("sadd.sat", SAddSat),
        ("uadd.sat", UAddSat),
        ("ssub.sat", SSubSat),
        ("usub.sat", USubSat),
        ("bswap", BSwap),
        ("bitreverse", BitReverse),
        ("ctpop", CtPop),
        ("ctlz", CtLz),
        ("cttz", CtTz),
        ("fshl", FShl),
        ("fshr", FShr),
        ("abs", Abs),
        ("smax", SMax),
        ("smin", SMin),
        ("umax", UMax),
        ("umin", UMin),
        ("fabs", FAbs),
        ("sqrt", Sqrt),
        ("floor", Floor),
        ("ceil", Ceil),
        ("trunc", FTrunc),
        ("rint", Rint),
        ("nearbyint", Rint),
        ("round", Round),
        ("roundeven", RoundEven),
        ("copysign", CopySign),
        ("minnum", MinNum),
        ("maxnum", MaxNum),
        ("fma", Fma),
        ("fmuladd", FMulAdd),
        ("is.fpclass", IsFpClass),
        ("expect", Expect),
        ("objectsize", ObjectSize),
        ("ptrmask", PtrMask),
        ("assume", Assume),
        ("trap", Trap),
        ("debugtrap", Trap),
        ("ubsantrap", Trap),
        ("frameaddress", FrameAddress),
        ("returnaddress", FrameAddress),
        ("threadlocal.address", ThreadLocalAddress),
        ("is.constant", IsConstant),
        ("vector.reduce.add", ReduceAdd),
        ("vector.reduce.mul", ReduceMul),
        ("vector.reduce.and", ReduceAnd),
        ("vector.reduce.or", ReduceOr),
        ("vector.reduce.xor", ReduceXor),
    ];
    // A name is followed by the types it is used with: `llvm.bswap.i32`. The longest match counts.
    let fits =
        |key: &str| rest.strip_prefix(key).is_some_and(|more| more.is_empty() || more.starts_with('.'));
    let found = TABLE.iter().filter(|(key, _)| fits(key)).max_by_key(|(key, _)| key.len());
    found.map_or(Meaning::Unknown, |(_, intrinsic)| Meaning::Does(*intrinsic))
}

impl Intrinsic {
    /// How many registers the result takes.
    pub(crate) fn results(self, kind: super::Scalar) -> u32 {
        use Intrinsic::*;
        match self {
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
                kind.registers() + 1
            }
            MemCpy | MemMove | MemSet | VaStart | VaCopy | StackRestore | Assume | Trap => 0,
            StackSave | IsFpClass | ObjectSize | FrameAddress | ThreadLocalAddress | IsConstant => 1,
            _ => kind.registers(),
        }
    }

    /// What becomes of the arguments, and how many registers each takes (0: as many as the result's kind).
    pub(crate) fn arguments(self, lanes: u32) -> (super::Role, u32) {
        use super::Role::{Decides, Value};
        use Intrinsic::*;
        match self {
            // The byte that memset writes may be undefined; that it decides is the simpler rule.
            MemCpy | MemMove | MemSet | VaStart | VaCopy | StackRestore => (Decides, 1),
            ReduceAdd | ReduceMul | ReduceAnd | ReduceOr | ReduceXor => (Value, lanes),
            StackSave | ObjectSize | FrameAddress | ThreadLocalAddress | IsConstant | PtrMask => (Value, 1),
            _ => (Value, 0),
        }
    }
}
