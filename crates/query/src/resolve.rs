//! Where nobody calls any more: does a condition hold for some input?

use crate::conditions::group;
use crate::effect::Effect;
use crate::shape::Spot;
use crate::up::CallSite;
use crate::walk::{Analyst, BUDGET, Frame, Mode, Start, Stop, TOO_LARGE};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::{Answer, Model, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Calls above the function that are followed.
const MOST_CALLERS: usize = 3;
/// Calls of one function that are followed.
const MOST_SITES: usize = 12;

/// A condition at the entry of a function that anyone may call.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub term: Term,
    pub versions: VersionSet,
    /// The activations from the outermost to that of the fault, each with the run where it is left.
    pub frames: Vec<(Frame, Spot)>,
}

/// A witness in full: its condition and model, and the runs of each activation.
pub(crate) type Told = (Arrival, Model, Vec<(Frame, Vec<Spot>)>);

/// How a condition turned out in a version.
#[derive(Clone)]
pub(crate) enum Outcome {
    Refuted,
    Witness(Witness),
    Open(BTreeSet<String>),
}

#[derive(Clone)]
pub(crate) struct Witness {
    pub mode: Mode,
    pub arrival: Arrival,
    pub model: Model,
    pub assumed: BTreeSet<String>,
    /// Whether it needs memory that comes in to hold more than zeros: nobody knows whether it ever does.
    pub weak: bool,
    /// Whether a pointer that comes in must be null for it, and the outermost function does not ask for that.
    pub null_comes_in: bool,
}

/// A condition before a run, and the versions in which it is asked about.
#[derive(Clone)]
pub(crate) struct Beginning {
    pub spot: Spot,
    /// Whether the condition is behind the run instead.
    pub behind: bool,
    pub term: Term,
    pub versions: VersionSet,
}

