//! Under which inputs an instance happens, or computes what it did: relevant-slice conditions of any instance.

use crate::run::Ran;
use hydrogen_evidence::{Ending, Input};
use hydrogen_explore::{Conjunct, Kind, Relevant, holds, relevant};
use hydrogen_machine::Site;
use hydrogen_term::{Pool, Term};
use hydrogen_trace::{Dependences, Indices, Options, Seeds, Static, TraceError};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What an input must fulfil, each conjunct behind those that it depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// The conjuncts: branches, and what keeps the run from faulting, assuming otherwise, or taking another concrete value.
    pub conjuncts: Vec<Conjunct>,
    /// Whether something was left out because there was too much of it; the condition may then not be enough.
    pub reduced: bool,
}

impl Condition {
    /// Whether an input fulfils it.
    pub fn holds(&self, pool: &Pool, input: &Input) -> bool {
        self.conjuncts.iter().all(|one| holds(pool, input, one.term))
    }
}

/// The dependences of a run.
pub struct Facts<'s, 'p> {
    dependences: Dependences<'s, 'p>,
    path: Vec<Conjunct>,
    /// Of the path's conditions, those about the memory that comes in with a call.
    shape: FxHashSet<Term>,
    /// Whether the run was ended before its time, by a fault or by an assumption that does not hold.
    stopped: bool,
}

impl<'s, 'p> Facts<'s, 'p> {
    /// Finds the dependences of a run; `statics` are the facts about its program.
    pub fn new(statics: &'s Static<'p>, ran: &Ran) -> Result<Self, TraceError> {
        let options =
            Options { anywhere: ran.somewhere.clone(), indices: Indices::Branches, ..Options::default() };
        Ok(Self {
            dependences: Dependences::new(statics, &ran.trace, &options)?,
            path: ran.seen.path.clone(),
            shape: ran.seen.shape.clone(),
            stopped: matches!(ran.outcome.ending, Ending::Fault(..) | Ending::Assumption),
        })
    }

    /// The dependences.
    pub fn dependences(&self) -> &Dependences<'s, 'p> {
        &self.dependences
    }

    /// The condition under which what these seeds depend on is as it was (`rsc`). An input that fulfils it computes the same there.
    pub fn condition(&self, seeds: &Seeds) -> Result<Condition, TraceError> {
        self.until(seeds, seeds.numbers().into_iter().max().unwrap_or(0))
    }

    /// The same for a run that must come as far as this step.
    fn until(&self, seeds: &Seeds, last: u64) -> Result<Condition, TraceError> {
        let found = relevant(&self.dependences, &self.path, seeds, false)?;
        Ok(self.with_faults(found, last))
    }

    /// The condition under which an executed instruction is reached, with the same operands, whatever it decides then: that of the
    /// instance without its own conjuncts (Lemma 6.3).
    pub fn reaching(&self, step: u64) -> Result<Condition, TraceError> {
        let mut condition = self.condition(&Seeds::steps([step]))?;
        condition
            .conjuncts
            .retain(|one| one.instance != step || !matches!(one.kind, Kind::Branch | Kind::Fault));
        Ok(condition)
    }

    /// The condition under which a conjunct of the path, by its place there, is decided on the same operands, whichever way: what is
    /// solved together with the conjunct turned around. A `switch` decides several in a row; those before belong to the condition.
    pub fn turning(&self, at: usize) -> Result<Condition, TraceError> {
        let Some(conjunct) = self.path.get(at) else { return Ok(Condition::default()) };
        let mut condition = self.reaching(conjunct.instance)?;
        let own = self.path[..at].iter().filter(|one| one.instance == conjunct.instance);
        condition.conjuncts.extend(own.filter(|one| matches!(one.kind, Kind::Branch | Kind::Fault)));
        Ok(condition)
    }

    /// The condition under which these statements are executed just as often and where they were, not at all if they were not
    /// (`reach`): that of every instance of what decides over them, in their functions and in those that call them.
    pub fn same_instances(&self, statics: &Static<'p>, sites: &[Site]) -> Result<Condition, TraceError> {
        let deciders: BTreeSet<Site> = statics.deciders(sites);
        let (mut steps, mut last) = (Vec::new(), 0);
        self.dependences.instances(|instance| {
            if deciders.contains(&instance.site) {
                steps.push(instance.step);
            }
            if deciders.contains(&instance.site) || sites.contains(&instance.site) {
                last = instance.step;
            }
        })?;
        if self.stopped {
            // Had the run gone on, it might have come there once more.
            last = self.dependences.steps;
            steps.push(last);
        }
        self.until(&Seeds::steps(steps), last)
    }

    /// A run that faults before it comes to an instance does not come there, also where the operation is of no use to it: so the
    /// checks on the way belong to every condition.
    fn with_faults(&self, found: Relevant, last: u64) -> Condition {
        let mut conjuncts = found.conjuncts();
        let known: BTreeSet<(u64, hydrogen_term::Term)> =
            conjuncts.iter().map(|one| (one.instance, one.term)).collect();
        // What memory comes in is asked about once, when it is first looked at, by whoever does.
        let belongs = |one: &&Conjunct| one.kind == Kind::NoFault || self.shape.contains(&one.term);
        let checks = self.path.iter().filter(|one| one.instance < last).filter(belongs);
        conjuncts.extend(checks.filter(|one| !known.contains(&(one.instance, one.term))));
        Condition { conjuncts, reduced: found.reduced }
    }
}
