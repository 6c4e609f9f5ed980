//! Whether runs do what was promised, and what they leave open.

use crate::found::Wrong;
use crate::joint::Atom;
use crate::search::{Origin, Partitioner};
use crate::watch::Seen;
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, Kind, Symbolic};
use hydrogen_machine::{Limits, Off};
use hydrogen_pair::run_lightly;
use hydrogen_term::{Evaluator, Pool, Term};
use std::collections::BTreeMap;

impl Partitioner<'_> {
    /// Whether a run did what was promised.
    pub(crate) fn broken(
        &mut self,
        input: &Input,
        (atoms, by_reach): (&[Atom], bool),
        origin: &Origin,
        runs: &[Seen],
        same: bool,
    ) -> Option<Wrong> {
        let pool = &mut self.found.pool;
        if let Some(question) = origin.question {
            let known = &self.known[question.run];
            let old = &known.atoms;
            let other = pool.not(old[question.at].term);
            let expected = old[..question.at].iter().map(|atom| atom.term).chain([other]);
            let found = atoms.iter().map(|atom| Some(atom.term)).chain(std::iter::repeat(None));
            let broken = expected.zip(found).position(|(expected, found)| found != Some(expected));
            // Rows of another kind begin otherwise; what they promise is checked by their own conditions.
            if let Some(at) = broken.filter(|_| !known.by_reach && !by_reach) {
                return Some(Wrong::Prefix(at));
            }
        }
        let terms: Vec<Term> = atoms.iter().map(|atom| atom.term).collect();
        let model = input.model(pool, &pool.variables(&terms));
        let mut evaluator = Evaluator::new(pool, &model);
        if let Some(at) = terms.iter().position(|term| !evaluator.holds(*term)) {
            return Some(Wrong::Condition(at));
        }
        if !same && !self.does_it_again(input, runs) {
            return Some(Wrong::Again);
        }
        None
    }

    /// Whether every version does the same once more when nobody asks for terms.
    pub(crate) fn does_it_again(&self, input: &Input, runs: &[Seen]) -> bool {
        let limits = Limits { steps: u64::MAX, ..self.subject.limits.clone() };
        let symbolic = Symbolic { call: self.subject.symbolic.call.clone(), ..Symbolic::default() };
        let setting =
            hydrogen_pair::Setting { limits: &limits, symbolic: &symbolic, ..self.subject.setting() };
        runs.iter().enumerate().all(|(version, one)| {
            let own = self.subject.own_input(version, input);
            let program = self.subject.programs[version];
            let Ok((again, _)) = run_lightly(program, setting, &own, &mut Pool::new(), Off) else {
                return false;
            };
            let cut = !again.outcome.is_whole() || !one.ran.outcome.is_whole();
            cut || again.outcome.same(&one.ran.outcome, &self.subject.observables)
        })
    }

    /// What every run assumes of one variable alone says what the input space is.
    pub(crate) fn narrow_domain(&mut self, atoms: &[Atom]) {
        let assumed = |atom: &&Atom| atom.of.is_some_and(|(_, conjunct)| conjunct.kind == Kind::Assumed);
        let all: Vec<Term> = atoms.iter().filter(assumed).map(|atom| atom.term).collect();
        if self.known.is_empty() {
            let pool = &self.found.pool;
            self.found.domain =
                all.iter().copied().filter(|term| pool.variables(&[*term]).len() == 1).collect();
        } else {
            self.found.domain.retain(|term| all.contains(term));
        }
    }

    pub(crate) fn ledger(&mut self, runs: &[Seen]) {
        let mut notes: BTreeMap<String, u64> = BTreeMap::new();
        for (version, one) in runs.iter().enumerate() {
            let program = self.subject.programs[version];
            for ((why, site), count) in &one.ran.seen.concretised {
                let place = program.place(*site);
                let place = match place.users && place.line > 0 {
                    true => format!("{}:{}", place.file, place.line),
                    false => format!("`{}` of the C library", place.function),
                };
                *notes.entry(format!("{why} was not followed at {place}: it kept its value")).or_insert(0) +=
                    count;
            }
            self.one_order |= one.ran.seen.world.threads > 0;
            for (note, count) in one.ran.seen.world.ledger() {
                *notes.entry(note.to_owned()).or_insert(0) += count;
            }
        }
        for (note, count) in notes {
            self.note(note, count);
        }
    }
}
