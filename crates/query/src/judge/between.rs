//! What a change did to a fault, by runs (W-5): the input that shows it in one version is run in the other one. What a change is said to
//! bring or to take away must be so when both are run.

use crate::judge::Question;
use crate::judge::about::{computes_condition, is_about};
use crate::replay::Again;
use crate::walk::Analyst;
use hydrogen_evidence::ledger::Limit;
use hydrogen_evidence::{Class, Entry, Finding, Input, Replay, Ruling, Value, Verdict, mark_fixed};
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
use hydrogen_ir::Linkage;
use std::collections::BTreeSet;

/// What a run of one version rests on, for a claim about the change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Footing {
    /// The version has the fault.
    Firm,
    /// Something must come in that nothing in this version lets in. It may, where the other version tests for it.
    Tested,
    /// Nothing can be said.
    None,
}

impl Analyst<'_> {
    /// Settles a finding about two versions of which one was seen to fail. A fault that one version has alone is the change's doing only
    /// if its input does no harm in the other one; where nothing is known of the other version, that input decides.
    pub(super) fn run_in_both(&mut self, question: &Question<'_>, finding: &mut Finding) {
        let [old, new] = &finding.verdicts[..] else { return };
        let (at, is_new) = match (shows(old), shows(new)) {
            (true, _) if old.verdict == Verdict::Present && new.verdict != Verdict::Present => (0, false),
            (_, true) if new.verdict == Verdict::Present && old.verdict != Verdict::Present => (1, true),
            (true, false) if new.verdict != Verdict::Present => (0, false),
            (false, true) if old.verdict != Verdict::Present => (1, true),
            _ => return,
        };
        let there = 1 - at;
        let (has, other) = (finding.verdicts[at].clone(), finding.verdicts[there].clone());
        let footing = self.footing(&has, is_new, other.verdict);
        if footing == Footing::None {
            return;
        }
        let version = VersionId(other.id);
        let statement = self.follow(question.node, question.at, version);
        let is_present = has.verdict == Verdict::Present;
        match self.run_elsewhere(finding.kind, &has, version, &statement) {
            Ok(Again::Same) if is_present => {
                open(
                    &mut finding.verdicts[there],
                    Entry::SameInputFaults { version: has.version, what: finding.kind.word().to_owned() },
                );
            }
            Ok(Again::Fault(what)) if is_present => {
                open(&mut finding.verdicts[there], Entry::SameInputFaults { version: has.version, what });
            }
            // Whether the input does harm there is not known.
            _ if self.spent() => {
                open(&mut finding.verdicts[there], Entry::BudgetUsedUp { limit: Limit::Time })
            }
            Ok(Again::Unfinished(why)) if is_present => {
                open(
                    &mut finding.verdicts[there],
                    Entry::NotConfirmed { replay: Replay::NotReached { why } },
                );
            }
            // What functions would answer that only this version calls and that nobody sees, decides.
            Ok(Again::Harmless { unseen: true, .. }) if other.verdict == Verdict::Unknown => {}
            // A run of the other version came to the fault as well, if for another input. Of null pointers it is known which one is tested.
            Ok(Again::Harmless { .. }) if shows(&other) && finding.kind != Class::Null => {}
            // Where nothing else is known of the other version, inputs near this one must do no harm either.
            Ok(Again::Harmless { .. })
                if other.verdict == Verdict::Unknown
                    && self.fails_near(finding.kind, &has, version, &statement) => {}
            Ok(Again::Harmless { came, .. }) => {
                let there_too = VersionSet::one(version);
                let tested = match footing {
                    // Who never came there says something only where a test kept it away that is about the fault.
                    Footing::Firm if !came && other.verdict == Verdict::Unknown => {
                        match self.tested(finding, &has, version) {
                            None => return,
                            tested => tested,
                        }
                    }
                    Footing::Firm => None,
                    // What does something else now tests for nothing that the operation needs.
                    _ if !self.raises(&Question { versions: &there_too, ..*question }) => return,
                    _ => match self.tested(finding, &has, version) {
                        None => return,
                        tested => tested,
                    },
                };
                if other.verdict == Verdict::Unknown {
                    open(&mut finding.verdicts[there], Entry::SameInputHarmless { version: has.version });
                }
                let ruling = &mut finding.verdicts[at];
                ruling.verdict = Verdict::Present;
                // What the run needed is in the ledger, with the test that speaks for it.
                ruling.evidence.replay = Some(Replay::Confirmed);
                ruling.ledger.retain(|entry| !matches!(entry, Entry::NotConfirmed { .. }));
                ruling.ledger.extend(tested);
                ruling.ledger.sort();
                mark_fixed(&mut finding.verdicts);
            }
            Ok(_) => {}
            Err(why) => {
                tracing::debug!(version = other.version, why, "an input cannot be run in the other version");
            }
        }
    }

    /// Whether, and how, a run of one version can say something about the change.
    fn footing(&self, has: &Ruling, is_new: bool, other: Verdict) -> Footing {
        let weak = has.ledger.contains(&Entry::MemoryHoldsAnything);
        let for_some_caller = has.ledger.iter().any(|entry| matches!(entry, Entry::ForSomeCaller { .. }))
            && !is_the_same_for_all(has);
        if has.verdict == Verdict::Present {
            return match other {
                Verdict::Unknown if weak && is_new => Footing::None,
                _ if weak => Footing::Tested,
                _ => Footing::Firm,
            };
        }
        let never =
            |entry: &Entry| entry.may_do_anything() || matches!(entry, Entry::AliasComesIn | Entry::NoPath);
        let confirmed = has.evidence.replay == Some(Replay::Confirmed);
        // What a variable counts to is reached step by step, and what its steps do wrong before that comes first; what it never holds is
        // no fault, whoever tests for it.
        let must_hold = |entry: &Entry| matches!(entry, Entry::VariableMustHold { .. });
        if has.ledger.iter().any(must_hold) || self.sets_statics(has) {
            return Footing::None;
        }
        // A caller of a function, or a state of memory, that nobody was seen to bring about is no fault that a change brings.
        let unlikely = for_some_caller || weak;
        if has.ledger.iter().any(never) && !confirmed || is_new && unlikely || self.needs_answers(has) {
            Footing::None
        } else if confirmed && is_the_same_for_all(has) {
            Footing::Firm
        } else {
            Footing::Tested
        }
    }

    /// Whether an input puts something into a variable that only its own file can name.
    fn sets_statics(&self, has: &Ruling) -> bool {
        let call = has.evidence.input.as_ref().and_then(|input| input.call.as_ref());
        let Some(call) = call.filter(|call| !call.globals.is_empty()) else { return false };
        let units = self.modules(VersionId(has.id));
        let is_own = |name: &str| {
            let mut named = units.iter().flat_map(|unit| &unit.globals).filter(|global| global.name == name);
            named.any(|global| global.linkage == Linkage::Internal)
        };
        call.globals.iter().any(|global| is_own(&global.name))
    }

    /// Whether a function that nobody sees inside of must give something that it does not give by itself.
    fn needs_answers(&self, has: &Ruling) -> bool {
        let call = has.evidence.input.as_ref().and_then(|input| input.call.as_ref());
        call.is_some_and(|call| {
            let chosen = |value: &Value| !matches!(value, Value::Number(number) if number.bits == 0);
            let unseen = |name: &str| self.subject.library.contract(name).is_none();
            call.answers.iter().any(|one| chosen(&one.value) && unseen(&one.function))
        })
    }

    /// A test on the way that only the harmless version has, and that its run passes: what must come in for the fault is what it tests for.
    fn tested(&mut self, finding: &Finding, has: &Ruling, version: VersionId) -> Option<Entry> {
        let graph = self.subject.program.graph;
        let named = has.evidence.path.iter().map(|spot| spot.function.as_str());
        let names: BTreeSet<&str> = named.chain([finding.location.function.as_str()]).collect();
        let chains: BTreeSet<ChainId> = names.into_iter().flat_map(|name| graph.chains_named(name)).collect();
        for chain in chains {
            for test in self.tests_only_in(chain, version, VersionId(has.id)) {
                if !is_about(&graph.label(test), finding, has) {
                    continue;
                }
                let ran = self.run_elsewhere(finding.kind, has, version, &[test]);
                if matches!(ran, Ok(Again::Harmless { came: true, .. })) {
                    let line = graph.line(test, version).unwrap_or_default();
                    let version = graph.versions()[version.index()].name.clone();
                    return Some(Entry::TestedBy { version, line });
                }
            }
        }
        None
    }

    /// The branches of a function, and the statements that compute a condition, that one version has and the other has not.
    fn tests_only_in(&self, chain: ChainId, version: VersionId, other: VersionId) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        let is_only_here = |node: NodeId| {
            !graph.node_in(node, other) || graph.payload(node, version) != graph.payload(node, other)
        };
        let branches = |node: NodeId| {
            graph.outgoing(node).filter(|&edge| graph.edge_in(edge, version)).count() > 1
                || computes_condition(&graph.label(node))
        };
        let both = graph.chain_in(chain, version) && graph.chain_in(chain, other);
        let nodes = graph.chain_nodes(chain).iter().copied().filter(|_| both);
        nodes.filter(|&node| graph.node_in(node, version) && is_only_here(node) && branches(node)).collect()
    }
}

/// Whether a run of the version came to the fault, if only for what nobody was seen to bring in.
fn shows(ruling: &Ruling) -> bool {
    let ran = matches!(ruling.evidence.replay, Some(Replay::Confirmed | Replay::ConfirmedIf { .. }));
    ran && ruling.evidence.input.is_some() && matches!(ruling.verdict, Verdict::Present | Verdict::Unknown)
}

/// Whether nothing is handed over in the call that shows the fault: it happens whoever calls.
fn is_the_same_for_all(ruling: &Ruling) -> bool {
    let call = ruling.evidence.input.as_ref().and_then(|input: &Input| input.call.as_ref());
    call.is_some_and(|call| call.arguments.is_empty() && call.objects.is_empty() && call.globals.is_empty())
}

/// A version is not decided, for a reason.
fn open(ruling: &mut Ruling, why: Entry) {
    ruling.verdict = Verdict::Unknown;
    ruling.ledger.push(why);
    ruling.ledger.sort();
}
