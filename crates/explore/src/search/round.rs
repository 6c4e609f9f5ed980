//! One round: questions are shared out, solved and run; answers are taken in, in order.

use super::ask::ask;
use super::queue::Question;
use super::{Answered, Explorer, Test, Wrong};
use crate::input::Assignment;
use crate::observe::{Observation, first_broken};
use crate::path::Kind;
use hydrogen_evidence::Input;
use hydrogen_machine::{End, Limits};
use hydrogen_term::{Answer, Engine, Importer, Pool, Solver, Term};
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A side is looked for with other values than those that were made concrete so often.
const MOST_VALUES: u32 = 8;

/// Questions of one test that are solved one after the other, with what the solver remembers of them.
const PART: usize = 8;

/// What became of a question.
enum Outcome {
    /// It was not needed: a fault is known there already.
    Skipped,
    Answered(Answered),
    Ran(Input, Box<Observation>, Option<Wrong>),
}

/// A finished part: its terms and its outcomes.
struct Part {
    pool: Pool,
    outcomes: Vec<Outcome>,
}

impl Explorer<'_> {
    /// Does a round. False when there is nothing more to do, or a limit is reached.
    pub fn round(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        let questions = match self.left_over.is_empty() {
            true => self.queue.take(),
            false => std::mem::take(&mut self.left_over),
        };
        if questions.is_empty() {
            return false;
        }
        let stop = self.stop();
        let all = questions.clone();
        // What was under way when it was over is done again, if the exploration goes on from its answers.
        if hydrogen_stop::within(&stop, || self.answer(questions)).is_err() {
            self.is_left = true;
            self.left_over = all;
        }
        true
    }

    fn answer(&mut self, questions: Vec<Question>) {
        let parts: Vec<&[Question]> =
            questions.chunk_by(|a, b| a.test == b.test).flat_map(|run| run.chunks(PART)).collect();
        let done = self.share_out(&parts);
        for (questions, part) in parts.iter().zip(done) {
            match part {
                Some(part) if self.left_over.is_empty() => self.take_in_part(questions, part),
                // What was interrupted, and all that comes after it, is done again: order matters.
                _ => self.left_over.extend(questions.iter().copied()),
            }
        }
    }

    /// Works on all parts, with as many threads as wanted.
    fn share_out(&self, parts: &[&[Question]]) -> Vec<Option<Part>> {
        let next = AtomicUsize::new(0);
        let done: Vec<Mutex<Option<Part>>> = parts.iter().map(|_| Mutex::new(None)).collect();
        let around = hydrogen_stop::around();
        let work = || {
            while let Some((index, questions)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                parts.get(index).map(|questions| (index, questions))
            } {
                let part = around.within(|| self.work(questions)).ok().flatten();
                if let Ok(mut place) = done[index].lock() {
                    *place = part;
                }
            }
        };
        if self.options.jobs <= 1 || parts.len() <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..self.options.jobs.min(parts.len()) {
                    scope.spawn(work);
                }
            });
        }
        done.into_iter().map(|place| place.into_inner().unwrap_or(None)).collect()
    }

    /// A solver for the questions of a part, of which this is the first.
    fn engine(&self, question: &Question) -> Engine<Box<dyn Solver + Send>> {
        let mut engine = Engine::new((self.options.solver)(), self.options.solver_limits);
        if let Some(folder) = &self.options.dump {
            let part = folder.join(format!("{:05}-{:05}", question.test + 1, question.at + 1));
            // That the folder can be written to was seen before; a full disk must not stop the exploration.
            let _ = engine.dump_to(&part);
        }
        engine
    }

    /// Solves and runs the questions of one part; `None` when it was interrupted.
    fn work(&self, questions: &[Question]) -> Option<Part> {
        let test = &self.found.tests[questions.first()?.test];
        let mut pool = Pool::new();
        let mut importer = Importer::new(&self.found.pool);
        let mut conditions: Vec<Term> = Vec::new();
        let mut engine = None;
        let mut outcomes = Vec::new();
        for question in questions {
            if self.is_over() {
                return None;
            }
            let list = test.condition();
            let turned = &list[question.at];
            let value = turned.kind == Kind::Concrete;
            let tried = self.other_values.get(&(turned.site, turned.taken)).copied().unwrap_or(0);
            if question.fault && self.faulty.contains(&turned.site) || value && tried >= MOST_VALUES {
                outcomes.push(Outcome::Skipped);
                continue;
            }
            while conditions.len() <= question.at {
                let term = list[conditions.len()].term;
                conditions.push(importer.import(&mut pool, term));
            }
            let other = pool.not(conditions[question.at]);
            let answered = match self.answers.get((question.test, question.at)) {
                Some(answered) => answered.clone(),
                None => {
                    let engine = engine.get_or_insert_with(|| self.engine(question));
                    let rest = rest_of_path(test, question.at, &mut importer, &mut pool);
                    match self.closest(engine, &mut pool, (test, &conditions[..question.at]), other, &rest) {
                        Answer::Sat(model) => Answered::Input(test.input.with_model(&pool, &model)),
                        Answer::Unsat => {
                            let before = &conditions[..question.at];
                            self.with_other_values(engine, &mut pool, (test, question.at), before, other)
                        }
                        Answer::Unknown(reason) => Answered::Unknown(reason.to_string()),
                    }
                }
            };
            let Answered::Input(input) = answered else {
                outcomes.push(Outcome::Answered(answered));
                continue;
            };
            let seen = self.observer.observe(self.setting(), &input, &mut pool);
            if matches!(seen.end, End::Limit(hydrogen_machine::Limit::Interrupted, _)) {
                return None;
            }
            let wrong = self.check(&pool, &input, &seen);
            outcomes.push(Outcome::Ran(input, Box::new(seen), wrong));
        }
        Some(Part { pool, outcomes })
    }

    /// Where a side cannot be reached because of a value that was made concrete, another value may lead there. The run then leaves
    /// the old path where that value was needed.
    fn with_other_values<S: Solver>(
        &self,
        engine: &mut Engine<S>,
        pool: &mut Pool,
        (test, at): (&Test, usize),
        before: &[Term],
        other: Term,
    ) -> Answered {
        let list = &test.path;
        let tried = self.other_values.get(&(list[at].site, list[at].taken)).copied().unwrap_or(0);
        let free = list[..at].iter().any(|one| one.kind == Kind::Concrete);
        if test.condition.is_some() || !free || tried >= MOST_VALUES {
            return Answered::Never;
        }
        let kept = |(_, one): &(&Term, &crate::path::Conjunct)| one.kind != Kind::Concrete;
        let kept: Vec<Term> = before.iter().zip(list).filter(kept).map(|(term, _)| *term).collect();
        match ask(engine, pool, (&self.options.symbolic, &test.input), &kept, other) {
            Answer::Sat(model) => Answered::Input(test.input.with_model(pool, &model)),
            _ => Answered::Never,
        }
    }

    /// Whether a new run is what its condition says, and does the same again when nobody watches.
    fn check(&self, pool: &Pool, input: &Input, seen: &Observation) -> Option<Wrong> {
        if let Some(at) = first_broken(pool, input, seen.condition()) {
            return Some(Wrong::Condition(at));
        }
        if matches!(seen.end, End::Limit(..)) {
            return None;
        }
        let limits = Limits { steps: u64::MAX, ..self.options.limits.clone() };
        let again = self.program.run(self.options.symbolic.world(self.program, self.world, input), limits);
        let same = matches!(again.end, End::Limit(..))
            || again.end == seen.end
                && again.world.stdout == seen.world.stdout
                && again.world.stderr == seen.world.stderr;
        (!same).then_some(Wrong::Again)
    }

    /// Solves with as much of the rest as can be had: all of it, so that the new run differs as little as possible; what keeps
    /// it from faults elsewhere; nothing.
    fn closest<S: Solver>(
        &self,
        engine: &mut Engine<S>,
        pool: &mut Pool,
        (test, before): (&Test, &[Term]),
        other: Term,
        rest: &[Vec<Term>; 2],
    ) -> Answer {
        for more in rest.iter().rev().filter(|more| !more.is_empty()) {
            let all: Vec<Term> = before.iter().chain(more).copied().collect();
            if let answer @ Answer::Sat(_) =
                ask(engine, pool, (&self.options.symbolic, &test.input), &all, other)
            {
                return answer;
            }
        }
        ask(engine, pool, (&self.options.symbolic, &test.input), before, other)
    }

    /// Where a value was made concrete that could not be another one nothing was lost.
    fn has_no_other_value(&mut self, question: &Question) {
        let turned = self.found.tests[question.test].condition()[question.at];
        if turned.kind != Kind::Concrete {
            return;
        }
        let lost = &mut self.found.missing.concretised;
        let key = lost.keys().find(|(_, site)| *site == turned.site).cloned();
        if let Some(count) = key.as_ref().and_then(|key| lost.get_mut(key)) {
            *count -= 1;
        }
        lost.retain(|_, count| *count > 0);
    }

    fn take_in_part(&mut self, questions: &[Question], part: Part) {
        for (question, outcome) in questions.iter().zip(part.outcomes) {
            let key = (question.test, question.at);
            match outcome {
                Outcome::Skipped => {}
                Outcome::Answered(answered) => {
                    self.found.asked += 1;
                    if answered == Answered::Never {
                        self.has_no_other_value(question);
                    }
                    if let Answered::Unknown(reason) = &answered {
                        *self.found.missing.unknown.entry(reason.clone()).or_insert(0) += 1;
                    }
                    self.answers.add(key, answered);
                }
                Outcome::Ran(input, seen, wrong) => {
                    self.found.asked += 1;
                    self.answers.add(key, Answered::Input(input.clone()));
                    self.take_in(&part.pool, input, Some(question), *seen, wrong);
                }
            }
        }
    }
}

/// What else the old run fulfils, where that is more than the conditions before: what keeps it from faults, and all of it.
fn rest_of_path(test: &Test, at: usize, importer: &mut Importer<'_>, pool: &mut Pool) -> [Vec<Term>; 2] {
    let mut rest = [Vec::new(), Vec::new()];
    let Some(condition) = &test.condition else { return rest };
    let known: FxHashSet<Term> = condition[..=at].iter().map(|one| one.term).collect();
    for one in test.path.iter().filter(|one| !known.contains(&one.term)) {
        let term = importer.import(pool, one.term);
        if one.kind == Kind::NoFault {
            rest[0].push(term);
        }
        rest[1].push(term);
    }
    rest
}
