//! Taking rulings from the shelf, and putting them there.

use super::content::{Aspect, Place, digest};
use super::entry::{self, Decided, Entry, Weak};
use super::{REVISION, Shelf};
use crate::judge::operation::Operation;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Evidence, Replay, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_ir::ContentHash;
use std::collections::{BTreeMap, BTreeSet};

/// What a ruling is about: a kind of fault, whether the statement's callees count, and which of its operations.
pub(crate) type What<'w> = (Class, bool, &'w Operation);

/// A ruling of an earlier run.
pub(crate) struct Recalled {
    pub verdict: Verdict,
    pub evidence: Evidence,
    pub ledger: BTreeSet<hydrogen_evidence::Entry>,
    weak: Option<Weak>,
    /// What it rests on.
    identity: ContentHash,
}

/// A ruling of this run.
pub(crate) struct Fresh {
    pub verdict: Verdict,
    pub evidence: Evidence,
    /// The nodes of the evidence's path.
    pub path: Vec<NodeId>,
    pub ledger: BTreeSet<hydrogen_evidence::Entry>,
    /// For a weak witness: the version that it was compared with.
    pub weak: Option<Option<VersionId>>,
}

impl<'a> Analyst<'a> {
    /// Keeps rulings on a shelf, and takes them from there.
    pub fn keep_on(&mut self, shelf: impl Shelf + 'a) {
        self.kept.shelf = Some(Box::new(shelf));
    }
}

