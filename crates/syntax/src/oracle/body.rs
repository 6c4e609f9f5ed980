//! Reading the body of one function: the state shared by statements and expressions.

use crate::facts::Facts;
use crate::grammar::{Kinds, kinds};
use crate::lines::Lines;
use crate::scratch::Scratch;
use crate::token::{Token, WORD, tokens};
use crate::words::{is_type_word, takes_parentheses};
use hydrogen_ir::{Callee, Span};
use hydrogen_statements::{Expr, Stmt, fold};
use std::collections::HashSet;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, TreeCursor};

/// Statements and operators nested deeper than this are not looked into, so that no input exhausts the stack.
pub(crate) const DEPTH: usize = 200;

/// The reader of one function's body.
pub(crate) struct Body<'a, 'tree> {
    pub kinds: &'static Kinds,
    pub source: &'a [u8],
    pub lines: &'a Lines,
    pub facts: &'a Facts<'a>,
    pub scratch: &'tree Scratch,
    /// Names of parameters and local variables: what is called by such a name is a pointer.
    pub locals: HashSet<String>,
    pub problems: Vec<(u32, u32, String)>,
    pub depth: usize,
    /// Cursors to use again.
    pub cursors: Vec<TreeCursor<'tree>>,
}

/// What the body of a function consists of.
pub(crate) struct Read {
    pub statements: Vec<Stmt>,
    /// Extents in the source, with what is wrong there.
    pub problems: Vec<(u32, u32, String)>,
}

/// Reads a prepared body. A text that the parser gives up on becomes one opaque statement.
pub(crate) fn read(
    parser: &mut Parser,
    source: &[u8],
    lines: &Lines,
    facts: &Facts,
    scratch: &Scratch,
    locals: HashSet<String>,
) -> Read {
    let text = scratch.text();
    // Counted in steps, not seconds, so that the outcome does not depend on the machine.
    let mut steps = 10_000 + text.len() / 4;
    let mut progress = |_: &tree_sitter::ParseState| match steps.checked_sub(1) {
        Some(rest) => {
            steps = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut chunk = |offset: usize, _| text.get(offset..).unwrap_or(&[]);
    let tree = parser.parse_with_options(&mut chunk, None, Some(options));
    parser.reset();
    let mut body = Body {
        kinds: kinds(),
        source,
        lines,
        facts,
        scratch,
        locals,
        problems: Vec::new(),
        depth: 0,
        cursors: Vec::new(),
    };
    let mut statements = Vec::new();
    match &tree {
        Some(tree) => body.children(tree.root_node(), &mut statements),
        None => {
            let value = body.opaque(0, text.len() as u32, "the body is too intricate to be read");
            statements.push(Stmt::Opaque(value));
        }
    }
    Read { statements, problems: body.problems }
}

impl<'tree> Body<'_, 'tree> {
    /// The folded source of a stretch.
    pub fn text_of(&self, start: u32, end: u32) -> String {
        match self.scratch.slice(start, end) {
            Some(text) => text.to_owned(),
            None => {
                let (start, end) = self.scratch.origin(start, end);
                fold(&self.source[start as usize..end as usize])
            }
        }
    }

    /// The folded source of a node.
    pub fn text(&self, node: Node) -> String {
        self.text_of(node.start_byte() as u32, node.end_byte() as u32)
    }

    /// The bytes that the grammar saw.
    pub fn raw(&self, node: Node) -> &'tree [u8] {
        &self.scratch.text()[node.byte_range()]
    }

    pub fn span_of(&self, start: u32, end: u32) -> Span {
        let (start, end) = self.scratch.origin(start, end);
        self.lines.span(start, end)
    }

    pub fn span(&self, node: Node) -> Span {
        self.span_of(node.start_byte() as u32, node.end_byte() as u32)
    }

    /// A region that is not understood, with what looks like calls in it.
    pub fn opaque(&mut self, start: u32, end: u32, problem: &str) -> Expr {
        let (first, last) = self.scratch.origin(start, end);
        self.opaque_source(first, last, problem)
    }

    /// The same for a region of the source.
    pub fn opaque_source(&mut self, first: u32, last: u32, problem: &str) -> Expr {
        if !problem.is_empty() {
            self.problems.push((first, last, problem.to_owned()));
        }
        let slice = &self.source[first as usize..last as usize];
        let mut value = Expr::plain(fold(slice), self.lines.span(first, last));
        value.calls = calls_in(slice);
        value
    }

    pub fn cursor(&mut self, node: Node<'tree>) -> TreeCursor<'tree> {
        match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        }
    }
}

/// What looks like calls, in order of appearance.
fn calls_in(slice: &[u8]) -> Vec<Callee> {
    let tokens: Vec<Token> = tokens(slice);
    tokens
        .windows(2)
        .filter(|pair| pair[0].kind == WORD && pair[1].kind == b'(')
        .map(|pair| pair[0].text(slice))
        .filter(|word| !takes_parentheses(word) && !is_type_word(word))
        .map(|word| Callee::Direct(String::from_utf8_lossy(word).into_owned()))
        .collect()
}
