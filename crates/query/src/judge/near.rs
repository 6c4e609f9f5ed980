//! What can be said near the statement, where the way from the program's beginning is too long to decide.

use crate::budget::BESIDE;
use crate::judge::Raised;
use crate::judge::resolve::Outcome;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Evidence, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use std::collections::BTreeSet;

/// A fault of the statement's own function.
pub(super) struct Near {
    /// What shows it.
    pub evidence: Evidence,
    pub ledger: BTreeSet<Entry>,
    /// The function, where only some caller of it was seen to fail, and not the program.
    pub for_callers_of: Option<String>,
}

impl Analyst<'_> {
    /// What shows that the program fails at the statement when it is started in one of a few usual ways, however long the way in.
    pub(super) fn by_chance(
        &mut self,
        kind: Class,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<Evidence> {
        let (node, ran) = self.shown_by_chance(kind, version, statement)?;
        let path = vec![self.spot(node, version)];
        Some(Evidence { path, input: Some(ran.input), replay: Some(ran.replay), ..Evidence::default() })
    }

    /// A fault for some caller: what shows it when the statement's own function is called with anything. Where the program itself fails
    /// when it is started with that, it has the fault. None where nothing shows it, or where anyone may call the function, so that this
    /// was asked already.
    pub(super) fn near_the_statement(
        &mut self,
        kind: Class,
        raised: &Raised,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<Near> {
        let chain = raised.frame.chain;
        if !raised.frame.within.is_empty() || raised.unsure.is_some() || self.is_root(chain, version) {
            return None;
        }
        let one = VersionSet::one(version);
        let beginning = std::slice::from_ref(&raised.beginning);
        let asking = Asking { entry: Some(chain), ..self.asking };
        let run = self.run.clone();
        // A check asks about many statements.
        let part = if self.asking.near { BESIDE } else { 1 };
        let found = self.with_part(part, |analyst| {
            analyst.with(asking, |analyst| {
                let outcome = analyst.question(&raised.frame, beginning, &one).remove(&version)?;
                let Outcome::Witness(witness) = outcome else { return None };
                let mut shown = analyst.evidence(&raised.frame, beginning, &[(version, &witness)]);
                let shown = shown.remove(&version)?;
                let (verdict, mut evidence, ledger) =
                    analyst.claim(kind, version, &witness, &shown, statement);
                if verdict != Verdict::Present || witness.weak {
                    return None;
                }
                let function = analyst.subject.program.graph.name(chain, version).to_owned();
                let for_callers_of = match analyst.carried_in(kind, version, &shown, statement) {
                    Some(ran) => {
                        (evidence.input, evidence.replay) = (Some(ran.input), Some(ran.replay));
                        None
                    }
                    None => Some(function),
                };
                Some(Near { evidence, ledger, for_callers_of })
            })
        });
        self.run = run;
        found
    }
}
