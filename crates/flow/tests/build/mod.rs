//! Builds small modules by hand.
#![allow(dead_code)] // Each test program uses a part of it.

use hydrogen_ir::*;

/// A module under construction, with the types that tests use.
pub struct Build {
    pub module: Module,
    pub void: TypeId,
    pub i64: TypeId,
    pub ptr: TypeId,
    /// `{ ptr, i64, ptr }`
    pub triple: TypeId,
    /// Three triples.
    pub row: TypeId,
}

impl Build {
    pub fn new() -> Self {
        let mut types = TypeTable::new();
        let mut add = |ty: Type, bytes: u64, field_offsets: Vec<u64>| {
            let id = types.intern(ty);
            let layout = Layout { size_bits: bytes * 8, alloc_bytes: bytes, align_bytes: 8, field_offsets };
            types.set_layout(id, layout);
            id
        };
        let i64 = add(Type::Int(64), 8, vec![]);
        let ptr = add(Type::Pointer(0), 8, vec![]);
        let fields = Some(vec![ptr, i64, ptr]);
        let body = StructType { name: Some("triple".into()), fields, packed: false };
        let triple = add(Type::Struct(body), 24, vec![0, 8, 16]);
        let row = add(Type::Array { element: triple, len: 3 }, 72, vec![]);
        let void = types.intern(Type::Void);
        Self { module: Module { types, ..Default::default() }, void, i64, ptr, triple, row }
    }

    pub fn constant(&mut self, constant: Const) -> ConstId {
        let known = self.module.constants.iter().position(|other| *other == constant);
        ConstId::at(known.unwrap_or_else(|| {
            self.module.constants.push(constant);
            self.module.constants.len() - 1
        }))
    }

    pub fn int(&mut self, value: i64) -> Operand {
        let ty = self.i64;
        Operand::Const(self.constant(Const::Int { ty, bits: u128::from(value as u64) }))
    }

    pub fn address(&mut self, constant: Const) -> Operand {
        Operand::Const(self.constant(constant))
    }

    pub fn global(&mut self, name: &str, ty: TypeId, initializer: Const) -> GlobalId {
        let initializer = Some(self.constant(initializer));
        self.module.globals.push(Global {
            name: name.into(),
            linkage: Linkage::Internal,
            ty,
            ctype: None,
            initializer,
            constant: false,
            private: false,
            thread_local: false,
            align: 8,
            alias_of: None,
            location: None,
        });
        GlobalId::at(self.module.globals.len() - 1)
    }

    /// Declares a function of pointers.
    pub fn function(&mut self, name: &str, result: TypeId, parameters: &[TypeId]) -> FunctionId {
        let ty = Type::Function { result, parameters: parameters.to_vec(), varargs: false };
        let parameters = parameters.iter().map(|&ty| Parameter { ty: Some(ty), ..Default::default() });
        self.module.functions.push(Function {
            name: name.into(),
            linkage: Linkage::Internal,
            ty: Some(self.module.types.intern(ty)),
            ctype: None,
            signature: String::new(),
            parameters: parameters.collect(),
            no_return: false,
            span: None,
            pieces: Vec::new(),
            flow: Vec::new(),
            fall_through: Vec::new(),
            calls: Vec::new(),
            body: None,
        });
        FunctionId::at(self.module.functions.len() - 1)
    }

    /// Gives a function a body of one block.
    pub fn define(&mut self, function: FunctionId, instructions: Vec<(TypeId, Op)>) {
        let count = instructions.len() as u32;
        let block = Block { label: "entry".into(), first: InstructionId(0), count };
        let instructions = instructions
            .into_iter()
            .map(|(ty, op)| Instruction { ty, op, piece: PieceId(0), location: None })
            .collect();
        self.module.functions[function.index()].body =
            Some(Body { blocks: vec![block], instructions, variables: Vec::new() });
    }

    pub fn call(&mut self, callee: Operand, function: FunctionId, arguments: Vec<Operand>) -> Op {
        let ty = self.module.function(function).ty.expect("functions have types here");
        Op::Call { callee, ty, arguments, attributes: Vec::new() }
    }
}

pub fn load(pointer: Operand) -> Op {
    Op::Load { pointer, access: MemoryAccess::default() }
}

pub fn store(value: Operand, pointer: Operand) -> Op {
    Op::Store { value, pointer, access: MemoryAccess::default() }
}
