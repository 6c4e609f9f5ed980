//! Two versions side by side: their sources, what a run of each executed, what a wrong output depends on, and who is suspected.

use crate::listing::{Excerpt, STYLE, escape};
use std::collections::BTreeSet;

const COLUMNS: &str = "body{max-width:1500px}pre{white-space:pre-wrap;overflow-wrap:anywhere}h1{overflow-wrap:anywhere}.two{display:grid;grid-template-columns:1fr 1fr;gap:1em}.two>div{min-width:0}\
tr.suspect td{background:#ffd7d5;font-weight:600}.key .suspect{background:#ffd7d5}\
@media(prefers-color-scheme:dark){tr.suspect td,.key .suspect{background:#6e1a1a}}@media(max-width:800px){.two{grid-template-columns:1fr}}";

/// Writes pairs of excerpts, the old version's on the left, as one self-contained page. `summary` are lines above them. The same
/// pairs give the same bytes.
pub fn beside(title: &str, summary: &[String], names: [&str; 2], pairs: &[(Excerpt, Excerpt)]) -> String {
    let marks = ["suspected", "the wrong output depends on it"];
    written(
        marks,
        "<span>. executed</span><span class=\"none\">not executed</span>",
        title,
        summary,
        names,
        pairs,
    )
}

/// The same, with what the two marks mean. Of other lines it is not said whether they are executed.
pub fn beside_with(
    marks: [&str; 2],
    title: &str,
    summary: &[String],
    names: [&str; 2],
    pairs: &[(Excerpt, Excerpt)],
) -> String {
    written(marks, "", title, summary, names, pairs)
}

fn written(
    [suspect, relevant]: [&str; 2],
    rest: &str,
    title: &str,
    summary: &[String],
    names: [&str; 2],
    pairs: &[(Excerpt, Excerpt)],
) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>{STYLE}{COLUMNS}</style></head>\n<body><h1>{title}</h1>\n<pre>"
    );
    summary.iter().for_each(|line| page.push_str(&format!("{}\n", escape(line))));
    page.push_str(&format!(
        "</pre>\n<p class=\"key\"><span class=\"suspect\">! {suspect}</span><span class=\"relevant\">+ {relevant}</span>{rest}</p>\n",
    ));
    for (number, (old, new)) in pairs.iter().enumerate() {
        page.push_str("<div class=\"two\">\n");
        for (side, (name, excerpt)) in names.iter().zip([old, new]).enumerate() {
            page.push_str(&format!("<div><h2>{}: {}</h2>\n<table>\n", escape(name), escape(&excerpt.file)));
            // A run comes to a line more than once, and a gap has none.
            let mut known = BTreeSet::new();
            for (line, text, mark) in &excerpt.lines {
                let id = match *line != 0 && known.insert(*line) {
                    true => format!(" id=\"p{number}-{side}-{line}\""),
                    false => String::new(),
                };
                let line = if *line == 0 { "&nbsp;".to_owned() } else { line.to_string() };
                page.push_str(&format!(
                    "<tr{id} class=\"{}\"><td class=\"n\">{line}</td><td class=\"m\">{}</td><td>{}</td></tr>\n",
                    mark.class(),
                    mark.sign(),
                    escape(text)
                ));
            }
            page.push_str("</table></div>\n");
        }
        page.push_str("</div>\n");
    }
    page.push_str("</body></html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    #[test]
    fn both_versions_stand_side_by_side() {
        let one = |text: &str, mark| Excerpt { file: "a.c".into(), lines: vec![(3, text.to_owned(), mark)] };
        let pairs = [(one("if (a < b)", Mark::Relevant), one("if (a <= b)", Mark::Suspect))];
        let page = beside("why <x>", &["a & b".into()], ["v1", "v2"], &pairs);
        assert!(page.contains("<h2>v1: a.c</h2>") && page.contains("<h2>v2: a.c</h2>"), "{page}");
        assert!(page.contains("class=\"suspect\"><td class=\"n\">3</td>"), "{page}");
        assert!(page.contains("if (a &lt;= b)") && !page.contains("<script"), "{page}");
    }
}
