//! Which registers an instruction reads and writes: one walk for numbering, for definedness and for monitors.

use super::instr::{Code, Complex, Instr, Reg, Target};
use super::intrinsic::{arguments, results};
use super::scalar;
use hydrogen_ir::{Op, Operand, Reference};

/// What an instruction does with registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It writes them.
    Result,
    /// Its result or what it stores comes from them.
    Value,
    /// They are an address, a size or a place to go: something that must be known to go on.
    Decides,
}

/// Registers in a row, and what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// What the instruction does with them.
    pub role: Role,
    /// The first.
    pub first: Reg,
    /// How many.
    pub count: u32,
}

macro_rules! walk_instr {
    ($instr:expr, $f:ident) => {
        match $instr {
            Instr::Move { dst, src }
            | Instr::Trunc { dst, a: src, .. }
            | Instr::SExt { dst, a: src, .. }
            | Instr::Offset { dst, a: src, .. } => {
                $f(Role::Value, src, 1);
                $f(Role::Result, dst, 1);
            }
            Instr::MoveWide { dst, src, count } => {
                let count = *count;
                $f(Role::Value, src, count);
                $f(Role::Result, dst, count);
            }
            Instr::Add32 { dst, a, b }
            | Instr::Add64 { dst, a, b }
            | Instr::Sub32 { dst, a, b }
            | Instr::Sub64 { dst, a, b }
            | Instr::Mul32 { dst, a, b }
            | Instr::Mul64 { dst, a, b }
            | Instr::AddS32 { dst, a, b }
            | Instr::AddS64 { dst, a, b }
            | Instr::SubS32 { dst, a, b }
            | Instr::SubS64 { dst, a, b }
            | Instr::MulS32 { dst, a, b }
            | Instr::MulS64 { dst, a, b }
            | Instr::And { dst, a, b }
            | Instr::Or { dst, a, b }
            | Instr::Xor { dst, a, b }
            | Instr::Shl32 { dst, a, b }
            | Instr::Shl64 { dst, a, b }
            | Instr::ShlS { dst, a, b, .. }
            | Instr::LShr32 { dst, a, b }
            | Instr::LShr64 { dst, a, b }
            | Instr::AShr32 { dst, a, b }
            | Instr::AShr64 { dst, a, b }
            | Instr::Eq { dst, a, b }
            | Instr::Ne { dst, a, b }
            | Instr::Ult { dst, a, b }
            | Instr::Ule { dst, a, b }
            | Instr::Slt32 { dst, a, b }
            | Instr::Sle32 { dst, a, b }
            | Instr::Slt64 { dst, a, b }
            | Instr::Sle64 { dst, a, b }
            | Instr::Int { dst, a, b, .. }
            | Instr::SltN { dst, a, b, .. }
            | Instr::FBin64 { dst, a, b, .. }
            | Instr::FBin32 { dst, a, b, .. }
            | Instr::FCmp64 { dst, a, b, .. }
            | Instr::FCmp32 { dst, a, b, .. }
            | Instr::Scaled { dst, a, b, .. } => {
                $f(Role::Value, a, 1);
                $f(Role::Value, b, 1);
                $f(Role::Result, dst, 1);
            }
            Instr::LoadLocal8 { dst, .. }
            | Instr::LoadLocal16 { dst, .. }
            | Instr::LoadLocal32 { dst, .. }
            | Instr::LoadLocal64 { dst, .. } => $f(Role::Result, dst, 1),
            // Its address is always there.
            Instr::Life { address, .. } => $f(Role::Value, address, 1),
            Instr::StoreLocal8 { src, .. }
            | Instr::StoreLocal16 { src, .. }
            | Instr::StoreLocal32 { src, .. }
            | Instr::StoreLocal64 { src, .. } => $f(Role::Value, src, 1),
            Instr::Load8 { dst, ptr }
            | Instr::Load16 { dst, ptr }
            | Instr::Load32 { dst, ptr }
            | Instr::Load64 { dst, ptr } => {
                $f(Role::Decides, ptr, 1);
                $f(Role::Result, dst, 1);
            }
            Instr::Store8 { src, ptr }
            | Instr::Store16 { src, ptr }
            | Instr::Store32 { src, ptr }
            | Instr::Store64 { src, ptr } => {
                $f(Role::Decides, ptr, 1);
                $f(Role::Value, src, 1);
            }
            Instr::Branch { cond, .. } => $f(Role::Decides, cond, 1),
            Instr::Switch { value, .. } => $f(Role::Decides, value, 1),
            Instr::Return { src, count } => {
                let count = *count;
                $f(Role::Value, src, count);
            }
            // A jump, or a call, or one of the table; who asks about instructions never sees several at once.
            _ => {}
        }
    };
}

