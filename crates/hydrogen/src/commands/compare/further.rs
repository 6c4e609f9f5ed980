//! Behind the prover: what it leaves open is explored, and of what differs it is asked whether the program comes to it.

use super::bounded::Bounded;
use super::runs::{Runs, Searched};
use super::whole;
use super::{Row, Side};
use crate::cli::CompareOptions;
use crate::context::Context;
use hydrogen_align::Laid;
use hydrogen_evidence::compared::Whole;
use hydrogen_flow::leads_to;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_relate::{
    Proof, Rejected, Subject, Verdict, check, depends_on_numbers_alone, different_signatures,
};
use hydrogen_term::{Smtlib, standard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn subject((module, function): (&Module, FunctionId)) -> Subject<'_> {
    Subject { module, function }
}

/// The share of a function's time for exploring its calls.
const EXPLORED: f64 = 0.5;

/// How much of what is left of a budget exploring may use: differences are run again, and by the whole program.
const USED: f64 = 0.7;

/// What all of this needs.
pub struct Further<'a> {
    pub context: &'a Context,
    pub options: &'a CompareOptions,
    pub old: &'a Side,
    pub new: &'a Side,
    /// When everything must be over.
    pub end: Option<Instant>,
    pub interrupt: &'a Arc<AtomicBool>,
}

impl Further<'_> {
    fn left(&self) -> Duration {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now())),
        }
    }

    /// Explores the calls of the functions that are open, as far as the time goes.
    pub fn explore(&self, rows: &mut [Row], runs: &mut Runs, say: impl Fn(String)) {
        let mut is_enough =
            self.options.stop_on_difference && rows.iter().any(|row| row.difference.is_some());
        let mut open = rows.iter().filter(|row| row.is_worth_exploring()).count();
        for row in rows.iter_mut().filter(|row| row.is_worth_exploring()) {
            let left = self.left();
            if left.is_zero() || is_enough {
                break;
            }
            let (old, new) = ((&self.old.module, row.old), (&self.new.module, row.new));
            // No call is the same for both.
            if different_signatures(subject(old), subject(new)).is_some()
                || hydrogen_align::laid_out_otherwise(old, new).is_some()
            {
                continue;
            }
            say(format!("exploring the calls of {}", row.name));
            // A budget for everything is there to be used: what is left is shared by those that are open.
            let own = self.options.function_budget.mul_f64(EXPLORED);
            let shared = self.end.map_or(own, |_| left.div_f64(open.max(1) as f64).mul_f64(USED).max(own));
            open = open.saturating_sub(1);
            let mut found = match runs.explore(old, shared.min(left)) {
                Ok(found) => found,
                Err(why) => {
                    tracing::info!("{}: its calls were not explored: {why}", row.name);
                    continue;
                }
            };
            if !found.differing.is_empty()
                && let Searched::Found(shown) = runs.search(old, new, &found.differing)
            {
                row.difference = Some(*shown);
                is_enough = self.options.stop_on_difference;
            }
            let is_alone = [old, new].iter().all(|&(module, id)| depends_on_numbers_alone(module, id));
            if found.is_whole && row.difference.is_none() && is_alone {
                say(format!("checking the runs of {}", row.name));
                match self.by_runs(&found, subject(old), subject(new)) {
                    Ok(proof) => row.verdict = Verdict::Equal(proof),
                    // The runs were what they were: they are said for the calls within bounds.
                    Err(Rejected::NotRead(why)) => tracing::info!("{}: no proof by runs: {why}", row.name),
                    Err(why) => {
                        found.is_doubted = true;
                        let words = format!("the checker does not follow the proof by runs: {why}");
                        match &mut row.verdict {
                            Verdict::Open(reasons) => reasons.push(words),
                            verdict => *verdict = Verdict::Open(vec![words]),
                        }
                    }
                }
            }
            row.explored = Some(found);
        }
    }

    /// The proof by runs, if the checker follows it: it reads the code on its own, and nothing is proved that it does not see.
    fn by_runs(&self, found: &Bounded, old: Subject, new: Subject) -> Result<Proof, Rejected> {
        let proof = found.proof(old, new);
        let certificate = proof.certificate.as_ref();
        let certificate = certificate.ok_or(Rejected::NotRead("there is no certificate".to_owned()))?;
        let time = self.options.function_budget.min(self.left());
        check(certificate, old, new, standard(), time).map(|()| proof)
    }

    /// Goes through the proofs again with another solver: what the checker does not follow is open.
    pub fn check(&self, rows: &mut [Row], say: impl Fn(String)) {
        let laid = Laid::of(&self.old.module, &self.new.module);
        let (old_module, new_module) = match &laid {
            Some(laid) => (&laid.old, &laid.new),
            None => (&self.old.module, &self.new.module),
        };
        for row in rows {
            let Verdict::Equal(proof) = &row.verdict else { continue };
            let Some(certificate) = &proof.certificate else { continue };
            if self.left().is_zero() {
                break;
            }
            say(format!("checking the proof of {}", row.name));
            let old = Subject { module: old_module, function: row.old };
            let new = Subject { module: new_module, function: row.new };
            let time = self.options.function_budget.min(self.left());
            row.checked = match check(certificate, old, new, Box::new(Smtlib::z3()), time) {
                Ok(()) => Some("accepted"),
                Err(why) => {
                    row.verdict =
                        Verdict::Open(vec![format!("the checker does not follow the proof: {why}")]);
                    None
                }
            };
        }
    }

    /// Whether the program comes to what differs: by its calls, and then by runs of the whole program.
    pub fn reach(&self, rows: &mut [Row], say: impl Fn(String)) -> Option<Whole> {
        let has_main = [self.old, self.new].iter().all(|side| super::defines(&side.module, "main"));
        let mut is_reached = false;
        for row in rows.iter_mut().filter(|row| row.difference.is_some()) {
            row.reach = match has_main {
                false => Some("there is no `main`: any caller may make this call".to_owned()),
                true if leads_to(&self.new.module, "main", row.new) => None,
                true => Some("no call from `main` leads to it".to_owned()),
            };
            is_reached |= row.reach.is_none();
        }
        let left = self.left();
        if !is_reached || left.is_zero() || self.options.stop_on_difference {
            return None;
        }
        say("running the whole program".to_owned());
        let time = self.options.function_budget.min(left);
        Some(whole::run(self.context, self.options, time, self.interrupt))
    }
}
