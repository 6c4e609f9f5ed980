//! The other starts of a test that go wrong: whether for the same reason, or for which.

use super::tested::Failing;
use hydrogen_report::why as words;
use hydrogen_why::{Ask, Explanation, Further, explain};
use std::time::Instant;

/// So many are looked into.
const MOST: usize = 4;

/// Looks into further starts until the deadline, and counts those that it did not come to.
pub fn further<'a>(
    first: &Explanation,
    all: &'a [Failing],
    deadline: Instant,
    ask: &dyn Fn(&'a Failing) -> Ask<'a>,
) -> (Vec<Further>, usize) {
    let place = |found: &Explanation| found.suspects.first().map(|one| words::place(&one.spot));
    let mut known: Vec<Option<String>> = vec![place(first)];
    let mut told = Vec::new();
    for one in all.iter().take(MOST) {
        if Instant::now() >= deadline {
            break;
        }
        // A run that cannot be looked into is counted with those that were not.
        let Ok(found) = explain(&ask(one)) else { continue };
        let place = place(&found);
        let same = place.is_some() && known.contains(&place);
        let answer = (!same).then(|| words::answer_of(&found, None));
        known.push(place.clone());
        told.push(Further { start: one.start.clone(), answer, place, same });
    }
    let left = all.len() - told.len();
    (told, left)
}
