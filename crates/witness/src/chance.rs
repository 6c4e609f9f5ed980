//! What a few usual starts of a program do: long texts, many arguments, numbers at their limits, its options with such. They are run once for a version, whatever is
//! asked about it; a statement whose way in is too long to be followed may have failed there.

use crate::runner::{Runner, Units};
use crate::verdict::{Seen, is_it};
use hydrogen_evidence::{Input, Replay};
use hydrogen_ir::{Const, Module, Op, Operand};
use hydrogen_machine::{End, Fault, Program};
use hydrogen_query::{Attempt, Ran};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A text that is longer than most arrays have room for.
const LONG: usize = 600;
/// More arguments, and more lines, than most tables have room for.
const MANY: usize = 70;
/// Options that are tried.
const MOST_OPTIONS: usize = 12;
/// Steps of one run.
const STEPS: u64 = 2_000_000;

/// The runs that ended with a fault.
pub(crate) type Failed = Rc<Vec<(Input, Fault)>>;

impl<U: Units> Runner<U> {
    /// One of the usual starts with which the program fails at the statement.
    pub(crate) fn by_chance_of(&self, attempt: &Attempt) -> Option<Ran> {
        if self.is_over() {
            return None;
        }
        let program = self.whole(attempt).ok()?;
        let key = (attempt.version, self.limits(attempt.kind, STEPS).strict);
        let known = self.failed.borrow().get(&key).cloned();
        let failed = match known {
            Some(known) => known,
            None => {
                let failed = self.usual_runs(&program, attempt);
                self.failed.borrow_mut().insert(key, Rc::clone(&failed));
                failed
            }
        };
        let (input, _) = failed.iter().find(|(_, fault)| is_it(attempt, fault))?;
        let attempt = Attempt { input: input.clone(), ..attempt.clone() };
        let (input, seen) = self.run(&program, &attempt, input.clone());
        let input = (seen == Seen::It).then(|| self.smaller(&program, &attempt, input))?;
        Some(Ran { input, replay: Replay::Confirmed })
    }

    fn usual_runs(&self, program: &Program, attempt: &Attempt) -> Failed {
        let mut failed = Vec::new();
        let letters: BTreeSet<char> = program.units().flat_map(letters).collect();
        for input in usual().into_iter().chain(with_options(&letters)) {
            if self.is_over() {
                break;
            }
            let world = crate::runner::world(attempt).with_input(&input);
            let run = program.run(world, self.limits(attempt.kind, STEPS));
            if let End::Fault(fault) = run.end {
                failed.push((input, *fault));
            }
        }
        Rc::new(failed)
    }
}

/// The letters of options that take an argument, as a unit names them to `getopt`.
fn letters(module: &Module) -> Vec<char> {
    let constant = |operand: &Operand| match operand {
        Operand::Const(id) => Some(module.constant(*id)),
        _ => None,
    };
    let mut found = Vec::new();
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    for instruction in bodies.flat_map(|body| &body.instructions) {
        let Op::Call { callee, arguments, .. } = &instruction.op else { continue };
        let Some(Const::Function(function)) = constant(callee) else { continue };
        if !matches!(module.function(*function).name.as_str(), "getopt" | "getopt_long" | "getopt_long_only")
        {
            continue;
        }
        let Some(Const::Global(text)) = arguments.get(2).and_then(constant) else { continue };
        let text = module.global(*text).initializer.map(|id| module.constant(id));
        if let Some(Const::Bytes { data, .. }) = text {
            let pairs = data.windows(2).filter(|pair| pair[0].is_ascii_alphanumeric() && pair[1] == b':');
            found.extend(pairs.map(|pair| char::from(pair[0])));
        }
    }
    found
}

/// Starts with one option and something unusual behind it.
fn with_options(letters: &BTreeSet<char>) -> Vec<Input> {
    let long = "a".repeat(LONG);
    let values = ["0", "-1", "", "2147483647", "-2147483648", long.as_str()];
    let start = |letter: char, value: &str| {
        let words = [format!("-{letter}"), value.to_owned()];
        let args = words.into_iter().enumerate().map(|(at, word)| (at + 1, word.into_bytes())).collect();
        Input { args, exact: true, ..Input::default() }
    };
    let letters = letters.iter().take(MOST_OPTIONS);
    letters.flat_map(|&letter| values.map(|value| start(letter, value))).collect()
}

/// The starts.
fn usual() -> Vec<Input> {
    let long = "a".repeat(LONG);
    let args = |texts: &[&str]| -> Input {
        let texts = texts.iter().enumerate();
        let args: BTreeMap<usize, Vec<u8>> =
            texts.map(|(at, text)| (at + 1, text.as_bytes().to_vec())).collect();
        Input { args, exact: true, ..Input::default() }
    };
    let stdin = |text: String| Input { stdin: text.into_bytes(), exact: true, ..Input::default() };
    let numbers = "2147483647 -2147483648 4294967295 9223372036854775807".split(' ');
    let mut all = vec![
        args(&[]),
        args(&[""]),
        args(&["", ""]),
        args(&["0"]),
        args(&["-1"]),
        args(&["0", "0"]),
        args(&["-1", "-1"]),
        args(&[&long]),
        args(&[&long, &long]),
        args(&["a", &long]),
        args(&[&long, "1"]),
        args(&vec!["1"; MANY]),
        args(&vec!["a"; MANY]),
        stdin(format!("{long}\n")),
        stdin("1\n".repeat(MANY)),
        stdin("a\n".repeat(MANY)),
        stdin("1 ".repeat(MANY)),
        stdin(long.clone()),
        stdin("-1\n".to_owned()),
        stdin("0\n".to_owned()),
    ];
    for number in numbers {
        all.push(args(&[number]));
        all.push(args(&[number, number]));
        all.push(stdin(format!("{number}\n")));
    }
    all
}
