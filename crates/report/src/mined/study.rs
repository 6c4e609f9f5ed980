//! Errors with known commits, for people.

use crate::columns::table;
use hydrogen_evidence::mined::Study;

/// A row for each error, then what they have in common.
pub fn text(study: &Study) -> String {
    let head = ["introduced", "fixed", "days", "CyCC of it", "CyCC of the fix", "overlap", "report"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for error in &study.errors {
        let number = |it: Option<usize>| it.map_or("-".to_owned(), |it| it.to_string());
        let overlap = error.overlaps.map_or("-", |it| if it { "yes" } else { "no" });
        rows.push(vec![
            error.introduced.clone(),
            error.fixed.clone(),
            error.life_span_days.to_string(),
            number(error.introducing_cycc),
            number(error.fixing_cycc),
            overlap.to_owned(),
            error.report.clone(),
        ]);
    }
    let mut out = table(&rows);
    for chain in &study.chains {
        out.push_str(&format!("incorrect fixes: {}\n", chain.join(" -> ")));
    }
    out.push_str(&format!(
        "{} errors, {} introducing commits, {} fixes that introduced another error\n",
        study.errors.len(),
        study.introducing_commits,
        study.incorrect_fixes
    ));
    for excluded in &study.excluded {
        out.push_str(&format!("left out, not reproducible: {excluded}\n"));
    }
    let life = &study.life_span.spread;
    out.push_str(&format!("life span: mean {:?} days, median {:?}\n", life.mean, life.median));
    for (ranks, name) in [
        (&study.life_span_and_complexity, "life span and complexity of the fix"),
        (&study.introducing_and_fixing_complexity, "complexity of introducing and of fixing"),
    ] {
        if let Some(ranks) = ranks {
            out.push_str(&format!("{name}: Spearman {:.4}, p = {:.4}\n", ranks.rho, ranks.p));
        }
    }
    if let Some(more) = &study.introducing_minus_fixing_cycc {
        out.push_str(&format!(
            "introducing commits are more complex by {:.1} on average, p = {:.4}\n",
            more.difference, more.p
        ));
    }
    out + &format!(
        "{} of {} fixes replace nothing that the introducing commit wrote\n",
        study.without_overlap.errors, study.without_overlap.of
    )
}
