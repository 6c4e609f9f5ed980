//! The answer of `select`, for people and for programs.

use hydrogen_expose::{Point, Visit};
use hydrogen_pair::Node;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A test.
pub struct Row {
    pub name: String,
    pub visit: Visit,
    /// Whether it is one of those that are enough.
    pub kept: bool,
}

/// The whole answer.
pub struct Report<'a> {
    pub names: [&'a str; 2],
    pub rows: &'a [Row],
    /// The statements that changed.
    pub points: &'a [(Node, Point)],
}

/// So many statements are named for a test.
const MOST: usize = 4;

fn place(point: &Point) -> String {
    match &point.lines {
        [_, Some((file, line))] => format!("{file}:{line}"),
        [Some((file, line)), None] => format!("{file}:{line} (old version)"),
        [None, None] => String::new(),
    }
}

impl Report<'_> {
    fn affected(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.visit.is_affected())
    }

    /// The statements that changed and that no test executes. Where a test was cut, that is not known.
    fn unexecuted(&self) -> Vec<&Point> {
        let is_executed = |node: &Node| self.rows.iter().any(|row| row.visit.changes.contains(node));
        self.points.iter().filter(|(node, _)| !is_executed(node)).map(|(_, point)| point).collect()
    }

    /// Whether no test is affected, and no change is left without a test.
    pub fn is_quiet(&self) -> bool {
        self.affected().next().is_none() && self.points.is_empty()
    }

    fn places(&self, row: &Row) -> Vec<String> {
        let mut own: Vec<&Point> = self
            .points
            .iter()
            .filter(|(node, _)| row.visit.changes.contains(node))
            .map(|(_, point)| point)
            .collect();
        // Where the new version has statements in their place, those of the old one say nothing more.
        if own.iter().any(|point| point.lines[1].is_some()) {
            own.retain(|point| point.lines[1].is_some());
        }
        let mut all: Vec<String> = own.into_iter().map(place).collect();
        all.dedup();
        all
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        let (all, affected) = (self.rows.len(), self.affected().count());
        let kept = self.affected().filter(|row| row.kept).count();
        let enough = if kept < affected { format!("; {kept} of them are enough") } else { String::new() };
        let _ = writeln!(
            out,
            "{affected} of {all} tests can be affected by {} → {}{enough}",
            self.names[0], self.names[1]
        );
        for row in self.affected().filter(|row| row.kept) {
            let mut places = self.places(row);
            let more = places.len().saturating_sub(MOST);
            places.truncate(MOST);
            if more > 0 {
                places.push(format!("{more} more"));
            }
            let mut words = places.join(", ");
            if let Some(why) = &row.visit.cut {
                let so = if words.is_empty() { String::new() } else { format!("{words}; ") };
                words = format!("{so}not known: {why}");
            } else if !row.visit.differs.is_empty() {
                words.push_str(&format!("; differs in {}", row.visit.differs.join(", ")));
            }
            let _ = writeln!(out, "    {}  {words}", row.name);
        }
        if all > affected {
            let _ = writeln!(out, "{} tests execute no statement that changed", all - affected);
        }
        let unexecuted = self.unexecuted();
        if !unexecuted.is_empty() {
            let _ = writeln!(out, "changed, and executed by no test:");
            for point in unexecuted {
                let _ = writeln!(out, "    {}  {}", place(point), point.text);
            }
        } else if self.points.is_empty() {
            let _ = writeln!(out, "nothing that is executed changed");
        }
        out
    }

    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "name": row.name, "affected": row.visit.is_affected(), "kept": row.visit.is_affected() && row.kept,
                "changes": self.places(row), "differs": row.visit.differs, "cut": row.visit.cut,
            })
        };
        let point = |point: &Point| {
            let line = |line: &Option<(String, u32)>| {
                line.as_ref().map(|(file, line)| json!({"file": file, "line": line}))
            };
            json!({"old": line(&point.lines[0]), "new": line(&point.lines[1]), "text": point.text})
        };
        json!({
            "old": self.names[0], "new": self.names[1],
            "tests": self.rows.iter().map(row).collect::<Vec<_>>(),
            "unexecuted": self.unexecuted().into_iter().map(point).collect::<Vec<_>>(),
        })
    }
}
