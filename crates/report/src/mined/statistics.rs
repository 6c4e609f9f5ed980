//! Statistics of a history: text, JSON, CSV.

use crate::columns::{csv_cell, table};
use crate::envelope;
use hydrogen_evidence::mined::Line;
use serde_json::{Value, json as value};

/// The lines as a table; a group is named once.
pub fn text(lines: &[Line]) -> String {
    let mut rows = vec![["", "", "count", "of", "share"].map(str::to_owned).to_vec()];
    let mut last = "";
    for line in lines {
        let group = if line.group == last { "" } else { line.group };
        last = line.group;
        let [count, of] = numbers(line);
        let share = line.share().map(|share| format!("{:.0} %", 100.0 * share)).unwrap_or_default();
        rows.push(vec![group.to_owned(), line.what.clone(), count, of, share]);
    }
    table(&rows)
}

/// The lines as `mine-statistics/1`.
pub fn json(lines: &[Line]) -> String {
    let all: Vec<Value> = lines
        .iter()
        .map(|it| {
            value!({ "group": it.group, "what": it.what, "count": it.count, "of": it.of, "share": it.share() })
        })
        .collect();
    envelope::json("mine-statistics/1", &value!({ "statistics": all }))
}

/// The lines for other programs.
pub fn csv(lines: &[Line]) -> String {
    let mut out = "group,what,count,of,share\n".to_owned();
    for line in lines {
        let [count, of] = numbers(line);
        let share = line.share().map(|share| format!("{share:.4}")).unwrap_or_default();
        let cells = [line.group.to_owned(), line.what.clone(), count, of, share];
        out.push_str(&cells.map(|cell| csv_cell(&cell)).join(","));
        out.push('\n');
    }
    out
}

fn numbers(line: &Line) -> [String; 2] {
    [line.count.to_string(), line.of.map(|of| of.to_string()).unwrap_or_default()]
}
