//! What the files of a version say about names that other files use.

use crate::NameHash;
use crate::facts::Facts;
use crate::layered::Layered;
use crate::memory::Hash128;
use crate::token::{TEXT, WORD, tokens};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// A definition as far as it is known; `None` where there are several that differ.
type Definition = Option<Arc<[u8]>>;

/// Macros and functions that do not return, as headers declare them. Reading a file with the names of its version's
/// headers tells macros from functions, and the end of a path from a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// What follows each macro's name in its definition.
    macros: Layered<Definition>,
    no_return: HashSet<NameHash, BuildHasherDefault<Identity>>,
    stamp: Stamp,
}

/// Tells contents apart without looking at them: the sum of the hashes of all that is said. A history that comes back to what
/// headers said before comes back to the stamp, and so to what was read then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stamp(u128);

impl Stamp {
    /// What a definition adds.
    fn of_macro(name: NameHash, definition: &Definition) -> u128 {
        let text = definition.as_deref();
        Hash128::of(text.unwrap_or_default(), [name.0, u64::from(text.is_some())]).finish()
    }

    /// What a function that does not return adds.
    fn of_function(name: NameHash) -> u128 {
        Hash128::of(&[], [name.0, 2]).finish()
    }

    fn change(&mut self, gone: Option<u128>, added: Option<u128>) {
        self.0 = self.0.wrapping_sub(gone.unwrap_or(0)).wrapping_add(added.unwrap_or(0));
    }
}

/// Names are hashes already. The order of such maps is never looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only hashes of names are keys");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Names {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let macros = facts.macros.iter().map(|(name, text)| (NameHash::of(name), text.map(without_strings)));
        Self::said(macros.collect(), facts.no_return.iter().map(|name| NameHash::of(name)).collect())
    }

    fn said(macros: Layered<Definition>, no_return: HashSet<NameHash, BuildHasherDefault<Identity>>) -> Self {
        let mut stamp = Stamp::default();
        macros.iter().for_each(|(name, text)| stamp.change(None, Some(Stamp::of_macro(*name, text))));
        no_return.iter().for_each(|name| stamp.change(None, Some(Stamp::of_function(*name))));
        Self { macros, no_return, stamp }
    }

    /// Says something else about a name, or nothing.
    fn set_macro(&mut self, name: NameHash, definition: Option<Definition>) {
        let of = |definition: &Definition| Stamp::of_macro(name, definition);
        self.stamp.change(self.macros.get(&name).map(of), definition.as_ref().map(of));
        match definition {
            Some(definition) => self.macros.insert(name, definition),
            None => self.macros.remove(&name),
        }
    }

    /// Says whether a function of this name returns.
    fn set_no_return(&mut self, name: NameHash, no_return: bool) {
        let changed = if no_return { self.no_return.insert(name) } else { self.no_return.remove(&name) };
        let part = Some(Stamp::of_function(name)).filter(|_| changed);
        match no_return {
            true => self.stamp.change(None, part),
            false => self.stamp.change(part, None),
        }
    }

    /// Names with the same stamp say the same.
    pub fn stamp(&self) -> u128 {
        self.stamp.0
    }

    /// What the parts of a file say together: macros with their definitions as they are written, and as other files see them.
    pub(crate) fn of_parts<'a>(
        macros: impl Iterator<Item = &'a Macro>,
        no_return: impl Iterator<Item = NameHash>,
    ) -> Self {
        let mut all: HashMap<NameHash, &'a Macro, BuildHasherDefault<Identity>> = HashMap::default();
        let mut differ: Vec<NameHash> = Vec::new();
        for one in macros {
            if all.entry(one.id).or_insert(one).text != one.text {
                differ.push(one.id);
            }
        }
        let mut macros: HashMap<NameHash, Definition, BuildHasherDefault<Identity>> =
            all.into_iter().map(|(id, one)| (id, one.seen.clone())).collect();
        macros.extend(differ.into_iter().map(|id| (id, None)));
        Self::said(macros.into_iter().collect(), no_return.collect())
    }

    /// Adds the names of another file. The order of files does not matter.
    pub fn merge(&mut self, other: Names) {
        for (name, text) in other.macros.iter() {
            match self.macros.get(name) {
                None => self.set_macro(*name, Some(text.clone())),
                Some(known) if known != text => self.set_macro(*name, Some(None)),
                Some(_) => {}
            }
        }
        other.no_return.into_iter().for_each(|name| self.set_no_return(name, true));
    }

    pub(crate) fn definition(&self, name: &[u8]) -> Option<&[u8]> {
        self.macros.get(&NameHash::of(name))?.as_deref()
    }

    /// What is said about a name: its definition, if it is a macro, and whether it is a function that does not return.
    pub(crate) fn about(&self, name: NameHash) -> (Option<Option<&[u8]>>, bool) {
        (self.macros.get(&name).map(Option::as_deref), self.no_return.contains(&name))
    }

    pub(crate) fn never_returns(&self, name: &[u8]) -> bool {
        self.no_return.contains(&NameHash::of(name))
    }

    /// A hash of everything that is said about these names and about the names in their definitions, however deep: a text that
    /// mentions no others is read alike wherever this is the same.
    pub fn digest(&self, mentions: &[NameHash]) -> u64 {
        let mut seen: HashSet<NameHash, BuildHasherDefault<Identity>> = HashSet::default();
        let mut wanted: Vec<NameHash> = Vec::new();
        let mut hash = 0u64;
        let mut mix = |value: u64| hash = (hash.rotate_left(7) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Names without definition need no mark: they lead no further.
        for &name in mentions {
            if self.no_return.contains(&name) {
                mix(name.0 ^ 1);
            }
            if self.macros.contains_key(&name) && seen.insert(name) {
                wanted.push(name);
            }
        }
        while let Some(name) = wanted.pop() {
            mix(name.0);
            let Some(text) = self.macros.get(&name).and_then(Option::as_deref) else { continue };
            mix(NameHash::of(text).0);
            for word in words(text).filter(|word| self.macros.contains_key(word)) {
                if seen.insert(word) {
                    wanted.push(word);
                }
            }
        }
        hash
    }
}

