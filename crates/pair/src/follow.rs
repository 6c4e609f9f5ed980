//! The instances of a run, found while it goes on (P-2).

use crate::nodes::Nodes;
use crate::values::Names;
use hydrogen_align::{IndexId, Indices, Walk};
use hydrogen_evidence::Node;
use hydrogen_machine::code::{Complex, Instr};
use hydrogen_machine::{FuncId, MemoryEvent, Monitor, Site, Step, View};
use std::collections::BTreeSet;

/// A statement that was executed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    /// The statement.
    pub node: Node,
    /// Its place among all executions: the same in two runs for the same instance.
    pub index: IndexId,
    /// The number of its first instruction; that of the run is 1.
    pub step: u64,
    /// What its instructions computed, without addresses: equal numbers mean equal values.
    pub values: u64,
}

/// The instances of a run, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub struct Instances {
    /// The instances.
    pub all: Vec<Instance>,
    /// From which step on which instance is executed.
    spans: Vec<Span>,
    /// The first instruction whose instance is not kept, where there were too many.
    pub cut: Option<u64>,
}

/// A step and the instance that is executed from there on, in the eight bytes of one number: long runs have millions of them.
#[derive(Debug, Clone, Copy)]
struct Span(u64);

impl Span {
    /// So many bits hold an instance; the others hold the step.
    const BITS: u32 = 24;
    /// Later steps are not kept.
    const LAST: u64 = u64::MAX >> Self::BITS;

    fn new(from: u64, instance: u32) -> Self {
        Self(from << Self::BITS | u64::from(instance))
    }

    fn from(self) -> u64 {
        self.0 >> Self::BITS
    }

    fn instance(self) -> u32 {
        (self.0 & ((1 << Self::BITS) - 1)) as u32
    }
}

/// More instances are not kept.
const MOST: usize = 12_000_000;
const _: () = assert!(MOST < 1 << Span::BITS);

impl Instances {
    /// The instance that an executed instruction belongs to, by number.
    pub fn at_step(&self, step: u64) -> Option<&Instance> {
        self.all.get(self.position(step)? as usize)
    }

    /// The same by its place among all.
    pub fn position(&self, step: u64) -> Option<u32> {
        // What is not kept must not look like a part of the last that is.
        if self.cut.is_some_and(|cut| step >= cut) {
            return None;
        }
        let after = self.spans.partition_point(|span| span.from() <= step);
        Some(self.spans.get(after.checked_sub(1)?)?.instance()).filter(|at| (*at as usize) < self.all.len())
    }
}

impl Instances {
    /// By executed instruction, in order: the position of its instance. The same as [`Instances::at_step`] for many.
    pub fn along<'i>(
        &'i self,
        steps: impl Iterator<Item = u64> + 'i,
    ) -> impl Iterator<Item = (u64, usize)> + 'i {
        let mut after = None;
        steps.filter_map(move |step| {
            if self.cut.is_some_and(|cut| step >= cut) {
                return None;
            }
            let begins = |at: usize| self.spans.get(at).is_some_and(|span| span.from() <= step);
            let mut at = match after {
                Some(at) => at,
                None => self.spans.partition_point(|span| span.from() <= step),
            };
            while begins(at) {
                at += 1;
            }
            after = Some(at);
            Some((step, self.spans.get(at.checked_sub(1)?)?.instance() as usize))
        })
    }

    /// The executed instructions of some instances, by number; `last` is that of the run's last one.
    pub(crate) fn steps_of(&self, wanted: &BTreeSet<u32>, last: u64) -> Vec<(u64, u32)> {
        let ends = self.spans.iter().skip(1).map(|span| span.from()).chain([last + 1]);
        let spans = self.spans.iter().zip(ends).filter(|(span, _)| wanted.contains(&span.instance()));
        spans.flat_map(|(span, end)| (span.from()..end).map(|step| (step, span.instance()))).collect()
    }
}

/// A function that has not returned.
struct Frame {
    /// None for one without statements.
    function: Option<usize>,
    /// The last instruction.
    pc: Option<u32>,
    /// The last one of a statement, not counting jumps that only lead on.
    last: Option<u32>,
    /// The instance that is executed.
    instance: Option<u32>,
    node: Option<Node>,
    /// Whether the last instruction was a call: what comes next tells whether it came back.
    called: bool,
}

/// Watches a run of one of the programs.
pub(crate) struct Follow<'a, 'p> {
    nodes: &'a mut Nodes<'p>,
    indices: &'a mut Indices<Node>,
    program: usize,
    walk: Walk,
    frames: Vec<Frame>,
    site: Site,
    steps: u64,
    /// What a branch decides by: the way for `true`, or the value that a switch looks at.
    deciding: Deciding,
    names: Names<'p>,
    found: Instances,
}

enum Deciding {
    Nothing,
    Then(u32),
    Value(u64),
    Label(Vec<u32>),
}

/// The outcome of a switch that has no label for the value.
const DEFAULT: u64 = u64::MAX;

impl<'a, 'p> Follow<'a, 'p> {
    pub(crate) fn new(
        nodes: &'a mut Nodes<'p>,
        indices: &'a mut Indices<Node>,
        program: usize,
        names: Names<'p>,
    ) -> Self {
        Self {
            nodes,
            indices,
            program,
            walk: Walk::default(),
            frames: Vec::new(),
            site: Site { function: FuncId(0), pc: 0 },
            steps: 0,
            deciding: Deciding::Nothing,
            names,
            found: Instances::default(),
        }
    }

