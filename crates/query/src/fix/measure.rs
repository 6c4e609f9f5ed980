//! What of a statement is compared when a fix is the measure.

use crate::fix::points::Point;
use crate::judge::numbers::is_of_sizes;
use crate::meaning::shape::Spot;
use crate::run::Asking;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeMap;

/// The actions of statements, by what they are and the how-manieth.
pub(crate) type Points = BTreeMap<(String, usize), Vec<(Frame, Point)>>;

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

impl Measure {
    /// How many actions of one name can be told apart.
    pub fn most(self) -> usize {
        match self {
            // Which of two look-alikes of one version is which of the other is not known.
            Measure::Operands => 1,
            // All of them together are the statement's.
            Measure::Fault(_) | Measure::Reached => usize::MAX,
        }
    }
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
    fn arrivals(&mut self, nodes: &[NodeId], version: VersionId) -> Vec<(Frame, Point)> {
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
