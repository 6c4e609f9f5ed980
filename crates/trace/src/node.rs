//! Instances: what happened once.

/// An executed instruction, or a part of one that depends on other things than the whole: an argument of a call, or
/// that a call came back. Numbers grow with time; 0 is what was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Node(pub(crate) u64);

/// Parts of one instruction.
const PARTS: u32 = 6;

impl Node {
    /// What was there before the first instruction.
    pub const NONE: Node = Node(0);
    /// Behind everything.
    pub(crate) const LAST: Node = Node(u64::MAX);
    /// The part that says that a call came back.
    pub(crate) const RETURNED: u64 = 1;
    /// The first part for an argument.
    pub(crate) const FIRST_ARGUMENT: u64 = 2;
    /// Parts an instruction may have.
    pub(crate) const MOST: u64 = 1 << PARTS;

    /// The executed instruction with this number; the first is 1.
    pub fn step(step: u64) -> Self {
        Self(step << PARTS)
    }

    /// A part of an executed instruction.
    pub(crate) fn part(step: u64, part: u64) -> Self {
        Self(step << PARTS | part)
    }

    /// The number of the executed instruction.
    pub fn number(self) -> u64 {
        self.0 >> PARTS
    }

    pub(crate) fn is_part(self) -> bool {
        self.0 & (Self::MOST - 1) != 0
    }
}
