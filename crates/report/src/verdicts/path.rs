//! A path as numbered steps.

use super::style::Looks;
use super::words::cut;
use hydrogen_evidence::Spot;
use std::fmt::Write as _;

/// Paths longer than this show only the steps that say something.
const SHOWN: usize = 24;
/// Statements are cut after so many characters.
const WIDTH: usize = 56;

/// The steps of a path, one per line.
pub(super) fn steps(looks: Looks, path: &[Spot]) -> String {
    let place = |spot: &Spot| format!("{}:{}", spot.file, spot.line);
    let places = path.iter().map(|spot| place(spot).chars().count()).max().unwrap_or(0);
    let texts = path.iter().map(|spot| cut(&spot.text, WIDTH).chars().count()).max().unwrap_or(0);
    let digits = path.len().to_string().len();
    let several = path.iter().any(|spot| spot.function != path[0].function);
    let mut out = String::new();
    let mut function = "";
    let mut hidden = 0;
    for (at, spot) in path.iter().enumerate() {
        let says = !spot.notes.is_empty() || at == 0 || at + 1 == path.len() || function != spot.function;
        if path.len() > SHOWN && !says {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            let _ = writeln!(out, "    {:>digits$}  {}", "", looks.dim(&format!("… {hidden} more")));
            hidden = 0;
        }
        if several && function != spot.function {
            let _ = writeln!(out, "    {:>digits$}  {}", "", looks.dim(&format!("in {}():", spot.function)));
        }
        function = &spot.function;
        let text = cut(&spot.text, WIDTH);
        let notes = spot.notes.join("; ");
        let blank = " ".repeat(texts - text.chars().count());
        let line = format!(
            "    {:>digits$}. {:places$}  {text}{blank}  {}",
            at + 1,
            place(spot),
            looks.bold(&notes)
        );
        let _ = writeln!(
            out,
            "{}",
            if notes.is_empty() {
                format!("    {:>digits$}. {:places$}  {text}", at + 1, place(spot))
            } else {
                line
            }
        );
    }
    out
}
