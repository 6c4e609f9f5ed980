//! The content that rulings depend on, as hashes that mean the same in every graph.

use crate::judge::members::Member;
use crate::meaning::program::Callee;
use crate::meaning::statics::named_in;
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{ContentHash, FunctionId, Op};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A place in a version that another graph knows as well: a file, a function, the number of a piece.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    pub file: String,
    pub function: String,
    pub piece: usize,
}

/// What is asked of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Aspect {
    /// Its code with all that it refers to, and whom its calls reach.
    Code,
    /// Who calls it, and whether anyone may.
    Callers,
    /// Of a member of a structure, and not of a function: what the program stores there, and whether it is a size somewhere.
    Member,
}

/// Something that a ruling rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Dependence {
    pub file: String,
    pub function: String,
    pub aspect: Aspect,
    pub content: ContentHash,
}

/// What was computed already.
#[derive(Default)]
pub(crate) struct Contents {
    known: FxHashMap<(ChainId, VersionId, Aspect), ContentHash>,
    /// By module; modules live as long as the analyst.
    code: FxHashMap<(usize, FunctionId), Option<ContentHash>>,
    callees: FxHashMap<(ChainId, VersionId), Arc<BTreeMap<String, Callee>>>,
}

impl Analyst<'_> {
    /// The place of a node in a version that has it.
    pub(super) fn place_in(&self, node: NodeId, version: VersionId) -> Option<Place> {
        let graph = self.subject.program.graph;
        let chain = graph.chain(node);
        if !graph.node_in(node, version) {
            return None;
        }
        let piece = graph.pieces(chain, version).iter().position(|&one| one == node)?;
        let (file, function) = (graph.location(chain, version).0.to_owned(), graph.name(chain, version));
        Some(Place { file, function: function.to_owned(), piece })
    }

    /// The node at a place.
    pub(super) fn node_at(&self, place: &Place, version: VersionId) -> Option<NodeId> {
        let chain = self.chain_at(&place.file, &place.function, version)?;
        self.subject.program.graph.pieces(chain, version).get(place.piece).copied()
    }

    /// The one function of a name in a file.
    pub(crate) fn chain_at(&self, file: &str, function: &str, version: VersionId) -> Option<ChainId> {
        let graph = self.subject.program.graph;
        let here = |chain: &ChainId| {
            graph.chain_in(*chain, version)
                && graph.name(*chain, version) == function
                && graph.location(*chain, version).0 == file
        };
        let found: Vec<ChainId> = graph.chains_named(function).into_iter().filter(here).collect();
        match found[..] {
            [chain] => Some(chain),
            _ => None,
        }
    }

    /// What the functions that the question consulted in a version are, in order; none if one of them has no name of its own.
    pub(super) fn dependences(&mut self, version: VersionId) -> Option<Vec<Dependence>> {
        let notes = self.kept.notes();
        let of = |set: &rustc_hash::FxHashSet<(ChainId, VersionId)>| -> BTreeSet<ChainId> {
            set.iter().filter(|(_, other)| *other == version).map(|(chain, _)| *chain).collect()
        };
        let mut code = of(&notes.code);
        let mut open: Vec<ChainId> = of(&notes.mods).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(chain) = open.pop() {
            if seen.insert(chain) {
                code.insert(chain);
                let callees = self.callees_of(chain, version);
                open.extend(callees.values().filter_map(|callee| match callee {
                    Callee::Chain(chain) => Some(*chain),
                    _ => None,
                }));
            }
        }
        let code = code.into_iter().map(|chain| (chain, Aspect::Code));
        let callers = notes.callers.iter().copied().collect::<BTreeSet<_>>();
        let callers = callers.into_iter().map(|chain| (chain, Aspect::Callers));
        let graph = self.subject.program.graph;
        let mut out = Vec::new();
        for (chain, aspect) in code.chain(callers).filter(|(chain, _)| graph.chain_in(*chain, version)) {
            let (file, function) = (graph.location(chain, version).0, graph.name(chain, version));
            if self.chain_at(file, function, version) != Some(chain) {
                return None;
            }
            let (file, function) = (file.to_owned(), function.to_owned());
            out.push(Dependence { file, function, aspect, content: self.content(chain, version, aspect) });
        }
        for ((tag, at), _) in notes.members.iter().filter(|(_, other)| *other == version) {
            let content = self.member_content(&(tag.clone(), *at), version);
            let (file, function) = (tag.clone(), at.to_string());
            out.push(Dependence { file, function, aspect: Aspect::Member, content });
        }
        out.sort();
        Some(out)
    }

    /// Whether a version has what a ruling rests on.
    pub(super) fn has(&mut self, dependence: &Dependence, version: VersionId) -> bool {
        let Dependence { file, function, aspect, content } = dependence;
        if *aspect == Aspect::Member {
            let at = function.parse().unwrap_or(u64::MAX);
            return self.member_content(&(file.clone(), at), version) == *content;
        }
        let chain = self.chain_at(file, function, version);
        chain.is_some_and(|chain| self.content(chain, version, *aspect) == *content)
    }

    /// The content of a function that the version has.
    pub(super) fn content(&mut self, chain: ChainId, version: VersionId, aspect: Aspect) -> ContentHash {
        let key = (chain, version, aspect);
        if let Some(known) = self.kept.contents.known.get(&key) {
            return *known;
        }
        let content = match aspect {
            Aspect::Code => self.code_content(chain, version),
            Aspect::Callers => self.callers_content(chain, version),
            Aspect::Member => unreachable!("a member has no function"),
        };
        self.kept.contents.known.insert(key, content);
        content
    }

    fn code_content(&mut self, chain: ChainId, version: VersionId) -> ContentHash {
        let code = self.shape(chain, version).and_then(|shape| {
            let key = (Arc::as_ptr(&shape.module) as usize, shape.id);
            let compute = || hydrogen_ir::exact_hash(&shape.module, shape.id);
            *self.kept.contents.code.entry(key).or_insert_with(compute)
        });
        let mut parts = vec![format!("{code:?}"), self.subject.program.graph.newest_name(chain).to_owned()];
        for (name, callee) in self.callees_of(chain, version).iter() {
            parts.push(name.clone());
            parts.extend(match callee {
                Callee::Chain(chain) => {
                    let graph = self.subject.program.graph;
                    [graph.location(*chain, version).0, graph.name(*chain, version)].map(str::to_owned)
                }
                Callee::External => ["".to_owned(), "external".to_owned()],
                Callee::Unclear => ["".to_owned(), "unclear".to_owned()],
            });
        }
        parts.extend(self.statics_content(chain, version));
        digest(&parts)
    }

    /// What is stored in the variables that a function names and of which all stores are seen, and what other files define for it.
    fn statics_content(&mut self, chain: ChainId, version: VersionId) -> Vec<String> {
        let Some(shape) = self.shape(chain, version) else { return Vec::new() };
        let named = named_in(&shape.module, shape.body());
        let stored = named.iter().filter_map(|&global| Some(format!("{:?}", shape.statics.get(global)?)));
        let defined = named.iter().filter_map(|&global| shape.defined.get(shape.module.global(global)));
        stored.chain(defined.map(|one| format!("{one:?}"))).collect()
    }

    fn member_content(&mut self, member: &Member, version: VersionId) -> ContentHash {
        let stored = self.stored(version).get(member).cloned();
        digest(&(format!("{stored:?}"), self.is_sized(member, version)))
    }

    fn callers_content(&mut self, chain: ChainId, version: VersionId) -> ContentHash {
        let first = self.subject.program.graph.newest_name(chain) == "main" && self.begins_with_main(version);
        let root = (self.is_root(chain, version), self.is_called_back(chain, version), first);
        let calls = self.callers_of(chain);
        let here = calls.iter().filter(|(_, versions)| versions.contains(version));
        let places: BTreeSet<Option<Place>> = here.map(|(node, _)| self.place_in(*node, version)).collect();
        digest(&(root, places))
    }

    /// Whom the calls of a function by name reach.
    fn callees_of(&mut self, chain: ChainId, version: VersionId) -> Arc<BTreeMap<String, Callee>> {
        if let Some(known) = self.kept.contents.callees.get(&(chain, version)) {
            return Arc::clone(known);
        }
        let mut callees = BTreeMap::new();
        if let Some(shape) = self.shape(chain, version) {
            for instruction in &shape.body().instructions {
                if let Op::Call { callee, .. } = &instruction.op
                    && let Some(whom) = self.whom(&shape, callee)
                {
                    let through = if whom.stored { "*" } else { "" };
                    callees.insert(format!("{through}{}", whom.name), whom.callee);
                }
            }
        }
        let callees = Arc::new(callees);
        self.kept.contents.callees.insert((chain, version), Arc::clone(&callees));
        callees
    }
}

/// The hash of plain data.
pub(super) fn digest(value: &impl Serialize) -> ContentHash {
    let bytes = postcard::to_stdvec(value).expect("plain data is always storable");
    ContentHash::of(&bytes)
}
