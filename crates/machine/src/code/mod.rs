//! From the model's functions to the form that the machine executes.

mod across;
mod address;
mod asm;
mod calls;
mod decode;
mod fuse;
mod instr;
pub(crate) mod intrinsic;
mod locals;
mod operands;
mod operations;
mod promote;
mod scalar;
mod scopes;
mod switch;
mod targets;
mod terminators;
mod vectors;
mod x86;

pub use asm::Assembly;
pub(crate) use decode::decode;
pub use hydrogen_ir::Intrinsic;
pub use instr::{Arg, CallSite, Code, Complex, Instr, Local, Pc, Reg, Slot, Target};
pub(crate) use locals::step;
pub use operands::{Access, Role};
pub use scalar::{Part, Scalar};
pub(crate) use scalar::{parts, registers};
pub use switch::SwitchTable;
pub use x86::X86;
