//! Verdicts on a statement: every kind of fault that it can have, in every version.

use crate::resolve::{Beginning, Outcome};
use crate::walk::{Analyst, Frame};
use crate::{Basis, Evidence, Finding, Kind, Ruling, Spot, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What is asked about a statement.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The statement.
    pub node: NodeId,
    /// The version whose line the user named.
    pub at: VersionId,
    /// One kind, or all that the statement can have.
    pub kind: Option<Kind>,
    /// The versions, in the graph's order.
    pub versions: &'a VersionSet,
}

impl Analyst<'_> {
    /// The verdicts of the safety conditions of a statement: one finding per kind that it can have in one of the versions.
    pub fn judge(&mut self, question: &Question<'_>) -> Vec<Finding> {
        let started = Instant::now();
        let chain = self.program.graph.chain(question.node);
        let frame = Frame { chain, prefix: String::new(), depth: 0 };
        let mut raised: BTreeMap<Kind, Vec<(Beginning, String)>> = BTreeMap::new();
        for version in question.versions.iter() {
            for site in self.sites(&frame, question.node, version) {
                if question.kind.is_some_and(|kind| kind != site.kind) {
                    continue;
                }
                self.counters.raised += 1;
                let here = raised.entry(site.kind).or_default();
                let one = VersionSet::one(version);
                let same = |(other, _): &&mut (Beginning, String)| {
                    other.spot == site.spot && other.term == site.condition
                };
                match here.iter_mut().find(same) {
                    Some((other, _)) => other.versions = other.versions.union(&one),
                    None => {
                        let beginning = Beginning { spot: site.spot, term: site.condition, versions: one };
                        here.push((beginning, site.message));
                    }
                }
            }
        }
        let findings = raised.into_iter().map(|(kind, sites)| self.rule(question, &frame, kind, sites)).collect();
        self.counters.milliseconds += started.elapsed().as_millis() as u64;
        findings
    }

    fn rule(&mut self, question: &Question<'_>, frame: &Frame, kind: Kind, sites: Vec<(Beginning, String)>) -> Finding {
        let asked = sites.iter().fold(VersionSet::empty(), |all, (site, _)| all.union(&site.versions));
        let beginnings: Vec<Beginning> = sites.iter().map(|(site, _)| site.clone()).collect();
        let outcomes = self.question(frame, &beginnings, &asked);
        let mut verdicts = Vec::new();
        for version in question.versions.iter() {
            let name = self.program.graph.versions()[version.index()].name.clone();
            let (verdict, evidence, ledger) = match outcomes.get(&version) {
                None => self.nothing_there(question.node, version),
                Some(Outcome::Refuted) => (Verdict::Absent, Evidence::default(), BTreeSet::new()),
                Some(Outcome::Open(reasons)) => (Verdict::Unknown, Evidence::default(), reasons.clone()),
                Some(Outcome::Witness(witness)) => {
                    let evidence = self.evidence(frame, &beginnings, version, witness);
                    let mut ledger = witness.assumed.clone();
                    ledger.insert("the inputs of the outermost function are taken as any valid values".into());
                    (Verdict::Present, evidence, ledger)
                }
            };
            let basis = Basis::Fault;
            let ledger = ledger.into_iter().collect();
            verdicts.push(Ruling { id: version, version: name, verdict, basis, evidence, ledger });
        }
        self.counters.findings += usize::from(verdicts.iter().any(|one| one.verdict == Verdict::Present));
        self.counters.nodes += self.visited.len();
        self.counters.functions = self.functions.len();
        let message = sites.first().map_or(String::new(), |(_, message)| message.clone());
        Finding {
            kind,
            message,
            location: self.spot(question.node, question.at),
            at_version: self.program.graph.versions()[question.at.index()].name.clone(),
            node: question.node,
            status: None,
            verdicts,
        }
    }

    /// A version whose statement raises nothing: it is not there, cannot fail, or cannot be seen.
    pub(crate) fn nothing_there(&mut self, node: NodeId, version: VersionId) -> (Verdict, Evidence, BTreeSet<String>) {
        let graph = self.program.graph;
        let chain = graph.chain(node);
        let why = if graph.node_in(node, version) {
            match self.shape(chain, version) {
                Some(_) => return (Verdict::Absent, Evidence::default(), BTreeSet::new()),
                None => "the function is not compiled in this version",
            }
        } else if !graph.versions()[version.index()].missing.is_empty() {
            "parts of this version could not be read"
        } else {
            return (Verdict::NotApplicable, Evidence::default(), BTreeSet::from(["the statement is not in this version".into()]));
        };
        (Verdict::Unknown, Evidence::default(), BTreeSet::from([why.to_owned()]))
    }

    /// A node as a reader knows it.
    pub(crate) fn spot(&self, node: NodeId, version: VersionId) -> Spot {
        let graph = self.program.graph;
        let chain = graph.chain(node);
        let at = if graph.node_in(node, version) {
            version
        } else {
            graph.node_versions(node).last().unwrap_or(version)
        };
        Spot {
            function: graph.name(chain, at).to_owned(),
            file: graph.location(chain, at).0.to_owned(),
            line: graph.line(node, at).unwrap_or(0),
            text: graph.label(node),
            notes: Vec::new(),
        }
    }

    fn evidence(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        version: VersionId,
        witness: &crate::resolve::Witness,
    ) -> Evidence {
        let found = self.path_of(frame, beginnings, version, witness);
        let (arrival, model, frames) = match found {
            Some((arrival, model, frames)) => (arrival, model, frames),
            None => (witness.arrival.clone(), witness.model.clone(), Vec::new()),
        };
        let mut path: Vec<Spot> = Vec::new();
        for (_, spots) in frames {
            let mut last = None;
            for spot in spots {
                if last != Some(spot.node) {
                    last = Some(spot.node);
                    path.push(self.spot(spot.node, version));
                }
            }
        }
        let outermost = witness.arrival.frames.first().map(|(frame, _)| frame.clone());
        let outermost = outermost.unwrap_or_else(|| frame.clone());
        let _ = arrival;
        let term = witness.arrival.term;
        let _ = &model;
        let (constraint, model) = self.in_words(&outermost, version, term, &witness.model);
        Evidence { path, constraint, model }
    }
}
