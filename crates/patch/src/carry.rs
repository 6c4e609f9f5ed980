//! Carrying the lines of a patch into the file of another release.

use super::hunks::{Extent, Hunk};
use super::place::{Sides, same_lines};
use super::scan::{is_silent, lines};
use hydrogen_graph::{Fix, Graph, VersionId};
use std::collections::BTreeSet;
use std::ops::Range;

/// One file of the patch and of the release; the paths may differ.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// Before the patch: path and text.
    pub old: (&'a str, &'a [u8]),
    /// After the patch.
    pub new: (&'a str, &'a [u8]),
    /// The release's text.
    pub release: &'a [u8],
}

/// How the place of a patch's lines is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By their text and its neighbours where that is possible, else by the graph's statements.
    Either,
    /// By the graph's statements alone.
    Statements,
}

/// A file of the release with the patch in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carried {
    /// The text.
    pub text: Vec<u8>,
    /// The hunks that have lines here.
    pub here: BTreeSet<usize>,
    /// Those of them that were placed by statements.
    pub by_statements: BTreeSet<usize>,
    /// Those of them for which there was no place.
    pub lost: BTreeSet<usize>,
    /// Whether the patch changes the file outside functions' bodies: types, macros, signatures.
    pub outside: bool,
    /// Whether some of that could not be carried.
    pub outside_lost: bool,
}

/// Lines that the patch replaces, and the hunks that they belong to.
#[derive(Debug)]
pub(super) struct Region {
    pub old: Range<usize>,
    pub new: Range<usize>,
    pub hunks: BTreeSet<usize>,
}

/// Lines of the release and the lines of the patch that take their place.
struct Edit<'a> {
    there: Range<usize>,
    new: Range<usize>,
    region: &'a Region,
}

/// The release's file with those hunks that `applies` names, and with what the patch changes outside functions.
pub fn carry(
    graph: &Graph,
    fix: Fix,
    release: VersionId,
    hunks: &[Hunk],
    applies: &[bool],
    files: &Files<'_>,
    how: How,
) -> Carried {
    let (old, there) = (lines(files.old.1), lines(files.release));
    let same = same_lines(&old, &there);
    let sides = Sides { graph, fix, release, old, new: lines(files.new.1), there, same };
    let mut carried = Carried::default();
    let mut edits: Vec<Edit<'_>> = Vec::new();
    let mut entangled: Vec<&BTreeSet<usize>> = Vec::new();
    let regions = regions(&sides, hunks, files);
    for region in &regions {
        let silent = is_silent(&sides.old[region.old.clone()]) && is_silent(&sides.new[region.new.clone()]);
        let outside = region.hunks.is_empty();
        carried.outside |= outside && !silent;
        carried.here.extend(&region.hunks);
        let wanted = region.hunks.iter().filter(|&&hunk| applies[hunk]).count();
        if !outside && wanted == 0 {
            continue;
        }
        entangled.push(&region.hunks);
        if wanted < region.hunks.len() {
            carried.lost.extend(region.hunks.iter().filter(|&&hunk| applies[hunk]));
            continue;
        }
        let by_text = match how {
            How::Statements if !outside => None,
            _ => sides.by_text(region, hunks),
        };
        let textual = by_text.is_some();
        let place = by_text.map(|there| (there, region.new.clone()));
        match place.or_else(|| sides.by_statements(region, hunks)) {
            Some((there, new)) => {
                if !textual {
                    carried.by_statements.extend(&region.hunks);
                }
                edits.push(Edit { there, new, region });
            }
            None if outside => carried.outside_lost |= !silent,
            // A function that nobody needs any more may stay.
            None if region.hunks.iter().all(|&hunk| hunks[hunk].extent == Extent::Gone) => {}
            None => carried.lost.extend(&region.hunks),
        }
    }
    edits.sort_by_key(|edit| (edit.there.start, edit.region.old.start));
    for pair in edits.windows(2) {
        if pair[0].there.end > pair[1].there.start {
            carried.lost.extend(pair.iter().flat_map(|edit| &edit.region.hunks));
            carried.outside_lost |= pair.iter().any(|edit| edit.region.hunks.is_empty());
        }
    }
    spread(&mut carried.lost, &entangled, applies);
    edits.retain(|edit| edit.region.hunks.is_disjoint(&carried.lost));
    let mut at = 0;
    for Edit { there, new, .. } in edits {
        if there.start < at {
            continue;
        }
        carried.text.extend(sides.there[at..there.start].concat());
        carried.text.extend(sides.new[new].concat());
        at = there.end;
    }
    carried.text.extend(sides.there[at..].concat());
    carried
}

