//! The changes of a step from one tree to the next, function by function.

use crate::change::FunctionChange;
use crate::facts::FunctionFacts;
use crate::index::{FunctionKey, Index};
use crate::items::{ChangedItems, common, moved};
use crate::mechanical::{Pair, Rewriting, may_be_rewritten};
use crate::pairs::{Pairs, Place, Touched, pair_changed};
use hydrogen_evidence::complexity::Mechanical;
use hydrogen_syntax::NameHash;
use std::collections::BTreeMap;

/// What a step changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Changed functions of the new tree.
    pub functions: BTreeMap<FunctionKey, FunctionChange>,
    /// Functions that are gone.
    pub gone: Vec<Gone>,
    /// Macros, types, variables and enumerators that say something else, sorted.
    pub items: Vec<Box<str>>,
    /// Changes of many places by one rule, of which the functions have one place each; see [`Changes::counted`].
    pub mechanical: Vec<Mechanical>,
    /// Functions in which such changes are all there is, and are counted elsewhere.
    pub rewritten: Vec<FunctionChange>,
}

/// A function that is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gone {
    /// The file it was in.
    pub file: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Where it began.
    pub line: u32,
    /// How many of its lines computed something.
    pub lines: usize,
    /// Its position in the file.
    pub function: u32,
}

impl Changes {
    /// What differs between the two sides of the touched files; `index` is at the new tree. Also functions of other files
    /// are changed, where a macro, type, variable or enumerator in them means something else now.
    pub fn of(index: &Index, touched: &[Touched]) -> Self {
        Self::collect(index, touched, false, None)
    }

    /// As [`Changes::of`], with one place only of what was rewritten in many places by one rule. For measuring: what a
    /// change does depends on all of its places.
    pub fn counted(index: &Index, touched: &[Touched]) -> Self {
        Self::collect(index, touched, true, None)
    }

    /// With `once` as [`Changes::counted`], else as [`Changes::of`]; where something is `wanted`, as much of it as
    /// [`Changes::common`] asks for there.
    pub(crate) fn collect(index: &Index, touched: &[Touched], once: bool, wanted: Option<&Changes>) -> Self {
        let (pairs, looked_at) = pair_changed(touched);
        let step = Compared { touched, pairs, looked_at };
        if let Some(narrow) = wanted.and_then(|wanted| step.narrow(once, wanted)) {
            return narrow;
        }
        let (functions, both) = step.functions(|_| true);
        let mut changes = Self { functions, gone: step.gone(), ..Self::default() };
        let rewriting = if once { Rewriting::of(&changes.functions, &both) } else { Rewriting::default() };
        changes.pair_renamed(index, touched, &rewriting);
        let emptied;
        (changes.mechanical, emptied) = rewriting.count_once(index, &mut changes.functions);
        changes.rewritten.extend(emptied);
        changes.add_meanings(index, touched, &rewriting, wanted);
        changes
    }

    /// A function that is gone under a name that was replaced everywhere is the one with the new name, however short, if
    /// nothing but such rules tells them apart.
    fn pair_renamed(&mut self, index: &Index, touched: &[Touched], rewriting: &Rewriting) {
        let rewritten = |was: &FunctionFacts, is: &FunctionFacts| {
            let same = |old: &str, new: &str| old == new || rewriting.explains(old, new);
            was.pieces.len() == is.pieces.len()
                && was.flow == is.flow
                && same(&was.head, &is.head)
                && (0..was.pieces.len()).all(|piece| same(was.text_of(piece), is.text_of(piece)))
        };
        let (functions, moved) = (&mut self.functions, &mut self.rewritten);
        self.gone.retain(|gone| {
            let old = touched.iter().filter_map(|file| file.old.as_ref()).find(|file| file.path == gone.file);
            let Some((old, name)) = old.zip(rewriting.new_name(&gone.name)) else { return true };
            let old = &old.functions[gone.function as usize];
            let named = functions.keys().copied().filter(|&key| &*index.function(key).name == name);
            let same = named.filter(|&key| rewritten(old, index.function(key)));
            let Some(key) = same.min_by_key(|&key| index.position(key)) else { return true };
            moved.extend(functions.remove(&key));
            false
        });
    }

    fn add_meanings(
        &mut self,
        index: &Index,
        touched: &[Touched],
        rewriting: &Rewriting,
        wanted: Option<&Changes>,
    ) {
        let moved = moved(touched);
        // A file that was moved goes under its old number on both sides.
        let back: BTreeMap<u32, u32> = moved.iter().map(|(new, old)| (*old, *new)).collect();
        let home = |file: &Touched| back.get(&file.file).copied().unwrap_or(file.file);
        let mut items = ChangedItems::of(touched, home, rewriting);
        self.items = items.spelled.iter().cloned().collect();
        if wanted.is_some_and(|wanted| !wanted.functions.values().any(FunctionChange::has_meaning)) {
            return;
        }
        items.share(touched, index);
        items.close(touched, || index.files().collect());
        if items.is_empty() {
            return;
        }
        let everywhere: Vec<NameHash> = items.everywhere.iter().copied().collect();
        for (number, facts) in index.files() {
            let is_wanted = |at: usize| {
                let key = FunctionKey { file: number, function: at as u32 };
                wanted.is_none_or(|wanted| wanted.functions.contains_key(&key))
            };
            let all =
                FunctionKey { file: number, function: 0 }..=FunctionKey { file: number, function: u32::MAX };
            if wanted.is_some_and(|wanted| wanted.functions.range(all).next().is_none()) {
                continue;
            }
            let own = items.local.get(&number).map(|own| items.everywhere.union(own).copied().collect());
            let own: Option<Vec<NameHash>> = own;
            let names = own.as_ref().unwrap_or(&everywhere);
            if common(names, facts.uses()).next().is_none() && !facts.has_problems() {
                continue;
            }
            for (at, function) in facts.functions.iter().enumerate().filter(|(at, _)| is_wanted(*at)) {
                let key = FunctionKey { file: number, function: at as u32 };
                let mut change = self.functions.remove(&key).unwrap_or_default();
                change.add_meaning(function, names);
                if !change.is_empty() {
                    self.functions.insert(key, change);
                }
            }
        }
    }

