//! The deltas as one page that needs no server and no network.

use super::{caused, headline, is_told, place, same, version, within};
use crate::review::html;
use hydrogen_evidence::delta::Told;
use std::fmt::Write as _;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}\
h1{font-size:1.3rem}h2{font-size:1rem;margin:0}\
article{border:1px solid var(--line);border-left:.3rem solid #b26a00;border-radius:.4rem;padding:.6rem .8rem;margin:.6rem 0;overflow-wrap:anywhere}\
code{font:14px/1.4 ui-monospace,monospace}small{opacity:.7}ul{margin:.3rem 0;padding-left:1.2rem}";

/// The deltas as one page.
pub fn page(told: &Told) -> String {
    let mut body = String::new();
    for one in told.functions.iter().filter(|one| is_told(one)) {
        let _ = write!(
            body,
            "<article><h2><code>{}()</code> <small>{}:{}</small></h2><ul>",
            html(&one.name),
            html(&one.file),
            one.line
        );
        for region in one.own_regions() {
            for delta in &region.deltas {
                let _ = write!(
                    body,
                    "<li><small>{}</small> {}",
                    html(&place(region)),
                    html(&within(region, delta))
                );
            }
        }
        for words in one.declared.iter().chain(&one.ledger) {
            let _ = write!(body, "<li>{}", html(words));
        }
        body.push_str("</ul></article>");
    }
    for words in same(told, &|name| format!("<code>{}</code>", html(name))) {
        let _ = write!(body, "<p>{words}</p>");
    }
    for cause in &told.causes {
        let _ = write!(body, "<p>{}</p>", html(&caused(told, cause)));
    }
    for words in told.types.iter().chain(&told.variables).chain(&told.missing).chain(&told.outside) {
        let _ = write!(body, "<p>{}</p>", html(words));
    }
    format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{old} → {new}</title><style>{STYLE}</style>\
         <h1>What the change from <code>{old}</code> to <code>{new}</code> does</h1><p>{head}</p>{body}</html>\n",
        old = html(&version(&told.old)),
        new = html(&version(&told.new)),
        head = html(&headline(told)),
    )
}
