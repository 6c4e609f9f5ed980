//! Every witness of every fixture is run. What a fixture calls present is confirmed, or it stands in `lost.txt` with what the run did
//! instead; the share is printed.
#![allow(clippy::unwrap_used)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
mod support;

use common::{Code, blocks, graph_of};
use hydrogen_evidence::{Class, Finding, Replay, Verdict};
use hydrogen_graph::{NodeId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};
use hydrogen_witness::Runner;
use std::fmt::Write;
use support::Compiled;

fn judge(modules: &Code, kind: Class, text: &str, inside: bool) -> Option<Finding> {
    let graph = graph_of(modules);
    let (text, skip) = match text.rsplit_once(" #") {
        Some((text, n)) => (text, n.parse::<usize>().unwrap() - 1),
        None => (text, 0),
    };
    let node: NodeId = graph.nodes().filter(|&node| graph.text(node) == text).nth(skip)?;
    let program = Program { graph: &graph, code: modules };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    analyst.confirm_with(Runner::new(Compiled(modules), None));
    let versions = VersionSet::all(modules.len());
    let at = graph.node_versions(node).first()?;
    analyst.judge(&Question { node, at, kind: Some(kind), versions: &versions, inside }).into_iter().next()
}

/// The fixtures by name, and whether what a statement calls is the statement's.
const FIXTURES: &[(&str, &str, bool)] = &[
    ("another-call", include_str!("../../query/tests/fixtures/another-call.md"), false),
    ("e01-overflow", include_str!("../../query/tests/fixtures/e01-overflow.md"), false),
    ("e02-multiplication", include_str!("../../query/tests/fixtures/e02-multiplication.md"), false),
    ("e09-chunks", include_str!("../../query/tests/fixtures/e09-chunks.md"), false),
    ("engines", include_str!("../../query/tests/fixtures/engines.md"), false),
    ("errata", include_str!("../../query/tests/fixtures/errata.md"), false),
    ("floats", include_str!("../../query/tests/fixtures/floats.md"), false),
    ("found", include_str!("../../query/tests/fixtures/found.md"), false),
    ("given-away", include_str!("../../query/tests/fixtures/given-away.md"), false),
    ("honest", include_str!("../../query/tests/fixtures/honest.md"), false),
    ("inductive", include_str!("../../query/tests/fixtures/inductive.md"), false),
    ("started", include_str!("../../query/tests/fixtures/started.md"), false),
    ("carried", include_str!("../../query/tests/fixtures/carried.md"), true),
    ("inside", include_str!("../../query/tests/fixtures/inside.md"), true),
    ("kinds", include_str!("../../query/tests/fixtures/kinds.md"), false),
    ("elements", include_str!("../../query/tests/fixtures/elements.md"), false),
    ("leaks", include_str!("../../query/tests/fixtures/leaks.md"), false),
    ("members", include_str!("../../query/tests/fixtures/members.md"), false),
    ("rooms", include_str!("../../query/tests/fixtures/rooms.md"), false),
    ("never-null", include_str!("../../query/tests/fixtures/never-null.md"), false),
    ("paths", include_str!("../../query/tests/fixtures/paths.md"), false),
    ("stored", include_str!("../../query/tests/fixtures/stored.md"), false),
    ("replaced", include_str!("../../query/tests/fixtures/replaced.md"), false),
    ("far-sizes", include_str!("../../query/tests/fixtures/far-sizes.md"), false),
    ("moved", include_str!("../../query/tests/fixtures/moved.md"), false),
    ("texts", include_str!("../../query/tests/fixtures/texts.md"), false),
    ("texts-handed-on", include_str!("../../query/tests/fixtures/texts-handed-on.md"), true),
    ("unions", include_str!("../../query/tests/fixtures/unions.md"), false),
    ("untouched", include_str!("../../query/tests/fixtures/untouched.md"), false),
];

#[test]
fn witnesses_of_the_fixtures_are_confirmed() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let (mut confirmed, mut all, mut lost) = (0, 0, String::new());
    let only = std::env::var("HYDROGEN_FIXTURE").ok();
    for (name, fixture, inside) in
        FIXTURES.iter().filter(|one| only.as_deref().is_none_or(|only| one.0 == only))
    {
        let (versions, expected) = blocks(fixture);
        for (kind, text, expect) in expected {
            let finding = judge(&versions, kind, &text, *inside).unwrap();
            for (ruling, line) in finding.verdicts.iter().zip(expect.lines()) {
                let wanted = line.split_once(": ").unwrap().1;
                let place = format!("{name}: {} {text}, {}", kind.word(), ruling.version);
                let found = ruling.verdict.word();
                if wanted == "present" {
                    all += 1;
                    confirmed += usize::from(ruling.evidence.replay == Some(Replay::Confirmed));
                }
                // A run takes nothing away from what is refuted.
                let was = if wanted == "fixed" && found == "absent" { "absent" } else { wanted };
                if found != was {
                    assert_eq!((was, ruling.verdict), ("present", Verdict::Unknown), "{place}");
                    let replay =
                        ruling.evidence.replay.as_ref().map_or("no run".to_owned(), Replay::to_string);
                    let input =
                        ruling.evidence.input.as_ref().map_or(String::new(), |input| input.to_string());
                    if only.is_some() {
                        eprintln!("{place}: {replay}\n    {input}\n    {}", ruling.evidence.constraint);
                    }
                    writeln!(lost, "{place}: {replay}").unwrap();
                }
            }
        }
    }
    eprintln!("{confirmed} of {all} witnesses are confirmed");
    if only.is_none() {
        assert_eq!(lost, include_str!("lost.txt"), "what is not confirmed");
    }
}
