//! What can be said near the statement, where the way from the program's beginning is too long to decide.

use crate::judge::Raised;
use crate::judge::resolve::Outcome;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Evidence, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};

impl Analyst<'_> {
    /// A fault for some caller: what shows it when the statement's own function is called with anything, and that function. None where nothing
    /// shows it, or where anyone may call the function, so that this was asked already.
    pub(super) fn near_the_statement(
        &mut self,
        kind: Class,
        raised: &Raised,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<(Evidence, String)> {
        let chain = raised.frame.chain;
        if !raised.frame.within.is_empty() || raised.unsure || self.is_root(chain, version) {
            return None;
        }
        let one = VersionSet::one(version);
        let beginning = std::slice::from_ref(&raised.beginning);
        let asking = Asking { entry: Some(chain), ..self.asking };
        let run = self.run.clone();
        let found = self.with(asking, |analyst| {
            let outcome = analyst.question(&raised.frame, beginning, &one).remove(&version)?;
            let Outcome::Witness(witness) = outcome else { return None };
            let shown = analyst.evidence(&raised.frame, beginning, version, &witness);
            let (verdict, evidence, _) = analyst.claim(kind, version, &witness, &shown, statement);
            let function = analyst.subject.program.graph.name(chain, version).to_owned();
            (verdict == Verdict::Present && !witness.weak).then_some((evidence, function))
        });
        self.run = run;
        found
    }
}
