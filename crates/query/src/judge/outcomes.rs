//! How the possible faults of a statement turn out, all together.

use crate::judge::Raised;
use crate::judge::resolve::{Outcome, Witness};
use crate::kept::Recalled;
use crate::walk::Analyst;
use hydrogen_evidence::Entry;
use hydrogen_graph::{VersionId, VersionSet};
use std::collections::{BTreeMap, BTreeSet};

impl Analyst<'_> {
    /// How all the sites turned out: a version has the fault if one site has it; with that site's number.
    pub(super) fn outcomes(
        &mut self,
        sites: &[Raised],
        recalled: &BTreeMap<VersionId, Recalled>,
    ) -> BTreeMap<VersionId, (Outcome, usize)> {
        let mut all: BTreeMap<VersionId, (Outcome, usize)> = BTreeMap::new();
        // What may be no fault at all comes last: it can only keep a version from being without the fault.
        let (sure, unsure): (Vec<usize>, Vec<usize>) =
            (0..sites.len()).partition(|&at| sites[at].unsure.is_none());
        for at in sure.into_iter().chain(unsure) {
            let site = &sites[at];
            // Once a version has the fault, its other sites need not be looked at; once it may have it, those that show nothing need not.
            let decided = |version: &VersionId| {
                recalled.contains_key(version)
                    || match all.get(version) {
                        Some((Outcome::Witness(_), _)) => true,
                        Some((Outcome::Open(_), _)) => site.unsure.is_some(),
                        _ => false,
                    }
            };
            let open: Vec<VersionId> = site.beginning.versions.iter().filter(|one| !decided(one)).collect();
            let versions =
                open.into_iter().fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(one)));
            if versions.is_empty() {
                continue;
            }
            let answered = self.question(&site.frame, std::slice::from_ref(&site.beginning), &versions);
            let (time, work, message) = (self.run.asked.elapsed(), self.worked(), &site.message);
            tracing::debug!(message, unsure = ?site.unsure, work, ?time, "a condition of a question");
            for (version, outcome) in answered {
                let outcome = match outcome {
                    Outcome::Witness(_) if let Some(why) = &site.unsure => {
                        Outcome::Open(BTreeSet::from([why.clone()]))
                    }
                    other => other,
                };
                let merged = match (all.remove(&version), outcome) {
                    (_, Outcome::Witness(witness)) => (Outcome::Witness(witness), at),
                    (Some((Outcome::Open(mut reasons), first)), Outcome::Open(more)) => {
                        reasons.extend(more);
                        (Outcome::Open(reasons), first)
                    }
                    (Some(open @ (Outcome::Open(_), _)), Outcome::Refuted) => open,
                    (_, outcome) => (outcome, at),
                };
                all.insert(version, merged);
            }
        }
        all
    }

    /// Whether the condition of the second witness lacks states of the first, at the entry of the same function.
    pub(super) fn takes_away(&mut self, before: &Witness, now: &Witness) -> Option<Entry> {
        let chain = |witness: &Witness| witness.arrival.frames.first().map(|(frame, _)| frame.chain);
        if chain(before) != chain(now) {
            return None;
        }
        let gone = self.terms.pool.not(now.arrival.term);
        let states = self.terms.pool.and(before.arrival.term, gone);
        let constraints = self.with_axioms(states);
        let lacks = self.engine.check(&mut self.terms.pool, &constraints).is_sat();
        lacks.then_some(Entry::FewerStates)
    }
}
