//! Whether a statement of both versions differs only by how its types are laid out: members that moved, sizes, alignments. Such a
//! statement does what it did, with other bytes.

use hydrogen_ir::{
    CType, Const, ConstId, Function, GlobalId, Instruction, InstructionId, Module, Op, Operand, Reference,
    ReferenceMut, StructType, Type, TypeId, layout,
};

/// Types and constants inside of each other; beyond, nothing is claimed.
const DEEPEST: u32 = 50;

/// A piece of a function of one version.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'m> {
    pub(crate) module: &'m Module,
    pub(crate) function: &'m Function,
    /// Its number in the function.
    pub(crate) number: usize,
}

impl<'m> Piece<'m> {
    fn text(&self) -> &'m str {
        self.function.pieces.get(self.number).map_or("", |piece| piece.text.as_str())
    }

    /// Its instructions, without jumps to what follows.
    pub(crate) fn instructions(&self) -> Vec<InstructionId> {
        let all = self.function.body.as_ref().map_or(&[][..], |body| body.instructions.as_slice());
        let own = all.iter().enumerate().filter(|(_, one)| one.piece.index() == self.number);
        own.filter(|(_, one)| !matches!(one.op, Op::Jump { .. }))
            .map(|(at, _)| InstructionId::at(at))
            .collect()
    }

    pub(crate) fn instruction(&self, id: InstructionId) -> Option<&'m Instruction> {
        self.function.body.as_ref()?.instructions.get(id.index())
    }

    /// The variable that an instruction makes.
    fn variable(&self, id: InstructionId) -> Option<&'m str> {
        let variables = &self.function.body.as_ref()?.variables;
        variables.iter().find(|variable| variable.slot == Some(id)).map(|variable| variable.name.as_str())
    }
}

/// Whether two pieces with the same words are the same but for layouts.
pub(crate) fn only_laid_out(one: Piece<'_>, two: Piece<'_>) -> bool {
    let ids = [one.instructions(), two.instructions()];
    ids[0].len() == ids[1].len() && ids[0].iter().zip(&ids[1]).all(|(a, b)| alike(one, two, &ids, *a, *b))
}

