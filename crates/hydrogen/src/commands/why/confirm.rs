//! What the machine did with the inputs that are shown, native builds must do too (D10).

use super::input::Given;
use crate::commands::program::{Side, Two};
use crate::context::Context;
use anyhow::bail;
use hydrogen_evidence::{Input, Natively, escape};
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
    if given.symbolic.call.is_some() {
        return calls(context, side, given, limits, inputs);
    }
    let mut native = side.native(context)?;
    if let Some(place) = &given.place {
        if place.bound {
            bail!("its input names files by where the test ran");
        }
        native = native.in_folder(place.root.clone(), place.inside.clone());
    }
    let (mut same, mut other) = (0, Vec::new());
    for input in inputs {
        let run = given.run(side.program(), input, limits);
        let done = Done { input, end: &run.end, after: &run.world };
        match native.once(&done, &given.world)? {
            Natively::Same => same += 1,
            Natively::Differs(how) => other.push(how),
            Natively::NotCompared | Natively::NoTime => {}
        }
    }
    Ok(said(side, same, &other))
}

/// Calls of a function, each as a test in C.
fn calls(
    context: &Context,
    side: &Side,
    given: &Given,
    limits: &Limits,
    inputs: &[&Input],
) -> anyhow::Result<String> {
    let (mut same, mut other) = (0, Vec::new());
    for input in inputs {
        let Some(call) = given.symbolic.call_of(side.program(), input) else { continue };
        let run = given.run(side.program(), input, limits);
        match side.call_natively(context, &call, &run)? {
            Some(Ok(())) => same += 1,
            Some(Err(printed)) => other.push(format!("it prints {}", escape(printed.trim_end().as_bytes()))),
            None => {}
        }
    }
    Ok(said(side, same, &other))
}

fn said(side: &Side, same: usize, other: &[String]) -> String {
    let all = same + other.len();
    match other.first() {
        None if all == 0 => format!("{}: no run could be compared natively (undefined behaviour)", side.name),
        None => format!("{}: {same} of {all} runs are the same natively", side.name),
        Some(how) => format!("{}: {} of {all} runs are NOT the same natively: {how}", side.name, other.len()),
    }
}
