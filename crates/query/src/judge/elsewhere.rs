//! Faults that only moved: what a new statement does wrong, a statement that is gone did wrong under other names, in another function or file.

use crate::judge::Question;
use crate::judge::check::Check;
use crate::judge::numbers::is_of_sizes;
use crate::run::Asking;
use crate::walk::Analyst;
use hydrogen_align::without_names;
use hydrogen_evidence::{Finding, Ruling, Verdict};
use hydrogen_graph::{NodeId, VersionSet};
use hydrogen_ir::Role;

/// Statements of the same shape that are asked about.
const MOST: usize = 3;

impl Analyst<'_> {
    /// What shows that the older version had a new fault already: a statement that the newer one has not any more, of the same shape, with
    /// the same fault.
    pub(super) fn had_elsewhere(&mut self, check: &Check<'_>, finding: &Finding) -> Option<Ruling> {
        let graph = self.subject.program.graph;
        let node = NodeId(finding.node);
        if graph.node_in(node, check.old) {
            return None;
        }
        let wanted = without_names(graph.text(node));
        let is_gone = |&one: &NodeId| {
            graph.node_in(one, check.old)
                && !graph.node_in(one, check.new)
                && !matches!(graph.role(one), Role::Entry | Role::Exit)
                && without_names(graph.text(one)) == wanted
        };
        let gone: Vec<NodeId> = graph.nodes().filter(is_gone).take(MOST).collect();
        let old = VersionSet::one(check.old);
        let asking = Asking { sizes: is_of_sizes(Some(finding.kind)), ..check.asking(self.asking) };
        gone.into_iter().find_map(|node| {
            let question =
                Question { node, at: check.old, kind: Some(finding.kind), versions: &old, inside: false };
            let found = self.with(asking, |one| one.judge(&question));
            let mut rulings = found.into_iter().flat_map(|finding| finding.verdicts);
            rulings.find(|ruling| ruling.verdict == Verdict::Present)
        })
    }
}
