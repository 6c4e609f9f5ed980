//! Which commit introduced an error, for people.

use hydrogen_evidence::mined::{Introduced, Introduction};

/// What was asked, what was found, and the error's life.
pub fn text(answer: &Introduction) -> String {
    let mut out = String::new();
    for asked in &answer.asked {
        let commit: String = asked.commit.chars().take(10).collect();
        out.push_str(&format!("{commit} {}\n", asked.said));
    }
    match &answer.found {
        Introduced::By { commit, date, author, summary } => {
            out.push_str(&format!("introduced by {commit} {date} {author}: {summary}\n"));
        }
        Introduced::OneOf { commits, reason } => {
            out.push_str(&format!("introduced by one of these; {reason}:\n"));
            commits.iter().for_each(|commit| out.push_str(&format!("  {commit}\n")));
        }
        Introduced::Unknown { commit, reason } => {
            out.push_str(&format!("unknown: {reason} {}\n", commit.as_deref().unwrap_or_default()));
        }
    }
    let Some(life) = &answer.life else { return out };
    for point in &life.validation.points {
        let mark = if point.as_expected == Some(true) { "as expected" } else { "NOT as expected" };
        out.push_str(&format!("{:20} {} ({mark})\n", point.point, point.said));
    }
    out + &format!(
        "lived {} days; of {} statements that the fix replaced, the introducing commit wrote {}\n",
        life.life_span_days,
        life.overlap.statements_replaced_by_fix,
        life.overlap.of_these_written_by_introducing
    )
}
