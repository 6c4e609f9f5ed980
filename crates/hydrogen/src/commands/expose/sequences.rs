//! The orders in which runs came to changes, and the changes that a difference needs together.

use super::work::Work;
use hydrogen_evidence::exposed::{Sequence, Sequences};
use hydrogen_expose::{Point, Walk, critical};
use hydrogen_pair::Node;
use std::collections::BTreeMap;

fn place(point: &Point) -> String {
    let [old, new] = &point.lines;
    new.as_ref().or(old.as_ref()).map_or(String::new(), |(file, line)| format!("{file}:{line}"))
}

/// Of a search; where a version is known to be right, only what is wrong in the new version counts.
pub fn sequences(work: &Work<'_>) -> Sequences {
    let walks = &work.search.walks;
    let is_wrong = |walk: &Walk| !walk.differs.is_empty() && work.is_error(walk);
    let wrong: Vec<bool> = walks.iter().map(is_wrong).collect();
    let mut groups: BTreeMap<&[Node], (usize, usize)> = BTreeMap::new();
    for (walk, wrong) in walks.iter().zip(&wrong) {
        let (tests, differ) = groups.entry(&walk.sequence).or_default();
        *tests += 1;
        *differ += usize::from(*wrong);
    }
    let of = |wanted: bool| -> Vec<&[Node]> {
        let some = walks.iter().zip(&wrong).filter(|(_, wrong)| **wrong == wanted);
        some.map(|(walk, _)| walk.sequence.as_slice()).collect()
    };
    let point = |node: &Node| work.search.point(*node);
    let named = |node: &Node| (place(&point(node)), point(node).text);
    let critical = critical(&of(true), &of(false)).iter().map(named).collect();
    let mut all: Vec<Sequence> = groups
        .into_iter()
        .map(|(nodes, (tests, differ))| Sequence {
            places: nodes.iter().map(|node| place(&point(node))).collect(),
            tests,
            differ,
        })
        .collect();
    all.sort_by_key(|one| (one.differ == 0, one.places.len()));
    Sequences { all, critical }
}
