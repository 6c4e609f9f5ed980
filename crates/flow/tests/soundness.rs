//! Points-to sets and summaries against runs of random straight-line pointer programs.

mod build;

use build::{Build, load, store};
use hydrogen_flow::{At, CallGraph, ObjectId, ObjectKind, Offset, Options, Place, PointsTo, Summaries};
use hydrogen_ir::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One random choice of an instruction and its operands.
type Choice = (u8, u16, u16, u16);

struct Names {
    main: FunctionId,
    helpers: [FunctionId; 2],
    malloc: FunctionId,
    memcpy: FunctionId,
}

fn program(bodies: &[Vec<Choice>; 3]) -> (Build, Names) {
    let mut b = Build::new();
    let (void, ptr, i64) = (b.void, b.ptr, b.i64);
    let main = b.function("main", ptr, &[]);
    let helpers = [b.function("first", ptr, &[ptr, ptr]), b.function("second", ptr, &[ptr, ptr])];
    let malloc = b.function("malloc", ptr, &[i64]);
    let memcpy = b.function("llvm.memcpy.p0.p0.i64", void, &[ptr, ptr, i64]);
    let names = Names { main, helpers, malloc, memcpy };
    let row = b.row;
    let second = b.global("row", row, Const::Zero(row));
    let zero = b.constant(Const::Int { ty: i64, bits: 0 });
    let (function, other) = (b.constant(Const::Function(helpers[1])), b.constant(Const::Global(second)));
    let ty = b.triple;
    let first = b.global("triple", ty, Const::Aggregate { ty, elements: vec![function, zero, other] });
    let globals = [b.address(Const::Global(first)), b.address(Const::Global(second))];
    for (index, id) in [main, helpers[0], helpers[1]].into_iter().enumerate() {
        let instructions = body(&mut b, &names, &globals, index, &bodies[index]);
        b.define(id, instructions);
    }
    (b, names)
}

/// The first is `main`, which calls the second, which calls the third; all may call through pointers.
fn body(
    b: &mut Build,
    names: &Names,
    globals: &[Operand],
    level: usize,
    choices: &[Choice],
) -> Vec<(TypeId, Op)> {
    let (void, ptr, i64, triple, row) = (b.void, b.ptr, b.i64, b.triple, b.row);
    let mut code: Vec<(TypeId, Op)> = Vec::new();
    let mut pointers: Vec<Operand> = globals.to_vec();
    if level > 0 {
        pointers.extend([Operand::Parameter(0), Operand::Parameter(1)]);
    }
    let one = b.int(1);
    for ty in [triple, row, ptr] {
        pointers.push(Operand::Instruction(InstructionId::at(code.len())));
        code.push((ptr, Op::Alloca { ty, count: one.clone(), align: 8 }));
    }
    for &(kind, x, y, z) in choices {
        let pick = |n: u16| pointers[n as usize % pointers.len()].clone();
        let op = match kind % 12 {
            0 | 1 => store(pick(x), pick(y)),
            2 | 3 => load(pick(x)),
            4 => {
                let indices = vec![b.int(0), field(b, z)];
                Op::ElementAddress { source: triple, base: pick(x), indices, inbounds: true }
            }
            5 => {
                let indices = vec![b.int(0), b.int(i64::from(y % 3)), field(b, z)];
                Op::ElementAddress { source: row, base: pick(x), indices, inbounds: true }
            }
            6 => {
                // An index that the analysis does not know.
                let (left, right) = (b.int(i64::from(y % 5)), b.int(-2));
                let (flags, fast) = Default::default();
                let index = Operand::Instruction(InstructionId::at(code.len()));
                code.push((i64, Op::Binary { op: BinaryOp::Add, left, right, flags, fast }));
                let source = if z % 2 == 0 { triple } else { ptr };
                Op::ElementAddress { source, base: pick(x), indices: vec![index], inbounds: true }
            }
            7 => {
                let length = b.int(24);
                let callee = b.address(Const::Function(names.memcpy));
                b.call(callee, names.memcpy, vec![pick(x), pick(y), length])
            }
            8 => {
                let size = b.int(72);
                let callee = b.address(Const::Function(names.malloc));
                b.call(callee, names.malloc, vec![size])
            }
            9 if level < 2 => {
                let callee = b.address(Const::Function(names.helpers[level]));
                b.call(callee, names.helpers[level], vec![pick(x), pick(y)])
            }
            9 | 10 => b.call(pick(z), names.helpers[0], vec![pick(x), pick(y)]),
            _ => {
                let flags = WrapFlags::default();
                let number = Operand::Instruction(InstructionId::at(code.len()));
                code.push((i64, Op::Cast { op: CastOp::PtrToInt, value: pick(x), flags }));
                let moved = Operand::Instruction(InstructionId::at(code.len()));
                let (right, fast) = (b.int(i64::from(y % 3) * 8), FastMath::default());
                code.push((i64, Op::Binary { op: BinaryOp::Add, left: number, right, flags, fast }));
                Op::Cast { op: CastOp::IntToPtr, value: moved, flags }
            }
        };
        let ty = if matches!(op, Op::Store { .. }) || kind % 12 == 7 { void } else { ptr };
        if ty == ptr {
            pointers.push(Operand::Instruction(InstructionId::at(code.len())));
        }
        code.push((ty, op));
    }
    let value = pointers.last().cloned();
    code.push((void, Op::Return { value }));
    code
}

