//! The answer of `select`, for people and for programs.

use crate::envelope;
use hydrogen_evidence::exposed::{Point, Required, Selected, SelectedTest};
use serde_json::json;
use std::fmt::Write as _;

/// So many statements are named for a test.
const MOST: usize = 4;

fn place(point: &Point) -> String {
    match &point.lines {
        [_, Some((file, line))] => format!("{file}:{line}"),
        [Some((file, line)), None] => format!("{file}:{line} (old version)"),
        [None, None] => String::new(),
    }
}

fn affected<'s>(all: &'s Selected<'_>) -> impl Iterator<Item = &'s SelectedTest<'s>> {
    all.tests.iter().filter(|test| test.affected)
}

/// The statements that changed and that no test executes. Where a test was cut, that is not known.
fn unexecuted<'s>(all: &Selected<'s>) -> Vec<&'s Point> {
    let is_executed = |at: &usize| all.tests.iter().any(|test| test.changes.contains(at));
    (0..all.points.len()).filter(|at| !is_executed(at)).map(|at| all.points[at]).collect()
}

fn places(selected: &Selected<'_>, test: &SelectedTest<'_>) -> Vec<String> {
    let mut own: Vec<&Point> = test.changes.iter().map(|at| selected.points[*at]).collect();
    // Where the new version has statements in their place, those of the old one say nothing more.
    if own.iter().any(|point| point.lines[1].is_some()) {
        own.retain(|point| point.lines[1].is_some());
    }
    let mut all: Vec<String> = own.into_iter().map(place).collect();
    all.dedup();
    all
}

/// The tests as lines, and where the effect of the change gets to, if that was asked for.
pub fn text(selected: &Selected<'_>) -> String {
    let mut out = String::new();
    let (all, some) = (selected.tests.len(), affected(selected).count());
    let kept = affected(selected).filter(|row| row.kept).count();
    let enough = if kept < some { format!("; {kept} of them are enough") } else { String::new() };
    let _ = writeln!(
        out,
        "{some} of {all} tests can be affected by {} → {}{enough}",
        selected.names[0], selected.names[1]
    );
    for row in affected(selected).filter(|row| row.kept) {
        let mut named = places(selected, row);
        let more = named.len().saturating_sub(MOST);
        named.truncate(MOST);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let mut words = named.join(", ");
        if let Some(why) = row.cut {
            let so = if words.is_empty() { String::new() } else { format!("{words}; ") };
            words = format!("{so}not known: {why}");
        } else if !row.differs.is_empty() {
            words.push_str(&format!("; differs in {}", row.differs.join(", ")));
        }
        let _ = writeln!(out, "    {}  {words}", row.name);
    }
    if all > some {
        let _ = writeln!(out, "{} tests execute no statement that changed", all - some);
    }
    let left = unexecuted(selected);
    if !left.is_empty() {
        let _ = writeln!(out, "changed, and executed by no test:");
        for point in left {
            let _ = writeln!(out, "    {}  {}", place(point), point.text);
        }
    } else if selected.points.is_empty() {
        let _ = writeln!(out, "nothing that is executed changed");
    }
    if let Some(required) = &selected.required {
        out.push_str(&required_text(required));
    }
    out
}

/// Where the effect of the change gets to in a test, and where in none.
fn required_text(required: &[Required<'_>]) -> String {
    let met = required.iter().filter(|one| !one.met_by.is_empty()).count();
    let mut out =
        format!("the effect of the change may get to {} statements, and does to {met}\n", required.len());
    for one in required {
        let chain: Vec<String> =
            one.chain.iter().map(|point| format!("{}  {}", place(point), point.text)).collect();
        let by = match one.met_by {
            [] => "no test".to_owned(),
            [test] => format!("test {test}"),
            [test, others @ ..] => format!("test {test} and {} more", others.len()),
        };
        let _ = writeln!(out, "    {by}: {}", chain.join(" → "));
    }
    out
}

/// The tests as `select/1`.
pub fn json(selected: &Selected<'_>) -> String {
    let row = |row: &SelectedTest<'_>| {
        json!({
            "name": row.name, "affected": row.affected, "kept": row.affected && row.kept,
            "changes": places(selected, row), "differs": row.differs, "cut": row.cut,
        })
    };
    let point = |point: &Point| {
        let line = |line: &Option<(String, u32)>| {
            line.as_ref().map(|(file, line)| json!({"file": file, "line": line}))
        };
        json!({"old": line(&point.lines[0]), "new": line(&point.lines[1]), "text": point.text})
    };
    let shown = |one: &Required<'_>| json!({"chain": one.chain.iter().map(point).collect::<Vec<_>>(), "tests": one.met_by});
    envelope::json(
        "select/1",
        &json!({
            "old": selected.names[0], "new": selected.names[1],
            "tests": selected.tests.iter().map(row).collect::<Vec<_>>(),
            "unexecuted": unexecuted(selected).into_iter().map(point).collect::<Vec<_>>(),
            "required": selected.required.as_ref().map(|all| all.iter().map(shown).collect::<Vec<_>>()),
        }),
    )
}
