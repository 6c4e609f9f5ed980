//! What a statement's own function says of it, where no way from a beginning decides: it fails whenever it is reached, it cannot fail, or when it does.

use crate::subject::Subject;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Evidence, Verdict};
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::InstructionId;
use hydrogen_local::{Certainty, Found, Statement, judge};
use hydrogen_term::{Engine, Limits, standard};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Work of the solver for one question about a statement alone.
const WORK: u64 = 200_000;

impl Analyst<'_> {
    /// What can be said of a class of faults at the nodes that a version has for a statement. Whether it fails is said only where it is one operation that
    /// can; that it cannot is said of all of them.
    /// Versions are asked about in their order: what could fail in an earlier one is said of the first that cannot.
    pub(crate) fn by_itself(
        &mut self,
        kind: Class,
        version: VersionId,
        nodes: &[NodeId],
        (is_alone, could_fail): (bool, &mut Option<String>),
    ) -> Option<(Verdict, Evidence, BTreeSet<Entry>)> {
        let [node] = nodes else { return None };
        let key = (*node, version);
        let found = match self.store.local.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = look_at(&self.subject, self.budget.patience, key).map(Arc::new);
                self.store.local.insert(key, found.clone());
                found
            }
        }?;
        let line = found.line;
        let said = match found.classes.get(&kind)? {
            // Asked for strictly, shifts count that are not followed here.
            Certainty::Never if kind == Class::Shift && self.asking.strict => return None,
            Certainty::Never => {
                let before =
                    could_fail.as_ref().map(|version| Entry::CouldFailIn { version: version.clone() });
                let ledger = [Entry::CannotFail { line }].into_iter().chain(before).collect();
                return Some((Verdict::Absent, Evidence::default(), ledger));
            }
            Certainty::Always if is_alone => {
                let constraint = format!("whatever holds at line {line}");
                let path = vec![self.spot(*node, version)];
                let evidence = Evidence { path, constraint, ..Evidence::default() };
                // Where a branch decides whether a run comes there, it may be one that no run takes.
                let verdict = if found.is_sure { Verdict::Present } else { Verdict::Unknown };
                Some((verdict, evidence, BTreeSet::from([Entry::WheneverReached { line }])))
            }
            Certainty::Sometimes { when: Some(condition) } if is_alone => {
                let entry = Entry::FailsWhen { condition: condition.clone(), line };
                Some((Verdict::Unknown, Evidence::default(), BTreeSet::from([entry])))
            }
            _ => None,
        };
        *could_fail = Some(self.subject.program.graph.versions()[version.index()].name.clone());
        said
    }
}

fn look_at(subject: &Subject, patience: Duration, (node, version): (NodeId, VersionId)) -> Option<Found> {
    let program = subject.program;
    let (graph, chain) = (program.graph, program.graph.chain(node));
    let name = graph.name(chain, version);
    let (module, function) = program.code.function(version, program.file(chain, version), name)?;
    let body = module.function(function).body.as_ref()?;
    // A function of the library is one that the program does not define, in whatever file.
    let declared = module.functions.iter().filter(|one| !one.is_defined() && !one.name.starts_with("llvm."));
    let mut of_library = declared.filter(|one| subject.library.contract(&one.name).is_some());
    let is_own = |name: &str| {
        let all = graph.chains_named(name);
        all.into_iter().any(|chain| graph.chain_in(chain, version) || graph.is_unread(chain, version))
    };
    if of_library.any(|one| is_own(&one.name)) {
        return None;
    }
    let pieces = graph.pieces(chain, version);
    let own = (0..body.instructions.len()).map(InstructionId::at);
    let instructions: BTreeSet<InstructionId> =
        own.filter(|id| pieces.get(body.instruction(*id).piece.index()) == Some(&node)).collect();
    if instructions.is_empty() {
        return None;
    }
    let limits = Limits { time: patience, work: WORK, ..Limits::default() };
    let mut engine = Engine::new(standard(), limits).alone();
    judge(&Statement { module: &module, function, instructions }, &mut engine).ok()
}
