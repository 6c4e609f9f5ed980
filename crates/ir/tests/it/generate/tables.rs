//! C types, symbols and constants.

use super::Generator;
use hydrogen_ir::*;

const LINKAGES: [Linkage; 4] =
    [Linkage::External, Linkage::Internal, Linkage::Mergeable, Linkage::AvailableExternally];

impl Generator {
    pub(super) fn tables(&mut self) {
        self.ctypes();
        let t = self.t;
        let signatures = [
            (t.i32, vec![t.i32, t.ptr], false),
            (t.i32, vec![t.ptr], true),
            (t.void, vec![], false),
            (t.double, vec![t.double, t.i64, t.wide], false),
            (t.record, vec![t.ptr, t.record, t.vector, t.bytes], false),
        ];
        for index in 0..1 + self.rng.below(5) {
            let (result, parameters, varargs) = signatures[self.rng.below(signatures.len())].clone();
            let function = Type::Function { result, parameters: parameters.clone(), varargs };
            let ty = self.m.types.intern(function);
            let name = if self.rng.chance(50) { self.rng.text() } else { format!("f{index}") };
            let parameters = parameters.into_iter().map(|ty| Parameter {
                name: self.rng.text(),
                ty: Some(ty),
                attributes: attributes(&mut self.rng, t.record),
            });
            let parameters = parameters.collect();
            let function = Function {
                name,
                linkage: self.rng.pick(&LINKAGES),
                ty: Some(ty),
                ctype: self.ctype(),
                signature: String::new(),
                parameters,
                no_return: self.rng.chance(10),
                span: None,
                pieces: Vec::new(),
                flow: Vec::new(),
                fall_through: Vec::new(),
                calls: Vec::new(),
                body: None,
            };
            self.m.functions.push(function);
        }
        for index in 0..1 + self.rng.below(5) {
            let global = Global {
                name: if self.rng.chance(50) { self.rng.text() } else { format!("g{index}") },
                linkage: self.rng.pick(&LINKAGES),
                ty: self.rng.pick(&[t.i32, t.ptr, t.bytes, t.ints, t.record, t.wide]),
                ctype: self.ctype(),
                initializer: None,
                constant: self.rng.chance(30),
                private: self.rng.chance(30),
                thread_local: self.rng.chance(10),
                align: self.rng.pick(&[0, 1, 4, 16]),
                alias_of: None,
                location: self.location(),
            };
            self.m.globals.push(global);
        }
    }

    /// Initial values; last, for label addresses need blocks.
    pub(super) fn globals(&mut self) {
        for index in 0..self.m.globals.len() {
            let ty = self.m.globals[index].ty;
            match self.rng.below(4) {
                0 => {}
                1 => {
                    let target = self.constant(Const::Global(GlobalId::at(index)));
                    self.m.globals[index].alias_of = Some(target);
                }
                _ => self.m.globals[index].initializer = Some(self.constant_of(ty)),
            }
        }
    }

    fn ctypes(&mut self) {
        let encodings = [
            Encoding::Signed,
            Encoding::Unsigned,
            Encoding::Boolean,
            Encoding::Float,
            Encoding::Complex,
            Encoding::Other,
        ];
        let some = |id| CTypeId(id);
        let name = |this: &mut Self| this.rng.chance(50).then(|| this.rng.text());
        let encoding = self.rng.pick(&encodings);
        let kind = self.rng.pick(&[RecordKind::Struct, RecordKind::Union, RecordKind::Class]);
        let member = |this: &mut Self, ty: u32| Member {
            name: this.rng.text(),
            ty: some(ty),
            offset_bits: this.rng.next() >> 40,
            size_bits: 3,
            bit_field: this.rng.chance(50),
        };
        let members = vec![member(self, 1), member(self, 3)];
        let values = [i128::MIN, -1, 0, i128::MAX].map(|value| Enumerator { name: self.rng.text(), value });
        self.m.ctypes = vec![
            CType::Void,
            CType::Basic { name: self.rng.text(), size_bits: 32, encoding },
            CType::Pointer(some(3)),
            CType::Record { kind, name: name(self), size_bits: 64, members },
            CType::Array { element: some(1), lengths: vec![Some(3), None] },
            CType::Enum { name: name(self), size_bits: 32, values: values.into() },
            CType::Typedef { name: self.rng.text(), target: some(1) },
            CType::Qualified { qualifier: "const".into(), target: some(6) },
            CType::Function { result: some(1), parameters: vec![some(2)], varargs: self.rng.chance(50) },
            CType::Function { result: some(0), parameters: vec![], varargs: self.rng.chance(50) },
            CType::Record { kind, name: None, size_bits: 0, members: vec![] },
        ];
    }

