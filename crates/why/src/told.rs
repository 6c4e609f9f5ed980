//! One version's run of the failing input, with what its wrong output depends on.

use crate::ask::WhyError;
use crate::wrong::Where;
use hydrogen_explore::{Conjunct, Kind};
use hydrogen_pair::Ran;
use hydrogen_trace::{Dependences, Options, Seeds, Slice, Static};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So many bytes of dependences stay in memory for each run; the rest goes to a temporary file.
const MOST_BYTES: usize = 64 << 20;

/// A run and its dependences.
pub(crate) struct Told<'s, 'p> {
    pub(crate) dependences: Dependences<'s, 'p>,
    /// The executed instructions that the wrong output depends on.
    pub(crate) slice: Arc<Slice>,
    /// The conditions among them, in the order of execution.
    pub(crate) relevant: Vec<Conjunct>,
    /// The last instruction of the wrong output.
    last: u64,
}

impl<'s, 'p> Told<'s, 'p> {
    /// `stop` ends the search from outside.
    pub(crate) fn new(
        statics: &'s Static<'p>,
        ran: &Ran,
        place: &Where,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, WhyError> {
        let options = Options {
            bound: MOST_BYTES,
            anywhere: ran.somewhere.clone(),
            bytes: place.bytes.clone(),
            interrupt: Some(Arc::clone(stop)),
            ..Options::default()
        };
        let dependences = Dependences::new(statics, &ran.trace, &options)?;
        let seeds = place.seeds(&dependences)?;
        // In the order of execution each condition stands behind what it depends on, and "first" means something to people. So one slice
        // is enough: who depends on whom need not be known, which would take memory for every pair of conditions.
        let slice = dependences.relevant_slice(&seeds)?;
        let last = seeds.numbers().into_iter().max().unwrap_or(u64::MAX);
        let mut told = Self { dependences, slice: Arc::new(slice), relevant: Vec::new(), last };
        told.choose(&ran.seen.path);
        Ok(told)
    }

    /// Chooses the conditions that count. A run that faults on the way gives out nothing: what keeps it from faulting belongs to
    /// every condition.
    pub(crate) fn choose(&mut self, path: &[Conjunct]) {
        let counts = |one: &&Conjunct| {
            self.slice.contains(one.instance) || one.kind == Kind::NoFault && one.instance < self.last
        };
        self.relevant = path.iter().filter(counts).copied().collect();
    }

    /// Where the values of an instance come from, whatever decided that they are computed.
    pub(crate) fn values_behind(&self, steps: &[u64]) -> Result<Slice, WhyError> {
        Ok(self.dependences.data_slice(&Seeds::steps(steps.iter().copied()))?)
    }

    /// What an instance depends on: the slice of its instructions.
    pub(crate) fn behind(&self, steps: &[u64]) -> Result<Slice, WhyError> {
        Ok(self.dependences.relevant_slice(&Seeds::steps(steps.iter().copied()))?)
    }
}
