//! What a few usual starts of a program do: long texts, many arguments, numbers at their limits. They are run once for a version, whatever is
//! asked about it; a statement whose way in is too long to be followed may have failed there.

use crate::runner::{Runner, Units};
use crate::verdict::{Seen, is_it};
use hydrogen_evidence::{Input, Replay};
use hydrogen_machine::{End, Fault, Program};
use hydrogen_query::{Attempt, Ran};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A text that is longer than most arrays have room for.
const LONG: usize = 600;
/// More arguments, and more lines, than most tables have room for.
const MANY: usize = 70;
/// Steps of one run.
const STEPS: u64 = 2_000_000;

/// The runs that ended with a fault.
pub(crate) type Failed = Rc<Vec<(Input, Fault)>>;

impl<U: Units> Runner<U> {
    /// One of the usual starts with which the program fails at the statement.
    pub(crate) fn by_chance_of(&self, attempt: &Attempt) -> Option<Ran> {
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
        for input in usual() {
            let world = crate::runner::world(attempt).with_input(&input);
            let run = program.run(world, self.limits(attempt.kind, STEPS));
            if let End::Fault(fault) = run.end {
                failed.push((input, *fault));
            }
        }
        Rc::new(failed)
    }
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
