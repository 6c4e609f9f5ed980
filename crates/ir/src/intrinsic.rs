//! The compiler's own functions, `llvm.…`, by name.

/// An operation that compilers write as a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    ReturnAddress,
    ThreadLocalAddress,
    IsConstant,
    ReduceAdd,
    ReduceMul,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntrinsicName {
    /// An operation.
    Does(Intrinsic),
    /// Something for debuggers and optimisers.
    Nothing,
    /// Something that is not in the list.
    Unknown,
}

/// What `llvm.…` stands for.
pub fn intrinsic_of(name: &str) -> IntrinsicName {
    use Intrinsic::*;
    let Some(rest) = name.strip_prefix("llvm.") else { return IntrinsicName::Unknown };
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
        return IntrinsicName::Nothing;
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
        ("returnaddress", ReturnAddress),
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
    found.map_or(IntrinsicName::Unknown, |(_, intrinsic)| IntrinsicName::Does(*intrinsic))
}
