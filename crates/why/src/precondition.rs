//! What the outputs stand on, as weakest preconditions (10.5): the conditions under which each run gives what it gave, without those
//! that follow from the other run's.

use crate::ask::Ask;
use crate::independent::Independent;
use crate::nearest::{Found, nearest};
use crate::spot::spot;
use crate::suspect::users_node;
use hydrogen_evidence::why::{Precondition, Side};
use hydrogen_explore::{Conjunct, show};
use hydrogen_pair::{Pair, Ran};
use hydrogen_term::{Engine, Solver, Term};

/// So many conditions of a run are asked about.
const MOST: usize = 200;

/// The conditions of both runs that do not follow from those of the other, the nearest to the output first. `outputs`: what each run
/// gives, where that is known as a term, and what it gave.
pub(crate) fn preconditions<S: Solver>(
    ask: &Ask<'_>,
    engine: &mut Engine<S>,
    pair: &mut Pair<'_>,
    runs: [&Ran; 2],
    conditions: [&[Conjunct]; 2],
    outputs: Option<[Term; 2]>,
) -> [Vec<Precondition>; 2] {
    [Side::Old, Side::New].map(|side| {
        let (own, other) = (side.number(), side.other().number());
        let mut known = Independent::default();
        for one in conditions[other] {
            known.add(&pair.pool, one.term);
        }
        if let Some(outputs) = outputs {
            known.add(&pair.pool, outputs[other]);
        }
        let mut found = Vec::new();
        let output = outputs.map(|outputs| (None, outputs[own]));
        let steps = conditions[own].iter().rev().map(|one| (Some(one.instance), one.term));
        for (step, term) in output.into_iter().chain(steps).take(MOST) {
            if pair.pool.variables(&[term]).is_empty() || known.has(term) || !ask.goes_on() {
                continue;
            }
            let question = pair.pool.not(term);
            let nearest = nearest(engine, &mut pair.pool, &mut known, question, ask.input);
            if !matches!(nearest.found, Found::Input(_)) {
                continue;
            }
            // What follows from this one says nothing new.
            known.add(&pair.pool, term);
            let node = step.and_then(|step| users_node(pair, runs[own], step));
            let spot = node.and_then(|(node, _)| spot(&pair.nodes, side, node));
            if step.is_none() || spot.is_some() {
                found.push(Precondition { spot, condition: show(&mut pair.pool, term) });
            }
        }
        found
    })
}
