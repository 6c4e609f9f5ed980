//! Printing statement graphs compactly, and checking what holds for all of them.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use expect_test::Expect;
use hydrogen_ir::{Callee, EdgeKind, Function, PieceId, Role};
use hydrogen_syntax::{MacroEnv, Options, Unit, read};
use std::fmt::Write;

/// Reads without a configuration and compares.
pub fn check(source: &str, expect: Expect) {
    check_with(source, &Options::default(), expect);
}

/// Reads a function body and compares.
pub fn check_body(body: &str, expect: Expect) {
    check(&format!("void f(int a, int b, int c) {{\n{body}\n}}\n"), expect);
}

/// Reads with the given macros (`A=1 B`) and compares.
pub fn check_defined(macros: &str, source: &str, expect: Expect) {
    let mut env = MacroEnv::new();
    for name in macros.split_whitespace() {
        match name.split_once('=') {
            Some((name, text)) => env.define(name, Some(text)),
            None => env.define(name, None),
        }
    }
    check_with(source, &Options { defined: Some(env), known: None }, expect);
}

fn check_with(source: &str, options: &Options, expect: Expect) {
    let unit = read("t.c", source.as_bytes(), options);
    sound(&unit);
    assert_eq!(unit, read("t.c", source.as_bytes(), options), "reading is deterministic");
    expect.assert_eq(&show(&unit));
}

pub fn show(unit: &Unit) -> String {
    let mut out = String::new();
    for function in &unit.module.functions {
        let names: Vec<_> = function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let linkage = format!("{:?}", function.linkage).to_lowercase();
        let linkage = if linkage == "external" { String::new() } else { format!(" {linkage}") };
        let stops = if function.no_return { " noreturn" } else { "" };
        writeln!(out, "{}({}){linkage}{stops}", function.name, names.join(", ")).unwrap();
        for (index, piece) in function.pieces.iter().enumerate() {
            let id = PieceId::at(index);
            if id == Function::EXIT {
                continue;
            }
            let role = match piece.role {
                Role::Entry | Role::Expression => String::new(),
                role => format!("{role:?} "),
            };
            let text = if piece.role == Role::Entry { "entry" } else { &piece.text };
            write!(out, "  {index} {role}{text}").unwrap();
            for call in function.calls.iter().filter(|call| call.piece == id) {
                match &call.callee {
                    Callee::Direct(name) => write!(out, " [{name}]").unwrap(),
                    Callee::Indirect(name) => write!(out, " [*{name}]").unwrap(),
                }
            }
            for edge in function.flow.iter().filter(|edge| edge.from == id) {
                let kind = match &edge.kind {
                    EdgeKind::Next => String::new(),
                    EdgeKind::True => "T".into(),
                    EdgeKind::False => "F".into(),
                    EdgeKind::Case(label) => format!("{label}:"),
                    EdgeKind::Default => "default:".into(),
                    EdgeKind::Indirect => "*".into(),
                    EdgeKind::Config(condition) => format!("#{condition}:"),
                };
                write!(out, " →{kind}{}", edge.to.0).unwrap();
            }
            out.push('\n');
        }
    }
    for problem in &unit.problems {
        let start = problem.span.start;
        writeln!(out, "! {}:{} {}", start.line, start.column, problem.message).unwrap();
    }
    out
}

/// What holds for every unit, whatever was read.
pub fn sound(unit: &Unit) {
    assert_eq!(unit.uses.len(), unit.module.functions.len());
    for function in &unit.module.functions {
        let name = &function.name;
        let pieces = &function.pieces;
        assert_eq!(pieces[0].role, Role::Entry, "{name}");
        assert_eq!(pieces[1].role, Role::Exit, "{name}");
        assert!(function.flow.is_sorted_by(|a, b| a < b), "{name}: edges are sorted, without repetitions");
        let mut reached = vec![false; pieces.len()];
        reached[0] = true;
        reached[1] = true;
        let mut work = vec![PieceId(0)];
        while let Some(at) = work.pop() {
            for edge in out_of(function, at) {
                if !std::mem::replace(&mut reached[edge.to.index()], true) {
                    work.push(edge.to);
                }
            }
        }
        assert!(reached.iter().all(|&it| it), "{name}: every piece can be reached");
        for (index, piece) in pieces.iter().enumerate() {
            let out: Vec<_> = out_of(function, PieceId::at(index)).collect();
            let count = |kind: &EdgeKind| out.iter().filter(|edge| edge.kind == *kind).count();
            assert!(count(&EdgeKind::True) <= 1 && count(&EdgeKind::False) <= 1, "{name} {piece:?}");
            assert!(count(&EdgeKind::Next) <= 1, "{name} {piece:?}: {out:?}");
            match piece.role {
                Role::Exit => assert!(out.is_empty(), "{name}"),
                Role::If | Role::While | Role::DoWhile | Role::For => {
                    assert!(
                        out.iter().all(|edge| matches!(edge.kind, EdgeKind::True | EdgeKind::False)),
                        "{name} {piece:?}"
                    );
                }
                Role::Switch | Role::Config | Role::Condition | Role::Goto | Role::Asm => {}
                _ => assert!(out.len() <= 1, "{name} {piece:?}: {out:?}"),
            }
            assert_eq!(piece.span.is_none(), piece.is_synthetic());
            if let (Some(span), Some(whole)) = (piece.span, function.span) {
                assert!(whole.encloses(&span), "{name} {piece:?}");
            }
        }
        assert!(
            function.flow.iter().all(|edge| edge.to != Function::ENTRY),
            "{name}: nothing enters the entry"
        );
        assert!(function.calls.iter().all(|call| call.piece.index() < pieces.len()));
    }
}

fn out_of(function: &Function, at: PieceId) -> impl Iterator<Item = &hydrogen_ir::FlowEdge> {
    let begin = function.flow.partition_point(|edge| edge.from < at);
    function.flow[begin..].iter().take_while(move |edge| edge.from == at)
}
