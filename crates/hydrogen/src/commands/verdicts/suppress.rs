//! Findings that the owner of a program does not want to see.

use anyhow::{Result, bail};
use hydrogen_evidence::{Answer, Class, Finding};

/// Takes out what `[analysis] suppress` names, and says how many that were.
pub fn suppress(answer: &mut Answer, patterns: &[String]) {
    let before = answer.findings.len();
    answer.findings.retain(|finding| !patterns.iter().any(|pattern| matches(pattern, finding)));
    let gone = before - answer.findings.len();
    if gone > 0 {
        let what = if gone == 1 { "finding is" } else { "findings are" };
        answer.notes.push(format!("{gone} {what} suppressed by hydrogen.toml"));
    }
}

/// Patterns that can never match are a slip of the hand.
pub fn checked(patterns: &[String]) -> Result<()> {
    for pattern in patterns {
        let kind = pattern.split(':').next().unwrap_or_default();
        let known: Vec<&str> =
            Class::FAULTS.iter().map(|class| class.word()).chain([Class::Rule.word()]).collect();
        if !known.contains(&kind) {
            bail!(
                "hydrogen.toml, [analysis] suppress: `{kind}` is no kind; the kinds are {}",
                known.join(", ")
            );
        }
    }
    Ok(())
}

/// KIND:FILE or KIND:FILE:FUNCTION.
fn matches(pattern: &str, finding: &Finding) -> bool {
    let mut parts = pattern.splitn(3, ':');
    let mut is = |text: &str| parts.next().is_none_or(|part| part == text);
    is(finding.kind.word()) && is(&finding.location.file) && is(&finding.location.function)
}
