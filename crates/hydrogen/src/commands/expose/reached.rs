//! How far a change got in an input: what it did, and why nothing more came of it.

use super::report::started;
use super::work::Work;
use hydrogen_evidence::exposed::{Further, Reached};
use hydrogen_expose::Asked;

/// Those of the findings, and of the most telling inputs that showed no difference.
pub fn reached(work: &mut Work<'_>) -> Vec<Reached> {
    let mut inputs: Vec<_> = work.found.iter().map(|(shape, input)| (*shape, input.clone())).collect();
    inputs.extend(work.search.reached().map(|(shape, input)| (shape, input.clone())));
    let mut all = Vec::new();
    for (shape, input) in inputs {
        let Some(effects) = work.search.effects(shape, &input) else { continue };
        let lead_on = work.search.lead_on(shape, &input).into_iter();
        let further =
            lead_on.map(|Asked { class, condition, sat, .. }| Further { class, condition, sat }).collect();
        let call = input.call.as_ref().map(ToString::to_string);
        all.push(Reached {
            started: started(&work.search.shape(shape).world, &input, call),
            effects,
            further,
        });
    }
    all
}
