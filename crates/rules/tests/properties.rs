//! Rules on random histories: many versions at once give what each version alone gives, and what running them shows.

#![allow(clippy::unwrap_used)]

#[path = "../../graph/tests/common/mod.rs"]
mod common;

use common::{F, Program, S, history, inputs, module, steps};
use hydrogen_evidence::{Entry, Finding, Verdict};
use hydrogen_graph::{Graph, NodeId, VersionId, VersionSet};
use hydrogen_ir::{Callee, Module};
use hydrogen_rules::{Order, Rule, Ruled, judge};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const RULES: [&str; 4] = ["f1 => f2", "f2 => f3", "f1 => !f2", "f3 => !f1"];

fn build(history: &[(Program, Vec<usize>)]) -> Graph {
    let modules: Vec<Module> = history.iter().map(|(program, _)| module(program)).collect();
    Graph::build(inputs(history, &modules, true)).unwrap()
}

/// What a version is told, by file, function and line: verdicts and their ledgers.
type Told = BTreeMap<(String, String, u32), (Verdict, Vec<Entry>)>;

fn told(graph: &Graph, ruled: &Ruled, version: VersionId) -> Told {
    let mut told = Told::new();
    for finding in &ruled.findings {
        let ruling = finding.verdicts.iter().find(|ruling| ruling.id == version.0).unwrap();
        if ruling.verdict == Verdict::NotApplicable {
            continue;
        }
        let verdict = if ruling.verdict == Verdict::Fixed { Verdict::Absent } else { ruling.verdict };
        let chain = graph.chain(NodeId(finding.node));
        let (file, _) = graph.location(chain, version);
        let line = graph.line(NodeId(finding.node), version).unwrap();
        let place = (file.to_owned(), graph.name(chain, version).to_owned(), line);
        // Which of several equally short paths is shown may differ, and with it what is said of its branches.
        let ledger = ruling.ledger.iter().filter(|line| **line != Entry::BranchesTogether).cloned();
        assert!(told.insert(place, (verdict, ledger.collect())).is_none());
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// AINV-1: the verdicts of a run over all versions are those of runs over each, on the version taken out of the graph and on
    /// a graph of that version alone.
    #[test]
    fn many_versions_are_judged_like_one(steps in steps(7), branches: bool, rule in 0usize..4) {
        let rule = Rule::parse(RULES[rule]).unwrap();
        let history = history(&steps, branches);
        let graph = build(&history);
        let all: Vec<VersionId> = (0..history.len()).map(VersionId::at).collect();
        let together = judge(&graph, &rule, &all);
        for &version in &all {
            let expected = told(&graph, &together, version);
            let projected = graph.project(&VersionSet::one(version));
            let alone = vec![(history[version.index()].0.clone(), vec![])];
            for single in [projected, build(&alone)] {
                let ruled = judge(&single, &rule, &[VersionId(0)]);
                prop_assert_eq!(&told(&single, &ruled, VersionId(0)), &expected);
            }
            // Asking about one version of a graph of many is no different.
            let asked = judge(&graph, &rule, &[version]);
            prop_assert_eq!(told(&graph, &asked, version), expected);
        }
    }

    /// Every run that breaks a rule is told, and every rule that is told broken is broken by a path of the program.
    #[test]
    fn runs_agree(steps in steps(6), rule in 0usize..4) {
        let rule = Rule::parse(RULES[rule]).unwrap();
        let history = history(&steps, false);
        let graph = build(&history);
        let all: Vec<VersionId> = (0..history.len()).map(VersionId::at).collect();
        let ruled = judge(&graph, &rule, &all);
        for &version in &all {
            let program = &history[version.index()].0;
            let runs = Runs::of(program, &rule, &called(&graph, version));
            let told = |finding: &Finding| finding.verdicts[version.index()].verdict;
            for finding in &ruled.findings {
                if !matches!(told(finding), Verdict::Absent | Verdict::Fixed) {
                    continue;
                }
                let name = graph.name(graph.chain(NodeId(finding.node)), version);
                let line = graph.line(NodeId(finding.node), version).unwrap();
                let file = graph.location(graph.chain(NodeId(finding.node)), version).0.to_owned();
                prop_assert!(!runs.broken.contains(&(file, name.to_owned(), line)), "{} at {}:{}\n{:#?}", rule, name, line, program);
            }
            if runs.complete {
                for finding in ruled.findings.iter().filter(|finding| told(finding) == Verdict::Present) {
                    let name = graph.name(graph.chain(NodeId(finding.node)), version);
                    let line = graph.line(NodeId(finding.node), version).unwrap();
                    let file = graph.location(graph.chain(NodeId(finding.node)), version).0.to_owned();
                    prop_assert!(runs.broken.contains(&(file, name.to_owned(), line)), "{} at {}:{}\n{:#?}", rule, name, line, program);
                }
            }
        }
    }
}

/// Runs of a random program with every branch taken both ways.
struct Runs {
    /// The calls after which the rule was broken.
    broken: BTreeSet<(String, String, u32)>,
    /// Whether all runs were tried.
    complete: bool,
}

/// What a run did: it called a function, or came back from one to a place.
enum Event {
    Called(String),
    Back(String, (String, String, u32)),
}

impl Runs {
    fn of(program: &Program, rule: &Rule, called: &BTreeSet<String>) -> Runs {
        let mut runs = Runs { broken: BTreeSet::new(), complete: true };
        let lines = lines(program);
        let roots = program.functions.iter().enumerate();
        // What must follow may follow in a caller; what must not follow must not follow wherever a run begins.
        let is_root = |function: &F| rule.order == Order::Never || !called.contains(&function.name);
        for (at, _) in roots.filter(|(_, function)| is_root(function)) {
            let mut choices: Vec<bool> = Vec::new();
            for tried in 0.. {
                let mut run = Run {
                    program,
                    lines: &lines,
                    choices: choices.clone(),
                    at: 0,
                    events: Vec::new(),
                    steps: 0,
                };
                let ended = run.function(at, 0);
                runs.complete &= ended != End::Lost;
                if ended != End::Lost {
                    runs.judge(&run.events, rule);
                }
                choices = run.choices;
                choices.truncate(run.at);
                while choices.last() == Some(&true) {
                    choices.pop();
                }
                match choices.last_mut() {
                    Some(last) => *last = true,
                    None => break,
                }
                if tried > 400 {
                    runs.complete = false;
                    break;
                }
            }
        }
        runs
    }

    fn judge(&mut self, events: &[Event], rule: &Rule) {
        for (at, event) in events.iter().enumerate() {
            let Event::Back(name, place) = event else { continue };
            let second = |event: &Event| matches!(event, Event::Called(name) if *name == rule.second);
            let follows = events[at + 1..].iter().any(second);
            if *name == rule.first && follows == (rule.order == Order::Never) {
                self.broken.insert(place.clone());
            }
        }
    }
}

/// The functions that a version calls. Statements that nothing reaches are not among its statements.
fn called(graph: &Graph, version: VersionId) -> BTreeSet<String> {
    let chains = graph.chains().filter(|&chain| graph.chain_in(chain, version));
    let nodes = chains.flat_map(|chain| graph.pieces(chain, version));
    let callees = nodes.flat_map(|node| graph.callees(node, version).to_vec());
    let name = |callee| match callee {
        Callee::Direct(name) => Some(name),
        Callee::Indirect(_) => None,
    };
    callees.filter_map(name).collect()
}

/// The line of every statement, by its address: the program is not moved while it runs.
fn lines(program: &Program) -> BTreeMap<*const S, u32> {
    fn number(block: &[S], line: &mut u32, out: &mut BTreeMap<*const S, u32>) {
        for statement in block {
            *line += 1;
            out.insert(std::ptr::from_ref(statement), *line);
            match statement {
                S::If(_, then, otherwise) => {
                    number(then, line, out);
                    number(otherwise, line, out);
                }
                S::While(_, body) => number(body, line, out),
                S::Switch(_, cases) => cases.iter().for_each(|(_, body)| number(body, line, out)),
                _ => {}
            }
        }
    }
    let mut out = BTreeMap::new();
    let mut next = [1u32; 3];
    for function in &program.functions {
        let line = &mut next[usize::from(function.file)];
        *line += 1;
        number(&function.body, line, &mut out);
        *line += 2;
    }
    out
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum End {
    Next,
    Break,
    Return,
    /// Too deep or too long to be followed.
    Lost,
}

struct Run<'a> {
    program: &'a Program,
    lines: &'a BTreeMap<*const S, u32>,
    choices: Vec<bool>,
    at: usize,
    events: Vec<Event>,
    steps: usize,
}

impl Run<'_> {
    fn choose(&mut self) -> bool {
        if self.at == self.choices.len() {
            self.choices.push(false);
        }
        self.at += 1;
        self.choices[self.at - 1]
    }

    fn function(&mut self, at: usize, depth: usize) -> End {
        let function: &F = &self.program.functions[at];
        match self.block(&function.body, function, depth) {
            End::Lost => End::Lost,
            _ => End::Next,
        }
    }

    fn block(&mut self, block: &[S], function: &F, depth: usize) -> End {
        for statement in block {
            let end = self.statement(statement, function, depth);
            if end != End::Next {
                return end;
            }
        }
        End::Next
    }

    fn statement(&mut self, statement: &S, function: &F, depth: usize) -> End {
        self.steps += 1;
        if self.steps > 60 || depth > 4 || self.at > 14 {
            return End::Lost;
        }
        match statement {
            S::Simple(_) | S::Blank => End::Next,
            S::Call(number) => self.call(*number, statement, function, depth),
            S::Either(..) => {
                self.choose();
                End::Next
            }
            S::If(_, then, otherwise) => {
                let block = if self.choose() { then } else { otherwise };
                self.block(block, function, depth)
            }
            S::While(_, body) => {
                while self.choose() {
                    match self.block(body, function, depth) {
                        End::Next => {}
                        End::Break => break,
                        end => return end,
                    }
                }
                End::Next
            }
            S::Switch(_, cases) => {
                let chosen = cases.iter().position(|_| self.choose());
                for (_, body) in cases.iter().skip(chosen.unwrap_or(cases.len())) {
                    match self.block(body, function, depth) {
                        End::Next => {}
                        End::Break => break,
                        end => return end,
                    }
                }
                End::Next
            }
            S::Return(_) => End::Return,
            S::Break => End::Break,
        }
    }

    fn call(&mut self, number: u8, statement: &S, function: &F, depth: usize) -> End {
        // Nobody knows whom the pointer of the fifth call reaches.
        if number == 4 {
            return End::Lost;
        }
        let name = format!("f{number}");
        let defined = self.program.functions.iter().enumerate().filter(|(_, other)| other.name == name);
        let own = defined.clone().find(|(_, other)| other.file == function.file);
        let target = own.or_else(|| defined.clone().find(|(_, other)| !other.internal)).map(|(at, _)| at);
        self.events.push(Event::Called(name.clone()));
        let end = target.map_or(End::Next, |at| self.function(at, depth + 1));
        let line = self.lines[&std::ptr::from_ref(statement)];
        let file = format!("file{}.c", function.file);
        self.events.push(Event::Back(name, (file, function.name.clone(), line)));
        end
    }
}