/// A macro as a part of a file defines it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Macro {
    pub id: NameHash,
    pub name: Box<[u8]>,
    /// What follows the name; nothing where definitions differ.
    pub text: Option<Box<[u8]>>,
    /// What other files see of that.
    seen: Definition,
}

impl Macro {
    pub fn of(name: &[u8], text: Option<&[u8]>) -> Self {
        Self {
            id: NameHash::of(name),
            name: name.into(),
            text: text.map(Box::from),
            seen: text.map(without_strings),
        }
    }
}

/// A definition with empty strings: what they say decides nothing, and versions of programs change in it most.
fn without_strings(text: &[u8]) -> Arc<[u8]> {
    if !text.contains(&b'"') {
        return Arc::from(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for token in tokens(text).iter().filter(|token| token.kind == TEXT) {
        out.extend_from_slice(&text[copied..token.start as usize]);
        out.extend_from_slice(b"\"\"");
        copied = token.end as usize;
    }
    out.extend_from_slice(&text[copied..]);
    out.into()
}

/// The words of a definition, in order.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = NameHash> {
    tokens(text).into_iter().filter(|token| token.kind == WORD).map(|token| NameHash::of(token.text(text)))
}

/// The names of many files that come and go, as versions of a program follow each other. What is known at any time is
/// exactly what merging the names of the files present would give.
#[derive(Debug, Clone, Default)]
pub struct NameCounts {
    macros: HashMap<NameHash, BTreeMap<Definition, u32>, BuildHasherDefault<Identity>>,
    no_return: HashMap<NameHash, u32, BuildHasherDefault<Identity>>,
    /// The macros that a name stands in the known definition of.
    users: HashMap<NameHash, BTreeSet<NameHash>, BuildHasherDefault<Identity>>,
    known: Arc<Names>,
}

impl NameCounts {
    /// What all files together say.
    pub fn known(&self) -> &Arc<Names> {
        &self.known
    }

    /// Takes what all files say from somebody who holds it already, so that it is shared again. Others are left alone.
    pub fn is_known(&mut self, known: Arc<Names>) {
        if known.stamp() == self.known.stamp() {
            self.known = known;
        }
    }

    /// Replaces the names of files, each given before and after; gives the names about which something else is said now,
    /// directly or through what they are defined by, sorted. What a file says before and after is not looked at twice.
    pub fn replace<'a>(
        &mut self,
        files: impl IntoIterator<Item = (Option<&'a Names>, Option<&'a Names>)>,
    ) -> Vec<NameHash> {
        let nothing = Names::default();
        let mut touched: Vec<NameHash> = Vec::new();
        for (old, new) in files {
            let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
            if old.stamp() == new.stamp() {
                continue;
            }
            for (name, text) in new.macros.iter().filter(|(name, text)| old.macros.get(name) != Some(*text)) {
                *self.macros.entry(*name).or_default().entry(text.clone()).or_default() += 1;
                touched.push(*name);
            }
            for name in new.no_return.difference(&old.no_return) {
                *self.no_return.entry(*name).or_default() += 1;
                touched.push(*name);
            }
            for (name, text) in old.macros.iter().filter(|(name, text)| new.macros.get(name) != Some(*text)) {
                if let Some(counts) = self.macros.get_mut(name) {
                    let count = counts.get_mut(text);
                    if count.is_some_and(|count| decrease(count) == 0) {
                        counts.remove(text);
                    }
                    if counts.is_empty() {
                        self.macros.remove(name);
                    }
                }
                touched.push(*name);
            }
            for name in old.no_return.difference(&new.no_return) {
                if self.no_return.get_mut(name).is_some_and(|count| decrease(count) == 0) {
                    self.no_return.remove(name);
                }
                touched.push(*name);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|name| self.update(*name));
        self.close(&mut touched);
        touched
    }

    /// Brings one name up to date; says whether anything changed.
    fn update(&mut self, name: NameHash) -> bool {
        let definition = self.macros.get(&name).map(|counts| {
            let mut all = counts.keys();
            all.next().filter(|_| all.next().is_none()).cloned().flatten()
        });
        let no_return = self.no_return.contains_key(&name);
        let before = &self.known;
        if before.macros.get(&name) == definition.as_ref() && before.no_return.contains(&name) == no_return {
            return false;
        }
        let old = before.macros.get(&name).and_then(Option::as_deref).map(<[u8]>::to_vec);
        for word in old.iter().flat_map(|text| words(text)) {
            if let Some(users) = self.users.get_mut(&word) {
                users.remove(&name);
            }
        }
        for word in definition.iter().flatten().flat_map(|text| words(text)) {
            self.users.entry(word).or_default().insert(name);
        }
        let known = Arc::make_mut(&mut self.known);
        known.set_macro(name, definition);
        known.set_no_return(name, no_return);
        true
    }

    /// Adds the macros that are defined by one of the names, however deep.
    fn close(&self, names: &mut Vec<NameHash>) {
        if names.is_empty() {
            return;
        }
        let mut all: HashSet<NameHash, BuildHasherDefault<Identity>> = names.iter().copied().collect();
        let mut at = 0;
        while at < names.len() {
            for &user in self.users.get(&names[at]).into_iter().flatten() {
                if all.insert(user) {
                    names.push(user);
                }
            }
            at += 1;
        }
        names.sort_unstable();
    }
}

fn decrease(count: &mut u32) -> u32 {
    *count -= 1;
    *count
}

#[cfg(test)]
mod tests {
    use super::{NameCounts, Names};
    use crate::{NameHash, names};
    use proptest::prelude::*;

    fn merged(all: &[Names]) -> Names {
        let mut known = Names::default();
        all.iter().for_each(|names| known.merge(names.clone()));
        known
    }

    #[test]
    fn a_name_is_touched_through_what_it_is_defined_by() {
        let mut counts = NameCounts::default();
        let old = names(b"#define A B\n#define B 1\n#define C 3\n");
        let new = names(b"#define A B\n#define B 2\n#define C 3\n");
        counts.replace([(None, Some(&old))]);
        let touched = counts.replace([(Some(&old), Some(&new))]);
        let mut expect = vec![NameHash::of(b"A"), NameHash::of(b"B")];
        expect.sort_unstable();
        assert_eq!(touched, expect);
        let digest = |known: &Names, name: &[u8]| known.digest(&[NameHash::of(name)]);
        assert_ne!(digest(&merged(std::slice::from_ref(&old)), b"A"), digest(counts.known(), b"A"));
        assert_eq!(digest(&merged(std::slice::from_ref(&old)), b"C"), digest(counts.known(), b"C"));
    }

    #[test]
    fn what_strings_say_is_not_asked() {
        let names = |text: &str| super::super::names(format!("#define V {text}\n").as_bytes());
        assert_eq!(names("f(\"1.2\", 3, \"a\\\"b\")"), names("f(\"1.3\", 3, \"\")"));
        assert_ne!(names("f(\"1.2\", 3)"), names("f(\"1.2\", 4)"));
        assert_ne!(names("\"open"), names("open"));
    }

    fn header() -> impl Strategy<Value = Names> {
        let line = (0..5u8, 0..5u8, 0..3u8).prop_map(|(name, text, kind)| match kind {
            0 => format!("#define M{name} M{text}\n"),
            1 => format!("#define M{name} {text}\n"),
            _ => format!("_Noreturn void M{name}(void);\n"),
        });
        prop::collection::vec(line, 0..6).prop_map(|lines| names(lines.concat().as_bytes()))
    }

    proptest! {
        #[test]
        fn counting_is_merging(
            first in prop::collection::vec(header(), 0..5),
            second in prop::collection::vec(header(), 0..5),
        ) {
            let mut counts = NameCounts::default();
            counts.replace(first.iter().map(|file| (None, Some(file))));
            prop_assert_eq!(&**counts.known(), &merged(&first));
            let side = |files: &[Names], at: usize| files.get(at).cloned();
            let both: Vec<_> = (0..first.len().max(second.len())).map(|at| (side(&first, at), side(&second, at))).collect();
            let touched = counts.replace(both.iter().map(|(old, new)| (old.as_ref(), new.as_ref())));
            prop_assert_eq!(&**counts.known(), &merged(&second));
            for number in 0..5 {
                let name = NameHash::of(format!("M{number}").as_bytes());
                let same = merged(&first).digest(&[name]) == merged(&second).digest(&[name]);
                prop_assert!(same || touched.contains(&name), "M{} changed silently", number);
            }
        }
    }
}
