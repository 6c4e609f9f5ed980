//! Loops as libraries have them: pairs of functions, of which `…_ok` has no fault at the statement asked about and `…_bad` has one. The
//! halves were parted before anything was tried on them, by the order of their names' hashes: `loops-tune` was looked at while
//! the analysis was made better, `loops-report` only to see what that gave.
//!
//! A verdict that is wrong fails; so does any that is not the one written down, so that a change for better or worse is seen. What is
//! written down as `unknown` is a shortcoming. `HYDROGEN_LOOP=WORD` asks only about functions whose names begin with the word, and shows
//! their ledgers.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{Code, compile, graph_of};
use hydrogen_evidence::{Class, Finding};
use hydrogen_graph::VersionSet;
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};

const PARTS: usize = 3;

/// As much as `check` spends on a question.
fn budget() -> Budget {
    Budget { question: 4_000_000, solver: 1_000_000, ..Budget::default() }
}

/// A line ``KIND FUNCTION `STATEMENT`: VERDICT``.
struct Asked<'a> {
    kind: Class,
    function: &'a str,
    statement: &'a str,
    verdict: &'a str,
}

impl<'a> Asked<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        let (function, rest) = rest.split_once(" `")?;
        let (statement, verdict) = rest.rsplit_once("`: ")?;
        Some(Self { kind: Class::of_word(kind)?, function, statement, verdict })
    }

    /// What is wrong to say of it, whatever is hard to say.
    fn wrong(&self) -> &'static str {
        match self.function.ends_with("_ok") {
            true => "present",
            false => "absent",
        }
    }
}

/// The code blocks of a fixture, each with the questions that follow it.
fn pairs(fixture: &str) -> Vec<(String, Vec<Asked<'_>>)> {
    let mut found: Vec<(String, Vec<Asked<'_>>)> = Vec::new();
    let mut lines = fixture.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        match head {
            "c" => found.push((body.join("\n"), Vec::new())),
            _ => found.last_mut().unwrap().1.extend(body.into_iter().filter_map(Asked::of)),
        }
    }
    found
}

/// All operations of the statement together: the fault is there if it is in one of them.
fn verdict(code: &Code, asked: &Asked<'_>) -> (&'static str, Vec<Finding>) {
    let graph = graph_of(code);
    let is_it = |&node: &_| {
        graph.text(node) == asked.statement && graph.newest_name(graph.chain(node)) == asked.function
    };
    let node = graph.nodes().find(is_it).unwrap_or_else(|| panic!("{}: no statement", asked.function));
    let program = Program { graph: &graph, code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget());
    let (at, versions) = (graph.node_versions(node).first().unwrap(), VersionSet::all(1));
    let findings =
        analyst.judge(&Question { node, at, kind: Some(asked.kind), versions: &versions, inside: false });
    assert!(!findings.is_empty(), "{}: raises nothing", asked.function);
    let words: Vec<&str> = findings.iter().map(|finding| finding.verdicts[0].verdict.word()).collect();
    let word = ["present", "unknown", "absent"].into_iter().find(|word| words.contains(word)).unwrap();
    (word, findings)
}

/// One pair of every three, so that they are asked about side by side.
fn check(fixture: &str, part: usize) {
    let only = std::env::var("HYDROGEN_LOOP").ok();
    let (mut wrong, mut other, mut decided, mut all) = (Vec::new(), Vec::new(), 0, 0);
    for (text, questions) in pairs(fixture).into_iter().skip(part).step_by(PARTS) {
        assert!(!questions.is_empty(), "nothing is asked about {text}");
        let wanted = |asked: &&Asked<'_>| only.as_ref().is_none_or(|only| asked.function.starts_with(only));
        if !questions.iter().any(|asked| wanted(&asked)) {
            continue;
        }
        let code = vec![vec![compile(&text)]];
        for asked in questions.iter().filter(wanted) {
            let (word, findings) = verdict(&code, asked);
            all += 1;
            decided += usize::from(word != "unknown");
            if word == asked.wrong() {
                wrong.push(format!("{}: {word}: {:#?}", asked.function, findings));
            }
            if word != asked.verdict {
                other.push(format!("{}: {word}, not {}", asked.function, asked.verdict));
            }
            if only.is_some() {
                for finding in &findings {
                    println!("{}: {word} {:?}", asked.function, finding.verdicts[0].ledger);
                }
            }
        }
    }
    println!("{decided} of {all} are decided");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(other.is_empty(), "{}", other.join("\n"));
}

#[test]
fn loops_that_were_tuned_on_first_part() {
    check(include_str!("fixtures/loops-tune.md"), 0);
}

#[test]
fn loops_that_were_tuned_on_second_part() {
    check(include_str!("fixtures/loops-tune.md"), 1);
}

#[test]
fn loops_that_were_tuned_on_third_part() {
    check(include_str!("fixtures/loops-tune.md"), 2);
}

#[test]
fn loops_that_were_only_reported_first_part() {
    check(include_str!("fixtures/loops-report.md"), 0);
}

#[test]
fn loops_that_were_only_reported_second_part() {
    check(include_str!("fixtures/loops-report.md"), 1);
}

#[test]
fn loops_that_were_only_reported_third_part() {
    check(include_str!("fixtures/loops-report.md"), 2);
}

#[test]
fn loops_that_look_as_if_something_were_kept() {
    for part in 0..PARTS {
        check(include_str!("fixtures/loops-attacks.md"), part);
    }
}