/// A hunk without a place takes those along that share lines with it.
fn spread(lost: &mut BTreeSet<usize>, together: &[&BTreeSet<usize>], applies: &[bool]) {
    loop {
        let before = lost.len();
        for set in together {
            if !set.is_disjoint(lost) {
                lost.extend(set.iter().filter(|&&hunk| applies[hunk]));
            }
        }
        if lost.len() == before {
            return;
        }
    }
}

/// The runs of lines in which the file differs before and after the patch.
fn regions(sides: &Sides<'_>, hunks: &[Hunk], files: &Files<'_>) -> Vec<Region> {
    let kept = same_lines(&sides.old, &sides.new);
    let mut regions = Vec::new();
    let (mut a, mut b) = (0, 0);
    let pairs = kept.iter().enumerate().filter_map(|(one, other)| Some((one, (*other)?)));
    for (one, other) in pairs.chain([(sides.old.len(), sides.new.len())]) {
        if one > a || other > b {
            let (old, new) = (a..one, b..other);
            let hunks = owners(sides, hunks, files, &old, &new);
            regions.push(Region { old, new, hunks });
        }
        (a, b) = (one + 1, other + 1);
    }
    regions
}

/// The hunks that lines belong to: those whose statements they hold; inside a changed function, the nearest one.
fn owners(
    sides: &Sides<'_>,
    hunks: &[Hunk],
    files: &Files<'_>,
    old: &Range<usize>,
    new: &Range<usize>,
) -> BTreeSet<usize> {
    let Sides { graph, fix, .. } = *sides;
    let meets = |one: &Range<usize>, other: &Range<usize>| one.start < other.end && other.start < one.end;
    let mut found = BTreeSet::new();
    let mut near: Option<(usize, usize)> = None;
    for (at, hunk) in hunks.iter().enumerate() {
        let here = |version: VersionId, path: &str| {
            graph.chain_in(hunk.chain, version) && graph.location(hunk.chain, version).0 == path
        };
        let (in_old, in_new) = (here(fix.before, files.old.0), here(fix.after, files.new.0));
        let old_body = in_old.then(|| sides.body(&sides.old, hunk.chain, fix.before)).flatten();
        let new_body = in_new.then(|| sides.body(&sides.new, hunk.chain, fix.after)).flatten();
        let owns = match hunk.extent {
            Extent::New => new_body.is_some_and(|body| meets(&body, new)),
            Extent::Gone => old_body.is_some_and(|body| meets(&body, old)),
            Extent::Part => {
                let old_nodes = hunk.old.iter().filter(|_| in_old);
                let new_nodes = hunk.new.iter().filter(|_| in_new);
                let covers = |lines: &[&[u8]], node, version, range: &Range<usize>| {
                    sides.extent(lines, node, version).is_some_and(|extent| meets(&extent, range))
                };
                let owns = old_nodes.into_iter().any(|&node| covers(&sides.old, node, fix.before, old))
                    || new_nodes.into_iter().any(|&node| covers(&sides.new, node, fix.after, new));
                // Braces, `else`, comments: they go with the nearest hunk of the function. What is above the body is outside.
                if let (false, Some(body)) = (owns, &new_body)
                    && body.start < new.start
                    && new.end <= body.end
                {
                    let line =
                        hunk.new.iter().chain(&hunk.anchors).filter_map(|&node| graph.line(node, fix.after));
                    let distance = line.map(|line| (line as usize).abs_diff(new.start + 1)).min();
                    let distance = distance.unwrap_or(usize::MAX);
                    if near.is_none_or(|(nearest, _)| distance < nearest) {
                        near = Some((distance, at));
                    }
                }
                owns
            }
        };
        if owns {
            found.insert(at);
        }
    }
    match near {
        Some((_, at)) if found.is_empty() => BTreeSet::from([at]),
        _ => found,
    }
}
