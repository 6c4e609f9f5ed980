//! What chosen instances of a run computed, as terms over the input.

use crate::run::{Pair, Ran, Setting};
use crate::values::Names;
use hydrogen_explore::{Concolic, Kept, Valued};
use hydrogen_machine::Run;
use hydrogen_term::{Loan, Pool, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers that an instance computed, by their place in the statement, and which instruction computed the last of them. Addresses are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    /// By place in the statement.
    pub all: BTreeMap<u32, Valued>,
    /// The last of them, which is what a statement is for: what it assigns, or decides by.
    pub last: Option<Valued>,
    /// The number of the executed instruction that computed it.
    pub step: u64,
}

impl Pair<'_> {
    /// Runs an input once more, for what some instances of its run computed.
    pub fn numbers(
        &mut self,
        ran: &Ran,
        setting: Setting<'_>,
        wanted: &BTreeSet<u32>,
    ) -> BTreeMap<u32, Numbers> {
        let code = self.programs()[ran.program];
        let steps = ran.instances.steps_of(wanted, ran.seen.steps);
        let world = setting.symbolic.world(code, setting.world, &ran.input);
        let (pool, mut loan) = Loan::of(&mut self.pool);
        let mut concolic = Concolic::new(code, setting.symbolic, &world, pool).with_call(&ran.input);
        concolic.kept = Some(Kept::of(steps.iter().map(|one| one.0).collect()));
        let Run { monitor, .. } = code.run_with(world, setting.limits.clone(), concolic);
        let Concolic { pool, kept, .. } = monitor;
        *loan = pool;
        let kept = kept.unwrap_or_default();
        let mut names = Names::new(code);
        let mut found: BTreeMap<u32, Numbers> = BTreeMap::new();
        for (step, instance) in steps {
            let Some((site, values)) = kept.found.get(&step) else { continue };
            let (Some(nth), [value]) = (names.number(*site), values.as_slice()) else { continue };
            let numbers = found.entry(instance).or_default();
            numbers.all.insert(nth, *value);
            (numbers.last, numbers.step) = (Some(*value), step);
        }
        found
    }
}

/// When two values differ; none where that cannot be said, because they are not of one size.
pub fn unequal(pool: &mut Pool, one: Valued, two: Valued) -> Option<Term> {
    let mut bits = |term: Term, value: u64| {
        let width = pool.width(term);
        pool.bits(width, u128::from(value) & (u128::MAX >> (128 - width.min(128))))
    };
    let (first, second) = match (one.0, two.0) {
        (None, None) => return Some(pool.bool(one.1 != two.1)),
        (Some(first), None) => (first, bits(first, two.1)),
        (None, Some(second)) => (bits(second, one.1), second),
        (Some(first), Some(second)) => (first, second),
    };
    (pool.width(first) == pool.width(second)).then(|| pool.ne(first, second))
}
