//! Statement graphs and bodies.

use super::{Generator, tables::attributes};
use hydrogen_ir::*;

const ROLES: [Role; 17] = [
    Role::Expression,
    Role::Declaration,
    Role::If,
    Role::While,
    Role::DoWhile,
    Role::For,
    Role::ForStep,
    Role::Switch,
    Role::Condition,
    Role::Arm,
    Role::Return,
    Role::Break,
    Role::Continue,
    Role::Goto,
    Role::Asm,
    Role::Config,
    Role::Opaque,
];

/// What the rest of a block may use: values of the entry block and of the block itself.
struct Scope {
    function: usize,
    entry: Vec<(InstructionId, TypeId)>,
    own: Vec<(InstructionId, TypeId)>,
}

impl Generator {
    pub(super) fn define(&mut self, index: usize) {
        let mut function = self.m.functions[index].clone();
        function.signature = self.rng.text();
        function.span = Some(self.span());
        self.graph(&mut function);
        self.m.functions[index] = function;
        if self.rng.chance(85) {
            let body = self.body(index);
            let calls = body.instructions.iter().enumerate().filter_map(|(id, instruction)| {
                let Op::Call { .. } = instruction.op else { return None };
                let id = InstructionId::at(id);
                Some(Call {
                    piece: instruction.piece,
                    callee: Callee::Direct("f".into()),
                    instruction: Some(id),
                })
            });
            self.m.functions[index].calls = calls.collect();
            self.m.functions[index].body = Some(body);
        } else {
            let callee = Callee::Indirect(self.rng.text());
            self.m.functions[index].calls = vec![Call { piece: PieceId(0), callee, instruction: None }];
        }
    }

    fn graph(&mut self, function: &mut Function) {
        let plain = |role| Piece { role, statement: 0, part: 0, text: String::new(), span: None };
        function.pieces = vec![plain(Role::Entry), plain(Role::Exit)];
        let count = 2 + self.rng.below(5);
        for statement in 2..count {
            let piece = Piece {
                role: self.rng.pick(&ROLES),
                statement: statement as u32,
                part: self.rng.below(3) as u32,
                text: self.rng.text(),
                span: self.rng.chance(80).then(|| self.span()),
            };
            function.pieces.push(piece);
        }
        for _ in 0..self.rng.below(8) {
            let kind = match self.rng.below(7) {
                0 => EdgeKind::Next,
                1 => EdgeKind::True,
                2 => EdgeKind::False,
                3 => EdgeKind::Case(self.rng.text()),
                4 => EdgeKind::Default,
                5 => EdgeKind::Indirect,
                _ => EdgeKind::Config(self.rng.text()),
            };
            let from = if self.rng.chance(30) { 0 } else { 2 + self.rng.below(4) };
            let to = 1 + self.rng.below(5);
            if from < count && to < count {
                function.flow.push(FlowEdge { from: PieceId::at(from), to: PieceId::at(to), kind });
            }
        }
        function.flow.sort();
        function.flow.dedup();
        for jump in 2..count {
            if self.rng.chance(20) {
                let next = 1 + self.rng.below(count - 1);
                function.fall_through.push((PieceId::at(jump), PieceId::at(next)));
            }
        }
    }