    /// A constant of this type.
    pub(super) fn constant_of(&mut self, ty: TypeId) -> ConstId {
        let constant = match self.rng.below(8) {
            0 => Const::Zero(ty),
            1 => Const::Undef(ty),
            2 => Const::Poison(ty),
            _ => self.rich_constant(ty),
        };
        self.constant(constant)
    }

    fn rich_constant(&mut self, ty: TypeId) -> Const {
        match self.m.types.get(ty).clone() {
            Type::Int(width) if width > 128 => {
                Const::WideInt { ty, words: (0..4).map(|_| self.rng.next()).collect() }
            }
            Type::Int(width) => {
                let bits = u128::from(self.rng.next()) & ((1u128 << width) - 1);
                if width == 64 && self.rng.chance(30) {
                    let address = self.constant_of(self.t.ptr);
                    return Const::Expr { ty, expr: ConstExpr::Cast(CastOp::PtrToInt, address) };
                }
                if width == 32 && self.rng.chance(20) {
                    let (left, right) = (self.constant_of(ty), self.constant_of(ty));
                    return Const::Expr { ty, expr: ConstExpr::Binary(BinaryOp::Sub, left, right) };
                }
                Const::Int { ty, bits }
            }
            Type::Float(_) => Const::Float { ty, bits: self.rng.next().into() },
            Type::Pointer(_) => self.address(ty),
            Type::Array { element, len } if element == self.t.i8 => {
                Const::Bytes { ty, data: (0..len).map(|_| self.rng.next() as u8).collect() }
            }
            Type::Array { element, len } => {
                Const::Aggregate { ty, elements: (0..len).map(|_| self.constant_of(element)).collect() }
            }
            Type::Vector { element, len, .. } => {
                Const::Aggregate { ty, elements: (0..len).map(|_| self.constant_of(element)).collect() }
            }
            Type::Struct(StructType { fields: Some(fields), .. }) => Const::Aggregate {
                ty,
                elements: fields.iter().map(|&field| self.constant_of(field)).collect(),
            },
            _ => Const::Zero(ty),
        }
    }

    fn address(&mut self, ty: TypeId) -> Const {
        let function = FunctionId::at(self.rng.below(self.m.functions.len()));
        let global = GlobalId::at(self.rng.below(self.m.globals.len()));
        match self.rng.below(5) {
            0 => Const::Function(function),
            1 if self.m.function(function).body.is_some() => {
                Const::BlockAddress { function, block: BlockId(0) }
            }
            2 => {
                let base = self.constant(Const::Global(global));
                let zero = Const::Int { ty: self.t.i32, bits: 0 };
                let indices = vec![self.constant(zero), self.constant_of(self.t.i32)];
                let (source, inbounds) = (self.t.record, self.rng.chance(50));
                Const::Expr { ty, expr: ConstExpr::ElementAddress { source, base, indices, inbounds } }
            }
            3 => {
                let base = self.constant(Const::Global(global));
                Const::Expr { ty, expr: ConstExpr::Other(self.rng.text(), vec![base]) }
            }
            _ => Const::Global(global),
        }
    }
}

pub(super) fn attributes(rng: &mut crate::rng::Rng, ty: TypeId) -> ParameterAttributes {
    ParameterAttributes {
        by_value: rng.chance(10).then_some(ty),
        struct_return: rng.chance(10).then_some(ty),
        sign_extend: rng.chance(10),
        zero_extend: rng.chance(10),
    }
}
