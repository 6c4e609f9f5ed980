//! `hydrogen mine study FILE`: errors with known commits.

use super::days;
use super::overlap::overlap;
use crate::cli::{ReadingName, TableFormat};
use crate::commands::{Outcome, step};
use crate::context::Context;
use crate::output;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Objects;
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{ErrorPair, chains, read_excluded, read_pairs};
use hydrogen_interact::statistics::{
    Correlation, cumulative, difference_of_means, mean, median, power_law, spearman,
};
use hydrogen_interact::{Measured, Reading, Walk, measure_history};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;

/// What is known about an error.
struct Row {
    pair: ErrorPair,
    life: i64,
    introducing: Option<usize>,
    fixing: Option<usize>,
    overlaps: Option<bool>,
}

pub fn run(context: &Context, file: &Path, reading: ReadingName, format: TableFormat) -> Result<Outcome> {
    let path = context.path(file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let pairs = match read_pairs(&text) {
        Ok(pairs) if pairs.is_empty() => bail!("{}: there is no line with two commits", path.display()),
        Ok(pairs) => pairs,
        Err(message) => bail!("{}: {message}", path.display()),
    };
    let mut commits: BTreeMap<String, CommitInfo> = BTreeMap::new();
    for name in pairs.iter().flat_map(|pair| [&pair.introduced, &pair.fixed]) {
        if !commits.contains_key(name) {
            commits.insert(name.clone(), step::commit(context, name)?);
        }
    }
    let complexities = measure(context, commits.values().cloned().collect(), reading)?;
    let repository_dir = &commits.values().next().context("a pair has commits")?.repository;
    let repository = context.trees.repository(repository_dir)?;
    let objects = Objects::new(&repository);
    let mut rows = Vec::new();
    for pair in pairs {
        let (introduced, fixed) = (&commits[&pair.introduced], &commits[&pair.fixed]);
        let found = overlap(&repository, introduced, fixed)?;
        rows.push(Row {
            life: days(objects.committed(&introduced.commit)?, objects.committed(&fixed.commit)?),
            introducing: complexities.get(&introduced.commit).copied().flatten(),
            fixing: complexities.get(&fixed.commit).copied().flatten(),
            overlaps: (found.replaced > 0).then_some(found.written > 0),
            pair,
        });
    }
    let mut value = summarize(&rows);
    value["excluded"] = read_excluded(&text).into();
    context.output(&match format {
        TableFormat::Json => output::json("mine-study/1", &value),
        TableFormat::Text => as_text(&rows, &value),
    })?;
    Ok(Outcome::Done)
}

fn measure(
    context: &Context,
    mut commits: Vec<CommitInfo>,
    reading: ReadingName,
) -> Result<BTreeMap<String, Option<usize>>> {
    commits.sort_by(|a, b| (a.time, &a.commit).cmp(&(b.time, &b.commit)));
    commits.dedup();
    let repository = context.trees.repository(&commits[0].repository)?;
    let cancel = context.cancel_flag()?;
    let walk = Walk {
        repository: &repository,
        reading: match reading {
            ReadingName::Full => Reading::Full,
            ReadingName::Thesis => Reading::Thesis,
        },
        first_parent: false,
        done: &|| {},
        stop: &|| cancel.load(Ordering::Relaxed),
    };
    let digest = |info: &CommitInfo, measured: Measured| {
        let graph = measured.complexity.ok().and_then(|it| it.graph.ok().flatten());
        (info.commit.clone(), graph.map(|graph| graph.complexity()))
    };
    Ok(measure_history(&walk, &commits, digest).into_iter().collect())
}

fn summarize(rows: &[Row]) -> Value {
    let lives: Vec<f64> = rows.iter().map(|row| row.life as f64).collect();
    let paired = |f: &dyn Fn(&Row) -> Option<(f64, f64)>| -> Option<Correlation> {
        let (a, b): (Vec<f64>, Vec<f64>) = rows.iter().filter_map(f).unzip();
        spearman(&a, &b)
    };
    let correlation = |it: Option<Correlation>| {
        it.map(|it| json!({ "rho": it.coefficient, "p": it.p, "errors": it.count }))
    };
    let life_complexity = paired(&|row| Some((row.life as f64, row.fixing? as f64)));
    let both = paired(&|row| Some((row.introducing? as f64, row.fixing? as f64)));
    let pairs: Vec<ErrorPair> = rows.iter().map(|row| row.pair.clone()).collect();
    let introducing: BTreeSet<&String> = pairs.iter().map(|pair| &pair.introduced).collect();
    let incorrect = pairs.iter().map(|pair| &pair.fixed).filter(|fix| introducing.contains(fix));
    let incorrect: BTreeSet<&String> = incorrect.collect();
    let judged = rows.iter().filter_map(|row| row.overlaps);
    let without = judged.clone().filter(|it| !it).count();
    let numbers: Vec<f64> = rows.iter().filter_map(|row| Some(row.fixing? as f64)).collect();
    let brought: Vec<f64> = rows.iter().filter_map(|row| Some(row.introducing? as f64)).collect();
    let more =
        difference_of_means(&brought, &numbers).map(|it| json!({ "difference": it.difference, "p": it.p }));
    let points = |values: &[f64]| -> Vec<[f64; 2]> {
        cumulative(values).into_iter().map(|(value, share)| [value, share]).collect()
    };
    let errors: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "introduced": row.pair.introduced, "fixed": row.pair.fixed, "report": row.pair.report,
                "life_span_days": row.life, "introducing_cycc": row.introducing, "fixing_cycc": row.fixing,
                "overlaps": row.overlaps,
            })
        })
        .collect();
    json!({
        "errors": errors,
        "introducing_commits": introducing.len(),
        "incorrect_fixes": incorrect.len(),
        "chains": chains(&pairs),
        "life_span": { "mean": mean(&lives), "median": median(&lives), "power_law": power_law(&lives, 1.0), "cumulative": points(&lives) },
        "fixing_cycc": { "mean": mean(&numbers), "median": median(&numbers), "cumulative": points(&numbers) },
        "introducing_minus_fixing_cycc": more,
        "life_span_and_complexity": correlation(life_complexity),
        "introducing_and_fixing_complexity": correlation(both),
        "without_overlap": { "errors": without, "of": judged.count() },
    })
}

