//! The functions of one tree: who defines and who calls which name. It moves along a history by what differs.

use crate::facts::{FileFacts, FunctionFacts};
use crate::pairs::Touched;
use bstr::BString;
use hydrogen_align::{Sight, is_included, reached};
use hydrogen_history::tree::{Change, ChangedFile, Error, FileEntry};
use hydrogen_history::{Objects, Repository};
use hydrogen_model::differing;
use hydrogen_model::sources::{Snapshot, Sources, Step, is_c};
use hydrogen_syntax::{NameHash, Names};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A function of the tree: its file's number and its own in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionKey {
    /// The file.
    pub file: u32,
    /// The function in [`FileFacts::functions`].
    pub function: u32,
}

/// The functions of one tree.
#[derive(Debug, Default)]
pub struct Index {
    snapshot: Snapshot,
    /// Files by number; numbers are never used for another path.
    files: Vec<Option<Arc<FileFacts>>>,
    numbers: BTreeMap<Box<str>, u32>,
    /// The files that define a function of this name, and those that call one.
    defining: ByName,
    calling: ByName,
}

/// Fewer files than this are read by the calling thread.
const PARALLEL: usize = 8;

impl Index {
    /// Moves to another tree of the repository. Gives the files that differ, and those that are read differently because of
    /// what headers say.
    pub fn advance(
        &mut self,
        repository: &Repository,
        sources: &Sources<FileFacts>,
        tree: &str,
    ) -> Result<Vec<Touched>, Error> {
        let objects = Objects::new(repository);
        self.advance_with(repository, &objects, sources, tree).map(|(touched, _)| touched)
    }

    /// As [`Index::advance`], with a view of the repository at hand; gives also all that differs, C or not.
    pub(crate) fn advance_with(
        &mut self,
        repository: &Repository,
        objects: &Objects,
        sources: &Sources<FileFacts>,
        tree: &str,
    ) -> Result<(Vec<Touched>, Step), Error> {
        let step = self.snapshot.advance(sources, objects, tree)?;
        let wanted: Vec<FileEntry> = step.reread(&self.snapshot).into_iter().cloned().collect();
        let read = read(repository, objects, sources, &wanted, self.snapshot.known())?;
        let mut touched = Vec::new();
        let contents = contents(&step.changed);
        for (file, facts) in wanted.iter().zip(read) {
            let content = contents.binary_search(&&file.path).is_ok();
            let path = String::from_utf8_lossy(&file.path);
            touched.extend(self.replace(&path, Some(facts), content));
        }
        for changed in &step.changed {
            if self.snapshot.file(&changed.path).is_none() {
                touched.extend(self.replace(&String::from_utf8_lossy(&changed.path), None, true));
            }
        }
        touched.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((touched, step))
    }

    /// What differs from another tree to this one, as [`Index::advance`] from there to here would give it, without going there.
    pub(crate) fn glance(
        &mut self,
        repository: &Repository,
        objects: &Objects,
        sources: &Sources<FileFacts>,
        tree: &str,
    ) -> Result<Vec<Touched>, Error> {
        let there = self.snapshot.glance(sources, objects, tree)?;
        let read = read(repository, objects, sources, &there.files, &there.known)?;
        let contents = contents(&there.changed);
        let mut old: BTreeMap<&BString, Arc<FileFacts>> =
            there.files.iter().map(|file| &file.path).zip(read).collect();
        let here =
            there.changed.iter().map(|file| &file.path).filter(|path| self.snapshot.file(path).is_some());
        let paths: BTreeSet<&BString> = old.keys().copied().chain(here).collect();
        let mut touched = Vec::new();
        for path in paths {
            let content = contents.binary_search(&path).is_ok() || self.snapshot.file(path).is_none();
            let old = old.remove(path);
            let path = String::from_utf8_lossy(path);
            let file = self.number(&path);
            let new = self.files[file as usize].clone();
            touched.push(Touched { file, path: path.into(), old, new, content });
        }
        touched.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(touched)
    }

