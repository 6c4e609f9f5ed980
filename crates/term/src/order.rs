//! An order of terms that depends on their structure alone: the arguments of commutative operators are sorted by it, so that
//! a term looks the same in every pool, whatever else the pool was used for.

use std::cmp::Ordering;

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
};

/// Mixes a word into a running hash; fixed for all time and machines.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (mixed >> 32)
}

fn mix_wide(hash: u64, value: u128) -> u64 {
    mix(mix(hash, value as u64), (value >> 64) as u64)
}

fn mix_text(hash: u64, text: &str) -> u64 {
    text.as_bytes()
        .chunks(8)
        .fold(mix(hash, text.len() as u64), |hash, chunk| mix(hash, leading_bytes(chunk)))
}

fn mix_sort(hash: u64, sort: Sort) -> u64 {
    match sort {
        Sort::Bool => mix(hash, 1),
        Sort::Bits(width) => mix(hash, 0x100 + u64::from(width)),
        Sort::Array { index, element } => mix(hash, 0x1_0000 + u64::from(index) * 256 + u64::from(element)),
    }
}

/// The first eight bytes as a number that orders as the text does.
fn leading_bytes(text: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = text.len().min(8);
    word[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(word)
}

impl Pool {
    /// The structural key of a node to be.
    pub(crate) fn structural_key(&self, op: Op, sort: Sort, args: &[Term]) -> u64 {
        // Variables sort by name, because people read the result.
        if let Op::Var(symbol) = op {
            return leading_bytes(self.symbol_name(symbol).as_bytes());
        }
        let tag = match op {
            Op::Bool(value) => mix(1, u64::from(value)),
            Op::Bits(value) => mix_wide(2, value),
            Op::Var(_) => 3,
            Op::Not => 4,
            Op::And => 5,
            Op::Or => 6,
            Op::Ite => 7,
            Op::Eq => 8,
            Op::BitNot => 9,
            Op::BitAnd => 10,
            Op::BitOr => 11,
            Op::BitXor => 12,
            Op::Add => 13,
            Op::Mul => 14,
            Op::Udiv => 15,
            Op::Urem => 16,
            Op::Sdiv => 17,
            Op::Srem => 18,
            Op::Shl => 19,
            Op::Lshr => 20,
            Op::Ashr => 21,
            Op::Concat => 22,
            Op::Extract { high, low } => mix(mix(23, u64::from(high)), u64::from(low)),
            Op::Zext(_) => 24,
            Op::Sext(_) => 25,
            Op::Ult => 26,
            Op::Slt => 27,
            Op::Select => 28,
            Op::Store => 29,
            Op::ConstArray(_) => 30,
            Op::Float(op, format) => mix(mix(32, op.code()), format as u64),
            Op::Apply(function) => mix_text(31, self.function_name(function)),
        };
        args.iter().fold(mix_sort(mix(0, tag), sort), |hash, &arg| mix(hash, self.deep_key(arg)))
    }

    /// As the key, but with the whole name of a variable in it.
    fn deep_key(&self, term: Term) -> u64 {
        let node = self.node(term);
        match node.op {
            Op::Var(symbol) => mix_sort(mix_text(3, self.symbol_name(symbol)), node.sort),
            _ => node.key,
        }
    }

    /// Small terms first, then by structure; constants last of all.
    pub(crate) fn compare(&self, left: Term, right: Term) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let (a, b) = (self.node(left), self.node(right));
        let is_constant = |op: Op| matches!(op, Op::Bits(_) | Op::Bool(_));
        let names = || match (a.op, b.op) {
            (Op::Var(x), Op::Var(y)) => {
                self.symbol_name(x).cmp(self.symbol_name(y)).then(a.sort.cmp(&b.sort))
            }
            _ => left.cmp(&right),
        };
        is_constant(a.op)
            .cmp(&is_constant(b.op))
            .then(a.height.cmp(&b.height))
            .then(a.key.cmp(&b.key))
            .then_with(names)
    }

    /// The two in canonical order.
    pub(crate) fn ordered(&self, left: Term, right: Term) -> (Term, Term) {
        if self.compare(left, right) == Ordering::Greater { (right, left) } else { (left, right) }
    }
}
