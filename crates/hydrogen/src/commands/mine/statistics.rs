//! `hydrogen mine statistics`: what a history says about its regressions, as one table (E1, X5).

use super::days;
use crate::cli::StatisticsFormat;
use crate::commands::{Outcome, step};
use crate::context::Context;
use crate::progress;
use anyhow::Result;
use hydrogen_evidence::mined::Line;
use hydrogen_history::tree::Change;
use hydrogen_history::version::CommitInfo;
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::mine::{Purpose, Wording, hints, label, purpose, wording};
use hydrogen_interact::statistics::median;
use hydrogen_interact::{Measured, Reading, Walk, measure_history};
use hydrogen_model::sources::is_c;
use hydrogen_report::mined as report;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// More changed lines than this are many; the published study has the same bound.
const MANY_LINES: usize = 35;
/// Two years.
const LONG: i64 = 2 * 365;
/// How many labels are listed.
const LABELS: usize = 12;

/// What is known about a commit.
struct Row {
    info: CommitInfo,
    purpose: Purpose,
    words: Wording,
    introduced_by: Option<CommitInfo>,
}

pub fn run(context: &Context, tip: &str, history: usize, format: StatisticsFormat) -> Result<Outcome> {
    let tip = step::commit(context, tip)?;
    let repository = context.trees.repository(&tip.repository)?;
    let objects = Objects::new(&repository);
    let commits = objects.newest(&tip.commit, history)?;
    let bar = progress::counter(context.quiet(), commits.len(), "messages");
    let mut rows = Vec::new();
    for info in commits {
        // Merges repeat what their parents say; without its parent a commit cannot be compared.
        bar.inc(1);
        if info.parents.len() > 1 || !info.parents.is_empty() && objects.is_cut(&info.commit)? {
            continue;
        }
        rows.push(row(context, &objects, info)?);
    }
    bar.finish_and_clear();
    let lines = changed_lines(context, &repository, &rows)?;
    let table = table(&objects, &rows, &lines)?;
    context.output(&match format {
        StatisticsFormat::Text => report::statistics(&table),
        StatisticsFormat::Csv => report::statistics_csv(&table),
        StatisticsFormat::Json => report::statistics_json(&table),
    })?;
    Ok(Outcome::Done)
}

fn row(context: &Context, objects: &Objects, info: CommitInfo) -> Result<Row> {
    let message = objects.message(&info.commit)?;
    let parent = info.parents.first().map(|parent| objects.commit(parent)).transpose()?;
    let changed = objects.changes(parent.as_ref().map(|it| it.tree.as_str()), &info.tree)?;
    let files: Vec<(String, bool)> = changed
        .iter()
        .map(|file| {
            let (Change::Added(entry) | Change::Deleted(entry) | Change::Modified { new: entry, .. }) =
                &file.change;
            (file.path.to_string(), is_c(entry))
        })
        .collect();
    let words = wording(&message);
    let introduced_by = match hints(&message).introduced_by.filter(|_| words.is_regression()) {
        Some(name) => [name.clone(), format!("v{name}")]
            .iter()
            .find_map(|name| step::commit(context, name).ok())
            .filter(|found| found.commit != info.commit && found.time <= info.time),
        None => None,
    };
    let purpose = purpose(&info.summary, files.iter().map(|(path, c)| (path.as_str(), *c)));
    Ok(Row { info, purpose, words, introduced_by })
}

/// The changed lines that compute something, of the commits that change code and of those that introduced an error.
fn changed_lines(
    context: &Context,
    repository: &Repository,
    rows: &[Row],
) -> Result<BTreeMap<String, usize>> {
    let code = rows.iter().filter(|row| row.purpose == Purpose::Code).map(|row| row.info.clone());
    let introducing = rows.iter().filter_map(|row| row.introduced_by.clone());
    let mut commits: Vec<CommitInfo> = code.chain(introducing).collect();
    commits.sort_by(|a, b| (a.time, &a.commit).cmp(&(b.time, &b.commit)));
    commits.dedup();
    let cancel = context.cancel_flag();
    let bar = progress::counter(context.quiet(), commits.len(), "commits");
    let walk = Walk {
        repository,
        reading: Reading::Full,
        first_parent: false,
        done: &|| bar.inc(1),
        stop: &|| cancel.load(Ordering::Relaxed),
    };
    let digest = |info: &CommitInfo, measured: Measured| {
        (info.commit.clone(), measured.complexity.ok().map(|it| it.lines + it.deleted_lines))
    };
    let found = measure_history(&walk, &commits, digest);
    bar.finish_and_clear();
    if found.len() < commits.len() {
        return Err(hydrogen_model::Error::Interrupted.into());
    }
    Ok(found.into_iter().filter_map(|(commit, lines)| Some((commit, lines?))).collect())
}

