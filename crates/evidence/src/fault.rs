//! What a program can do wrong: one list for what is proved and for what is run.

use serde::{Deserialize, Serialize};

/// A fault, as exactly as a run can tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A read outside of every object, or past the end of one.
    OutOfBoundsRead,
    /// A write outside of every object, or past the end of one.
    OutOfBoundsWrite,
    /// A read of an aligned word that begins inside of an object and reaches over its end, as fast functions on strings do.
    OverRead,
    /// An access through the null pointer, or near it.
    NullDereference,
    /// An access to a heap object after its end.
    UseAfterFree,
    /// An access to a local variable of a function that has returned.
    UseAfterReturn,
    /// A heap object freed again.
    DoubleFree,
    /// `free` of something that is no heap object, or of its middle.
    InvalidFree,
    /// A heap object that nothing points to any more and that was not freed.
    Leak,
    /// A value that was never written decides a branch, an address or a system call.
    UninitialisedRead,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A signed result that its type cannot hold; the least number divided by -1 too.
    SignedOverflow,
    /// An unsigned wrap in a size that reaches an allocation, a copy or an index.
    SizeOverflow,
    /// A negative number, or one that lost bits, taken as a size.
    NegativeSize,
    /// A floating-point number that the integer type it becomes cannot hold.
    BadConversion,
    /// A shift by the width or more, or of a signed number that is negative or loses bits.
    BadShift,
    /// A pointer moved outside of its object, and not to its end.
    BadPointer,
    /// Code that cannot be reached was reached.
    Unreachable,
    /// Too many calls deep.
    StackExhausted,
    /// A call of something that is no function, or of another type.
    BadCall,
    /// A write to a constant.
    ReadOnlyWrite,
    /// `longjmp` to a function that has returned.
    BadLongJump,
    /// Memory that overlaps in `memcpy`.
    OverlappingCopy,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 23] = [
        FaultKind::OutOfBoundsRead,
        FaultKind::OutOfBoundsWrite,
        FaultKind::OverRead,
        FaultKind::NullDereference,
        FaultKind::UseAfterFree,
        FaultKind::UseAfterReturn,
        FaultKind::DoubleFree,
        FaultKind::InvalidFree,
        FaultKind::Leak,
        FaultKind::UninitialisedRead,
        FaultKind::DivisionByZero,
        FaultKind::SignedOverflow,
        FaultKind::SizeOverflow,
        FaultKind::NegativeSize,
        FaultKind::BadConversion,
        FaultKind::BadShift,
        FaultKind::BadPointer,
        FaultKind::Unreachable,
        FaultKind::StackExhausted,
        FaultKind::BadCall,
        FaultKind::ReadOnlyWrite,
        FaultKind::BadLongJump,
        FaultKind::OverlappingCopy,
    ];

    /// A name for programs.
    pub fn name(self) -> &'static str {
        use FaultKind::*;
        match self {
            OutOfBoundsRead => "out-of-bounds-read",
            OutOfBoundsWrite => "out-of-bounds-write",
            OverRead => "over-read",
            NullDereference => "null-dereference",
            UseAfterFree => "use-after-free",
            UseAfterReturn => "use-after-return",
            DoubleFree => "double-free",
            InvalidFree => "invalid-free",
            Leak => "leak",
            UninitialisedRead => "uninitialised-read",
            DivisionByZero => "division-by-zero",
            SignedOverflow => "signed-overflow",
            SizeOverflow => "size-overflow",
            NegativeSize => "negative-size",
            BadConversion => "bad-conversion",
            BadShift => "bad-shift",
            BadPointer => "bad-pointer",
            Unreachable => "unreachable",
            StackExhausted => "stack-exhausted",
            BadCall => "bad-call",
            ReadOnlyWrite => "read-only-write",
            BadLongJump => "bad-longjmp",
            OverlappingCopy => "overlapping-copy",
        }
    }

    /// What a question about this fault asks for.
    pub fn class(self) -> Class {
        use FaultKind::*;
        match self {
            OutOfBoundsRead | OutOfBoundsWrite | OverRead | ReadOnlyWrite | OverlappingCopy => {
                Class::Overflow
            }
            NullDereference => Class::Null,
            UseAfterFree | UseAfterReturn => Class::UseAfterFree,
            DoubleFree | InvalidFree => Class::DoubleFree,
            Leak => Class::Leak,
            UninitialisedRead => Class::Uninitialised,
            DivisionByZero => Class::Division,
            SignedOverflow | BadConversion => Class::SignedOverflow,
            SizeOverflow => Class::SizeOverflow,
            NegativeSize => Class::Sign,
            BadShift => Class::Shift,
            BadPointer => Class::Pointer,
            Unreachable | StackExhausted | BadCall | BadLongJump => Class::Control,
        }
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.name().replace('-', " "))
    }
}

