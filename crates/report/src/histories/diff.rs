//! What differs between two versions, statement by statement, or path by path.

use crate::columns::plural;
use crate::envelope;
use hydrogen_evidence::changed::{Diff, Differing, Place, Statement, StatementChange, Status};
use serde_json::json;

/// The functions with their statements as lines.
pub fn text(diff: &Diff) -> String {
    let mut out = String::new();
    for function in &diff.functions {
        let Place { name, file, line } = &function.place;
        let status = match function.status {
            Status::Added => " (added)".to_owned(),
            Status::Deleted => " (deleted)".to_owned(),
            _ => function.became.as_ref().map(|words| format!(" ({words})")).unwrap_or_default(),
        };
        out.push_str(&format!("{file}:{line} {name}{status}\n"));
        for one in &function.statements {
            let mark = ['-', '+', '~'][one.change as usize];
            let why = if one.because.is_empty() { String::new() } else { format!("   [{}]", one.because) };
            out.push_str(&format!("  {mark} {:>5}  {}{why}\n", one.line, one.text));
        }
    }
    let all = || diff.functions.iter().flat_map(|function| &function.statements);
    let count = |change: StatementChange| all().filter(|one| one.change == change).count();
    let renamed = diff.functions.iter().filter(|one| one.status == Status::Renamed).count();
    let besides = if renamed > 0 { format!(", {renamed} only renamed or moved") } else { String::new() };
    out.push_str(&format!(
        "{} changed{besides}: {} added, {} removed, {} with another meaning\n",
        plural(diff.functions.len() - renamed, "function"),
        plural(count(StatementChange::Added), "statement"),
        count(StatementChange::Removed),
        count(StatementChange::Meaning)
    ));
    if !diff.unread.is_empty() {
        out.push_str(&format!(
            "in one version only because their file could not be read in the other, so that nothing is said of them: {}\n",
            plural(diff.unread.len(), "function")
        ));
        for Place { name, file, line } in &diff.unread {
            out.push_str(&format!("  ? {file}:{line} {name}\n"));
        }
    }
    out
}

/// The paths that only one version has, as lines.
pub fn paths_text(diff: &Diff) -> String {
    let mut out = String::new();
    for function in &diff.functions {
        let Place { name, file, line } = &function.place;
        out.push_str(&format!("{file}:{line} {name}\n"));
        let Some(both) = &function.paths else { continue };
        for (mark, paths) in [("+", &both.only_new), ("-", &both.only_old)] {
            for path in &paths.lines {
                let way: Vec<String> = path.iter().map(ToString::to_string).collect();
                out.push_str(&format!("  {mark} {}\n", way.join(" -> ")));
            }
            if paths.more {
                out.push_str(&format!("  {mark} and more\n"));
            }
        }
    }
    out.push_str(
        "+ only the new version has this path, - only the old one; lines of the version that has it\n",
    );
    out
}

/// All of it as `diff/1`.
pub fn json(diff: &Diff) -> String {
    let statement = |one: &Statement| {
        let change = ["removed", "added", "meaning"][one.change as usize];
        let mut value = json!({ "change": change, "line": one.line, "text": one.text });
        if !one.because.is_empty() {
            value["because"] = one.because.clone().into();
        }
        value
    };
    let function = |function: &Differing| {
        let Place { name, file, line } = &function.place;
        let statements: Vec<_> = function.statements.iter().map(statement).collect();
        let mut value = json!({ "name": name, "file": file, "line": line, "statements": statements });
        if let Some(words) = &function.became {
            value["became"] = words.clone().into();
        }
        if let Some(paths) = &function.paths {
            value["paths"] = json!(paths);
        }
        value
    };
    let functions: Vec<_> = diff.functions.iter().map(function).collect();
    envelope::json("diff/1", &json!({ "functions": functions, "unread": diff.unread }))
}