    /// The number of a path.
    fn number(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let number = self.files.len() as u32;
        self.files.push(None);
        self.numbers.insert(path.into(), number);
        number
    }

    /// Puts a file in, or takes it out; for trees that are not in a repository.
    pub fn replace(&mut self, path: &str, new: Option<Arc<FileFacts>>, content: bool) -> Option<Touched> {
        if new.is_none() && !self.numbers.contains_key(path) {
            return None;
        }
        let number = self.number(path);
        let old = std::mem::replace(&mut self.files[number as usize], new.clone());
        if old.is_none() && new.is_none() {
            return None;
        }
        self.defining.update(number, &old, &new, |function| std::slice::from_ref(&function.id));
        self.calling.update(number, &old, &new, |function| &function.called);
        Some(Touched { file: number, path: path.into(), old, new, content })
    }

    /// The files of the tree.
    pub fn files(&self) -> impl Iterator<Item = (u32, &Arc<FileFacts>)> {
        self.files.iter().enumerate().filter_map(|(number, file)| Some((number as u32, file.as_ref()?)))
    }

    /// A file.
    pub fn file(&self, number: u32) -> Option<&Arc<FileFacts>> {
        self.files.get(number as usize)?.as_ref()
    }

    /// A function.
    pub fn function(&self, key: FunctionKey) -> &FunctionFacts {
        let file = self.files[key.file as usize].as_ref().expect("a key names a file of the tree");
        &file.functions[key.function as usize]
    }

    /// Where a function stands among all of the tree. Numbers of files depend on where a walk began; this does not.
    pub(crate) fn position(&self, key: FunctionKey) -> (Option<&str>, u32) {
        (self.file(key.file).map(|file| &*file.path), key.function)
    }

    /// Whom a call by name from a file may reach: the file's own function of that name, else those that it can see.
    pub fn targets(&self, file: u32, name: NameHash) -> Vec<FunctionKey> {
        let mut named = Vec::new();
        for other in self.defining.files(name) {
            let Some(facts) = self.file(other) else { continue };
            named.extend(facts.named(name).map(|function| FunctionKey { file: other, function }));
        }
        let mut found = reached(named, |key| self.sight(*key, Some(file)));
        found.sort_unstable();
        found
    }

    /// The functions that call this one by name.
    pub fn callers(&self, callee: FunctionKey) -> Vec<FunctionKey> {
        let name = self.function(callee).id;
        let mut found = Vec::new();
        for file in self.calling_files(callee) {
            let facts = self.file(file).expect("only files of the tree are in the index");
            found.extend(facts.callers_of(name).map(|function| FunctionKey { file, function }));
        }
        found.sort_unstable();
        found
    }

    /// The files whose calls of the function's name may reach it.
    pub(crate) fn calling_files(&self, callee: FunctionKey) -> impl Iterator<Item = u32> {
        let name = self.function(callee).id;
        // As in [`Index::targets`], for one target: a file's own functions hide those of other files.
        let open = self.sight(callee, None) == Sight::Everywhere;
        let hides = move |file: u32| self.defining.files(name).any(|other| other == file);
        self.calling.files(name).filter(move |&file| file == callee.file || open && !hides(file))
    }

    /// How a file sees a function; without one, how other files do.
    fn sight(&self, key: FunctionKey, file: Option<u32>) -> Sight {
        let in_header = || self.file(key.file).is_some_and(|facts| is_included(&facts.path));
        match Some(key.file) == file {
            true => Sight::Own,
            false if !self.function(key).internal || in_header() => Sight::Everywhere,
            false => Sight::Hidden,
        }
    }
}

