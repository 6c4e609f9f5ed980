//! Trying alone: an input on which two programs differ, found without a single question. `compare` begins with it, since one input is enough to differ.

use crate::tries::{Tried, Tries};
use crate::types::{Options, Shape};
use hydrogen_evidence::Input;
use hydrogen_machine::{Limits, Program};
use hydrogen_pair::Observable;

/// Makes inputs out of those that are given and runs them in both programs, until one tells them apart or it is over. The input is small.
pub fn try_inputs(
    programs: [&Program; 2],
    shape: &Shape,
    given: &[Input],
    limits: &Limits,
    observables: &[Observable],
    is_over: impl FnMut() -> bool,
) -> Option<Input> {
    // What is symbolic in a call has types that trying knows nothing of.
    if shape.symbolic.call.is_some() {
        return None;
    }
    let mut tries = Tries::new(programs, Default::default());
    given.iter().for_each(|input| tries.keep(0, input, false));
    let options = Options { limits: limits.clone(), observables: observables.to_vec(), ..Options::default() };
    match tries.turn(&mut vec![shape.clone()], &options, u64::MAX, is_over) {
        Tried::Differs(_, input) => Some(input),
        Tried::Nothing(_) => None,
    }
}
