//! Faults that are none of the machine's: sizes that wrap, lose bits or are negative, freed memory that is given to a function without a
//! body, variables that are read before they are written and decide nothing, and indices that leave an array inside of its structure. A run
//! shows them by the values at the statement.

use hydrogen_evidence::Class;
use hydrogen_ir::{BinaryOp, Const, Module, Op, Operand, Type, TypeId};
use hydrogen_machine::code::{Arg, CallSite, Instr, Reg, Scalar, Target};
use hydrogen_machine::{FuncId, FuncKind, MemoryEvent, Monitor, Place, Program, Site, Step, View, place_of};
use hydrogen_query::Attempt;
use std::collections::{BTreeMap, BTreeSet};

/// Watches the statement.
pub(crate) struct Watch<'a> {
    program: &'a Program,
    attempt: &'a Attempt,
    /// By function: whether it is the statement's.
    functions: BTreeMap<FuncId, bool>,
    /// The places of objects that were freed.
    freed: BTreeSet<u64>,
    /// Elements that are outside of their array: the address and the size.
    outside: Vec<(u64, u64)>,
    /// What lies behind arrays inside of structures that the statement gives away: the address and the size. What a function of the library
    /// writes there is outside.
    behind: Vec<(u64, u64)>,
    in_library: bool,
    /// Whether the statement is what runs at present.
    here: bool,
    /// How many arguments the program was started with, and where their vector is. What lies behind it in memory is the environment, which
    /// is no fault of the machine's.
    arguments: Option<(u64, u64)>,
    reached: bool,
    seen: bool,
    strays: Strays,
}

impl<'a> Watch<'a> {
    pub fn new(program: &'a Program, attempt: &'a Attempt) -> Self {
        Self {
            program,
            attempt,
            functions: BTreeMap::new(),
            freed: BTreeSet::new(),
            outside: Vec::new(),
            behind: Vec::new(),
            in_library: false,
            here: false,
            arguments: None,
            reached: false,
            seen: false,
            strays: Strays::default(),
        }
    }

    /// Whether the statement was executed.
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// Whether what was watched for happened.
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// Where the run left an array inside of its structure before anything else happened, if it did: what comes behind that follows from it.
    pub fn strayed(&self) -> Option<Site> {
        self.strays.at
    }

    /// A place as a reader knows it.
    pub fn place(&self, site: Site) -> String {
        let (place, function) = (self.program.place(site), &self.program.function(site.function).name);
        format!("line {} in {function}()", place.line)
    }

    fn is_there(&mut self, site: Site) -> bool {
        let (program, attempt) = (self.program, self.attempt);
        let own = *self.functions.entry(site.function).or_insert_with(|| {
            program.is_users(site.function) && program.function(site.function).name == attempt.function
        });
        own && attempt.lines.contains(&program.place(site).line)
    }

    fn happens(&self, step: &Step<'_>) -> bool {
        let value = |register: Reg| step.registers.get(register as usize).copied().unwrap_or(0);
        match self.attempt.kind {
            Class::SizeOverflow => {
                let (op, width, a, b) = match *step.instr {
                    Instr::Add32 { a, b, .. } => (BinaryOp::Add, 32, a, b),
                    Instr::Add64 { a, b, .. } => (BinaryOp::Add, 64, a, b),
                    Instr::Sub32 { a, b, .. } => (BinaryOp::Sub, 32, a, b),
                    Instr::Sub64 { a, b, .. } => (BinaryOp::Sub, 64, a, b),
                    Instr::Mul32 { a, b, .. } => (BinaryOp::Mul, 32, a, b),
                    Instr::Mul64 { a, b, .. } => (BinaryOp::Mul, 64, a, b),
                    Instr::Int { op, width, nsw: false, a, b, .. } => (op, u32::from(width), a, b),
                    _ => return false,
                };
                // Compilers write `--n` as the sum with -1.
                let (second, is_stated) = (value(b), b >= step.code.first_constant);
                match op {
                    BinaryOp::Add if is_stated && second >> (width - 1) == 1 => {
                        let taken = second.wrapping_neg() & (u64::MAX >> (64 - width));
                        wraps(BinaryOp::Sub, width, value(a), taken)
                    }
                    _ => wraps(op, width, value(a), second),
                }
            }
            Class::Sign => match *step.instr {
                Instr::Trunc { a, width, .. } => width < 64 && value(a) >> width != 0,
                Instr::Call { .. } => {
                    let is_size =
                        |arg: &&Arg| scalar(arg).is_some_and(|one| one.width() == 64) && !is_pointer(arg);
                    call(step)
                        .into_iter()
                        .flat_map(|call| &call.args)
                        .filter(is_size)
                        .any(|arg| value(arg.src).cast_signed() < 0)
                }
                _ => false,
            },
            Class::UseAfterFree => call(step).is_some_and(|call| {
                let Target::Direct(callee) = call.target else { return false };
                let unseen = matches!(self.program.function(callee).kind, FuncKind::Undefined);
                unseen
                    && call
                        .args
                        .iter()
                        .filter(|arg| is_pointer(arg))
                        .any(|arg| self.freed.contains(&place_of(value(arg.src))))
            }),
            Class::Pointer => {
                let (base, moved) = match *step.instr {
                    Instr::Offset { a, offset, .. } => (value(a), i64::from(offset).cast_unsigned()),
                    Instr::Scaled { a, b, scale, .. } => (value(a), value(b).wrapping_mul(u64::from(scale))),
                    _ => return false,
                };
                step.view
                    .object(base)
                    .is_some_and(|object| base.wrapping_add(moved).wrapping_sub(object.address) > object.size)
            }
            _ => false,
        }
    }

