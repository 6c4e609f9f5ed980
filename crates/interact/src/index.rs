//! The functions of one tree: who defines and who calls which name. It moves along a history by what differs.

use crate::facts::{FileFacts, FunctionFacts};
use crate::pairs::Touched;
use hydrogen_align::{Sight, reached};
use hydrogen_history::tree::{Error, FileEntry};
use hydrogen_history::{Objects, Repository};
use hydrogen_model::sources::{Snapshot, Sources, Step, is_c};
use hydrogen_syntax::NameHash;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
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
        let known = Arc::clone(self.snapshot.known());
        let wanted: Vec<FileEntry> = step.reread(&self.snapshot).into_iter().cloned().collect();
        let read: Result<Vec<Arc<FileFacts>>, Error> = if wanted.len() < PARALLEL {
            wanted.iter().map(|file| sources.unit(objects, file, &known)).collect()
        } else {
            let one = |objects: &mut Objects, file: &FileEntry| sources.unit(objects, file, &known);
            wanted.par_iter().map_init(|| Objects::new(repository), one).collect()
        };
        let mut touched = Vec::new();
        let contents: Vec<&bstr::BString> =
            step.changed.iter().filter(|file| !is_mode_change(file)).map(|file| &file.path).collect();
        for (file, facts) in wanted.iter().zip(read?) {
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

    /// Puts a file in, or takes it out; for trees that are not in a repository.
    pub fn replace(&mut self, path: &str, new: Option<Arc<FileFacts>>, content: bool) -> Option<Touched> {
        let number = match self.numbers.get(path) {
            Some(&number) => number,
            None if new.is_none() => return None,
            None => {
                let number = self.files.len() as u32;
                self.files.push(None);
                self.numbers.insert(path.into(), number);
                number
            }
        };
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

    /// Whom a call by name from a file may reach: the file's own function of that name, else those that it can see.
    pub fn targets(&self, file: u32, name: NameHash) -> Vec<FunctionKey> {
        let mut named = Vec::new();
        for other in self.defining.files(name) {
            let Some(facts) = self.file(other) else { continue };
            let own = facts.functions.iter().enumerate().filter(|(_, it)| it.id == name);
            named.extend(own.map(|(at, _)| FunctionKey { file: other, function: at as u32 }));
        }
        let mut found = reached(named, |key| {
            // A header's functions are part of the files that include it.
            let in_header = || self.file(key.file).is_some_and(|facts| facts.path.ends_with(".h"));
            match key.file == file {
                true => Sight::Own,
                false if !self.function(*key).internal || in_header() => Sight::Everywhere,
                false => Sight::Hidden,
            }
        });
        found.sort_unstable();
        found
    }

    /// The functions that call this one by name.
    pub fn callers(&self, callee: FunctionKey) -> Vec<FunctionKey> {
        let name = self.function(callee).id;
        let mut found = Vec::new();
        for file in self.calling.files(name) {
            if !self.targets(file, name).contains(&callee) {
                continue;
            }
            let facts = self.file(file).expect("only files of the tree are in the index");
            for (at, function) in facts.functions.iter().enumerate() {
                if function.called.binary_search(&name).is_ok() {
                    found.push(FunctionKey { file, function: at as u32 });
                }
            }
        }
        found.sort_unstable();
        found
    }
}

fn is_mode_change(changed: &hydrogen_history::tree::ChangedFile) -> bool {
    use hydrogen_history::tree::Change;
    matches!(&changed.change, Change::Modified { old, new } if old.oid == new.oid && is_c(old) == is_c(new))
}

/// The files that have functions with a name, each with how many.
#[derive(Debug, Default)]
struct ByName(FxHashMap<NameHash, Vec<(u32, u32)>>);

impl ByName {
    fn files(&self, name: NameHash) -> impl Iterator<Item = u32> {
        self.0.get(&name).into_iter().flatten().map(|(file, _)| *file)
    }

    /// Brings the functions of a file up to date; those that both versions share at their beginnings and ends are not looked at.
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
        let (old, new) = (functions(old), functions(new));
        let same = |(a, b): &(&FunctionFacts, &FunctionFacts)| Arc::ptr_eq(&a.body, &b.body);
        let before = old.iter().zip(new).take_while(same).count();
        let (old, new) = (&old[before..], &new[before..]);
        let behind = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        for name in new[..new.len() - behind].iter().flat_map(&names) {
            let files = self.0.entry(*name).or_default();
            match files.iter_mut().find(|(it, _)| *it == file) {
                Some((_, count)) => *count += 1,
                None => files.push((file, 1)),
            }
        }
        for name in old[..old.len() - behind].iter().flat_map(&names) {
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
