//! Asking a question, and running what answers it.

use crate::rank::{About, Question};
use crate::search::Search;
use crate::types::{Asked, Found, Shape};
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Class;
use hydrogen_explore::{Assignment, Kind, ask};
use hydrogen_machine::Site;
use hydrogen_pair::{Facts, Setting};
use hydrogen_term::{Answer, Term};
use hydrogen_trace::Static;

/// A side is asked for without the rest of its path so often.
const MOST_TRIES: u32 = 4;
/// So many questions are kept for whoever wants to look at them.
const MOST_KEPT: usize = 10_000;

/// A question as the solver is asked it.
pub(crate) struct Wish {
    pub(crate) class: Class,
    /// What an input must fulfil,
    pub(crate) before: Vec<Term>,
    /// and this.
    pub(crate) wanted: Term,
    /// Whose statement it is about.
    pub(crate) site: Option<Site>,
}

impl Search<'_, '_> {
    /// Asks a question, and runs what answers it.
    pub(crate) fn answer(&mut self, question: Question) -> Option<Box<Found>> {
        let Question { run, about, class } = question;
        let joint = &self.runs[run];
        let pool = &mut self.pair.pool;
        let (before, wanted, site) = match about {
            About::Effects => return self.follow(run),
            About::Outcome => (joint.apart.as_ref()?.given.clone(), joint.apart.as_ref()?.differ, None),
            About::Pair(number) => {
                let (old, new) = joint.alike[number];
                let (one, two) = (joint.paths[0][old], joint.paths[1][new]);
                (joint.before_pair((old, new)), pool.xor(one.term, two.term), Some(two.site))
            }
            About::Part(at) => {
                let conjunct = joint.parts[at].conjunct;
                (joint.before(at), pool.not(conjunct.term), Some(conjunct.site))
            }
        };
        let (shape, input) = (joint.shape, joint.input.clone());
        match self.put(shape, &input, &Wish { class, before, wanted, site }) {
            Answer::Sat(model) => {
                let next = input.with_model(&self.pair.pool, &model);
                self.take(shape, next, Some(class))
            }
            Answer::Unsat => self.without_the_rest(question, wanted),
            Answer::Unknown(_) => None,
        }
    }

    /// Asks for an input, and keeps what was asked and answered.
    pub(crate) fn put(&mut self, shape: usize, input: &Input, wish: &Wish) -> Answer {
        let Wish { class, before, wanted, site } = wish;
        let pool = &mut self.pair.pool;
        *self.statistics.asked.entry(*class).or_insert(0) += 1;
        let answer = ask(&mut self.engine, pool, (&self.shapes[shape].symbolic, input), before, *wanted);
        if self.log.len() < MOST_KEPT {
            let (sat, next) = match &answer {
                Answer::Sat(model) => (Some(true), Some(input.with_model(pool, model))),
                Answer::Unsat => (Some(false), None),
                Answer::Unknown(_) => (None, None),
            };
            let condition = hydrogen_explore::show(pool, *wanted);
            self.log.push(Asked { class: *class, site: *site, condition, sat, input: next });
        }
        // What the graph asks for is a short cut: that all inputs were seen does not rest on it.
        let extra = matches!(class, Class::Infect | Class::Unmask | Class::Use);
        if let Answer::Unknown(reason) = &answer
            && !extra
        {
            *self.statistics.unknown.entry(reason.to_string()).or_insert(0) += 1;
        }
        answer
    }

    /// Where a branch on the way to a change cannot be turned on this path, conditions that it does not depend on may stand in the way
    /// (E-6): then those that it depends on are enough, and the run may go elsewhere before it.
    fn without_the_rest(&mut self, question: Question, wanted: Term) -> Option<Box<Found>> {
        let at = match question.about {
            About::Part(at) => at,
            About::Pair(number) => return self.pair_without_the_rest(question, number, wanted),
            _ => return None,
        };
        let joint = &self.runs[question.run];
        let conjunct = joint.parts[at].conjunct;
        let tries = self.alone.entry(conjunct.site).or_insert(0);
        if !matches!(question.class, Class::Reach | Class::Again)
            || conjunct.kind != Kind::Branch
            || *tries >= MOST_TRIES
        {
            return None;
        }
        *tries += 1;
        let (shape, input) = (joint.shape, joint.input.clone());
        let program = 1;
        let Shape { world, symbolic, .. } = &self.shapes[shape];
        let setting = Setting { world, symbolic, limits: &self.options.limits };
        let ran = self.pair.run_in(program, setting, &input).ok()?;
        let statics = self.statics[program].get_or_insert_with(|| {
            let entry = ran.call.as_ref().map_or(world.entry.as_str(), |call| &call.function);
            Static::new(self.pair.programs()[program], &[entry])
        });
        let facts = Facts::new(statics, &ran).ok()?;
        let condition = facts.reaching(conjunct.instance).ok()?;
        let before: Vec<Term> = condition.conjuncts.iter().map(|one| one.term).collect();
        match ask(&mut self.engine, &mut self.pair.pool, (symbolic, &input), &before, wanted) {
            Answer::Sat(model) => {
                let next = input.with_model(&self.pair.pool, &model);
                self.take(shape, next, Some(question.class))
            }
            _ => None,
        }
    }
}
