//! One version's run of the failing input, with what its wrong output depends on.

use crate::ask::WhyError;
use crate::wrong::Where;
use hydrogen_explore::{Conjunct, Kind, relevant};
use hydrogen_pair::Ran;
use hydrogen_term::Term;
use hydrogen_trace::{Dependences, Indices, Options, Seeds, Slice, Static};
use rustc_hash::FxHashSet;

/// A run and its dependences.
pub(crate) struct Told<'s, 'p> {
    pub(crate) dependences: Dependences<'s, 'p>,
    /// The executed instructions that the wrong output depends on.
    pub(crate) slice: Slice,
    /// The conditions among them, in the order of execution.
    pub(crate) relevant: Vec<Conjunct>,
    /// Whether some were left out, because there are too many.
    pub(crate) reduced: bool,
}

impl<'s, 'p> Told<'s, 'p> {
    pub(crate) fn new(statics: &'s Static<'p>, ran: &Ran, place: &Where) -> Result<Self, WhyError> {
        let options = Options {
            anywhere: ran.somewhere.clone(),
            indices: Indices::Branches,
            bytes: place.bytes.clone(),
            ..Options::default()
        };
        let dependences = Dependences::new(statics, &ran.trace, &options)?;
        let seeds = place.seeds(&dependences)?;
        let found = relevant(&dependences, &ran.seen.path, &seeds, false)?;
        let mut conditions = found.conjuncts();
        let known: FxHashSet<(u64, Term)> = conditions.iter().map(|one| (one.instance, one.term)).collect();
        // A run that faults on the way gives out nothing: what keeps it from faulting belongs to every condition.
        let last = seeds.numbers().into_iter().max().unwrap_or(u64::MAX);
        let checks = ran.seen.path.iter().filter(|one| one.kind == Kind::NoFault && one.instance < last);
        conditions.extend(checks.filter(|one| !known.contains(&(one.instance, one.term))));
        // In the order of execution each stands behind what it depends on, and "first" means something to people.
        conditions.sort_by_key(|one| one.instance);
        Ok(Self { dependences, slice: found.slice, relevant: conditions, reduced: found.reduced })
    }

    /// What an instance depends on: the slice of its instructions.
    pub(crate) fn behind(&self, steps: &[u64]) -> Result<Slice, WhyError> {
        Ok(self.dependences.relevant_slice(&Seeds::steps(steps.iter().copied()))?)
    }
}