macro_rules! walk_complex {
    ($complex:expr, $f:ident) => {
        match $complex {
            Complex::Select { dst, cond, then, otherwise, count } => {
                let count = *count;
                $f(Role::Decides, cond, 1);
                $f(Role::Value, then, count);
                $f(Role::Value, otherwise, count);
                $f(Role::Result, dst, count);
            }
            Complex::WideInt { dst, a, b, .. } => {
                $f(Role::Value, a, 2);
                $f(Role::Value, b, 2);
                $f(Role::Result, dst, 2);
            }
            Complex::WideCompare { dst, a, b, .. } => {
                $f(Role::Value, a, 2);
                $f(Role::Value, b, 2);
                $f(Role::Result, dst, 1);
            }
            Complex::Float { kind, dst, a, b, .. } | Complex::BigInt { kind, dst, a, b, .. } => {
                let count = kind.registers();
                $f(Role::Value, a, count);
                $f(Role::Value, b, count);
                $f(Role::Result, dst, count);
            }
            Complex::FloatCompare { kind, dst, a, b, .. } | Complex::BigCompare { kind, dst, a, b, .. } => {
                let count = kind.registers();
                $f(Role::Value, a, count);
                $f(Role::Value, b, count);
                $f(Role::Result, dst, 1);
            }
            Complex::FloatNegate { kind, dst, a } => {
                let count = kind.registers();
                $f(Role::Value, a, count);
                $f(Role::Result, dst, count);
            }
            Complex::Cast { from, to, dst, src, .. } | Complex::BigCast { from, to, dst, src, .. } => {
                let (from, to) = (from.registers(), to.registers());
                $f(Role::Value, src, from);
                $f(Role::Result, dst, to);
            }
            Complex::Repack { from, to, dst, src, .. } => {
                let (from, to) = (scalar::registers(from), scalar::registers(to));
                $f(Role::Value, src, from);
                $f(Role::Result, dst, to);
            }
            Complex::Load { ptr, dst, parts } => {
                let count = scalar::registers(parts);
                $f(Role::Decides, ptr, 1);
                $f(Role::Result, dst, count);
            }
            Complex::Store { ptr, src, parts } => {
                let count = scalar::registers(parts);
                $f(Role::Decides, ptr, 1);
                $f(Role::Value, src, count);
            }
            Complex::ThreadPointer { dst } => $f(Role::Result, dst, 1),
            Complex::Alloca { dst, count, .. } => {
                $f(Role::Decides, count, 1);
                $f(Role::Result, dst, 1);
            }
            Complex::ExtractElement { dst, vector, index, lanes, stride } => {
                let (all, one) = (*lanes * *stride, *stride);
                $f(Role::Value, vector, all);
                $f(Role::Decides, index, 1);
                $f(Role::Result, dst, one);
            }
            Complex::InsertElement { dst, vector, value, index, lanes, stride } => {
                let (all, one) = (*lanes * *stride, *stride);
                $f(Role::Value, vector, all);
                $f(Role::Value, value, one);
                $f(Role::Decides, index, 1);
                $f(Role::Result, dst, all);
            }
            Complex::Rmw { kind, dst, ptr, value, .. } => {
                let count = kind.registers();
                $f(Role::Decides, ptr, 1);
                $f(Role::Value, value, count);
                $f(Role::Result, dst, count);
            }
            Complex::CompareExchange { kind, dst, ptr, expected, new } => {
                let count = kind.registers();
                $f(Role::Decides, ptr, 1);
                $f(Role::Decides, expected, count);
                $f(Role::Value, new, count);
                $f(Role::Result, dst, count + 1);
            }
            Complex::Intrinsic { which, kind, dst, args, lanes } => {
                let (count, results) = (kind.registers(), results(*which, *kind));
                let (role, width) = arguments(*which, *lanes);
                for arg in args {
                    let count = if width == 0 { count } else { width };
                    $f(role, arg, count);
                }
                $f(Role::Result, dst, results);
            }
            Complex::Packed { dst, result, args, .. } => {
                for (first, parts) in args {
                    let count = scalar::registers(parts);
                    $f(Role::Value, first, count);
                }
                let count = scalar::registers(result);
                $f(Role::Result, dst, count);
            }
            Complex::Assembly { outputs, inputs, .. } => {
                for input in inputs {
                    $f(Role::Value, input, 1);
                }
                for output in outputs {
                    $f(Role::Result, output, 1);
                }
            }
            Complex::AsmCopy { dst, src, count } => {
                let count = *count;
                if let Some(src) = src {
                    $f(Role::Value, src, count);
                }
                $f(Role::Result, dst, count);
            }
            Complex::Syscall { dst, args } => {
                for arg in args {
                    $f(Role::Decides, arg, 1);
                }
                $f(Role::Result, dst, 1);
            }
            Complex::IndirectJump { address, .. } => $f(Role::Decides, address, 1),
            Complex::Unsupported { .. } => {}
        }
    };
}

/// Gives every register of the code a new number.
pub(super) fn renumber(code: &mut Code, number: impl Fn(Reg) -> Reg) {
    let one = |_: Role, reg: &mut Reg, _: u32| *reg = number(*reg);
    for instr in &mut code.instrs {
        walk_instr!(instr, one);
    }
    for complex in &mut code.complex {
        walk_complex!(complex, one);
    }
    for call in &mut code.calls {
        call.dst = number(call.dst);
        if let Target::Indirect(reg) = &mut call.target {
            *reg = number(*reg);
        }
        call.args.iter_mut().for_each(|arg| arg.src = number(arg.src));
    }
}

impl Code {
    /// The registers that an instruction reads and writes. For a call: the callee's address and the arguments.
    pub fn accesses(&self, instr: &Instr, visit: &mut impl FnMut(Access)) {
        let mut one = |role: Role, first: &Reg, count: u32| {
            if count > 0 {
                visit(Access { role, first: *first, count });
            }
        };
        walk_instr!(instr, one);
        match instr {
            Instr::Complex { index } => walk_complex!(&self.complex[*index as usize], one),
            Instr::Call { site } => {
                let call = &self.calls[*site as usize];
                if let Target::Indirect(reg) = &call.target {
                    one(Role::Decides, reg, 1);
                }
                for arg in &call.args {
                    let role = if arg.by_value.is_some() { Role::Decides } else { Role::Value };
                    one(role, &arg.src, scalar::registers(&arg.parts));
                }
                one(Role::Result, &call.dst, call.count);
            }
            _ => {}
        }
    }
}

/// The operands of an instruction of the model.
pub(super) fn of_op<'o>(op: &'o Op, visit: &mut impl FnMut(&'o Operand)) {
    op.references(|reference| {
        if let Reference::Operand(operand) = reference {
            visit(operand);
        }
    });
}
