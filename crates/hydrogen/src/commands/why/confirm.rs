//! What the machine did with the inputs that are shown, native builds must do too (D10).

use super::input::Given;
use crate::commands::program::{Side, Two};
use crate::context::Context;
use hydrogen_evidence::Input;
use hydrogen_evidence::Natively;
use hydrogen_machine::Limits;
use hydrogen_program::Done;
use hydrogen_why::Explanation;

/// So many inputs are run natively.
const MOST: usize = 6;

/// What was confirmed and what was not, on a line each.
pub fn natively(
    context: &Context,
    two: &Two,
    given: &Given,
    limits: &Limits,
    found: &Explanation,
) -> Vec<String> {
    let best = found.suspects.iter().filter_map(|suspect| suspect.alternates.first()).map(|one| &one.input);
    let agreeing = found.agreeing.iter().map(|(input, _)| input);
    let inputs: Vec<&Input> = std::iter::once(&given.input).chain(best).chain(agreeing).take(MOST).collect();
    let mut said = Vec::new();
    for side in [&two.old, &two.new] {
        said.push(match one_side(context, side, given, limits, &inputs) {
            Ok(line) => line,
            Err(error) => format!("{} was not run natively: {error:#}", side.name),
        });
    }
    said
}

fn one_side(
    context: &Context,
    side: &Side,
    given: &Given,
    limits: &Limits,
    inputs: &[&Input],
) -> anyhow::Result<String> {
    let native = side.native(context)?;
    let (mut same, mut other) = (0, Vec::new());
    for input in inputs {
        let run = side.program().run(given.world.with_input(input), limits.clone());
        let done = Done { input, end: &run.end, after: &run.world };
        match native.once(&done, &given.world)? {
            Natively::Same => same += 1,
            Natively::Differs(how) => other.push(how),
            Natively::NotCompared | Natively::NoTime => {}
        }
    }
    let all = same + other.len();
    Ok(match other.first() {
        None if all == 0 => format!("{}: no run could be compared natively (undefined behaviour)", side.name),
        None => format!("{}: {same} of {all} runs are the same natively", side.name),
        Some(how) => format!("{}: {} of {all} runs are NOT the same natively: {how}", side.name, other.len()),
    })
}
