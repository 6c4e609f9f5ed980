//! Variables that only got another name: those of two versions of a function that are defined and used in the same way.
//!
//! A variable of one version that the other does not have stands for one that the first does not have if all statements that mention it read the
//! same once the names are exchanged, and both have the same type. Nothing less is taken: a variable that is used a little differently may be
//! another one.

use crate::meaning::effect::Effect;
use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, Fix, VersionId};
use hydrogen_ir::CType;
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What stands for a name while texts are compared: no name of C.
const PLACE: &str = "\u{1}";

/// The names of a version's variables, and those of the other version that they stand for.
pub(crate) type Renamed = BTreeMap<String, String>;

impl Analyst<'_> {
    /// The variables of a version of a function that have another name before a fix. Those that are used as after it count as well: a release
    /// may have the fix, too.
    pub(crate) fn renamed(&mut self, chain: ChainId, version: VersionId, fix: Fix) -> Arc<Renamed> {
        let key = (chain, version, fix.before, fix.after);
        if let Some(known) = self.store.renamed.get(&key) {
            return Arc::clone(known);
        }
        let mut found = self.renamed_since(chain, version, fix.after);
        let before = self.shape(chain, fix.before).map(|shape| variables(&shape)).unwrap_or_default();
        found.retain(|own, common| before.contains_key(common) && !before.contains_key(own));
        for (own, common) in self.renamed_since(chain, version, fix.before) {
            if !found.values().any(|other| *other == common) {
                found.insert(own, common);
            }
        }
        let found = Arc::new(found);
        self.store.renamed.insert(key, Arc::clone(&found));
        found
    }

    fn renamed_since(&mut self, chain: ChainId, version: VersionId, reference: VersionId) -> Renamed {
        match (self.shape(chain, version), self.shape(chain, reference)) {
            (Some(one), Some(other)) if version != reference => {
                let (mine, theirs) = (self.texts(chain, version), self.texts(chain, reference));
                renamings(&one, &other, &mine, &theirs)
            }
            _ => Renamed::new(),
        }
    }

    fn texts(&self, chain: ChainId, version: VersionId) -> Vec<String> {
        let graph = self.subject.program.graph;
        graph.pieces(chain, version).into_iter().map(|node| graph.text(node).to_owned()).collect()
    }

    /// A condition of a version in the names of the version that it is compared with.
    pub(crate) fn in_common_names(&mut self, chain: ChainId, version: VersionId, term: Term) -> Term {
        let Some(reference) = self.asking.reference else { return term };
        let names = self.renamed(chain, version, reference);
        self.with_names(term, names.iter().map(|(own, common)| (own.as_str(), common.as_str())))
    }

    /// A condition in common names in those of a version.
    pub(crate) fn in_own_names(&mut self, chain: ChainId, version: VersionId, term: Term) -> Term {
        let Some(reference) = self.asking.reference else { return term };
        let names = self.renamed(chain, version, reference);
        self.with_names(term, names.iter().map(|(own, common)| (common.as_str(), own.as_str())))
    }

    fn with_names<'n>(&mut self, term: Term, names: impl Iterator<Item = (&'n str, &'n str)>) -> Term {
        let names: BTreeMap<&str, &str> = names.collect();
        if names.is_empty() {
            return term;
        }
        let mut effect = Effect::default();
        for variable in self.terms.pool.variables(&[term]) {
            let name = self.terms.pool.as_var(variable).unwrap_or_default();
            let end = [".object", ".offset", crate::meaning::eval::SET];
            let end = end.into_iter().find(|end| name.ends_with(end)).unwrap_or_default();
            let stem = name.strip_suffix(end).unwrap_or(name);
            if let Some(other) = names.get(stem) {
                let (name, sort) = (format!("{other}{end}"), self.terms.pool.sort(variable));
                effect.put(variable, self.terms.pool.var(&name, sort));
            }
        }
        self.terms.before(term, &effect)
    }
}

/// The variables of one version that are used as one of the other is, and that only one can be.
fn renamings(one: &Shape, other: &Shape, mine: &[String], theirs: &[String]) -> Renamed {
    let (own, their) = (variables(one), variables(other));
    let gone: Vec<&String> = their.keys().filter(|name| !own.contains_key(*name)).collect();
    let new: Vec<&String> = own.keys().filter(|name| !their.contains_key(*name)).collect();
    // All that could be renamed is one place for all, so that several names in one statement may have changed.
    let is_alike = |name: &str, old: &str| their[old] == own[name];
    alike((&new, mine), (&gone, theirs), Names::Variables, is_alike)
}

/// Names of which one version's are used as the other version's are, and that only one can be: of each version those that the other does not
/// have, and its texts.
pub(super) fn alike(
    (new, mine): (&[&String], &[String]),
    (gone, theirs): (&[&String], &[String]),
    of: Names,
    is_alike: impl Fn(&str, &str) -> bool,
) -> Renamed {
    let blank = |texts: &[String], names: &[&String], this: &str| -> Vec<String> {
        let names: BTreeSet<&str> = names.iter().map(|name| name.as_str()).collect();
        let mentions = texts.iter().filter(|text| words(text).any(|word| word == this));
        let mut all: Vec<String> = mentions.map(|text| replaced(text, this, &names, of)).collect();
        all.retain(|text| text.contains(PLACE));
        all.sort();
        all
    };
    let mut found = Renamed::new();
    for name in new {
        let used = blank(mine, new, name);
        let same = gone.iter().filter(|old| is_alike(name, old) && blank(theirs, gone, old) == used);
        if let [old] = same.collect::<Vec<_>>()[..]
            && !used.is_empty()
        {
            found.insert((*name).clone(), (**old).clone());
        }
    }
    // Two names for one thing are none.
    let all: Vec<String> = found.values().cloned().collect();
    found.retain(|_, old| all.iter().filter(|other| *other == old).count() == 1);
    found
}

/// Which names are looked at in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Variables,
    /// What follows a dot or an arrow.
    Members,
}

/// The variables of a function, with their types as text.
fn variables(shape: &Shape) -> BTreeMap<String, String> {
    let module = &shape.module;
    let ty = |ctype| match module.ctype(ctype) {
        CType::Typedef { name, .. } => name.clone(),
        _ => module.ctype_name(ctype),
    };
    shape.body().variables.iter().map(|one| (one.name.clone(), one.ctype.map_or(String::new(), ty))).collect()
}

fn is_word(byte: char) -> bool {
    byte.is_ascii_alphanumeric() || byte == '_'
}

/// The names and numbers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|byte| !is_word(byte)).filter(|word| !word.is_empty())
}

/// A text with places for names: one for this name, another for all others of these.
fn replaced(text: &str, this: &str, names: &BTreeSet<&str>, of: Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|byte| !is_word(byte)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        // A member of the same name is no variable.
        let is_member = out.ends_with('.') || out.ends_with("->");
        let counts = is_member == (of == Names::Members);
        match word {
            word if word == this && counts => out.push_str(PLACE),
            word if names.contains(word) && counts => {
                out.push_str(PLACE);
                out.push_str(PLACE);
            }
            word => out.push_str(word),
        }
        rest = behind;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exchanged_as_words() {
        let names = BTreeSet::from(["n", "left"]);
        let text = "n = s->n + left * nn";
        assert_eq!(replaced(text, "n", &names, Names::Variables), "\u{1} = s->n + \u{1}\u{1} * nn");
        assert_eq!(replaced(text, "n", &names, Names::Members), "n = s->\u{1} + left * nn");
        assert_eq!(words("a[i] = 7").collect::<Vec<_>>(), ["a", "i", "7"]);
    }
}
