//! Comparing the conditions of two runs, and running what that gives.

use crate::ask::{Ask, Mode, WhyError};
use crate::decompose::{Decomposed, How, decompose};
use crate::predicate::{Predicate, together};
use crate::suspect::{alternate, users_node};
use crate::validate::{Reference, validate};
use hydrogen_evidence::why::{Alternate, Numbers, Side};
use hydrogen_explore::Conjunct;
use hydrogen_machine::Limits;
use hydrogen_pair::{Node, Pair, Ran, Setting};
use hydrogen_term::{Engine, Solver, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::time::Instant;

/// What one comparison of conditions gave.
pub(crate) struct Found {
    pub(crate) valid: Vec<(Node, Alternate)>,
    pub(crate) invalid: Vec<Alternate>,
    /// Branches that go the same way for every input of the other version's path.
    pub(crate) implied: BTreeSet<(Side, Node)>,
    pub(crate) equivalent: Option<bool>,
}

pub(crate) struct Way<'w, 'a, 'p, S> {
    pub(crate) ask: &'w Ask<'a>,
    pub(crate) engine: &'w mut Engine<S>,
    pub(crate) pair: &'w mut Pair<'p>,
    pub(crate) runs: [&'w Ran; 2],
    /// By side, where they are wanted.
    pub(crate) predicates: [Vec<Predicate>; 2],
    pub(crate) numbers: &'w mut Numbers,
    /// Whether there are only conditions of the slice.
    pub(crate) is_long: bool,
}

/// Both directions: branches of the old version, then of the new one.
pub(crate) fn both<S: Solver>(
    ask: &Ask<'_>,
    engine: &mut Engine<S>,
    pair: &mut Pair<'_>,
    conditions: [&[Conjunct]; 2],
    library: bool,
) -> [Decomposed; 2] {
    [Side::Old, Side::New].map(|side| {
        let (kept, turned) = (ask.not_trusted(side.other(), conditions), ask.not_trusted(side, conditions));
        let program = ask.program(side);
        let how = How {
            side,
            prefix: ask.mode != Mode::Plain,
            scope: &|one| library || program.is_users(one.site.function),
            keeps: &|_| true,
            go_on: &|| ask.goes_on(),
        };
        decompose(engine, &mut pair.pool, &kept, &turned, ask.input, &how)
    })
}

/// The same about predicates that the other version does not have alike. They bind no other question: nobody's way depends on them.
fn virtual_ones<S: Solver>(
    ask: &Ask<'_>,
    engine: &mut Engine<S>,
    pair: &mut Pair<'_>,
    conditions: [&[Conjunct]; 2],
    predicates: &[Vec<Predicate>; 2],
) -> [Decomposed; 2] {
    [Side::Old, Side::New].map(|side| {
        let (own, other) = (&predicates[side.number()], &predicates[side.other().number()]);
        let alike: FxHashSet<Term> = other.iter().map(|one| one.term).collect();
        let is_own = |one: &Conjunct| virtual_one(own, one).is_some();
        let how = How {
            side,
            prefix: ask.mode != Mode::Plain,
            scope: &|one| is_own(one) && !alike.contains(&one.term),
            keeps: &|one| !is_own(one),
            go_on: &|| ask.goes_on(),
        };
        let turned = together(&ask.not_trusted(side, conditions), own);
        let kept = ask.not_trusted(side.other(), conditions);
        decompose(engine, &mut pair.pool, &kept, &turned, ask.input, &how)
    })
}

/// The predicate that a condition is, if it is one.
fn virtual_one<'o>(own: &'o [Predicate], one: &Conjunct) -> Option<&'o Predicate> {
    let from = own.partition_point(|it| it.step < one.instance);
    own[from..].iter().take_while(|it| it.step == one.instance).find(|it| it.term == one.term)
}

