//! Terms over input bytes, for people.

use crate::input::take_apart;
use hydrogen_term::{Op, Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// A term as a person would write it; numbers that lie in several bytes of the input are written as `stdin[0..4]`.
pub fn show(pool: &mut Pool, term: Term) -> String {
    let mut numbers = FxHashMap::default();
    for inner in pool.postorder(&[term]) {
        if pool.op(inner) == Op::Concat
            && let Some(name) = run_of_bytes(pool, inner)
        {
            let width = pool.width(inner);
            let variable = pool.var(&name, Sort::Bits(width));
            numbers.insert(inner, variable);
        }
    }
    let term = if numbers.is_empty() { term } else { pool.substitute(term, &numbers) };
    pool.to_c(term)
}

/// The name of consecutive bytes of one source, the lowest first.
fn run_of_bytes(pool: &Pool, term: Term) -> Option<String> {
    let mut leaves = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match (pool.op(term), pool.args(term)) {
            // The lower half is taken first.
            (Op::Concat, [high, low]) => open.extend([*high, *low]),
            (Op::Var(_), _) => leaves.push(pool.as_var(term)?),
            _ => return None,
        }
    }
    let base = leaves.first()?.strip_suffix(']')?.rsplit_once('[')?.0;
    let first = take_apart(leaves.first()?).1;
    for (expected, leaf) in (first..).zip(&leaves) {
        if *leaf != format!("{base}[{expected}]") {
            return None;
        }
    }
    Some(format!("{base}[{first}..{}]", first + leaves.len()))
}

/// A piece of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes that do not depend on the input, on the same path.
    Text(Vec<u8>),
    /// A byte that does.
    Byte(Term),
}

/// An output as text and symbolic bytes.
pub fn pieces(bytes: &[u8], symbolic: impl IntoIterator<Item = (u64, Term)>) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    for (place, term) in symbolic {
        let place = (place as usize).min(bytes.len());
        if at < place {
            out.push(Piece::Text(bytes[at..place].to_vec()));
        }
        if place < bytes.len() {
            out.push(Piece::Byte(term));
        }
        at = place + 1;
    }
    if at < bytes.len() {
        out.push(Piece::Text(bytes[at..].to_vec()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_a_row_are_a_number() {
        let mut pool = Pool::new();
        let bytes: Vec<Term> = (2..6).map(|at| pool.var(&format!("stdin[{at}]"), Sort::Bits(8))).collect();
        let number = bytes[1..].iter().fold(bytes[0], |low, high| pool.concat(*high, low));
        let ten = pool.bits(32, 10);
        let less = pool.slt(number, ten);
        assert_eq!(show(&mut pool, less), "stdin[2..6] < 10");
        let swapped = pool.concat(bytes[0], bytes[1]);
        assert!(!show(&mut pool, swapped).contains(".."));
    }

    #[test]
    fn outputs_are_cut_into_pieces() {
        let mut pool = Pool::new();
        let x = pool.var("x", Sort::Bits(8));
        let text = |text: &str| Piece::Text(text.into());
        assert_eq!(pieces(b"a?b", [(1, x)]), [text("a"), Piece::Byte(x), text("b")]);
        assert_eq!(pieces(b"??", [(0, x), (1, x)]), [Piece::Byte(x), Piece::Byte(x)]);
        assert_eq!(pieces(b"", []), []);
    }
}
