//! Versions that are not in a repository: files given by name.

use crate::facts::{FileFacts, Functions, Keeping};
use crate::index::Index;
use crate::pairs::Touched;
use hydrogen_syntax::{Names, Options};
use std::sync::Arc;

/// An index of these files, by path and content.
pub fn index_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])> + Clone) -> Index {
    let mut index = Index::default();
    for (path, facts) in facts_of(files) {
        index.replace(&path, Some(facts), true);
    }
    index
}

/// Moves an index to these files; gives what differs.
pub fn advance_to<'a>(
    index: &mut Index,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])> + Clone,
) -> Vec<Touched> {
    let new = facts_of(files);
    let gone: Vec<String> = index
        .files()
        .map(|(_, file)| file.path.to_string())
        .filter(|path| new.iter().all(|(other, _)| other != path))
        .collect();
    let mut touched: Vec<Touched> = gone.iter().filter_map(|path| index.replace(path, None, true)).collect();
    for (path, facts) in new {
        let same = index.files().any(|(_, file)| **file == *facts);
        if !same {
            touched.extend(index.replace(&path, Some(facts), true));
        }
    }
    touched.sort_by(|a, b| a.path.cmp(&b.path));
    touched
}

fn facts_of<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])> + Clone,
) -> Vec<(String, Arc<FileFacts>)> {
    let mut known = Names::default();
    for (path, content) in files.clone() {
        if path.ends_with(".h") {
            known.merge(hydrogen_syntax::names(content));
        }
    }
    let options = Options { known: Some(Arc::new(known)), ..Options::default() };
    let functions = Functions::new(Keeping, 2);
    files
        .into_iter()
        .map(|(path, content)| {
            (path.to_owned(), Arc::new(FileFacts::read(path, content, &options, &functions).0))
        })
        .collect()
}
