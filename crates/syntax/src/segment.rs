//! Top-level items: where functions and declarations begin and end, by their brackets.
//!
//! Functions are found here rather than in a syntax tree, so that a head with unknown macros or a body that the
//! grammar does not understand never hides a function.

use crate::head::{self, Head};
use crate::token::{DIRECTIVE, GAP, TEXT, Token, WORD};
use std::ops::Range;

/// A top-level item, as indices into the tokens.
pub(crate) enum Chunk {
    /// A function definition.
    Function {
        /// Its head.
        head: Head,
        /// The tokens of its body, both braces included.
        body: Range<usize>,
    },
    /// Any other declaration, its semicolon included.
    Declaration(Range<usize>),
}

/// No partner.
pub(crate) const NONE: u32 = u32::MAX;

/// The items of a file, and for every opening bracket its closing one.
pub(crate) struct Segments {
    pub chunks: Vec<Chunk>,
    pub partners: Vec<u32>,
    /// Braces without a partner.
    pub unmatched: Vec<usize>,
    /// Where an item may begin, as indices into the tokens, in order.
    pub bounds: Vec<usize>,
    /// Whether the brackets are closed at the end.
    pub balanced: bool,
    /// Whether a body at the beginning may belong to a head before the text.
    pub headless: bool,
}

/// Finds the items.
pub(crate) fn segment(tokens: &[Token], source: &[u8]) -> Segments {
    let (partners, balanced) = partners(tokens);
    let mut finder = Finder {
        tokens,
        source,
        partners: &partners,
        chunks: Vec::new(),
        unmatched: Vec::new(),
        bounds: vec![0],
        headless: false,
    };
    finder.run();
    let Finder { chunks, unmatched, bounds, headless, .. } = finder;
    Segments { chunks, partners, unmatched, bounds, balanced, headless }
}

/// Matches brackets; a closing brace also closes parentheses that were left open. Says also whether none is open at the end.
fn partners(tokens: &[Token]) -> (Vec<u32>, bool) {
    let mut partners = vec![NONE; tokens.len()];
    let mut open: Vec<u32> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let wanted = match token.kind {
            b'(' | b'[' | b'{' => {
                open.push(index as u32);
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => continue,
        };
        let kind = |at: u32| tokens[at as usize].kind;
        if wanted == b'{' {
            while open.last().is_some_and(|&at| kind(at) != b'{') {
                open.pop();
            }
        }
        if let Some(&at) = open.last().filter(|&&at| kind(at) == wanted) {
            partners[at as usize] = index as u32;
            open.pop();
        }
    }
    (partners, open.is_empty())
}

struct Finder<'a> {
    tokens: &'a [Token],
    source: &'a [u8],
    partners: &'a [u32],
    chunks: Vec<Chunk>,
    unmatched: Vec<usize>,
    bounds: Vec<usize>,
    headless: bool,
}

impl Finder<'_> {
    fn run(&mut self) {
        let mut start = 0;
        let mut at = 0;
        while at < self.tokens.len() {
            let begun = start;
            match self.tokens[at].kind {
                b'(' | b'[' if self.partners[at] != NONE => at = self.partners[at] as usize,
                b';' => {
                    self.chunks.push(Chunk::Declaration(start..at + 1));
                    start = at + 1;
                }
                b'}' => start = at + 1, // The end of `extern "C"`, or a stray one.
                b'{' if self.is_linkage(start, at) => start = at + 1,
                b'{' => {
                    let end = self.body_end(at);
                    if let Some(head) = self.function(start, at) {
                        self.chunks.push(Chunk::Function { head, body: at..end + 1 });
                        start = end + 1;
                    } else if !self.continues(start, at, end) {
                        self.chunks.push(Chunk::Declaration(start..end + 1));
                        start = end + 1;
                    }
                    at = end;
                }
                DIRECTIVE | GAP => {}
                _ => {}
            }
            if start != begun {
                self.bounds.push(start);
            }
            at += 1;
        }
    }

    fn is_linkage(&self, start: usize, at: usize) -> bool {
        at >= start + 2 && self.tokens[at - 1].kind == TEXT && self.tokens[at - 2].is(self.source, b"extern")
    }

    /// The brace that ends the body. Where none does, the first that stands at the beginning of a line, as most
    /// people write them.
    fn body_end(&mut self, open: usize) -> usize {
        if self.partners[open] != NONE {
            return self.partners[open] as usize;
        }
        self.unmatched.push(open);
        let column_one = |token: &Token| {
            token.kind == b'}' && (token.start == 0 || self.source[token.start as usize - 1] == b'\n')
        };
        let rest = &self.tokens[open + 1..];
        rest.iter().position(column_one).map_or(self.tokens.len() - 1, |found| open + 1 + found)
    }

    /// The head of the function whose body begins at `open`, if it is one.
    fn function(&mut self, start: usize, open: usize) -> Option<Head> {
        if start < open {
            return head::read(self.tokens, self.source, self.partners, start..open);
        }
        // The declarations of parameters before the body end in semicolons.
        let mut begin = start;
        for (back, chunk) in self.chunks.iter().rev().take(64).enumerate() {
            let Chunk::Declaration(range) = chunk else { return None };
            if range.end != begin || self.tokens[range.end - 1].kind != b';' {
                return None;
            }
            begin = range.start;
            if let Some(head) = head::read(self.tokens, self.source, self.partners, begin..open) {
                let keep = self.chunks.len() - 1 - back;
                self.chunks.truncate(keep);
                return Some(head);
            }
        }
        self.headless |= begin == 0;
        None
    }

    /// Whether the declaration goes on behind these braces: those of a type or an initialiser do.
    fn continues(&self, start: usize, open: usize, end: usize) -> bool {
        let kind = |at: usize| self.tokens.get(at).map_or(0, |token| token.kind);
        let before = if open > start { kind(open - 1) } else { 0 };
        matches!(before, b'=' | WORD | b']' | b',')
            || matches!(kind(end + 1), b';' | b',' | b'=' | b'*' | b'[')
    }
}