impl Analyst<'_> {
    /// The rulings of earlier runs that hold for a kind of fault of the statements.
    pub(crate) fn recall(
        &mut self,
        what: What<'_>,
        versions: &VersionSet,
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
    ) -> BTreeMap<VersionId, Recalled> {
        let mut found = BTreeMap::new();
        if !self.kept.is_on() {
            return found;
        }
        self.kept.listening = false;
        for version in versions.iter() {
            let nodes = followed.get(&version).map_or(&[][..], Vec::as_slice);
            let key = self.key(what, nodes, version);
            let Some(key) = key.filter(|key| !self.kept.own.contains(key)) else { continue };
            let bytes = self.kept.shelf.as_ref().and_then(|shelf| shelf.load(&key));
            for entry in bytes.iter().flat_map(|bytes| entry::read(bytes)) {
                if entry.dependences.iter().all(|one| self.has(one, version))
                    && let Some(recalled) = self.restored(&key, entry, version, what.0, nodes)
                {
                    found.insert(version, recalled);
                    break;
                }
            }
        }
        self.kept.listening = true;
        self.drop_weak(versions, &mut found);
        found
    }

    /// A weak witness is compared with the one before it, whose condition is not kept: so either all are known, in the same
    /// order as then, or none is used.
    fn drop_weak(&self, versions: &VersionSet, found: &mut BTreeMap<VersionId, Recalled>) {
        let mut before = None;
        let as_then = versions.iter().all(|version| match found.get(&version) {
            None => false,
            Some(one) => {
                let same = one.weak.is_none_or(|weak| weak.before == before);
                match (one.verdict, one.weak) {
                    (Verdict::Present, Some(_)) => before = Some(one.identity),
                    (Verdict::Present, None) => before = None,
                    _ => {}
                }
                same
            }
        });
        if !as_then {
            found.retain(|_, one| one.weak.is_none());
        }
    }

    /// An entry as a ruling on a version that has all that it rests on. A run sees more of the program than a condition does, so that an
    /// input must show the fault again.
    fn restored(
        &mut self,
        key: &[u8; 32],
        entry: Entry,
        version: VersionId,
        kind: Class,
        statement: &[NodeId],
    ) -> Option<Recalled> {
        let identity = digest(&(key, &entry.dependences));
        let nodes: Option<Vec<NodeId>> =
            entry.path.iter().map(|place| self.node_at(place, version)).collect();
        let nodes = nodes?;
        let (mut input, mut replay) = (None, None);
        if let Some(text) = &entry.input {
            let parsed = serde_json::from_str(text).ok()?;
            let ran = self.shown_again(kind, version, parsed, &nodes, statement)?;
            (input, replay) = (Some(ran.input), Some(ran.replay));
        }
        let path = nodes.into_iter().map(|node| self.spot(node, version)).collect();
        Some(Recalled {
            verdict: entry.verdict.verdict(),
            evidence: Evidence { path, constraint: entry.constraint, model: entry.model, input, replay },
            ledger: entry.ledger.into_iter().collect(),
            weak: entry.weak,
            identity,
        })
    }

    /// Puts the rulings of a question on the shelf. `certain` says that neither time nor the solver cut it short.
    pub(crate) fn keep(
        &mut self,
        what: What<'_>,
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
        fresh: BTreeMap<VersionId, Fresh>,
        certain: bool,
    ) {
        if !self.kept.is_on() {
            return;
        }
        self.kept.listening = false;
        let mut identities: BTreeMap<VersionId, ContentHash> = BTreeMap::new();
        // What a run did not confirm is tried anew: it may have gone wrong outside of what the condition rests on.
        let worth = |ruling: &Fresh| matches!(ruling.evidence.replay, None | Some(Replay::Confirmed));
        for (version, ruling) in fresh.into_iter().filter(|(_, ruling)| worth(ruling)) {
            let nodes = followed.get(&version).map_or(&[][..], Vec::as_slice);
            let cut = match ruling.verdict {
                // A refutation and a witness are what they are, however long they took.
                Verdict::Absent => false,
                Verdict::Present => !certain && (ruling.path.is_empty() || ruling.weak.is_some()),
                _ => {
                    !certain
                        || ruling
                            .ledger
                            .iter()
                            .any(|entry| matches!(entry, hydrogen_evidence::Entry::BudgetUsedUp { .. }))
                }
            };
            let (Some(key), Some(dependences), Some(verdict)) =
                (self.key(what, nodes, version), self.dependences(version), Decided::of(ruling.verdict))
            else {
                continue;
            };
            identities.insert(version, digest(&(&key, &dependences)));
            let places: Option<Vec<Place>> =
                ruling.path.iter().map(|&node| self.place_in(node, version)).collect();
            let before = ruling.weak.flatten().map(|version| identities.get(&version).copied());
            // The version that it was compared with must be known.
            let (Some(path), false) = (places, cut || before == Some(None)) else { continue };
            let weak = ruling.weak.map(|_| Weak { before: before.flatten() });
            let Evidence { constraint, model, input, .. } = ruling.evidence;
            let input = input.and_then(|input| serde_json::to_string(&input).ok());
            let ledger = ruling.ledger.into_iter().collect();
            let entry = Entry { dependences, verdict, path, constraint, model, input, ledger, weak };
            if let Some(shelf) = &self.kept.shelf {
                let others = shelf.load(&key).map_or(Vec::new(), |bytes| entry::read(&bytes));
                shelf.store(&key, &entry::write(others, entry));
                self.kept.own.insert(key);
            }
        }
    }

    /// What names a question about statements of a version, whatever else the graph has.
    fn key(
        &mut self,
        (kind, inside, operation): What<'_>,
        nodes: &[NodeId],
        version: VersionId,
    ) -> Option<[u8; 32]> {
        let places: Option<Vec<Place>> = nodes.iter().map(|&node| self.place_in(node, version)).collect();
        let places = places.filter(|places| !places.is_empty())?;
        let graph = self.subject.program.graph;
        let chains: BTreeSet<_> = nodes.iter().map(|&node| graph.chain(node)).collect();
        let code: Vec<ContentHash> =
            chains.into_iter().map(|chain| self.content(chain, version, Aspect::Code)).collect();
        // What the rest of the program does to texts in variables is nowhere else on the way to a ruling.
        let open = self.asking.texts || self.leaves_texts_open(version);
        let own = self.own_texts(version);
        let unended: Vec<_> = own.iter().filter(|(_, why)| why.is_some()).collect();
        let texts = (open, digest(&unended));
        let how = (kind.word(), inside, format!("{operation:?}"), self.asking.strict, texts);
        let first = digest(&("ruling", REVISION, self.settings(), how, &places, &code));
        let second = digest(&(first, "second half"));
        let mut key = [0; 32];
        key[..16].copy_from_slice(&first.0);
        key[16..].copy_from_slice(&second.0);
        Some(key)
    }

    /// What holds for all questions. Times are not in it: what they cut short is not kept.
    fn settings(&mut self) -> ContentHash {
        if let Some(known) = self.kept.settings {
            return known;
        }
        let budget = &self.budget;
        let limits = (budget.steps, budget.terms, budget.depth, budget.rounds, budget.more_rounds);
        let contracts = format!("{:?}", self.subject.library);
        let run = self.confirm.is_some();
        let incoming = format!("{:?}", self.subject.comes_in);
        let settings =
            digest(&(limits, contracts, &self.subject.entries, self.engine.solver().name(), run, incoming));
        self.kept.settings = Some(settings);
        settings
    }
}
