//! Streams (`FILE`): memory that only the C library can make, and that only it looks into.

use crate::layout::plain;
use crate::{CType, CTypeId, Const, Function, FunctionId, Module, Op, Operand};
use std::collections::BTreeSet;

/// The functions of the library that read from a stream.
const READERS: [&str; 17] = [
    "fgetc",
    "fgets",
    "fread",
    "fscanf",
    "__isoc99_fscanf",
    "__isoc23_fscanf",
    "getc",
    "getdelim",
    "getline",
    "getw",
    "ungetc",
    "vfscanf",
    "_IO_getc",
    "fgetc_unlocked",
    "fgets_unlocked",
    "fread_unlocked",
    "getc_unlocked",
];

/// Whether a type is that of streams.
pub fn is_stream(module: &Module, ctype: CTypeId) -> bool {
    matches!(module.ctype(plain(module, ctype)), CType::Record { name: Some(name), .. } if name == "_IO_FILE")
}

/// Whether a module speaks of streams.
pub fn has_streams(module: &Module) -> bool {
    (0..module.ctypes.len()).any(|at| is_stream(module, CTypeId::at(at)))
}

/// Whether a function, or one of the module that it calls, reads from a stream.
pub fn reads_streams(module: &Module, function: &Function) -> bool {
    let mut seen: BTreeSet<FunctionId> = BTreeSet::new();
    let mut open = vec![function];
    while let Some(function) = open.pop() {
        let Some(body) = &function.body else { continue };
        for instruction in &body.instructions {
            if let Op::Call { callee: Operand::Const(id), .. } = &instruction.op
                && let Const::Function(callee) = module.constant(*id)
                && seen.insert(*callee)
            {
                let callee = module.function(*callee);
                if READERS.contains(&callee.name.as_str()) {
                    return true;
                }
                open.push(callee);
            }
        }
    }
    false
}
