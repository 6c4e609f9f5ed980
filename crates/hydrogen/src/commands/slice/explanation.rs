//! The way back along a slice, line by line: `slice --explain`.

use crate::output;
use hydrogen_explore::{Explanation, Row};
use hydrogen_machine::Program;
use serde_json::{Value, json};

/// Rows and characters of a cell that are shown unasked.
const SHOWN: usize = 200;
const WIDEST: usize = 70;

fn place(program: &Program, row: &Row) -> (String, u32, String) {
    row.site.map_or((String::new(), 0, String::new()), |site| {
        let place = program.place(site);
        (place.file, place.line, place.function)
    })
}

fn short(text: String) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST).collect::<String>() + "…",
        false => text,
    }
}

pub fn text(program: &Program, explanation: &Explanation) -> String {
    let mut rows = vec![["line", "values", "to explain", "condition"].map(str::to_owned).to_vec()];
    for row in explanation.rows.iter().take(SHOWN) {
        let (file, line, function) = place(program, row);
        let at = match (line, row.site) {
            (_, None) => "(what is explained)".to_owned(),
            (0, _) => format!("in {function}"),
            _ => format!("{file}:{line}"),
        };
        let values: Vec<String> =
            row.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let condition = if row.condition.is_empty() { "true".to_owned() } else { row.condition.join(" && ") };
        rows.push(vec![at, short(values.join(", ")), short(row.open.join(", ")), short(condition)]);
    }
    let mut out = output::table(&rows);
    if explanation.rows.len() > SHOWN {
        out.push_str(&format!("and {} more lines; --format json has them\n", explanation.rows.len() - SHOWN));
    }
    if explanation.is_cut {
        out.push_str("the way back is longer: the rest is not explained\n");
    }
    out
}

pub fn json(program: &Program, explanation: &Explanation) -> Value {
    let row = |row: &Row| {
        let (file, line, function) = place(program, row);
        let values: Vec<Value> =
            row.values.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        json!({
            "file": file, "line": line, "function": function, "values": values,
            "to_explain": row.open, "condition": row.condition,
        })
    };
    let rows: Vec<Value> = explanation.rows.iter().map(row).collect();
    json!({ "rows": rows, "cut": explanation.is_cut })
}
