//! What the hunks of a change do differently: text, JSON, Markdown, one page.

mod markdown;
mod page;
mod text;

pub use markdown::markdown;
pub use page::page;
pub use text::text;

use crate::columns::plural;
use crate::envelope;
use hydrogen_evidence::delta::{Cause, Certainty, Delta, Function, Region, Says, Told};
use serde_json::{Value, json};

/// So many cases of a region are shown where space is short.
const SHOWN: usize = 6;
/// Where there are many cases, those in longer sentences are put together.
const LONGEST: usize = 240;

/// The deltas as `delta/1`.
pub fn json(told: &Told) -> String {
    let region = |region: &Region| {
        let lines =
            |lines: Option<(u32, u32)>| lines.map_or(Value::Null, |(first, last)| json!([first, last]));
        let deltas: Vec<Value> = region.deltas.iter().map(delta).collect();
        json!({
            "old_lines": lines(region.old_lines), "new_lines": lines(region.new_lines), "deltas": deltas,
            "under": region.under, "unchanged": region.unchanged,
            "cause": region.cause, "also": region.also,
        })
    };
    let function = |one: &Function| {
        let regions: Vec<Value> = one.regions.iter().map(region).collect();
        json!({
            "name": one.name, "file": one.file, "line": one.line, "says": one.says, "regions": regions,
            "declared": one.declared, "ledger": one.ledger, "rests_on": one.rests_on,
        })
    };
    let functions: Vec<Value> = told.functions.iter().map(function).collect();
    let all = json!({
        "old": told.old, "new": told.new, "functions": functions, "added": told.added, "removed": told.removed,
        "variables": told.variables, "types": told.types,
        "causes": told.causes, "missing": told.missing,
        "outside": told.outside,
    });
    envelope::json("delta/1", &all)
}

fn delta(delta: &Delta) -> Value {
    use hydrogen_evidence::delta::When;
    let mut value = json!({
        "certainty": delta.certainty, "does": delta.does, "sentence": sentence(delta),
        "when": match &delta.when { When::Always => "always", When::Holds(_) => "holds", When::Sometimes => "sometimes" },
    });
    if let When::Holds(condition) = &delta.when {
        value["condition"] = condition.clone().into();
    }
    value
}

/// A delta as a sentence, with how sure it is where that is not as sure as can be.
pub fn sentence(delta: &Delta) -> String {
    let mark = match delta.certainty {
        Certainty::Exact => "",
        Certainty::Possible => "possible: ",
        Certainty::Summary => "not exact: ",
    };
    format!("{mark}{}", delta.sentence())
}

/// A delta of a region as a sentence: behind a branch that is told with it, nothing else decides.
pub fn within(region: &Region, delta: &Delta) -> String {
    let words = sentence(delta);
    match (&region.under, words.strip_prefix("always: ")) {
        (Some(_), Some(rest)) => rest.to_owned(),
        _ => words,
    }
}

/// Of a region with many cases, those that are told one by one, and the others in one sentence: a reader wants to know what can happen.
pub fn briefly(region: &Region) -> (Vec<&Delta>, Option<String>) {
    let is_short = |one: &&Delta| one.sentence().len() <= LONGEST;
    if region.deltas.len() <= SHOWN && region.deltas.iter().filter(|one| !is_short(one)).count() <= 1 {
        return (region.deltas.iter().collect(), None);
    }
    let listed: Vec<&Delta> = region.deltas.iter().filter(is_short).take(SHOWN - 1).collect();
    let rest: Vec<&Delta> =
        region.deltas.iter().filter(|one| !listed.iter().any(|shown| std::ptr::eq(*shown, *one))).collect();
    let mut does: Vec<&str> = Vec::new();
    for words in rest.iter().flat_map(|one| &one.does) {
        if !does.contains(&words.as_str()) {
            does.push(words);
        }
    }
    let (all, more) = (does.len(), does.len().saturating_sub(SHOWN));
    does.truncate(SHOWN);
    let more = match more {
        0 => String::new(),
        count => format!("; and {count} of {all} effects more"),
    };
    let others = if listed.is_empty() { "" } else { "other " };
    let cases = plural(rest.len(), &format!("{others}case"));
    let words = format!("in {cases} (--format json tells each): {}{more}", does.join("; "));
    (listed, (!rest.is_empty()).then_some(words))
}

/// Versions as people name them: what is left of a commit's full hash tells it from others.
pub(crate) fn version(name: &str) -> String {
    let hash: String = name.chars().take_while(char::is_ascii_hexdigit).collect();
    match hash.len() {
        40 => format!("{}{}", &hash[..10], &name[40..]),
        _ => name.to_owned(),
    }
}

