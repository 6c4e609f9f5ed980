//! Functions: their statement graph and, when compiled, their instructions.

use crate::{BlockId, CTypeId, FileId, FlowEdge, InstructionId, Location, Op, Piece, PieceId, Span, TypeId};
use serde::{Deserialize, Serialize};

/// A function, defined or only declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The linker's name.
    pub name: String,
    /// Who can see it.
    pub linkage: Linkage,
    /// The machine type; `None` in build-free mode.
    pub ty: Option<TypeId>,
    /// The C type, where debug information has it.
    pub ctype: Option<CTypeId>,
    /// The head as written (`static int f(int a)`), white space folded; empty for declarations.
    pub signature: String,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Whether it promises never to return.
    pub no_return: bool,
    /// The extent of the definition; `None` for declarations.
    pub span: Option<Span>,
    /// The nodes of the statement graph; empty for declarations. When present, piece 0 is the entry and piece 1
    /// the exit.
    pub pieces: Vec<Piece>,
    /// Control flow between pieces, sorted and without repetitions.
    pub flow: Vec<FlowEdge>,
    /// Jump statements (`break`, `continue`, `goto`, `return`), each with the piece that control would reach if it were not
    /// there; sorted, without repetitions.
    pub fall_through: Vec<(PieceId, PieceId)>,
    /// Calls by piece, in source order (build-free mode) or instruction order (compiled).
    pub calls: Vec<Call>,
    /// The instructions; `None` for declarations and in build-free mode.
    pub body: Option<Body>,
}

impl Function {
    /// The entry piece of every defined function.
    pub const ENTRY: PieceId = PieceId(0);
    /// The exit piece of every defined function.
    pub const EXIT: PieceId = PieceId(1);

    /// Whether the function has a definition in this module.
    pub fn is_defined(&self) -> bool {
        self.span.is_some() || self.body.is_some()
    }

    /// The file of the definition.
    pub fn file(&self) -> Option<FileId> {
        self.span.map(|span| span.file)
    }

    /// The first line of the definition.
    pub fn line(&self) -> Option<u32> {
        self.span.map(|span| span.start.line)
    }

    /// Moves a definition without instructions to another first line.
    pub fn move_to(&mut self, line: u32) {
        let Some(old) = self.line() else { return };
        let moved = |at: &mut u32| *at = at.wrapping_sub(old).wrapping_add(line);
        let spans = self.pieces.iter_mut().filter_map(|piece| piece.span.as_mut());
        for span in spans.chain(self.span.as_mut()) {
            moved(&mut span.start.line);
            moved(&mut span.end.line);
        }
    }
}

/// Visibility of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Linkage {
    /// Visible to all units; one definition.
    External,
    /// Visible in its unit alone (`static`).
    Internal,
    /// Several equal definitions may exist and are merged (`inline`, weak, common).
    Mergeable,
    /// A body for inlining only; the real definition is elsewhere (`extern inline` of gnu89, C99 `inline`).
    AvailableExternally,
}

/// A parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name; empty when unnamed.
    pub name: String,
    /// The machine type; `None` in build-free mode.
    pub ty: Option<TypeId>,
    /// How it is passed.
    pub attributes: ParameterAttributes,
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParameterAttributes {
    /// The pointer refers to a private copy of this type (a structure by value).
    pub by_value: Option<TypeId>,
    /// The pointer receives the result of this type.
    pub struct_return: Option<TypeId>,
    /// Sign-extended by the caller.
    pub sign_extend: bool,
    /// Zero-extended by the caller.
    pub zero_extend: bool,
}

/// A call made by a piece.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The piece that calls.
    pub piece: PieceId,
    /// Whom it calls.
    pub callee: Callee,
    /// The call instruction; `None` in build-free mode.
    pub instruction: Option<InstructionId>,
}

/// Whom a call reaches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Callee {
    /// A function by its name.
    Direct(String),
    /// Through a pointer; the text of the called expression where known.
    Indirect(String),
}

/// The compiled body of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Basic blocks; block 0 is the entry.
    pub blocks: Vec<Block>,
    /// Instructions of all blocks; each block owns a contiguous run, in block order.
    pub instructions: Vec<Instruction>,
    /// Variables of the source program and where they live.
    pub variables: Vec<Variable>,
}

impl Body {
    /// The ids of a block's instructions.
    pub fn instructions_of(&self, block: BlockId) -> impl DoubleEndedIterator<Item = InstructionId> + use<> {
        let Block { first, count, .. } = self.blocks[block.index()];
        (first.0..first.0 + count).map(InstructionId)
    }

    /// The instruction with this id.
    pub fn instruction(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id.index()]
    }

    /// The terminator of a block.
    pub fn terminator(&self, block: BlockId) -> &Instruction {
        let Block { first, count, .. } = self.blocks[block.index()];
        &self.instructions[(first.0 + count - 1) as usize]
    }
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The compiler's label, such as `if.then`; for readers only.
    pub label: String,
    /// Its first instruction.
    pub first: InstructionId,
    /// How many it has, the terminator included.
    pub count: u32,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// The type of the result (`void` when there is none).
    pub ty: TypeId,
    /// What it does.
    pub op: Op,
    /// The piece that it belongs to.
    pub piece: PieceId,
    /// Its place in the source, where debug information has one.
    pub location: Option<Location>,
}

/// A variable of the source program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub ctype: Option<CTypeId>,
    /// Parameter or local.
    pub kind: VariableKind,
    /// The stack slot it lives in.
    pub slot: Option<InstructionId>,
    /// Where it is declared.
    pub location: Option<Location>,
    /// Of one of a block: the instruction before which its declaration is reached, each time anew.
    pub begins: Option<InstructionId>,
    /// Of one of a block: the instructions of the block, in order.
    pub block: Vec<Run>,
}

/// Instructions in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// The first.
    pub first: InstructionId,
    /// How many they are.
    pub count: u32,
}

impl Run {
    /// Whether an instruction is one of them.
    pub fn contains(self, id: InstructionId) -> bool {
        id.0.checked_sub(self.first.0).is_some_and(|behind| behind < self.count)
    }
}

/// The kinds of variables of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariableKind {
    /// The n-th parameter, from 0.
    Parameter(u32),
    /// A local variable.
    Local,
    /// One of a block inside of the function, which ends with the block.
    Inner,
}
