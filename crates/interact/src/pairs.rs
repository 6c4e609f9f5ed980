//! Which functions of two versions are the same, also when they were moved or renamed.

use crate::facts::{FileFacts, FunctionFacts};
use hydrogen_align::{Candidate, Partners};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file before and after; nothing where it does not exist.
#[derive(Debug, Clone)]
pub struct Touched {
    /// Its number in the index.
    pub file: u32,
    /// Its path.
    pub path: Box<str>,
    /// Before.
    pub old: Option<Arc<FileFacts>>,
    /// After.
    pub new: Option<Arc<FileFacts>>,
    /// Whether its own content changed, not only what headers say about its names.
    pub content: bool,
}

/// A function, by the position of its file in a list of touched files, and its own in that file.
pub(crate) type Place = (usize, usize);

/// How functions of touched files belong together.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Per function of the new version that has one, its old version.
    pub old_of: BTreeMap<Place, Place>,
    /// Old functions that are gone.
    pub gone: Vec<Place>,
}

/// Pairs the functions of all touched files: in one file by name, then by what they say.
pub(crate) fn pair(files: &[Touched]) -> Pairs {
    let places = |side: fn(&Touched) -> &Option<Arc<FileFacts>>| -> Vec<(Place, &FunctionFacts)> {
        let numbered = files.iter().enumerate();
        let functions = numbered.flat_map(|(number, file)| {
            side(file).iter().flat_map(|it| it.functions.iter().enumerate()).map(move |it| (number, it))
        });
        functions.map(|(number, (at, function))| ((number, at), function)).collect()
    };
    let (old, new) = (places(|file| &file.old), places(|file| &file.new));
    let key = |((file, _), function): &(Place, &FunctionFacts)| (*file, function.id.0);
    let mut partners = Partners::by_key(old.iter().map(key), new.iter().map(key));
    let candidate = |((file, _), function): &(Place, &FunctionFacts)| Candidate {
        name: function.id.0,
        file: *file as u64,
        // Every function has an entry and an exit.
        symbols: function.symbols().into_iter().skip(2).collect(),
    };
    partners.then_by_content(|at| candidate(&old[at]), |at| candidate(&new[at]));
    let pairs = partners.old_of.iter().zip(&new).filter_map(|(was, is)| Some((is.0, old[(*was)?].0)));
    Pairs { old_of: pairs.collect(), gone: partners.gone().into_iter().map(|at| old[at].0).collect() }
}