fn table(objects: &Objects, rows: &[Row], lines: &BTreeMap<String, usize>) -> Result<Vec<Line>> {
    let all = rows.len();
    let count = |wanted: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count();
    let mut table = Vec::new();
    let mut put = |group: &'static str, what: &str, count: usize, of: Option<usize>| {
        table.push(Line { group, what: what.to_owned(), count: count as f64, of });
    };
    let is_code = |row: &Row| row.purpose == Purpose::Code;
    put("commits", "looked at, merges left out", all, None);
    put("commits", "change code", count(&is_code), Some(all));
    put("commits", "change tests only", count(&|row| row.purpose == Purpose::Tests), Some(all));
    put("commits", "maintenance", count(&|row| row.purpose == Purpose::Maintenance), Some(all));
    let code = count(&is_code);
    let fixes = count(&|row| is_code(row) && row.words.is_fix());
    let regressions = count(&|row| is_code(row) && row.words.is_regression());
    put("code", "features", code - fixes, Some(code));
    put("code", "fixes", fixes, Some(code));
    put("code", "fixes of a regression", regressions, Some(fixes));
    let crashes = count(&|row| is_code(row) && row.words.is_fix() && row.words.crash);
    put("code", "fixes of a crash", crashes, Some(fixes));
    let both = count(&|row| is_code(row) && row.words.is_regression() && row.words.crash);
    put("code", "fixes of a crash that are of a regression", both, Some(crashes));
    for word in ["bug", "fix", "regression", "introduced"] {
        let has = |it: &Wording| match word {
            "bug" => it.bug,
            "fix" => it.fix,
            "regression" => it.regression,
            _ => it.introduced,
        };
        put("keyword", word, count(&|row| is_code(row) && has(&row.words)), Some(code));
    }
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *labels.entry(label(&row.info.summary).unwrap_or("(none)")).or_default() += 1;
    }
    let mut labels: Vec<(std::cmp::Reverse<usize>, &str)> =
        labels.into_iter().map(|(name, count)| (std::cmp::Reverse(count), name)).collect();
    labels.sort_unstable();
    for (count, name) in labels.into_iter().take(LABELS) {
        put("label", name, count.0, Some(all));
    }
    let mut lives = Vec::new();
    let mut introducing = Vec::new();
    for row in rows.iter().filter(|row| is_code(row)) {
        if let Some(by) = &row.introduced_by {
            lives.push(days(objects.committed(&by.commit)?, objects.committed(&row.info.commit)?));
            introducing.extend(lines.get(&by.commit).copied());
        }
    }
    put("days to fix", "regressions that name who introduced them", lives.len(), Some(regressions));
    put(
        "days to fix",
        "more than two years",
        lives.iter().filter(|&&life| life > LONG).count(),
        Some(lives.len()),
    );
    let many = |list: &[usize]| list.iter().filter(|&&it| it > MANY_LINES).count();
    let sizes: Vec<usize> = rows
        .iter()
        .filter(|row| is_code(row))
        .filter_map(|row| lines.get(&row.info.commit).copied())
        .collect();
    put("changed lines", "code commits with more than 35", many(&sizes), Some(sizes.len()));
    put(
        "changed lines",
        "introducing commits with more than 35",
        many(&introducing),
        Some(introducing.len()),
    );
    let mut middle = |group: &'static str, what: &str, values: Vec<f64>| {
        if !values.is_empty() {
            table.push(Line { group, what: what.to_owned(), count: median(&values), of: None });
        }
    };
    middle("days to fix", "median", lives.iter().map(|&it| it as f64).collect());
    middle("changed lines", "median of code commits", sizes.iter().map(|&it| it as f64).collect());
    middle(
        "changed lines",
        "median of introducing commits",
        introducing.iter().map(|&it| it as f64).collect(),
    );
    let order = ["commits", "code", "keyword", "label", "days to fix", "changed lines"];
    table.sort_by_key(|line| order.iter().position(|group| *group == line.group));
    Ok(table)
}
