//! A better input than the one that the witness names: symbolic execution of the program itself, which knows what callees really do.

use crate::runner::{Runner, Units, world};
use crate::verdict::{Seen, is_it};
use hydrogen_evidence::{Class, Input, Value};
use hydrogen_explore::{ByPath, Explorer, FunctionEntry, Number, Options, Search, Symbolic};
use hydrogen_machine::{End, Fault, Program};
use hydrogen_query::Attempt;
use std::collections::BTreeMap;
use std::time::Duration;

/// Runs of one search. It is work that ends a search, and not time, so that its outcome is the same everywhere.
const RUNS: usize = 48;
/// Steps of each run: every branch of it is a question to the solver, so that a loop of many rounds costs more than its runs.
const STEPS: u64 = 20_000;
/// One of these questions, in the solver's units.
const QUESTION: u64 = 200_000;
/// Where all of that is not enough to end a search, this does.
const AT_MOST: Duration = Duration::from_secs(20);
/// Bytes of standard input.
const STDIN: usize = 24;
/// Bytes of each argument, at least.
const ARGUMENT: usize = 8;
/// Arguments are made so many.
const ARGUMENTS: usize = 3;

impl<U: Units> Runner<U> {
    /// An input that shows the fault, and that rests on nothing that may not come in (W-3a).
    pub(crate) fn search(&self, program: &Program, attempt: &Attempt) -> Option<Input> {
        // The explorer neither refuses memory nor watches sizes, and of the pointers of a call it makes any of them null.
        let possible = attempt.without_memory.is_empty() && attempt.answers.is_empty();
        let watched = matches!(attempt.kind, Class::Leak | Class::Sign | Class::SizeOverflow);
        if !possible || watched || attempt.kind == Class::Null && attempt.input.call.is_some() {
            return None;
        }
        let entry = match &attempt.input.call {
            Some(call) => {
                let entry = FunctionEntry {
                    function: call.function.clone(),
                    unit: call.unit.clone(),
                    depth: 3,
                    elements: 16,
                };
                Some(entry).filter(|entry| entry.refusal(program).is_none())
            }
            None => None,
        };
        if attempt.input.call.is_some() && entry.is_none() {
            return None;
        }
        let shapes = match entry.clone() {
            Some(entry) => vec![Symbolic { call: Some(entry), ..Symbolic::default() }],
            None => whole(attempt),
        };
        shapes.into_iter().find_map(|symbolic| self.explore(program, attempt, entry.as_ref(), symbolic))
    }

    fn explore(
        &self,
        program: &Program,
        attempt: &Attempt,
        entry: Option<&FunctionEntry>,
        symbolic: Symbolic,
    ) -> Option<Input> {
        let mut options = Options {
            symbolic,
            limits: self.limits(attempt.kind, STEPS),
            runs: RUNS,
            time: AT_MOST.min(self.left()),
            search: Search::Generational,
            faults: true,
            interrupt: self.interrupt(),
            ..Options::default()
        };
        (options.solver_limits.work, options.solver_limits.time) = (QUESTION, options.time);
        let base = world(attempt);
        let base = if entry.is_some() { base } else { base.with_input(&attempt.input) };
        let first = options.symbolic.first(&base);
        let mut explorer = Explorer::new(program, &base, first, &options, &ByPath, Default::default());
        let mut looked_at = 0;
        loop {
            let more = explorer.round();
            let tests = &explorer.found().tests;
            for test in &tests[looked_at..] {
                let End::Fault(fault) = &test.end else { continue };
                if !is_it(attempt, fault) || !may_come_in(fault) {
                    continue;
                }
                let mut input = test.input.clone();
                if let Some(entry) = entry {
                    input.call = entry.call(program, &test.input);
                    input.named.clear();
                    if !is_plain(&input) {
                        continue;
                    }
                } else {
                    input = with_rest(&input, attempt);
                }
                // As everything that is shown: run once more, as it is.
                let (input, again) = self.run(program, attempt, input);
                if again == Seen::It {
                    return Some(input);
                }
            }
            looked_at = tests.len();
            if !more {
                return None;
            }
        }
    }
}

/// Arguments and standard input of a program: arguments as bytes, and those that may be numbers as numbers, which a path through the
/// digits would rarely come to.
fn whole(attempt: &Attempt) -> Vec<Symbolic> {
    let given: Vec<(usize, &Vec<u8>)> = attempt
        .input
        .args
        .iter()
        .filter(|(at, _)| **at > 0)
        .map(|(at, text)| (*at, text))
        .take(ARGUMENTS)
        .collect();
    let bytes: BTreeMap<usize, usize> =
        given.iter().map(|(at, text)| (*at, text.len().max(ARGUMENT))).collect();
    let plain = Symbolic { stdin: STDIN, shorter: true, args: bytes, ..Symbolic::default() };
    let may_be_number =
        |text: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, 0 | b'-'));
    let numbers: BTreeMap<usize, Number> =
        given.iter().filter(|(_, text)| may_be_number(text)).map(|(at, _)| (*at, Number::any(32))).collect();
    if numbers.is_empty() {
        return vec![plain];
    }
    let mut other = Symbolic { numbers, ..plain.clone() };
    other.args.retain(|at, _| !other.numbers.contains_key(at));
    vec![plain, other]
}

/// An input with the arguments that were not symbolic.
fn with_rest(input: &Input, attempt: &Attempt) -> Input {
    let mut input = input.clone();
    for (at, bytes) in &attempt.input.args {
        input.args.entry(*at).or_insert_with(|| bytes.clone());
    }
    input
}

/// How large an object is that comes in nobody knows: that it is too small is no finding.
pub(crate) fn may_come_in(fault: &Fault) -> bool {
    let comes_in = fault.object.as_ref().is_some_and(|object| object.heap && object.allocated.is_empty());
    !(comes_in && fault.kind.class() == Class::Overflow)
}

/// Whether no two pointers lead to one object.
pub(crate) fn is_plain(input: &Input) -> bool {
    let Some(call) = &input.call else { return true };
    let arguments = call.arguments.iter().map(|argument| &argument.value);
    let cells = call.objects.iter().flat_map(|object| object.cells.iter().map(|cell| &cell.value));
    let mut objects = Vec::new();
    arguments.chain(cells).all(|value| match value {
        Value::Object(at, _) if objects.contains(at) => false,
        Value::Object(at, _) => {
            objects.push(*at);
            true
        }
        _ => true,
    })
}
