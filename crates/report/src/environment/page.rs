//! A search as one page that needs no server and no network: the causes with both values, and the calls that were answered otherwise.

use super::sentences;
use crate::review::html;
use hydrogen_evidence::environment::{Compared, Difference, Outcome, Searched};
use std::fmt::Write as _;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}\
h1{font-size:1.3rem}h2{font-size:1rem}\
article{border:1px solid var(--line);border-left:.3rem solid #b26a00;border-radius:.4rem;padding:.6rem .8rem;margin:.6rem 0;overflow-wrap:anywhere}\
code{font:14px/1.4 ui-monospace,monospace}small{opacity:.7}\
ol{list-style:none;padding-left:1rem;border-left:2px solid var(--line)}\
li{padding:.2rem .6rem;overflow-wrap:anywhere}li.cause{background:#b26a0022;border-left:.3rem solid #b26a00}\
table{border-collapse:collapse;width:100%;table-layout:fixed}td{border:1px solid var(--line);padding:.3rem;vertical-align:top;overflow-wrap:anywhere}";

/// The search as one page.
pub fn page(searched: &Searched) -> String {
    let mut body = format!(
        "<h1><code>{}</code></h1><p>{} here; when it was recorded, {}.</p>",
        html(&searched.command),
        html(&searched.here),
        html(&searched.recorded)
    );
    let words = match searched.outcome {
        Outcome::Found if searched.causes.len() == 1 => {
            "With this as recorded the program passes; without it it fails."
        }
        Outcome::Found => {
            "With all of these as recorded the program passes; without any one of them it fails."
        }
        Outcome::PassesHere => "It passes here, too: there is nothing to explain.",
        Outcome::Flaky => "It is flaky. No cause is named.",
        Outcome::NotFound => "The cause was not found.",
    };
    for cause in &searched.causes {
        body.push_str("<article>");
        for sentence in sentences(cause) {
            let _ = write!(body, "<h2>{}</h2>", html(&sentence));
        }
        both(&mut body, &cause.difference);
        body.push_str("</article>");
    }
    let _ = write!(body, "<p>{words} {}</p>", html(searched.reason.as_deref().unwrap_or_default()));
    if let Some(boundary) = &searched.boundary {
        let _ = write!(
            body,
            "<p>In order, the program begins to pass with call {} (<code>{}</code>), found by {} replays.</p>",
            boundary.call,
            html(&boundary.shown),
            boundary.replays
        );
    }
    let causes: Vec<&str> = searched.causes.iter().map(|cause| &cause.difference.name[..]).collect();
    timeline(&mut body, &searched.differences, &causes);
    for note in &searched.notes {
        let _ = write!(body, "<p><small>{}</small></p>", html(note));
    }
    whole(&searched.command, &body)
}

/// The comparison as one page.
pub fn compared_page(compared: &Compared) -> String {
    let mut body =
        format!("<h1><code>{}</code></h1><p>It {} here.</p>", html(&compared.command), html(&compared.here));
    timeline(&mut body, &compared.differences, &[]);
    whole(&compared.command, &body)
}

fn both(body: &mut String, difference: &Difference) {
    let _ = write!(
        body,
        "<table><tr><td>as recorded<br><code>{}</code><td>here<br><code>{}</code></table>",
        html(&difference.recorded),
        html(&difference.here)
    );
}

/// What was answered otherwise, in the order of the recorded calls.
fn timeline(body: &mut String, differences: &[Difference], causes: &[&str]) {
    body.push_str("<h2>What was answered otherwise</h2><ol>");
    for one in differences.iter().filter(|one| !one.volatile) {
        let class = if causes.contains(&&one.name[..]) { " class=cause" } else { "" };
        let _ = write!(body, "<li{class}><small>call {}</small> {}", one.call, html(&one.name));
        both(body, one);
    }
    body.push_str("</ol>");
}

fn whole(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>{}</title><style>{STYLE}</style><body>{body}</body></html>\n",
        html(title)
    )
}
