//! Whether a witness is a finding: the one place where `present` is said by the fault itself.

use crate::judge::resolve::Witness;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Evidence, Verdict};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// What is said of a version in which a witness was found, and what that rests on. A witness that needs code to do what nobody knows, that
    /// has no path, or that needs something to come in which nothing in the program lets in, is a question for a person: `unknown`.
    pub(crate) fn claim(
        &self,
        kind: Class,
        witness: &Witness,
        evidence: &Evidence,
    ) -> (Verdict, BTreeSet<Entry>) {
        let mut ledger = witness.assumed.clone();
        ledger.insert(Entry::AnyInput);
        if kind == Class::Null && witness.null_comes_in {
            ledger.insert(Entry::NullComesIn);
        }
        if witness.alias_comes_in {
            ledger.insert(Entry::AliasComesIn);
        }
        if evidence.path.is_empty() {
            ledger.insert(Entry::NoPath);
        }
        let rests_on = |entry: &Entry| {
            entry.may_do_anything()
                || matches!(entry, Entry::NullComesIn | Entry::AliasComesIn | Entry::NoPath)
        };
        let verdict = if ledger.iter().any(rests_on) { Verdict::Unknown } else { Verdict::Present };
        (verdict, ledger)
    }
}
