//! The complexity of commits for people.

use crate::columns::{self, plural};
use hydrogen_evidence::complexity::{Answer, Complexities, Row};

/// Why a commit has no number though it was measured.
const NOTHING: &str = "no executable change";

/// The day of a commit, or an empty text.
pub(super) fn date(row: &Row) -> &str {
    row.commit.as_ref().map_or("", |commit| &commit.date)
}

/// The first line of its message, or an empty text.
pub(super) fn summary(row: &Row) -> &str {
    row.commit.as_ref().map_or("", |commit| &commit.summary)
}

/// Why there is no number, or an empty text.
pub(super) fn reason(row: &Row) -> &str {
    match &row.answer {
        Answer::Measured { .. } => "",
        Answer::Nothing(_) => NOTHING,
        Answer::Reason(reason) => reason,
    }
}

/// How many commits have a complexity of 1, and how many more than 10: the simple ones and those that tests will not exhaust.
pub(super) fn ends(rows: &[Row]) -> [usize; 2] {
    let count =
        |test: fn(usize) -> bool| rows.iter().filter_map(Row::complexity).filter(|&it| test(it)).count();
    [count(|it| it == 1), count(|it| it > 10)]
}

/// The rows with a number, the most complex first; of equal ones the newest.
pub(super) fn ranked(rows: &[Row]) -> Vec<&Row> {
    let mut ranked: Vec<(usize, &Row)> =
        rows.iter().enumerate().filter(|(_, row)| row.complexity().is_some()).collect();
    ranked.sort_by_key(|(at, row)| std::cmp::Reverse((row.complexity(), *at)));
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// The complexity that so many per cent of the commits with a number do not exceed: 50, 75, 90 and 99.
pub(super) fn percentiles(rows: &[Row]) -> Option<[(usize, usize); 4]> {
    let mut all: Vec<usize> = rows.iter().filter_map(Row::complexity).collect();
    all.sort_unstable();
    // The smallest number that is not exceeded by that share: the nearest rank.
    let at = |percent: usize| Some((percent, *all.get((all.len() * percent).div_ceil(100).checked_sub(1)?)?));
    Some([at(50)?, at(75)?, at(90)?, at(99)?])
}

pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".into() } else { format!("p = {p:.4}") }
}

/// The commits as lines.
pub fn text(all: &Complexities) -> String {
    let rows = all.rows.as_slice();
    let mut out = match (rows, all.top) {
        ([row], None) => single(row),
        (_, None) => table(&rows.iter().collect::<Vec<_>>(), rows),
        (_, Some(top)) => table(&ranked(rows).into_iter().take(top).collect::<Vec<_>>(), rows),
    };
    if all.sequences {
        for row in rows {
            sequences(row, rows.len() > 1, &mut out);
        }
    }
    if rows.len() > 1 {
        out.push_str(&totals(all));
    } else {
        out.push_str(&format!("reading: {}\n", all.reading));
    }
    out
}

fn single(row: &Row) -> String {
    let mut out = format!("{}  {}  {}\n", row.name, date(row), summary(row));
    if row.commit.is_none() {
        out = format!("{}\n", row.name);
    }
    if let Answer::Measured { measure, .. } = &row.answer {
        out.push_str(&format!(
            "CyCC {} = {} edges - {} nodes + 2 x {} component\n",
            measure.complexity(),
            measure.edges,
            measure.nodes,
            measure.components
        ));
    } else {
        out.push_str(&format!("{}\n", reason(row)));
    }
    if let Some(kept) = row.kept() {
        out.push_str(&format!(
            "CLoC {} ({} gone), {}, {} in {}, {}\n",
            kept.lines,
            plural(kept.deleted, "old line"),
            plural(kept.hunks, "hunk"),
            plural(kept.functions.len(), "function"),
            plural(kept.files, "file"),
            plural(kept.decisions, "decision")
        ));
        for change in &kept.mechanical {
            out.push_str(&format!("counted once: {change}\n"));
        }
        if !kept.items.is_empty() {
            out.push_str(&format!("declarations that changed: {}\n", kept.items.join(", ")));
        }
        for function in &kept.functions {
            let gone = if function.gone { " (deleted)" } else { "" };
            out.push_str(&format!("  {}:{} {}{gone}\n", function.file, function.line, function.name));
        }
    }
    for note in &row.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    out
}

