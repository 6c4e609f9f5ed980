//! Whether code of both versions differs only by how its types are laid out: members that moved, sizes, alignments. Such code does what it did, with
//! other bytes.

use crate::words::{Records, constant, path, type_word};
use hydrogen_ir::{
    Const, ConstId, Function, Instruction, InstructionId, Module, Op, Operand, Reference, ReferenceMut,
    TypeId,
};

/// A piece of a function of one version.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'m> {
    /// The module that the function is in.
    pub module: &'m Module,
    /// The function.
    pub function: &'m Function,
    /// The number of the piece in the function.
    pub number: usize,
}

impl<'m> Piece<'m> {
    fn text(&self) -> &'m str {
        self.function.pieces.get(self.number).map_or("", |piece| piece.text.as_str())
    }

    /// Its instructions, without jumps to what follows.
    pub fn instructions(&self) -> Vec<InstructionId> {
        let all = self.function.body.as_ref().map_or(&[][..], |body| body.instructions.as_slice());
        let own = all.iter().enumerate().filter(|(_, one)| one.piece.index() == self.number);
        own.filter(|(_, one)| !matches!(one.op, Op::Jump { .. }))
            .map(|(at, _)| InstructionId::at(at))
            .collect()
    }

    /// An instruction of the function.
    pub fn instruction(&self, id: InstructionId) -> Option<&'m Instruction> {
        self.function.body.as_ref()?.instructions.get(id.index())
    }

    /// The variable that an instruction makes.
    fn variable(&self, id: InstructionId) -> Option<&'m str> {
        let variables = &self.function.body.as_ref()?.variables;
        variables.iter().find(|variable| variable.slot == Some(id)).map(|variable| variable.name.as_str())
    }
}

/// Whether two pieces with the same words are the same but for layouts; sizes that they name are layouts, too.
pub fn only_laid_out(one: Piece<'_>, two: Piece<'_>) -> bool {
    let ids = [one.instructions(), two.instructions()];
    let rank = |side: usize, id: InstructionId| ids[side].iter().position(|one| *one == id);
    let reader = Reader::of(one.module, two.module, false);
    let names_sizes = one.text().contains("sizeof");
    ids[0].len() == ids[1].len()
        && ids[0].iter().zip(&ids[1]).all(|(a, b)| {
            let (Some(first), Some(second)) = (one.instruction(*a), two.instruction(*b)) else {
                return false;
            };
            let is_sized = names_sizes
                || [(one, first), (two, second)].iter().all(|(it, one)| moves_bytes(it.module, &one.op));
            let same = |a, b| rank(0, a) == rank(1, b) && one.variable(a) == two.variable(b);
            reader.are_alike(first, second, is_sized, &same)
        })
}

/// Whether two functions have the same instructions in the same places, with members by their names, and steps over what is as large.
pub fn same_but_for_layouts(one: (&Module, &Function), two: (&Module, &Function)) -> bool {
    let (Some(a), Some(b)) = (&one.1.body, &two.1.body) else { return false };
    let reader = Reader::of(one.0, two.0, true);
    let blocks = |body: &hydrogen_ir::Body| {
        body.blocks.iter().map(|block| (block.first, block.count)).collect::<Vec<_>>()
    };
    blocks(a) == blocks(b)
        && a.instructions.len() == b.instructions.len()
        && a.instructions.iter().zip(&b.instructions).all(|(first, second)| {
            reader.are_alike(first, second, false, &|a, b| a == b)
                && step(one.0, &first.op) == step(two.0, &second.op)
        })
}

/// How much an address is moved by each number of its first index, if it is moved.
fn step(module: &Module, op: &Op) -> Option<u64> {
    let Op::ElementAddress { source, indices, .. } = op else { return None };
    let stays = matches!(indices.first(), Some(Operand::Const(id))
        if matches!(module.constant(*id), Const::Zero(_) | Const::Int { bits: 0, .. }));
    (!stays).then(|| module.types.layout(*source).map(|layout| layout.alloc_bytes))?
}

/// Compares what two modules say.
struct Reader<'m> {
    modules: [&'m Module; 2],
    records: [Records; 2],
    /// Whether whole functions are compared.
    whole: bool,
}

