//! What a change is for tests, for people.

use crate::columns::{plural, shortened};
use hydrogen_evidence::mined::{Classification, Needed, Part};

/// Each test with its class and the parts that it needs to fail.
pub fn text(answer: &Classification) -> String {
    let mut out = String::new();
    for test in &answer.tests {
        out.push_str(&format!("{}\n", test.test));
        let versions = [("old", Some(&test.old)), ("new", Some(&test.new)), ("oracle", test.oracle.as_ref())];
        for (version, said) in versions {
            if let Some(said) = said {
                out.push_str(&format!("  {version:8} {said}\n"));
            }
        }
        let also = if test.class == "regression" { ", a differential error" } else { "" };
        out.push_str(&format!("  {}{also}\n", test.class));
        if let Some(reason) = &test.reason {
            out.push_str(&format!("    {reason}\n"));
        }
        if let Some(needed) = &test.interaction {
            out.push_str(&interaction(needed, &answer.changes));
        }
    }
    if answer.other_files > 0 {
        out.push_str(&format!(
            "changed files that are no C: {}; they are always those of the new version\n",
            answer.other_files
        ));
    }
    out
}

fn interaction(needed: &Needed, changes: &[Part]) -> String {
    let mut out = String::new();
    let name = |number: &usize| {
        changes.get(*number).map_or(String::new(), |change| {
            let kind = if change.kind == "deleted" { " (deleted)" } else { "" };
            format!("{}:{}{kind}", change.file, change.line)
        })
    };
    if let Some(parts) = &needed.critical {
        let alone = parts.critical.len() == 1;
        let critical = if alone { "fails alone" } else { "fail together" };
        let mut told = |numbers: &[usize], what: &str| {
            if !numbers.is_empty() {
                out.push_str(&format!("  {what}: {}\n", shortened(numbers.iter().map(name).collect(), ", ")));
            }
        };
        told(&parts.critical, critical);
        if !alone {
            told(&parts.skippable, "of these, can each be left out");
        }
    }
    let label = match needed.label {
        "CIE" => "change interaction error (CIE): several changes are needed",
        "non-CIE" => "no change interaction error (non-CIE): one change is enough",
        _ => "change interaction unclassified",
    };
    out.push_str(&format!("  {label}\n"));
    if let Some(reason) = &needed.reason {
        out.push_str(&format!("    {reason}\n"));
    }
    let answers: Vec<String> =
        needed.answers.iter().map(|(said, count)| format!("{count} {}", in_plural(said))).collect();
    out + &format!(
        "  {} of {}: {}\n",
        plural(needed.configurations, "configuration"),
        plural(changes.len(), "change"),
        answers.join(", ")
    )
}

fn in_plural(said: &str) -> &str {
    match said {
        "passes" => "pass",
        "fails" => "fail",
        "fails in another way" => "fail in another way",
        "does not fit together" => "do not fit together and were not built",
        "does not build" => "do not build",
        other => other,
    }
}