    /// Notes the address of an element that its array does not have.
    fn index(&mut self, step: &Step<'_>) {
        let Instr::Scaled { a, b, scale, .. } = *step.instr else { return };
        let value = |register: Reg| step.registers.get(register as usize).copied().unwrap_or(0);
        let (base, index, scale) = (value(a), value(b), u64::from(scale));
        if self.arguments.is_some_and(|(count, vector)| base == vector && scale == 8 && index > count) {
            self.outside.push((base.wrapping_add(index.wrapping_mul(scale)), scale));
        }
        self.outside.extend(self.element(step));
    }

    /// The address and the size of an element that its array does not have, if that is what is computed.
    fn element(&self, step: &Step<'_>) -> Option<(u64, u64)> {
        let Instr::Scaled { a, b, scale, .. } = *step.instr else { return None };
        let value = |register: Reg| step.registers.get(register as usize).copied().unwrap_or(0);
        let (base, index, scale) = (value(a), value(b), u64::from(scale));
        let (module, function) = self.program.model(step.site.function)?;
        let origin = step.code.origin.get(step.site.pc as usize)?;
        let Op::ElementAddress { source, indices, .. } = &function.body.as_ref()?.instruction(*origin).op
        else {
            return None;
        };
        let is_outside = lengths(module, *source, indices, scale).any(|length| index >= length);
        is_outside.then(|| (base.wrapping_add(index.wrapping_mul(scale)), scale))
    }

