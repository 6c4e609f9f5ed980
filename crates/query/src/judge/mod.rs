//! Verdicts on a statement: every kind of fault that it can have, in every version.

mod about;
mod arguments;
mod away;
pub(crate) mod axioms;
mod between;
mod bits;
mod blocks;
mod by_calls;
mod by_rounds;
pub(crate) mod characters;
pub(crate) mod check;
pub(crate) mod checked;
pub(crate) mod claim;
mod contents;
mod dangling;
pub(crate) mod doubt;
mod elsewhere;
mod ends;
pub(crate) mod fault;
pub(crate) mod follow;
mod given;
mod impacted;
pub(crate) mod incoming;
pub(crate) mod inside;
pub(crate) mod interface;
mod leaks;
#[cfg(test)]
mod meant;
pub(crate) mod members;
mod moved;
mod moved_null;
mod near;
pub(crate) mod numbers;
pub(crate) mod open_texts;
pub(crate) mod operation;
mod outcomes;
mod overwritten;
pub(crate) mod own_texts;
pub(crate) mod parts;
mod passed_on;
mod proved;
pub(crate) mod resolve;
pub(crate) mod rooms;
mod signs;
pub(crate) mod start;
pub(crate) mod statics;
mod told;
mod unset;
mod variables;

use crate::budget::BESIDE;
use crate::judge::fault::Site;
use crate::judge::inside::{Unseen, is_unseen};
use crate::judge::numbers::is_of_sizes;
use crate::judge::operation::{Operation, merged};
use crate::judge::resolve::{Arrival, Beginning, Outcome, Witness};
use crate::judge::told::alike;
use crate::kept::Fresh;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Basis, Class, Entry, Evidence, Finding, Ruling, Spot, Verdict, mark_fixed};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_term::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What is asked about a statement.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The statement.
    pub node: NodeId,
    /// The version whose line the user named.
    pub at: VersionId,
    /// One kind, or all that the statement can have.
    pub kind: Option<Class>,
    /// The versions, in the graph's order.
    pub versions: &'a VersionSet,
    /// Whether what the functions do that the statement calls is the statement's, too.
    pub inside: bool,
}

/// Questions that take longer are told.
const SLOW: Duration = Duration::from_secs(1);

/// A possible fault of the statement, or of what took its place.
pub(crate) struct Raised {
    frame: Frame,
    beginning: Beginning,
    operation: Operation,
    message: String,
    /// What keeps it from being a fault for sure.
    unsure: Option<Entry>,
    /// Whether it is about what memory holds, and not a variable.
    of_contents: bool,
}

/// A witness as it is shown, and what it is made of.
#[derive(Clone)]
pub(crate) struct Shown {
    pub evidence: Evidence,
    /// The nodes of its path.
    pub nodes: Vec<NodeId>,
    /// The condition of that path alone, and a model of it.
    pub arrival: Arrival,
    pub model: Model,
}