/// What a question asks about: faults that a reader takes for the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// An access outside its object, or an index outside its array.
    Overflow,
    /// An access through a null pointer.
    Null,
    /// An access to an object that is gone.
    UseAfterFree,
    /// An object freed twice, or one that cannot be freed.
    DoubleFree,
    /// An object that nothing points to any more and that was not freed.
    Leak,
    /// A signed result that its type cannot hold.
    SignedOverflow,
    /// An unsigned wrap in a size that reaches an allocation, a copy or an index.
    SizeOverflow,
    /// A negative number, or one that lost bits, taken as a size.
    Sign,
    /// Division by zero.
    Division,
    /// A shift by too much, or of a negative number.
    Shift,
    /// A variable read before it is written.
    Uninitialised,
    /// A pointer moved outside of its object.
    Pointer,
    /// A call, a jump or an end that the language does not allow.
    Control,
    /// An ordering rule of the user.
    Rule,
    /// What a fix removed, whatever it is: found by comparing with the fix alone.
    Change,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 15] = [
        Class::Overflow,
        Class::Null,
        Class::UseAfterFree,
        Class::DoubleFree,
        Class::Leak,
        Class::SignedOverflow,
        Class::SizeOverflow,
        Class::Sign,
        Class::Division,
        Class::Shift,
        Class::Uninitialised,
        Class::Pointer,
        Class::Control,
        Class::Rule,
        Class::Change,
    ];

    /// Those that statements are searched for.
    pub const FAULTS: [Class; 12] = [
        Class::Overflow,
        Class::Null,
        Class::UseAfterFree,
        Class::DoubleFree,
        Class::Leak,
        Class::SignedOverflow,
        Class::SizeOverflow,
        Class::Sign,
        Class::Division,
        Class::Shift,
        Class::Uninitialised,
        Class::Pointer,
    ];

    /// Whether a check counts it only if it is asked to: C forbids it, and every compiler computes what was meant.
    pub fn is_pedantic(self) -> bool {
        self == Class::Pointer
    }

    /// The name on the command line and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Class::Overflow => "overflow",
            Class::Null => "null",
            Class::UseAfterFree => "use-after-free",
            Class::DoubleFree => "double-free",
            Class::Leak => "leak",
            Class::SignedOverflow => "signed-overflow",
            Class::SizeOverflow => "size-overflow",
            Class::Sign => "sign",
            Class::Division => "division",
            Class::Shift => "shift",
            Class::Uninitialised => "uninitialised",
            Class::Pointer => "pointer",
            Class::Control => "control",
            Class::Rule => "rule",
            Class::Change => "change",
        }
    }

    /// The class of this name.
    pub fn of_word(word: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_are_those_of_the_files() {
        for kind in FaultKind::ALL {
            assert_eq!(FaultKind::ALL.iter().filter(|other| other.name() == kind.name()).count(), 1);
        }
        for class in Class::ALL {
            assert_eq!(Class::of_word(class.word()), Some(class));
        }
    }
}
