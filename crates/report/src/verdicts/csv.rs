//! The release table for programs that read tables: releases by {impacted, patch applicable, fixed}, with the time (F77).
//!
//! All releases are answered by one traversal of their common graph, so a release has no time of its own: the column holds that of the
//! question.

use crate::csv_cell;
use hydrogen_evidence::{Answer, Applies, Finding, HunkRow, Verdict};

/// One line per finding and release. `-` stands where nothing was asked or no hunk applies, `part` where some hunks do, `unknown` where
/// nothing was decided.
pub fn csv(answer: &Answer) -> String {
    let mut out = "release,verdict,impacted,patch_applicable,fixed,kind,file,line,milliseconds\n".to_owned();
    for finding in answer.deciding() {
        let settled = finding.settled();
        let of =
            |name: &str| settled.iter().find(|(version, _)| *version == name).map(|(_, verdict)| *verdict);
        match &answer.patch {
            None => {
                for (version, verdict) in &settled {
                    out.push_str(&line(answer, finding, version, *verdict, ["-", "-"]));
                }
            }
            Some(table) => {
                for (at, pair) in table.releases.iter().enumerate() {
                    let Some(verdict) = of(&pair.release) else { continue };
                    let has = |hunk: &&HunkRow| hunk.applies.get(at) == Some(&Applies::Yes);
                    let applies = match table.hunks.iter().filter(has).count() {
                        0 => "no",
                        all if all == table.hunks.len() => "yes",
                        _ => "part",
                    };
                    let fixed = match of(&pair.patched) {
                        None | Some(Verdict::NotApplicable) => "-",
                        Some(Verdict::Absent | Verdict::Fixed) => "yes",
                        Some(Verdict::Present) => "no",
                        Some(Verdict::Unknown) => "unknown",
                    };
                    out.push_str(&line(answer, finding, &pair.release, verdict, [applies, fixed]));
                }
            }
        }
    }
    out
}

fn line(answer: &Answer, finding: &Finding, version: &str, verdict: Verdict, patch: [&str; 2]) -> String {
    let impacted = match verdict {
        Verdict::Present => "yes",
        Verdict::Absent | Verdict::Fixed => "no",
        Verdict::NotApplicable | Verdict::Unknown => "unknown",
    };
    let [applies, fixed] = patch;
    let (version, file) = (csv_cell(version), csv_cell(&finding.location.file));
    let (kind, line, time) = (finding.kind.word(), finding.location.line, answer.counters.milliseconds);
    format!("{version},{},{impacted},{applies},{fixed},{kind},{file},{line},{time}\n", verdict.word())
}
