//! One input in every program.

use crate::follow::{Follow, Instances};
use crate::nodes::Nodes;
use crate::values::Names;
use hydrogen_align::Indices;
use hydrogen_evidence::{Call, Input, Memory, Node, Outcome};
use hydrogen_explore::{Concolic, Focus, Observation, Symbolic, conclude};
use hydrogen_machine::{After, Limits, Monitor, Off, Program, Run, World};
use hydrogen_program::{Seen, changes, seen};
use hydrogen_term::{Loan, Pool};
use hydrogen_trace::{Both, Recorder, Slice, Trace, TraceError};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What all runs have in common.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The world but for the input.
    pub world: &'a World,
    /// What of the input may change.
    pub symbolic: &'a Symbolic,
    /// The limits of each run.
    pub limits: &'a Limits,
}

/// Programs that are run side by side: versions of one program, the oldest first.
pub struct Pair<'p> {
    programs: Vec<&'p Program>,
    /// The places that they share.
    pub nodes: Nodes<'p>,
    /// The execution indices of all runs so far.
    pub indices: Indices<Node>,
    /// The terms of all runs so far. Input bytes are variables named by the input, whatever program reads them.
    pub pool: Pool,
}

/// What one program did with an input.
pub struct Ran {
    /// Which of the programs.
    pub program: usize,
    /// The input.
    pub input: Input,
    /// The call that it stands for, where a single function is called.
    pub call: Option<Arc<Call>>,
    /// What came out.
    pub outcome: Outcome,
    /// What the call left behind, if it returned.
    pub after: Option<After>,
    /// All values that the caller sees after the call, changed or not.
    pub memory: Vec<Seen>,
    /// Its path condition and everything else that symbolic execution sees.
    pub seen: Observation,
    /// The statements that were executed.
    pub instances: Instances,
    /// What dependences are found from.
    pub trace: Trace,
    /// The executed instructions whose address depends on the input.
    pub somewhere: FxHashSet<u64>,
}

