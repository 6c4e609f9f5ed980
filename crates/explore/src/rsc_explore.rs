//! Exploring a program by relevant-slice conditions: one input per way in which the output is computed.

use crate::concolic::{Concolic, NamedOutput};
use crate::explore::{Alarm, Options};
use crate::input::Input;
use crate::path::{Conjunct, Kind};
use crate::rsc::{Relevant, RelevantBranch, relevant};
use hydrogen_machine::code::Instr;
use hydrogen_machine::{End, Program, Site, World};
use hydrogen_term::{Answer, Engine, Evaluator, Pool, Solver, Term, Value};
use hydrogen_trace::{
    Both, Criterion, CriterionError, Dependences, Options as TraceOptions, Recorder, Seeds, Static,
    TraceError,
};
use std::collections::BTreeMap;
use std::time::Instant;

/// A run that was found.
#[derive(Debug, Clone)]
pub struct RscTest {
    /// Its input.
    pub input: Input,
    /// The test whose condition was turned around, and at which branch; `None` for the first.
    pub from: Option<(usize, usize)>,
    /// Its whole path condition.
    pub path: Vec<Conjunct>,
    /// What of it the output depends on.
    pub condition: Relevant,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// How it ended.
    pub end: End,
}

/// What an exploration found.
pub struct RscExploration {
    /// The terms of all conditions.
    pub pool: Pool,
    /// One test per relevant-slice condition, in the order they were found.
    pub tests: Vec<RscTest>,
    /// Whether these are all: nothing was cut short, unknown or made concrete.
    pub complete: bool,
    /// Questions that the solver did not answer.
    pub unknown: u64,
    /// Runs that broke the prefix property (INV-R5) or their own condition: bugs of ours.
    pub alarms: Vec<Alarm>,
    /// Values that were made concrete, by reason and place.
    pub concretised: BTreeMap<(String, Site), u64>,
}

/// Conditions to solve: those that must hold, those that keep the new run from undefined behaviour elsewhere, and the
/// other branches of the old run, so that the new one differs as little as possible.
struct Question {
    from: usize,
    at: usize,
    must: Vec<Term>,
    should: Vec<Term>,
    same: Vec<Term>,
}

struct Search<'a, 'p> {
    statics: &'a Static<'p>,
    world: &'a World,
    options: &'a Options,
    criteria: &'a [Criterion],
    found: RscExploration,
    stack: Vec<Question>,
}

/// Explores from an input, depth first. The facts must be prepared for the entry point of the world.
pub fn explore_rsc<S: Solver>(
    statics: &Static<'_>,
    world: &World,
    first: Input,
    criteria: &[Criterion],
    options: &Options,
    engine: &mut Engine<S>,
) -> Result<RscExploration, TraceError> {
    let begun = Instant::now();
    let found = RscExploration {
        pool: Pool::new(),
        tests: Vec::new(),
        complete: true,
        unknown: 0,
        alarms: Vec::new(),
        concretised: BTreeMap::new(),
    };
    let mut search = Search { statics, world, options, criteria, found, stack: Vec::new() };
    search.visit(first, None)?;
    while let Some(question) = search.stack.pop() {
        if search.found.tests.len() >= options.runs || begun.elapsed() > options.time {
            search.found.complete = false;
            break;
        }
        match search.solve(engine, &question) {
            Answer::Sat(model) => {
                let input = search.found.tests[question.from].input.with_model(&search.found.pool, &model);
                search.visit(input, Some(question))?;
            }
            Answer::Unsat => {}
            Answer::Unknown(_) => {
                search.found.unknown += 1;
                search.found.complete = false;
            }
        }
    }
    Ok(search.found)
}

impl Search<'_, '_> {
    /// Solves with as much as can be had.
    fn solve<S: Solver>(&mut self, engine: &mut Engine<S>, question: &Question) -> Answer {
        let pool = &mut self.found.pool;
        let Question { must, should, same, .. } = question;
        let tries: [&[&Vec<Term>]; 3] = [&[must, should, same], &[must, should], &[must]];
        let mut last = usize::MAX;
        for lists in tries {
            let all: Vec<Term> = lists.iter().flat_map(|list| list.iter().copied()).collect();
            if all.len() == last {
                continue;
            }
            last = all.len();
            let answer = whole(engine.check(pool, &all), pool, &all);
            if matches!(answer, Answer::Sat(_)) || lists.len() == 1 {
                return answer;
            }
        }
        whole(engine.check(pool, must), pool, must)
    }

