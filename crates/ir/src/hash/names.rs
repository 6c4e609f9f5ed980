//! Names of globals that mean the same in every version.

use crate::{Global, Linkage};
use std::collections::BTreeMap;

/// The name of every global, with the compiler's numbers taken out.
///
/// A `static` local is `f.counter`, or `f.counter.7` when that is taken; the 7 counts clashes in the whole unit and so
/// depends on other functions. Equal bases are numbered in the order of these suffixes instead, which is the
/// order of the source: a second `counter` of `f` stays apart from the first, and neither moves when a third
/// function gets one.
pub(super) fn canonical_names(globals: &[Global]) -> Vec<String> {
    let mut groups: BTreeMap<&str, Vec<(u64, usize)>> = BTreeMap::new();
    let mut names: Vec<String> = globals.iter().map(|global| global.name.clone()).collect();
    for (index, global) in globals.iter().enumerate() {
        // Names of C contain no dot, so only compiler-made ones are touched.
        if global.linkage != Linkage::Internal || global.private || !global.name.contains('.') {
            continue;
        }
        let (base, suffix) = match global.name.rsplit_once('.') {
            Some((base, digits)) if is_number(digits) => {
                (base, digits.parse().map_or(u64::MAX, |n: u64| n + 1))
            }
            _ => (global.name.as_str(), 0),
        };
        groups.entry(base).or_default().push((suffix, index));
    }
    for (base, mut members) in groups {
        members.sort_unstable();
        for (rank, (_, index)) in members.into_iter().enumerate() {
            names[index] = match rank {
                0 => base.to_string(),
                rank => format!("{base}#{rank}"),
            };
        }
    }
    names
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit())
}