fn field(b: &mut Build, choice: u16) -> Operand {
    let ty = b.module.types.intern(Type::Int(32));
    let bits = u128::from(choice % 3);
    b.address(Const::Int { ty, bits })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    Number(i64),
    /// An instance of an object, and a byte in it.
    Pointer(usize, i64),
    Function(FunctionId),
}

/// Runs a program and checks every pointer that it sees.
struct Machine<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    options: &'a Options,
    summaries: &'a Summaries,
    instances: Vec<(ObjectKind, i64)>,
    memory: BTreeMap<(usize, i64), Word>,
    writes: Vec<(usize, i64)>,
    /// Stack slots of functions that have returned: accesses to them are undefined.
    dead: BTreeSet<usize>,
    fuel: usize,
}

/// The run ends: an access outside an object, a call of a number, or out of fuel.
struct Stop;

impl Machine<'_> {
    fn instance(&mut self, kind: ObjectKind, size: i64) -> Word {
        self.instances.push((kind, size));
        Word::Pointer(self.instances.len() - 1, 0)
    }

    fn constant(&self, id: ConstId) -> Word {
        match self.module.constant(id) {
            Const::Int { bits, .. } => Word::Number(*bits as i64),
            Const::Global(global) => Word::Pointer(global.index(), 0),
            Const::Function(id) => Word::Function(*id),
            _ => Word::Number(0),
        }
    }

    fn access(&self, word: Word) -> Result<(usize, i64), Stop> {
        let Word::Pointer(instance, at) = word else { return Err(Stop) };
        let inside = (0..=self.instances[instance].1 - 8).contains(&at);
        if inside && !self.dead.contains(&instance) { Ok((instance, at)) } else { Err(Stop) }
    }

    fn covered(&self, places: &[Place], word: Word) -> bool {
        let (kind, at) = match word {
            Word::Number(_) => return true,
            Word::Function(id) => (ObjectKind::Function(id), 0),
            Word::Pointer(instance, at) => (self.instances[instance].0, at),
        };
        let object = self.points_to.object_of(kind).expect("every object is known");
        let exact = u64::try_from(at).map(|at| self.points_to.place_at(object, at).offset);
        places.iter().any(|place| {
            (place.object == ObjectId::UNKNOWN && self.points_to.is_escaped(object))
                || (place.object == object
                    && (place.offset == Offset::Anywhere
                        || Ok(place.offset) == exact
                        || matches!(kind, ObjectKind::Function(_))
                        // Outside the object there is nothing to find; C does not allow to go there.
                        || self.outside(word)))
        })
    }

    fn outside(&self, word: Word) -> bool {
        matches!(word, Word::Pointer(instance, at) if !(0..self.instances[instance].1).contains(&at))
    }

    fn call(&mut self, id: FunctionId, arguments: &[Word]) -> Result<Word, Stop> {
        let body = self.module.function(id).body.as_ref().ok_or(Stop)?;
        let mut values: Vec<Word> = Vec::new();
        for (index, instruction) in body.instructions.iter().enumerate() {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop)?;
            let at = InstructionId::at(index);
            let value = |operand: &Operand| match operand {
                Operand::Instruction(id) => values[id.index()],
                Operand::Parameter(index) => arguments[*index as usize],
                Operand::Const(id) => self.constant(*id),
                Operand::Metadata(_) => Word::Number(0),
            };
            let result = match &instruction.op {
                Op::Return { value: result } => return Ok(result.as_ref().map_or(Word::Number(0), value)),
                Op::Alloca { ty, .. } => {
                    let size = self.module.types.layout(*ty).expect("types have layouts").alloc_bytes as i64;
                    self.instance(ObjectKind::Stack { function: id, instruction: at }, size)
                }
                Op::Load { pointer, .. } => {
                    let place = self.access(value(pointer))?;
                    self.memory.get(&place).copied().unwrap_or(Word::Number(0))
                }
                Op::Store { value: stored, pointer, .. } => {
                    let (place, word) = (self.access(value(pointer))?, value(stored));
                    self.memory.insert(place, word);
                    self.writes.push(place);
                    Word::Number(0)
                }
                Op::Binary { left, right, .. } => match (value(left), value(right)) {
                    (Word::Pointer(instance, at), Word::Number(n)) => Word::Pointer(instance, at + n),
                    (Word::Number(a), Word::Number(b)) => Word::Number(a + b),
                    (function, _) => function,
                },
                Op::Cast { value: from, .. } => value(from),
                Op::ElementAddress { source, base, indices, .. } => {
                    let indices: Vec<_> = indices.iter().map(value).collect();
                    let result = self.element(*source, value(base), &indices);
                    if let Word::Pointer(instance, at) = result
                        && !(0..=self.instances[instance].1).contains(&at)
                    {
                        // Not even computing such an address is allowed.
                        return Err(Stop);
                    }
                    result
                }
                Op::Call { callee, arguments, .. } => {
                    let (callee, arguments) =
                        (value(callee), arguments.iter().map(value).collect::<Vec<_>>());
                    let Word::Function(callee) = callee else { return Err(Stop) };
                    let known = self.points_to.callees(id, at);
                    assert!(
                        known.functions.contains(&callee) || known.unknown,
                        "{callee:?} is called at {at:?}"
                    );
                    let (before, outer) = (self.instances.len(), std::mem::take(&mut self.writes));
                    let result = self.callee(id, at, callee, &arguments);
                    self.check_writes(id, at, before);
                    let stack =
                        |&instance: &usize| matches!(self.instances[instance].0, ObjectKind::Stack { .. });
                    let gone: Vec<_> = (before..self.instances.len()).filter(stack).collect();
                    self.dead.extend(gone);
                    self.writes.extend(outer);
                    result?
                }
                other => unreachable!("{other:?} is not generated"),
            };
            let places = self.points_to.points_to(id, &Operand::Instruction(at));
            assert!(self.covered(&places, result), "{id:?} {at:?} gives {result:?}, not in {places:?}");
            values.push(result);
        }
        Err(Stop)
    }

    fn callee(
        &mut self,
        id: FunctionId,
        at: InstructionId,
        callee: FunctionId,
        arguments: &[Word],
    ) -> Result<Word, Stop> {
        match self.module.function(callee).name.as_str() {
            "malloc" => Ok(self.instance(ObjectKind::Heap { function: id, instruction: at }, 72)),
            "llvm.memcpy.p0.p0.i64" => {
                let words: Vec<_> = (0..3)
                    .map(|word| {
                        let moved = |pointer| match pointer {
                            Word::Pointer(instance, at) => Word::Pointer(instance, at + word * 8),
                            other => other,
                        };
                        Ok((self.access(moved(arguments[0]))?, self.access(moved(arguments[1]))?))
                    })
                    .collect::<Result<_, Stop>>()?;
                let copied: Vec<_> = words.iter().map(|(_, from)| self.memory.get(from).copied()).collect();
                for ((to, _), word) in words.into_iter().zip(copied) {
                    self.memory.insert(to, word.unwrap_or(Word::Number(0)));
                    self.writes.push(to);
                }
                Ok(Word::Number(0))
            }
            _ => self.call(callee, arguments),
        }
    }

    /// What a call wrote to objects that outlive it must be in its summary.
    fn check_writes(&self, function: FunctionId, instruction: InstructionId, before: usize) {
        let Machine { module, options, points_to, .. } = *self;
        let written = self.summaries.written_at(At { module, options, points_to, function, instruction });
        for &(instance, at) in self.writes.iter().filter(|write| write.0 < before) {
            assert!(
                self.covered(&written, Word::Pointer(instance, at)),
                "{function:?} {instruction:?} writes {:?} at {at}, not in {written:?}",
                self.instances[instance].0
            );
        }
    }

    fn element(&self, source: TypeId, base: Word, indices: &[Word]) -> Word {
        let Word::Pointer(instance, mut at) = base else { return base };
        let types = &self.module.types;
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            let &Word::Number(index) = index else { return base };
            match (position, types.get(ty)) {
                (0, _) => at += index * types.layout(ty).expect("sized").alloc_bytes as i64,
                (_, Type::Array { element, .. }) => {
                    ty = *element;
                    at += index * types.layout(ty).expect("sized").alloc_bytes as i64;
                }
                (_, Type::Struct(_)) => {
                    at += types.layout(ty).expect("sized").field_offsets[index as usize] as i64
                }
                other => unreachable!("{other:?} is not indexed"),
            }
        }
        Word::Pointer(instance, at)
    }
}

fn check(bodies: &[Vec<Choice>; 3], closed: bool) {
    let (build, names) = program(bodies);
    let module = &build.module;
    let options = Options { closed, ..Default::default() };
    let points_to = &PointsTo::new(module, &options);
    assert!(points_to.is_complete());
    let calls = CallGraph::new(module, points_to);
    let summaries = &Summaries::new(module, &options, points_to, &calls);
    let mut memory = BTreeMap::new();
    memory.insert((1, 0), Word::Function(names.helpers[1]));
    memory.insert((1, 16), Word::Pointer(0, 0));
    let instances = vec![(ObjectKind::Global(GlobalId(0)), 72), (ObjectKind::Global(GlobalId(1)), 24)];
    let mut machine = Machine {
        module,
        points_to,
        options: &options,
        summaries,
        instances,
        memory,
        writes: Vec::new(),
        dead: BTreeSet::new(),
        fuel: 2000,
    };
    let _ = machine.call(names.main, &[]);
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(any::<Choice>(), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn runs_stay_inside_the_answers(main in choices(), first in choices(), second in choices(), closed: bool) {
        check(&[main, first, second], closed);
    }
}