    fn body(&mut self, index: usize) -> Body {
        let blocks = 1 + self.rng.below(5);
        // Control flow first, for a φ must know the edges.
        let mut scope = Scope { function: index, entry: Vec::new(), own: Vec::new() };
        let terminators: Vec<Op> = (0..blocks).map(|_| self.terminator(&scope, blocks)).collect();
        let mut predecessors = vec![Vec::new(); blocks];
        for (from, terminator) in terminators.iter().enumerate() {
            terminator.successors().iter().for_each(|to| predecessors[to.index()].push(BlockId::at(from)));
        }
        let mut body = Body::default();
        for (block, terminator) in terminators.into_iter().enumerate() {
            let first = InstructionId::at(body.instructions.len());
            scope.own.clear();
            if block > 0 && self.rng.chance(40) {
                let op = self.phi(&predecessors[block]);
                self.push(&mut body, &mut scope, block, (self.t.i32, op));
            }
            for _ in 0..self.rng.below(8) {
                let instruction = self.instruction(&scope);
                self.push(&mut body, &mut scope, block, instruction);
            }
            let void = self.t.void;
            self.push(&mut body, &mut scope, block, (void, terminator));
            let count = body.instructions.len() as u32 - first.0;
            body.blocks.push(Block { label: self.rng.text(), first, count });
        }
        for index in 0..self.rng.below(3) {
            let kind = [VariableKind::Parameter(0), VariableKind::Local, VariableKind::Inner][index % 3];
            let slot = InstructionId::at(self.rng.below(body.instructions.len()));
            let slot = self.rng.chance(50).then_some(slot);
            let (name, ctype, location) = (self.rng.text(), self.ctype(), self.location());
            let begins =
                self.rng.chance(50).then(|| InstructionId::at(self.rng.below(body.instructions.len())));
            let first = self.rng.below(body.instructions.len());
            let count = 1 + self.rng.below(body.instructions.len() - first) as u32;
            let block = vec![Run { first: InstructionId::at(first), count }; self.rng.below(2)];
            body.variables.push(Variable { name, ctype, kind, slot, location, begins, block });
        }
        body
    }

    fn push(&mut self, body: &mut Body, scope: &mut Scope, block: usize, (ty, op): (TypeId, Op)) {
        let id = InstructionId::at(body.instructions.len());
        let pieces = self.m.functions[scope.function].pieces.len();
        let (piece, location) = (PieceId::at(self.rng.below(pieces)), self.location());
        let value = !op.is_terminator();
        body.instructions.push(Instruction { ty, op, piece, location });
        if value {
            if block == 0 { &mut scope.entry } else { &mut scope.own }.push((id, ty));
        }
    }

    /// An operand of this type.
    fn operand(&mut self, scope: &Scope, ty: TypeId) -> Operand {
        let of_type = |values: &[(InstructionId, TypeId)]| {
            values.iter().filter(|value| value.1 == ty).map(|value| value.0).collect::<Vec<_>>()
        };
        let mut values = of_type(&scope.entry);
        values.extend(of_type(&scope.own));
        let parameters = &self.m.functions[scope.function].parameters;
        let parameter = parameters.iter().position(|parameter| parameter.ty == Some(ty));
        match (self.rng.below(3), parameter) {
            (0, Some(index)) => Operand::Parameter(index as u32),
            (1, _) if !values.is_empty() => Operand::Instruction(self.rng.pick(&values)),
            _ => Operand::Const(self.constant_of(ty)),
        }
    }

    fn phi(&mut self, predecessors: &[BlockId]) -> Op {
        let mut incoming: Vec<(BlockId, Operand)> = Vec::new();
        for &block in predecessors {
            let known = incoming.iter().find(|(other, _)| *other == block).map(|(_, value)| value.clone());
            let value = known.unwrap_or_else(|| Operand::Const(self.constant_of(self.t.i32)));
            incoming.push((block, value));
        }
        Op::Phi { incoming }
    }

    fn asm(&mut self) -> InlineAsm {
        InlineAsm {
            template: self.rng.text(),
            constraints: self.rng.text(),
            side_effects: self.rng.chance(50),
        }
    }