fn alike(
    one: Piece<'_>,
    two: Piece<'_>,
    ids: &[Vec<InstructionId>; 2],
    a: InstructionId,
    b: InstructionId,
) -> bool {
    let (Some(first), Some(second)) = (one.instruction(a), two.instruction(b)) else { return false };
    if skeleton(&first.op) != skeleton(&second.op)
        || !types(one.module, first.ty, two.module, second.ty, 0)
        || references(&first.op).len() != references(&second.op).len()
    {
        return false;
    }
    // The number of a member is a matter of layout, its name is not.
    let member =
        match [(one.module, &first.op), (two.module, &second.op)].map(|(module, op)| member(module, op)) {
            [Some(one), Some(two)] => one == two,
            [None, None] => false,
            _ => return false,
        };
    let sized = one.text().contains("sizeof")
        || [(one, first), (two, second)].iter().all(|(it, op)| moves(it.module, &op.op));
    references(&first.op).into_iter().zip(references(&second.op)).all(|pair| match pair {
        (Reference::Type(a), Reference::Type(b)) => types(one.module, *a, two.module, *b, 0),
        (Reference::Const(a), Reference::Const(b)) => constants(one.module, *a, two.module, *b, 0),
        (Reference::Operand(a), Reference::Operand(b)) => match (a, b) {
            (Operand::Const(a), Operand::Const(b)) => {
                let number = |module: &Module, id: ConstId| matches!(module.constant(id), Const::Int { .. });
                let excused = (member || sized) && number(one.module, *a) && number(two.module, *b);
                excused || constants(one.module, *a, two.module, *b, 0)
            }
            (Operand::Instruction(a), Operand::Instruction(b)) => {
                let rank = |side: usize, id: &InstructionId| ids[side].iter().position(|one| one == id);
                rank(0, a) == rank(1, b) && one.variable(*a) == two.variable(*b)
            }
            (a, b) => a == b,
        },
        (Reference::Block(_), Reference::Block(_)) | (Reference::CType(_), Reference::CType(_)) => true,
        _ => false,
    })
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
fn moves(module: &Module, op: &Op) -> bool {
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

/// The member that an operation computes the address of, by the names of the structure and its own.
fn member(module: &Module, op: &Op) -> Option<(String, String)> {
    let Op::ElementAddress { source, indices, .. } = op else { return None };
    let Type::Struct(StructType { name: Some(name), .. }) = module.types.get(*source) else { return None };
    let [_, Operand::Const(index)] = indices.as_slice() else { return None };
    let Const::Int { bits, .. } = module.constant(*index) else { return None };
    let offset = *module.types.layout(*source)?.field_offsets.get(*bits as usize)?;
    let tag = name.split_once('.').map_or(name.as_str(), |(_, tag)| tag);
    let record = module.ctypes.iter().find_map(|ctype| match ctype {
        CType::Record { name: Some(name), members, size_bits, .. } if name == tag && *size_bits > 0 => {
            Some(members)
        }
        CType::Typedef { name, target } if name == tag => {
            match module.ctype(layout::plain(module, *target)) {
                CType::Record { members, size_bits, .. } if *size_bits > 0 => Some(members),
                _ => None,
            }
        }
        _ => None,
    })?;
    let own = record.iter().find(|member| member.offset_bits == offset * 8 && !member.bit_field)?;
    Some((name.clone(), own.name.clone()))
}

/// Whether two types are the same, structures by their names.
fn types(one: &Module, a: TypeId, two: &Module, b: TypeId, depth: u32) -> bool {
    let inner = |a: &TypeId, b: &TypeId| types(one, *a, two, *b, depth + 1);
    let all = |a: &[TypeId], b: &[TypeId]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| inner(a, b));
    depth < DEEPEST
        && match (one.types.get(a), two.types.get(b)) {
            (Type::Struct(a), Type::Struct(b)) => match (&a.name, &b.name) {
                (Some(a), Some(b)) => a == b,
                (None, None) => all(a.fields.as_deref().unwrap_or(&[]), b.fields.as_deref().unwrap_or(&[])),
                _ => false,
            },
            (Type::Array { element: a, len: x }, Type::Array { element: b, len: y }) => x == y && inner(a, b),
            (
                Type::Function { result: a, parameters: x, varargs: v },
                Type::Function { result: b, parameters: y, varargs: w },
            ) => v == w && inner(a, b) && all(x, y),
            (Type::Vector { element: a, len: x, .. }, Type::Vector { element: b, len: y, .. }) => {
                x == y && inner(a, b)
            }
            (a, b) => a == b,
        }
}

/// Whether two constants are the same, private variables by what they hold.
fn constants(one: &Module, a: ConstId, two: &Module, b: ConstId, depth: u32) -> bool {
    let blank = |module: &Module, id: ConstId| {
        let mut skeleton = module.constant(id).clone();
        skeleton.references_mut(|reference| match reference {
            ReferenceMut::Type(id) => *id = TypeId(0),
            ReferenceMut::Const(id) => *id = ConstId(0),
            ReferenceMut::Global(id) => *id = GlobalId(0),
            ReferenceMut::Function(id) => *id = hydrogen_ir::FunctionId(0),
            _ => {}
        });
        skeleton
    };
    if depth >= DEEPEST || blank(one, a) != blank(two, b) {
        return false;
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    one.constant(a).references(|reference| first.push(reference));
    two.constant(b).references(|reference| second.push(reference));
    first.len() == second.len()
        && first.into_iter().zip(second).all(|pair| match pair {
            (Reference::Type(a), Reference::Type(b)) => types(one, *a, two, *b, 0),
            (Reference::Const(a), Reference::Const(b)) => constants(one, *a, two, *b, depth + 1),
            (Reference::Function(a), Reference::Function(b)) => {
                one.function(*a).name == two.function(*b).name
            }
            (Reference::Global(a), Reference::Global(b)) => {
                let (a, b) = (one.global(*a), two.global(*b));
                match (a.initializer, b.initializer) {
                    (Some(x), Some(y)) if a.private && b.private => constants(one, x, two, y, depth + 1),
                    _ => a.name == b.name,
                }
            }
            _ => false,
        })
}
