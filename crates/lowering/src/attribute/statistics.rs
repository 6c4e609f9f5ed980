//! How well attribution went.

use super::assign::{Assignment, PARAMETERS};
use super::explain::Flow;
use super::syntax::{EXIT, Syntax};
use hydrogen_ir::{Body, Function, InstructionId, Op, Role};

/// Figures of one unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Functions with a body.
    pub functions: u64,
    /// All instructions.
    pub instructions: u64,
    /// Those of the entry, the exit and the spilling of parameters.
    pub synthetic: u64,
    /// Those of statement pieces.
    pub real: u64,
    /// Those that belong to no statement, for want of a place in the source or because control cannot reach it.
    pub unattributed: Vec<Instance>,
    /// Those at a place outside all statements (a closing brace), which the statement before them took.
    pub adopted: Vec<Instance>,
    /// Transitions of control that the source does not show, as texts of the two pieces.
    pub unexplained: Vec<(Instance, String)>,
}

/// An instruction or piece worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The function.
    pub function: String,
    /// `file:line`, where known.
    pub place: String,
    /// The operation, or the text of the piece.
    pub what: String,
}

impl Statistics {
    pub(super) fn add(
        &mut self,
        function: &Function,
        body: &Body,
        files: &[String],
        assignment: &Assignment,
        flow: &Flow,
        syntax: &Syntax,
    ) {
        self.functions += 1;
        self.instructions += body.instructions.len() as u64;
        let instance = |id: &InstructionId| {
            let instruction = body.instruction(*id);
            let place = instruction.location.map(|place| {
                let file = files.get(place.file.index()).map_or("?", String::as_str);
                format!("{file}:{}:{}", place.position.line, place.position.column)
            });
            Instance {
                function: function.name.clone(),
                place: place.unwrap_or_default(),
                what: name(&instruction.op),
            }
        };
        // Code that control cannot reach, and jumps to such code, have no piece of the graph.
        let lost: Vec<InstructionId> = (0..body.instructions.len())
            .filter(|&id| {
                let real = assignment.piece[id] > EXIT && assignment.piece[id] != PARAMETERS;
                real && body.instructions[id].piece == Function::ENTRY
            })
            .map(InstructionId::at)
            .chain(assignment.lost.iter().copied())
            .collect();
        self.unattributed.extend(lost.iter().map(instance));
        self.adopted.extend(assignment.adopted.iter().map(instance));
        let synthetic = |role| matches!(role, Role::Entry | Role::Exit);
        let pieces = body.instructions.iter().map(|instruction| &function.pieces[instruction.piece.index()]);
        let count = pieces.filter(|piece| synthetic(piece.role)).count() as u64;
        self.synthetic += count - lost.len() as u64;
        self.real += body.instructions.len() as u64 - count;
        for &(from, to) in &flow.unexplained {
            let from = &syntax.pieces[from];
            let place = from.span.map(|span| format!("{}:{}", span.start.line, span.start.column));
            let instance = Instance {
                function: function.name.clone(),
                place: place.unwrap_or_default(),
                what: format!("{:?} {}", from.role, from.text),
            };
            self.unexplained
                .push((instance, format!("{:?} {}", syntax.pieces[to].role, syntax.pieces[to].text)));
        }
    }
}

/// The kind of an operation.
fn name(op: &Op) -> String {
    let text = format!("{op:?}");
    text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}