    fn terminator(&mut self, scope: &Scope, blocks: usize) -> Op {
        let t = self.t;
        let result = match self.m.functions[scope.function].ty.map(|ty| self.m.types.get(ty)) {
            Some(Type::Function { result, .. }) => *result,
            _ => t.void,
        };
        let kind = if blocks == 1 { self.rng.below(2) } else { self.rng.below(8) };
        // Nothing may lead back to the entry.
        let mut target = || BlockId::at(1 + self.rng.below(blocks.max(2) - 1));
        let (one, two, three) = (target(), target(), target());
        match kind {
            0 => Op::Unreachable,
            1 => {
                let value = (result != t.void).then(|| self.operand(scope, result));
                Op::Return { value }
            }
            2 => Op::Jump { target: one },
            3 => Op::Branch { condition: self.operand(scope, t.i1), then: one, otherwise: two },
            4 => {
                let cases = [two, three].map(|target| Case { value: self.constant_of(t.i32), target });
                Op::Switch { value: self.operand(scope, t.i32), default: one, cases: cases.into() }
            }
            5 => Op::IndirectJump { address: self.operand(scope, t.ptr), targets: vec![one, two] },
            6 => {
                let ty = self.m.types.intern(Type::Function {
                    result: t.void,
                    parameters: vec![t.i32],
                    varargs: false,
                });
                let arguments = vec![self.operand(scope, t.i32)];
                Op::AsmBranch { asm: self.asm(), ty, arguments, next: one, targets: vec![two] }
            }
            _ => {
                let operands = vec![self.operand(scope, t.ptr)];
                Op::OpaqueTerminator { name: self.rng.text(), operands, targets: vec![one, three] }
            }
        }
    }

