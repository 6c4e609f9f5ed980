//! The states at a cut from which an action is reached: of the statement's own function, and of functions that only one version has and that
//! the statement's function calls.

use crate::fix::cut::Cut;
use crate::fix::points::Point;
use crate::meaning::shape::Spot;
use crate::run::Mode;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_graph::{ChainId, VersionId, VersionSet};
use hydrogen_term::Term;

/// How many calls lie between the statement's function and an action at most.
const CALLS_DOWN: usize = 3;

impl Analyst<'_> {
    /// The states at a cut from which one of some actions is reached with the named operands; none if not all ways could be followed.
    pub(super) fn reach(
        &mut self,
        points: &[(Frame, Point)],
        version: VersionId,
        cut: Cut,
        mode: Mode,
    ) -> Option<Term> {
        let owner = cut.owner(self.subject.program.graph);
        let mut all = self.terms.pool.bool(false);
        for (frame, point) in points {
            let lost = std::mem::take(&mut self.run.lost);
            let one = VersionSet::one(version);
            let start = match point.behind {
                true => Start::After(point.spot, point.operands, one),
                false => Start::Before(point.spot, point.operands, one),
            };
            let found = self.in_mode(mode, |one| match frame.chain == owner {
                true => one.back_to(owner, start, cut, version).map(|term| vec![term]),
                false => one.back_through_calls(frame, start, owner, cut, version),
            });
            let incomplete = !std::mem::replace(&mut self.run.lost, lost).is_empty();
            // What is found is found, whatever else there is.
            if incomplete && mode == Mode::Prove {
                return None;
            }
            let found = match found {
                Some(found) => found,
                None if mode == Mode::Find => Vec::new(),
                None => return None,
            };
            for term in found {
                let term = self.in_common_names(owner, version, term);
                all = self.terms.pool.or(all, term);
            }
        }
        Some(all)
    }

    /// The condition at the cut; none if the version has no such place.
    fn back_to(&mut self, owner: ChainId, start: Start, cut: Cut, version: VersionId) -> Option<Term> {
        let stop = Stop::Before(self.cut_in(cut, owner, version)?);
        let found = self.walk(&Frame::of(owner), vec![start], stop);
        let never = self.terms.pool.bool(false);
        Some(found.0.first().map_or(never, |(term, _)| *term))
    }

    /// The conditions at the cut of an action in another function, by the calls that lead there from the statement's function: what a
    /// parameter holds is what the call gives. None if there are ways to it that do not pass the cut.
    fn back_through_calls(
        &mut self,
        frame: &Frame,
        start: Start,
        owner: ChainId,
        cut: Cut,
        version: VersionId,
    ) -> Option<Vec<Term>> {
        let one = VersionSet::one(version);
        let mut found = Vec::new();
        let mut open = vec![(frame.clone(), start)];
        for _ in 0..CALLS_DOWN {
            let mut next = Vec::new();
            for (frame, start) in std::mem::take(&mut open) {
                let entered = self.walk(&frame, vec![start], Stop::Entry);
                for (term, _) in entered.0 {
                    let term = self.at_entry(&frame, term);
                    for site in self.call_sites_from(&frame, term, &one, |chain, _| Frame::of(chain)) {
                        let start = Start::Before(site.spot, site.term, one.clone());
                        if site.frame.chain != owner {
                            next.push((site.frame, start));
                            continue;
                        }
                        if !self.is_behind(owner, cut, site.spot, version) {
                            return None;
                        }
                        found.push(self.back_to(owner, start, cut, version)?);
                    }
                }
            }
            open = next;
        }
        // Who calls it from further away, or from elsewhere, is not on the way from the cut, if somebody there is.
        (!found.is_empty()).then_some(found)
    }

    /// Whether every way to a run passes the cut.
    fn is_behind(&mut self, owner: ChainId, cut: Cut, spot: Spot, version: VersionId) -> bool {
        let Some(at) = self.cut_in(cut, owner, version) else { return false };
        let Some(shape) = self.shape(owner, version) else { return false };
        match (shape.by_spot.get(&at), shape.by_spot.get(&spot)) {
            (Some(&at), Some(&step)) => shape.dominators.dominates(at, step),
            _ => false,
        }
    }
}
