//! The release matrix: versions and what is said of each.

use super::documented::{Agreement, Comparison};
use super::style::Looks;
use super::words;
use hydrogen_evidence::{Answer, Basis, Finding, Ruling, Verdict};
use std::fmt::Write as _;

/// One row per version and basis.
pub(super) fn matrix(answer: &Answer, looks: Looks, finding: &Finding) -> String {
    let both = finding.verdicts.iter().any(|ruling| ruling.basis == Basis::Patch);
    let names = finding.verdicts.iter().map(|ruling| ruling.version.chars().count());
    let width = names.max().unwrap_or(0).max("version".len());
    let said = finding.verdicts.iter().map(|ruling| words::verdict(answer, ruling).chars().count());
    let said = said.max().unwrap_or(0).max("verdict".len());
    let mut out = String::new();
    let by = if both { format!("{:16}  ", "measured by") } else { String::new() };
    let head = format!("  {:width$}  {:said$}  {by}because", "version", "verdict");
    let _ = writeln!(out, "{}", looks.dim(head.trim_end()));
    for ruling in &finding.verdicts {
        let word = words::verdict(answer, ruling);
        let word = looks.verdict(ruling.verdict, &format!("{word:said$}"));
        let by = if both { format!("{:16}  ", words::basis(ruling.basis)) } else { String::new() };
        let row = format!("  {:width$}  {word}  {by}{}", ruling.version, because(ruling));
        let _ = writeln!(out, "{}", row.trim_end());
    }
    for version in disputed(finding) {
        let text = format!("  {version}: the fault itself and the fix say different things; both are shown");
        let _ = writeln!(out, "{}", looks.bold(&text));
    }
    out
}

/// The shortest reason of a verdict.
fn because(ruling: &Ruling) -> String {
    let evidence = &ruling.evidence;
    let first = || ruling.ledger.first().map(ToString::to_string).unwrap_or_default();
    let reason = match ruling.verdict {
        Verdict::Unknown => first(),
        _ if ruling.basis == Basis::Local => first(),
        // By a fix no path decides: the code does, or the comparison with it.
        _ if evidence.constraint.is_empty() && ruling.basis == Basis::Patch && !ruling.ledger.is_empty() => {
            first()
        }
        _ if evidence.constraint.is_empty() => match ruling.verdict {
            Verdict::Present => "some input reaches it".into(),
            Verdict::Absent | Verdict::Fixed => "every path to it was refuted".into(),
            _ => first(),
        },
        _ => evidence.constraint.clone(),
    };
    words::cut(&reason, 90)
}

/// The versions for which the two bases decide differently.
fn disputed(finding: &Finding) -> Vec<&str> {
    let decided = |ruling: &Ruling| match ruling.verdict {
        Verdict::Present => Some(true),
        Verdict::Absent | Verdict::Fixed => Some(false),
        Verdict::NotApplicable | Verdict::Unknown => None,
    };
    let pairs = finding.verdicts.windows(2).filter(|pair| pair[0].version == pair[1].version);
    let differ = pairs.filter(|pair| match (decided(&pair[0]), decided(&pair[1])) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    });
    differ.map(|pair| pair[0].version.as_str()).collect()
}

/// What was found beside what is documented.
pub(super) fn comparison(looks: Looks, comparison: &Comparison) -> String {
    let width = comparison.rows.iter().map(|row| row.version.chars().count()).max().unwrap_or(0).max(7);
    let mut out = String::new();
    let _ = writeln!(out, "{}", looks.dim(&format!("  {:width$}  documented  found", "version")));
    for row in &comparison.rows {
        let documented = if row.documented { "affected" } else { "-" };
        let found = looks.verdict(row.found, &format!("{:14}", row.found.word()));
        let mark = match row.agreement {
            Agreement::Same => String::new(),
            Agreement::Undocumented => looks.bad("<- found, and not documented"),
            Agreement::NotFound => looks.bad("<- documented, and not found"),
            Agreement::Undecided => looks.dim("<- not decided"),
        };
        let _ = writeln!(
            out,
            "{}",
            format!("  {:width$}  {documented:10}  {found}  {mark}", row.version).trim_end()
        );
    }
    let list = |agreement| comparison.versions(agreement).join(", ");
    let differences = [
        (Agreement::Undocumented, "Found, and not documented"),
        (Agreement::NotFound, "Documented, and not found"),
        (Agreement::Undecided, "Not decided"),
    ];
    let mut same = true;
    for (agreement, words) in differences {
        let versions = list(agreement);
        if !versions.is_empty() {
            same = false;
            let _ = writeln!(out, "  {words}: {versions}.");
        }
    }
    if same {
        out.push_str("  The answer and the documentation agree.\n");
    }
    out
}
