//! The words of a program: bytes, numbers and texts that its own code mentions, and so decides by.

use hydrogen_ir::{Const, ConstId, Module, Op, Operand, Reference};
use hydrogen_machine::{FuncId, FuncKind, Program};
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
    /// Longer ones: what tests and examples give, and messages.
    pub(crate) phrases: Vec<Vec<u8>>,
}

/// Texts that are longer are phrases, and those that are longer than that are of no use.
const LONGEST: usize = 12;
const PHRASE: usize = 200;
/// How often what the functions that changed mention is there beside what all of the code mentions.
const NEAR: usize = 3;
/// So many constants of one table are looked at.
const TABLE: usize = 600;
/// What may be the size of a buffer that an input fills.
const SIZES: std::ops::RangeInclusive<usize> = 9..=4200;
/// What inputs are made of whatever the program says.
const PLAIN: &[u8] = b"a0\nb z19A";

/// What code mentions.
#[derive(Default)]
struct Mentioned {
    numbers: BTreeSet<i64>,
    words: BTreeSet<Vec<u8>>,
    phrases: BTreeSet<Vec<u8>>,
}

impl Vocabulary {
    /// The words of both programs; those of some functions of each count more.
    pub(crate) fn of(programs: [&Program; 2], near: [&BTreeSet<FuncId>; 2]) -> Self {
        let (mut all, mut nearest) = (Mentioned::default(), Mentioned::default());
        for (program, near) in programs.into_iter().zip(near) {
            let Some(module) = program.units().next() else { continue };
            for id in program.ids().filter(|id| program.is_users(*id)) {
                let FuncKind::Defined(0, number) = program.function(id).kind else { continue };
                let Some(body) = &module.function(number).body else { continue };
                for instruction in &body.instructions {
                    for constant in constants(&instruction.op) {
                        all.mention(module, constant);
                        if near.contains(&id) {
                            nearest.mention(module, constant);
                        }
                    }
                }
            }
        }
        let bytes_of = |mentioned: &Mentioned| {
            let numbers = mentioned.numbers.iter().filter_map(|one| u8::try_from(*one).ok());
            let short = mentioned.words.iter().filter(|word| word.len() <= 2).flatten().copied();
            numbers.chain(short).collect::<BTreeSet<u8>>()
        };
        let bytes = bytes_of(&all);
        let mut often: Vec<u8> = bytes_of(&nearest).into_iter().collect();
        often = often.repeat(NEAR);
        // What a program compares with comes first: it is twice as likely.
        often.extend(bytes.iter().copied().filter(u8::is_ascii_graphic));
        let numbers: Vec<i64> = nearest.numbers.into_iter().collect::<Vec<_>>().repeat(NEAR);
        let words = std::iter::repeat_n(nearest.words, NEAR).flatten();
        let sizes = |numbers: &mut dyn Iterator<Item = &i64>| {
            let sizes = numbers.filter_map(|one| usize::try_from(*one).ok());
            sizes.filter(|one| SIZES.contains(one)).collect::<Vec<usize>>()
        };
        Self {
            sizes: sizes(&mut numbers.iter().chain(&all.numbers)),
            bytes: often.into_iter().chain(bytes).chain(PLAIN.iter().copied()).collect(),
            numbers: numbers.into_iter().chain(all.numbers).collect(),
            words: words.chain(all.words).collect(),
            phrases: all.phrases.into_iter().collect(),
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

impl Mentioned {
    /// A constant, and what it leads to: a literal, or the numbers and literals of a table.
    fn mention(&mut self, module: &Module, from: ConstId) {
        let mut seen = BTreeSet::new();
        let mut open = vec![(from, true)];
        while let Some((id, direct)) = open.pop() {
            if !seen.insert(id) || seen.len() > TABLE {
                continue;
            }
            match module.constant(id) {
                // The numbers of a table are as many as they are, and say little.
                Const::Int { ty, bits } if direct => {
                    let width = module.types.layout(*ty).map_or(64, |layout| layout.size_bits);
                    let unused = 64u32.saturating_sub(width as u32).min(63);
                    self.numbers.insert((*bits as u64 as i64) << unused >> unused);
                }
                Const::Global(id) => {
                    let global = module.global(*id);
                    // What is written to is no table.
                    if let Some(value) =
                        global.initializer.filter(|_| global.private || global.constant || direct)
                    {
                        open.push((value, false));
                    }
                }
                Const::Bytes { data, .. } => {
                    let text = data.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
                    match text.len() {
                        0 => {}
                        1..=LONGEST => drop(self.words.insert(text)),
                        length if length <= PHRASE => drop(self.phrases.insert(text)),
                        _ => {}
                    }
                }
                Const::Aggregate { elements, .. } => open.extend(elements.iter().map(|id| (*id, false))),
                _ => {}
            }
        }
    }
}
