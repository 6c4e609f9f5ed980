//! The words of the text form for every operator and property.

use crate::{
    AtomicOrdering, BinaryOp, CastOp, Encoding, FloatKind, FloatPredicate, IntPredicate, Linkage, RecordKind,
    RmwOp, Role, UnaryOp,
};

/// A value with a word in the text form.
pub(crate) trait Keyword: Sized + Copy {
    /// What such a value is called in messages.
    const KIND: &'static str;
    /// Its word.
    fn word(self) -> &'static str;
    /// The value with this word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! keywords {
    ($($ty:ident $kind:literal { $($variant:ident $word:literal),* $(,)? })*) => {$(
        impl Keyword for $ty {
            const KIND: &'static str = $kind;

            fn word(self) -> &'static str {
                match self {
                    $($ty::$variant => $word,)*
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($ty::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

keywords! {
    UnaryOp "an operator" { FNeg "fneg" }
    BinaryOp "an operator" {
        Add "add", FAdd "fadd", Sub "sub", FSub "fsub", Mul "mul", FMul "fmul", UDiv "udiv", SDiv "sdiv",
        FDiv "fdiv", URem "urem", SRem "srem", FRem "frem", Shl "shl", LShr "lshr", AShr "ashr", And "and",
        Or "or", Xor "xor",
    }
    CastOp "a conversion" {
        Trunc "trunc", ZExt "zext", SExt "sext", FpToUi "fptoui", FpToSi "fptosi", UiToFp "uitofp",
        SiToFp "sitofp", FpTrunc "fptrunc", FpExt "fpext", PtrToInt "ptrtoint", IntToPtr "inttoptr",
        BitCast "bitcast", AddrSpaceCast "addrspacecast",
    }
    IntPredicate "a comparison" {
        Eq "eq", Ne "ne", Ugt "ugt", Uge "uge", Ult "ult", Ule "ule", Sgt "sgt", Sge "sge", Slt "slt",
        Sle "sle",
    }
    FloatPredicate "a comparison" {
        False "false", Oeq "oeq", Ogt "ogt", Oge "oge", Olt "olt", Ole "ole", One "one", Ord "ord",
        Uno "uno", Ueq "ueq", Ugt "ugt", Uge "uge", Ult "ult", Ule "ule", Une "une", True "true",
    }
    AtomicOrdering "an ordering" {
        NotAtomic "not_atomic", Unordered "unordered", Monotonic "monotonic", Acquire "acquire",
        Release "release", AcquireRelease "acq_rel", SequentiallyConsistent "seq_cst",
    }
    RmwOp "an atomic operator" {
        Xchg "xchg", Add "add", Sub "sub", And "and", Nand "nand", Or "or", Xor "xor", Max "max", Min "min",
        UMax "umax", UMin "umin", FAdd "fadd", FSub "fsub", FMax "fmax", FMin "fmin",
        UIncWrap "uinc_wrap", UDecWrap "udec_wrap", Other "other",
    }
    FloatKind "a floating-point type" {
        Half "half", BFloat "bfloat", Float "float", Double "double", X86Fp80 "x86_fp80", Fp128 "fp128",
        PpcFp128 "ppc_fp128",
    }
    Encoding "an encoding" {
        Signed "signed", Unsigned "unsigned", Boolean "boolean", Float "floating", Complex "complex",
        Other "unknown",
    }
    RecordKind "a kind of record" { Struct "struct", Union "union", Class "class" }
    Linkage "a linkage" {
        External "external", Internal "internal", Mergeable "mergeable",
        AvailableExternally "available_externally",
    }
    Role "a role" {
        Entry "entry", Exit "exit", Expression "expression",
        Declaration "declaration", If "if", While "while", DoWhile "do_while", For "for",
        ForStep "for_step", Switch "switch", Condition "condition", Arm "arm", Return "return",
        Break "break", Continue "continue", Goto "goto", Asm "asm", Config "config", Opaque "opaque",
    }
}