    /// What is changed against both: what a merge brings that neither of its parents has. What is gone is gone from all.
    pub fn common(mut self, other: &Changes) -> Self {
        self.functions.retain(|key, change| {
            let Some(other) = other.functions.get(key) else { return false };
            change.pieces.retain(|piece, why| other.pieces.get(piece) == Some(why));
            change.deletions.retain(|it| other.deletions.iter().any(|that| that.edges == it.edges));
            change.lines.retain(|line| other.lines.contains(line));
            change.head &= other.head;
            change.hunks.retain(|hunk| other.hunks.iter().any(|that| overlap(hunk.new, that.new)));
            change.deleted_lines = change.deleted_lines.min(other.deleted_lines);
            !change.is_empty()
        });
        let same = |it: &Gone, that: &Gone| (&it.file, &it.name) == (&that.file, &that.name);
        self.items.retain(|item| other.items.contains(item));
        self.mechanical.retain(|it| other.mechanical.contains(it));
        if self.mechanical.is_empty() {
            self.rewritten.clear();
        }
        self.gone.retain(|it| other.gone.iter().any(|that| same(it, that)));
        self
    }

    /// Leaves only what the published tool sees: statements of the new version with another text that compute something.
    pub fn visible_to_thesis(mut self, index: &Index) -> Self {
        self.gone.clear();
        self.functions.retain(|&key, change| {
            let facts: &FunctionFacts = index.function(key);
            change.pieces.retain(|&piece, why| {
                *why == crate::change::Why::Text && facts.pieces[piece as usize].kind.is_executable()
            });
            change.deletions.clear();
            change.head = false;
            !change.is_empty()
        });
        self
    }
}

/// The two sides of a step, and which of their functions belong together.
struct Compared<'a> {
    touched: &'a [Touched],
    pairs: Pairs,
    /// The functions of the new side that are not the very same on the old one.
    looked_at: Vec<Place>,
}

impl<'a> Compared<'a> {
    /// The functions of the new side that changed, and both versions of those that have two.
    fn functions(
        &self,
        wanted: impl Fn(&FunctionKey) -> bool,
    ) -> (BTreeMap<FunctionKey, FunctionChange>, Vec<Pair<'a>>) {
        let (mut functions, mut both) = (BTreeMap::new(), Vec::new());
        for &(number, at) in &self.looked_at {
            let file = &self.touched[number];
            let key = FunctionKey { file: file.file, function: at as u32 };
            let Some(new) = file.new.as_ref().filter(|_| wanted(&key)) else { continue };
            let function = &new.functions[at];
            let before = self.pairs.old_of.get(&(number, at)).map(|&place| self.old(place));
            let change = match before {
                Some(old) => FunctionChange::between(old, function),
                None => FunctionChange::added(function),
            };
            if !change.is_empty() {
                both.extend(before.map(|old| Pair { key, old, new: function }));
                functions.insert(key, change);
            }
        }
        (functions, both)
    }

    /// The functions that are gone, sorted.
    fn gone(&self) -> Vec<Gone> {
        let gone = self.pairs.gone.iter().map(|&(file, at)| {
            let function = self.old((file, at));
            Gone {
                file: self.touched[file].path.clone(),
                name: function.name.clone(),
                line: function.line,
                lines: FunctionChange::lines_of(function).len(),
                function: at as u32,
            }
        });
        let mut gone: Vec<Gone> = gone.collect();
        gone.sort_unstable();
        gone
    }

    fn old(&self, (file, at): Place) -> &'a FunctionFacts {
        &self.touched[file].old.as_ref().expect("an old function has an old file").functions[at]
    }

    /// The changed functions alone, and only those that are wanted: a merge is compared with a parent that all of the other line
    /// is different in, and few functions are asked for. Nothing where more than these functions decides what is left of them.
    fn narrow(&self, once: bool, wanted: &Changes) -> Option<Changes> {
        let more = !wanted.items.is_empty() || !wanted.mechanical.is_empty() || !wanted.gone.is_empty();
        if more || wanted.functions.values().any(FunctionChange::has_meaning) {
            return None;
        }
        let (functions, both) = self.functions(|key| wanted.functions.contains_key(key));
        // A rule that was applied to one of them may have been applied to many others.
        if once && (may_be_rewritten(&functions, &both) || self.may_be_renamed(&functions)) {
            return None;
        }
        Some(Changes { functions, ..Changes::default() })
    }

    /// Whether one of the functions may be one that is gone, with other names in it; see [`Changes::pair_renamed`].
    fn may_be_renamed(&self, functions: &BTreeMap<FunctionKey, FunctionChange>) -> bool {
        let alike = |was: &FunctionFacts, is: &FunctionFacts| {
            was.pieces.len() == is.pieces.len() && was.flow == is.flow
        };
        let mut new = self.looked_at.iter().filter_map(|&(number, at)| {
            let file = &self.touched[number];
            let key = FunctionKey { file: file.file, function: at as u32 };
            let facts = file.new.as_ref().filter(|_| functions.contains_key(&key))?;
            Some(&facts.functions[at])
        });
        new.any(|is| self.pairs.gone.iter().any(|&gone| alike(self.old(gone), is)))
    }
}

fn overlap(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 < b.0 + b.1.max(1) && b.0 < a.0 + a.1.max(1)
}
