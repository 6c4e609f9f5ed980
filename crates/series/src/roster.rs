//! The functions of the version that was read last, by name, moving along a history of files.
//!
//! A function's key depends on those of the same name alone, so a step looks only at the names that a touched file has or had.

use bstr::BString;
use hydrogen_graph::{Definition, FunctionInput, FunctionKey, Gap, functions_of};
use hydrogen_model::{Outline, OutlineFunction, differing};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The files of a version and its functions by name.
#[derive(Default)]
pub struct Roster {
    files: BTreeMap<BString, Arc<Outline>>,
    /// The files that define a function of this name.
    names: HashMap<String, BTreeSet<BString>>,
    /// Files with places that could not be read as written, or of which nothing is known.
    troubled: BTreeSet<BString>,
    functions: usize,
    items: usize,
    /// What is said about the troubled files, until one is replaced.
    said: OnceCell<(Vec<String>, Vec<Gap>)>,
}

/// What a step changed: the names whose functions are not as they were, and the keys that these had.
#[derive(Default)]
pub struct Touched {
    names: BTreeSet<String>,
    keys: Vec<FunctionKey>,
}

/// More problems than this in one version are counted, not listed.
const LISTED: usize = 3;

impl Roster {
    /// The files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &Arc<Outline>> {
        self.files.values()
    }

    /// Whether there is neither a function nor anything else that matters.
    pub fn is_empty(&self) -> bool {
        self.functions == 0 && self.items == 0
    }

    /// Replaces files; nothing stands for a file that is gone.
    pub fn replace(&mut self, files: Vec<(BString, Option<Arc<Outline>>)>) -> Touched {
        let mut touched = Touched::default();
        if files.is_empty() {
            return touched;
        }
        self.said.take();
        for (path, new) in &files {
            let sides = [self.files.get(path), new.as_ref()].map(|side| side.map_or(&[][..], functions));
            touched.names.extend(changed_names(sides));
        }
        touched.keys = self.named(&touched.names).into_iter().map(|function| function.key).collect();
        for (path, new) in files {
            let old = match &new {
                Some(new) => self.files.insert(path.clone(), Arc::clone(new)),
                None => self.files.remove(&path),
            };
            let sides = [&old, &new].map(|side| side.as_ref().map_or(&[][..], functions));
            let (before, after) = exchanged(sides);
            for &name in before.difference(&after) {
                if let Some(files) = self.names.get_mut(name) {
                    files.remove(&path);
                    if files.is_empty() {
                        self.names.remove(name);
                    }
                }
            }
            for &name in after.difference(&before) {
                self.names.entry(name.to_owned()).or_default().insert(path.clone());
            }
            let count =
                |side: &Option<Arc<Outline>>| side.as_ref().map_or(0, |outline| outline.functions.len());
            self.functions = self.functions + count(&new) - count(&old);
            let count = |side: &Option<Arc<Outline>>| side.as_ref().map_or(0, |outline| outline.item_count());
            self.items = self.items + count(&new) - count(&old);
            match new.as_ref().is_some_and(|outline| outline.failed.is_some() || !outline.problems.is_empty())
            {
                true => self.troubled.insert(path),
                false => self.troubled.remove(&path),
            };
        }
        touched
    }

    /// The functions of these names, in order.
    fn named<'a>(&'a self, names: &BTreeSet<String>) -> Vec<FunctionInput<'a>> {
        let own = names.iter().filter_map(|name| self.names.get_key_value(name));
        functions_of(own.flat_map(|(name, _)| self.definitions_of(name)))
    }

    /// The definitions of a name, by file.
    fn definitions_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Definition<'a>> {
        let paths = self.names.get(name).into_iter().flatten();
        let files = paths.filter_map(|path| self.files.get(path));
        files.flat_map(move |file| file.named(name).map(|function| definition(file, function)))
    }

    /// The function with a key.
    pub fn find(&self, key: &FunctionKey) -> Option<FunctionInput<'_>> {
        // The name is that of the file's own functions: what is found outlives the key.
        let (name, _) = self.names.get_key_value(&key.name)?;
        functions_of(self.definitions_of(name)).into_iter().find(|function| function.key == *key)
    }

    /// The functions that a step touched as they are now, and the keys that are gone.
    pub fn step(&self, touched: &Touched) -> (Vec<FunctionInput<'_>>, Vec<FunctionKey>) {
        let changed = self.named(&touched.names);
        let now: HashSet<&FunctionKey> = changed.iter().map(|function| &function.key).collect();
        let removed = touched.keys.iter().filter(|key| !now.contains(key)).cloned().collect();
        (changed, removed)
    }

    /// Places that could not be read as written: the first few, and how many more there are. And the files of which nothing is
    /// known, and why.
    pub fn troubles(&self) -> &(Vec<String>, Vec<Gap>) {
        self.said.get_or_init(|| (self.problems(), self.missing()))
    }

    fn problems(&self) -> Vec<String> {
        let mut all = self.troubled.iter().flat_map(|path| &self.files[path].problems);
        let mut listed: Vec<String> = all.by_ref().take(LISTED).cloned().collect();
        match all.count() {
            0 => {}
            more => listed.push(format!("and {more} more places that could not be read as written")),
        }
        listed
    }

    fn missing(&self) -> Vec<Gap> {
        let files = self.troubled.iter().map(|path| &self.files[path]);
        let gap = |file: &Arc<Outline>| Some(Gap { file: file.path.clone(), message: file.failed.clone()? });
        files.filter_map(gap).collect()
    }
}

fn functions(file: &Arc<Outline>) -> &[OutlineFunction] {
    &file.functions
}

/// The functions of a file as the graph takes them.
pub fn definitions(file: &Outline) -> impl Iterator<Item = Definition<'_>> {
    file.functions.iter().map(|function| definition(file, function))
}

fn definition<'a>(file: &'a Outline, function: &'a OutlineFunction) -> Definition<'a> {
    Definition::moved(function.kept(), &file.path, function.line, function.print())
}

/// Of the names that functions have which only one side of a file has: those of the old side, and those of the new one.
fn exchanged<'a>([old, new]: [&'a [OutlineFunction]; 2]) -> (HashSet<&'a str>, HashSet<&'a str>) {
    let (gone, added) = differing(old, new, OutlineFunction::identity);
    let names: HashSet<&str> = gone.into_iter().chain(added).map(OutlineFunction::name).collect();
    let of = |side: &'a [OutlineFunction]| {
        side.iter().map(OutlineFunction::name).filter(|name| names.contains(name)).collect()
    };
    if names.is_empty() { Default::default() } else { (of(old), of(new)) }
}

/// The names of functions that are not the same on both sides of a file, or not at the same place in the order.
fn changed_names([old, new]: [&[OutlineFunction]; 2]) -> BTreeSet<String> {
    let (mut before, mut after) = (old.iter(), new.iter());
    let mut names = BTreeSet::new();
    loop {
        match (before.next(), after.next()) {
            (None, None) => return names,
            (Some(a), Some(b)) if a.is_as(b) => {}
            (a, b) => names.extend([a, b].into_iter().flatten().map(|it| it.name().to_owned())),
        }
    }
}
