//! Runs by their relevant-slice conditions: exploration then finds one input per way in which the output is computed.

use crate::concolic::Concolic;
use crate::observe::{Observation, Observer, Setting, conclude};
use crate::outside::Outside;
use crate::path::Conjunct;
use crate::rsc::{Relevant, relevant};
use crate::search::Wrong;
use hydrogen_evidence::Input;
use hydrogen_machine::{End, FuncId, Run, Site};
use hydrogen_term::{Loan, Pool};
use hydrogen_trace::{
    Both, Criterion, CriterionError, Dependences, Indices, Options, Recorder, Seeds, Static, Trace,
    TraceError,
};
use rustc_hash::FxHashSet;

/// Conditions are those that the criteria depend on, reordered so that turning one around keeps those before it.
pub struct ByRsc<'s, 'p> {
    /// The facts about the program, prepared for the entry point of the world.
    pub statics: &'s Static<'p>,
    /// What counts as output.
    pub criteria: &'s [Criterion],
    /// Whether the priorities of branches are kept and checked (INV-R12).
    pub check: bool,
}

impl ByRsc<'_, '_> {
    /// The relevant-slice condition of a run that was recorded. `somewhere` are the instances of accesses whose address
    /// depends on the input.
    pub fn relevant(
        &self,
        trace: &Trace,
        path: &[Conjunct],
        somewhere: FxHashSet<u64>,
        end: &End,
    ) -> Result<Relevant, TraceError> {
        let dependences = self.dependences(trace, somewhere)?;
        relevant(&dependences, path, &self.seeds(&dependences, end)?, self.check)
    }

    fn dependences(
        &self,
        trace: &Trace,
        somewhere: FxHashSet<u64>,
    ) -> Result<Dependences<'_, '_>, TraceError> {
        let indices = if self.check { Indices::Choices } else { Indices::Branches };
        let options = Options { anywhere: somewhere, indices, ..Options::default() };
        Dependences::new(self.statics, trace, &options)
    }

    /// The relevant-slice condition, and what is outside of it.
    fn look(
        &self,
        trace: &Trace,
        path: &[Conjunct],
        somewhere: FxHashSet<u64>,
        end: &End,
    ) -> Result<(Relevant, Outside), TraceError> {
        let dependences = self.dependences(trace, somewhere)?;
        let found = relevant(&dependences, path, &self.seeds(&dependences, end)?, self.check)?;
        let outside = Outside::of(self.statics.program(), &dependences, &found.slice, path)?;
        Ok((found, outside))
    }

    /// Where slicing begins: the outputs; where one is missing, or the run did not come to its end, also how it ended.
    fn seeds(&self, dependences: &Dependences<'_, '_>, end: &End) -> Result<Seeds, TraceError> {
        let mut seeds = match end {
            End::Exit(_) => Seeds::default(),
            _ => Seeds::steps([dependences.steps]),
        };
        for criterion in self.criteria {
            match dependences.find(criterion) {
                Ok(more) => seeds.extend(more),
                Err(CriterionError::Trace(error)) => return Err(error),
                Err(_) => {
                    seeds.extend(Seeds::steps([dependences.steps]));
                    seeds.extend(Seeds::any_output());
                }
            }
        }
        Ok(seeds)
    }
}

impl Observer for ByRsc<'_, '_> {
    fn observe(&self, setting: Setting<'_>, input: &Input, pool: &mut Pool) -> Observation {
        let world = setting.symbolic.world(setting.program, setting.world, input);
        let (lent, mut loan) = Loan::of(pool);
        let mut concolic = Concolic::new(setting.program, setting.symbolic, &world, lent).with_call(input);
        concolic.every = true;
        let monitor = Both(Recorder::default(), concolic);
        let Run { end, world, statistics, monitor, .. } =
            setting.program.run_with(world, setting.limits.clone(), monitor);
        let Both(recorder, mut monitor) = monitor;
        let somewhere = std::mem::take(&mut monitor.somewhere);
        let mut seen = conclude(monitor, end, world, statistics.steps, input, &mut loan);
        let found = recorder.finish().and_then(|trace| self.look(&trace, &seen.path, somewhere, &seen.end));
        // What went wrong counts among what was not followed: the exploration is then not complete.
        let concretised = &mut seen.concretised;
        let mut missing = |why: String| {
            concretised.insert((why, Site { function: FuncId(0), pc: 0 }), 1);
        };
        let condition = match found {
            Ok((found, outside)) => {
                seen.outside = Some(outside);
                if found.reduced {
                    missing("branches that no input decides, too many to be put in order".into());
                }
                if self.check && found.priorities.is_none() {
                    missing("branches, too many for their priorities to be checked".into());
                }
                let entries = found.entries();
                let at = |number: usize| entries.iter().position(|one| one.1 == Some(number)).unwrap_or(0);
                seen.wrong = found.wrong.map(|(number, why)| Wrong::Order(at(number), why));
                let name = |number: Option<usize>| {
                    number
                        .and_then(|number| found.priorities.as_ref()?.get(number).cloned())
                        .unwrap_or_default()
                };
                seen.priorities =
                    found.priorities.is_some().then(|| entries.iter().map(|one| name(one.1)).collect());
                entries.into_iter().map(|(conjunct, _)| conjunct).collect()
            }
            Err(error) => {
                missing(error.to_string());
                seen.path.clone()
            }
        };
        Observation { condition: Some(condition), ..seen }
    }
}
