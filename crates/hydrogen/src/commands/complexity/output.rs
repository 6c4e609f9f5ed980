//! Text, JSON and CSV.

use super::{Answer, Kept, Options, Row};
use crate::cli::ReadingName;
use crate::output;
use hydrogen_interact::statistics::{
    Agreement, Correlation, bland_altman, cohen_kappa, pearson, ranks, spearman,
};
use hydrogen_interact::{Mechanical, MechanicalKind};
use serde_json::{Value, json};

/// Why a commit has no number though it was measured.
pub const NOTHING: &str = "no executable change";

impl Row {
    pub fn kept(&self) -> Option<&Kept> {
        match &self.answer {
            Answer::Measured { kept, .. } | Answer::Nothing(kept) => Some(kept),
            Answer::Reason(_) => None,
        }
    }

    pub fn complexity(&self) -> Option<usize> {
        match &self.answer {
            Answer::Measured { measure, .. } => Some(measure.complexity()),
            _ => None,
        }
    }

    pub fn date(&self) -> String {
        self.info.as_ref().map(|info| info.date()).unwrap_or_default()
    }

    pub fn summary(&self) -> &str {
        self.info.as_ref().map_or("", |info| &info.summary)
    }

    /// Why there is no number, or an empty text.
    pub fn reason(&self) -> &str {
        match &self.answer {
            Answer::Measured { .. } => "",
            Answer::Nothing(_) => NOTHING,
            Answer::Reason(reason) => reason,
        }
    }
}

/// The correlations of complexity with changed lines, over commits that have a number: Spearman's and Pearson's.
pub fn correlations(rows: &[Row]) -> [Option<Correlation>; 2] {
    let pairs = rows.iter().filter_map(|row| Some((row.complexity()? as f64, row.kept()?.lines as f64)));
    let (complexity, lines): (Vec<f64>, Vec<f64>) = pairs.unzip();
    [spearman(&complexity, &lines), pearson(&complexity, &lines)]
}

/// How far the ranks by complexity and by changed lines agree: Bland and Altman's limits, and Cohen's κ.
fn agreement(rows: &[Row]) -> Option<(Agreement, Option<f64>)> {
    let pairs = rows.iter().filter_map(|row| Some((row.complexity()? as f64, row.kept()?.lines as f64)));
    let (complexity, lines): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let (a, b) = (ranks(&complexity), ranks(&lines));
    // Ranks that are shared are halves.
    let doubled = |ranks: &[f64]| ranks.iter().map(|rank| (2.0 * rank) as i64).collect::<Vec<i64>>();
    Some((bland_altman(&a, &b)?, cohen_kappa(&doubled(&a), &doubled(&b))))
}

/// How many commits have a complexity of 1, and how many more than 10: the simple ones and those that tests will not exhaust.
fn ends(rows: &[Row]) -> [usize; 2] {
    let count =
        |test: fn(usize) -> bool| rows.iter().filter_map(Row::complexity).filter(|&it| test(it)).count();
    [count(|it| it == 1), count(|it| it > 10)]
}

/// The rows with a number, the most complex first; of equal ones the newest.
pub fn ranked(rows: &[Row]) -> Vec<&Row> {
    let mut ranked: Vec<(usize, &Row)> =
        rows.iter().enumerate().filter(|(_, row)| row.complexity().is_some()).collect();
    ranked.sort_by_key(|(at, row)| std::cmp::Reverse((row.complexity(), *at)));
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// The complexity that so many per cent of the commits with a number do not exceed: 50, 75, 90 and 99.
fn percentiles(rows: &[Row]) -> Option<[(usize, usize); 4]> {
    let mut all: Vec<usize> = rows.iter().filter_map(Row::complexity).collect();
    all.sort_unstable();
    // The smallest number that is not exceeded by that share: the nearest rank.
    let at = |percent: usize| Some((percent, *all.get((all.len() * percent).div_ceil(100).checked_sub(1)?)?));
    Some([at(50)?, at(75)?, at(90)?, at(99)?])
}

pub fn reading_name(options: &Options) -> &'static str {
    match options.reading {
        ReadingName::Full => "full",
        ReadingName::Thesis => "thesis",
    }
}

pub fn p_value(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".into() } else { format!("p = {p:.4}") }
}

pub fn text(rows: &[Row], options: &Options) -> String {
    let mut out = match (rows, options.history) {
        ([row], None) => single(row),
        (_, None) => table(&rows.iter().collect::<Vec<_>>(), rows),
        (_, Some(_)) => table(&ranked(rows).into_iter().take(options.top).collect::<Vec<_>>(), rows),
    };
    if options.sequences {
        for row in rows {
            sequences(row, rows.len() > 1, &mut out);
        }
    }
    if rows.len() > 1 {
        out.push_str(&totals(rows, options));
    } else {
        out.push_str(&format!("reading: {}\n", reading_name(options)));
    }
    out
}

