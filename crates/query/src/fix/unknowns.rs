//! Ways to compare with a fix, in turn; and unknown calls that are the same in the version before the fix, in the one after it and in the
//! release asked about.

use crate::judge::Question;
use crate::meaning::approximate::Toward;
use crate::meaning::shared::Shared;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_evidence::{Entry, Finding, Ruling, Verdict, mark_fixed};
use hydrogen_graph::{Fix, VersionId, VersionSet};
use hydrogen_term::Term;
use rustc_hash::FxHashSet;

impl Analyst<'_> {
    /// The verdicts by what the fix changes for the statement, asked in turn until nothing is open: first without going round loops for what
    /// is found, which is cheap and mostly enough, and with what is not seen doing the same in all versions where it sees the same only
    /// where that is needed.
    pub(crate) fn compare_in_turn(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        let versions = question.versions.union(&VersionSet::one(fix.before));
        let all = Question { versions: &versions, ..*question };
        let mut found: Option<Finding> = None;
        let is_open = |ruling: &Ruling| ruling.verdict == Verdict::Unknown && ruling.id != fix.after.0;
        for (rounds, same) in [(0, false), (0, true), (self.budget.rounds, false), (self.budget.rounds, true)]
        {
            if found.as_ref().is_some_and(|found| !found.verdicts.iter().any(is_open)) || self.spent() {
                break;
            }
            self.terms.shared = same.then(Shared::default);
            let asking = Asking { rounds, ..self.asking };
            let again = self.with(asking, |one| one.compare_at_statement(&all, fix));
            self.terms.shared = None;
            let Some(again) = again else { continue };
            found = Some(joined(found, again, fix, same));
            // Where the program ends before in all states of the fix, the fix shows nothing, however it is compared.
            let ends = |ruling: &Ruling| {
                ruling.id == fix.before.0
                    && ruling.ledger.iter().any(|entry| matches!(entry, Entry::EndsBefore { .. }))
            };
            if found.as_ref().is_some_and(|found| found.verdicts.iter().any(ends)) {
                break;
            }
        }
        let mut found = found?;
        found.verdicts.retain(|ruling| question.versions.contains(VersionId(ruling.id)));
        mark_fixed(&mut found.verdicts);
        Some(found)
    }

    /// What unknown calls decide in the conditions before a fix, and what of those before and after it is the same wherever it occurs. A call
    /// that only the fix makes is one of those if nobody else is called so; one that it makes with something else is not, for what
    /// that changes is not known.
    pub(crate) fn same_unknowns(
        &self,
        before: &[Term],
        after: &[Term],
    ) -> (FxHashSet<Term>, FxHashSet<Term>) {
        let (old, new) = (self.terms.unknown_calls(before), self.terms.unknown_calls(after));
        let names: FxHashSet<&String> = old.values().collect();
        let mine: FxHashSet<Term> = old.keys().copied().collect();
        let fresh = new.iter().filter(|(_, name)| !names.contains(name)).map(|(term, _)| *term);
        let same = mine.iter().copied().chain(fresh).collect();
        (mine, same)
    }

    /// Whether two conditions, of which both cannot hold, exclude each other only because of values of which nothing is known and that only
    /// one of them speaks of. Two such values may be the same: a version that makes other calls, or the same ones behind others, has other
    /// names for what they leave behind, and that the names are two says nothing.
    pub(crate) fn rests_on_unknowns(&mut self, one: Term, other: Term) -> bool {
        let mine: FxHashSet<Term> = self.terms.pool.postorder(&[one]).into_iter().collect();
        let common: FxHashSet<Term> =
            self.terms.pool.postorder(&[other]).into_iter().filter(|term| mine.contains(term)).collect();
        // It is enough if one of the two keeps its own.
        [(one, other), (other, one)].into_iter().all(|(kept, opened)| {
            let opened = self.terms.approximate_but(opened, Toward::Weaker, &common);
            let both = self.terms.pool.and(kept, opened);
            self.is_possible(both) != Some(false)
        })
    }

    /// Whether a version's conditions speak of all that the calls before the fix decide in a condition: a version that does not make a call
    /// has other memory behind it.
    pub(crate) fn makes_the_calls(&self, calls: &FxHashSet<Term>, taken: Term, own: &[Term]) -> bool {
        if calls.is_empty() {
            return true;
        }
        let own = self.terms.unknown_calls(own);
        let terms = self.terms.pool.postorder(&[taken]);
        terms.iter().all(|one| !calls.contains(one) || own.contains_key(one))
    }
}

/// What was found, and where it is open what was found in another way: by a measure that the version before the fix does not meet, nothing
/// is said of the others.
fn joined(found: Option<Finding>, mut again: Finding, fix: Fix, same: bool) -> Finding {
    let has = |ruling: &Ruling| ruling.id == fix.before.0 && ruling.verdict == Verdict::Present;
    if same {
        for ruling in again.verdicts.iter_mut().filter(|ruling| ruling.verdict != Verdict::Unknown) {
            ruling.ledger.push(Entry::SameUnknowns);
        }
    }
    let Some(mut found) = found else { return again };
    if !again.verdicts.iter().any(has) {
        return found;
    }
    if !found.verdicts.iter().any(has) {
        return again;
    }
    for ruling in found.verdicts.iter_mut().filter(|ruling| ruling.verdict == Verdict::Unknown) {
        let other = again.verdicts.iter().find(|other| other.id == ruling.id);
        if let Some(other) = other.filter(|other| other.verdict != Verdict::Unknown) {
            *ruling = other.clone();
        }
    }
    found
}
