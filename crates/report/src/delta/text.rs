//! The deltas for a terminal.

use super::{briefly, caused, headline, is_told, place, same, version, within};
use hydrogen_evidence::delta::{Function, Says, Told};
use std::fmt::Write as _;

/// The deltas, function by function.
pub fn text(told: &Told) -> String {
    let mut out = format!("{} → {}: {}\n", version(&told.old), version(&told.new), headline(told));
    for one in told.functions.iter().filter(|one| is_told(one)) {
        function(&mut out, one);
    }
    if !told.causes.is_empty() {
        out.push_str("\nStatements that read as before and do something else\n");
        for cause in &told.causes {
            let _ = writeln!(out, "  {}", caused(told, cause));
        }
    }
    for words in same(told, &str::to_owned) {
        let _ = writeln!(out, "\n{words}");
    }
    for (title, list) in [
        ("Types", &told.types),
        ("Begins otherwise", &told.variables),
        ("Not read, so that nothing is said of it", &told.missing),
        ("Not compiled by this build", &told.outside),
    ] {
        if !list.is_empty() {
            let _ = writeln!(out, "\n{title}");
            for one in list {
                let _ = writeln!(out, "  {one}");
            }
        }
    }
    let names = |list: &[hydrogen_evidence::delta::Named]| -> String {
        let all: Vec<String> = list.iter().map(|one| format!("{}()", one.name)).collect();
        all.join(", ")
    };
    for (title, list) in [("Added", &told.added), ("Removed", &told.removed)] {
        if !list.is_empty() {
            let _ = writeln!(out, "\n{title}: {}", names(list));
        }
    }
    out
}

fn function(out: &mut String, one: &Function) {
    let _ = writeln!(out, "\n{}:{} {}()", one.file, one.line, one.name);
    for region in one.own_regions() {
        let (listed, rest) = briefly(region);
        let told: Vec<String> = listed.into_iter().map(|delta| within(region, delta)).chain(rest).collect();
        match told.as_slice() {
            [one] => {
                let _ = writeln!(out, "  {}: {one}", place(region));
            }
            several => {
                let _ = writeln!(out, "  {}:", place(region));
                for one in several {
                    let _ = writeln!(out, "    - {one}");
                }
            }
        }
    }
    for words in one.declared.iter().chain(&one.ledger) {
        let _ = writeln!(out, "  {words}");
    }
    if one.says == Says::Exact && !one.regions.is_empty() {
        out.push_str("  Otherwise as before.\n");
    }
}
