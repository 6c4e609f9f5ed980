//! One name for a variable or member in all versions of a question: how the answers of `hydrogen_align` about renamed things get into conditions.

use crate::meaning::effect::Effect;
use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_align::words::Records;
use hydrogen_align::{Layouts, Names, Renamed, renamed};
use hydrogen_graph::{ChainId, Fix, VersionId, VersionSet};
use hydrogen_ir::{CType, Member};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// By structure: its members, and those that they stand for.
pub(crate) type RenamedMembers = BTreeMap<String, Renamed>;

/// The members of the structures of a version, with their types as text.
type Members = BTreeMap<String, BTreeMap<String, String>>;

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
    renamed((&new, mine), (&gone, theirs), Names::Variables, is_alike)
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

impl Analyst<'_> {
    /// One layout of structures for the versions of a question: members that got another name keep their place.
    pub(crate) fn common_layouts(&mut self, versions: &VersionSet, fix: Fix) -> Layouts {
        let mut layouts = Layouts::default();
        let all = versions.union(&VersionSet::one(fix.before)).union(&VersionSet::one(fix.after));
        for version in all.iter().filter(|version| *version != fix.before) {
            let mut found = BTreeMap::clone(&self.renamed_members(version, fix.before));
            // What the fix changed is used as after it; the names must be those before it all the same.
            if version != fix.after {
                let in_between = self.renamed_members(fix.after, fix.before);
                for (record, names) in self.renamed_members(version, fix.after).iter() {
                    let known = found.entry(record.clone()).or_default();
                    for (own, after) in names {
                        let before = in_between.get(record).and_then(|names| names.get(after));
                        known.entry(own.clone()).or_insert_with(|| before.unwrap_or(after).clone());
                    }
                }
            }
            tracing::debug!(?version, ?found, "renamed members");
            if !found.is_empty() {
                self.modules(version).iter().for_each(|module| layouts.rename(module, &found));
            }
        }
        for version in all.iter().filter(|version| *version != fix.before) {
            let moved = self.moved_files(version, fix.before);
            for module in self.modules(version) {
                if let Some(Some(file)) = moved.get(&module.name) {
                    layouts.set_file(&module, file.clone());
                }
            }
        }
        let alone = self.alone(fix);
        tracing::debug!(?alone, "members without a counterpart");
        layouts.set_alone(alone);
        layouts
    }

    /// The files of a version that another one has under another name, by the functions in them; none where these come from several files.
    fn moved_files(&self, version: VersionId, reference: VersionId) -> BTreeMap<String, Option<String>> {
        let graph = self.subject.program.graph;
        let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
        let both = |chain: &ChainId| graph.chain_in(*chain, version) && graph.chain_in(*chain, reference);
        for chain in graph.chains().filter(both) {
            let file = |version: VersionId| self.subject.program.file(chain, version);
            let (here, there) = (file(version).to_owned(), file(reference).to_owned());
            let known = found.entry(here.clone()).or_insert_with(|| Some(there.clone()));
            if known.as_ref() != Some(&there) {
                *known = None;
            }
        }
        found.retain(|here, there| there.as_ref() != Some(here));
        found
    }

    /// The members of structures of both sides of a fix that only one of them has, in the names before the fix.
    fn alone(&mut self, fix: Fix) -> BTreeMap<String, BTreeSet<String>> {
        let renamed = self.renamed_members(fix.after, fix.before);
        let (mine, theirs) = (self.members_of(fix.after), self.members_of(fix.before));
        let mut found = BTreeMap::new();
        for (record, own) in &mine {
            let Some(their) = theirs.get(record) else { continue };
            let names = renamed.get(record);
            let common = |name: &String| names.and_then(|names| names.get(name)).unwrap_or(name).clone();
            let own: BTreeSet<String> = own.keys().map(common).collect();
            let their: BTreeSet<String> = their.keys().cloned().collect();
            let apart: BTreeSet<String> = own.symmetric_difference(&their).cloned().collect();
            if !apart.is_empty() {
                found.insert(record.clone(), apart);
            }
        }
        found
    }

    /// The members of a version's structures that have another name in a reference.
    fn renamed_members(&mut self, version: VersionId, reference: VersionId) -> Arc<RenamedMembers> {
        if let Some(known) = self.store.renamed_members.get(&(version, reference)) {
            return Arc::clone(known);
        }
        let (mine, theirs) = (self.members_of(version), self.members_of(reference));
        let mut found = RenamedMembers::new();
        let mut texts = None;
        for (record, own) in &mine {
            let Some(their) = theirs.get(record) else { continue };
            let new: Vec<&String> = own.keys().filter(|name| !their.contains_key(*name)).collect();
            let gone: Vec<&String> = their.keys().filter(|name| !own.contains_key(*name)).collect();
            if new.is_empty() || gone.is_empty() {
                continue;
            }
            let (here, there) = texts.get_or_insert_with(|| self.common_texts(version, reference));
            let is_alike = |name: &str, old: &str| their[old] == own[name];
            let names = renamed((&new, here), (&gone, there), Names::Members, is_alike);
            if !names.is_empty() {
                found.insert(record.clone(), names);
            }
        }
        let found = Arc::new(found);
        self.store.renamed_members.insert((version, reference), Arc::clone(&found));
        found
    }

    /// The statements of the functions that both versions have.
    fn common_texts(&self, version: VersionId, reference: VersionId) -> (Vec<String>, Vec<String>) {
        let graph = self.subject.program.graph;
        let both = |chain: &ChainId| graph.chain_in(*chain, version) && graph.chain_in(*chain, reference);
        let chains: Vec<ChainId> = graph.chains().filter(both).collect();
        let texts = |version: VersionId| {
            let pieces = chains.iter().flat_map(|&chain| graph.pieces(chain, version));
            pieces.map(|node| graph.text(node).to_owned()).collect()
        };
        (texts(version), texts(reference))
    }

    fn members_of(&mut self, version: VersionId) -> Members {
        let mut found = Members::new();
        for module in self.modules(version) {
            for (name, members) in Records::of(&module).all(&module) {
                let typed = |member: &Member| (member.name.clone(), module.ctype_name(member.ty));
                found.entry(name.to_owned()).or_insert_with(|| members.iter().map(typed).collect());
            }
        }
        found
    }
}
