//! Where every branch of a run went: enough to see whether two runs go the same way, without any terms.

use hydrogen_evidence::Input;
use hydrogen_machine::{Monitor, Program, Run, Site, Step};
use hydrogen_pair::{Outcome, Setting, memory};

/// A branch that was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// The number of the instruction in the run; the first is 1.
    pub step: u64,
    /// The instruction.
    pub site: Site,
    /// Where it went.
    pub target: u32,
}

/// Runs are compared by so many branches at most.
const MOST: usize = 20_000_000;

/// Watches a run.
#[derive(Debug, Default)]
struct Branches {
    step: u64,
    site: Option<Site>,
    all: Vec<Branch>,
}

impl Monitor for Branches {
    fn step(&mut self, step: Step<'_>) {
        self.step += 1;
        self.site = Some(step.site);
    }

    fn branch(&mut self, target: u32) {
        if let Some(site) = self.site
            && self.all.len() < MOST
        {
            self.all.push(Branch { step: self.step, site, target });
        }
    }
}

/// The way of an input through a program, and what came out.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) branches: Vec<Branch>,
    pub(crate) outcome: Outcome,
}

impl Way {
    pub(crate) fn of(program: &Program, setting: Setting<'_>, input: &Input) -> Self {
        let world = setting.symbolic.world(program, setting.world, input);
        let call = world.call.clone();
        let run = program.run_with(world, setting.limits.clone(), Branches::default());
        let Run { end, world, monitor, after, .. } = run;
        let memory = memory(program, call.as_deref(), after.as_ref());
        Self { branches: monitor.all, outcome: Outcome::of(&end, &world, None).with_memory(&memory) }
    }

    /// The first branch, by position, that two runs of one program do not share; none if they go the same way.
    pub(crate) fn parting(&self, other: &Self) -> Option<usize> {
        let same = |one: &Branch, two: &Branch| (one.site, one.target) == (two.site, two.target);
        let common =
            self.branches.iter().zip(&other.branches).take_while(|(one, two)| same(one, two)).count();
        (common < self.branches.len() || common < other.branches.len()).then_some(common)
    }

    /// The position of the first branch from a step on.
    pub(crate) fn position_of(&self, step: u64) -> usize {
        self.branches.partition_point(|one| one.step < step)
    }
}
