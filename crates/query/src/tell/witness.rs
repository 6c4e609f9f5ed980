//! A witness for the reader: the shortest path, its own condition, small numbers.

use crate::judge::resolve::{Arrival, Beginning, Told, Witness};
use crate::meaning::shape::Spot;
use crate::meaning::state::Role;
use crate::run::Asking;
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::{Answer, Evaluator, Model, Op, Sort, Term};
use std::collections::BTreeMap;

/// Numbers of a witness that are made small for the reader.
const MOST_SMALL: usize = 16;
/// What is small, the smallest first.
const FEW: [u128; 3] = [32, 4096, 1 << 20];

impl Analyst<'_> {
    /// The paths of witnesses with the same condition, each in its version: asked again with choices, so that models tell the ways. What
    /// several versions do in the same way is computed once, and only those that do share a way.
    pub(crate) fn paths_of(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        witnesses: &[(VersionId, &Witness)],
    ) -> BTreeMap<VersionId, Told> {
        let mut found: BTreeMap<VersionId, Told> = BTreeMap::new();
        let Some((_, first)) = witnesses.first() else { return found };
        let (assumed, lost, visited) =
            (self.run.assumed.clone(), self.run.lost.clone(), self.run.visited.clone());
        let seen = self.run.seen.clone();
        let asking = Asking { mode: first.mode, rounds: first.rounds, choices: true, ..self.asking };
        let all = witnesses
            .iter()
            .fold(VersionSet::empty(), |all, (version, _)| all.union(&VersionSet::one(*version)));
        self.with(asking, |analyst| {
            analyst.ascend(frame, beginnings, &all, Some(&first.arrival), &mut |analyst, arrival| {
                let mut done = VersionSet::empty();
                let mut same: Option<Told> = None;
                for (version, witness) in witnesses.iter().filter(|one| arrival.versions.contains(one.0)) {
                    let told = match &same {
                        Some(told) => analyst.same_path(arrival, *version, told),
                        None => None,
                    };
                    let told = told.or_else(|| {
                        (0..=first.rounds)
                            .find_map(|rounds| analyst.path_within(arrival, *version, rounds, witness))
                    });
                    if let Some(told) = told {
                        same = Some(told.clone());
                        found.insert(*version, told);
                        done = done.union(&VersionSet::one(*version));
                    }
                }
                done
            });
        });
        (self.run.assumed, self.run.lost) = (assumed, lost);
        (self.run.visited, self.run.seen) = (visited, seen);
        found
    }

    /// The path of another version in this one, where both came up with the same condition, choices included.
    fn same_path(&mut self, arrival: &Arrival, version: VersionId, told: &Told) -> Option<Told> {
        let (other, model, _) = told;
        if !self.doubts(arrival, version, model).is_empty() {
            return None;
        }
        let whole = self.ways(arrival, version, model);
        Some((other.clone(), model.clone(), whole))
    }

    /// The runs of each activation, by a model of a condition with choices.
    fn ways(&mut self, arrival: &Arrival, version: VersionId, model: &Model) -> Vec<(Frame, Vec<Spot>)> {
        let frames = arrival.frames.clone().into_iter();
        frames
            .map(|(frame, spot)| {
                let spots = self.read_path(&frame, version, spot, model);
                (frame, spots)
            })
            .collect()
    }

    /// A model with small numbers where they do as well.
    pub(crate) fn small(&mut self, mut constraints: Vec<Term>, term: Term, model: Model) -> Model {
        let mut best = model;
        let pointers = self.pointers_lead_somewhere(&constraints, term);
        if let Some((model, more)) = pointers {
            (best, constraints) = (model, more);
        }
        let inputs = self.terms.pool.postorder(&[term]).into_iter().filter(|&one| {
            let input = match self.terms.pool.op(one) {
                Op::Var(_) => !self.terms.pool.as_var(one).is_some_and(|name| name.starts_with('!')),
                Op::Apply(function) => matches!(
                    self.terms.role(function),
                    Role::Length | Role::Memory(_, crate::meaning::state::Part::Number)
                ),
                _ => false,
            };
            input && matches!(self.terms.pool.sort(one), Sort::Bits(8..=64))
        });
        for one in inputs.take(MOST_SMALL).collect::<Vec<_>>() {
            let Sort::Bits(width) = self.terms.pool.sort(one) else { continue };
            // Strings and counts must fit into memory when the witness is run.
            for few in FEW.into_iter().filter(|few| width > 16 || *few < 1 << width.min(15)) {
                let few = self.terms.pool.bits(width, few);
                let bound = self.terms.pool.ule(one, few);
                constraints.push(bound);
                match self.engine.check(&mut self.terms.pool, &constraints) {
                    Answer::Sat(model) => {
                        best = model;
                        break;
                    }
                    _ => drop(constraints.pop()),
                }
            }
        }
        best
    }

    /// A model in which the pointers that come in lead to objects of their own, as far as they can: what the condition leaves open is
    /// not to be what makes a run fail elsewhere.
    fn pointers_lead_somewhere(&mut self, constraints: &[Term], term: Term) -> Option<(Model, Vec<Term>)> {
        let pointers = self.incoming_pointers(term);
        if pointers.is_empty() {
            return None;
        }
        let zero = self.terms.word(0);
        let there: Vec<Term> = pointers.iter().map(|&one| self.terms.pool.ne(one, zero)).collect();
        let mut all = constraints.to_vec();
        all.extend(&there);
        for (at, &one) in pointers.iter().enumerate() {
            for &other in &pointers[at + 1..] {
                all.push(self.terms.pool.ne(one, other));
            }
        }
        if let Answer::Sat(model) = self.engine.check(&mut self.terms.pool, &all) {
            return Some((model, all));
        }
        let (mut all, mut best) = (constraints.to_vec(), None);
        for there in there {
            all.push(there);
            match self.engine.check(&mut self.terms.pool, &all) {
                Answer::Sat(model) => best = Some(model),
                _ => drop(all.pop()),
            }
        }
        best.map(|model| (model, all))
    }

    /// That inputs are those of a witness.
    fn inputs_of(&mut self, witness: &Witness, version: VersionId) -> Vec<Term> {
        let mut all = Vec::new();
        let Some((frame, _)) = witness.arrival.frames.first().cloned() else { return all };
        for one in self.terms.pool.postorder(&[witness.arrival.term]) {
            if !matches!(self.doubt(&frame, version, one), Some(Ok(()))) {
                continue;
            }
            let value = match self.terms.pool.sort(one) {
                Sort::Bool => {
                    let holds = Evaluator::new(&self.terms.pool, &witness.model).holds(one);
                    self.terms.pool.bool(holds)
                }
                Sort::Bits(width) => {
                    let bits = Evaluator::new(&self.terms.pool, &witness.model).bits(one);
                    self.terms.pool.bits(width, bits)
                }
                Sort::Array { .. } => continue,
            };
            all.push(self.terms.pool.eq(one, value));
        }
        all
    }

    /// A path of at most so many rounds through the loops of each function, and the condition of that path alone.
    pub(crate) fn path_within(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        rounds: usize,
        witness: &Witness,
    ) -> Option<Told> {
        let mut constraints = self.arrival_axioms(arrival);
        for (frame, _) in &arrival.frames {
            let round = self.rounds_to_come(frame);
            let most = self.terms.pool.bits(self.terms.pool.width(round), rounds as u128);
            constraints.push(self.terms.pool.ule(round, most));
        }
        let Answer::Sat(first) = self.engine.check(&mut self.terms.pool, &constraints) else {
            return None;
        };
        let mut shorter = constraints.clone();
        let near = self.nearest(arrival, version, &mut shorter, first.clone());
        let (constraints, first) = match self.without_doubts(arrival, version, &shorter, near, witness) {
            Some(model) => (shorter, model),
            // The shortest way is not one that nobody doubts; another one may be.
            None => {
                let model = self.without_doubts(arrival, version, &constraints, first, witness)?;
                (constraints, model)
            }
        };
        let mut few = constraints.clone();
        let fewer = self.few_arguments(arrival, &mut few, first.clone());
        let mut model = self.small(few, arrival.term, fewer);
        if !self.doubts(arrival, version, &model).is_empty() {
            model = first;
        }
        let whole = self.ways(arrival, version, &model);
        let mut choices = crate::meaning::effect::Effect::default();
        for variable in self.terms.pool.variables(&[arrival.term]) {
            if self.terms.pool.as_var(variable).is_some_and(|name| name.starts_with('!')) {
                let value = Evaluator::new(&self.terms.pool, &model).bits(variable);
                let value = self.terms.pool.bits(self.terms.pool.width(variable), value);
                choices.put(variable, value);
            }
        }
        let term = self.terms.before(arrival.term, &choices);
        Some((Arrival { term, ..arrival.clone() }, model, whole))
    }

    /// The model, or another one, of which nobody doubts that it is one of inputs.
    fn without_doubts(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        constraints: &[Term],
        model: Model,
        witness: &Witness,
    ) -> Option<Model> {
        if self.doubts(arrival, version, &model).is_empty() {
            return Some(model);
        }
        // The inputs of the witness are such that it does not matter what the values are that are no inputs.
        let mut as_found = constraints.to_vec();
        as_found.extend(self.inputs_of(witness, version));
        let Answer::Sat(surer) = self.engine.check(&mut self.terms.pool, &as_found) else { return None };
        self.doubts(arrival, version, &surer).is_empty().then_some(surer)
    }
}
