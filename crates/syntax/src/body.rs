//! Reading the body of one function from its tokens: what statements and expressions share.

use crate::facts::{Facts, NameSet};
use crate::lines::Lines;
use crate::segment::NONE;
use crate::token::{DIRECTIVE, GAP, Token, WORD, tokens};
use crate::words::{is_type_word, takes_parentheses};
use hydrogen_ir::{Callee, Span};
use hydrogen_statements::{Expr, Stmt, fold};
use std::ops::Range;

/// Statements and operators nested deeper than this are not looked into, so that no input exhausts the stack. C
/// asks compilers for 127.
pub(crate) const DEPTH: usize = 200;

/// The message for regions that are no C by themselves.
pub(crate) const UNREADABLE: &str = "this is not C as far as it can be read without its macros";

/// The reader of one function's body. Ranges are ranges of tokens.
pub(crate) struct Body<'a> {
    pub tokens: &'a [Token],
    pub partners: &'a [u32],
    pub source: &'a [u8],
    pub lines: &'a Lines,
    pub facts: &'a Facts<'a>,
    /// Names of parameters and local variables: what is called by such a name is a pointer.
    pub locals: NameSet<'a>,
    /// Extents in the source, with what is wrong there.
    pub problems: Vec<(u32, u32, &'static str)>,
    pub depth: usize,
}

impl<'a> Body<'a> {
    /// The statements of a function, whose braces are the ends of `range`.
    pub fn read(&mut self, range: Range<usize>) -> Vec<Stmt> {
        let closed = self.kind(range.end - 1) == b'}' && range.len() > 1;
        self.block(range.start + 1..range.end - usize::from(closed))
    }

    /// The kind of a token, 0 behind the last.
    pub fn kind(&self, at: usize) -> u8 {
        self.tokens.get(at).map_or(0, |token| token.kind)
    }

    /// The word at this place; empty where none stands.
    pub fn word(&self, at: usize) -> &'a [u8] {
        match self.tokens.get(at) {
            Some(token) if token.kind == WORD => token.text(self.source),
            _ => b"",
        }
    }

    /// The bracket that closes the one at `at`, inside `range`.
    pub fn close(&self, at: usize, end: usize) -> Option<usize> {
        let partner = *self.partners.get(at)?;
        (partner != NONE && (partner as usize) < end).then_some(partner as usize)
    }

    /// The token behind the brackets that begin at `at`, or the next token.
    pub fn behind(&self, at: usize, end: usize) -> usize {
        match self.kind(at) {
            b'(' | b'[' | b'{' => self.close(at, end).unwrap_or(at) + 1,
            _ => at + 1,
        }
    }

    /// Whether the tokens at `at` and behind it are the two bytes of one operator.
    pub fn pair(&self, at: usize, first: u8, second: u8) -> bool {
        self.kind(at) == first
            && self.kind(at + 1) == second
            && self.tokens[at].end == self.tokens[at + 1].start
    }

    fn extent(&self, range: &Range<usize>) -> (u32, u32) {
        match self.tokens.get(range.start..range.end) {
            Some([first, .., last]) => (first.start, last.end),
            Some([only]) => (only.start, only.end),
            _ => {
                // Where nothing stands: behind what is before it.
                let at = range
                    .start
                    .checked_sub(1)
                    .and_then(|at| self.tokens.get(at))
                    .map_or(0, |token| token.end);
                (at, at)
            }
        }
    }

    /// The place of a range.
    pub fn span(&self, range: &Range<usize>) -> Span {
        let (start, end) = self.extent(range);
        self.lines.span(start, end)
    }

    /// The text of a range, as [`fold`] gives it.
    pub fn text(&self, range: &Range<usize>) -> String {
        let (start, end) = self.extent(range);
        let mut out = Vec::with_capacity((end - start) as usize);
        let mut seen = start;
        for token in &self.tokens[range.clone()] {
            // Where something was left out, the source shows more than the tokens.
            if (token.cut && seen > start) || matches!(token.kind, DIRECTIVE | GAP) {
                return fold(&self.source[start as usize..end as usize]);
            }
            if token.start > seen {
                out.push(b' ');
            }
            out.extend_from_slice(token.text(self.source));
            seen = token.end;
        }
        if let Some(end) = self.left_out_behind(range.end, seen) {
            return fold(&self.source[start as usize..end as usize]);
        }
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// Where the source ends that a conditional takes away between a statement, which ends at `seen`, and the token `next`: such
    /// as the other alternatives of one that cuts a statement in two. Directives alone are nothing.
    fn left_out_behind(&self, next: usize, seen: u32) -> Option<u32> {
        let token = self.tokens.get(next).filter(|token| token.cut && token.start > seen)?;
        let between = &self.source[seen as usize..token.start as usize];
        tokens(between).iter().any(|it| it.kind != DIRECTIVE && it.kind != b';').then_some(token.start)
    }

    /// An expression of its own, with nothing known about it.
    pub fn plain(&self, range: &Range<usize>) -> Expr {
        Expr::plain(self.text(range), self.span(range))
    }

    /// A region that is not understood, with what looks like calls in it.
    pub fn opaque(&mut self, range: &Range<usize>, problem: &'static str) -> Expr {
        let (start, end) = self.extent(range);
        if !problem.is_empty() {
            self.problems.push((start, end, problem));
        }
        let slice = &self.source[start as usize..end as usize];
        let mut value = Expr::plain(fold(slice), self.lines.span(start, end));
        value.calls = calls_in(slice);
        value
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