    /// What was found, and where the run ended.
    pub(crate) fn finish(mut self) -> (Instances, Site) {
        // A list that grows is up to twice as large as it need be.
        self.found.all.shrink_to_fit();
        self.found.spans.shrink_to_fit();
        (self.found, self.site)
    }

    fn begin(&mut self, node: Node, function: usize) {
        let function = self.nodes.function(function);
        let number = function.numbers[&node];
        self.walk.go(self.indices, &function.regions, number, |number| function.nodes[number]);
        let frame = self.frames.last_mut().expect("a function is executed");
        frame.node = Some(node);
        frame.instance = None;
        if self.found.all.len() >= MOST || self.steps > Span::LAST {
            self.found.cut.get_or_insert(self.steps);
            return;
        }
        frame.instance = Some(self.found.all.len() as u32);
        let instance = Instance { node, index: self.walk.index(), step: self.steps, values: 0 };
        self.found.all.push(instance);
    }

    /// The results of the instruction before, which the registers hold now, belong to its instance.
    fn note(&mut self, step: &Step<'_>) {
        let Some(frame) = self.frames.last() else { return };
        let instance = frame.instance.and_then(|at| self.found.all.get_mut(at as usize));
        if let (Some(instance), Some(pc)) = (instance, frame.pc) {
            instance.values = self.names.fold(instance.values, step, pc);
        }
    }
}

impl Monitor for Follow<'_, '_> {
    fn step(&mut self, step: Step<'_>) {
        self.steps += 1;
        self.note(&step);
        self.site = step.site;
        let Site { function: id, pc } = step.site;
        let Some(frame) = self.frames.last_mut() else { return };
        let before = frame.pc.replace(pc);
        let called = std::mem::replace(&mut frame.called, matches!(step.instr, Instr::Call { .. }));
        if before.is_none() {
            self.names.entered(self.walk.index(), &step);
        }
        let Some(function) = frame.function else { return };
        let Some(place) = self.nodes.place(self.program, id) else { return };
        if place.entry[pc as usize] {
            return;
        }
        let node = place.nodes[pc as usize];
        let passed = place.passed[pc as usize].clone();
        let is_link = place.links[pc as usize];
        // A call that comes back goes on behind itself; a jump out of another one comes elsewhere.
        let landed = called && before.is_some_and(|before| pc != before + 1);
        if is_link && !landed && frame.node.is_some() {
            self.deciding = Deciding::Nothing;
            return;
        }
        let before = frame.last.replace(pc);
        if landed {
            self.walk.land(self.indices, node);
        }
        let mut again = landed || before.is_some_and(|before| pc <= before);
        for node in passed.into_iter().chain([node]) {
            let current = self.frames.last().and_then(|frame| frame.node);
            if std::mem::take(&mut again) || current != Some(node) {
                self.begin(node, function);
            }
        }
        if let Some(instance) = self.frames.last().and_then(|frame| frame.instance)
            && self.found.spans.last().is_none_or(|last| last.instance() != instance)
            && self.steps <= Span::LAST
        {
            self.found.spans.push(Span::new(self.steps, instance));
        }
        if matches!(step.instr, Instr::Call { .. })
            && let Some(instance) = self.frames.last().and_then(|frame| frame.instance)
            && let Some(instance) = self.found.all.get_mut(instance as usize)
        {
            instance.values = self.names.give(instance.values, &step);
        }
        self.deciding = match step.instr {
            Instr::Branch { then, .. } => Deciding::Then(*then),
            Instr::Switch { value, table } => {
                let value = step.registers[*value as usize];
                let arms = step.code.switches[*table as usize].arms();
                Deciding::Value(if arms.iter().any(|arm| arm.0 == value) { value } else { DEFAULT })
            }
            Instr::Complex { index } => match &step.code.complex[*index as usize] {
                Complex::IndirectJump { targets, .. } => {
                    Deciding::Label(targets.iter().map(|target| target.1).collect())
                }
                _ => Deciding::Nothing,
            },
            _ => Deciding::Nothing,
        };
    }

    fn branch(&mut self, target: u32) {
        let outcome = match std::mem::replace(&mut self.deciding, Deciding::Nothing) {
            Deciding::Then(then) => u64::from(then == target),
            Deciding::Value(value) => value,
            Deciding::Label(all) => all.iter().position(|one| *one == target).unwrap_or(0) as u64,
            Deciding::Nothing => return,
        };
        self.walk.decide(outcome);
    }

    fn enter(&mut self, function: FuncId, _depth: usize) {
        let caller = self.frames.last().and_then(|frame| frame.node);
        self.walk.enter(self.indices, caller);
        let function = self.nodes.place(self.program, function).map(|place| place.function);
        self.frames.push(Frame { function, pc: None, last: None, instance: None, node: None, called: false });
    }

    fn leave(&mut self, depth: usize) {
        self.walk.leave(depth);
        self.frames.truncate(depth);
    }

    fn memory(&mut self, address: u64, event: MemoryEvent, _view: View<'_>) {
        if let MemoryEvent::Given(..) = event {
            self.names.given(address);
        }
        if let MemoryEvent::Fresh(place, size) = event
            && place.region == 0
            && let Some(instance) = self.frames.last().and_then(|frame| frame.instance)
        {
            let Instance { index, node, .. } = self.found.all[instance as usize];
            self.names.made(address, size, index, node);
        }
    }
}
