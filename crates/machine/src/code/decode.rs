//! One function at a time, when it is first called.

use super::instr::{Code, Complex, Instr, Pc, Reg};
use super::locals::{self, Locals};
use super::promote::{self, Promotion};
use super::scalar::{self, Part, Scalar};
use super::scopes::{self, Event};
use crate::program::Program;
use hydrogen_ir::{BlockId, Body, Function, InstructionId, Module, Op, Operand, TypeId};
use rustc_hash::FxHashMap;

/// A value of the function: its first register and its parts.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) first: Reg,
    pub(super) parts: Vec<Part>,
}

impl Value {
    /// The value's one part, where it has one.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self.parts.as_slice() {
            [part] => Some(part.scalar),
            _ => None,
        }
    }

    pub(super) fn registers(&self) -> u32 {
        scalar::registers(&self.parts)
    }
}

/// The state of decoding one function. Until the end, jumps name labels: blocks first, then edges with φ.
pub(super) struct Decoder<'p> {
    pub(super) program: &'p Program,
    pub(super) unit: usize,
    pub(super) module: &'p Module,
    pub(super) function: &'p Function,
    pub(super) body: &'p Body,
    pub(super) code: Code,
    pub(super) locals: Locals,
    pub(super) promotion: Promotion,
    /// By slot that lives in a register: which.
    pub(super) variables: Vec<Reg>,
    /// By instruction; `None` for types without values here.
    results: Vec<Option<Value>>,
    parameters: Vec<Option<Value>>,
    constants: FxHashMap<u64, Reg>,
    wide: FxHashMap<Vec<u64>, Reg>,
    pub(super) current: InstructionId,
    /// Edges that move values: predecessor, successor.
    pub(super) edges: Vec<(BlockId, BlockId)>,
    /// The place of every label.
    pub(super) labels: Vec<Pc>,
}

/// Decodes a function that has a body.
pub(crate) fn decode(program: &Program, unit: usize, function: &Function, body: &Body) -> Code {
    let module = program.module(unit);
    let mut locals = locals::analyse(module, function, body);
    let inner = scopes::inner(body, &locals);
    let promotion = promote::analyse(module, function, body, &locals, &inner);
    let scopes = scopes::analyse(body, &locals, &inner, &promotion.promoted);
    locals.lay_out(&promotion.promoted);
    let mut decoder = Decoder {
        program,
        unit,
        module,
        function,
        body,
        code: Code::default(),
        locals,
        promotion,
        variables: Vec::new(),
        results: Vec::with_capacity(body.instructions.len()),
        parameters: Vec::new(),
        constants: FxHashMap::default(),
        wide: FxHashMap::default(),
        current: InstructionId(0),
        edges: Vec::new(),
        labels: vec![0; body.blocks.len()],
    };
    decoder.number();
    decoder.place_variables();
    decoder.lay_out_locals();
    for block in 0..body.blocks.len() {
        decoder.labels[block] = decoder.here();
        for id in body.instructions_of(BlockId::at(block)) {
            decoder.current = id;
            scopes.before(id).into_iter().for_each(|event| decoder.event(event));
            decoder.instruction(BlockId::at(block), id);
        }
    }
    decoder.finish()
}

