//! Ordering rules on the examples of the specification and on small programs, one Markdown file each.
//!
//! Blocks ```` ```c v2.c ```` or ```` ```c v2/name.c ```` are the versions. Every other block begins with a rule and states, line by line:
//!
//! - `verdicts RULE`: `FUNCTION: STATEMENT` and what is said of every version;
//! - `path RULE VERSION`: the statements of the path that shows the rule broken, the last being where it was found;
//! - `ledger RULE VERSION`: what the verdict depends on.

#![allow(clippy::unwrap_used)]

use hydrogen_evidence::Finding;
use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;
use hydrogen_rules::{Rule, judge};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn fixtures_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        check(&path.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(&path).unwrap());
    }
}

fn check(name: &str, text: &str) {
    let mut sources: BTreeMap<usize, Vec<Module>> = BTreeMap::new();
    let mut expected: Vec<(String, Vec<String>)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let Some(place) = head.strip_prefix("c ") else {
            expected.push((head.to_owned(), body.iter().map(|line| (*line).to_owned()).collect()));
            continue;
        };
        let (version, file) = place.split_once('/').unwrap_or((place, "main.c"));
        let digits: String = version.chars().filter(char::is_ascii_digit).collect();
        let source = body.join("\n") + "\n";
        let unit = hydrogen_syntax::read(file, source.as_bytes(), &hydrogen_syntax::Options::default());
        sources.entry(digits.parse().unwrap()).or_default().push(unit.module);
    }
    let versions: Vec<Vec<Module>> = sources.into_values().collect();
    let graph = build(&versions);
    let all: Vec<VersionId> = (0..versions.len()).map(VersionId::at).collect();
    for (head, lines) in expected {
        let (what, rest) = head.split_once(' ').unwrap();
        let (rule, version) = if what == "verdicts" { (rest, "") } else { rest.rsplit_once(' ').unwrap() };
        let findings = judge(&graph, &Rule::parse(rule).unwrap(), &all).findings;
        let found: Vec<String> = match what {
            "verdicts" => findings.iter().map(verdicts).collect(),
            "path" => findings.iter().flat_map(|finding| path(finding, version)).collect(),
            "ledger" => findings.iter().flat_map(|finding| ledger(finding, version)).collect(),
            other => panic!("{name}: `{other}` is no kind of block"),
        };
        assert_eq!(found.join("\n"), lines.join("\n"), "{name}, block `{head}`");
    }
}

fn build(versions: &[Vec<Module>]) -> Graph {
    let inputs = versions.iter().enumerate().map(|(at, modules)| {
        let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
        let info = VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() };
        VersionInput::from_modules(info, modules)
    });
    Graph::build(inputs).unwrap()
}

fn verdicts(finding: &Finding) -> String {
    let each = finding.verdicts.iter().map(|ruling| format!("{} {}", ruling.version, ruling.verdict.word()));
    let place = &finding.location;
    format!("{}: {}: {}", place.function, place.text, each.collect::<Vec<_>>().join(", "))
}

fn path(finding: &Finding, version: &str) -> Vec<String> {
    let ruling = finding.verdicts.iter().find(|ruling| ruling.version == version).unwrap();
    let spot = |spot: &hydrogen_evidence::Spot| {
        let notes = spot.notes.iter().map(|note| format!("  [{note}]")).collect::<String>();
        format!("{} {}{notes}", spot.line, spot.text)
    };
    ruling.evidence.path.iter().map(spot).collect()
}

fn ledger(finding: &Finding, version: &str) -> Vec<String> {
    finding
        .verdicts
        .iter()
        .find(|ruling| ruling.version == version)
        .unwrap()
        .ledger
        .iter()
        .map(ToString::to_string)
        .collect()
}
