//! Which functions of two versions are the same, also when they were moved or renamed.

use crate::facts::{BodyFacts, FileFacts, FunctionFacts};
use hydrogen_align::{Candidate, Partners};
use hydrogen_syntax::NameHash;
use rustc_hash::FxHashSet;
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
    let all = |side: &Option<Arc<FileFacts>>| 0..side.as_ref().map_or(0, |facts| facts.functions.len());
    join(files, files.iter().map(|file| (all(&file.old).collect(), all(&file.new).collect())))
}

/// As [`pair`], without functions that are the very same on both sides of a file: those say nothing of what changed. Also gives
/// the functions of the new version that were looked at.
pub(crate) fn pair_changed(files: &[Touched]) -> (Pairs, Vec<Place>) {
    let own: Vec<(Vec<usize>, Vec<usize>)> = files.iter().map(own_functions).collect();
    let new = own.iter().enumerate();
    let new = new.flat_map(|(file, (_, functions))| functions.iter().map(move |&at| (file, at))).collect();
    (join(files, own.into_iter()), new)
}

/// Pairs functions of the touched files, which are given by their positions, those of the old and of the new side.
fn join(files: &[Touched], own: impl Iterator<Item = (Vec<usize>, Vec<usize>)>) -> Pairs {
    fn place(side: &Option<Arc<FileFacts>>, number: usize, at: usize) -> (Place, &FunctionFacts) {
        let facts = side.as_ref().expect("a function has a file");
        ((number, at), &facts.functions[at])
    }
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for (number, (file, (before, after))) in files.iter().zip(own).enumerate() {
        old.extend(before.into_iter().map(|at| place(&file.old, number, at)));
        new.extend(after.into_iter().map(|at| place(&file.new, number, at)));
    }
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

/// The functions of a file that are not the very same on both sides, by position. Functions of one name are told apart by their
/// order, so they count all or none.
fn own_functions(file: &Touched) -> (Vec<usize>, Vec<usize>) {
    let all = |facts: &FileFacts| (0..facts.functions.len()).collect();
    let (old, new) = match (&file.old, &file.new) {
        (Some(old), Some(new)) => (old, new),
        (old, new) => {
            return (old.as_deref().map_or(Vec::new(), all), new.as_deref().map_or(Vec::new(), all));
        }
    };
    let body = |function: &FunctionFacts| Arc::as_ptr(&function.body);
    let same = |(a, b): &(&FunctionFacts, &FunctionFacts)| Arc::ptr_eq(&a.body, &b.body);
    let before = old.functions.iter().zip(&new.functions).take_while(same).count();
    let (rest_old, rest_new) = (&old.functions[before..], &new.functions[before..]);
    let behind = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(same).count();
    let middle = |functions: &[FunctionFacts]| before..functions.len() - behind;
    let bodies = |functions: &[FunctionFacts]| -> FxHashSet<*const BodyFacts> {
        functions[middle(functions)].iter().map(body).collect()
    };
    let twice = |name: NameHash| {
        old.named_twice().binary_search(&name).is_ok() || new.named_twice().binary_search(&name).is_ok()
    };
    let (was, is) = (bodies(&old.functions), bodies(&new.functions));
    let several = !old.named_twice().is_empty() || !new.named_twice().is_empty();
    let own = |functions: &[FunctionFacts], others: &FxHashSet<*const BodyFacts>| -> Vec<usize> {
        let inside = middle(functions);
        let looked_at = if several { 0..functions.len() } else { inside.clone() };
        let differs = |at: &usize| {
            let function = &functions[*at];
            inside.contains(at) && !others.contains(&body(function)) || several && twice(function.id)
        };
        looked_at.filter(differs).collect()
    };
    (own(&old.functions, &is), own(&new.functions, &was))
}

#[cfg(test)]
mod tests {
    use super::{Touched, pair, pair_changed};
    use crate::facts::{FileFacts, Functions, Keeping};
    use hydrogen_syntax::Options;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// What to write for a function of a drawn file: few names, so that some are there twice, and few bodies.
    fn text(functions: &[(u8, u8)]) -> String {
        let one = |&(name, body): &(u8, u8)| {
            format!("int f{name}(int a) {{\n a = {body};\n g(a, {body});\n a += 2;\n return a;\n}}\n")
        };
        functions.iter().map(one).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        /// What is the very same on both sides of a file changes nothing of how the others are paired.
        #[test]
        fn pairs_are_those_of_all(
            sides in prop::collection::vec(prop::collection::vec((0u8..5, 0u8..3), 0..7), 4),
        ) {
            let known = Functions::new(Keeping, 1000);
            let read = |path: &str, functions: &[(u8, u8)]| {
                let text = text(functions);
                Some(Arc::new(FileFacts::read(path, text.as_bytes(), &Options::default(), &known).0))
            };
            let touched: Vec<Touched> = (0..2)
                .map(|file| {
                    let path = format!("{file}.c");
                    let (old, new) = (read(&path, &sides[2 * file]), read(&path, &sides[2 * file + 1]));
                    Touched { file: file as u32, path: path.into(), old, new, content: true }
                })
                .collect();
            let (mut all, (changed, looked_at)) = (pair(&touched), pair_changed(&touched));
            prop_assert_eq!(&all.gone, &changed.gone);
            for (&(file, at), &(old, was)) in &all.old_of {
                let is = &touched[file].new.as_ref().expect("it was read").functions[at].body;
                let before = &touched[old].old.as_ref().expect("it was read").functions[was].body;
                prop_assert!(looked_at.contains(&(file, at)) || Arc::ptr_eq(is, before));
            }
            all.old_of.retain(|place, _| looked_at.contains(place));
            prop_assert_eq!(all.old_of, changed.old_of);
        }
    }
}