/// Reads files, in parallel where they are many.
fn read(
    repository: &Repository,
    objects: &Objects,
    sources: &Sources<FileFacts>,
    wanted: &[FileEntry],
    known: &Arc<Names>,
) -> Result<Vec<Arc<FileFacts>>, Error> {
    if wanted.len() < PARALLEL {
        return wanted.iter().map(|file| sources.unit(objects, file, known)).collect();
    }
    let one = |objects: &mut Objects, file: &FileEntry| sources.unit(objects, file, known);
    wanted.par_iter().map_init(|| Objects::new(repository), one).collect()
}

/// The files whose content differs, sorted.
fn contents(changed: &[ChangedFile]) -> Vec<&BString> {
    changed.iter().filter(|file| !is_mode_change(file)).map(|file| &file.path).collect()
}

fn is_mode_change(changed: &ChangedFile) -> bool {
    matches!(&changed.change, Change::Modified { old, new } if old.oid == new.oid && is_c(old) == is_c(new))
}

/// The files that have functions with a name, each with how many.
#[derive(Debug, Default)]
struct ByName(FxHashMap<NameHash, Vec<(u32, u32)>>);

impl ByName {
    fn files(&self, name: NameHash) -> impl Iterator<Item = u32> {
        self.0.get(&name).into_iter().flatten().map(|(file, _)| *file)
    }

    /// Brings the functions of a file up to date; those that both versions share are not looked at.
    fn update(
        &mut self,
        file: u32,
        old: &Option<Arc<FileFacts>>,
        new: &Option<Arc<FileFacts>>,
        names: impl Fn(&FunctionFacts) -> &[NameHash],
    ) {
        fn functions(side: &Option<Arc<FileFacts>>) -> &[FunctionFacts] {
            side.as_ref().map_or(&[], |facts| &facts.functions)
        }
        let (old, new) = differing(functions(old), functions(new), |function| Arc::as_ptr(&function.body));
        for name in new.into_iter().flat_map(&names) {
            let files = self.0.entry(*name).or_default();
            match files.iter_mut().find(|(it, _)| *it == file) {
                Some((_, count)) => *count += 1,
                None => files.push((file, 1)),
            }
        }
        for name in old.into_iter().flat_map(&names) {
            let Some(files) = self.0.get_mut(name) else { continue };
            if let Some(at) = files.iter().position(|(it, _)| *it == file) {
                files[at].1 -= 1;
                if files[at].1 == 0 {
                    files.remove(at);
                }
            }
            if files.is_empty() {
                self.0.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FunctionKey;
    use crate::files::index_of;

    /// Who calls a function is found from the function; whom a call reaches, from the call. Both say the same.
    #[test]
    fn callers_are_those_that_reach() {
        let files: [(&str, &[u8]); 5] = [
            ("a.c", b"static int f(void) { return 1; }\nint a(void) { return f() + g() + h(); }\n"),
            ("b.c", b"int f(void) { return 2; }\nint b(void) { f(); return a() + b(); }\n"),
            ("c.c", b"int c(void) { return f() + h() + s(); }\nint twice(void) { return c() + f(); }\n"),
            ("d.c", b"static int s(void) { return 3; }\nint f(void) { return s(); }\n"),
            ("e.h", b"static inline int h(void) { return f(); }\n"),
        ];
        let index = index_of(files);
        let all: Vec<FunctionKey> = index
            .files()
            .flat_map(|(file, facts)| {
                (0..facts.functions.len() as u32).map(move |function| FunctionKey { file, function })
            })
            .collect();
        let mut pairs = 0;
        for &callee in &all {
            let name = index.function(callee).id;
            let reaches = |caller: &&FunctionKey| {
                index.function(**caller).called.contains(&name)
                    && index.targets(caller.file, name).contains(&callee)
            };
            let mut expect: Vec<FunctionKey> = all.iter().filter(reaches).copied().collect();
            expect.sort_unstable();
            pairs += expect.len();
            assert_eq!(index.callers(callee), expect, "{}", index.function(callee).name);
        }
        assert_eq!(pairs, 14);
    }
}
