//! Where results go: standard output or a file.

use anyhow::{Context, Result};
use std::io::Write;
use std::path::Path;

/// Writes a finished result. A file is replaced as a whole, so that an interrupted run leaves the old one.
pub fn write(to: Option<&Path>, bytes: &[u8]) -> Result<()> {
    match to {
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes)?;
            Ok(out.flush()?)
        }
        Some(path) => {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".part");
            let part = path.with_file_name(name);
            let moved = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
            moved
                .inspect_err(|_| drop(std::fs::remove_file(&part)))
                .with_context(|| format!("cannot write {}", path.display()))
        }
    }
}

/// Lays out rows in columns, two blanks apart. The last column is not padded.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A list for people: the first few, and how many more there are.
pub fn shortened(mut list: Vec<String>, between: &str) -> String {
    const SHOWN: usize = 12;
    if list.len() > SHOWN + 1 {
        let more = list.split_off(SHOWN).len();
        list.push(format!("and {more} more"));
    }
    list.join(between)
}

/// Quoted where it must be. A text that a spreadsheet would take for a formula gets a blank in front.
pub fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!(" {text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// JSON for people and programs.
pub fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// The largest memory this process ever had, as the system tells it.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let text = table(&[row(["a", "bb", "c"]), row(["aaa", "b", "cc"])]);
        assert_eq!(text, "a    bb  c\naaa  b   cc\n");
    }
}
