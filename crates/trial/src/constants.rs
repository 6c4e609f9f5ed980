//! The constants of a function and of what it calls: where a program decides.

use hydrogen_ir::{Const, ConstId, FloatKind, FunctionId, Module, Op, Operand, Reference, Type};
use std::collections::BTreeSet;

/// Numbers that occur in code.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constants {
    pub integers: Vec<i64>,
    pub floats: Vec<f64>,
}

/// What a function and its callees mention.
#[derive(Debug, Default)]
pub(crate) struct Mentioned {
    pub constants: Constants,
    /// Variables that can be written, by number.
    pub globals: BTreeSet<usize>,
    /// Functions without a body.
    pub without_body: BTreeSet<String>,
}

/// Everything that is mentioned from a function on, along calls by name.
pub(crate) fn mentioned(module: &Module, function: FunctionId) -> Mentioned {
    let mut found = Mentioned::default();
    let (mut integers, mut floats) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = BTreeSet::from([function]);
    let mut open = vec![function];
    while let Some(id) = open.pop() {
        let Some(body) = &module.function(id).body else { continue };
        for instruction in &body.instructions {
            if matches!(instruction.op, Op::Alloca { .. }) {
                continue;
            }
            let mut constants: Vec<ConstId> = Vec::new();
            instruction.op.references(|reference| {
                if let Reference::Operand(Operand::Const(id)) = reference {
                    constants.push(*id);
                }
            });
            if let Op::Switch { cases, .. } = &instruction.op {
                constants.extend(cases.iter().map(|case| case.value));
            }
            for constant in constants {
                match module.constant(constant) {
                    Const::Int { ty, bits } => {
                        let width = module.types.layout(*ty).map_or(64, |layout| layout.size_bits);
                        let unused = 64u32.saturating_sub(width as u32).min(63);
                        integers.insert((*bits as u64 as i64) << unused >> unused);
                    }
                    Const::Float { ty, bits } => match module.types.get(*ty) {
                        Type::Float(FloatKind::Double) => drop(floats.insert(*bits as u64)),
                        Type::Float(FloatKind::Float) => {
                            floats.insert(f64::from(f32::from_bits(*bits as u32)).to_bits());
                        }
                        _ => {}
                    },
                    Const::Global(global) if !module.global(*global).constant => {
                        found.globals.insert(global.index());
                    }
                    Const::Function(callee) => {
                        let name = &module.function(*callee).name;
                        if module.function(*callee).body.is_some() {
                            if seen.insert(*callee) {
                                open.push(*callee);
                            }
                        } else if !name.starts_with("llvm.") {
                            found.without_body.insert(name.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    found.constants.integers = integers.into_iter().collect();
    found.constants.floats = floats.into_iter().map(f64::from_bits).collect();
    found
}

impl Constants {
    /// Those of both.
    pub fn and(mut self, other: Constants) -> Constants {
        self.integers.extend(other.integers);
        self.integers.sort_unstable();
        self.integers.dedup();
        self.floats.extend(other.floats);
        self.floats.sort_by(f64::total_cmp);
        self.floats.dedup_by(|a, b| a.to_bits() == b.to_bits());
        self
    }
}
