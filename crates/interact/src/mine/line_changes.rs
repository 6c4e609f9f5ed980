//! The textual changes of a file, each of which can be taken back alone (B10, B12).

use hydrogen_align::{Hunk, Matching};

/// A change of a file's lines, or of a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// The first old line that it replaces, from 0, and how many.
    pub old: (usize, usize),
    /// The first new line that it brings, from 0, and how many.
    pub new: (usize, usize),
}

/// How finely a change is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Granularity {
    /// A file at a time.
    File,
    /// Runs of lines that changed.
    #[default]
    Hunk,
    /// Single lines: each deleted one and each inserted one by itself; white space does not count.
    Line,
}

/// The lines of a text, with their ends.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// The changes from one text to another, in order. Where lines differ in white space only and that does not count, the new
/// ones are always taken.
pub fn line_changes(old: &[u8], new: &[u8], granularity: Granularity) -> Vec<LineChange> {
    let (before, after) = (lines(old), lines(new));
    let keys = |lines: &[&[u8]]| -> Vec<u64> {
        let key = |line: &&[u8]| match granularity {
            Granularity::Line => {
                let black: Vec<u8> =
                    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                crate::facts::hash(&black)
            }
            _ => crate::facts::hash(line),
        };
        lines.iter().map(key).collect()
    };
    let mut changes = Vec::new();
    for Hunk { old, new } in Matching::of(&keys(&before), &keys(&after)).hunks {
        match granularity {
            Granularity::Line => {
                changes.extend(old.clone().map(|at| LineChange { old: (at, 1), new: (new.start, 0) }));
                changes.extend(new.map(|at| LineChange { old: (old.end, 0), new: (at, 1) }));
            }
            _ => changes.push(LineChange { old: (old.start, old.len()), new: (new.start, new.len()) }),
        }
    }
    if granularity == Granularity::File && !changes.is_empty() {
        return vec![LineChange { old: (0, before.len()), new: (0, after.len()) }];
    }
    changes
}

/// The text with some of the changes: `chosen` says which, by position.
pub fn with_changes(
    old: &[u8],
    new: &[u8],
    changes: &[LineChange],
    chosen: impl Fn(usize) -> bool,
) -> Vec<u8> {
    let (before, after) = (lines(old), lines(new));
    let mut out = Vec::with_capacity(new.len());
    // Lines between changes are in both; the new spelling is taken.
    let (mut i, mut j) = (0, 0);
    for (number, change) in changes.iter().enumerate() {
        while i < change.old.0 && j < change.new.0 {
            out.extend_from_slice(after[j]);
            (i, j) = (i + 1, j + 1);
        }
        let (gone, come) = (
            &before[change.old.0..change.old.0 + change.old.1],
            &after[change.new.0..change.new.0 + change.new.1],
        );
        let taken = if chosen(number) { come } else { gone };
        taken.iter().for_each(|line| out.extend_from_slice(line));
        (i, j) = (i.max(change.old.0 + change.old.1), j.max(change.new.0 + change.new.1));
    }
    after[j.min(after.len())..].iter().for_each(|line| out.extend_from_slice(line));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// All changes give the new text, none gives the old one, and changes are independent of each other.
        #[test]
        fn all_or_none(old in "([abc ]{0,2}\n){0,8}[ab]?", new in "([abc ]{0,2}\n){0,8}[ab]?", bits in any::<u32>()) {
            for granularity in [Granularity::File, Granularity::Hunk, Granularity::Line] {
                let changes = line_changes(old.as_bytes(), new.as_bytes(), granularity);
                let with = |chosen: &dyn Fn(usize) -> bool| {
                    with_changes(old.as_bytes(), new.as_bytes(), &changes, chosen)
                };
                let black = |text: &[u8]| -> Vec<u8> {
                    text.iter().copied().filter(|byte| granularity != Granularity::Line || *byte > b' ').collect()
                };
                prop_assert_eq!(black(&with(&|_| true)), black(new.as_bytes()));
                prop_assert_eq!(black(&with(&|_| false)), black(old.as_bytes()));
                let some = with(&|at| bits >> (at % 32) & 1 == 1);
                let expect: usize = changes
                    .iter()
                    .enumerate()
                    .map(|(at, it)| if bits >> (at % 32) & 1 == 1 { it.new.1 } else { it.old.1 })
                    .sum();
                let kept = lines(new.as_bytes()).len() - changes.iter().map(|it| it.new.1).sum::<usize>();
                // A last line without an end joins with what follows it.
                let found = lines(&some).len();
                prop_assert!(found == expect + kept || found + 1 == expect + kept);
            }
        }
    }

    #[test]
    fn lines_are_changes_of_their_own() {
        let (old, new) = (b"a\nb\nc\n", b"a\nx\n  c\nd\n");
        let changes = line_changes(old, new, Granularity::Line);
        assert_eq!(changes.len(), 3);
        let some = with_changes(old, new, &changes, |at| at == 2);
        assert_eq!(String::from_utf8_lossy(&some), "a\nb\n  c\nd\n");
    }
}
