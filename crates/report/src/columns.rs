//! Lists and tables for people.

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

/// `1 test`, `2 tests`, `3 branches`.
pub fn plural(count: usize, one: &str) -> String {
    let ending = if one.ends_with("ch") { "es" } else { "s" };
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}{ending}") }
}

/// Quoted where it must be. A text that a spreadsheet would take for a formula gets a blank in front.
pub fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!(" {text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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

    #[test]
    fn several_of_a_thing() {
        assert_eq!((plural(1, "branch"), plural(2, "branch")), ("1 branch".into(), "2 branches".into()));
        assert_eq!(plural(0, "test"), "0 tests");
    }
}