    fn instruction(&mut self, scope: &Scope) -> (TypeId, Op) {
        use AtomicOrdering::*;
        use BinaryOp::*;
        let t = self.t;
        let fast = FastMath(if self.rng.chance(20) { self.rng.below(128) as u32 } else { 0 });
        let mut bit = || self.rng.chance(20);
        let flags = WrapFlags { nuw: bit(), nsw: bit(), exact: bit(), other: bit() };
        let orderings =
            [NotAtomic, Unordered, Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent];
        let ordering = self.rng.pick(&orderings);
        let access =
            MemoryAccess { align: self.rng.pick(&[0, 1, 8]), volatile: self.rng.chance(20), ordering };
        let any = self.rng.pick(&[t.i8, t.i32, t.i64, t.wide, t.double, t.ptr, t.record, t.vector, t.ints]);
        macro_rules! value {
            ($ty:expr) => {
                self.operand(scope, $ty)
            };
        }
        match self.rng.below(23) {
            0 => (t.double, Op::Unary { op: UnaryOp::FNeg, value: value!(t.double), fast }),
            1 => {
                let op = self.rng.pick(&[
                    Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor, FAdd, FSub, FMul,
                    FDiv, FRem,
                ]);
                (any, Op::Binary { op, left: value!(any), right: value!(any), flags, fast })
            }
            2 => {
                use IntPredicate::*;
                let predicate = self.rng.pick(&[Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle]);
                (t.i1, Op::IntCompare { predicate, left: value!(any), right: value!(any) })
            }
            3 => {
                use FloatPredicate::*;
                let all = [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Uno, Ueq, Ugt, Uge, Ult, Ule, Une, True];
                let predicate = self.rng.pick(&all);
                let (left, right) = (value!(t.double), value!(t.double));
                (t.i1, Op::FloatCompare { predicate, left, right, fast })
            }
            4 => {
                use CastOp::*;
                let op = self.rng.pick(&[
                    Trunc,
                    ZExt,
                    SExt,
                    FpToUi,
                    FpToSi,
                    UiToFp,
                    SiToFp,
                    FpTrunc,
                    FpExt,
                    PtrToInt,
                    IntToPtr,
                    BitCast,
                    AddrSpaceCast,
                ]);
                (any, Op::Cast { op, value: value!(t.i32), flags })
            }
            5 => (t.ptr, Op::Alloca { ty: any, count: value!(t.i32), align: access.align }),
            6 => (any, Op::Load { pointer: value!(t.ptr), access }),
            7 => (t.void, Op::Store { value: value!(any), pointer: value!(t.ptr), access }),
            8 => {
                let indices = vec![value!(t.i32), value!(t.i64)];
                let (source, base, inbounds) = (any, value!(t.ptr), self.rng.chance(50));
                (t.ptr, Op::ElementAddress { source, base, indices, inbounds })
            }
            9 => {
                let (then, otherwise) = (value!(any), value!(any));
                (any, Op::Select { condition: value!(t.i1), then, otherwise, fast })
            }
            10 => (t.i32, Op::ExtractValue { aggregate: value!(t.record), indices: vec![0] }),
            11 => {
                let (aggregate, value) = (value!(t.record), value!(t.i32));
                (t.record, Op::InsertValue { aggregate, value, indices: vec![0, 7] })
            }
            12 => (t.i32, Op::ExtractElement { vector: value!(t.vector), index: value!(t.i32) }),
            13 => {
                let (vector, value, index) = (value!(t.vector), value!(t.i32), value!(t.i64));
                (t.vector, Op::InsertElement { vector, value, index })
            }
            14 => {
                let (left, right) = (value!(t.vector), value!(t.vector));
                (t.vector, Op::ShuffleVector { left, right, mask: vec![0, -1, i32::MAX, i32::MIN] })
            }
            15 | 16 => {
                let function = FunctionId::at(self.rng.below(self.m.functions.len()));
                let ty = self.m.function(function).ty.expect("every generated function has a type");
                let Type::Function { result, parameters, varargs } = self.m.types.get(ty).clone() else {
                    unreachable!("a function has a function's type")
                };
                let mut arguments: Vec<Operand> = parameters.iter().map(|&ty| value!(ty)).collect();
                if varargs {
                    arguments.push(value!(t.i64));
                }
                let attributes = match self.rng.chance(50) {
                    true => arguments.iter().map(|_| attributes(&mut self.rng, t.record)).collect(),
                    false => Vec::new(),
                };
                let callee = match self.rng.chance(70) {
                    true => Operand::Const(self.constant(Const::Function(function))),
                    false => value!(t.ptr),
                };
                (result, Op::Call { callee, ty, arguments, attributes })
            }
            17 => {
                let parameters = vec![t.metadata];
                let ty = Type::Function { result: t.i32, parameters, varargs: false };
                let ty = self.m.types.intern(ty);
                let arguments = vec![Operand::Metadata(self.rng.text())];
                match self.rng.chance(50) {
                    true => (t.i32, Op::Asm { asm: self.asm(), ty, arguments }),
                    false => {
                        let callee = value!(t.ptr);
                        (t.i32, Op::Call { callee, ty, arguments, attributes: Vec::new() })
                    }
                }
            }
            18 => (any, Op::VaArg { list: value!(t.ptr) }),
            19 => (t.void, Op::Fence { ordering }),
            20 => {
                let (pointer, expected, new) = (value!(t.ptr), value!(t.i32), value!(t.i32));
                let (failure, weak) = (self.rng.pick(&orderings), self.rng.chance(50));
                (t.pair, Op::CompareExchange { pointer, expected, new, access, failure, weak })
            }
            21 => {
                use RmwOp as R;
                let op = self.rng.pick(&[
                    R::Xchg,
                    R::Add,
                    R::Sub,
                    R::And,
                    R::Nand,
                    R::Or,
                    R::Xor,
                    R::Max,
                    R::Min,
                    R::UMax,
                    R::UMin,
                    R::FAdd,
                    R::FSub,
                    R::FMax,
                    R::FMin,
                    R::UIncWrap,
                    R::UDecWrap,
                    R::Other,
                ]);
                (t.i32, Op::AtomicRmw { op, pointer: value!(t.ptr), value: value!(t.i32), access })
            }
            _ => match self.rng.chance(50) {
                true => (any, Op::Freeze { value: value!(any) }),
                false => (any, Op::Opaque { name: self.rng.text(), operands: vec![value!(any)] }),
            },
        }
    }
}
