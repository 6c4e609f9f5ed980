//! The words of a program: bytes, numbers and texts that its own code mentions, and so decides by.

use hydrogen_ir::{Const, ConstId, Module, Op, Operand, Reference};
use hydrogen_machine::{FuncKind, Program};
use std::collections::BTreeSet;

/// What the user's code of some programs mentions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    /// Bytes, those that every text has among them.
    pub(crate) bytes: Vec<u8>,
    pub(crate) numbers: Vec<i64>,
    /// Numbers that may be sizes of buffers.
    pub(crate) sizes: Vec<usize>,
    /// Short texts.
    pub(crate) words: Vec<Vec<u8>>,
}

/// Texts that are longer are messages.
const LONGEST: usize = 12;
/// What may be the size of a buffer that an input fills.
const SIZES: std::ops::RangeInclusive<usize> = 9..=4200;
/// What inputs are made of whatever the program says.
const PLAIN: &[u8] = b"a0\nb z19A";

impl Vocabulary {
    pub(crate) fn of(programs: [&Program; 2]) -> Self {
        let (mut numbers, mut words) = (BTreeSet::new(), BTreeSet::new());
        for program in programs {
            let Some(module) = program.units().next() else { continue };
            for id in program.ids().filter(|id| program.is_users(*id)) {
                let FuncKind::Defined(0, number) = program.function(id).kind else { continue };
                let Some(body) = &module.function(number).body else { continue };
                for instruction in &body.instructions {
                    for constant in constants(&instruction.op) {
                        mention(module, constant, &mut numbers, &mut words);
                    }
                }
            }
        }
        let mut bytes: BTreeSet<u8> = numbers.iter().filter_map(|one| u8::try_from(*one).ok()).collect();
        bytes.extend(words.iter().filter(|word| word.len() <= 2).flatten());
        // What a program compares with comes first: it is twice as likely.
        let own: Vec<u8> = bytes.iter().copied().filter(u8::is_ascii_graphic).collect();
        Self {
            bytes: own.into_iter().chain(bytes).chain(PLAIN.iter().copied()).collect(),
            sizes: numbers
                .iter()
                .filter_map(|one| usize::try_from(*one).ok())
                .filter(|one| SIZES.contains(one))
                .collect(),
            numbers: numbers.into_iter().collect(),
            words: words.into_iter().collect(),
        }
    }
}

fn constants(op: &Op) -> Vec<ConstId> {
    let mut found = Vec::new();
    if matches!(op, Op::Alloca { .. }) {
        return found;
    }
    op.references(|reference| {
        if let Reference::Operand(Operand::Const(id)) = reference {
            found.push(*id);
        }
    });
    if let Op::Switch { cases, .. } = op {
        found.extend(cases.iter().map(|case| case.value));
    }
    found
}

fn mention(module: &Module, from: ConstId, numbers: &mut BTreeSet<i64>, words: &mut BTreeSet<Vec<u8>>) {
    match module.constant(from) {
        Const::Int { ty, bits } => {
            let width = module.types.layout(*ty).map_or(64, |layout| layout.size_bits);
            let unused = 64u32.saturating_sub(width as u32).min(63);
            numbers.insert((*bits as u64 as i64) << unused >> unused);
        }
        Const::Global(id) => {
            let global = module.global(*id);
            let text = global.initializer.map(|value| module.constant(value));
            if let Some(Const::Bytes { data, .. }) = text
                && global.private
            {
                let text = data.split(|byte| *byte == 0).next().unwrap_or_default();
                if (1..=LONGEST).contains(&text.len()) {
                    words.insert(text.to_vec());
                }
            }
        }
        _ => {}
    }
}
