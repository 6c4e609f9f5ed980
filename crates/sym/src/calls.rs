//! Calls of what stays closed: one unknown function of arguments and visible memory, the same in both versions.
//!
//! Functions of the pool take no arrays, so a call is a record: its results are fresh variables, a second call with the very same arguments gets
//! the first one's, and for other calls of the same function *equal arguments give equal results* is said where a question is asked.

use hydrogen_term::{Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// What a closed call can see and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// Its arguments alone.
    Values,
    /// Memory too, which it does not change.
    Reads,
    /// Everything.
    All,
}

/// A call's name and what it sees.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// The name of what is called.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<Term>,
    /// Memory that it sees, by address: public memory, world, epoch, and the local objects that both versions have and it may have been told
    /// of. An object that one version has alone is left out: whoever can reach it has been given its address, and then arguments or
    /// memory differ.
    pub memory: Vec<(u64, Term)>,
    /// The sorts of its results.
    pub results: Vec<Sort>,
}

/// Every call so far.
#[derive(Default)]
pub struct Calls {
    records: Vec<(Question, Vec<Term>)>,
    known: FxHashMap<Question, usize>,
    by_result: FxHashMap<Term, usize>,
}

impl Calls {
    /// The results of a call.
    pub fn ask(&mut self, pool: &mut Pool, question: Question) -> Vec<Term> {
        if let Some(&record) = self.known.get(&question) {
            return self.records[record].1.clone();
        }
        let name = format!("result of {}", question.name);
        let results: Vec<Term> = question.results.iter().map(|&sort| pool.fresh(&name, sort)).collect();
        self.known.insert(question.clone(), self.records.len());
        for &result in &results {
            self.by_result.insert(result, self.records.len());
        }
        self.records.push((question, results.clone()));
        results
    }

    /// The call that a variable is a result of, with its number among the results.
    pub fn behind(&self, result: Term) -> Option<(&Question, usize)> {
        let (question, results) = &self.records[*self.by_result.get(&result)?];
        Some((question, results.iter().position(|&one| one == result)?))
    }

    /// That equal calls have equal results, for all calls whose results occur in the constraints.
    pub fn congruence(&self, pool: &mut Pool, constraints: &[Term]) -> Vec<Term> {
        let mut found: Vec<usize> = Vec::new();
        let mut open: Vec<Term> = constraints.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        while !open.is_empty() {
            let variables = pool.variables(&std::mem::take(&mut open));
            for variable in variables {
                let Some(&record) = self.by_result.get(&variable) else { continue };
                if seen.insert(record) {
                    found.push(record);
                    let question = &self.records[record].0;
                    open.extend(question.arguments.iter().copied());
                    open.extend(question.memory.iter().map(|(_, term)| *term));
                }
            }
        }
        found.sort_unstable();
        let mut axioms = Vec::new();
        for (at, &one) in found.iter().enumerate() {
            for &other in &found[..at] {
                let ((a, results), (b, others)) = (&self.records[one], &self.records[other]);
                if a.name != b.name || a.results != b.results || a.arguments.len() != b.arguments.len() {
                    continue;
                }
                let seen = |question: &Question| -> Vec<u64> {
                    question.memory.iter().map(|(key, _)| *key).collect()
                };
                if seen(a) != seen(b) {
                    continue;
                }
                let inputs = a.arguments.iter().zip(&b.arguments);
                let memory = a.memory.iter().zip(&b.memory).map(|((_, a), (_, b))| (a, b));
                let pairs: Vec<(Term, Term)> = inputs.chain(memory).map(|(a, b)| (*a, *b)).collect();
                if pairs.iter().any(|(a, b)| pool.sort(*a) != pool.sort(*b)) {
                    continue;
                }
                let same: Vec<Term> = pairs.into_iter().map(|(a, b)| pool.eq(a, b)).collect();
                let same = pool.and_all(same);
                let equal: Vec<Term> = results.iter().zip(others).map(|(&a, &b)| pool.eq(a, b)).collect();
                let equal = pool.and_all(equal);
                axioms.push(pool.implies(same, equal));
            }
        }
        axioms.retain(|&axiom| pool.as_bool(axiom) != Some(true));
        axioms
    }
}