/// Whether there is something to tell of a function by itself.
pub fn is_told(function: &Function) -> bool {
    let has_more = !function.declared.is_empty() || !function.ledger.is_empty();
    function.says != Says::Same
        && (function.own_regions().next().is_some() || has_more || function.regions.is_empty())
}

/// Functions that changed and have no delta, in words: those of which all that they call does the same, then the others one by one. `code` sets names off.
pub fn same(told: &Told, code: &dyn Fn(&str) -> String) -> Vec<String> {
    let all = || told.functions.iter().filter(|one| one.says == Says::Same);
    let name = |one: &Function| code(&format!("{}()", one.name));
    let closed: Vec<String> = all().filter(|one| one.rests_on.is_empty()).map(name).collect();
    let mut found = Vec::new();
    if !closed.is_empty() {
        found.push(format!("Changed and does the same: {}", closed.join(", ")));
    }
    let mut open: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for one in all().filter(|one| !one.rests_on.is_empty()) {
        match open.iter_mut().find(|(rests, _)| *rests == one.rests_on) {
            Some((_, names)) => names.push(name(one)),
            None => open.push((one.rests_on.clone(), vec![name(one)])),
        }
    }
    for (rests, names) in open {
        let more = rests.len().saturating_sub(SHOWN);
        let shown: Vec<String> = rests
            .iter()
            .take(SHOWN)
            .map(|one| if one.contains(' ') { one.clone() } else { code(one) })
            .collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let does = if names.len() == 1 { "does" } else { "do" };
        found.push(format!(
            "Changed and {does} the same, but for {}{more}: {}",
            shown.join(", "),
            names.join(", ")
        ));
    }
    found
}

/// A cause in one sentence, with the first statement that it changes as its example.
pub fn caused(told: &Told, cause: &Cause) -> String {
    let first = told.functions.iter().find_map(|function| {
        let region = function.regions.iter().find(|one| one.cause.as_deref() == Some(&cause.name))?;
        let delta = region.deltas.first()?;
        let at = format!("{}:{}", function.file, region.new_lines.map_or(function.line, |lines| lines.0));
        Some(format!("{at} {}(): {}", function.name, sentence(delta)))
    });
    let places = plural(cause.places, "statement");
    let functions = plural(cause.functions.len(), "function");
    let example = first.map_or_else(String::new, |one| format!("; for instance {one}"));
    format!("{}: {places} in {functions}{example}", cause.words)
}

/// All in one line.
pub fn headline(told: &Told) -> String {
    let count = |says: &[Says]| told.functions.iter().filter(|one| says.contains(&one.says)).count();
    let differ = count(&[Says::Exact, Says::Partial]);
    let mut parts = Vec::new();
    let mut say = |count: usize, one: &str, words: &str| {
        if count > 0 {
            parts.push(format!("{} {words}", plural(count, one)));
        }
    };
    say(differ, "function", if differ == 1 { "does something else" } else { "do something else" });
    let same = count(&[Says::Same]);
    say(same, "changed function", if same == 1 { "does the same" } else { "do the same" });
    let open = count(&[Says::Summary]);
    say(open, "function", if open == 1 { "was not evaluated" } else { "were not evaluated" });
    say(told.added.len(), "function", "added");
    say(told.removed.len(), "function", "removed");
    say(
        told.variables.len(),
        "variable",
        if told.variables.len() == 1 { "begins otherwise" } else { "begin otherwise" },
    );
    if parts.is_empty() {
        parts.push(
            match told.missing.is_empty() && told.outside.is_empty() {
                true => "no function changed",
                false => "no function that could be read changed",
            }
            .to_owned(),
        );
    }
    parts.join(", ")
}

/// Where a region is, for a reader: its line in the new version, or that the old one had it.
fn place(region: &Region) -> String {
    let more = match (region.also.len(), &region.unchanged) {
        (0, Some(text)) => format!(", `{text}` as it reads now"),
        (0, None) => String::new(),
        (count, Some(text)) => {
            format!(", `{text}` as it reads now, and {} like it", plural(count, "more line"))
        }
        (count, None) => format!(" and {count} more"),
    };
    let under = region.under.as_ref().map_or_else(String::new, |one| format!(", where {one}"));
    format!("{}{under}{more}", lines(region))
}

fn lines(region: &Region) -> String {
    match (region.new_lines, region.old_lines) {
        (Some((first, last)), _) if first != last => format!("lines {first}–{last}"),
        (Some((line, _)), _) => format!("line {line}"),
        (None, Some((line, _))) => format!("old line {line}"),
        (None, None) => "entry".to_owned(),
    }
}
