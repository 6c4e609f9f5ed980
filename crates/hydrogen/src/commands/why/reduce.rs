//! `--reduce`: a smaller standard input that fails in the same way (F-C29).

use super::input::Given;
use hydrogen_interact::mine::{Configuration, minimal_failing};
use hydrogen_machine::{Limits, Program};
use hydrogen_pair::Observable;
use std::convert::Infallible;

/// So many inputs are run.
const MOST_RUNS: usize = 400;
/// More pieces are not tried one by one.
const MOST_PIECES: usize = 2000;

/// Leaves out lines, then bytes, as long as the versions differ in the same output.
pub fn reduce(given: &Given, programs: [&Program; 2], limits: &Limits, observables: &[Observable]) -> Given {
    let differs = |given: &Given| -> Option<Observable> {
        let [old, new] = programs.map(|program| given.outcome(program, limits));
        if !old.is_whole() || !new.is_whole() {
            return Some(Observable::FaultPlace);
        }
        old.differences(&new, observables).into_iter().next().map(|it| it.observable)
    };
    let mut best = given.clone();
    let Some(wanted) = differs(given) else { return best };
    for by_lines in [true, false] {
        let text = best.input.stdin.clone();
        let pieces: Vec<&[u8]> = match by_lines {
            true => text.split_inclusive(|byte| *byte == b'\n').collect(),
            false => text.chunks(1).collect(),
        };
        if pieces.len() < 2 || pieces.len() > MOST_PIECES {
            continue;
        }
        let with =
            |chosen: &[usize]| with_stdin(&best, chosen.iter().flat_map(|at| pieces[*at]).copied().collect());
        let found = minimal_failing(pieces.len(), MOST_RUNS, |chosen| -> Result<Configuration, Infallible> {
            Ok(match differs(&with(chosen)) {
                None => Configuration::Passes,
                Some(what) if what == wanted => Configuration::Fails,
                Some(_) => Configuration::Unresolved("another difference".into()),
            })
        });
        let Ok(Ok(minimal)) = found else { continue };
        let smaller = with(&minimal.critical);
        best = smaller;
    }
    best
}

/// The same with another standard input.
fn with_stdin(given: &Given, stdin: Vec<u8>) -> Given {
    let mut symbolic = given.symbolic.clone();
    symbolic.stdin = symbolic.stdin.min(stdin.len());
    let mut input = given.input.clone();
    input.stdin.clone_from(&stdin);
    input.exact = true;
    let place = given.place.clone();
    Given { world: given.world.clone().with_stdin(stdin), symbolic, input, place }
}
