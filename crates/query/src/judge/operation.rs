//! What of a statement a verdict is about: one read, one write, one computation (F41).

use crate::judge::Raised;
use crate::walk::Analyst;
use hydrogen_evidence::{Finding, Verdict};
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeMap;

/// An operation of a statement, the same in every version that has the statement: named by what it is done to and not by a number among
/// instructions, which differ as soon as somebody elsewhere takes a variable's address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Operation {
    pub deed: Deed,
    /// The variable that the address is made from, or the operator.
    pub object: String,
    /// Among those of the same deed and object.
    pub ordinal: usize,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Deed {
    /// All that the statement does.
    #[default]
    All,
    /// What the functions do that it calls.
    Inside,
    Read,
    Write,
    Compute,
    Call,
}

impl Operation {
    /// The next one of this kind.
    pub fn next(deed: Deed, object: String, seen: &mut BTreeMap<(Deed, String), usize>) -> Self {
        let count = seen.entry((deed, object.clone())).or_default();
        *count += 1;
        Self { deed, object, ordinal: *count - 1 }
    }
}

impl Analyst<'_> {
    /// The operation that a verdict is about. Where another statement took the place of this one, nobody says which of its operations stands for
    /// which: the verdict is about all of them.
    pub(crate) fn operation_of(
        &self,
        node: NodeId,
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
        raised: &Raised,
    ) -> Operation {
        let itself = followed.values().all(|nodes| nodes.is_empty() || nodes[..] == [node]);
        match raised.frame.within.is_empty() {
            _ if !itself => Operation::default(),
            false => Operation { deed: Deed::Inside, ..Operation::default() },
            true => raised.operation.clone(),
        }
    }
}

/// The findings of the operations of one kind, as few as say the same: those with the same verdicts in all versions are one, and those that
/// nothing is wrong with are not told beside others. What happens comes first.
pub(crate) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let words = |finding: &Finding| -> Vec<Verdict> {
        finding.verdicts.iter().map(|ruling| ruling.verdict).collect()
    };
    let mut told: Vec<Finding> = Vec::new();
    for finding in findings {
        match told.iter_mut().find(|other| words(other) == words(&finding)) {
            Some(other) => {
                for (ruling, more) in other.verdicts.iter_mut().zip(finding.verdicts) {
                    if ruling.verdict == Verdict::Unknown {
                        ruling.ledger.extend(more.ledger);
                        ruling.ledger.sort();
                        ruling.ledger.dedup();
                    }
                }
            }
            None => told.push(finding),
        }
    }
    let has = |finding: &Finding, verdict: Verdict| finding.verdicts.iter().any(|one| one.verdict == verdict);
    let matters = |finding: &Finding| has(finding, Verdict::Present) || has(finding, Verdict::Unknown);
    if told.iter().any(matters) {
        told.retain(matters);
    }
    told.sort_by_key(|finding| !has(finding, Verdict::Present));
    told
}