impl<S: Solver> Way<'_, '_, '_, S> {
    /// Compares conditions, and runs what that gives.
    pub(crate) fn look(&mut self, conditions: [&[Conjunct]; 2], mode: Mode) -> Result<Found, WhyError> {
        let started = Instant::now();
        // Conditions of the program itself first; those inside of the C library only where these say nothing.
        let mut found = both(self.ask, self.engine, self.pair, conditions, false);
        if found.iter().all(|one| one.deviations.is_empty()) && !self.ask.only_source {
            found = both(self.ask, self.engine, self.pair, conditions, true);
        }
        let decided = found.iter().all(|one| one.unknown + one.skipped == 0);
        let none = found.iter().all(|one| one.deviations.is_empty());
        // Where some conditions are left out, nothing is known about whole paths.
        let whole = decided && !self.ask.only_source && self.ask.trusted.is_empty();
        let equivalent = (whole && !self.is_long || !none).then_some(none);
        if self.ask.predicates {
            let more = virtual_ones(self.ask, self.engine, self.pair, conditions, &self.predicates);
            for (found, more) in found.iter_mut().zip(more) {
                found.deviations.extend(more.deviations);
                found.asked += more.asked;
                found.unknown += more.unknown;
                found.skipped += more.skipped;
                found.dropped += more.dropped;
                found.again += more.again;
                found.lost += more.lost;
                found.kept = found.kept.max(more.kept);
            }
        }
        for (number, one) in found.iter().enumerate() {
            self.numbers.asked[number] += one.asked;
            self.numbers.unknown += one.unknown;
            self.numbers.skipped += one.skipped;
            self.numbers.dropped += one.dropped;
            self.numbers.sizes.largest = self.numbers.sizes.largest.max(one.largest);
            self.numbers.sizes.kept = self.numbers.sizes.kept.max(one.kept);
            self.numbers.again += one.again;
            self.numbers.lost += one.lost;
        }
        self.numbers.times.questions += started.elapsed();
        let started = Instant::now();
        let found = self.run(found, conditions, mode, equivalent)?;
        self.numbers.times.runs_of_others += started.elapsed();
        Ok(found)
    }

    fn run(
        &mut self,
        found: [Decomposed; 2],
        conditions: [&[Conjunct]; 2],
        mode: Mode,
        equivalent: Option<bool>,
    ) -> Result<Found, WhyError> {
        let ways = (mode != Mode::Relevant).then(|| self.ask.ways(self.ask.input));
        let reference = Reference { ran: self.runs, conditions, ways, is_long: self.is_long };
        let (mut valid, mut invalid, mut implied) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (side, decomposed) in [Side::Old, Side::New].into_iter().zip(found) {
            let ran = self.runs[side.number()];
            for site in decomposed.implied {
                let own = conditions[side.number()].iter().find(|one| one.site == site);
                if let Some((node, _)) = own.and_then(|one| users_node(self.pair, ran, one.instance)) {
                    implied.insert((side, node));
                }
            }
            for deviation in decomposed.deviations {
                if !self.ask.goes_on() {
                    self.numbers.skipped += 1;
                    continue;
                }
                let limits = self.ask.limits_left();
                let setting = Setting { limits: &limits, ..self.ask.setting };
                let bounded = Ask { setting, ..*self.ask };
                let wanted = virtual_one(&self.predicates[side.number()], &deviation.conjunct).cloned();
                let validated = validate(&bounded, self.pair, &reference, &deviation, wanted.as_ref())?;
                // A run that was cut says nothing, neither for nor against.
                if !self.ask.goes_on() && validated.outcomes.iter().any(|one| one.cut().is_some()) {
                    self.numbers.skipped += 1;
                    continue;
                }
                let words = wanted.map(|one| one.words().to_owned());
                let shown = alternate(self.pair, ran, deviation, self.ask.input, validated, words);
                let Some((node, one)) = shown else { continue };
                match one.invalid {
                    None => valid.push((node, one)),
                    Some(_) => invalid.push(one),
                }
            }
        }
        Ok(Found { valid, invalid, implied, equivalent })
    }
}

impl Ask<'_> {
    pub(crate) fn goes_on(&self) -> bool {
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// The limits of runs, with what is left of the time.
    fn limits_left(&self) -> Limits {
        let limits = self.setting.limits.clone();
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        Limits { time: left.map_or(limits.time, |left| left.min(limits.time)), ..limits }
    }

    /// The conditions of a version that count.
    fn not_trusted(&self, side: Side, conditions: [&[Conjunct]; 2]) -> Vec<Conjunct> {
        conditions[side.number()].iter().filter(|one| !self.trusts(side, one)).copied().collect()
    }

    pub(crate) fn trusts(&self, side: Side, conjunct: &Conjunct) -> bool {
        if self.trusted.is_empty() {
            return false;
        }
        let place = self.program(side).place(conjunct.site);
        let is_file = |name: &str| place.file == name || place.file.ends_with(&format!("/{name}"));
        self.trusted.iter().any(|trusted| *trusted == place.function || is_file(trusted))
    }
}
