//! Results as a table for people and as JSON for programs.

use serde_json::{Map, Value};

/// Prints rows under a header, right-aligned but for the first column, then the same as JSON.
pub fn print(name: &str, header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].len()]).max().unwrap_or(0)
    };
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("{cell:width$}", width = width(0)),
            _ => format!("{cell:>width$}", width = width(column)),
        });
        println!("{}", padded.collect::<Vec<_>>().join("  "));
    };
    line(header.to_vec());
    rows.iter().for_each(|row| line(row.iter().map(String::as_str).collect()));
    let object = |row: &Vec<String>| {
        let pairs = header.iter().zip(row).map(|(key, cell)| ((*key).to_owned(), Value::from(cell.clone())));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    println!("{}", serde_json::json!({ "bench": name, "rows": rows.iter().map(object).collect::<Vec<_>>() }));
}