    /// Runs an input, checks that it did what it was made for, and asks for the other sides of its later branches.
    fn visit(&mut self, input: Input, why: Option<Question>) -> Result<(), TraceError> {
        let program = self.statics.program();
        let concolic = Concolic::new(program, &self.options.symbolic, std::mem::take(&mut self.found.pool));
        let monitor = Both(Recorder::default(), concolic);
        let run = program.run_with(input.world(self.world), self.options.limits.clone(), monitor);
        let Both(recorder, mut concolic) = run.monitor;
        concolic.finish(&run.end);
        let Concolic { pool, path, outputs, concretised, .. } = concolic;
        self.found.pool = pool;
        for (key, count) in concretised {
            self.found.complete = false;
            *self.found.concretised.entry(key).or_insert(0) += count;
        }
        let cut = matches!(run.end, End::Limit(..) | End::Unresolved(..) | End::Unsupported(..));
        self.found.complete &= !cut;
        let trace = recorder.finish()?;
        let options =
            TraceOptions { anywhere: anywhere(program, &path), indices: true, ..TraceOptions::default() };
        let dependences = Dependences::new(self.statics, &trace, &options)?;
        let ended = !matches!(run.end, End::Exit(_));
        let seeds = seeds(&dependences, self.criteria, ended)?;
        let condition = relevant(&dependences, &path, &seeds)?;
        self.found.complete &= !condition.reduced;
        if let Some(alarm) = self.alarm(&input, &path, &condition, why.as_ref()) {
            self.found.complete = false;
            // A run that faults or is cut short does not come to what it was made for; that is no bug here.
            if !cut && !matches!(run.end, End::Fault(_)) {
                self.found.alarms.push(alarm);
                return Ok(());
            }
        }
        let (from, known) = (self.found.tests.len(), why.as_ref().map_or(0, |question| question.at + 1));
        self.ask(&condition, &path, from, known);
        let origin = why.map(|question| (question.from, question.at));
        self.found.tests.push(RscTest { input, from: origin, path, condition, outputs, end: run.end });
        Ok(())
    }

    fn ask(&mut self, condition: &Relevant, path: &[Conjunct], from: usize, known: usize) {
        for at in known..condition.branches.len() {
            let mut must: Vec<Term> = condition.branches[..at].iter().map(|one| one.conjunct.term).collect();
            must.push(self.found.pool.not(condition.branches[at].conjunct.term));
            let mut sides: Vec<u32> = condition.sides_of[..=at].concat();
            sides.sort_unstable();
            sides.dedup();
            must.extend(sides.iter().map(|side| condition.sides[*side as usize].term));
            let rest = path.iter().filter(|one| one.kind == Kind::NoFault).map(|one| one.term);
            let should = rest.filter(|term| !must.contains(term)).collect();
            let turned = condition.branches[at].conjunct.term;
            let others = path.iter().filter(|one| one.kind == Kind::Branch).map(|one| one.term);
            let same = others.filter(|term| *term != turned && !must.contains(term)).collect();
            self.stack.push(Question { from, at, must, should, same });
        }
    }

    /// What is wrong with a run, if anything.
    fn alarm(
        &self,
        input: &Input,
        path: &[Conjunct],
        condition: &Relevant,
        why: Option<&Question>,
    ) -> Option<Alarm> {
        let pool = &self.found.pool;
        let terms: Vec<Term> = path.iter().map(|one| one.term).collect();
        let model = input.model(pool, &pool.variables(&terms));
        let mut evaluator = Evaluator::new(pool, &model);
        let from = why.map_or(0, |question| question.from);
        if let Some(at) = terms.iter().position(|term| !evaluator.holds(*term)) {
            return Some(Alarm { from, input: input.clone(), at });
        }
        let question = why?;
        let parent = &self.found.tests[question.from].condition.branches;
        let same = |at: usize| {
            let (Some(old), Some(new)) = (parent.get(at), condition.branches.get(at)) else { return false };
            same_branch(old, new) && question.must[at] == new.conjunct.term
        };
        let at = (0..=question.at).find(|at| !same(*at))?;
        Some(Alarm { from, input: input.clone(), at })
    }
}

/// What a model does not mention is zero, not what the old input had.
fn whole(answer: Answer, pool: &Pool, conditions: &[Term]) -> Answer {
    let Answer::Sat(mut model) = answer else { return answer };
    for variable in pool.variables(conditions) {
        let zero = Value::Bits { width: pool.width(variable), value: 0 };
        model.variables.entry(variable).or_insert(zero);
    }
    Answer::Sat(model)
}

fn same_branch(old: &RelevantBranch, new: &RelevantBranch) -> bool {
    // The other side of one test of a `switch` may be any of the tests behind it.
    (old.index, old.part, old.conjunct.site) == (new.index, new.part, new.conjunct.site)
}

/// The accesses whose address was made concrete.
fn anywhere(program: &Program, path: &[Conjunct]) -> rustc_hash::FxHashSet<u64> {
    let access = |one: &&Conjunct| {
        let code = program.code(one.site.function);
        let instr = code.and_then(|code| code.instrs.get(one.site.pc as usize));
        let stores = |instr: &Instr| {
            matches!(
                instr,
                Instr::Store8 { .. } | Instr::Store16 { .. } | Instr::Store32 { .. } | Instr::Store64 { .. }
            )
        };
        one.kind == Kind::Concrete && instr.is_some_and(stores)
    };
    path.iter().filter(access).map(|one| one.instance).collect()
}

/// Where slicing begins: the outputs, and where there is none, the end of the run.
fn seeds(
    dependences: &Dependences<'_, '_>,
    criteria: &[Criterion],
    ended: bool,
) -> Result<Seeds, TraceError> {
    let mut seeds = if ended { Seeds::steps([dependences.steps]) } else { Seeds::default() };
    for criterion in criteria {
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
