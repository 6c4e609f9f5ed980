//! The orders in which runs came to changes, and the changes that a difference needs together.

use super::work::Work;
use hydrogen_expose::{Point, Walk, critical};
use hydrogen_pair::Node;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One order.
struct Sequence {
    places: Vec<String>,
    tests: usize,
    differ: usize,
}

/// All orders that were seen.
pub struct Sequences {
    all: Vec<Sequence>,
    /// What every run that differs executes, in this order, and other runs need not.
    critical: Vec<(String, String)>,
}

/// So many are listed, and so many places of each.
const MOST: usize = 12;
const LONGEST: usize = 16;

fn place(point: &Point) -> String {
    let [old, new] = &point.lines;
    new.as_ref().or(old.as_ref()).map_or(String::new(), |(file, line)| format!("{file}:{line}"))
}

impl Sequences {
    /// Of a search; where a version is known to be right, only what is wrong in the new version counts.
    pub fn of(work: &Work<'_>) -> Self {
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
        Self { all, critical }
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        let tests: usize = self.all.iter().map(|one| one.tests).sum();
        let differ = self.all.iter().filter(|one| one.differ > 0).count();
        let _ = writeln!(
            out,
            "{tests} tests execute the changes in {} orders; behind {differ} of them the versions differ",
            self.all.len()
        );
        for one in self.all.iter().take(MOST) {
            let mut places = one.places.clone();
            let more = places.len().saturating_sub(LONGEST);
            places.truncate(LONGEST);
            if more > 0 {
                places.push(format!("… {more} more"));
            }
            let order = if places.is_empty() { "no change".to_owned() } else { places.join(", ") };
            let _ = writeln!(out, "    {order}: {} tests, {} differ", one.tests, one.differ);
        }
        if self.all.len() > MOST {
            let _ = writeln!(out, "    … {} orders more", self.all.len() - MOST);
        }
        if self.critical.len() > 1 {
            let _ = writeln!(
                out,
                "these changes together: every test that differs executes them in this order, and a test need not"
            );
            for (place, text) in &self.critical {
                let _ = writeln!(out, "    {place}  {text}");
            }
        }
        out
    }

    pub fn json(&self) -> Value {
        let one = |one: &Sequence| json!({"changes": one.places, "tests": one.tests, "differ": one.differ});
        let critical: Vec<&String> = self.critical.iter().map(|(place, _)| place).collect();
        json!({"orders": self.all.iter().map(one).collect::<Vec<_>>(), "critical": critical})
    }
}