fn sequences(row: &Row, named: bool, out: &mut String) {
    let Answer::Measured { measure, sequences, .. } = &row.answer else { return };
    if named {
        out.push_str(&format!("{}:\n", row.name));
    }
    for sequence in sequences {
        out.push_str(&format!("  ({})\n", sequence.join("-")));
    }
    let more = measure.complexity() - sequences.len();
    if more > 0 {
        out.push_str(&format!("  and {more} more\n"));
    }
}

/// CyCC, CLoC, edges, nodes, components, functions and files, as far as they are known.
pub(super) fn numbers(row: &Row) -> [Option<usize>; 7] {
    let measure = match &row.answer {
        Answer::Measured { measure, .. } => Some(measure),
        _ => None,
    };
    let kept = row.kept();
    [
        row.complexity(),
        kept.map(|it| it.lines),
        measure.map(|it| it.edges),
        measure.map(|it| it.nodes),
        measure.map(|it| it.components),
        kept.map(|it| it.functions.len()),
        kept.map(|it| it.files),
    ]
}

/// The rows with what their number is made of, and how many per cent of all rows have a smaller one.
fn table(rows: &[&Row], all: &[Row]) -> String {
    let head = ["commit", "date", "CyCC", "above", "CLoC", "functions", "decisions", "files", "summary"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let mut known: Vec<usize> = all.iter().filter_map(Row::complexity).collect();
    known.sort_unstable();
    for row in rows {
        let mut words = match reason(row) {
            "" => summary(row).to_owned(),
            reason => format!("[{reason}] {}", summary(row)),
        };
        if let Some(change) = row.kept().and_then(|kept| kept.mechanical.first()) {
            words = format!("[{change}] {words}");
        }
        let above = row
            .complexity()
            .map(|it| format!("{} %", 100 * known.partition_point(|&other| other < it) / known.len()));
        let number = |value: Option<usize>| value.map_or("-".to_owned(), |value| value.to_string());
        let kept = row.kept();
        lines.push(vec![
            row.name.clone(),
            date(row).to_owned(),
            number(row.complexity()),
            above.unwrap_or("-".to_owned()),
            number(kept.map(|it| it.lines)),
            number(kept.map(|it| it.functions.len())),
            number(kept.map(|it| it.decisions)),
            number(kept.map(|it| it.files)),
            words,
        ]);
    }
    columns::table(&lines)
}

fn totals(all: &Complexities) -> String {
    let rows = &all.rows;
    let measured = rows.iter().filter(|row| row.complexity().is_some()).count();
    let nothing = rows.iter().filter(|row| matches!(row.answer, Answer::Nothing(_))).count();
    let mut out = format!(
        "{} commits, reading {}: {measured} with executable changes, {nothing} with {NOTHING}",
        rows.len(),
        all.reading
    );
    let failed = rows.len() - measured - nothing;
    if failed > 0 {
        out.push_str(&format!(", {failed} without an answer"));
    }
    out.push('\n');
    if let Some(percentiles) = percentiles(rows) {
        let words = percentiles.map(|(percent, most)| format!("{percent} % have at most {most}"));
        let [simple, complex] =
            ends(rows).map(|count| format!("{:.0} %", 100.0 * count as f64 / measured as f64));
        out.push_str(&format!("CyCC: {}; 1 in {simple}, more than 10 in {complex}\n", words.join(", ")));
    }
    let [ranks, values] = all.correlations;
    if let (Some(ranks), Some(values)) = (ranks, values) {
        out.push_str(&format!(
            "CyCC and CLoC over {} commits: Spearman {:.3} ({}), Pearson {:.3} ({})\n",
            ranks.count,
            ranks.coefficient,
            p_value(ranks.p),
            values.coefficient,
            p_value(values.p)
        ));
    }
    if let Some((limits, kappa)) = all.agreement {
        let kappa = kappa.map(|it| format!(", Cohen's kappa {it:.3}")).unwrap_or_default();
        out.push_str(&format!(
            "their ranks: 95 % differ by at most {:.1} of {measured} (Bland-Altman){kappa}\n",
            limits.limit
        ));
    }
    out
}