impl<'m> Reader<'m> {
    fn of(one: &'m Module, two: &'m Module, whole: bool) -> Self {
        let modules = [one, two];
        Self { modules, records: modules.map(Records::of), whole }
    }

    /// Whether two instructions do the same; `same` says so of values that they use.
    fn are_alike(
        &self,
        first: &Instruction,
        second: &Instruction,
        is_sized: bool,
        same: &dyn Fn(InstructionId, InstructionId) -> bool,
    ) -> bool {
        if skeleton(&first.op) != skeleton(&second.op) || !self.types(first.ty, second.ty) {
            return false;
        }
        // The number of a member is a matter of layout, its name is not.
        let leads = matches!(first.op, Op::ElementAddress { .. });
        if leads && self.way(0, &first.op) != self.way(1, &second.op) {
            return false;
        }
        let (one, other) = (references(&first.op), references(&second.op));
        one.len() == other.len()
            && one.into_iter().zip(other).all(|pair| match pair {
                (Reference::Type(a), Reference::Type(b)) => self.types(*a, *b),
                (Reference::Const(a), Reference::Const(b)) => self.constants(*a, *b),
                (Reference::Operand(a), Reference::Operand(b)) => match (a, b) {
                    (Operand::Const(a), Operand::Const(b)) => {
                        let number = |side: usize, id: ConstId| {
                            matches!(self.modules[side].constant(id), Const::Int { .. })
                        };
                        let excused = (leads || is_sized) && number(0, *a) && number(1, *b);
                        excused || self.constants(*a, *b)
                    }
                    (Operand::Instruction(a), Operand::Instruction(b)) => same(*a, *b),
                    (a, b) => a == b,
                },
                // Where a piece goes on is told by the graph.
                (Reference::Block(a), Reference::Block(b)) => !self.whole || a == b,
                (Reference::CType(_), Reference::CType(_)) => true,
                _ => false,
            })
    }

    fn types(&self, a: TypeId, b: TypeId) -> bool {
        type_word(self.modules[0], a) == type_word(self.modules[1], b)
    }

    fn constants(&self, a: ConstId, b: ConstId) -> bool {
        let word = |side: usize, id: ConstId| {
            let mut out = String::new();
            constant(self.modules[side], &self.records[side], id, 0, &mut out);
            out
        };
        word(0, a) == word(1, b)
    }

    /// The way that an address is moved, with members by name and constant indices as they are.
    fn way(&self, side: usize, op: &Op) -> String {
        let mut out = String::new();
        if let Op::ElementAddress { source, indices, .. } = op {
            let (module, records) = (self.modules[side], &self.records[side]);
            let index = |one: &Operand, out: &mut String| match one {
                Operand::Const(id) => constant(module, records, *id, 0, out),
                _ => out.push_str(" value"),
            };
            path(module, records, *source, indices, index, &mut out);
        }
        out
    }
}

fn references(op: &Op) -> Vec<Reference<'_>> {
    let mut all = Vec::new();
    op.references(|reference| all.push(reference));
    all
}

/// An operation without what it refers to, and without alignments.
fn skeleton(op: &Op) -> Op {
    let mut skeleton = op.clone();
    skeleton.references_mut(|reference| match reference {
        ReferenceMut::Operand(operand) => *operand = Operand::Parameter(0),
        ReferenceMut::Type(id) => *id = TypeId(0),
        ReferenceMut::Const(id) => *id = ConstId(0),
        ReferenceMut::Block(id) => *id = hydrogen_ir::BlockId(0),
        ReferenceMut::CType(id) => *id = hydrogen_ir::CTypeId(0),
        _ => {}
    });
    match &mut skeleton {
        Op::Load { access, .. } | Op::Store { access, .. } => access.align = 0,
        Op::Alloca { align, .. } => *align = 0,
        _ => {}
    }
    skeleton
}

/// Whether an operation copies or fills memory by a function of the compiler's own, which is told sizes.
fn moves_bytes(module: &Module, op: &Op) -> bool {
    let mut found = false;
    op.references(|reference| {
        if let Reference::Operand(Operand::Const(id)) = reference
            && let Const::Function(id) = module.constant(*id)
        {
            found |= module.function(*id).name.starts_with("llvm.mem");
        }
    });
    found
}