fn as_text(rows: &[Row], value: &Value) -> String {
    let head = ["introduced", "fixed", "days", "CyCC of it", "CyCC of the fix", "overlap", "report"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let number = |it: Option<usize>| it.map_or("-".to_owned(), |it| it.to_string());
        let overlap = row.overlaps.map_or("-", |it| if it { "yes" } else { "no" });
        table.push(vec![
            row.pair.introduced.clone(),
            row.pair.fixed.clone(),
            row.life.to_string(),
            number(row.introducing),
            number(row.fixing),
            overlap.to_owned(),
            row.pair.report.clone(),
        ]);
    }
    let mut out = output::table(&table);
    for chain in value["chains"].as_array().into_iter().flatten() {
        let names: Vec<&str> = chain.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        out.push_str(&format!("incorrect fixes: {}\n", names.join(" -> ")));
    }
    out.push_str(&format!(
        "{} errors, {} introducing commits, {} fixes that introduced another error\n",
        rows.len(),
        value["introducing_commits"],
        value["incorrect_fixes"]
    ));
    for excluded in value["excluded"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        out.push_str(&format!("left out, not reproducible: {excluded}\n"));
    }
    let life = &value["life_span"];
    out.push_str(&format!("life span: mean {} days, median {}\n", life["mean"], life["median"]));
    for (key, name) in [
        ("life_span_and_complexity", "life span and complexity of the fix"),
        ("introducing_and_fixing_complexity", "complexity of introducing and of fixing"),
    ] {
        if let (Some(rho), Some(p)) = (value[key]["rho"].as_f64(), value[key]["p"].as_f64()) {
            out.push_str(&format!("{name}: Spearman {rho:.4}, p = {p:.4}\n"));
        }
    }
    let more = &value["introducing_minus_fixing_cycc"];
    if let (Some(difference), Some(p)) = (more["difference"].as_f64(), more["p"].as_f64()) {
        out.push_str(&format!(
            "introducing commits are more complex by {difference:.1} on average, p = {p:.4}\n"
        ));
    }
    let without = &value["without_overlap"];
    out + &format!(
        "{} of {} fixes replace nothing that the introducing commit wrote\n",
        without["errors"], without["of"]
    )
}
