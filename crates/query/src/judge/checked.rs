//! A check in parts, and what comes of them together.

use crate::judge::by_calls::with_called;
use crate::judge::passed_on::with_passed_on;
use hydrogen_evidence::Finding;
use hydrogen_graph::{ChainId, NodeId, VersionId};
use std::collections::BTreeSet;

/// A part of a check. Parts are the same whoever works on them, so that answers do not depend on how many do.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Its number.
    pub at: usize,
    /// How many there are.
    pub of: usize,
}

impl Part {
    /// All of it.
    pub const WHOLE: Self = Self { at: 0, of: 1 };

    /// Whether the one in this place of a list is of this part. Neighbours are of different parts, so that each has some of what comes first.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.of == self.at
    }
}

/// What a part of a check found.
#[derive(Default)]
pub struct Checked {
    /// Statements of the whole check.
    pub(super) statements: Vec<(NodeId, VersionId)>,
    /// What was found at a place of that list.
    pub(super) findings: Vec<(usize, Finding)>,
    /// The same, of what statements hand on.
    pub(super) passed: Vec<(usize, Finding)>,
    pub(super) by_calls: Vec<Finding>,
    /// The nodes that conditions went through.
    pub(super) visited: BTreeSet<NodeId>,
    /// The functions that they went through.
    pub(super) functions: BTreeSet<ChainId>,
}

/// All that was found, in the order of the program.
#[derive(Default)]
pub struct Joined {
    /// The faults.
    pub findings: Vec<Finding>,
    /// How many nodes conditions went through.
    pub nodes: usize,
    /// How many functions they went through.
    pub functions: usize,
}

impl Checked {
    /// What the parts of a check found, as if one had found it all.
    pub fn join(parts: Vec<Self>) -> Joined {
        let mut all = Checked::default();
        for part in parts {
            all.statements = part.statements;
            all.findings.extend(part.findings);
            all.passed.extend(part.passed);
            all.by_calls.extend(part.by_calls);
            all.visited.extend(part.visited);
            all.functions.extend(part.functions);
        }
        let Checked { statements, mut findings, mut passed, by_calls, visited, functions } = all;
        findings.sort_by_key(|(place, _)| *place);
        passed.sort_by_key(|(place, _)| *place);
        let place = |finding: &Finding| {
            let is_there = |(node, _): &(NodeId, VersionId)| node.0 == finding.node;
            statements.iter().position(is_there).unwrap_or(statements.len())
        };
        let findings = with_passed_on(findings, passed);
        let by_calls = by_calls.into_iter().map(|one| (place(&one), one)).collect();
        let mut findings = with_called(findings, by_calls);
        findings.sort_by_key(|(place, _)| *place);
        let findings = findings.into_iter().map(|(_, finding)| finding).collect();
        Joined { findings, nodes: visited.len(), functions: functions.len() }
    }
}
