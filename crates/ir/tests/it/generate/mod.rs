//! Random well-formed modules with every kind of type, constant and instruction.

mod body;
mod tables;

use crate::rng::Rng;
use hydrogen_ir::*;
use std::collections::HashMap;

/// The module of a seed.
pub fn module(seed: u64) -> Module {
    let mut generator = Generator::new(seed);
    generator.tables();
    for index in 0..generator.m.functions.len() {
        if generator.rng.chance(60) {
            generator.define(index);
        }
    }
    generator.globals();
    generator.m
}

pub struct Generator {
    rng: Rng,
    m: Module,
    constants: HashMap<Const, ConstId>,
    t: Types,
}

/// The types that instructions ask for by name.
#[derive(Clone, Copy)]
struct Types {
    void: TypeId,
    i1: TypeId,
    i8: TypeId,
    i32: TypeId,
    i64: TypeId,
    wide: TypeId,
    double: TypeId,
    ptr: TypeId,
    bytes: TypeId,
    ints: TypeId,
    vector: TypeId,
    record: TypeId,
    pair: TypeId,
    metadata: TypeId,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut m = Module::default();
        let mut rng = Rng::new(seed);
        m.name = rng.text();
        m.target = rng.text();
        m.files = (0..1 + rng.below(3)).map(|_| rng.text()).collect();
        if rng.chance(20) {
            m.assembly = rng.text();
        }
        // Sometimes a table starts with entries that push the usual ids up.
        if rng.chance(50) {
            m.types.intern(Type::Other("label".into()));
            m.types.intern(Type::Pointer(3));
            m.types.declare("struct.later".into());
        }
        let mut sized = |ty: Type, bits: u64, align: u32| {
            let id = m.types.intern(ty);
            let layout = Layout {
                size_bits: bits,
                alloc_bytes: bits.div_ceil(8).next_multiple_of(align.into()),
                align_bytes: align,
                field_offsets: Vec::new(),
            };
            m.types.set_layout(id, layout);
            id
        };
        let i1 = sized(Type::Int(1), 1, 1);
        let i8 = sized(Type::Int(8), 8, 1);
        let i32 = sized(Type::Int(32), 32, 4);
        let i64 = sized(Type::Int(64), 64, 8);
        let wide = sized(Type::Int(200), 200, 8);
        let double = sized(Type::Float(FloatKind::Double), 64, 8);
        let ptr = sized(Type::Pointer(0), 64, 8);
        let bytes = sized(Type::Array { element: i8, len: 4 }, 32, 1);
        let ints = sized(Type::Array { element: i32, len: 3 }, 96, 4);
        let vector = sized(Type::Vector { element: i32, len: 4, scalable: false }, 128, 16);
        let void = m.types.intern(Type::Void);
        m.types.intern(Type::Vector { element: i64, len: 2, scalable: true });
        m.types.intern(Type::Float(FloatKind::X86Fp80));
        let record = m.types.declare("struct.foo \"bar\"".into());
        m.types.define(record, vec![i32, ptr], rng.chance(20));
        m.types.set_layout(
            record,
            Layout { size_bits: 128, alloc_bytes: 16, align_bytes: 8, field_offsets: vec![0, 8] },
        );
        let pair = StructType { name: None, fields: Some(vec![i32, i1]), packed: rng.chance(20) };
        let pair = m.types.intern(Type::Struct(pair));
        let metadata = m.types.intern(Type::Other("metadata".into()));
        let t =
            Types { void, i1, i8, i32, i64, wide, double, ptr, bytes, ints, vector, record, pair, metadata };
        let mut generator = Generator { rng, m, constants: HashMap::new(), t };
        if generator.rng.chance(30) {
            // Two structures of one name: their names then say too little.
            for fields in [vec![i8], vec![i8, i8]] {
                let body = StructType { name: Some("twice".into()), fields: Some(fields), packed: false };
                generator.m.types.intern(Type::Struct(body));
            }
        }
        generator
    }

    fn constant(&mut self, constant: Const) -> ConstId {
        if let Some(&id) = self.constants.get(&constant) {
            return id;
        }
        let id = ConstId::at(self.m.constants.len());
        self.constants.insert(constant.clone(), id);
        self.m.constants.push(constant);
        id
    }

    fn location(&mut self) -> Option<Location> {
        let file = FileId::at(self.rng.below(self.m.files.len()));
        let position = Position { line: self.rng.below(500) as u32, column: self.rng.below(80) as u32 };
        self.rng.chance(80).then_some(Location { file, position })
    }

    fn span(&mut self) -> Span {
        let file = FileId::at(self.rng.below(self.m.files.len()));
        let start = Position { line: 1 + self.rng.below(500) as u32, column: 1 + self.rng.below(80) as u32 };
        let end = Position { line: start.line + self.rng.below(3) as u32, column: start.column + 5 };
        Span { file, start, end }
    }

    fn ctype(&mut self) -> Option<CTypeId> {
        let id = CTypeId::at(self.rng.below(self.m.ctypes.len()));
        self.rng.chance(60).then_some(id)
    }
}
