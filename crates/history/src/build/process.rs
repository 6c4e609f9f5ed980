//! Running one step of a build: in the jail, within the time of the whole build.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};

use super::lacking::{Lacking, of_output};
use super::{BuildOptions, Error, Problem};

/// So much of a step's output is searched for what it lacks, besides its end.
const READ: usize = 4 << 20;

/// A step to run.
pub(super) struct Step<'a> {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: &'a Path,
    /// Added to, and replacing, the environment of the build.
    pub environment: BTreeMap<OsString, OsString>,
}

/// Runs steps for one checkout.
pub(super) struct Runner<'a> {
    pub options: &'a BuildOptions<'a>,
    /// What a step may touch: the checkout and the scratch folder, and of the system what builds need.
    pub policy: Policy,
    /// When everything must be done.
    pub deadline: Instant,
    pub started: Instant,
    /// The environment of every step.
    pub environment: BTreeMap<OsString, OsString>,
    /// What the steps that failed said is lacking.
    lacking: Mutex<Vec<Lacking>>,
}

impl<'a> Runner<'a> {
    pub fn new(
        options: &'a BuildOptions<'a>,
        checkout: &Path,
        deadline: Instant,
        environment: BTreeMap<OsString, OsString>,
    ) -> Self {
        let policy = Policy::of_the_system()
            .reading(options.wrapper.canonicalize().as_deref().unwrap_or(options.wrapper))
            .writing(checkout)
            .writing(options.scratch)
            .limited(Limits::of_a_build());
        let lacking = Mutex::default();
        Self { options, policy, deadline, started: Instant::now(), environment, lacking }
    }

    /// Runs a step to its end. A step that fails is a problem, not an error: what it recorded counts.
    pub fn run(&self, step: &Step<'_>, problems: &mut Vec<Problem>) -> Result<bool, Error> {
        let mut environment = self.environment.clone();
        environment.extend(step.environment.clone());
        let command =
            Command::new(&step.program, step.directory).args(&step.arguments).environment(environment);
        let shown = command.shown();
        let left = self.deadline.saturating_duration_since(Instant::now());
        let watch = Watch { lines: self.options.log, ..Watch::new(left) };
        let watch = watch.until(&self.options.cancel).keeping(Kept::Together(READ));
        let done = hydrogen_jail::run(command, &self.policy, &watch)?;
        let (step, tail) = (shown, done.tail);
        match done.end {
            End::Exit(0) => return Ok(true),
            End::Cancelled => return Err(Error::Cancelled),
            End::TimeOut => return Err(Error::Timeout { step, after: self.started.elapsed(), tail }),
            End::Exceeded(what) => return Err(Error::Exceeded { step, what, tail }),
            end => problems.push(Problem::StepFailed { step, status: end.to_string(), tail: tail.clone() }),
        }
        let mut lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        lacking.extend(of_output(&done.output, &tail));
        Ok(false)
    }

    /// What the steps that failed said is lacking, in their order.
    pub fn lacking(self) -> Vec<Lacking> {
        self.lacking.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
