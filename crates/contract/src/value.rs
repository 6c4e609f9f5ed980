//! What predicates are about.

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
}

/// The first number in a text.
pub(crate) fn first_number(text: &[u8]) -> Option<i128> {
    let from = text.iter().position(u8::is_ascii_digit)?;
    let digits: Vec<u8> = text[from..].iter().copied().take_while(u8::is_ascii_digit).collect();
    let number: i128 = String::from_utf8(digits).ok()?.parse().ok()?;
    let negative = from > 0 && text[from - 1] == b'-';
    Some(if negative { -number } else { number })
}
