//! A review as one page that needs no server and no network: a tab for every question.

use super::place;
use hydrogen_evidence::{Item, Review, Topic, Weight};
use std::fmt::Write as _;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--bad:#c62828;--good:#2e7d32;--other:#b26a00}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}\
h1{font-size:1.3rem}.head{font-size:1.1rem;font-weight:600}\
nav{display:flex;flex-wrap:wrap;gap:.3rem;border-bottom:1px solid var(--line);margin:1rem 0}\
nav label{padding:.4rem .7rem;cursor:pointer;border-radius:.4rem .4rem 0 0}\
input[name=tab]{position:absolute;opacity:0}section{display:none}\
article{border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.4rem;padding:.6rem .8rem;margin:.6rem 0;overflow-wrap:anywhere}\
article.alarm{border-left-color:var(--bad)}article.good{border-left-color:var(--good)}article.other{border-left-color:var(--other)}\
code,pre{font:14px/1.4 ui-monospace,monospace}pre{white-space:pre-wrap;margin:.4rem 0 0}\
.id{float:right;opacity:.6;font-size:.8rem}";

/// The review as one page.
pub fn page(review: &Review) -> String {
    let topics = review.topics();
    let mut style = STYLE.to_owned();
    let (mut tabs, mut labels, mut sections) = (String::new(), String::new(), String::new());
    for (at, topic) in topics.iter().enumerate() {
        let count = review.of(*topic).count();
        let checked = if at == 0 { " checked" } else { "" };
        let _ = write!(tabs, "<input type=radio name=tab id=t{at}{checked}>");
        let _ = write!(labels, "<label for=t{at}>{} ({count})</label>", topic.title());
        let _ = write!(
            style,
            "#t{at}:checked~section.s{at}{{display:block}}\
             #t{at}:checked~nav label[for=t{at}]{{box-shadow:inset 0 -3px currentColor}}\
             #t{at}:focus-visible~nav label[for=t{at}]{{outline:2px solid}}"
        );
        let _ = write!(sections, "<section class=s{at}><h2>{}</h2>", topic.title());
        for item in review.of(*topic) {
            article(&mut sections, item);
        }
        sections.push_str("</section>");
    }
    let mut gaps = String::new();
    for gap in &review.gaps {
        let _ = write!(gaps, "<p>Missing: <code>{}</code>: {}</p>", html(&gap.part), html(&gap.why));
    }
    format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{old} → {new}</title><style>{style}</style>\
         <h1>What the change from <code>{old}</code> to <code>{new}</code> did</h1><p class=head>{head}</p>\
         {tabs}<nav>{labels}</nav>{sections}{gaps}</html>\n",
        old = html(&review.old),
        new = html(&review.new),
        head = html(&review.headline()),
    )
}

fn article(out: &mut String, item: &Item) {
    let class = match (item.topic, item.weight) {
        (_, Weight::Alarm) => "alarm",
        (Topic::Faults | Topic::Same, _) => "good",
        (Topic::Does | Topic::Different | Topic::Open, _) => "other",
        _ => "plain",
    };
    let _ = write!(out, "<article class={class} id=\"{0}\"><span class=id>{0}</span>", html(&item.id));
    if let Some(place) = place(item) {
        let _ = write!(out, "<code>{}</code> ", html(&place));
    }
    out.push_str(&html(&item.text));
    if !item.details.is_empty() {
        let _ = write!(out, "<pre>{}</pre>", html(&item.details.join("\n")));
    }
    let _ = write!(out, "<pre>$ {}</pre></article>", html(&item.command));
}

pub(crate) fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_a_repository_is_text() {
        let item = Item {
            id: "H1".into(),
            topic: Topic::Different,
            weight: Weight::Notice,
            file: Some("<b>.c".into()),
            line: Some(1),
            function: None,
            text: "<script>alert(1)</script>".into(),
            details: vec!["\"&\"".into()],
            command: "x".into(),
            known: false,
        };
        let page = page(&Review { old: "<i>".into(), new: "b".into(), items: vec![item], gaps: Vec::new() });
        assert!(!page.contains("<script>") && !page.contains("<i>") && !page.contains("<b>"));
        assert!(page.contains("&lt;script&gt;") && page.contains("&quot;&amp;&quot;"));
    }
}