impl Analyst<'_> {
    /// Whether the conditions can hold, in each of the versions.
    pub(crate) fn question(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
    ) -> BTreeMap<VersionId, Outcome> {
        self.begin();
        self.mode = Mode::Prove;
        let mut outcomes: BTreeMap<VersionId, Outcome> =
            versions.iter().map(|version| (version, Outcome::Refuted)).collect();
        self.ask(frame, beginnings, versions, &mut outcomes);
        let lost = std::mem::take(&mut self.lost);
        for (version, reasons) in lost {
            if let Some(outcome) = outcomes.get_mut(&version) {
                open(outcome, reasons);
            }
        }
        let undecided: Vec<VersionId> = outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Open(_)))
            .map(|(version, _)| *version)
            .collect();
        if undecided.is_empty() {
            return outcomes;
        }
        let rest =
            undecided.into_iter().fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(one)));
        self.mode = Mode::Find;
        self.assumed.clear();
        self.ask(frame, beginnings, &rest, &mut outcomes);
        // A search that was cut short is a reason of its own; that loops are followed a few rounds only is not.
        for (version, reasons) in std::mem::take(&mut self.lost) {
            let short = reasons.into_iter().filter(|why| why == BUDGET || why == TOO_LARGE);
            if let Some(outcome) = outcomes.get_mut(&version) {
                open(outcome, short);
            }
        }
        self.mode = Mode::Prove;
        outcomes
    }

    fn ask(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) {
        for arrival in self.arrivals(frame, beginnings, versions) {
            let constraints = self.entry_axioms(arrival.term);
            match self.engine.check(&mut self.terms.pool, &constraints) {
                Answer::Unsat => {}
                Answer::Unknown(why) => {
                    for version in arrival.versions.iter() {
                        if let Some(outcome) = outcomes.get_mut(&version) {
                            open(outcome, [format!("no answer from the solver: {why}")]);
                        }
                    }
                }
                Answer::Sat(model) => {
                    let weak = self.is_weak(&constraints, arrival.term);
                    let null_comes_in = self.needs_null(&constraints, &arrival);
                    for ((exact, model), versions) in group(&arrival.versions, |version| {
                        let doubts = self.doubts(&arrival, version, &model);
                        self.surer(&arrival, version, (doubts, model.clone()))
                    }) {
                        for version in versions.iter() {
                            let Some(outcome) = outcomes.get_mut(&version) else { continue };
                            if !exact.is_empty() {
                                open(outcome, exact.iter().cloned());
                            } else if !matches!(outcome, Outcome::Witness(Witness { weak: found, .. }) if !*found || weak)
                            {
                                let assumed = self.assumed.get(&version).cloned().unwrap_or_default();
                                let (mode, arrival, model) = (self.mode, arrival.clone(), model.clone());
                                *outcome = Outcome::Witness(Witness {
                                    mode,
                                    arrival,
                                    model,
                                    assumed,
                                    weak,
                                    null_comes_in,
                                });
                            }
                        }
                    }
                }
            }
        }
    }

    /// The conditions at the entries of the outermost functions.
    pub(crate) fn arrivals(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
    ) -> Vec<Arrival> {
        let mut out = Vec::new();
        // One walk for all that begins in one place; several places are several witnesses.
        for beginning in beginnings {
            let versions = beginning.versions.intersection(versions);
            if versions.is_empty() {
                continue;
            }
            let start = match beginning.behind {
                true => Start::After(beginning.spot, beginning.term, versions),
                false => Start::Before(beginning.spot, beginning.term, versions),
            };
            self.rise(frame, start, beginning.spot, &[], &mut out);
        }
        out
    }

    fn rise(
        &mut self,
        frame: &Frame,
        start: Start,
        spot: Spot,
        inner: &[(Frame, Spot)],
        out: &mut Vec<Arrival>,
    ) {
        let mut frames = vec![(frame.clone(), spot)];
        frames.extend_from_slice(inner);
        for (term, versions) in self.walk(frame, vec![start], Stop::Entry).0 {
            let term = self.at_entry(frame, term);
            if self.is_refuted(term) {
                continue;
            }
            for (root, versions) in group(&versions, |version| self.is_root(frame.chain, version)) {
                if root {
                    out.push(Arrival { term, versions: versions.clone(), frames: frames.clone() });
                    // What only the validity of inputs excludes, the program's own callers may do all the same.
                    let constraints = self.entry_axioms(term);
                    if !self.engine.check(&mut self.terms.pool, &constraints).is_unsat() {
                        continue;
                    }
                }
                let sites = self.call_sites(frame, term, &versions);
                let recursive = inner.iter().any(|(other, _)| other.chain == frame.chain);
                if inner.len() >= MOST_CALLERS || sites.len() > MOST_SITES || recursive {
                    let name = self.program.graph.newest_name(frame.chain).to_owned();
                    self.lose(&versions, format!("the callers of {name}() are not all followed"));
                    continue;
                }
                for site in sites {
                    if site.frame.chain == frame.chain {
                        self.rest_on_outer_call(frame, term, site);
                        continue;
                    }
                    let start = Start::Before(site.spot, site.term, site.versions);
                    self.rise(&site.frame, start, site.spot, &frames, out);
                }
            }
        }
    }

    /// A function that calls itself: if its entry's condition can only hold in an inner call where it held in the outer one, then the
    /// outermost call, by another function, decides. Otherwise inner calls are not followed.
    fn rest_on_outer_call(&mut self, frame: &Frame, term: Term, site: CallSite) {
        let start = Start::Before(site.spot, site.term, site.versions);
        for (outer, versions) in self.walk(&site.frame, vec![start], Stop::Entry).0 {
            let outer = self.at_entry(&site.frame, outer);
            let mut renamed = Effect::default();
            for variable in self.terms.pool.variables(&[outer]) {
                let name = self.terms.pool.as_var(variable).unwrap_or_default();
                if let Some(own) = name.strip_prefix(&site.frame.prefix) {
                    let (name, sort) = (format!("{}{own}", frame.prefix), self.terms.pool.sort(variable));
                    renamed.put(variable, self.terms.pool.var(&name, sort));
                }
            }
            let outer = self.terms.before(outer, &renamed);
            let not_before = self.terms.pool.not(term);
            let new = self.terms.pool.and(outer, not_before);
            if !self.is_refuted(new) {
                let name = self.program.graph.newest_name(frame.chain).to_owned();
                self.lose(&versions, format!("{name}() calls itself, and its inner calls are not followed"));
            }
        }
    }
}

fn open(outcome: &mut Outcome, reasons: impl IntoIterator<Item = String>) {
    match outcome {
        Outcome::Witness(_) => {}
        Outcome::Open(all) => all.extend(reasons),
        Outcome::Refuted => *outcome = Outcome::Open(reasons.into_iter().collect()),
    }
}