impl Decoder<'_> {
    /// Gives every parameter and result its registers.
    fn number(&mut self) {
        let types = &self.module.types;
        let mut next = 0;
        let mut number = |ty: Option<TypeId>| {
            let parts = ty.and_then(|ty| scalar::parts(types, ty))?;
            let value = Value { first: next, parts };
            next += value.registers();
            Some(value)
        };
        for parameter in &self.function.parameters {
            let value = number(parameter.ty);
            self.code.parameter_parts.push(value.as_ref().map_or(Vec::new(), |value| value.parts.clone()));
            self.parameters.push(value);
        }
        let parameters = self.parameters.iter().flatten().map(|value| value.first + value.registers()).max();
        self.code.parameters = parameters.unwrap_or(0);
        for instruction in &self.body.instructions {
            self.results.push(number(Some(instruction.ty)));
        }
        let used = self.results.iter().flatten().map(|value| value.first + value.registers()).max();
        self.code.registers = used.unwrap_or(0).max(self.code.parameters);
        if let Some(hydrogen_ir::Type::Function { varargs, .. }) =
            self.function.ty.map(|ty| self.module.types.get(ty))
        {
            self.code.varargs = *varargs;
        }
    }

    /// Gives variables that live in registers theirs, and to instructions whose value is such a variable.
    fn place_variables(&mut self) {
        for slot in 0..self.locals.slots.len() {
            let taken =
                self.promotion.parameter[slot].and_then(|index| self.parameters[index as usize].as_ref());
            let register = match (self.promotion.promoted[slot], taken) {
                (false, _) => 0,
                (true, Some(parameter)) => parameter.first,
                (true, None) => self.temporary(1),
            };
            self.variables.push(register);
        }
        for index in 0..self.results.len() {
            let slot = self.promotion.alias[index].or(self.promotion.target[index]);
            if let (Some(slot), Some(value)) = (slot, &mut self.results[index]) {
                value.first = self.variables[slot as usize];
            }
        }
    }

    /// The register of the variable that a pointer stands for.
    pub(super) fn variable(&self, pointer: &Operand) -> Option<Reg> {
        let Operand::Instruction(id) = pointer else { return None };
        let (slot, _) = self.locals.places[id.index()]?;
        let slot = slot as usize;
        self.promotion.promoted[slot].then(|| self.variables[slot])
    }

    fn lay_out_locals(&mut self) {
        for (number, slot) in self.locals.slots.iter().enumerate() {
            let register = self.promotion.promoted[number].then(|| self.variables[number]);
            let (origin, offset, size) = (slot.origin, slot.offset, slot.size);
            self.code.variables.push(super::Slot { origin, register, offset, size });
            if slot.escapes {
                let address = self.results[slot.origin.index()].as_ref().map_or(0, |value| value.first);
                let (offset, size, origin) = (slot.offset, slot.size, slot.origin);
                let (align, is_cell) = (slot.align, slot.is_scalar);
                self.code.cells += u64::from(is_cell);
                self.code.locals.push(super::Local { address, offset, size, align, is_cell, origin });
            }
        }
        self.code.local_bytes = self.locals.bytes;
        // Natively there are a return address, a frame pointer and values on their way besides.
        let native = self.locals.slots.iter().map(|slot| u64::from(slot.size.next_multiple_of(8)));
        self.code.extent = (native.sum::<u64>() + 64).next_multiple_of(16);
    }

    /// What happens to a variable of a block.
    fn event(&mut self, event: Event) {
        let (Event::Begin(slot) | Event::Enter(slot) | Event::Leave(slot)) = event;
        let slot = &self.locals.slots[slot as usize];
        let (offset, size) = (slot.offset, slot.size);
        let address = self.results[slot.origin.index()].as_ref().map_or(0, |value| value.first);
        match event {
            Event::Begin(_) => self.emit(Instr::Begin { offset, size }),
            Event::Enter(_) => self.emit(Instr::Life { address, size }),
            Event::Leave(_) => self.emit(Instr::Life { address, size: 0 }),
        }
    }

    pub(super) fn here(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    pub(super) fn emit(&mut self, instr: Instr) {
        self.code.instrs.push(instr);
        self.code.origin.push(self.current);
    }

    pub(super) fn complex(&mut self, complex: Complex) {
        let index = self.code.complex.len() as u32;
        self.code.complex.push(complex);
        self.emit(Instr::Complex { index });
    }

    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.complex(Complex::Unsupported { what: what.into() });
    }

    /// A register that no value has.
    pub(super) fn temporary(&mut self, count: u32) -> Reg {
        let first = self.code.registers;
        self.code.registers += count;
        first
    }

    /// The registers of the current instruction's result.
    pub(super) fn result(&self) -> Option<Value> {
        self.results[self.current.index()].clone()
    }

    pub(super) fn result_of(&self, id: InstructionId) -> Option<Value> {
        self.results[id.index()].clone()
    }

    /// A constant in a register; numbered above everything else at the end.
    pub(super) fn constant(&mut self, bits: u64) -> Reg {
        let next = self.code.constants.len() as u32;
        let constants = &mut self.code.constants;
        *self.constants.entry(bits).or_insert_with(|| {
            constants.push(bits);
            CONSTANTS + next
        })
    }

    fn constants(&mut self, words: Vec<u64>) -> Reg {
        if let [one] = words.as_slice() {
            return self.constant(*one);
        }
        let next = CONSTANTS + self.code.constants.len() as u32;
        let constants = &mut self.code.constants;
        *self.wide.entry(words).or_insert_with_key(|words| {
            constants.extend(words);
            next
        })
    }

    /// The registers that hold an operand.
    pub(super) fn operand(&mut self, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Instruction(id) => self.results[id.index()].clone(),
            Operand::Parameter(index) => self.parameters.get(*index as usize)?.clone(),
            Operand::Const(id) => {
                let (words, parts) = self.program.constant_words(self.unit, *id)?;
                Some(Value { first: self.constants(words), parts })
            }
            Operand::Metadata(_) => None,
        }
    }

    fn instruction(&mut self, block: BlockId, id: InstructionId) {
        let body = self.body;
        let op = &body.instructions[id.index()].op;
        let done = match op {
            Op::Phi { .. } => Some(()),
            op if op.is_terminator() => self.terminator(block, op),
            op => self.operation(id, op),
        };
        if done.is_none() {
            let name = format!("{op:?}");
            let name = name.split([' ', '{', '(']).next().unwrap_or("instruction").to_owned();
            self.unsupported(format!("{name} on a value of this type"));
        }
    }

    /// Puts edges behind the blocks, constants behind the values, and places into jumps.
    fn finish(mut self) -> Code {
        self.edges();
        self.code.first_constant = self.code.registers;
        self.code.registers += self.code.constants.len() as u32;
        let first = self.code.first_constant;
        let labels = std::mem::take(&mut self.labels);
        self.code.blocks = labels[..self.body.blocks.len()].to_vec();
        super::operands::renumber(&mut self.code, |reg| {
            if reg >= CONSTANTS { reg - CONSTANTS + first } else { reg }
        });
        let place = |label: Pc| labels[label as usize];
        for instr in &mut self.code.instrs {
            match instr {
                Instr::Jump { target } => *target = place(*target),
                Instr::Branch { then, otherwise, .. } => {
                    *then = place(*then);
                    *otherwise = place(*otherwise);
                }
                _ => {}
            }
        }
        self.code.switches.iter_mut().for_each(|table| table.patch(place));
        for complex in &mut self.code.complex {
            if let Complex::IndirectJump { targets, .. } = complex {
                targets.iter_mut().for_each(|target| target.1 = place(target.1));
            }
        }
        self.code.quick = super::fuse::fuse(&self.code.instrs, &self.code.complex);
        self.code
    }
}

/// While decoding, constants are numbered from here.
const CONSTANTS: Reg = 1 << 31;
