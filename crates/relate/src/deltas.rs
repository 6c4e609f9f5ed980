//! The deltas of all changed functions of two programs (B13, B14).

use crate::program::unfit;
use crate::summary::{Deltas, differences};
use crate::{Obstacle, Subject};
use hydrogen_align::{Laid, Roster};
use hydrogen_flow::called;
use hydrogen_ir::{FunctionId, Module};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a function that changed.
#[derive(Debug, Clone)]
pub struct FunctionDeltas {
    /// Its name.
    pub name: String,
    /// The function in the new program.
    pub new: FunctionId,
    /// Its cases; none where a loop stands in the way.
    pub deltas: Result<Option<Deltas>, Obstacle>,
}

/// The deltas of the functions whose own code changed, or of these. Functions that are the same in both programs, with all that they call,
/// are common code.
pub fn program_deltas(old: &Module, new: &Module, wanted: &[String]) -> Vec<FunctionDeltas> {
    let laid = Laid::of(old, new);
    let Roster { old: olds, new: news, mut same, ambiguous, .. } = Roster::of(old, new);
    same.retain(|name| laid.as_ref().is_none_or(|laid| !laid.touches(olds[name], news[name])));
    let mut common: BTreeSet<String> = same.clone();
    let callees: BTreeMap<&String, BTreeSet<&String>> = olds
        .iter()
        .map(|(name, id)| (name, called(old, *id).into_iter().map(|id| &old.function(id).name).collect()))
        .collect();
    loop {
        let sees = |name: &String| {
            callees
                .get(name)
                .is_some_and(|all| all.iter().all(|it| !olds.contains_key(*it) || common.contains(*it)))
        };
        let kept: BTreeSet<String> = common.iter().filter(|name| sees(name)).cloned().collect();
        if kept.len() == common.len() {
            break;
        }
        common = kept;
    }
    let is_asked = |name: &&String| match wanted.is_empty() {
        true => !same.contains(*name) && !ambiguous.contains(*name),
        false => wanted.contains(name),
    };
    let both = olds.iter().filter_map(|(name, id)| Some((name, *id, *news.get(name)?)));
    let both = both.filter(|(name, ..)| is_asked(name));
    let (seen_old, seen_new) = laid.as_ref().map_or((old, new), |laid| (&laid.old, &laid.new));
    let one = |(name, was, is): (&String, FunctionId, FunctionId)| {
        let unfit = unfit(laid.as_ref(), (old, &olds), (new, &news), std::slice::from_ref(name));
        let deltas = match unfit.into_iter().flatten().next() {
            Some(why) => Err(Obstacle::new(why)),
            None => differences(
                Subject { module: seen_old, function: was },
                Subject { module: seen_new, function: is },
                &common,
            ),
        };
        FunctionDeltas { name: name.clone(), new: is, deltas }
    };
    both.map(one).collect()
}
