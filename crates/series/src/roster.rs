//! The functions of the version that was read last, by name, moving along a history of files.
//!
//! A function's key depends on those of the same name alone, so a step looks only at the names that a touched file has or had.

use bstr::BString;
use hydrogen_graph::{
    BodyInput, BodySource, Definition, FunctionInput, FunctionKey, FunctionRef, functions_of,
};
use hydrogen_model::{Outline, OutlineFunction};
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
        for (path, new) in &files {
            let sides = [self.files.get(path), new.as_ref()];
            touched.names.extend(changed_names(sides));
        }
        for name in &touched.names {
            touched.keys.extend(self.group(name).map(|function| function.key));
        }
        for (path, new) in files {
            let old = match &new {
                Some(new) => self.files.insert(path.clone(), Arc::clone(new)),
                None => self.files.remove(&path),
            };
            let (before, after) = (names(&old), names(&new));
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

    /// The functions of one name.
    fn group<'a>(&'a self, name: &str) -> impl Iterator<Item = FunctionInput<'a>> + use<'a> {
        let files = self.names.get(name).into_iter().flatten().filter_map(|path| self.files.get(path));
        let functions = files.flat_map(|outline| &outline.functions).filter(|it| it.summary.name == name);
        let definitions: Vec<Definition<'a>> = functions.map(definition).collect();
        functions_of(definitions).into_iter()
    }

    /// The function with a key.
    pub fn find(&self, key: &FunctionKey) -> Option<FunctionInput<'_>> {
        self.group(&key.name).find(|function| function.key == *key)
    }

    /// The functions that a step touched as they are now, and the keys that are gone.
    pub fn step(&self, touched: &Touched) -> (Vec<FunctionInput<'_>>, Vec<FunctionKey>) {
        let changed: Vec<FunctionInput<'_>> =
            touched.names.iter().flat_map(|name| self.group(name)).collect();
        let now: BTreeSet<&FunctionKey> = changed.iter().map(|function| &function.key).collect();
        let removed = touched.keys.iter().filter(|key| !now.contains(key)).cloned().collect();
        (changed, removed)
    }

    /// Places that could not be read as written: the first few, and how many more there are.
    pub fn problems(&self) -> Vec<String> {
        let mut all = self.troubled.iter().flat_map(|path| &self.files[path].problems);
        let mut listed: Vec<String> = all.by_ref().take(LISTED).cloned().collect();
        match all.count() {
            0 => {}
            more => listed.push(format!("and {more} more places that could not be read as written")),
        }
        listed
    }

    /// The files of which nothing is known, and why.
    pub fn missing(&self) -> Vec<hydrogen_graph::Gap> {
        let files = self.troubled.iter().map(|path| &self.files[path]);
        let gap = |file: &Arc<Outline>| {
            Some(hydrogen_graph::Gap { file: file.path.clone(), message: file.failed.clone()? })
        };
        files.filter_map(gap).collect()
    }
}

/// The names of the functions of a file.
fn names(side: &Option<Arc<Outline>>) -> HashSet<&str> {
    let functions = side.iter().flat_map(|outline| &outline.functions);
    functions.map(|function| function.summary.name.as_str()).collect()
}

/// A function as the graph takes it.
pub fn definition(function: &OutlineFunction) -> Definition<'_> {
    let body = || {
        let function = FunctionRef::Own(Box::new(function.function()));
        Ok(BodyInput { function, payload: None })
    };
    Definition::of_summary(&function.summary, BodySource::Lazy(Box::new(body)))
}

/// The names of functions that are not the same on both sides of a file, or not at the same place in the order.
fn changed_names([old, new]: [Option<&Arc<Outline>>; 2]) -> BTreeSet<String> {
    fn functions(outline: &Arc<Outline>) -> &[OutlineFunction] {
        &outline.functions
    }
    let (mut before, mut after) =
        (old.map_or(&[][..], functions).iter(), new.map_or(&[][..], functions).iter());
    let mut names = BTreeSet::new();
    loop {
        match (before.next().map(|it| &it.summary), after.next().map(|it| &it.summary)) {
            (None, None) => return names,
            (Some(a), Some(b)) if a == b => {}
            (a, b) => names.extend([a, b].into_iter().flatten().map(|summary| summary.name.clone())),
        }
    }
}
