//! Attacks on what was proved: a statement that is called `absent` is run all the same, by calls of the functions that lead to it and by
//! usual starts of the program. A proof that a run contradicts is none, whatever was wrong with it.

use crate::runner::{Runner, Units, as_typed, place_in, world};
use crate::search::{is_plain, may_come_in};
use crate::verdict::{happens_by_itself, is_it, is_lost, is_under};
use crate::watch::Watch;
use hydrogen_evidence::{Call, Class, Input, Replay, Reply, Value};
use hydrogen_machine::{End, Program};
use hydrogen_program::takes_plain_values;
use hydrogen_query::{Attempt, Entrance, Ran};
use hydrogen_trial::{Proposer, does_something};
use std::collections::BTreeSet;

/// Calls of one function.
const CALLS: u64 = 120;
/// Steps of one of them, and of all that are made for one statement.
const STEPS: u64 = 40_000;
const ALL_STEPS: u64 = 3_000_000;
/// Of so many first requests for memory one is refused at a time.
const REFUSED: u64 = 4;
/// Calls in a row that cannot be made: then others cannot either.
const HOPELESS: u64 = 8;

impl<U: Units> Runner<U> {
    /// An input on which the statement fails: by a call of one of these functions, or by a usual start of the program.
    pub(crate) fn attack(&self, attempt: &Attempt, entrances: &[Entrance], inside: bool) -> Option<Ran> {
        if self.is_over() || !happens_by_itself(attempt.kind) {
            return None;
        }
        let mut steps = 0;
        for entrance in entrances.iter().filter(|one| one.function != "main") {
            if let Some(ran) = self.attack_from(attempt, entrance, inside, &mut steps) {
                return Some(ran);
            }
        }
        self.by_chance_of(attempt)
    }

    fn attack_from(
        &self,
        attempt: &Attempt,
        entrance: &Entrance,
        inside: bool,
        steps: &mut u64,
    ) -> Option<Ran> {
        let (function, unit) = (entrance.function.clone(), Some(entrance.file.clone()));
        let base = Call { function, unit, ..Call::default() };
        let with =
            |call: Call| Attempt { input: Input { call: Some(call), ..Input::default() }, ..attempt.clone() };
        let program = self.program(&with(base.clone())).ok()?;
        let (module, id) = place_in(&program, &base)?;
        let proposer = Proposer::new((module, id), (module, id), |name| does_something(&program, name));
        let mut hopeless = 0;
        for number in 0..if proposer.is_fixed() { 3 * REFUSED } else { CALLS } {
            if *steps > ALL_STEPS || hopeless > HOPELESS || self.is_over() {
                return None;
            }
            let mut call =
                Call { function: base.function.clone(), unit: base.unit.clone(), ..proposer.call(number) };
            // Variables hold what they begin with, which every program has seen.
            call.globals.clear();
            for Reply { value, .. } in &mut call.answers {
                *value = Value::number(64, 0);
            }
            let mut tried = with(call);
            // Every third time one of the first requests for memory is refused.
            if number % 3 == 2 {
                tried.input.refused = BTreeSet::from([number / 3 % REFUSED]);
            }
            let world = world(&tried).with_input(&tried.input);
            let run = program.run_with(world, self.limits(attempt.kind, STEPS), Watch::new(&program, &tried));
            *steps += run.statistics.steps;
            hopeless = match run.end {
                End::Unresolved(..) | End::Unsupported(..) => hopeless + 1,
                _ => 0,
            };
            let fails = match &run.end {
                End::Fault(fault) => {
                    let there = is_it(&tried, fault) || inside && is_under(&tried, fault);
                    there && may_come_in(fault) && run.monitor.strayed().is_none()
                }
                End::Exit(_) => attempt.kind == Class::Leak && is_lost(&tried, &run),
                _ => false,
            };
            if fails {
                let is_free = takes_plain_values(module, module.function(id));
                return Some(shown(&program, tried.input, is_free));
            }
        }
        None
    }
}

/// What a call shows: the fault, if it is made of numbers and texts alone and no pointer is null or leads where another one does.
fn shown(program: &Program, input: Input, is_free: bool) -> Ran {
    let given = input.call.iter().flat_map(|call| &call.arguments);
    let nothing_missing = given.clone().all(|argument| argument.value != Value::Null);
    let answered = input.call.iter().all(|call| call.answers.is_empty());
    let replay = match is_free && nothing_missing && answered && is_plain(&input) {
        true => Replay::Confirmed,
        false => Replay::ConfirmedIf { needs: "memory that comes in must be as in this call".to_owned() },
    };
    Ran { input: as_typed(program, input), replay }
}