fn single(row: &Row) -> String {
    let mut out = format!("{}  {}  {}\n", row.name, row.date(), row.summary());
    if row.info.is_none() {
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
        out.push_str(&format!("{}\n", row.reason()));
    }
    if let Some(kept) = row.kept() {
        out.push_str(&format!(
            "CLoC {} ({} old lines gone), {} hunks, {} functions in {} files, {} decisions\n",
            kept.lines,
            kept.deleted,
            kept.hunks,
            kept.functions.len(),
            kept.files,
            kept.decisions
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
fn numbers(row: &Row) -> [Option<usize>; 7] {
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
        let mut summary = match row.reason() {
            "" => row.summary().to_owned(),
            reason => format!("[{reason}] {}", row.summary()),
        };
        if let Some(change) = row.kept().and_then(|kept| kept.mechanical.first()) {
            summary = format!("[{change}] {summary}");
        }
        let above = row
            .complexity()
            .map(|it| format!("{} %", 100 * known.partition_point(|&other| other < it) / known.len()));
        let number = |value: Option<usize>| value.map_or("-".to_owned(), |value| value.to_string());
        let kept = row.kept();
        lines.push(vec![
            row.name.clone(),
            row.date(),
            number(row.complexity()),
            above.unwrap_or("-".to_owned()),
            number(kept.map(|it| it.lines)),
            number(kept.map(|it| it.functions.len())),
            number(kept.map(|it| it.decisions)),
            number(kept.map(|it| it.files)),
            summary,
        ]);
    }
    output::table(&lines)
}

fn totals(rows: &[Row], options: &Options) -> String {
    let measured = rows.iter().filter(|row| row.complexity().is_some()).count();
    let nothing = rows.iter().filter(|row| matches!(row.answer, Answer::Nothing(_))).count();
    let reading = reading_name(options);
    let mut out = format!(
        "{} commits, reading {reading}: {measured} with executable changes, {nothing} with {NOTHING}",
        rows.len()
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
    let [ranks, values] = correlations(rows);
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
    if let Some((limits, kappa)) = agreement(rows) {
        let kappa = kappa.map(|it| format!(", Cohen's kappa {it:.3}")).unwrap_or_default();
        out.push_str(&format!(
            "their ranks: 95 % differ by at most {:.1} of {measured} (Bland-Altman){kappa}\n",
            limits.limit
        ));
    }
    out
}

pub fn json(rows: &[Row], options: &Options) -> String {
    let commits: Vec<Value> = rows.iter().map(commit).collect();
    let correlation = |it: Option<Correlation>| {
        it.map(|it| json!({ "coefficient": it.coefficient, "p": it.p, "commits": it.count }))
    };
    let [ranks, values] = correlations(rows);
    let percentiles =
        percentiles(rows).map(|all| all.map(|(percent, most)| json!({ "percent": percent, "cycc": most })));
    output::json(
        "complexity/1",
        &json!({
            "reading": reading_name(options),
            "commits": commits,
            "percentiles": percentiles,
            "correlation": { "spearman": correlation(ranks), "pearson": correlation(values) },
            "rank_agreement": agreement(rows)
                .map(|(limits, kappa)| json!({ "bias": limits.bias, "limit": limits.limit, "kappa": kappa })),
            "simple": ends(rows)[0],
            "above_10": ends(rows)[1],
        }),
    )
}

fn commit(row: &Row) -> Value {
    let kept = row.kept();
    let mut value = json!({
        "commit": row.info.as_ref().map_or(&row.name, |info| &info.commit),
        "date": row.info.as_ref().map(|info| info.date()),
        "author": row.info.as_ref().map(|info| &info.author),
        "summary": row.info.as_ref().map(|info| &info.summary),
        "cloc": kept.map(|it| it.lines),
        "cycc": row.complexity(),
        "edges": null,
        "nodes": null,
        "components": null,
        "functions": kept.map(|it| it.functions.len()),
        "files": kept.map(|it| it.files),
        "hunks": kept.map(|it| it.hunks),
        "deleted": kept.map(|it| it.deleted),
        "sequences": [],
    });
    if let Answer::Measured { measure, sequences, .. } = &row.answer {
        value["edges"] = measure.edges.into();
        value["nodes"] = measure.nodes.into();
        value["components"] = measure.components.into();
        value["sequences"] = json!(sequences);
        let more = measure.complexity() - sequences.len();
        if more > 0 {
            value["sequences_left_out"] = more.into();
        }
    }
    if let Some(kept) = kept {
        let changed = kept
            .functions
            .iter()
            .map(|it| json!({ "file": it.file, "line": it.line, "name": it.name, "deleted": it.gone }));
        value["changed"] = changed.collect();
        value["declarations"] = json!(kept.items);
        value["decisions"] = kept.decisions.into();
        value["mechanical"] = kept.mechanical.iter().map(mechanical).collect();
    }
    if !row.reason().is_empty() {
        value["reason"] = row.reason().into();
    }
    if !row.notes.is_empty() {
        value["notes"] = json!(row.notes);
    }
    value
}

fn mechanical(change: &Mechanical) -> Value {
    let kind = match change.kind {
        MechanicalKind::Renamed => "renamed",
        MechanicalKind::Replaced => "replaced",
        MechanicalKind::Qualified => "qualified",
        MechanicalKind::Argument => "argument",
    };
    let Mechanical { old, new, call, places, functions, .. } = change;
    json!({ "kind": kind, "old": old, "new": new, "call": call, "places": places, "functions": functions })
}

pub fn csv(rows: &[Row]) -> String {
    let mut out =
        "commit,date,cycc,cloc,edges,nodes,components,functions,files,hunks,deleted,reason,summary\n"
            .to_owned();
    let number = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        let kept = row.kept();
        let commit = row.info.as_ref().map_or(row.name.clone(), |info| info.commit.clone());
        let mut cells = vec![commit, row.date()];
        cells.extend(numbers(row).map(number));
        cells.extend([
            number(kept.map(|it| it.hunks)),
            number(kept.map(|it| it.deleted)),
            row.reason().to_owned(),
            row.summary().to_owned(),
        ]);
        let cells: Vec<String> = cells.iter().map(|cell| output::csv_cell(cell)).collect();
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}
