//! The two runs of the failing input side by side, from shortly before they differ: what people would step through in two debuggers.

use crate::spot::spot;
use hydrogen_evidence::why::{Executed, Side, Spot};
use hydrogen_pair::{Alignment, Instances, Pair, Ran};

/// So many statements are shown before the first that differs, and so many in all.
const BEFORE: usize = 6;
const MOST: usize = 40;

/// The statements of both runs around the positions at which they begin to differ.
pub(crate) fn side_by_side(
    pair: &Pair<'_>,
    alignment: &Alignment,
    runs: [&Ran; 2],
    first: [Option<usize>; 2],
) -> Vec<Executed> {
    let [old, new] = [&runs[0].instances, &runs[1].instances];
    let Some((from, to)) = start(pair, alignment, runs, first) else { return Vec::new() };
    let (mut i, mut j, mut rows) = (from, to, Vec::new());
    while rows.len() < MOST && (i < old.all.len() || j < new.all.len()) {
        // Statements of one run alone stand before the next that both have.
        let partner = alignment.first_of.get(j).copied().flatten().map(|at| at as usize);
        let (one, two) = match partner {
            Some(at) if at == i => (Some(i), Some(j)),
            Some(at) if at > i => (Some(i), None),
            _ if j < new.all.len() => (None, Some(j)),
            _ => (Some(i), None),
        };
        // An old statement whose partner was passed already belongs to neither place.
        let passed = two.is_none() && one.is_some_and(|at| alignment.second_of[at].is_some());
        let spots = [(Side::Old, old, one), (Side::New, new, two)].map(|(side, all, at)| {
            let at = at.filter(|_| !passed)?;
            spot(&pair.nodes, side, all.all[at].node)
        });
        let values = |all: &Instances, at: Option<usize>| at.map(|at| all.all[at].values);
        let differs = values(old, one) != values(new, two);
        push(&mut rows, spots, differs);
        i += usize::from(one.is_some());
        j += usize::from(two.is_some());
    }
    rows
}

/// The parts of a statement are one row.
fn push(rows: &mut Vec<Executed>, [old, new]: [Option<Spot>; 2], differs: bool) {
    if old.is_none() && new.is_none() {
        return;
    }
    let line = |spot: &Option<Spot>| spot.as_ref().map(|spot| (spot.file.clone(), spot.line));
    match rows.last_mut() {
        Some(last) if (line(&last.old), line(&last.new)) == (line(&old), line(&new)) => {
            last.differs |= differs
        }
        _ => rows.push(Executed { old, new, differs }),
    }
}

/// Where to begin: a pair that both runs have, a few statements before the first difference.
fn start(
    pair: &Pair<'_>,
    alignment: &Alignment,
    runs: [&Ran; 2],
    first: [Option<usize>; 2],
) -> Option<(usize, usize)> {
    let (all, partners, first) = match first {
        [_, Some(new)] => (&runs[1].instances.all, &alignment.first_of, new),
        [Some(old), None] => (&runs[0].instances.all, &alignment.second_of, old),
        [None, None] => return None,
    };
    let (side, is_new) = match all.as_ptr() == runs[1].instances.all.as_ptr() {
        true => (Side::New, true),
        false => (Side::Old, false),
    };
    let mut found = None;
    let mut shown = 0;
    for at in (0..=first).rev() {
        if spot(&pair.nodes, side, all[at].node).is_none() {
            continue;
        }
        shown += 1;
        if let Some(partner) = partners[at] {
            found = Some(if is_new { (partner as usize, at) } else { (at, partner as usize) });
            if shown > BEFORE {
                break;
            }
        }
    }
    found
}
