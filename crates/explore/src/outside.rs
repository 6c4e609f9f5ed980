//! What no output depends on, and what could go wrong there (F-D17): conditions outside of every relevant slice are never
//! turned around, so a fault that they hide is not found. It is said where one could be.

use crate::coverage::Coverage;
use crate::path::{Conjunct, Kind};
use crate::risk::Risks;
use crate::search::Exploration;
use hydrogen_flow::Library;
use hydrogen_machine::code::{Code, Complex, Instr, Pc, Target};
use hydrogen_machine::{End, FaultKind, FrameInfo, FuncId, Program, Site};
use hydrogen_trace::{Dependences, Edges, Slice, TraceError};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions of the user's program by what outputs of runs have to do with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    /// In the relevant slice of some run.
    sliced: Coverage,
    /// Outside in some run, and what they do there depends on the input: branches that could go elsewhere, operations that
    /// could have other operands.
    varying: BTreeSet<Site>,
}

impl Outside {
    pub(crate) fn add(&mut self, other: &Outside) {
        self.sliced.add(&other.sliced);
        self.varying.extend(other.varying.iter().copied());
    }

    /// What is outside of the slice of one run. The dependences are of that run.
    pub(crate) fn of(
        program: &Program,
        dependences: &Dependences<'_, '_>,
        slice: &Slice,
        path: &[Conjunct],
    ) -> Result<Self, TraceError> {
        let mut outside = Self { sliced: Coverage::new(program), varying: BTreeSet::new() };
        let conditions = path.iter().filter(|one| !slice.contains(one.instance));
        let of_users = conditions.filter(|one| program.is_users(one.site.function));
        outside.varying.extend(of_users.filter(|one| one.kind != Kind::Assumed).map(|one| one.site));
        let mut risks: BTreeMap<FuncId, Vec<bool>> = BTreeMap::new();
        // One instance of each is asked about, the last: in a loop it depends on what those before depend on.
        let mut last: BTreeMap<Site, u64> = BTreeMap::new();
        dependences.instances(|instance| {
            let Site { function, pc } = instance.site;
            if !program.is_users(function) {
                return;
            }
            if slice.contains(instance.step) {
                outside.sliced.enter(function);
                return outside.sliced.step(instance.site);
            }
            let matters = instance.branches
                || risks.entry(function).or_insert_with(|| {
                    let Some(code) = program.code(function) else { return Vec::new() };
                    let risks = Risks::new(program, library(), code);
                    (0..code.instrs.len() as Pc).map(|pc| !risks.at(pc).is_empty()).collect()
                })[pc as usize];
            if matters && !outside.varying.contains(&instance.site) {
                last.insert(instance.site, instance.step);
            }
        })?;
        let mut from: Vec<(u64, Site)> = last.into_iter().map(|(site, step)| (step, site)).collect();
        from.sort_unstable();
        let steps: Vec<u64> = from.iter().map(|one| one.0).collect();
        let mut inputs: Vec<u64> = path.iter().map(|one| one.instance).collect();
        inputs.dedup();
        if !steps.is_empty() && !inputs.is_empty() {
            let reached = dependences.reach(&steps, &inputs, Edges::Operands)?;
            let vary = (0..from.len()).filter(|number| reached.depends_on_any(*number));
            outside.varying.extend(vary.map(|number| from[number].1));
        }
        Ok(outside)
    }
}

/// What is known about functions of the C library.
fn library() -> &'static Library {
    Library::standard()
}

/// A place that no output depends on and that could fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// Where.
    pub place: FrameInfo,
    /// What could happen.
    pub kind: FaultKind,
    /// The branch that no run turned there; `None` when runs executed the place, and it depends on the input what it does.
    pub behind: Option<FrameInfo>,
}

/// What could fault outside of every relevant slice, in the order of the source; each line and kind of fault once. Empty where
/// exploration was not by relevant slices.
pub fn risks(program: &Program, found: &Exploration) -> Vec<Risk> {
    let Some(outside) = &found.outside else { return Vec::new() };
    let mut known: BTreeMap<FuncId, Option<Risks<'_>>> = BTreeMap::new();
    let mut all: BTreeMap<(String, u32, FaultKind), Risk> = BTreeMap::new();
    let mut add = |site: Site, behind: Option<Site>| {
        let risks = known
            .entry(site.function)
            .or_insert_with(|| program.code(site.function).map(|code| Risks::new(program, library(), code)));
        for kind in risks.iter().flat_map(|risks| risks.at(site.pc)) {
            let place = program.place(site);
            let behind = behind.map(|branch| program.place(branch));
            let key = (place.file.clone(), place.line, kind);
            if place.line > 0 && !is_known(found, &place, kind) {
                all.entry(key).or_insert(Risk { place, kind, behind });
            }
        }
    };
    let never_sliced = outside.varying.iter().filter(|site| !outside.sliced.has(**site));
    let mut seen = BTreeSet::new();
    for site in never_sliced {
        add(*site, None);
        let Some(code) = program.code(site.function) else { continue };
        let mut work: Vec<Site> = sides(code, site.pc).map(|pc| Site { pc, ..*site }).collect();
        while let Some(next) = work.pop() {
            if found.coverage.has(next) || !seen.insert(next) {
                continue;
            }
            add(next, Some(*site));
            let Some(code) = program.code(next.function) else { continue };
            work.extend(following(code, next.pc).map(|pc| Site { pc, ..next }));
            if let Some(callee) = callee(code, next.pc).filter(|callee| program.is_users(*callee)) {
                work.push(Site { function: callee, pc: 0 });
            }
        }
    }
    all.into_values().collect()
}

/// Whether a test shows the fault already.
fn is_known(found: &Exploration, place: &FrameInfo, kind: FaultKind) -> bool {
    found.tests.iter().any(|test| match &test.end {
        End::Fault(fault) => {
            let at = fault.stack.iter().find(|frame| frame.users);
            fault.kind == kind && at.is_some_and(|at| at.file == place.file && at.line == place.line)
        }
        _ => false,
    })
}

/// Where a branch may go; nothing for other instructions.
pub(crate) fn sides(code: &Code, pc: Pc) -> impl Iterator<Item = Pc> {
    let mut sides = match code.instrs.get(pc as usize) {
        Some(Instr::Branch { then, otherwise, .. }) => vec![*then, *otherwise],
        Some(Instr::Switch { table, .. }) => {
            let table = &code.switches[*table as usize];
            table.arms().iter().map(|arm| arm.1).chain([table.default_target()]).collect()
        }
        Some(Instr::Complex { index }) => match &code.complex[*index as usize] {
            Complex::IndirectJump { targets, .. } => targets.iter().map(|target| target.1).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    sides.sort_unstable();
    sides.dedup();
    sides.into_iter()
}

fn following(code: &Code, pc: Pc) -> impl Iterator<Item = Pc> {
    let mut next: Vec<Pc> = sides(code, pc).collect();
    match &code.instrs[pc as usize] {
        Instr::Jump { target } => next.push(*target),
        Instr::Return { .. } | Instr::Unreachable => {}
        _ if next.is_empty() && (pc as usize) + 1 < code.instrs.len() => next.push(pc + 1),
        _ => {}
    }
    next.into_iter()
}

fn callee(code: &Code, pc: Pc) -> Option<FuncId> {
    let Instr::Call { site } = code.instrs[pc as usize] else { return None };
    match code.calls[site as usize].target {
        Target::Direct(callee) => Some(callee),
        Target::Indirect(_) => None,
    }
}
