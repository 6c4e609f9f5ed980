//! Verdicts by a fix, from Markdown fixtures: the first version is the one before the fix, the second the one after it; the others are releases.
#![allow(clippy::unwrap_used)]

mod common;

use common::{blocks, graph_of};
use hydrogen_graph::{Fix, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};

fn check(fixture: &str) {
    check_with(fixture, |analyst, question, fix| analyst.judge_by_fix(question, fix));
}

fn check_with(
    fixture: &str,
    judge: impl Fn(&mut Analyst<'_>, &Question<'_>, Fix) -> Option<hydrogen_evidence::Finding>,
) {
    let (code, expected) = blocks(fixture);
    assert!(!expected.is_empty());
    for (kind, text, expect) in expected {
        let graph = graph_of(&code);
        let before = VersionId::at(0);
        let node = graph.nodes().find(|&node| graph.text(node) == text && graph.node_in(node, before));
        let node = node.unwrap_or_else(|| panic!("there is no {text}"));
        let program = Program { graph: &graph, code: &code };
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
        let versions = VersionSet::all(code.len());
        let question = Question { node, at: before, kind: Some(kind), versions: &versions, inside: false };
        let found = judge(&mut analyst, &question, Fix { before, after: VersionId::at(1) });
        let Some(finding) = found else {
            assert_eq!("nothing", expect, "{text}");
            continue;
        };
        let words = finding.verdicts.iter().enumerate();
        let words: Vec<String> =
            words.map(|(at, ruling)| format!("v{}: {}", at + 1, ruling.verdict.word())).collect();
        assert_eq!(words.join("\n"), expect, "{text}: {:#?}", finding.verdicts);
    }
}

/// The fix stands before the first statement that both versions have.
#[test]
fn fixes_at_the_entry() {
    check(include_str!("fixtures/fixed-at-entry.md"));
}

/// A function, a pointer or an allocator that nobody sees inside of is the same in all versions.
#[test]
fn the_same_unknown_is_the_same_unknown() {
    check(include_str!("fixtures/same-unknown.md"));
    check(include_str!("fixtures/other-unknown.md"));
}

/// What a release's own test leaves of the states is told only where a way in to it is followed.
#[test]
fn a_release_with_a_test_of_its_own() {
    check(include_str!("fixtures/own-test.md"));
}

/// The fix is in a function that sets, makes or hands over what the statement uses.
#[test]
fn fixes_of_what_comes_from_elsewhere() {
    check(include_str!("fixtures/set-elsewhere.md"));
    check(include_str!("fixtures/made-elsewhere.md"));
    check(include_str!("fixtures/handed-over.md"));
}

/// A member that is used as another one of the version before the fix has only another name.
#[test]
fn renamed_members() {
    check(include_str!("fixtures/renamed-members.md"));
}

/// A variable that is defined and used as another one of the version before the fix has only another name.
#[test]
fn renamed_variables() {
    check(include_str!("fixtures/renamed.md"));
}

/// Where both versions do the same, nothing is said to be fixed.
#[test]
fn refactorings_fix_nothing() {
    for fixture in [include_str!("fixtures/refactorings.md"), include_str!("fixtures/other-members.md")] {
        check_with(fixture, |analyst, question, fix| analyst.judge_by_own_fix(question, fix));
    }
}

/// A test of a number that wraps around lets through what it is meant to turn away.
#[test]
fn tests_that_wrap_around() {
    check(include_str!("fixtures/wrapping-tests.md"));
}

/// What another test leaves of the states is not told where only memory that comes in could make it.
#[test]
fn another_fix_is_not_the_fault() {
    check(include_str!("fixtures/another-fix.md"));
}

/// A program that ends where it starts does not come to the statement.
#[test]
fn programs_that_end_before() {
    check(include_str!("fixtures/ends-before.md"));
}

/// A file that was moved has the same variables and functions.
#[test]
fn moved_files() {
    check(include_str!("fixtures/moved-files.md"));
}

/// Where nothing shows what a fix does for the statement, releases are told apart by all the functions that it changed.
#[test]
fn fixes_by_their_code_alone() {
    for fixture in [include_str!("fixtures/by-code.md"), include_str!("fixtures/by-code-members.md")] {
        check_with(fixture, |analyst, question, fix| analyst.judge_by_code(question, fix));
    }
}

/// Where calls before differ, nobody says that a release is not in the states of a fix because of the names of what they leave behind.
#[test]
fn a_release_that_makes_other_calls_is_not_refuted_by_them() {
    let text = include_str!("fixtures/asks-another.md");
    let code = common::blocks(text).0;
    let graph = graph_of(&code);
    let (before, after) = (VersionId::at(0), VersionId::at(1));
    let node = graph.nodes().find(|&node| graph.text(node) == "tell(s, have, want)").unwrap();
    let program = Program { graph: &graph, code: &code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let versions = VersionSet::all(code.len());
    let kind = Some(hydrogen_evidence::Class::UseAfterFree);
    let question = Question { node, at: before, kind, versions: &versions, inside: false };
    let Some(finding) = analyst.judge_by_fix(&question, Fix { before, after }) else { return };
    for ruling in finding.verdicts.iter().filter(|ruling| ruling.id >= 2) {
        let word = ruling.verdict.word();
        assert!(word != "absent" && word != "fixed", "v{}: {:#?}", ruling.id + 1, finding.verdicts);
    }
}
