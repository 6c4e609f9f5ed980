//! Where nobody calls any more: does a condition hold for some input?

use crate::judge::ends::Rests;
use crate::meaning::conditions::group;
use crate::meaning::effect::Effect;
use crate::meaning::shape::Spot;
use crate::run::{Asking, Mode};
use crate::walk::up::CallSite;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, VersionId, VersionSet};
use hydrogen_term::{Answer, Model, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Calls above the function that are followed.
const MOST_CALLERS: usize = 3;
/// Calls of one function that are followed.
const MOST_SITES: usize = 12;
/// Arrivals that may be left open in a version before its refutation is given up.
const MOST_OPEN: usize = 2;
/// Arrivals that are looked at for a witness in a version.
const MOST_TRIES: usize = 6;

/// What is done with an arrival; the versions that need no more of them.
pub(crate) type Visit<'a, 'v> = dyn FnMut(&mut Analyst<'a>, &Arrival) -> VersionSet + 'v;

/// A way up through the callers.
struct Ascent<'a, 'v> {
    /// The versions that are still of interest.
    wanted: VersionSet,
    /// Only these activations are gone through.
    along: Option<&'v Arrival>,
    visit: &'v mut Visit<'a, 'v>,
}

impl Ascent<'_, '_> {
    /// Whether the activation so many calls above the first may be the outermost one.
    fn is_outermost(&self, above: usize) -> bool {
        self.along.is_none_or(|arrival| arrival.frames.len() == above + 1)
    }

    /// Whether an activation so many calls above the first is one to go through.
    fn passes(&self, above: usize, chain: ChainId, spot: Spot) -> bool {
        self.along.is_none_or(|arrival| {
            let place = arrival.frames.len().checked_sub(above + 1);
            place.is_some_and(|place| {
                let (frame, at) = &arrival.frames[place];
                frame.chain == chain && *at == spot
            })
        })
    }
}

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
    Open(BTreeSet<Entry>),
}

#[derive(Clone)]
pub(crate) struct Witness {
    pub mode: Mode,
    /// How many rounds loops were followed.
    pub rounds: usize,
    pub arrival: Arrival,
    pub model: Model,
    pub assumed: BTreeSet<Entry>,
    /// Whether it needs memory that comes in to hold more than zeros: nobody knows whether it ever does.
    pub weak: bool,
    /// Whether a pointer that comes in must be null for it, and the outermost function does not ask for that.
    pub null_comes_in: bool,
    /// Whether two pointers that come in must lead to one object for it.
    pub alias_comes_in: bool,
    /// Whether nothing must lie before a pointer that comes in.
    pub nothing_before: bool,
    /// Members that must hold for it what no store of the program puts there.
    pub member_comes_in: Option<String>,
    /// Variables that only their own file can set, and that must hold for it what is not seen to be stored there.
    pub variable_comes_in: Option<String>,
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

impl<'a> Analyst<'a> {
    /// Whether the conditions can hold, in each of the versions.
    pub(crate) fn question(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
    ) -> BTreeMap<VersionId, Outcome> {
        self.begin();
        let mut outcomes: BTreeMap<VersionId, Outcome> =
            versions.iter().map(|version| (version, Outcome::Refuted)).collect();
        self.in_mode(Mode::Prove, |one| one.ask(frame, beginnings, versions, &mut outcomes));
        let lost = std::mem::take(&mut self.run.lost);
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
        self.run.assumed.clear();
        self.in_mode(Mode::Find, |one| one.ask(frame, beginnings, &rest, &mut outcomes));
        let cut = self.ask_by_rounds(frame, beginnings, &mut outcomes);
        self.ask_deeper(frame, beginnings, &mut outcomes);
        for (version, reasons) in cut {
            if let Some(outcome @ Outcome::Open(_)) = outcomes.get_mut(&version) {
                open(outcome, reasons);
            }
        }
        // A search that was cut short is a reason of its own; that loops are followed a few rounds only is not.
        for (version, reasons) in std::mem::take(&mut self.run.lost) {
            let short = reasons.into_iter().filter(Entry::is_cut);
            if let Some(outcome) = outcomes.get_mut(&version) {
                open(outcome, short);
            }
        }
        outcomes
    }

    /// Looks for witnesses in more rounds of loops, where the first few show nothing and nothing else ended the search.
    fn ask_deeper(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) {
        let bounded = |version: &VersionId| {
            let lost = self.run.lost.get(version);
            lost.is_some_and(|lost| lost.contains(&Entry::LoopBounded) && !lost.iter().any(Entry::is_cut))
        };
        let open = outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Open(_)));
        let open: Vec<VersionId> = open.map(|(version, _)| *version).filter(bounded).collect();
        let rest = open.into_iter().fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(one)));
        if rest.is_empty() || self.budget.more_rounds <= self.asking.rounds || self.is_over() {
            return;
        }
        // Where some more are enough, the condition is small enough to be told.
        let asking = Asking { mode: Mode::Find, ..self.asking };
        for rounds in [self.budget.more_rounds / 2, self.budget.more_rounds] {
            let still = |version: &VersionId| matches!(outcomes.get(version), Some(Outcome::Open(_)));
            let open = rest.iter().filter(still);
            let open = open.fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(one)));
            if rounds > self.asking.rounds && !open.is_empty() && !self.is_over() {
                self.with(Asking { rounds, ..asking }, |one| one.ask(frame, beginnings, &open, outcomes));
            }
        }
    }

    pub(super) fn ask(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) {
        let mut tries: BTreeMap<VersionId, usize> = BTreeMap::new();
        // What cannot be refuted any more is not worth further refutations; witnesses are looked for a little longer.
        let most = match self.asking.mode {
            Mode::Prove => MOST_OPEN,
            Mode::Find => MOST_TRIES,
        };
        self.ascend(frame, beginnings, versions, None, &mut |analyst, arrival| {
            let tried = analyst.answer(arrival, outcomes);
            let mut done = VersionSet::empty();
            for version in tried.iter() {
                let count = tries.entry(version).or_default();
                *count += 1;
                let sure = matches!(outcomes.get(&version), Some(Outcome::Witness(found)) if !found.weak);
                if sure || *count >= most {
                    done = done.union(&VersionSet::one(version));
                }
            }
            done
        });
    }

    /// What an arrival says: the versions in which it is not refuted, with that in their outcomes.
    fn answer(&mut self, arrival: &Arrival, outcomes: &mut BTreeMap<VersionId, Outcome>) -> VersionSet {
        let mut constraints = self.arrival_axioms(arrival);
        let mut answer = self.engine.check(&mut self.terms.pool, &constraints);
        if answer.is_unsat() {
            return match self.asking.mode {
                Mode::Prove => self.refuted(arrival, &constraints, outcomes),
                Mode::Find => VersionSet::empty(),
            };
        }
        let mut why_not = Entry::NoAnswer;
        if let Some(usual) = self.usual_addresses(arrival.term).filter(|_| answer.is_sat()) {
            constraints.extend(usual);
            answer = self.engine.check(&mut self.terms.pool, &constraints);
            why_not = Entry::UnusualAddresses;
        }
        let Answer::Sat(model) = answer else {
            for version in arrival.versions.iter() {
                if let Some(outcome) = outcomes.get_mut(&version) {
                    open(outcome, [why_not.clone()]);
                }
            }
            return arrival.versions.clone();
        };
        let groups = group(&arrival.versions, |version| {
            let doubts = self.doubts(arrival, version, &model);
            self.surer(arrival, version, (doubts, model.clone()))
        });
        let mut strength = None;
        for ((doubts, model), versions) in groups {
            if !doubts.is_empty() {
                for version in versions.iter() {
                    if let Some(outcome) = outcomes.get_mut(&version) {
                        open(outcome, doubts.iter().cloned());
                    }
                }
                continue;
            }
            let (weak, null_comes_in, alias_comes_in, nothing_before) = *strength.get_or_insert_with(|| {
                let weak = self.is_weak(&constraints, arrival);
                let null = self.needs_null(&constraints, arrival);
                let alias = self.needs_alias(&constraints, arrival);
                (weak, null, alias, self.needs_nothing_before(&constraints, arrival))
            });
            for version in versions.iter() {
                let member_comes_in =
                    if weak { self.needs_member(&constraints, arrival, version) } else { None };
                let variable_comes_in = self.needs_variable(&constraints, arrival, version);
                let Some(outcome) = outcomes.get_mut(&version) else { continue };
                if !matches!(outcome, Outcome::Witness(Witness { weak: found, .. }) if !*found || weak) {
                    let assumed = self.run.assumed.get(&version).cloned().unwrap_or_default();
                    let (mode, arrival, model) = (self.asking.mode, arrival.clone(), model.clone());
                    *outcome = Outcome::Witness(Witness {
                        mode,
                        rounds: self.asking.rounds,
                        arrival,
                        model,
                        assumed,
                        weak,
                        null_comes_in,
                        alias_comes_in,
                        nothing_before,
                        member_comes_in,
                        variable_comes_in,
                    });
                }
            }
        }
        arrival.versions.clone()
    }

    /// An arrival that nothing can lead to, with what that rests on: the versions that are open all the same.
    fn refuted(
        &mut self,
        arrival: &Arrival,
        constraints: &[Term],
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) -> VersionSet {
        match self.rests_on_ends(arrival, constraints) {
            Rests::Not => VersionSet::empty(),
            Rests::OnEnds => {
                self.assume(&arrival.versions, Entry::TextsEnd);
                VersionSet::empty()
            }
            Rests::OnOpen(why) => {
                for version in arrival.versions.iter() {
                    if let Some(outcome) = outcomes.get_mut(&version) {
                        open(outcome, [why.clone()]);
                    }
                }
                arrival.versions.clone()
            }
        }
    }

    /// Takes the conditions up to the entries of the outermost functions, and visits each arrival there, or only those along the frames of an
    /// earlier one.
    pub(crate) fn ascend(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
        along: Option<&Arrival>,
        visit: &mut Visit<'a, '_>,
    ) {
        let mut ascent = Ascent { wanted: versions.clone(), along, visit };
        // One walk for all that begins in one place; several places are several witnesses.
        for beginning in beginnings {
            let versions = beginning.versions.intersection(&ascent.wanted);
            if versions.is_empty() {
                continue;
            }
            let start = match beginning.behind {
                true => Start::After(beginning.spot, beginning.term, versions),
                false => Start::Before(beginning.spot, beginning.term, versions),
            };
            self.rise(frame, start, beginning.spot, &[], &mut ascent);
        }
    }

    fn rise(
        &mut self,
        frame: &Frame,
        start: Start,
        spot: Spot,
        inner: &[(Frame, Spot)],
        ascent: &mut Ascent<'a, '_>,
    ) {
        let mut frames = vec![(frame.clone(), spot)];
        frames.extend_from_slice(inner);
        for (term, versions) in self.walk(frame, vec![start], Stop::Entry).0 {
            let term = self.at_entry(frame, term);
            if self.is_refuted(term) {
                continue;
            }
            let entry = self.asking.entry == Some(frame.chain);
            for (root, versions) in group(&versions, |version| entry || self.begins_at(frame.chain, version))
            {
                let mut versions = versions.intersection(&ascent.wanted);
                let anyone = frame.within.is_empty();
                if root && anyone && ascent.is_outermost(inner.len()) && !versions.is_empty() {
                    for (term, versions) in self.at_start(frame, term, &versions) {
                        if self.is_refuted(term) {
                            continue;
                        }
                        let arrival = Arrival { term, versions, frames: frames.clone() };
                        let done = (ascent.visit)(self, &arrival);
                        ascent.wanted = ascent.wanted.difference(&done);
                    }
                    // What only the validity of inputs excludes, the program's own callers may do all the same.
                    let constraints = self.entry_axioms(term);
                    if !self.engine.check(&mut self.terms.pool, &constraints).is_unsat() {
                        continue;
                    }
                    versions = versions.intersection(&ascent.wanted);
                }
                if versions.is_empty() {
                    continue;
                }
                let mut sites = self.call_sites(frame, term, &versions);
                if let Some(call) = frame.within.first() {
                    sites.retain(|site| site.spot.node == *call);
                }
                let recursive = inner.iter().any(|(other, _)| other.chain == frame.chain);
                if inner.len() >= MOST_CALLERS || sites.len() > MOST_SITES || recursive {
                    let function = self.subject.program.graph.newest_name(frame.chain).to_owned();
                    self.lose(&versions, Entry::CallersLeft { function });
                    continue;
                }
                for site in sites {
                    if site.frame.chain == frame.chain {
                        self.rest_on_outer_call(frame, term, site);
                        continue;
                    }
                    let versions = site.versions.intersection(&ascent.wanted);
                    if versions.is_empty() || !ascent.passes(inner.len() + 1, site.frame.chain, site.spot) {
                        continue;
                    }
                    let start = Start::Before(site.spot, site.term, versions);
                    self.rise(&site.frame, start, site.spot, &frames, ascent);
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
                let function = self.subject.program.graph.newest_name(frame.chain).to_owned();
                self.lose(&versions, Entry::Recursion { function });
            }
        }
    }
}

fn open(outcome: &mut Outcome, reasons: impl IntoIterator<Item = Entry>) {
    match outcome {
        Outcome::Witness(_) => {}
        Outcome::Open(all) => all.extend(reasons),
        Outcome::Refuted => *outcome = Outcome::Open(reasons.into_iter().collect()),
    }
}
