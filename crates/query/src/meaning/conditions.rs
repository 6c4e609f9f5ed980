//! Conditions by version.

use hydrogen_graph::VersionSet;
use hydrogen_term::{Pool, Term};

/// Conditions with the versions they hold in; no version is in two of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions(pub Vec<(Term, VersionSet)>);

impl Conditions {
    /// In these versions, this is a further way: the condition is one or the other.
    pub fn add(&mut self, pool: &mut Pool, term: Term, versions: &VersionSet) {
        let mut rest = versions.clone();
        let mut out: Vec<(Term, VersionSet)> = Vec::with_capacity(self.0.len() + 1);
        for (other, theirs) in self.0.drain(..) {
            let both = theirs.intersection(&rest);
            if both.is_empty() {
                out.push((other, theirs));
                continue;
            }
            let alone = theirs.difference(&both);
            if !alone.is_empty() {
                out.push((other, alone));
            }
            let joined = pool.or(other, term);
            out.push((joined, both.clone()));
            rest = rest.difference(&both);
        }
        if !rest.is_empty() {
            out.push((term, rest));
        }
        self.0 = out;
        self.tidy();
    }

    /// Equal conditions are one.
    fn tidy(&mut self) {
        let mut out: Vec<(Term, VersionSet)> = Vec::with_capacity(self.0.len());
        for (term, versions) in self.0.drain(..) {
            match out.iter_mut().find(|(other, _)| *other == term) {
                Some((_, theirs)) => *theirs = theirs.union(&versions),
                None => out.push((term, versions)),
            }
        }
        self.0 = out;
    }
}

/// Groups versions by what a function gives for each, in the order of first appearance.
pub(crate) fn group<K: PartialEq>(
    versions: &VersionSet,
    mut key: impl FnMut(hydrogen_graph::VersionId) -> K,
) -> Vec<(K, VersionSet)> {
    let mut out: Vec<(K, VersionSet)> = Vec::new();
    for version in versions.iter() {
        let found = key(version);
        let one = VersionSet::one(version);
        match out.iter_mut().find(|(other, _)| *other == found) {
            Some((_, theirs)) => *theirs = theirs.union(&one),
            None => out.push((found, one)),
        }
    }
    out
}
