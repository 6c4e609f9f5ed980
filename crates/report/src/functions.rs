//! Functions, and finding the one that a reference means.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

/// A function over a run of versions.
pub(crate) struct Function {
    /// Its id in the graph, where it has one.
    pub(crate) id: Option<u64>,
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) places: BTreeSet<u32>,
    /// The versions in which its file could not be read.
    pub(crate) unread: BTreeSet<u32>,
    /// Functions without versions of their own live where their statements do.
    pub(crate) derived: bool,
}

/// All functions in the graph's order, and by name.
#[derive(Default)]
pub(crate) struct Functions {
    pub(crate) list: Vec<Function>,
    by_name: HashMap<String, Vec<usize>>,
    by_id: HashMap<u64, usize>,
}

impl Functions {
    pub(crate) fn push(&mut self, function: Function) -> usize {
        let index = self.list.len();
        self.by_name.entry(function.name.clone()).or_default().push(index);
        self.by_id.extend(function.id.map(|id| (id, index)));
        self.list.push(function);
        index
    }

    /// A function given by its id in the graph.
    pub(crate) fn by_id(&self, id: &Value) -> Option<usize> {
        self.by_id.get(&id.as_u64()?).copied()
    }

    /// A function given by index or by name. A name that was deleted and added again stands for several functions: the
    /// one that shares a version is meant.
    pub(crate) fn find(&self, reference: &Value, places: &[u32]) -> Option<usize> {
        if let Some(index) = reference.as_u64() {
            return usize::try_from(index).ok().filter(|&index| index < self.list.len());
        }
        let named = self.by_name.get(reference.as_str()?)?;
        let shares = |index: &&usize| places.iter().any(|place| self.list[**index].places.contains(place));
        named.iter().find(shares).or(named.first()).copied()
    }

    /// As [`Functions::find`], but a function that nobody declared is made, so that no statement gets lost.
    pub(crate) fn find_or_add(&mut self, reference: &Value, places: &[u32]) -> usize {
        let name = Value::from(reference.as_str().unwrap_or("(no function)"));
        self.find(reference, places).or_else(|| self.find(&name, places)).unwrap_or_else(|| {
            let name = name.as_str().unwrap_or_default().to_owned();
            self.push(Function {
                id: None,
                name,
                file: String::new(),
                places: BTreeSet::new(),
                unread: BTreeSet::new(),
                derived: true,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_means_the_function_of_that_version() {
        let mut functions = Functions::default();
        for place in [0, 2] {
            let places = BTreeSet::from([place]);
            functions.push(Function {
                id: None,
                name: "f".into(),
                file: String::new(),
                places,
                unread: BTreeSet::new(),
                derived: false,
            });
        }
        assert_eq!(functions.find(&json!("f"), &[2]), Some(1));
        assert_eq!(functions.find(&json!("f"), &[0]), Some(0));
        assert_eq!(functions.find(&json!(1), &[]), Some(1));
        assert_eq!(functions.find(&json!(7), &[]), None);
        assert_eq!(functions.find_or_add(&json!("g"), &[0]), 2);
        assert_eq!(functions.find_or_add(&json!(null), &[0]), 3);
        assert_eq!(functions.find_or_add(&json!(9), &[0]), 3);
    }
}
