//! Puts the page together.

use serde_json::Value;

use crate::model::compact;

const SHELL: &str = include_str!("../assets/page.html");
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js.sha256"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
const STYLE_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css.sha256"));
const ELK: &str = include_str!(concat!(env!("OUT_DIR"), "/elk-worker.min.js"));
const ELK_LICENSE: &str = include_str!(concat!(env!("OUT_DIR"), "/elk-license.md"));

/// Writes a multi-version graph, given in its JSON form, as one self-contained HTML page.
///
/// The page loads nothing: scripts, styles, the layout library with its licence, and the data are inside. Its content
/// security policy admits exactly the script and style it was built with, so no text of the graph can become code.
///
/// Keys that the page does not know are ignored and missing optional ones are made up for; elements that refer to
/// something that is not there are left out and counted on the page. The same graph gives the same bytes.
pub fn html(graph: &Value, title: &str) -> String {
    let data = embeddable(&compact(graph, title).to_string());
    fill(
        SHELL,
        &[
            ("title", &escape(title)),
            ("script-hash", SCRIPT_HASH),
            ("style-hash", STYLE_HASH),
            ("style", STYLE),
            ("data", &data),
            ("elk-license", ELK_LICENSE),
            ("elk", ELK),
            ("script", SCRIPT),
        ],
    )
}

/// Replaces each `{{name}}` of the template. One pass, so that a value that looks like a placeholder stays as it is.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("placeholders of our own template are closed");
        let value = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        page.push_str(before);
        page.push_str(value.expect("our own template uses known names"));
        rest = after;
    }
    page.push_str(rest);
    page
}

/// JSON that can stand inside `<script>`: a `<` occurs in JSON within strings only, where it can be written as an
/// escape, and without it the text can neither close the element nor open a comment.
fn embeddable(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
