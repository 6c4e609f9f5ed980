//! Which parts of a change need each other: a statement that calls a function which another part adds cannot stay without it
//! (B11, W3). What does not fit together need not be built to know that it does not.

use super::LineChange;
use crate::facts::{FileFacts, Functions, Keeping};
use hydrogen_syntax::{NameHash, Options};
use std::collections::{BTreeMap, BTreeSet};

/// A file of both versions, and its changes; nothing on the side where it does not exist.
pub struct Versions<'a> {
    /// Its path.
    pub path: &'a str,
    /// The old text.
    pub old: Option<&'a [u8]>,
    /// The new text.
    pub new: Option<&'a [u8]>,
    /// Its parts by their numbers in the whole change: lines, or nothing for the file as a whole.
    pub parts: Vec<(usize, Option<LineChange>)>,
}

/// Per part, the parts without which it does not fit: those that define what it mentions, and for a part that takes a
/// definition away, those that take away what mentions it. Functions count, and nothing that is defined elsewhere too.
pub fn needs(files: &[Versions<'_>], count: usize) -> Vec<BTreeSet<usize>> {
    let old = Side::of(files, |file| file.old, |change| change.old);
    let new = Side::of(files, |file| file.new, |change| change.new);
    let mut needs = vec![BTreeSet::new(); count];
    for (name, definers) in &new.defined {
        if !old.defined.contains_key(name) {
            for part in new.mentioned.get(name).into_iter().flatten() {
                needs[*part].extend(definers.iter().filter(|&it| it != part));
            }
        }
    }
    for (name, definers) in &old.defined {
        if !new.defined.contains_key(name) {
            for part in definers {
                needs[*part].extend(old.mentioned.get(name).into_iter().flatten().filter(|&it| it != part));
            }
        }
    }
    needs
}

/// The first part of a choice that misses another one, and which.
pub fn misfit(needs: &[BTreeSet<usize>], chosen: &[usize]) -> Option<(usize, usize)> {
    let missing = |part: &usize| needs[*part].iter().find(|need| !chosen.contains(need)).copied();
    chosen.iter().find_map(|part| Some((*part, missing(part)?)))
}

/// What one version's parts say.
#[derive(Default)]
struct Side {
    /// Functions, by the parts that have the line where they begin; by none where that line did not change.
    defined: BTreeMap<NameHash, BTreeSet<usize>>,
    /// Names, by the parts whose lines mention them.
    mentioned: BTreeMap<NameHash, BTreeSet<usize>>,
}

impl Side {
    fn of<'a>(
        files: &[Versions<'a>],
        text: impl Fn(&Versions<'a>) -> Option<&'a [u8]>,
        lines: impl Fn(&LineChange) -> (usize, usize),
    ) -> Self {
        let mut side = Self::default();
        for file in files {
            let Some(source) = text(file) else { continue };
            let (facts, _) =
                FileFacts::read(file.path, source, &Options::default(), &Functions::new(Keeping, 64));
            let whole = source.split_inclusive(|&byte| byte == b'\n').count();
            let range = |change: &Option<LineChange>| change.as_ref().map_or((0, whole), &lines);
            for function in &facts.functions {
                // A head may stand on several lines; the first is where it begins.
                let line = (function.line as usize).saturating_sub(1);
                let own = file.parts.iter().filter(|(_, change)| {
                    let (first, count) = range(change);
                    (first..first + count).contains(&line)
                });
                side.defined.entry(function.id).or_default().extend(own.map(|it| it.0));
            }
            let all: Vec<&[u8]> = source.split_inclusive(|&byte| byte == b'\n').collect();
            for (part, change) in &file.parts {
                let (first, count) = range(change);
                for line in &all[first..first + count] {
                    for word in hydrogen_model::sources::words(&String::from_utf8_lossy(line)) {
                        side.mentioned.entry(word).or_default().insert(*part);
                    }
                }
            }
        }
        side
    }
}

#[cfg(test)]
mod tests {
    use super::{Versions, misfit, needs};
    use crate::mine::{Granularity, line_changes};

    fn check(old: &str, new: &str, expect: &[&[usize]]) -> Vec<std::collections::BTreeSet<usize>> {
        let changes = line_changes(old.as_bytes(), new.as_bytes(), Granularity::Hunk);
        let count = changes.len();
        let parts = changes.into_iter().map(Some).enumerate().collect();
        let file = Versions { path: "a.c", old: Some(old.as_bytes()), new: Some(new.as_bytes()), parts };
        let found = needs(&[file], count);
        let lists: Vec<Vec<usize>> = found.iter().map(|it| it.iter().copied().collect()).collect();
        assert_eq!(lists, expect);
        found
    }

    /// W3: a statement that calls an added function needs it; a deleted function needs that nobody calls it.
    #[test]
    fn a_call_needs_its_function() {
        let without = "int one;\nint use(int a)\n{\n  return a;\n}\n";
        let with =
            "int one;\nvoid bump(int *b)\n{\n  (*b)++;\n}\nint use(int a)\n{\n  bump(&a);\n  return a;\n}\n";
        let found = check(without, with, &[&[], &[0]]);
        assert_eq!(misfit(&found, &[0]), None);
        assert_eq!(misfit(&found, &[0, 1]), None);
        assert_eq!(misfit(&found, &[1]), Some((1, 0)));
        let found = check(with, without, &[&[1], &[]]);
        assert_eq!(misfit(&found, &[0]), Some((0, 1)));
        assert_eq!(misfit(&found, &[1]), None);
    }
}
