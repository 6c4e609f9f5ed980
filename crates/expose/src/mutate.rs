//! One change of some bytes: what programs that read texts decide by is a byte, a word, a number, how long or how deep something is, or where it ends.

use crate::vary::{Dice, given};
use crate::vocabulary::Vocabulary;

/// So many bytes are copied or left out at once.
const CHUNK: usize = 6;
/// So often something is repeated at most: what is counted in the small has limits that are small.
const REPEATED: usize = 40;
/// Characters that belong together, and whatever is between them is inside.
const PAIRS: [(u8, u8); 6] =
    [(b'(', b')'), (b'[', b']'), (b'{', b'}'), (b'<', b'>'), (b'"', b'"'), (b'\'', b'\'')];

/// Bytes changed, inserted, left out, repeated, put inside something, cut off, or taken from a lender.
pub(crate) fn changed(dice: &mut Dice, words: &Vocabulary, mut bytes: Vec<u8>, lender: &[u8]) -> Vec<u8> {
    let at = dice.below(bytes.len() + 1);
    let from = dice.below(lender.len());
    let chunk = &lender[from..lender.len().min(from + 1 + dice.below(CHUNK))];
    match dice.below(18) {
        0 | 1 => {
            let byte = dice.pick(&words.bytes).copied().unwrap_or(b'a');
            match bytes.get_mut(at) {
                Some(place) => *place = byte,
                None => bytes.push(byte),
            }
        }
        2 | 3 => {
            let byte = dice.pick(&words.bytes).copied().unwrap_or(b'a');
            bytes.insert(at, byte);
        }
        4 => {
            let end = bytes.len().min(at + 1 + dice.below(CHUNK));
            bytes.drain(at..end);
        }
        5 => {
            if let Some(place) = bytes.get_mut(at) {
                *place = if dice.below(2) == 0 { place.wrapping_add(1) } else { place.wrapping_sub(1) };
            }
        }
        6 => {
            let word = dice.pick(&words.words).cloned().unwrap_or_default();
            bytes.splice(at..at, word);
        }
        7 => {
            bytes.splice(at..at, chunk.iter().copied());
        }
        8 => {
            let end = bytes.len().min(at + chunk.len());
            bytes.splice(at..end, chunk.iter().copied());
        }
        // Whatever a program reads, there are numbers in it: one more, or another one in the place of one.
        9 => {
            let number = given(dice, words, 1).to_string().into_bytes();
            bytes.splice(at..at, number);
        }
        10 => {
            let (begin, end) = number_near(&bytes, at);
            let before = std::str::from_utf8(&bytes[begin..end]).ok().and_then(|text| text.parse().ok());
            let number = given(dice, words, before.unwrap_or(0)).to_string().into_bytes();
            bytes.splice(begin..end, number);
        }
        // Buffers end where the program's own numbers say.
        11 => {
            let len = dice.pick(&words.sizes).map_or(0, |size| size + dice.below(3)).saturating_sub(1);
            let filling = if chunk.is_empty() { b"a" } else { chunk };
            let more = len.saturating_sub(bytes.len());
            bytes.splice(at..at, filling.iter().copied().cycle().take(more));
        }
        // Most programs read until something is complete: what if it never is.
        12 => bytes.truncate(at),
        // A letter of the other case.
        13 => {
            if let Some(place) = bytes.get_mut(at).filter(|byte| byte.is_ascii_alphabetic()) {
                *place ^= 0x20;
            }
        }
        // A part of it once more, or very often.
        14 => {
            let end = bytes.len().min(at + 1 + dice.below(CHUNK));
            let times = if dice.below(4) == 0 { 1 + dice.below(REPEATED) } else { 1 };
            let part = bytes[at..end].repeat(times);
            bytes.splice(at..at, part);
        }
        // A part of it inside something.
        15 => {
            let (open, close) = PAIRS[dice.below(PAIRS.len())];
            let end = at + dice.below(bytes.len() - at + 1);
            bytes.insert(end, close);
            bytes.insert(at, open);
        }
        16 => bytes = dice.pick(&words.phrases).cloned().unwrap_or_else(|| lender.to_vec()),
        _ => bytes = lender.to_vec(),
    }
    bytes
}

/// The digits at a place or behind it; an empty place where there are none.
fn number_near(bytes: &[u8], at: usize) -> (usize, usize) {
    let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_digit);
    let Some(first) = (at..bytes.len()).find(is_digit) else { return (at, at) };
    let begin = (0..first).rev().take_while(is_digit).last().unwrap_or(first);
    let end = (first..=bytes.len()).find(|at| !is_digit(at)).unwrap_or(bytes.len());
    (begin, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of one text in some thousand steps: every kind of change is among it.
    #[test]
    fn every_kind_of_change() {
        let words = Vocabulary {
            bytes: b"%".to_vec(),
            numbers: vec![200],
            sizes: vec![60],
            words: vec![b"word".to_vec()],
            phrases: vec![b"a whole phrase".to_vec()],
        };
        let mut dice = Dice::new();
        let made: Vec<Vec<u8>> =
            (0..20_000).map(|_| changed(&mut dice, &words, b"ab=12;Cd".to_vec(), b"lent")).collect();
        for wanted in [
            "ab",
            "aB=12;Cd",
            "ab=201;Cd",
            "ab=12;ab=12;Cd",
            "ab=[12];Cd",
            "a whole phrase",
            "lent",
            "ab=12;Cd%",
            "ab=12;Cdword",
            "ab=;Cd",
        ] {
            assert!(made.iter().any(|one| one == wanted.as_bytes()), "{wanted}");
        }
        assert!(made.iter().any(|one| one.len() == 60) && made.iter().any(|one| one.len() > 100));
    }

    #[test]
    fn numbers_are_found_whole() {
        for (text, at, place) in
            [("a12b", 0, (1, 3)), ("a12b", 2, (1, 3)), ("a12", 3, (3, 3)), ("", 0, (0, 0))]
        {
            assert_eq!(number_near(text.as_bytes(), at), place, "{text} {at}");
        }
    }
}
