//! Recursion against a loop, where the recursion calls itself several times: the loop's variables are values of the recursive function.
//!
//! `f(n - 1) + f(n - 2)` cannot be read as a loop. But it is an unknown function of which is known what its body says (`unfold`), and in a loop that
//! computes the same, the variables hold `f(k)`, `f(k + 1)`, …, where `k` is what the loop has counted so far. That is claimed at the loop's head, as far as `k + 1` does
//! not wrap around, and given up where it does not follow like every other claim. Only recursion that always ends is read so.

use crate::{
    code::Var,
    entry::initial,
    prove::Prover,
    relation::Relation,
    segment::{End, Target},
    state::State,
    variables::number,
};
use hydrogen_term::Term;

/// How many values of the function a loop may keep.
const MOST_KEPT: u32 = 4;

/// A claim about a variable of the new version, and what the loop has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Recurrent {
    /// The variable that counts.
    pub counter: Var,
    /// Up from this number, or down from the parameter.
    pub up_from: Option<u128>,
    /// The parameter of the function that the recursion makes smaller.
    pub parameter: u32,
    /// The variable that holds the value for so many more than what was counted; without one, what was counted is at most the parameter.
    pub holds: Option<(Var, u32)>,
}

impl Prover<'_, '_, '_> {
    /// What may be claimed where the new version has come to a loop and the old one, which calls itself, has returned.
    pub fn recurrent(&mut self, places: (Target, Target), new: &End, relation: &mut Relation) {
        let is_loop = places.0 == Target::Return && matches!(places.1, Target::Head(_));
        if !is_loop || !self.unfolds || self.by_form || !self.always_ends() {
            return;
        }
        let Some(parameter) = self.measured else { return };
        let Some(result) = self.result_width() else { return };
        let start = initial(self.context, &self.old);
        let Some(whole) = number(&start, Var::Parameter(0, parameter)) else { return };
        let width = self.context.pool.width(whole);
        let news = crate::variables::variables(self.new.code, places.1);
        for (&counter, _) in news.iter().filter(|(_, bits)| **bits == width) {
            let Some(first) = number(&new.state, counter) else { continue };
            let up_from = match self.context.pool.as_bits(first) {
                Some(bits) => Some(bits),
                None if first == whole => None,
                None => continue,
            };
            let holds = news.iter().filter(|(var, bits)| **bits == result && **var != counter);
            let holds = holds.flat_map(|(&var, _)| (0..MOST_KEPT).map(move |more| Some((var, more))));
            let claims = holds.chain([None]).map(|holds| Recurrent { counter, up_from, parameter, holds });
            relation.recurrent.extend(claims);
        }
    }

    /// Whether a claim holds in a state of the new version.
    pub fn recurrent_truth(&mut self, claim: &Recurrent, new: &State) -> Option<Term> {
        let start = initial(self.context, &self.old);
        let whole = number(&start, Var::Parameter(0, claim.parameter))?;
        let now = number(new, claim.counter)?;
        let pool = &mut self.context.pool;
        if pool.sort(whole) != pool.sort(now) {
            return None;
        }
        let width = pool.width(whole);
        let counted = match claim.up_from {
            Some(first) => {
                let first = pool.bits(width, first);
                pool.sub(now, first)
            }
            None => pool.sub(whole, now),
        };
        let Some((var, more)) = claim.holds else { return Some(pool.ule(counted, whole)) };
        let more = pool.bits(width, u128::from(more));
        let at = pool.add(counted, more);
        let wraps = pool.ult(at, counted);
        let value = number(new, var)?;
        let sort = pool.sort(value);
        if Some(pool.width(value)) != self.result_width() {
            return None;
        }
        let parameters = (0..).map_while(|n| number(&start, Var::Parameter(0, n)));
        let mut arguments: Vec<Term> = parameters.collect();
        arguments[claim.parameter as usize] = at;
        let name = format!("{} 0", self.own_name());
        let called = self.context.unknown(&name, &arguments, sort);
        let pool = &mut self.context.pool;
        let same = pool.eq(value, called);
        Some(pool.or(wraps, same))
    }

    /// The width of the old version's result, if it is one number.
    fn result_width(&self) -> Option<u32> {
        let code = self.old.code;
        let ty = code.module.function(code.frames[0].function).ty?;
        match code.module.types.get(ty) {
            hydrogen_ir::Type::Function { result, .. } => crate::homes::scalar_width(code.module, *result),
            _ => None,
        }
    }
}

/// Where a relation's claims of this kind are added to what is known.
pub(crate) fn premises(prover: &mut Prover, relation: &Relation, new: &State) -> Vec<Term> {
    let claims = relation.recurrent.iter();
    claims.filter_map(|claim| prover.recurrent_truth(claim, new)).collect()
}
