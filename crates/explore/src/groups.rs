//! Which paths share a relevant-slice condition: they compute the output in the same way.

use crate::observe::{Observer, Setting};
use crate::path::Conjunct;
use hydrogen_evidence::Input;
use hydrogen_term::{Pool, Term};
use std::collections::BTreeSet;

/// Inputs by the condition that an observer finds for them: each group's condition, and its inputs by number, in the order of their first
/// ones. The terms are of the pool.
pub fn groups(
    observer: &dyn Observer,
    setting: Setting<'_>,
    inputs: &[&Input],
    pool: &mut Pool,
) -> Vec<(Vec<Conjunct>, Vec<usize>)> {
    let mut found: Vec<(BTreeSet<Term>, Vec<Conjunct>, Vec<usize>)> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let condition = observer.observe(setting, input, pool).condition().to_vec();
        let key: BTreeSet<Term> = condition.iter().map(|one| one.term).collect();
        match found.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.2.push(number),
            None => found.push((key, condition, vec![number])),
        }
    }
    found.into_iter().map(|(_, condition, inputs)| (condition, inputs)).collect()
}
