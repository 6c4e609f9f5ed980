//! What of a program's input is symbolic.

mod domain;
mod parse;

use crate::input::read_number;
use crate::surroundings::{Globals, Surroundings};
use bstr::BString;
use hydrogen_evidence::{Call, Input};
use hydrogen_machine::{Program, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What of the input may change. Memory that the program itself names (`hydrogen_symbolic`) always may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbolic {
    /// The first bytes of standard input.
    pub stdin: usize,
    /// Whether standard input may also be shorter: then its length is symbolic too.
    pub shorter: bool,
    /// Where standard input is made of lines: how many bytes each has before its end, which is not symbolic.
    pub line: Option<usize>,
    /// By number of an argument, its first bytes.
    pub args: BTreeMap<usize, usize>,
    /// The arguments that are numbers: each is one symbol, and its digits follow from it.
    pub numbers: BTreeMap<usize, Number>,
    /// Among the arguments whose bytes are symbolic, those that are texts: of printable characters alone.
    pub texts: BTreeSet<usize>,
    /// By name of a file, its first bytes.
    pub files: BTreeMap<BString, usize>,
    /// By name of a variable of the environment, the first bytes of its value.
    pub environment: BTreeMap<BString, usize>,
    /// The function that is called instead of starting the program; all that comes in with the call may change.
    pub call: Option<crate::shape::FunctionEntry>,
    /// What that function finds beside its parameters.
    pub surroundings: Surroundings,
    /// Of what comes in with that call, the parameters and global variables that may change, with all that is reached from them; all of
    /// them if none is named.
    pub only: BTreeSet<String>,
}

/// An argument that is a whole number in decimal, as C programs write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// How wide its symbol is: 32 or 64 bits.
    pub bits: u32,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl Number {
    /// Any number of a width.
    pub fn any(bits: u32) -> Number {
        let (low, high) = Number::limits(bits);
        Number { bits, low, high }
    }

    /// The least and the greatest number of a width.
    pub(crate) fn limits(bits: u32) -> (i64, i64) {
        if bits == 32 { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (i64::MIN, i64::MAX) }
    }

    /// The number of a text as the program is first run with it.
    fn first(self, text: &[u8]) -> i64 {
        read_number(text).unwrap_or(0).clamp(self.low, self.high)
    }
}

/// The bytes of a source, longer than before only by zeros.
fn at_least(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < len {
        bytes.resize(len, 0);
    }
    bytes
}

/// Lines of so many bytes, from those that are given: a line that is too short is filled with spaces, one that is too long is cut.
fn lines(given: &[u8], line: usize, bytes: usize) -> Vec<u8> {
    let mut given = given.split(|byte| *byte == b'\n');
    let mut all = Vec::with_capacity(bytes);
    while all.len() < bytes {
        let mut one = given.next().unwrap_or_default().to_vec();
        one.resize(line, b' ');
        all.extend(one);
        all.push(b'\n');
    }
    all
}

impl Symbolic {
    /// The world of a run: with the input, and the call that the input stands for.
    pub fn world(&self, program: &Program, base: &World, input: &Input) -> World {
        match &self.call {
            Some(_) => {
                let mut world = base.with_input(input);
                world.call = self.call_of(program, input).map(Arc::new);
                world
            }
            None => base.with_input(input),
        }
    }

    /// The call that an input stands for, where a function is called.
    pub fn call_of(&self, program: &Program, input: &Input) -> Option<Call> {
        let open = |name: &str| self.may_change(name);
        Some(self.call.as_ref()?.made(program, self.surroundings, &open, input)?.call)
    }

    /// An input with the initial values of the global variables that may hold anything, where it says nothing of them.
    pub fn with_globals(&self, program: &Program, mut input: Input) -> Input {
        let Some(entry) = self.call.as_ref().filter(|_| self.surroundings.globals == Globals::Any) else {
            return input;
        };
        for (name, bytes) in entry.initial(program) {
            input.named.entry(name.into()).or_insert(bytes);
        }
        input
    }

    /// The input that a world has already, filled up to the sizes asked for.
    pub fn first(&self, world: &World) -> Input {
        let mut input = Input::default();
        if self.stdin > 0 {
            input.stdin = match self.line {
                Some(line) => lines(world.stdin(), line, self.stdin),
                None => at_least(world.stdin(), if self.shorter { 0 } else { self.stdin }),
            };
            if self.shorter {
                input.stdin.truncate(self.stdin);
            }
            input.exact = true;
        }
        let given = |index: &usize| world.args.get(*index).map_or(&b""[..], |arg| arg.as_slice());
        for (index, len) in &self.args {
            input.args.insert(*index, at_least(given(index), *len));
        }
        for (index, number) in &self.numbers {
            input.args.insert(*index, number.first(given(index)).to_string().into_bytes());
        }
        for (name, len) in &self.files {
            let given = world.file(name).unwrap_or_default();
            input.files.insert(name.clone(), at_least(&given, *len));
        }
        for (name, len) in &self.environment {
            let given = world.variable(name).map_or(&b""[..], |(_, value)| value);
            input.environment.insert(name.clone(), at_least(given, *len));
        }
        input
    }

    /// Whether a value that comes in with a call may change, by the way to it: `p->next->n`. Answers of functions without a body may.
    pub(crate) fn may_change(&self, path: &str) -> bool {
        let path = path.trim_start_matches(['*', '(', ':']);
        let path = path.strip_prefix("char *)").unwrap_or(path);
        let end = path.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(path.len());
        self.only.is_empty() || self.only.contains(&path[..end]) || crate::unknown::is_answer(path)
    }

    /// Whether a byte of standard input is a symbol.
    pub fn stdin_changes(&self, at: u64) -> bool {
        let ends_line = self.line.is_some_and(|line| at % (line as u64 + 1) == line as u64);
        at < self.stdin as u64 && !ends_line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_input_has_the_form_asked_for() {
        let world = World::new(["p", "12", "-7", "x"]).with_stdin("abc\ntoo long\n");
        let args: Vec<BString> = world.args.clone();
        let list = ["arg:1:int:0..3", "arg:2:int", "arg:3:string:3", "stdin:lines:3x4"].map(str::to_owned);
        let symbolic = Symbolic::parse(&list, &args).expect("all are right");
        let first = symbolic.first(&world);
        assert_eq!(first.args[&1], b"3", "the nearest number that is allowed");
        assert_eq!(first.args[&2], b"-7");
        assert_eq!(first.args[&3], b"x\0\0");
        assert_eq!(first.stdin, b"abc \ntoo \n    \n");
        assert!(symbolic.stdin_changes(3) && !symbolic.stdin_changes(4) && symbolic.stdin_changes(5));
    }
}