    /// Notes what lies behind an array inside of a structure whose address is computed.
    fn member(&mut self, step: &Step<'_>) {
        let value = |register: Reg| step.registers.get(register as usize).copied().unwrap_or(0);
        let model = self.program.model(step.site.function);
        let origin = step.code.origin.get(step.site.pc as usize);
        let Some(((module, function), origin)) = model.zip(origin) else { return };
        let Some(body) = &function.body else { return };
        let mut note = |operand: &Operand, address: u64| {
            if let Some(room) = hydrogen_query::room(module, body, operand) {
                self.behind.push((address.wrapping_add(room.bytes), room.behind));
            }
        };
        let own = Operand::Instruction(*origin);
        match (*step.instr, &body.instruction(*origin).op) {
            (Instr::Offset { a, offset, .. }, _) => {
                note(&own, value(a).wrapping_add_signed(i64::from(offset)));
            }
            (Instr::Move { src, .. }, _) => note(&own, value(src)),
            // Addresses in variables of the program are not computed.
            (Instr::Call { .. }, Op::Call { arguments, .. }) => {
                for (operand, arg) in arguments.iter().zip(call(step).into_iter().flat_map(|call| &call.args))
                {
                    if matches!(operand, Operand::Const(_)) {
                        note(operand, value(arg.src));
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes what the program was started with.
    fn start(&mut self, step: &Step<'_>) {
        if step.site.pc == 0
            && self.arguments.is_none()
            && let [count, vector, ..] = *step.registers
            && step.code.parameters == 2
            && self.program.is_users(step.site.function)
            && self.program.function(step.site.function).name == "main"
        {
            self.arguments = Some((count, vector));
        }
    }

    /// Notes what is freed.
    fn free(&mut self, step: &Step<'_>) {
        let Some(call) = call(step) else { return };
        let Target::Direct(callee) = call.target else { return };
        if self.program.function(callee).name == "free"
            && let Some(address) = call.args.first().and_then(|arg| step.registers.get(arg.src as usize))
            && *address != 0
        {
            self.freed.insert(place_of(*address));
        }
    }
}

/// The call that is about to be made.
fn call<'s>(step: &Step<'s>) -> Option<&'s CallSite> {
    match *step.instr {
        Instr::Call { site } => step.code.calls.get(site as usize),
        _ => None,
    }
}

fn scalar(arg: &Arg) -> Option<Scalar> {
    match arg.parts.as_slice() {
        [part] => Some(part.scalar),
        _ => None,
    }
}

fn is_pointer(arg: &Arg) -> bool {
    scalar(arg) == Some(Scalar::Pointer)
}

impl Monitor for Watch<'_> {
    fn step(&mut self, step: Step<'_>) {
        match self.attempt.kind {
            Class::UseAfterFree => self.free(&step),
            Class::Overflow => self.start(&step),
            _ => {}
        }
        self.here = self.is_there(step.site);
        if self.attempt.kind != Class::Overflow && self.program.is_users(step.site.function) {
            let element = self.element(&step);
            self.strays.step(step.site, element);
        }
        if self.here {
            self.reached = true;
            self.seen |= self.strays.at.is_none() && self.happens(&step);
            if self.attempt.kind == Class::Overflow {
                self.index(&step);
                self.member(&step);
            }
            self.in_library = false;
        } else {
            self.outside.clear();
            self.in_library = !self.program.is_users(step.site.function);
            if !self.in_library {
                self.behind.clear();
            }
        }
    }

    fn memory(&mut self, address: u64, event: MemoryEvent, view: View<'_>) {
        if let MemoryEvent::Load(place, bytes) = event
            && self.here
            && self.attempt.kind == Class::Uninitialised
        {
            let byte = |at: u64| Place { at: place.at + at as usize, ..place };
            self.seen |= (0..bytes).any(|at| !view.is_defined(byte(at)));
        }
        if matches!(event, MemoryEvent::Load(..) | MemoryEvent::Store(..)) {
            self.strays.access(address);
            self.seen |= self.outside.iter().any(|(first, size)| address.wrapping_sub(*first) < *size);
        }
        let written = match event {
            MemoryEvent::Store(_, bytes) if self.in_library => bytes,
            MemoryEvent::Copy(_, _, bytes) | MemoryEvent::Set(_, bytes) => bytes,
            _ => return,
        };
        let end = address.wrapping_add(written);
        self.seen |= self.behind.iter().any(|&(first, size)| address < first + size && first < end);
    }
}

/// Elements that their arrays do not have. The machine goes on there as long as the structure has room.
#[derive(Default)]
struct Strays {
    /// The last ones whose address was computed: the address, the size, where, and how many steps ago.
    last: Vec<(u64, u64, Site, u32)>,
    /// Where the first one was accessed.
    at: Option<Site>,
}

impl Strays {
    /// Steps between the address and the access.
    const NEAR: u32 = 16;

    fn step(&mut self, site: Site, element: Option<(u64, u64)>) {
        self.last.retain_mut(|(.., age)| {
            *age += 1;
            *age < Self::NEAR
        });
        self.last.extend(element.map(|(first, size)| (first, size, site, 0)));
    }

    fn access(&mut self, address: u64) {
        let hit = self.last.iter().find(|(first, size, ..)| address.wrapping_sub(*first) < *size);
        self.at = self.at.or(hit.map(|(_, _, site, _)| *site));
    }
}

/// The lengths of the arrays of such elements that an address goes through. An array of at most one element at the end of a structure stands
/// for as many as there is room.
fn lengths<'m>(
    module: &'m Module,
    source: TypeId,
    indices: &'m [Operand],
    scale: u64,
) -> impl Iterator<Item = u64> + 'm {
    let (mut ty, mut last) = (source, false);
    indices
        .iter()
        .skip(1)
        .map_while(move |index| {
            let (next, length) = match module.types.get(ty) {
                Type::Array { element, len } => {
                    let fits =
                        module.types.layout(*element).is_some_and(|layout| layout.alloc_bytes == scale);
                    let open = std::mem::take(&mut last) && *len <= 1;
                    (*element, Some(*len).filter(|len| fits && !open && *len > 0))
                }
                Type::Struct(body) => {
                    let Operand::Const(id) = index else { return None };
                    let Const::Int { bits, .. } = module.constant(*id) else { return None };
                    let fields = body.fields.as_ref()?;
                    last = *bits as usize + 1 == fields.len();
                    (*fields.get(*bits as usize)?, None)
                }
                _ => return None,
            };
            ty = next;
            Some(length)
        })
        .flatten()
}

/// Whether an unsigned operation does not fit.
fn wraps(op: BinaryOp, width: u32, a: u64, b: u64) -> bool {
    let (wide_a, wide_b) = (u128::from(a), u128::from(b));
    match op {
        BinaryOp::Add => (wide_a + wide_b) >> width != 0,
        BinaryOp::Sub => a < b,
        BinaryOp::Mul => (wide_a * wide_b) >> width != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsigned_operations_wrap_at_their_width() {
        assert!(wraps(BinaryOp::Add, 32, u32::MAX.into(), 1));
        assert!(!wraps(BinaryOp::Add, 64, u32::MAX.into(), 1));
        assert!(wraps(BinaryOp::Sub, 64, 1, 2) && !wraps(BinaryOp::Sub, 64, 2, 2));
        assert!(wraps(BinaryOp::Mul, 64, 1 << 40, 1 << 24) && !wraps(BinaryOp::Mul, 64, 1 << 40, 1 << 23));
    }
}
