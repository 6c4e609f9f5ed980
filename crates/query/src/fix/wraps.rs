//! Tests that are made with numbers which wrap around. A test such as `used + n > size` turns away what is too large, and lets through what is so
//! large that the sum is small again: by its own measure the fix is right, and the fault is still there.

use crate::fix::cut::Cut;
use crate::fix::points::Point;
use crate::judge::Question;
use crate::judge::resolve::{Beginning, Outcome};
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::Value;
use crate::run::{Asking, Mode};
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, Fix, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::{BinaryOp, CastOp, InstructionId, IntPredicate, Op, Operand, Reference};
use hydrogen_term::Term;
use std::collections::BTreeSet;

/// How many computations are looked at.
const MOST_LOOKED_AT: usize = 6;

impl Analyst<'_> {
    /// Where a version computes a number without a sign for a test that the version before the fix does not make, if the number can wrap around
    /// there so that the test lets through what fails at the statement.
    pub(crate) fn wraps_for(
        &mut self,
        question: &Question<'_>,
        version: VersionId,
        fix: Fix,
    ) -> Option<Entry> {
        let chain = self.subject.program.graph.chain(question.node);
        let shape = self.shape(chain, version)?;
        let is_new = |one: &Self, node: NodeId| {
            let graph = one.subject.program.graph;
            !graph.node_in(node, fix.before)
                || graph.payload(node, version) != graph.payload(node, fix.before)
        };
        let sums = sums_of_tests(&shape, |node| is_new(self, node));
        let in_callees = self.sums_of_callees(&shape, version, fix, &is_new);
        if sums.is_empty() && in_callees.is_empty() {
            return None;
        }
        let frame = Frame::of(chain);
        let instead = self.follow_but_tests(question.node, fix.before, version);
        let faults = question.kind.map(|kind| self.failures(&instead, version, kind)).unwrap_or_default();
        let mut points = match faults.is_empty() {
            true => self.arrivals(&instead, version),
            false => faults,
        };
        points.retain(|(frame, _)| frame.chain == chain);
        let one = VersionSet::one(version);
        let start = |(_, point): &(Frame, Point)| Start::Before(point.spot, point.operands, one.clone());
        let starts: Vec<Start> = points.iter().map(start).collect();
        for &(step, id) in sums.iter().take(MOST_LOOKED_AT) {
            if self.is_over() {
                break;
            }
            let Some(wraps) = self.wraps(&shape, &frame, step, id) else { continue };
            let spot = shape.steps[step].spot;
            let stop = Stop::Before(spot);
            let fails = self.in_mode(Mode::Find, |one| one.walk(&frame, starts.clone(), stop));
            let Some(&(fails, _)) = fails.0.first() else { continue };
            let term = self.terms.pool.and(fails, wraps);
            if self.can_begin(&frame, spot, term, version) {
                return Some(Entry::Wraps { line: self.spot(spot.node, version).line });
            }
        }
        let cut = Cut::Entry(chain);
        let entry = self.cut_in(cut, chain, version)?;
        for (callee, step, id) in in_callees.into_iter().take(MOST_LOOKED_AT) {
            if self.is_over() {
                break;
            }
            let Some(shape) = self.shape(callee, version) else { continue };
            let frame_there = Frame::of(callee);
            let Some(operands) = self.wraps(&shape, &frame_there, step, id) else { continue };
            let spot = shape.steps[step].spot;
            let key = ("wraps".to_owned(), 0);
            let there = (frame_there, Point { key, spot, operands, behind: false });
            // From one state there is one run: it wraps around in the callee, and it fails.
            let wraps = self.reach(std::slice::from_ref(&there), version, cut, Mode::Find)?;
            let fails = self.reach(&points, version, cut, Mode::Find)?;
            let term = self.terms.pool.and(wraps, fails);
            let term = self.in_own_names(chain, version, term);
            if self.can_begin(&frame, entry, term, version) {
                return Some(Entry::Wraps { line: self.spot(spot.node, version).line });
            }
        }
        None
    }

    /// Whether a state can hold before a run, as far as is known.
    fn can_begin(&mut self, frame: &Frame, spot: Spot, term: Term, version: VersionId) -> bool {
        if self.is_possible(term) != Some(true) {
            return false;
        }
        let one = VersionSet::one(version);
        let beginning = Beginning { spot, behind: false, term, versions: one.clone() };
        let patient = Asking { rounds: self.budget.rounds, ..self.asking };
        let way_in = self.with(patient, |one_by_one| {
            one_by_one.question(frame, std::slice::from_ref(&beginning), &one).remove(&version)
        });
        !matches!(way_in, Some(Outcome::Refuted))
    }

    /// The same sums and products in functions that a function calls and that are not as before the fix: a test may ask one of them.
    fn sums_of_callees(
        &mut self,
        shape: &Shape,
        version: VersionId,
        fix: Fix,
        is_new: &dyn Fn(&Self, NodeId) -> bool,
    ) -> Vec<(ChainId, StepId, InstructionId)> {
        let graph = self.subject.program.graph;
        let nodes = graph.pieces(shape.chain, version).into_iter();
        let called = nodes.flat_map(|node| graph.targets(node, version));
        let callees: BTreeSet<ChainId> = called
            .filter_map(|target| match target {
                Target::Chain(callee) if callee != shape.chain => Some(callee),
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for callee in callees {
            if self.is_same(&BTreeSet::from([callee]), version, fix.before) {
                continue;
            }
            let Some(inner) = self.shape(callee, version) else { continue };
            let sums = sums_of_tests(&inner, |node| is_new(self, node));
            found.extend(sums.into_iter().map(|(step, id)| (callee, step, id)));
        }
        found
    }

    /// The condition before a run that a computation in it wraps around; none if that says nothing.
    fn wraps(&mut self, shape: &Shape, frame: &Frame, step: StepId, id: InstructionId) -> Option<Term> {
        let place = Self::place(frame, shape.steps[step].spot, 0);
        let event = self.terms.event(Entry::NotFollowed, false, &place);
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
        for &before in shape.steps[step].instructions.iter().take_while(|&&other| other != id) {
            eval.instruction(before);
        }
        let Op::Binary { op, left, right, .. } = shape.op(id) else { return None };
        let (Value::Int(left), Value::Int(right)) = (eval.operand(left), eval.operand(right)) else {
            return None;
        };
        let guard = eval.effect.guard;
        let pool = &mut self.terms.pool;
        let wraps = match op {
            BinaryOp::Add => pool.uadd_overflows(left, right),
            BinaryOp::Sub => pool.usub_overflows(left, right),
            BinaryOp::Mul => pool.umul_overflows(left, right),
            _ => return None,
        };
        Some(match guard {
            Some(guard) => pool.and(guard, wraps),
            None => wraps,
        })
    }
}

/// The sums, products and differences without a sign that comparisons by size rest on, in statements of the given sort.
///
/// That one member is not larger than another is what structures promise: their difference counts only beside other numbers.
fn sums_of_tests(shape: &Shape, is_wanted: impl Fn(NodeId) -> bool) -> Vec<(StepId, InstructionId)> {
    let mut open: Vec<InstructionId> = Vec::new();
    for step in shape.steps.iter().filter(|step| is_wanted(step.spot.node)) {
        for &id in &step.instructions {
            if let Op::IntCompare { predicate, left, right } = shape.op(id)
                && !matches!(predicate, IntPredicate::Eq | IntPredicate::Ne)
            {
                open.extend([left, right].into_iter().filter_map(instruction));
            }
        }
    }
    let mut seen: BTreeSet<InstructionId> = BTreeSet::new();
    let mut found: BTreeSet<InstructionId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let op = shape.op(id);
        match op {
            Op::Binary { op: BinaryOp::Add | BinaryOp::Mul, flags, .. } if !flags.nsw && !flags.nuw => {
                found.insert(id);
            }
            Op::Binary { op: BinaryOp::Sub, flags, left, right, .. } if !flags.nsw && !flags.nuw => {
                if !(is_of_memory(shape, left) && is_of_memory(shape, right)) {
                    found.insert(id);
                }
            }
            Op::Load { pointer, .. } => {
                let Some(slot) = instruction(pointer).filter(|slot| shape.plain.contains_key(slot)) else {
                    continue;
                };
                for instruction_of in &shape.body().instructions {
                    if let Op::Store { pointer, value, .. } = &instruction_of.op
                        && instruction(pointer) == Some(slot)
                    {
                        open.extend(instruction(value));
                    }
                }
                continue;
            }
            Op::Binary { .. } | Op::Select { .. } | Op::Phi { .. } => {}
            Op::Cast { op, .. } if !matches!(op, CastOp::PtrToInt) => {}
            _ => continue,
        }
        op.references(|reference| {
            if let Reference::Operand(operand) = reference {
                open.extend(instruction(operand));
            }
        });
    }
    let steps = shape.steps.iter().enumerate();
    let places = steps.flat_map(|(at, step)| step.instructions.iter().map(move |&id| (at, id)));
    places.filter(|(_, id)| found.contains(id)).collect()
}

fn instruction(operand: &Operand) -> Option<InstructionId> {
    match operand {
        Operand::Instruction(id) => Some(*id),
        _ => None,
    }
}

/// Whether a number is read from memory, and not from a variable of the function.
fn is_of_memory(shape: &Shape, operand: &Operand) -> bool {
    match instruction(operand).map(|id| shape.op(id)) {
        Some(Op::Cast { value, .. }) => is_of_memory(shape, value),
        Some(Op::Load { pointer, .. }) => {
            !instruction(pointer).is_some_and(|slot| shape.plain.contains_key(&slot))
        }
        _ => false,
    }
}