impl Analyst<'_> {
    /// What the questions so far cost.
    pub fn counters(&self) -> hydrogen_evidence::Counters {
        let engine = self.engine.counters();
        hydrogen_evidence::Counters {
            questions: engine.asked,
            solver_calls: engine.by_solver,
            ..self.counters
        }
    }

    /// The verdicts of the safety conditions of a statement: one finding per kind that it can have in one of the
    /// versions, and more where its operations differ (see `operation`).
    pub fn judge(&mut self, question: &Question<'_>) -> Vec<Finding> {
        let moved = matches!(question.kind, None | Some(Class::Pointer));
        let contents = question.kind == Some(Class::Uninitialised);
        // Who asks is told what an answer rests on, also where nothing in the program is seen to leave texts without an end.
        let texts = question.inside && question.kind == Some(Class::Overflow);
        let sizes = is_of_sizes(question.kind);
        let asking = crate::run::Asking { sizes, moved, contents, texts, ..self.asking };
        self.with(asking, |one| one.judge_kinds(question))
    }

    /// As [`Analyst::judge`], where a fix has decided for all versions: what is said of the fault itself stands beside that, and may cost
    /// a part of what a question that decides may.
    pub fn judge_beside_fix(&mut self, question: &Question<'_>) -> Vec<Finding> {
        let asking = crate::run::Asking { beside: true, ..self.asking };
        self.with_part(BESIDE, |one| one.with(asking, |one| one.judge(question)))
    }

    fn judge_kinds(&mut self, question: &Question<'_>) -> Vec<Finding> {
        let started = Instant::now();
        self.kept.listen(Default::default());
        let mut raised: BTreeMap<Class, Vec<Raised>> = BTreeMap::new();
        let mut followed: BTreeMap<VersionId, Vec<NodeId>> = BTreeMap::new();
        let mut unseen: Unseen = BTreeMap::new();
        for version in question.versions.iter() {
            let nodes = self.follow(question.node, question.at, version);
            for &node in &nodes {
                let frame = Frame::of(self.subject.program.graph.chain(node));
                let mut sites: Vec<(Frame, Site)> =
                    self.sites(&frame, node, version).into_iter().map(|site| (frame.clone(), site)).collect();
                if question.inside {
                    let (more, left) = self.inside(node, version, question.kind);
                    sites.extend(more);
                    unseen.entry(version).or_default().extend(left);
                }
                for (frame, site) in sites {
                    if question.kind.is_some_and(|kind| kind != site.kind) {
                        continue;
                    }
                    // What may be a size or not is of interest to whoever asks for sizes.
                    if site.unsure.is_some() && !(question.inside && question.kind.is_some()) {
                        continue;
                    }
                    self.counters.raised += 1;
                    let here = raised.entry(site.kind).or_default();
                    let one = VersionSet::one(version);
                    let same = |other: &&mut Raised| {
                        other.beginning.spot == site.spot
                            && other.beginning.term == site.condition
                            && other.frame.within == frame.within
                            && other.operation == site.operation
                            && other.unsure == site.unsure
                    };
                    match here.iter_mut().find(same) {
                        Some(other) => other.beginning.versions = other.beginning.versions.union(&one),
                        None => {
                            let beginning = Beginning {
                                spot: site.spot,
                                behind: site.kind == Class::Leak,
                                term: site.condition,
                                versions: one,
                            };
                            here.push(Raised {
                                frame: frame.clone(),
                                beginning,
                                operation: site.operation,
                                message: site.message,
                                unsure: site.unsure,
                                of_contents: site.of_contents,
                            });
                        }
                    }
                }
            }
            followed.insert(version, nodes);
        }
        // That a pointer leads outside says little where it can be said that it is used there.
        if question.kind.is_none() && raised.len() > 1 {
            raised.remove(&Class::Pointer);
        }
        if let Some(kind) = question.kind {
            raised.entry(kind).or_default();
        }
        // A call that nobody looked into is not one that nothing can go wrong at.
        if raised.is_empty() && is_unseen(&unseen, Class::Overflow) {
            raised.entry(Class::Overflow).or_default();
        }
        let looked_at = self.kept.notes();
        let mut findings = Vec::new();
        for (kind, sites) in raised {
            let can_fail =
                sites.iter().fold(VersionSet::empty(), |all, site| all.union(&site.beginning.versions));
            let mut operations: BTreeMap<Operation, Vec<Raised>> = BTreeMap::new();
            for site in sites {
                let operation = self.operation_of(question.node, &followed, &site);
                operations.entry(operation).or_default().push(site);
            }
            if operations.is_empty() {
                operations.entry(Operation::default()).or_default();
            }
            let is_alone = operations.len() == 1;
            let mut of_kind = Vec::new();
            for (operation, sites) in operations {
                self.kept.listen(looked_at.clone());
                let finding = self.rule(question, (kind, &operation, is_alone), &sites, &followed, &unseen);
                // Whether memory has a value is often not known behind a loop or a call: that is told to who asks for it by name.
                let is_told = question.kind.is_some()
                    || sites.iter().any(|site| !site.of_contents)
                    || finding.verdicts.iter().any(|ruling| ruling.verdict == Verdict::Present);
                of_kind.extend(is_told.then_some(finding));
            }
            let mut of_kind = merged(of_kind);
            if question.inside {
                self.attack_proofs(kind, &mut of_kind, &followed, &can_fail);
            }
            findings.extend(of_kind);
        }
        self.kept.rest();
        self.counters.milliseconds += started.elapsed().as_millis() as u64;
        findings
    }

    fn rule(
        &mut self,
        question: &Question<'_>,
        (kind, operation, is_alone): (Class, &Operation, bool),
        sites: &[Raised],
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
        unseen: &Unseen,
    ) -> Finding {
        let unanswered = self.engine.counters().unknown;
        let versions = |all: VersionSet, site: &Raised| all.union(&site.beginning.versions);
        let mut recalled = self.recall(
            (kind, question.inside, operation),
            &sites.iter().fold(VersionSet::empty(), versions),
            followed,
        );
        self.counters.kept += recalled.len();
        self.begin();
        self.rests.clear();
        let mut outcomes = self.outcomes(sites, &recalled);
        if kind == Class::Leak {
            self.not_of_earlier_rounds(followed, &mut outcomes);
        }
        let rests = std::mem::take(&mut self.rests);
        let mut late = false;
        let mut fresh: BTreeMap<VersionId, Fresh> = BTreeMap::new();
        let mut verdicts = Vec::new();
        let mut weak_before: Option<(&Witness, VersionId)> = None;
        let mut could_fail: Option<String> = None;
        let mut told: BTreeMap<VersionId, Shown> = BTreeMap::new();
        for version in question.versions.iter() {
            let name = self.subject.program.graph.versions()[version.index()].name.clone();
            let instead = followed.get(&version).map_or(&[][..], Vec::as_slice);
            let mut path = Vec::new();
            let mut weak = None;
            let known = recalled.remove(&version);
            let asked = known.is_none() && outcomes.contains_key(&version);
            let (verdict, evidence, ledger) = match outcomes.get(&version) {
                None if let Some(known) = known => {
                    if known.verdict == Verdict::Present {
                        weak_before = None;
                    }
                    (known.verdict, known.evidence, known.ledger)
                }
                None => self.nothing_raised(question.node, version, instead),
                Some((Outcome::Refuted, _)) => {
                    (Verdict::Absent, Evidence::default(), rests.get(&version).cloned().unwrap_or_default())
                }
                Some((Outcome::Open(reasons), _)) => (Verdict::Unknown, Evidence::default(), reasons.clone()),
                Some((Outcome::Witness(witness), site)) => {
                    let site = &sites[*site];
                    if !told.contains_key(&version) {
                        let beginning = std::slice::from_ref(&site.beginning);
                        told.extend(self.evidence(&site.frame, beginning, &alike(&outcomes, version)));
                    }
                    let shown = told.remove(&version).expect("all that were asked for are shown");
                    path.clone_from(&shown.nodes);
                    late |= self.is_over();
                    weak = witness.weak.then_some(weak_before.map(|(_, version)| version));
                    let (verdict, evidence, mut ledger) = self.claim(kind, version, witness, &shown, instead);
                    if verdict != Verdict::Present {
                        (verdict, evidence, ledger)
                    } else if !witness.weak {
                        weak_before = None;
                        (Verdict::Present, evidence, ledger)
                    } else if let Some(less) =
                        weak_before.and_then(|(before, _)| self.takes_away(before, witness))
                    {
                        // The change removed some of the states, and no one knows whether what remains ever happens.
                        ledger.insert(Entry::MemoryHoldsAnything);
                        ledger.insert(less);
                        (Verdict::Unknown, evidence, ledger)
                    } else {
                        weak_before = Some((witness, version));
                        ledger.insert(Entry::MemoryHoldsAnything);
                        (Verdict::Present, evidence, ledger)
                    }
                }
            };
            let (mut verdict, mut evidence, mut ledger, mut asked) = (verdict, evidence, ledger, asked);
            if let (true, Verdict::Unknown, Some((_, site))) = (
                (question.inside && !self.asking.beside) || self.asking.near,
                verdict,
                outcomes.get(&version),
            ) && let Some(near) = self.near_the_statement(kind, &sites[*site], version, instead)
            {
                (evidence, asked) = (near.evidence, false);
                match near.for_callers_of {
                    Some(function) => drop(ledger.insert(Entry::ForSomeCaller { function })),
                    // The program itself was seen to fail, however long the way.
                    None => (verdict, ledger) = (Verdict::Present, near.ledger),
                }
            }
            if verdict == Verdict::Unknown
                && (question.inside || self.asking.near)
                && let Some(shown) = self.by_chance(kind, version, instead)
            {
                (verdict, evidence, ledger, asked) = (Verdict::Present, shown, BTreeSet::new(), false);
            }
            if verdict == Verdict::Absent {
                let doubts = self.not_proved(kind, version, instead, unseen);
                if !doubts.is_empty() {
                    (verdict, ledger) = (Verdict::Unknown, &ledger | &doubts);
                }
            }
            if verdict == Verdict::Absent {
                ledger.extend(self.by_calling_back(kind, version, instead));
            }
            // What was not decided with a part of the work may be with all of it.
            let is_final = !self.asking.beside || verdict != Verdict::Unknown;
            if asked && is_final && self.kept.is_on() {
                let (evidence, ledger) = (evidence.clone(), ledger.clone());
                fresh.insert(version, Fresh { verdict, evidence, path, ledger, weak });
            }
            if let [other, ..] = instead
                && *other != question.node
            {
                let graph = self.subject.program.graph;
                ledger.insert(match graph.text(*other) == graph.text(question.node) {
                    true => Entry::StatementMoved,
                    false => Entry::StatementReplaced { by: graph.label(*other) },
                });
            }
            let mut basis = Basis::Fault;
            if verdict == Verdict::Unknown
                && !self.asking.beside
                && let Some(own) = self.by_itself(kind, version, instead, (is_alone, &mut could_fail))
            {
                match own.0 {
                    // What the function says is told beside what keeps the way to it open.
                    Verdict::Unknown => ledger.extend(own.2),
                    _ => (verdict, evidence, ledger, basis) = (own.0, own.1, own.2, Basis::Local),
                }
            }
            let ledger = ledger.into_iter().collect();
            verdicts.push(Ruling { id: version.0, version: name, verdict, basis, evidence, ledger });
        }
        self.log(question, kind);
        let certain = !late && !self.spent() && self.engine.counters().unknown == unanswered;
        self.keep((kind, question.inside, operation), followed, fresh, certain);
        mark_fixed(&mut verdicts);
        self.counters.findings += usize::from(verdicts.iter().any(|one| one.verdict == Verdict::Present));
        self.counters.nodes += self.run.visited.len();
        self.counters.functions = self.functions.len();
        // What is shown is what can happen.
        let shown = outcomes.values().find_map(|(outcome, site)| match outcome {
            Outcome::Witness(_) => sites.get(*site),
            _ => None,
        });
        let message = match shown.or(sites.first()) {
            Some(site) => site.message.clone(),
            None if is_unseen(unseen, kind) => {
                "what the statement calls may go wrong, and was not looked at".into()
            }
            None => String::new(),
        };
        Finding {
            kind,
            message,
            location: self.spot(question.node, question.at),
            at_version: self.subject.program.graph.versions()[question.at.index()].name.clone(),
            node: question.node.0,
            status: None,
            verdicts,
        }
    }

    /// Says which question was asked and how long it took; long ones to everybody who wants to know anything.
    fn log(&self, question: &Question<'_>, kind: Class) {
        let spot = self.spot(question.node, question.at);
        let (time, place) = (self.run.asked.elapsed(), format!("{}:{}", spot.file, spot.line));
        let (kind, steps) = (kind.word(), self.budget.steps - self.run.steps_left);
        let work = self.worked();
        if time > SLOW {
            tracing::info!(%place, kind, steps, work, ?time, "a question that takes long");
        } else {
            tracing::debug!(%place, kind, steps, work, ?time, "a question");
        }
    }

    /// A version in which nothing can go wrong at the statement, or the statement is not there, or cannot be seen.
    fn nothing_raised(
        &mut self,
        node: NodeId,
        version: VersionId,
        instead: &[NodeId],
    ) -> (Verdict, Evidence, BTreeSet<Entry>) {
        let graph = self.subject.program.graph;
        let chain = graph.chain(node);
        let why = match instead {
            [] if !graph.versions()[version.index()].missing.is_empty() => Entry::PartsUnread,
            [] => {
                let why = BTreeSet::from([Entry::StatementGone]);
                return (Verdict::NotApplicable, Evidence::default(), why);
            }
            _ if self.shape(chain, version).is_none() => Entry::NotCompiled,
            _ => return (Verdict::Absent, Evidence::default(), BTreeSet::new()),
        };
        (Verdict::Unknown, Evidence::default(), BTreeSet::from([why]))
    }

    /// A node as a reader knows it.
    pub(crate) fn spot(&self, node: NodeId, version: VersionId) -> Spot {
        let graph = self.subject.program.graph;
        let chain = graph.chain(node);
        let at = if graph.node_in(node, version) {
            version
        } else {
            graph.node_versions(node).last().unwrap_or(version)
        };
        Spot {
            function: graph.name(chain, at).to_owned(),
            file: graph.location(chain, at).0.to_owned(),
            line: match graph.role(node) {
                Role::Entry => graph.location(chain, at).1,
                _ => graph.line(node, at).unwrap_or(0),
            },
            text: graph.label(node),
            notes: Vec::new(),
        }
    }
}

impl Analyst<'_> {
    /// How the solver's caches did.
    pub fn solver_report(&self) -> hydrogen_term::Counters {
        self.engine.counters()
    }
}
