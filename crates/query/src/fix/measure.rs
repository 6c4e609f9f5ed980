//! What of a statement is compared when a fix is the measure.

use crate::fix::points::Point;
use crate::judge::numbers::is_of_sizes;
use crate::meaning::shape::Spot;
use crate::run::Asking;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeMap;

/// What an action is, and the how-manieth of that name.
pub(crate) type Key = (String, usize);

/// The actions of statements.
pub(crate) type Points = BTreeMap<Key, Vec<(Frame, Point)>>;

/// Actions that stand for one of another version.
pub(crate) struct Actions {
    pub points: Vec<(Frame, Point)>,
    /// Whether it is known that it is these, and not only that it must be one of them.
    pub are_sure: bool,
}

/// The names of actions, in order of the alphabet.
fn names<'p>(points: impl Iterator<Item = &'p (Frame, Point)>) -> Vec<&'p str> {
    let mut all: Vec<&str> = points.map(|(_, point)| point.key.0.as_str()).collect();
    all.sort_unstable();
    all
}

/// A measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// With which operands the statement does what it does.
    Operands,
    /// For which states it goes wrong in this way: what it does may be the same while an object has another size or ended earlier.
    Fault(Class),
    /// Whether it is reached.
    Reached,
}

impl Analyst<'_> {
    /// What is compared of statements of a version.
    pub(crate) fn measured(
        &mut self,
        nodes: &[NodeId],
        version: VersionId,
        kind: Option<Class>,
        measure: Measure,
    ) -> Points {
        let all = match measure {
            Measure::Operands => self.points(nodes, version, kind),
            Measure::Fault(kind) => self.failures(nodes, version, kind),
            Measure::Reached => self.arrivals(nodes, version),
        };
        let mut points = Points::new();
        for (frame, point) in all {
            points.entry(point.key.clone()).or_default().push((frame, point));
        }
        points
    }

    /// The actions of a version that stand for one of another. Of operands: the one in the same place of the only statement that does the same
    /// as the other one; else the one in the same place among all of its name, or all of them where there are more or fewer, since nobody says
    /// which it is then.
    pub(crate) fn actions_for(&mut self, key: &Key, old: &Points, new: &Points, measure: Measure) -> Actions {
        if measure != Measure::Operands {
            return Actions { points: new.get(key).cloned().unwrap_or_default(), are_sure: true };
        }
        let mut by_node: BTreeMap<NodeId, Vec<(Frame, Point)>> = BTreeMap::new();
        for (frame, point) in new.values().flatten() {
            by_node.entry(point.spot.node).or_default().push((frame.clone(), point.clone()));
        }
        let wanted = names(old.values().flatten());
        let mut alike = by_node.values().filter(|points| names(points.iter()) == wanted);
        let named = |points: &Points| points.keys().filter(|other| other.0 == key.0).count();
        let all = |points: &[(Frame, Point)]| -> Vec<(Frame, Point)> {
            let mut found: Vec<(Frame, Point)> =
                points.iter().filter(|(_, point)| point.key.0 == key.0).cloned().collect();
            found.sort_by_key(|(_, point)| point.key.1);
            found
        };
        let (points, are_sure) = match (alike.next(), alike.next()) {
            (Some(only), None) => (all(only).into_iter().skip(key.1).take(1).collect(), true),
            _ if named(old) == named(new) => (new.get(key).cloned().unwrap_or_default(), true),
            _ => (all(&new.values().flatten().cloned().collect::<Vec<_>>()), false),
        };
        let mut found = Vec::new();
        for (frame, point) in points {
            let operands = self.operands_of(&point, key);
            found.push((frame, Point { key: key.clone(), operands, ..point }));
        }
        Actions { points: found, are_sure }
    }

    /// The ways in which statements can go wrong.
    pub(crate) fn failures(
        &mut self,
        nodes: &[NodeId],
        version: VersionId,
        kind: Class,
    ) -> Vec<(Frame, Point)> {
        let mut found = Vec::new();
        for &node in nodes {
            let frame = Frame::of(self.subject.program.graph.chain(node));
            let moved = kind == Class::Pointer;
            let asking = Asking { sizes: is_of_sizes(Some(kind)), moved, ..self.asking };
            let sites = self.with(asking, |one| one.sites(&frame, node, version));
            for site in sites.into_iter().filter(|site| site.kind == kind) {
                // That memory is lost is seen where a function ends, not at the statement.
                if site.kind != Class::Leak {
                    let key = (kind.word().to_owned(), 0);
                    found.push((
                        frame.clone(),
                        Point { key, spot: site.spot, operands: site.condition, behind: false },
                    ));
                }
            }
        }
        found
    }

    /// The first runs of statements.
    pub(crate) fn arrivals(&mut self, nodes: &[NodeId], version: VersionId) -> Vec<(Frame, Point)> {
        let mut found = Vec::new();
        let operands = self.terms.pool.bool(true);
        for &node in nodes {
            let frame = Frame::of(self.subject.program.graph.chain(node));
            let spot = Spot { node, ordinal: 0 };
            let there = self.shape(frame.chain, version).and_then(|shape| {
                let step = *shape.by_spot.get(&spot)?;
                (shape.order[step] != usize::MAX).then_some(())
            });
            if there.is_some() {
                found.push((frame, Point { key: ("reached".to_owned(), 0), spot, operands, behind: false }));
            }
        }
        found
    }
}
