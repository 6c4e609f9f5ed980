//! What predicates are about.

use std::cell::Cell;
use std::collections::BTreeMap;

/// How a version ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It returned, or called `exit`, with this status.
    Returned(i32),
    /// By this signal.
    Signal(i32),
    /// With undefined behaviour.
    Trap,
}

/// What one version did.
#[derive(Debug, Clone)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Streams and files by name: `stdout`, `stderr`, `out.txt`.
    pub out: BTreeMap<String, Vec<u8>>,
    /// Values by name: `result` of a function, outputs that the program named.
    pub values: BTreeMap<String, i128>,
}

/// The input, the same for both.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The arguments; the first is the program's name.
    pub args: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Memory that has a name, as numbers.
    pub values: BTreeMap<String, i128>,
    /// Files that were there before, by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i128),
    Text(Vec<u8>),
}

/// What an expression is evaluated in.
#[derive(Clone, Copy)]
pub(crate) struct State<'s> {
    pub(crate) given: &'s Given,
    /// The version that unmarked expressions are about; none in `requires`, where they are about the input alone.
    pub(crate) own: &'s Run,
    pub(crate) prev: &'s Run,
    /// Whether it is asked about what was there before both runs.
    pub(crate) before: bool,
    /// What variables of quantifiers stand for.
    pub(crate) bound: Option<&'s Bound<'s>>,
    /// How many numbers quantifiers may still ask about.
    pub(crate) left: &'s Cell<u64>,
}

/// A variable of a quantifier, and those around it.
pub(crate) struct Bound<'s> {
    pub(crate) name: &'s str,
    pub(crate) value: i128,
    pub(crate) outer: Option<&'s Bound<'s>>,
}

/// Quantifiers of a contract ask about so many numbers for one input.
pub(crate) const MOST_NUMBERS: u64 = 1_000_000;

impl<'s> State<'s> {
    pub(crate) fn new(given: &'s Given, own: &'s Run, prev: &'s Run, left: &'s Cell<u64>) -> Self {
        Self { given, own, prev, before: false, bound: None, left }
    }

    /// The value of a variable: the innermost of that name.
    pub(crate) fn bound(&self, name: &str) -> Option<i128> {
        let mut at = self.bound;
        while let Some(one) = at {
            if one.name == name {
                return Some(one.value);
            }
            at = one.outer;
        }
        None
    }

    /// One more number is asked about; nothing where there were too many.
    pub(crate) fn spend(&self) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }
}

/// The first number in a text.
pub(crate) fn first_number(text: &[u8]) -> Option<i128> {
    let from = text.iter().position(u8::is_ascii_digit)?;
    let digits: Vec<u8> = text[from..].iter().copied().take_while(u8::is_ascii_digit).collect();
    let number: i128 = String::from_utf8(digits).ok()?.parse().ok()?;
    let negative = from > 0 && text[from - 1] == b'-';
    Some(if negative { -number } else { number })
}
