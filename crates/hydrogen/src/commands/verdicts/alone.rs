//! Single hunks of a patch: does one alone fix the fault?

use super::patch::Target;
use super::patched::Patch;
use anyhow::Result;
use hydrogen_evidence::Alone;
use hydrogen_evidence::{Finding, HunkRow, Verdict};
use hydrogen_graph::NodeId;
use std::path::Path;

/// How many releases are made for single hunks.
const MOST: usize = 24;

/// A release with one hunk in it.
pub struct Single {
    pub hunk: usize,
    /// The release's place in the answer.
    pub release: usize,
    pub target: Target,
}

/// The releases with single hunks in them: those of the bug's function on a way to the statement, where the release has a place for several
/// hunks; and how many were left out because there are too many.
pub fn make(
    patch: &Patch<'_>,
    targets: &[Target],
    bug: &[NodeId],
    folder: &Path,
) -> Result<(Vec<Single>, usize)> {
    let graph = &patch.question.graph;
    let (mut made, mut left) = (Vec::new(), 0);
    for (release, target) in targets.iter().enumerate().filter(|(_, target)| target.made.version.is_some()) {
        let carried: Vec<usize> =
            (0..patch.hunks.len()).filter(|&hunk| patch.is_carried(&target.made, hunk)).collect();
        let concerns = |hunk: &&usize| {
            let hunk = &patch.hunks[**hunk];
            bug.iter().any(|&node| graph.chain(node) == hunk.chain && hunk.leads_to(graph, patch.fix, node))
        };
        for &hunk in carried.iter().filter(concerns).filter(|_| carried.len() > 1) {
            if made.len() == MOST {
                left += 1;
                continue;
            }
            let name = format!("{}, hunk {}", target.name, hunk + 1);
            let place = folder.join(format!("{release}-{hunk}"));
            let alone = patch.make(&target.release, &name, bug, &place, Some(hunk))?;
            if alone.version.is_some() {
                let target = Target { release: target.release.clone(), name, made: alone };
                made.push(Single { hunk, release, target });
            }
        }
    }
    Ok((made, left))
}

/// Writes what became of single hunks into the rows. Where a release has a place for one hunk only, that hunk is the patch.
pub fn tell(patch: &[HunkRow], targets: &[Target], singles: &[Single], findings: &[Finding]) -> Vec<HunkRow> {
    let verdict = |name: &str| {
        let all: Vec<Verdict> = findings
            .iter()
            .flat_map(|finding| finding.settled())
            .filter(|(version, _)| *version == name)
            .map(|(_, verdict)| verdict)
            .collect();
        let any = |wanted| all.contains(&wanted);
        match () {
            () if any(Verdict::Present) => Alone::NotFixed,
            () if any(Verdict::Unknown) || any(Verdict::NotApplicable) => Alone::Unknown,
            () if any(Verdict::Fixed) => Alone::Fixed,
            () if any(Verdict::Absent) => Alone::NoFault,
            () => Alone::NotJudged,
        }
    };
    let mut rows = patch.to_vec();
    for Single { hunk, release, target } in singles {
        rows[*hunk].alone[*release] = verdict(&target.name);
    }
    for (release, target) in targets.iter().enumerate().filter(|(_, target)| target.made.version.is_some()) {
        let carried = (0..target.made.applies.len()).filter(|&hunk| target.made.carries(hunk));
        if let [only] = carried.collect::<Vec<_>>()[..] {
            rows[only].alone[release] = verdict(&target.name);
        }
    }
    rows
}
