//! Whether a refutation is enough to say that a version is without a fault: what it did not look at, and what it takes for granted that the
//! program itself casts doubt on.

use crate::judge::inside::Unseen;
use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry};
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// What keeps a refutation from being a proof; nothing where it is one.
    pub(super) fn not_proved(
        &mut self,
        kind: Class,
        version: VersionId,
        statements: &[NodeId],
        unseen: &Unseen,
    ) -> BTreeSet<Entry> {
        // What a callee does is part of the claim that nothing happens.
        let left = unseen.get(&version).into_iter().flatten().filter(|left| left.hides(kind));
        let mut doubts: BTreeSet<Entry> = left.map(|left| left.entry.clone()).collect();
        if !doubts.is_empty() {
            return doubts;
        }
        match kind {
            Class::Leak if self.overwrites_addresses(statements, version) => {
                doubts.insert(Entry::MayBeOverwritten);
            }
            Class::UseAfterFree | Class::DoubleFree => {
                let dangling = self.dangles(statements, version);
                doubts.extend(dangling.map(|variable| Entry::MayDangle { variable }));
                if kind == Class::UseAfterFree && self.outlives_block(statements, version) {
                    doubts.insert(Entry::MayHaveEnded);
                }
            }
            Class::Null if self.moves_null(statements, version) => {
                doubts.insert(Entry::NullMoved);
            }
            _ => {}
        }
        doubts
    }

    /// Whether something is so of the function of one of these statements.
    pub(super) fn any_function_of(
        &mut self,
        statements: &[NodeId],
        version: VersionId,
        is_so: impl Fn(&mut Self, &Shape, NodeId) -> bool,
    ) -> bool {
        statements.iter().any(|&node| {
            let shape = self.shape(self.subject.program.graph.chain(node), version);
            shape.is_some_and(|shape| is_so(self, &shape, node))
        })
    }

    /// What a proof rests on where some of these statements are in a function that is called back.
    pub(super) fn by_calling_back(
        &mut self,
        kind: Class,
        version: VersionId,
        statements: &[NodeId],
    ) -> Option<Entry> {
        let of_memory =
            matches!(kind, Class::Overflow | Class::Null | Class::UseAfterFree | Class::DoubleFree);
        let graph = self.subject.program.graph;
        let mut chains = statements.iter().filter(|_| of_memory).map(|&node| graph.chain(node));
        let chain = chains.find(|&chain| self.is_called_back(chain, version))?;
        Some(Entry::CalledBack { function: graph.name(chain, version).to_owned() })
    }
}
