//! The complexity of commits for programs: JSON and CSV.

use super::text::{date, ends, numbers, percentiles, reason, summary};
use crate::columns::csv_cell;
use crate::envelope;
use hydrogen_evidence::complexity::{Answer, Complexities, Correlation, Mechanical, MechanicalKind, Row};
use serde_json::{Value, json};

/// The commits as `complexity/1`.
pub fn json(all: &Complexities) -> String {
    let rows = all.rows.as_slice();
    let commits: Vec<Value> = rows.iter().map(commit).collect();
    let correlation = |it: Option<Correlation>| {
        it.map(|it| json!({ "coefficient": it.coefficient, "p": it.p, "commits": it.count }))
    };
    let [ranks, values] = all.correlations;
    let percentiles =
        percentiles(rows).map(|all| all.map(|(percent, most)| json!({ "percent": percent, "cycc": most })));
    envelope::json(
        "complexity/1",
        &json!({
            "reading": all.reading,
            "commits": commits,
            "percentiles": percentiles,
            "correlation": { "spearman": correlation(ranks), "pearson": correlation(values) },
            "rank_agreement": all.agreement
                .map(|(limits, kappa)| json!({ "bias": limits.bias, "limit": limits.limit, "kappa": kappa })),
            "simple": ends(rows)[0],
            "above_10": ends(rows)[1],
        }),
    )
}

fn commit(row: &Row) -> Value {
    let kept = row.kept();
    let mut value = json!({
        "commit": row.commit.as_ref().map_or(&row.name, |commit| &commit.id),
        "date": row.commit.as_ref().map(|commit| &commit.date),
        "author": row.commit.as_ref().map(|commit| &commit.author),
        "summary": row.commit.as_ref().map(|commit| &commit.summary),
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
    if !reason(row).is_empty() {
        value["reason"] = reason(row).into();
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

/// The commits as a table for other programs.
pub fn csv(all: &Complexities) -> String {
    let mut out =
        "commit,date,cycc,cloc,edges,nodes,components,functions,files,hunks,deleted,reason,summary\n"
            .to_owned();
    let number = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in &all.rows {
        let kept = row.kept();
        let commit = row.commit.as_ref().map_or(&row.name, |commit| &commit.id).clone();
        let mut cells = vec![commit, date(row).to_owned()];
        cells.extend(numbers(row).map(number));
        cells.extend([
            number(kept.map(|it| it.hunks)),
            number(kept.map(|it| it.deleted)),
            reason(row).to_owned(),
            summary(row).to_owned(),
        ]);
        let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}
