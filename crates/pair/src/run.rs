//! One input in every program.

use crate::follow::{Follow, Instances};
use crate::nodes::{Node, Nodes};
use crate::outcome::Outcome;
use crate::values::Names;
use hydrogen_align::Indices;
use hydrogen_evidence::Input;
use hydrogen_explore::{Concolic, Observation, Symbolic, conclude};
use hydrogen_machine::{Limits, Program, Run, World};
use hydrogen_term::Pool;
use hydrogen_trace::{Both, Recorder, Trace, TraceError};
use rustc_hash::FxHashSet;

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
    /// What came out.
    pub outcome: Outcome,
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
        let code = self.programs[program];
        let world = setting.world.with_input(input);
        let mut concolic = Concolic::new(code, setting.symbolic, &world, std::mem::take(&mut self.pool));
        concolic.every = true;
        let follow = Follow::new(&mut self.nodes, &mut self.indices, program, Names::new(code));
        let monitor = Both(Recorder::default(), Both(concolic, follow));
        let Run { end, world, statistics, monitor, .. } =
            code.run_with(world, setting.limits.clone(), monitor);
        let Both(recorder, Both(mut concolic, follow)) = monitor;
        let (instances, last) = follow.finish();
        let somewhere = std::mem::take(&mut concolic.somewhere);
        let seen = conclude(concolic, end, world, statistics.steps, input, &mut self.pool);
        let at = self.nodes.at(program, last);
        let outcome = Outcome::of(&seen.end, &seen.world, at);
        Ok(Ran { program, outcome, seen, instances, trace: recorder.finish()?, somewhere })
    }
}
