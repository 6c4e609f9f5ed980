//! A variable at a line: who wrote what it holds there, and what might have been written instead.

use crate::builder::Builder;
use crate::criterion::Seeds;
use crate::node::Node;
use crate::replay::FRAMES;
use crate::source::Lines;
use hydrogen_machine::{FuncId, Place};
use rustc_hash::FxHashMap;

/// A variable as it is when a line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAt {
    /// The file, or the end of its path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Which execution; the last one without.
    pub nth: Option<u64>,
    /// The variable: of the function that the line is in, or a global one.
    pub name: String,
}

/// Where a variable is.
enum Where {
    Register(u32),
    Memory(Place, u64),
}

/// Looks for executions of the line while a trace is played.
pub(crate) struct Looking<'p> {
    lines: Lines<'p>,
    /// By activation, its last instruction on the line.
    last: FxHashMap<u32, u32>,
    pub(crate) times: u64,
}

impl<'p> Looking<'p> {
    pub(crate) fn new(program: &'p hydrogen_machine::Program) -> Self {
        Self { lines: Lines::new(program), last: FxHashMap::default(), times: 0 }
    }

    /// Whether an execution of the line begins.
    fn begins(&mut self, asked: &NamedAt, function: FuncId, frame: u32, pc: u32) -> bool {
        if !self.lines.is_at(function, pc, &asked.file, asked.line) {
            self.last.remove(&frame);
            return false;
        }
        let begins = self.last.get(&frame).is_none_or(|last| pc <= *last);
        self.last.insert(frame, pc);
        self.times += u64::from(begins);
        begins
    }
}

impl Builder<'_, '_, '_> {
    /// Keeps the variable that is asked about, where the line begins with this instruction. It is read by a part of that instruction, which
    /// nothing else depends on.
    pub(crate) fn look(&mut self, function: FuncId, pc: u32) {
        let Some(asked) = &self.options.named else { return };
        let Some(mut looking) = self.looking.take() else { return };
        let frame = self.current.frame;
        if looking.begins(asked, function, frame, pc) && asked.nth.is_none_or(|nth| nth == looking.times) {
            let node = match self.variable(&asked.name) {
                Some(Where::Register(register)) => {
                    let writer = self.frames.last().map_or(Node::NONE, |frame| frame.writer(register));
                    Some(self.part(|_, part| part.variables.push((register, writer))))
                }
                Some(Where::Memory(place, len)) => {
                    Some(self.part(|builder, part| builder.read(place, len, part)))
                }
                None => None,
            };
            self.bytes = Seeds { nodes: node.into_iter().collect(), cells: Vec::new() };
        }
        self.looking = Some(looking);
    }

    fn variable(&self, name: &str) -> Option<Where> {
        let frame = self.frames.last()?;
        let program = self.statics.program;
        let (_, model) = program.model(frame.function)?;
        let named = model.body.as_ref()?.variables.iter().rev().find(|one| one.name == name);
        if let Some(slot) = named.and_then(|one| one.slot) {
            let memory = |offset: u32, size: u32| {
                let place = Place { region: FRAMES, at: frame.local + offset as usize };
                Where::Memory(place, size.into())
            };
            if let Some(found) = frame.code.variables.iter().find(|one| one.origin == slot) {
                let place = || memory(found.offset, found.size);
                return Some(found.register.map_or_else(place, Where::Register));
            }
            let local = frame.code.locals.iter().find(|one| one.origin == slot)?;
            return Some(memory(local.offset, local.size));
        }
        let user = program.units().next()?;
        let mut globals = program.globals();
        let (_, _, place, len) = globals.find(|one| one.0 == 0 && user.global(one.1).name == name)?;
        Some(Where::Memory(place, len))
    }
}
