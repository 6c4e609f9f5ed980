//! Who calls whom over versions, and which calls lead to a function.

use crate::columns::plural;
use crate::envelope;
use hydrogen_evidence::calls::{Caller, Reaching};
use serde_json::json;

/// Every function, and below it whom it calls.
pub fn calls_text(callers: &[Caller]) -> String {
    let mut out = String::new();
    for Caller { file, line, name, versions, calls } in callers {
        out.push_str(&format!("{file}:{line} {name} [{versions}]\n"));
        for call in calls {
            // What a function calls as long as it exists needs no versions.
            let since = call.versions.as_ref().map_or(String::new(), |versions| format!(" [{versions}]"));
            out.push_str(&format!("  -> {}{since}\n", call.callee));
        }
    }
    out
}

/// The same as `graph-calls/1`.
pub fn calls_json(callers: &[Caller]) -> String {
    envelope::json("graph-calls/1", &json!({ "functions": callers }))
}

/// For each version, the calls that lead to the function.
pub fn reaching_text(name: &str, versions: &[Reaching]) -> String {
    let mut out = String::new();
    for Reaching { version, functions } in versions {
        if functions.is_empty() {
            out.push_str(&format!("{version}: no function `{name}`\n"));
        }
        for function in functions {
            let calls = plural(function.calls.len(), "call");
            let place = format!("{}:{}", function.file, function.line);
            out.push_str(&format!("{version}: {calls} can reach {name} ({place})\n"));
            for call in &function.calls {
                out.push_str(&format!("  {}:{} {}: {}\n", call.file, call.line, call.caller, call.text));
            }
        }
    }
    out
}

/// The same as `graph-reaching/1`.
pub fn reaching_json(name: &str, versions: &[Reaching]) -> String {
    envelope::json("graph-reaching/1", &json!({ "function": name, "versions": versions }))
}
