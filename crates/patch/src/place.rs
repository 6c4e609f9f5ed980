//! Where in a release's file the lines of a patch belong.

use super::carry::Region;
use super::hunks::{Extent, Hunk};
use super::scan::{balance, function_end, is_brace, is_silent, statement_end};
use hydrogen_align::Matching;
use hydrogen_graph::{ChainId, Fix, Graph, NodeId, VersionId};
use std::ops::Range;

/// A file before the patch, after it, and of the release, in lines.
pub(super) struct Sides<'a> {
    pub graph: &'a Graph,
    pub fix: Fix,
    pub release: VersionId,
    pub old: Vec<&'a [u8]>,
    pub new: Vec<&'a [u8]>,
    pub there: Vec<&'a [u8]>,
    /// Per line of `old`, the same line of `there`.
    pub same: Vec<Option<usize>>,
}

impl Sides<'_> {
    /// The lines that a function covers, from its name to its last brace.
    pub fn body(&self, lines: &[&[u8]], chain: ChainId, version: VersionId) -> Option<Range<usize>> {
        let begin = (self.graph.location(chain, version).1 as usize).checked_sub(1)?;
        Some(begin..function_end(lines, begin)? + 1)
    }

    /// The lines that a statement covers.
    pub fn extent(&self, lines: &[&[u8]], node: NodeId, version: VersionId) -> Option<Range<usize>> {
        let begin = (self.graph.line(node, version)? as usize).checked_sub(1)?;
        (begin < lines.len()).then(|| begin..statement_end(lines, begin) + 1)
    }

    /// The place by the text alone, as `git apply` and merges find it: the lines themselves and their neighbours are there, in one piece.
    pub fn by_text(&self, region: &Region, hunks: &[Hunk]) -> Option<Range<usize>> {
        let Range { start, end } = region.old;
        let begin = match start.checked_sub(1) {
            Some(before) => self.same[before]? + 1,
            None => 0,
        };
        let stop = match self.same.get(end) {
            Some(behind) => (*behind)?,
            None => self.there.len(),
        };
        let inside = (start..end).enumerate().all(|(at, line)| self.same[line] == Some(begin + at));
        if !inside || stop != begin + (end - start) {
            return None;
        }
        let within = |&hunk: &usize| {
            let Hunk { chain, extent, .. } = hunks[hunk];
            extent != Extent::Part
                || self
                    .body(&self.there, chain, self.release)
                    .is_some_and(|body| body.start <= begin && stop <= body.end)
        };
        region.hunks.iter().all(within).then_some(begin..stop)
    }

    /// The place by the statements that the release shares with the version before the patch, and the lines to put there.
    pub fn by_statements(&self, region: &Region, hunks: &[Hunk]) -> Option<(Range<usize>, Range<usize>)> {
        let first = &hunks[*region.hunks.first()?];
        let plain = |place: Option<Range<usize>>| Some((place?, region.new.clone()));
        match first.extent {
            Extent::Gone => None,
            Extent::New => plain(self.behind_the_function_before(first.chain)),
            Extent::Part => {
                self.of_statements(region, first.chain).or_else(|| plain(self.between(region, first.chain)))
            }
        }
    }

    /// The lines of the statements that the region replaces. The region grows to whole statements first: a condition may change in the
    /// second of its lines.
    fn of_statements(&self, region: &Region, chain: ChainId) -> Option<(Range<usize>, Range<usize>)> {
        let (before, graph) = (self.fix.before, self.graph);
        let mut found: Option<Range<usize>> = None;
        let join =
            |one: &Range<usize>, other: Range<usize>| one.start.min(other.start)..one.end.max(other.end);
        let mut old = region.old.clone();
        for node in graph.pieces(chain, before) {
            let Some(here) = self.extent(&self.old, node, before) else { continue };
            if here.start >= region.old.end || here.end <= region.old.start {
                continue;
            }
            if !graph.node_in(node, self.release) {
                return None;
            }
            let there = self.extent(&self.there, node, self.release)?;
            old = join(&old, here);
            found = Some(found.map_or_else(|| there.clone(), |known| join(&known, there.clone())));
        }
        let mut found = found?;
        let (above, below) = (region.old.start - old.start, old.end - region.old.end);
        let new = region.new.start.checked_sub(above)?..region.new.end + below;
        let same = |old: Range<usize>, new: Range<usize>| self.old.get(old) == self.new.get(new);
        if !same(old.start..region.old.start, new.start..region.new.start)
            || !same(region.old.end..old.end, region.new.end..new.end)
        {
            return None;
        }
        // A brace may stand on a line of its own.
        let wanted = balance(&self.old[old]);
        while balance(&self.there[found.clone()]) != wanted {
            let next = self.there.get(found.end)?;
            if !is_brace(&[*next]) {
                return None;
            }
            found.end += 1;
        }
        Some((found, new))
    }

    /// Between the statements around an insertion.
    fn between(&self, region: &Region, chain: ChainId) -> Option<Range<usize>> {
        if !is_silent(&self.old[region.old.clone()]) {
            return None;
        }
        let (before, graph) = (self.fix.before, self.graph);
        let mut places: Vec<(Range<usize>, NodeId)> = Vec::new();
        for node in graph.pieces(chain, before) {
            if graph.node_in(node, self.release)
                && let Some(here) = self.extent(&self.old, node, before)
            {
                places.push((here, node));
            }
        }
        let behind =
            places.iter().filter(|(here, _)| here.start >= region.old.end).min_by_key(|(here, _)| here.start);
        if let Some((here, node)) = behind
            && is_silent(&self.old[region.old.end..here.start])
        {
            let there = self.extent(&self.there, *node, self.release)?.start;
            return Some(there..there);
        }
        let (here, node) = places
            .iter()
            .filter(|(here, _)| here.end <= region.old.start)
            .max_by_key(|(here, _)| here.end)?;
        if !is_silent(&self.old[here.end..region.old.start]) {
            return None;
        }
        let there = self.extent(&self.there, *node, self.release)?.end;
        Some(there..there)
    }

    /// For a new function: behind the nearest function above it that the release has in the file as well.
    fn behind_the_function_before(&self, chain: ChainId) -> Option<Range<usize>> {
        let graph = self.graph;
        let (file, line) = graph.location(chain, self.fix.after);
        let above = |other: &ChainId| {
            let (after, release) = (self.fix.after, self.release);
            graph.chain_in(*other, after)
                && graph.chain_in(*other, release)
                && graph.location(*other, after).0 == file
                && graph.location(*other, after).1 < line
        };
        let nearest =
            graph.chains().filter(above).max_by_key(|&other| graph.location(other, self.fix.after).1)?;
        let end = self.body(&self.there, nearest, self.release)?.end;
        Some(end..end)
    }
}

/// Which lines of one file are lines of another.
pub(super) fn same_lines(one: &[&[u8]], other: &[&[u8]]) -> Vec<Option<usize>> {
    Matching::of(one, other).new_of
}
