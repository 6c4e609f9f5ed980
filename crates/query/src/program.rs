//! The instructions behind a node in a version.

use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_ir::{Block, BlockId, Body, Function, InstructionId, Module, Op, Operand, PieceId, Type};

/// A graph and the program of each of its versions, linked, in the graph's order.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// One module per version.
    pub modules: &'a [Module],
}

/// A node in a version.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The version's program.
    pub module: &'a Module,
    /// The function.
    pub function: &'a Function,
    /// Its instructions.
    pub body: &'a Body,
    /// The piece that the node is in this version.
    pub piece: PieceId,
}

impl<'a> Program<'a> {
    /// The node in a version; none if the version has it not, or not compiled.
    pub fn place(&self, node: NodeId, version: VersionId) -> Option<Place<'a>> {
        if !self.graph.node_in(node, version) {
            return None;
        }
        let chain = self.graph.chain(node);
        let module = self.modules.get(version.index())?;
        let (file, _) = self.graph.location(chain, version);
        let function = module.function(module.find_function(file, self.graph.name(chain, version))?);
        let piece = self.graph.pieces(chain, version).into_iter().position(|other| other == node)?;
        Some(Place { module, function, body: function.body.as_ref()?, piece: PieceId::at(piece) })
    }
}

impl<'a> Place<'a> {
    /// The piece's instructions in order, or none if they do not form one straight run: such a piece has control flow inside
    /// and is not understood.
    pub fn instructions(&self) -> Option<Vec<InstructionId>> {
        let of_piece = |id: &InstructionId| {
            let instruction = self.body.instruction(*id);
            instruction.piece == self.piece && !matches!(instruction.op, Op::Alloca { .. })
        };
        let passed: Vec<InstructionId> =
            self.body.blocks.iter().filter(|block| self.is_passed(block)).map(|block| block.first).collect();
        let of_piece = |id: &InstructionId| of_piece(id) && !passed.contains(id);
        let all = (0..self.body.instructions.len()).map(InstructionId::at);
        let found: Vec<InstructionId> = all.filter(of_piece).collect();
        let straight = found.windows(2).all(|pair| {
            let between = (pair[0].0 + 1..pair[1].0).map(InstructionId);
            let only_slots = between.into_iter().all(|id| self.is_slot(id));
            only_slots && !self.body.instruction(pair[0]).op.is_terminator()
        });
        let joins = found.iter().any(|&id| matches!(self.body.instruction(id).op, Op::Phi { .. }));
        (straight && !joins).then_some(found)
    }

    /// Whether a block is but a jump of a piece that does its work elsewhere: the compiler's end of a nested statement. Flow
    /// between pieces passes over such blocks.
    fn is_passed(&self, block: &Block) -> bool {
        let only = self.body.instruction(block.first);
        let works = |other: &Block| {
            other.count > 1
                && self.body.instructions[other.first.index()..][..other.count as usize]
                    .iter()
                    .any(|one| one.piece == only.piece && !matches!(one.op, Op::Alloca { .. }))
        };
        block.count == 1 && matches!(only.op, Op::Jump { .. }) && self.body.blocks.iter().any(works)
    }

    /// The piece at which control arrives by going to a block.
    pub fn arrival(&self, mut block: BlockId) -> PieceId {
        // Jumps alone may form a ring; then any of them is as good.
        for _ in 0..self.body.blocks.len() {
            let current = &self.body.blocks[block.index()];
            match self.body.instruction(current.first).op {
                Op::Jump { target } if self.is_passed(current) => block = target,
                _ => break,
            }
        }
        self.body.instruction(self.body.blocks[block.index()].first).piece
    }

    fn is_slot(&self, id: InstructionId) -> bool {
        matches!(self.body.instruction(id).op, Op::Alloca { .. })
    }

    /// The function that a call names.
    pub fn callee(&self, operand: &Operand) -> Option<&'a Function> {
        let Operand::Const(id) = operand else { return None };
        match self.module.constant(*id) {
            hydrogen_ir::Const::Function(function) => Some(self.module.function(*function)),
            _ => None,
        }
    }

    /// The name of a stack slot, the same in all versions that name the variable the same.
    pub fn slot_name(&self, slot: InstructionId) -> String {
        let variables = &self.body.variables;
        let Some(at) = variables.iter().position(|variable| variable.slot == Some(slot)) else {
            return format!("slot {}", slot.0);
        };
        let name = &variables[at].name;
        match variables[..at].iter().filter(|other| other.name == *name).count() {
            0 => name.clone(),
            earlier => format!("{name}#{earlier}"),
        }
    }

    /// Whether the operand is a stack slot of one scalar that is only loaded and stored as a whole: a plain variable.
    pub fn scalar_slot(&self, operand: &Operand) -> Option<InstructionId> {
        let &Operand::Instruction(slot) = operand else { return None };
        let Op::Alloca { ty, .. } = self.body.instruction(slot).op else { return None };
        if !matches!(self.module.types.get(ty), Type::Int(1..=64) | Type::Pointer(0)) {
            return None;
        }
        let address = Operand::Instruction(slot);
        let plain = |instruction: &hydrogen_ir::Instruction| match &instruction.op {
            Op::Load { pointer, access } if *pointer == address => instruction.ty == ty && !access.volatile,
            Op::Store { value, pointer, access } if *pointer == address => {
                *value != address && !access.volatile && self.operand_type(value) == Some(ty)
            }
            op => {
                let mut used = false;
                op.references(|reference| {
                    used |= matches!(reference, hydrogen_ir::Reference::Operand(other) if *other == address);
                });
                !used
            }
        };
        self.body.instructions.iter().all(plain).then_some(slot)
    }

    /// The machine type of an operand, where it has one that is understood.
    pub fn operand_type(&self, operand: &Operand) -> Option<hydrogen_ir::TypeId> {
        use hydrogen_ir::Const;
        match operand {
            Operand::Instruction(id) => Some(self.body.instruction(*id).ty),
            Operand::Parameter(n) => self.function.parameters.get(*n as usize)?.ty,
            Operand::Const(id) => match self.module.constant(*id) {
                Const::Int { ty, .. } | Const::Zero(ty) => Some(*ty),
                _ => None,
            },
            Operand::Metadata(_) => None,
        }
    }
}
