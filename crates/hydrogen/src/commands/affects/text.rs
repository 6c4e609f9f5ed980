//! What a change affects, for people: outputs first, then functions, on one screen.

use super::reduced;
use crate::output;
use serde_json::{Value, json};

/// So many of a kind are shown to people.
const SHOWN: usize = 10;
/// So many where the reason is asked for.
const SHOWN_WHY: usize = 15;
/// Longer statements are cut.
const WIDTH: usize = 100;

/// The answer; with `why`, the statements and dependences that it comes from.
pub fn text(value: &Value, why: bool) -> String {
    if value.get("verdict").is_none() {
        let mut out = side(value);
        if !list(&value["hunks"]).is_empty() {
            out.push_str(&interference(value));
            if why {
                out.push_str(&(likely_lines(value) + &dependence_lines(value)));
            }
            out.push_str(&reduced::text(&value["reduced"]));
        }
        return out;
    }
    let mut out = format!("ours: {}theirs: {}", side(&value["ours"]), side(&value["theirs"]));
    let both = list(&value["both"]);
    for at in both.iter().take(SHOWN) {
        out.push_str(&format!("both affect {}\n", line(at)));
    }
    more(&mut out, both.len(), SHOWN, "statements that both affect");
    out + &format!("the branches {}\n", value["verdict"].as_str().unwrap_or_default())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn line(at: &Value) -> String {
    let cell = |key: &str| at[key].as_str().unwrap_or_default().to_owned();
    let text: String = cell("text").split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(WIDTH).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{}:{} {}: {short}{cut}", cell("file"), at["line"], cell("function"))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn side(value: &Value) -> String {
    let (hunks, unfollowed) = (list(&value["hunks"]), list(&value["not_followed"]));
    if hunks.is_empty() && unfollowed.is_empty() {
        return "no executable change\n".into();
    }
    let (all_functions, outputs) = (list(&value["functions"]), list(&value["outputs"]));
    // Those that compute something else come first; the others do as before, more or less often.
    let computing = all_functions.iter().take_while(|it| it["only_called"] != json!(true)).count();
    let (functions, called) = all_functions.split_at(computing);
    let all = value["program"]["functions"].as_u64().unwrap_or(0);
    let share = 100.0 * functions.len() as f64 / all.max(1) as f64;
    let mut out = format!(
        "{} may affect {} of {all} functions ({share:.1} %) and {}\n",
        counted(hunks.len(), "change"),
        functions.len(),
        counted(outputs.len(), "output"),
    );
    if !called.is_empty() {
        out.push_str(&format!(
            "{} may only be called more or less often, and do as before then\n",
            counted(called.len(), "other function")
        ));
    }
    for output in outputs.iter().take(SHOWN) {
        out.push_str(&format!("output   {}\n", line(output)));
    }
    more(&mut out, outputs.len(), SHOWN, "outputs");
    for function in functions.iter().take(SHOWN) {
        let (file, name) = (function["file"].as_str(), function["name"].as_str());
        out.push_str(&format!(
            "function {} {} ({:.2})\n",
            file.unwrap_or_default(),
            name.unwrap_or_default(),
            function["likelihood"].as_f64().unwrap_or(0.0)
        ));
    }
    more(&mut out, functions.len(), SHOWN, "functions");
    for (at, hunk) in hunks.iter().enumerate().take(SHOWN) {
        out.push_str(&format!(
            "change {at} {}:{} {}: {}{}, may affect {} in {}\n",
            hunk["file"].as_str().unwrap_or_default(),
            hunk["line"],
            hunk["function"].as_str().unwrap_or_default(),
            counted(hunk["statements"].as_u64().unwrap_or(0) as usize, "statement"),
            match hunk["kind"].as_str() {
                Some("deleted") => " deleted",
                Some("head") => " (the head of the function)",
                Some("gone") => " gone with their function",
                _ => "",
            },
            counted(hunk["affected_statements"].as_u64().unwrap_or(0) as usize, "statement"),
            counted(hunk["affected_functions"].as_u64().unwrap_or(0) as usize, "function"),
        ));
    }
    more(&mut out, hunks.len(), SHOWN, "changes");
    for missing in unfollowed.iter().take(SHOWN) {
        out.push_str(&format!("not followed: {}\n", missing.as_str().unwrap_or_default()));
    }
    more(&mut out, unfollowed.len(), SHOWN, "that are not followed");
    if value["program"]["compiled"] == json!(false) {
        out.push_str(
            "read from the source alone, where all memory is one place; --compiled tells it apart\n",
        );
    }
    out
}

fn likely_lines(value: &Value) -> String {
    let one = |at: &Value| format!("likely {:.4} {}\n", at["likelihood"].as_f64().unwrap_or(0.0), line(at));
    list(&value["likely"]).iter().map(one).collect()
}

/// Says how many are not shown.
fn more(out: &mut String, count: usize, shown: usize, what: &str) {
    if count > shown {
        out.push_str(&format!("and {} more {what}; --format json lists all\n", count - shown));
    }
}

fn dependence_lines(value: &Value) -> String {
    let (mut out, mut counts) = (String::new(), Vec::new());
    for (key, verb) in [("begun", "now depends on"), ("ceased", "no longer depends on")] {
        let all = list(&value["dependences"][key]);
        for one in all.iter().take(SHOWN_WHY) {
            let on = list(&one["on"]).iter().map(short).collect();
            out.push_str(&format!("{} {verb} {}\n", line(&one["dependent"]), output::shortened(on, ", ")));
        }
        more(&mut out, all.len(), SHOWN_WHY, &format!("statements with {key} dependences"));
        counts.push(format!("{} {key}", all.iter().map(|one| list(&one["on"]).len()).sum::<usize>()));
    }
    let unlisted = match value["dependences"]["counted_only"].as_u64() {
        None | Some(0) => String::new(),
        Some(count) => format!(", {count} more counted only"),
    };
    out + &format!("dependences: {} kept, {}{unlisted}\n", value["dependences"]["kept"], counts.join(", "))
}

/// A place as file and line; `old` where it is one of the old version.
fn short(at: &Value) -> String {
    let old = if at["old"] == json!(true) { " (old)" } else { "" };
    format!("{}:{}{old}", at["file"].as_str().unwrap_or_default(), at["line"])
}

fn interference(value: &Value) -> String {
    let all = list(&value["interference"]);
    let mut out = String::new();
    for pair in all.iter().take(SHOWN) {
        let (a, b) = (&pair["hunks"][0], &pair["hunks"][1]);
        out.push_str(&format!("changes {a} and {b} may affect the same, first {}\n", line(&pair["first"])));
    }
    more(&mut out, all.len(), SHOWN, "pairs of changes that may affect the same");
    if out.is_empty() && list(&value["hunks"]).len() > 1 && list(&value["not_followed"]).is_empty() {
        out.push_str("no two changes affect the same statement: they can be tested one by one\n");
    }
    out
}
