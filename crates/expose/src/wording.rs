//! Differences that are words of messages alone: texts of the program's own code that versions spell differently.
//!
//! A message that was worded anew makes every input differ that prints it. Such a difference is one, and is told once; it must not hide the others.

use hydrogen_ir::{Const, Module};
use hydrogen_machine::Program;
use hydrogen_pair::{Observable, Outcome};
use std::collections::BTreeSet;

/// Parts of messages that not all of some programs have.
#[derive(Debug, Clone, Default)]
pub struct Wording {
    /// The longest first, so that none is cut by a part of it.
    pieces: Vec<Vec<u8>>,
}

/// A shorter text may be what a program computes with.
const SHORTEST: usize = 4;
/// So many letters make a text words.
const LETTERS: usize = 3;

impl Wording {
    /// What some of these programs say in other words than the others.
    pub fn of(programs: &[&Program]) -> Self {
        let all: Vec<BTreeSet<Vec<u8>>> =
            programs.iter().map(|program| program.units().next().map(pieces).unwrap_or_default()).collect();
        let differ: BTreeSet<&Vec<u8>> =
            all.iter().flatten().filter(|piece| !all.iter().all(|one| one.contains(*piece))).collect();
        let mut pieces: Vec<Vec<u8>> = differ.into_iter().cloned().collect();
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        Self { pieces }
    }

    /// Whether two outcomes are the same but for words.
    pub fn same(&self, one: &Outcome, other: &Outcome) -> bool {
        let rest: Vec<Observable> = Observable::usual()
            .into_iter()
            .filter(|one| !matches!(one, Observable::Stdout | Observable::Stderr))
            .collect();
        one.same(other, &rest)
            && self.without(&one.stdout) == self.without(&other.stdout)
            && self.without(&one.stderr) == self.without(&other.stderr)
    }

    /// The lines of an output without those words, and without lines that were nothing else.
    fn without(&self, output: &[u8]) -> Vec<Vec<u8>> {
        let mut rest = output.to_vec();
        for piece in &self.pieces {
            while let Some(at) = rest.windows(piece.len()).position(|window| window == piece.as_slice()) {
                rest.drain(at..at + piece.len());
            }
        }
        let lines = rest.split(|byte| *byte == b'\n').map(|line| line.trim_ascii().to_vec());
        lines.filter(|line| !line.is_empty()).collect()
    }
}

/// The literals of a program in the parts that are printed as they stand: lines, between the places that `printf` fills in.
fn pieces(module: &Module) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    for global in module.globals.iter().filter(|global| global.private) {
        let Some(Const::Bytes { data, .. }) = global.initializer.map(|id| module.constant(id)) else {
            continue;
        };
        let text = data.split(|byte| *byte == 0).next().unwrap_or_default();
        for line in text.split(|byte| *byte == b'\n') {
            // Who prints it with `fputs` prints it whole.
            let parts = [line.to_vec()].into_iter().chain(between(line));
            found.extend(parts.filter(|piece| is_wording(piece)));
        }
    }
    found
}

fn is_wording(piece: &[u8]) -> bool {
    piece.len() >= SHORTEST && piece.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= LETTERS
}

/// What stands between the conversions of a format.
fn between(line: &[u8]) -> Vec<Vec<u8>> {
    let mut found = vec![Vec::new()];
    let mut rest = line.iter();
    while let Some(byte) = rest.next() {
        if *byte == b'%' {
            // Flags, width and length, up to the letter that says what is printed.
            rest.by_ref()
                .find(|byte| byte.is_ascii_alphabetic() && !b"hlLqjzt".contains(byte) || **byte == b'%');
            found.push(Vec::new());
        } else if let Some(last) = found.last_mut() {
            last.push(*byte);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_pair::Ending;

    fn outcome(stderr: &str) -> Outcome {
        Outcome {
            ending: Ending::Exit(1),
            behind: Vec::new(),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            files: Default::default(),
            named: Vec::new(),
            memory: Vec::new(),
            made: Default::default(),
        }
    }

    #[test]
    fn a_format_is_cut_at_its_conversions() {
        let parts = between(b"%s: line %-5ld of %%d");
        assert_eq!(parts, ["", ": line ", " of ", "d"].map(|part| part.as_bytes().to_vec()));
    }

    #[test]
    fn other_words_are_no_other_outcome() {
        let pieces = ["invalid byte or field list", "invalid list"].map(|piece| piece.as_bytes().to_vec());
        let wording = Wording { pieces: pieces.to_vec() };
        assert!(wording.same(&outcome("cut: invalid byte or field list\n"), &outcome("cut: invalid list\n")));
        assert!(!wording.same(&outcome("cut: invalid list\n"), &outcome("")));
        assert!(!wording.same(&outcome("cut: invalid list 3\n"), &outcome("cut: invalid list 4\n")));
    }
}