impl<'p> Pair<'p> {
    /// Prepares programs for being run together.
    pub fn new(programs: &[&'p Program]) -> Self {
        Self {
            programs: programs.to_vec(),
            nodes: Nodes::new(programs),
            indices: Indices::default(),
            pool: Pool::new(),
        }
    }

    /// The programs.
    pub fn programs(&self) -> &[&'p Program] {
        &self.programs
    }

    /// Runs an input in all programs.
    pub fn run(&mut self, setting: Setting<'_>, input: &Input) -> Result<Vec<Ran>, TraceError> {
        (0..self.programs.len()).map(|program| self.run_in(program, setting, input)).collect()
    }

    /// Runs an input in one of the programs.
    pub fn run_in(&mut self, program: usize, setting: Setting<'_>, input: &Input) -> Result<Ran, TraceError> {
        let (mut ran, recorder) = self.watched(program, setting, input, Recorder::default(), Focus::All)?;
        ran.trace = recorder.finish()?;
        Ok(ran)
    }

    /// The same without terms: what it depends on can be asked, and there are no conditions. For long runs.
    pub fn run_recorded(
        &mut self,
        program: usize,
        setting: Setting<'_>,
        input: &Input,
    ) -> Result<Ran, TraceError> {
        let (mut ran, recorder) =
            self.watched(program, setting, input, Recorder::default(), Focus::Whether)?;
        ran.trace = recorder.finish()?;
        Ok(ran)
    }

    /// What symbolic execution sees of a run where only the instructions of a slice have terms and conditions.
    pub fn look_again(
        &mut self,
        program: usize,
        setting: Setting<'_>,
        input: &Input,
        slice: Arc<Slice>,
    ) -> Observation {
        let code = self.programs[program];
        let world = setting.symbolic.world(code, setting.world, input);
        let (pool, mut loan) = Loan::of(&mut self.pool);
        let mut concolic = Concolic::new(code, setting.symbolic, &world, pool).with_call(input);
        (concolic.every, concolic.focus) = (true, Focus::Only(slice));
        let Run { end, world, statistics, monitor, .. } =
            code.run_with(world, setting.limits.clone(), concolic);
        conclude(monitor, end, world, statistics.steps, input, &mut loan)
    }

    /// Runs an input with somebody watching who knows the statements that are executed: no terms, no trace.
    pub fn run_watched<M: Monitor>(
        &mut self,
        program: usize,
        setting: Setting<'_>,
        input: &Input,
        watcher: M,
    ) -> Result<(Ran, M), TraceError> {
        self.watched(program, setting, input, watcher, Focus::Only(Arc::default()))
    }

    /// The same without a trace: nothing can be asked about dependences.
    pub fn run_untraced(
        &mut self,
        program: usize,
        setting: Setting<'_>,
        input: &Input,
    ) -> Result<Ran, TraceError> {
        Ok(self.watched(program, setting, input, Off, Focus::All)?.0)
    }

    /// Runs an input in one of the programs, with somebody else watching. There is no trace.
    fn watched<M: Monitor>(
        &mut self,
        program: usize,
        setting: Setting<'_>,
        input: &Input,
        watcher: M,
        focus: Focus,
    ) -> Result<(Ran, M), TraceError> {
        let code = self.programs[program];
        let world = setting.symbolic.world(code, setting.world, input);
        let call = world.call.clone();
        let (pool, mut loan) = Loan::of(&mut self.pool);
        let mut concolic = Concolic::new(code, setting.symbolic, &world, pool).with_call(input);
        (concolic.every, concolic.focus) = (true, focus);
        let follow = Follow::new(&mut self.nodes, &mut self.indices, program, Names::new(code));
        let monitor = Both(watcher, Both(concolic, follow));
        let Run { end, world, statistics, monitor, after, .. } =
            code.run_with(world, setting.limits.clone(), monitor);
        let Both(watcher, Both(mut concolic, follow)) = monitor;
        let (instances, last) = follow.finish();
        let somewhere = std::mem::take(&mut concolic.somewhere);
        let seen = conclude(concolic, end, world, statistics.steps, input, &mut loan);
        let at = self.nodes.at(program, last);
        let memory = values(code, call.as_deref(), after.as_ref());
        let outcome = Outcome::of(&seen.end, &seen.world, at).with_memory(&changes(&memory));
        let (input, trace) = (input.clone(), Recorder::default().finish()?);
        let ran = Ran { program, input, call, outcome, after, memory, seen, instances, trace, somewhere };
        Ok((ran, watcher))
    }
}

/// Runs an input in a program, with somebody else watching, without what instances and dependences are found from: what came out and
/// the path condition are all there is, in a fraction of the time.
pub fn run_lightly<M: Monitor>(
    code: &Program,
    setting: Setting<'_>,
    input: &Input,
    pool: &mut Pool,
    watcher: M,
) -> Result<(Ran, M), TraceError> {
    let world = setting.symbolic.world(code, setting.world, input);
    let call = world.call.clone();
    let (lent, mut loan) = Loan::of(pool);
    let concolic = Concolic::new(code, setting.symbolic, &world, lent).with_call(input);
    let Run { end, world, statistics, monitor, after, .. } =
        code.run_with(world, setting.limits.clone(), Both(concolic, watcher));
    let Both(concolic, watcher) = monitor;
    let seen = conclude(concolic, end, world, statistics.steps, input, &mut loan);
    let memory = values(code, call.as_deref(), after.as_ref());
    let outcome = Outcome::of(&seen.end, &seen.world, None).with_memory(&changes(&memory));
    let (instances, somewhere, input) = (Instances::default(), FxHashSet::default(), input.clone());
    let trace = Recorder::default().finish()?;
    Ok((Ran { program: 0, input, call, outcome, after, memory, seen, instances, trace, somewhere }, watcher))
}

/// What the caller sees after a call that returned.
pub fn memory(program: &Program, call: Option<&Call>, after: Option<&After>) -> Memory {
    changes(&values(program, call, after))
}

/// The same, value by value.
fn values(program: &Program, call: Option<&Call>, after: Option<&After>) -> Vec<Seen> {
    let (Some(call), Some(after)) = (call, after) else { return Vec::new() };
    let function = program.named(&call.function, call.unit.as_deref()).and_then(|id| program.model(id));
    function.map_or(Vec::new(), |(module, function)| seen(module, function, call, after))
}
