//! One run of one version, seen.

use crate::changes::Changes;
use crate::subject::Subject;
use hydrogen_evidence::Input;
use hydrogen_explore::{Conjunct, Observation};
use hydrogen_machine::{FuncId, Monitor, Program, Site, Step};
use hydrogen_pair::{Node, Ran, run_lightly};
use hydrogen_term::{Pool, Sort, Substitution, Term};
use hydrogen_trace::TraceError;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What one version did with an input.
pub(crate) struct Seen {
    pub(crate) ran: Ran,
    /// The changed statements that were executed.
    pub(crate) executed: BTreeSet<Node>,
    /// When the first of them was, in instructions.
    pub(crate) first: Option<u64>,
}

/// Notes when instructions of changed statements are executed.
struct Watch<'c> {
    marks: &'c Marks,
    executed: BTreeSet<Node>,
    first: Option<u64>,
    steps: u64,
}

/// By function and instruction, the changed statement.
#[derive(Default)]
pub(crate) struct Marks(FxHashMap<FuncId, Vec<Option<Node>>>);

impl Marks {
    pub(crate) fn new(program: &Program, changes: &Changes, version: usize) -> Self {
        let mut marks: FxHashMap<FuncId, Vec<Option<Node>>> = FxHashMap::default();
        for (node, Site { function, pc }) in changes.sites(version) {
            let len = program.code(function).map_or(0, |code| code.instrs.len());
            let own = marks.entry(function).or_insert_with(|| vec![None; len]);
            if let Some(mark) = own.get_mut(pc as usize) {
                *mark = Some(node);
            }
        }
        Self(marks)
    }

    /// All marked instructions.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let mut sites = Vec::new();
        for (function, marks) in &self.0 {
            let own = (0u32..).zip(marks).filter(|(_, mark)| mark.is_some());
            sites.extend(own.map(|(pc, _)| Site { function: *function, pc }));
        }
        sites.sort_unstable_by_key(|site| (site.function.0, site.pc));
        sites
    }
}

impl Monitor for Watch<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.steps += 1;
        let mark = self.marks.0.get(&step.site.function).and_then(|own| own.get(step.site.pc as usize));
        if let Some(Some(node)) = mark {
            self.executed.insert(*node);
            self.first.get_or_insert(self.steps);
        }
    }
}

/// Runs an input in one version. Terms go into the pool, under the names of the common input space.
pub(crate) fn run(
    subject: &Subject<'_>,
    version: usize,
    marks: &Marks,
    input: &Input,
    pool: &mut Pool,
) -> Result<Seen, TraceError> {
    let watch = Watch { marks, executed: BTreeSet::new(), first: None, steps: 0 };
    let own = subject.own_input(version, input);
    let (mut ran, watch) = run_lightly(subject.programs[version], subject.setting(), &own, pool, watch)?;
    rename(subject, version, &mut ran.seen, pool);
    Ok(Seen { ran, executed: watch.executed, first: watch.first })
}

/// Puts the common names for those of the version.
fn rename(subject: &Subject<'_>, version: usize, seen: &mut Observation, pool: &mut Pool) {
    if !subject.renames.iter().any(|one| one.version == version) {
        return;
    }
    let mut all: Vec<Term> = seen.path.iter().map(|one| one.term).collect();
    all.extend(seen.outputs.iter().map(|one| one.value));
    all.extend(seen.status);
    let streams: Vec<_> = seen.logs.streams().collect();
    all.extend(streams.iter().flat_map(|stream| seen.logs.of(*stream).map(|(_, term)| term)));
    let mut known: Substitution = Substitution::default();
    for variable in pool.variables(&all) {
        let name = pool.as_var(variable).and_then(|name| subject.common(version, name));
        if let (Some(name), Sort::Bits(width)) = (name, pool.sort(variable)) {
            let common = pool.var(&name, Sort::Bits(width));
            known.insert(variable, common);
        }
    }
    let mut done = known;
    let mut term = |term: Term| pool.substitute_with(term, &mut done);
    for one in &mut seen.path {
        *one = Conjunct { term: term(one.term), ..*one };
    }
    for one in &mut seen.outputs {
        one.value = term(one.value);
    }
    seen.status = seen.status.map(&mut term);
    seen.logs = seen.logs.map(&mut term);
}
