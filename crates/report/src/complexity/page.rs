//! The page: a plot over time and a table. No script, and nothing that is loaded.

use super::text::{date, p_value, ranked, reason, summary};
use crate::listing::escape;
use hydrogen_evidence::complexity::{Answer, Complexities, Row};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 28.0;

/// A commit whose complexity is this many times the median deserves a second reviewer; and at least this much.
const TIMES: f64 = 4.0;
const LEAST: f64 = 10.0;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#1b1f24;\
background:#fff}h1{font-size:1.4em}table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;text-align:left;\
border-bottom:1px solid #d8dee4}td.d{white-space:nowrap}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr.hot td.n:first-of-type{\
font-weight:700;color:#b42318}svg{width:100%;height:auto}circle{fill:#4878a8;fill-opacity:.55}circle.hot{fill:#b42318;\
fill-opacity:.9}text{font-size:11px;fill:#57606a}line{stroke:#d8dee4}code{font-size:.95em}tr:target{background:#fff3cd}\
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}td,th{border-color:#30363d}line{stroke:#30363d}\
text{fill:#9198a1}tr:target{background:#4d3800}}";

/// The commits as a page of their own.
pub fn html(all: &Complexities) -> String {
    let rows = all.rows.as_slice();
    let numbers: Vec<f64> = rows.iter().filter_map(|row| Some(row.complexity()? as f64)).collect();
    let hot = (TIMES * all.median).max(LEAST);
    let is_hot = |row: &Row| row.complexity().is_some_and(|it| it as f64 >= hot);
    let count = rows.iter().filter(|row| is_hot(row)).count();
    let mut body = format!(
        "<p>{} commits, {} with executable changes; reading <b>{}</b>. Median complexity {}; <b>{count}</b> commits reach {hot} \
         ({TIMES} times the median, at least {LEAST}) and deserve a second reviewer.</p>\n",
        rows.len(),
        numbers.len(),
        all.reading,
        all.median
    );
    if let [Some(ranks), Some(values)] = all.correlations {
        body.push_str(&format!(
            "<p>CyCC and CLoC: Spearman {:.3} ({}), Pearson {:.3} ({}), {} commits.</p>\n",
            ranks.coefficient,
            escape(&p_value(ranks.p)),
            values.coefficient,
            escape(&p_value(values.p)),
            ranks.count
        ));
    }
    body.push_str(&plot(rows, &is_hot));
    body.push_str(&table(all, &is_hot));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Change complexity</title><style>{STYLE}</style></head>\n<body><h1>Change complexity</h1>\n{body}</body></html>\n"
    )
}

/// Complexity (logarithmic) over commits in the order of time, which the history of branches is not.
fn plot(rows: &[Row], is_hot: &dyn Fn(&Row) -> bool) -> String {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| row.commit.as_ref().map(|commit| commit.time));
    let most = rows.iter().filter_map(|row| row.complexity()).max().unwrap_or(1).max(10) as f64;
    let top = most.log10().ceil();
    let x = |at: usize| LEFT + (WIDTH - LEFT - 10.0) * (at as f64 + 0.5) / rows.len().max(1) as f64;
    let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 10.0) * value.max(1.0).log10() / top;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Complexity of each commit over time\">\n"
    );
    for power in 0..=top as i32 {
        let value = 10f64.powi(power);
        let height = y(value);
        out.push_str(&format!(
            "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>\n",
            LEFT - 6.0,
            height + 4.0
        ));
    }
    let mut last = String::new();
    let mut free = 0.0;
    for (at, row) in rows.iter().enumerate() {
        let year = date(row).get(..4).unwrap_or_default().to_owned();
        if year != last && x(at) >= free {
            out.push_str(&format!("<text x=\"{:.1}\" y=\"{:.0}\">{year}</text>\n", x(at), HEIGHT - 8.0));
            free = x(at) + 34.0;
            last = year;
        }
        let Some(complexity) = row.complexity() else { continue };
        let class = if is_hot(row) { " class=\"hot\"" } else { "" };
        out.push_str(&format!(
            "<a href=\"#{0}\"><circle cx=\"{1:.1}\" cy=\"{2:.1}\" r=\"3.5\"{class}><title>{3} {0} CyCC {complexity}: {4}</title></circle></a>\n",
            escape(&row.name),
            x(at),
            y(complexity as f64),
            date(row),
            escape(summary(row))
        ));
    }
    out.push_str("</svg>\n");
    out
}

fn table(all: &Complexities, is_hot: &dyn Fn(&Row) -> bool) -> String {
    let mut out =
        "<table><thead><tr><th class=\"n\">CyCC</th><th class=\"n\">CLoC</th><th class=\"n\">functions</th>\
         <th class=\"n\">decisions</th><th class=\"n\">files</th><th>commit</th><th>date</th><th>summary</th></tr></thead><tbody>\n"
            .to_owned();
    // Whatever the plot shows must be found in the table; the most complex come first.
    for row in ranked(&all.rows) {
        let (Answer::Measured { measure, .. }, Some(kept)) = (&row.answer, row.kept()) else { continue };
        let class = if is_hot(row) { " class=\"hot\"" } else { "" };
        out.push_str(&format!(
            "<tr id=\"{0}\"{class}><td class=\"n\">{1}</td><td class=\"n\">{2}</td><td class=\"n\">{3}</td><td class=\"n\">{4}</td>\
             <td class=\"n\">{5}</td><td><code>{0}</code></td><td class=\"d\">{6}</td><td>{7}{8}</td></tr>\n",
            escape(&row.name),
            measure.complexity(),
            kept.lines,
            kept.functions.len(),
            kept.decisions,
            kept.files,
            date(row),
            escape(summary(row)),
            kept.mechanical.iter().map(|it| format!("<br><small>counted once: {}</small>", escape(&it.to_string()))).collect::<String>()
        ));
    }
    out.push_str("</tbody></table>\n");
    let failed: Vec<&Row> = all.rows.iter().filter(|row| matches!(row.answer, Answer::Reason(_))).collect();
    if !failed.is_empty() {
        out.push_str("<h2>Without an answer</h2><ul>\n");
        for row in failed {
            out.push_str(&format!("<li><code>{}</code>: {}</li>\n", escape(&row.name), escape(reason(row))));
        }
        out.push_str("</ul>\n");
    }
    if all.sequences {
        out.push_str("<p>Change sequences are in the text and JSON forms.</p>\n");
    }
    out
}
