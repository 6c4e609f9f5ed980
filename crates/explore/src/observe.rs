//! One run, seen: what its input fulfils, what came out, and whether our own book-keeping holds.

use crate::concolic::{Concolic, NamedOutput};
use crate::coverage::Coverage;
use crate::input::Assignment;
use crate::left::LeftTerms;
use crate::outputs::Logs;
use crate::outside::Outside;
use crate::path::Conjunct;
use crate::rsc::Name;
use crate::search::Wrong;
use crate::symbolic::Symbolic;
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::{End, Limits, Program, Run, Site, World};
use hydrogen_term::{Evaluator, Loan, Pool, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What a run gave. Terms are of the pool that the observer was given.
#[derive(Debug, Clone)]
pub struct Observation {
    /// What the input fulfils: every condition of the path, in the order of execution.
    pub path: Vec<Conjunct>,
    /// What exploration turns around, in its own order; `None` when that is the path.
    pub condition: Option<Vec<Conjunct>>,
    /// The memory that the program named as input, with its size.
    pub named: BTreeMap<BString, u64>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// The bytes that went out and depend on the input.
    pub logs: Logs,
    /// The exit status as a term of eight bits, if it depends on the input.
    pub status: Option<Term>,
    /// What the call of a single function left behind, if it returned.
    pub left: Option<LeftTerms>,
    /// Of the conditions, those about which objects come in with a call, and how large they are.
    pub shape: FxHashSet<Term>,
    /// Values that were made concrete, by reason and place.
    pub concretised: BTreeMap<(String, Site), u64>,
    /// What was executed.
    pub coverage: Coverage,
    /// By condition, where wanted: the shortened priority of a branch; empty for what is none.
    pub priorities: Option<Vec<Vec<Name>>>,
    /// What is wrong with the order of the conditions, by a bug of ours.
    pub wrong: Option<Wrong>,
    /// By relevant slices: what no output depends on.
    pub outside: Option<Outside>,
    /// How the run ended.
    pub end: End,
    /// The world afterwards.
    pub world: World,
    /// Instructions.
    pub steps: u64,
}

impl Observation {
    /// The conditions that exploration turns around, in order.
    pub fn condition(&self) -> &[Conjunct] {
        self.condition.as_deref().unwrap_or(&self.path)
    }
}

/// What every run of an exploration has in common.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The program.
    pub program: &'a Program,
    /// The world but for the input.
    pub world: &'a World,
    /// What of the input may change.
    pub symbolic: &'a Symbolic,
    /// The limits of each run.
    pub limits: &'a Limits,
    /// Whether functions on texts are terms instead of paths, where the observer has a choice.
    pub summaries: bool,
}

/// How a run becomes a list of conditions: the whole path, or less, in another order. The first conditions of a run, with the
/// next one turned around, must be the first conditions of every run that fulfils them (INV-R5); exploration checks it.
pub trait Observer: Sync {
    /// Runs an input. Terms go into the pool.
    fn observe(&self, setting: Setting<'_>, input: &Input, pool: &mut Pool) -> Observation;
}

/// Conditions are those of the path, in the order of execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByPath;

impl Observer for ByPath {
    fn observe(&self, setting: Setting<'_>, input: &Input, pool: &mut Pool) -> Observation {
        let world = setting.symbolic.world(setting.program, setting.world, input);
        let (lent, mut loan) = Loan::of(pool);
        let mut monitor = Concolic::new(setting.program, setting.symbolic, &world, lent).with_call(input);
        // Behind a fault a function of the library does not give what its term says.
        monitor.summaries = setting.summaries && !setting.limits.go_on;
        let Run { end, world, statistics, monitor, .. } =
            setting.program.run_with(world, setting.limits.clone(), monitor);
        conclude(monitor, end, world, statistics.steps, input, &mut loan)
    }
}

/// What a monitor saw of a run that has ended; its terms go back into the pool. For observers that watch with more than this
/// monitor.
pub fn conclude(
    mut monitor: Concolic<'_>,
    end: End,
    world: World,
    steps: u64,
    input: &Input,
    pool: &mut Pool,
) -> Observation {
    monitor.finish(&end, |pool, term| holds(pool, input, term));
    let shape = std::mem::take(&mut monitor.memory.shape);
    let Concolic { path, named, outputs, logs, status, left, concretised, coverage, pool: used, .. } =
        monitor;
    *pool = used;
    Observation {
        path,
        condition: None,
        named,
        outputs,
        logs,
        status,
        left,
        shape,
        concretised,
        coverage,
        priorities: None,
        wrong: None,
        outside: None,
        end,
        world,
        steps,
    }
}

/// Whether an input fulfils a condition.
pub fn holds(pool: &Pool, input: &Input, term: Term) -> bool {
    let model = input.model(pool, &pool.variables(&[term]));
    Evaluator::new(pool, &model).holds(term)
}

/// The first condition that an input does not fulfil.
pub(crate) fn first_broken(pool: &Pool, input: &Input, conditions: &[Conjunct]) -> Option<usize> {
    let terms: Vec<Term> = conditions.iter().map(|one| one.term).collect();
    let model = input.model(pool, &pool.variables(&terms));
    let mut evaluator = Evaluator::new(pool, &model);
    terms.iter().position(|term| !evaluator.holds(*term))
}
