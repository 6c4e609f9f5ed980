//! What could go wrong at an instruction, by its kind alone.

use hydrogen_flow::{Effect, Library};
use hydrogen_ir::BinaryOp;
use hydrogen_machine::code::{Code, Complex, Instr, Pc, Reg, Role, Target};
use hydrogen_machine::{FaultKind, Program};
use rustc_hash::FxHashMap;

/// Addresses below are the null pointer's.
const NULL_END: u64 = 4096;
/// An address is taken apart over so many steps.
const LONGEST_CHAIN: usize = 64;

/// What an address is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// A variable, or a part of one that the compiler knows.
    Fixed,
    /// Such a one and an index.
    Indexed,
    /// A pointer that comes from somewhere.
    Pointer,
    /// The null pointer.
    Null,
}

/// What is known about the code of one function.
pub(crate) struct Risks<'a> {
    program: &'a Program,
    library: &'a Library,
    code: &'a Code,
    /// Registers that are set at one place, and there.
    set: FxHashMap<Reg, Option<Pc>>,
}

impl<'a> Risks<'a> {
    pub(crate) fn new(program: &'a Program, library: &'a Library, code: &'a Code) -> Self {
        let mut set: FxHashMap<Reg, Option<Pc>> = FxHashMap::default();
        for (pc, instr) in (0..).zip(&code.instrs) {
            code.accesses(instr, &mut |access| {
                if access.role == Role::Result {
                    for reg in access.first..access.first + access.count {
                        let place = if set.contains_key(&reg) { None } else { Some(pc) };
                        set.insert(reg, place);
                    }
                }
            });
        }
        Self { program, library, code, set }
    }

    fn constant(&self, reg: Reg) -> Option<u64> {
        let index = reg.checked_sub(self.code.first_constant)?;
        self.code.constants.get(index as usize).copied()
    }

    fn base(&self, reg: Reg) -> Base {
        let mut reg = reg;
        let mut indexed = false;
        // A pointer that is only ever moved on (`p++`) is set from itself: nothing is known about it either.
        for _ in 0..LONGEST_CHAIN {
            if let Some(value) = self.constant(reg) {
                return match () {
                    () if value < NULL_END => Base::Null,
                    () if indexed => Base::Indexed,
                    () => Base::Fixed,
                };
            }
            if reg < self.code.parameters {
                return Base::Pointer;
            }
            if self.code.locals.iter().any(|local| local.address == reg) {
                return if indexed { Base::Indexed } else { Base::Fixed };
            }
            let Some(Some(pc)) = self.set.get(&reg) else { return Base::Pointer };
            reg = match self.code.instrs[*pc as usize] {
                Instr::Offset { a, .. } | Instr::Move { src: a, .. } => a,
                Instr::Scaled { a, .. } => {
                    indexed = true;
                    a
                }
                _ => return Base::Pointer,
            };
        }
        Base::Pointer
    }

    fn access(&self, pointer: Reg, kind: FaultKind) -> Vec<FaultKind> {
        match self.base(pointer) {
            Base::Fixed => Vec::new(),
            Base::Indexed => vec![kind],
            Base::Null => vec![FaultKind::NullDereference],
            Base::Pointer => vec![kind, FaultKind::NullDereference],
        }
    }

    /// The faults that the instruction could have with other operands and that end a program in general: bad accesses and calls,
    /// division by zero.
    pub(crate) fn at(&self, pc: Pc) -> Vec<FaultKind> {
        use FaultKind::{BadCall, DivisionByZero, OutOfBoundsRead, OutOfBoundsWrite};
        match self.code.instrs[pc as usize] {
            Instr::Load8 { ptr, .. }
            | Instr::Load16 { ptr, .. }
            | Instr::Load32 { ptr, .. }
            | Instr::Load64 { ptr, .. } => self.access(ptr, OutOfBoundsRead),
            Instr::Store8 { ptr, .. }
            | Instr::Store16 { ptr, .. }
            | Instr::Store32 { ptr, .. }
            | Instr::Store64 { ptr, .. } => self.access(ptr, OutOfBoundsWrite),
            Instr::Int { op, b, .. } if divides(op) && self.constant(b).is_none_or(|value| value == 0) => {
                vec![DivisionByZero]
            }
            Instr::Call { site } => match self.code.calls[site as usize].target {
                Target::Indirect(_) => vec![BadCall],
                Target::Direct(callee) if !self.program.is_users(callee) => {
                    self.library_call(&self.program.function(callee).name, site)
                }
                Target::Direct(_) => Vec::new(),
            },
            Instr::Complex { index } => match &self.code.complex[index as usize] {
                Complex::Load { ptr, .. } => self.access(*ptr, OutOfBoundsRead),
                Complex::Store { ptr, .. }
                | Complex::Rmw { ptr, .. }
                | Complex::CompareExchange { ptr, .. } => self.access(*ptr, OutOfBoundsWrite),
                Complex::WideInt { op, .. } if divides(*op) => vec![DivisionByZero],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// A function of the library that reads or writes where its arguments say.
    fn library_call(&self, name: &str, site: u32) -> Vec<FaultKind> {
        use FaultKind::{InvalidFree, OutOfBoundsRead, OutOfBoundsWrite};
        let arguments = &self.code.calls[site as usize].args;
        let fixed = |index: usize| {
            let argument = arguments.get(index).map(|argument| argument.src);
            argument.is_none_or(|reg| self.constant(reg).is_some() || self.base(reg) == Base::Fixed)
        };
        let all_fixed = (0..arguments.len()).all(fixed);
        if name == "free" {
            return if fixed(0) { Vec::new() } else { vec![InvalidFree] };
        }
        let mut found = Vec::new();
        for effect in self.library.effects(name).unwrap_or_default() {
            match effect {
                // How much is written depends on the other arguments too.
                Effect::Writes(Some(_)) if !all_fixed => found.push(OutOfBoundsWrite),
                Effect::Copy { .. } if !all_fixed => found.extend([OutOfBoundsRead, OutOfBoundsWrite]),
                Effect::Reads(Some(index)) if !fixed(*index) => found.push(OutOfBoundsRead),
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}
