//! A second opinion: the same statements from tree-sitter's C grammar.
//!
//! Reading tokens directly is an order of magnitude faster, so the grammar is no part of the product. It is an
//! independent description of C, though, and where it reads a body without errors, both must see the same graph.

mod body;
mod declaration;
mod expression;
mod grammar;
mod prepare;
mod scratch;
mod statement;

use crate::facts::Facts;
use crate::head::{self, Head};
use crate::lines::Lines;
use crate::segment::segment;
use crate::select::select;
use crate::token::{DIRECTIVE, Token, tokens};
use hydrogen_ir::{Call, Callee};
use hydrogen_statements::{StatementGraph, build};

/// The graphs of a file's functions, with their names; `None` where the grammar meets an error.
fn graphs(source: &[u8]) -> Vec<(String, Option<StatementGraph>)> {
    let lines = Lines::new(source);
    let all = tokens(source);
    let selected = select(&all, source, None);
    let segments = segment(&selected.tokens, source);
    let mut items = crate::item::Items {
        tokens: &selected.tokens,
        source,
        partners: &segments.partners,
        lines: &lines,
        items: Vec::new(),
        facts: Facts::default(),
    };
    selected.directives.iter().for_each(|token| items.directive(token));
    let heads = crate::unit::definitions(&segments, &mut items);
    let facts = items.facts;
    let mut parser = grammar::parser();
    let mut graph = |head: &Head, range: std::ops::Range<usize>| {
        let name = String::from_utf8_lossy(selected.tokens[head.name].text(source)).into_owned();
        let parameters = head::parameters(&selected.tokens, source, &segments.partners, head);
        let locals = parameters.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let (scratch, too_deep) =
            prepare::prepare(&selected.tokens, &segments.partners, source, &facts, range);
        let read = body::read(&mut parser, source, &lines, &facts, &scratch, locals);
        let clean = !too_deep && read.problems.is_empty();
        (name, clean.then(|| build(&read.statements)))
    };
    heads.into_iter().map(|(head, range)| graph(head, range)).collect()
}

/// The directive at the beginning of `source`.
fn first_token(source: &[u8]) -> Token {
    let end = source
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(source.len(), |end| (end + 400).min(source.len()));
    let found = tokens(&source[..end]);
    found.first().copied().unwrap_or(Token {
        start: 0,
        end: end as u32,
        kind: DIRECTIVE,
        fresh: true,
        cut: false,
    })
}

/// Compares both readings; gives how many functions the grammar reads, and where they differ.
fn compare(path: &str, source: &[u8]) -> (usize, Vec<String>) {
    let unit = crate::read(path, source, &crate::Options::default());
    let mut compared = 0;
    let mut different = Vec::new();
    for (function, (name, graph)) in unit.module.functions.iter().zip(graphs(source)) {
        assert_eq!(function.name, name);
        let Some(graph) = graph else { continue };
        compared += 1;
        let texts = |pieces: &[hydrogen_ir::Piece]| -> Vec<_> {
            pieces.iter().map(|piece| (piece.role, piece.text.clone(), piece.span)).collect()
        };
        let ours = texts(&function.pieces);
        let theirs = texts(&graph.pieces);
        let first = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
        if let Some((ours, theirs)) = first {
            different.push(format!("{path}: {name}: {ours:?} against {theirs:?}"));
        } else if ours.len() != theirs.len() || function.flow != graph.flow {
            different.push(format!("{path}: {name}: flow"));
        } else {
            let (ours, theirs) = (calls(&function.calls, source), calls(&graph.calls, source));
            if ours != theirs {
                let first = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
                different.push(format!("{path}: {name}: calls {first:?}"));
            }
        }
    }
    (compared, different)
}

/// The calls, but for those that could be casts: the grammar takes `(T)(x)` for a call.
fn calls<'c>(calls: &'c [Call], source: &[u8]) -> Vec<&'c Call> {
    let is_cast = |call: &&Call| match &call.callee {
        Callee::Direct(name) => memchr::memmem::find(source, format!("({name})").as_bytes()).is_some(),
        Callee::Indirect(_) => false,
    };
    calls.iter().filter(|call| !is_cast(call)).collect()
}

#[test]
fn the_grammar_agrees() {
    let files = ["tests/seed.c"];
    for file in files {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let source = std::fs::read(&path).expect("a file of this package");
        let (compared, different) = compare(file, &source);
        assert!(compared > 0, "{file}");
        assert!(different.is_empty(), "{different:#?}");
    }
}

/// On real programs, where `HYDROGEN_CORPUS` names files, separated by blanks: prints the share of functions that
/// both read alike.
#[test]
fn the_grammar_agrees_on_a_corpus() {
    let Ok(files) = std::env::var("HYDROGEN_CORPUS") else { return };
    let (mut compared, mut different) = (0, Vec::new());
    for file in files.split_whitespace() {
        let source = std::fs::read(file).expect("a readable file");
        let (count, found) = compare(file, &source);
        compared += count;
        different.extend(found);
    }
    println!("{compared} functions, {} differ", different.len());
    different.iter().for_each(|line| println!("{line}"));
    assert!(different.len() * 50 <= compared, "more than two per cent differ");
}
