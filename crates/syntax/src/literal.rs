//! Which expressions are constants, and what literals are worth.

use crate::body::{Body, DEPTH};
use crate::evaluate::{character, number};
use crate::token::{CHAR, NUMBER, TEXT, WORD};
use crate::words::{is_specifier, is_type_word};
use std::ops::Range;

impl Body<'_> {
    /// The truth of a literal, also behind `!`, `-`, parentheses and casts. Compilers emit no branch for it.
    pub fn truth(&self, range: Range<usize>) -> Option<bool> {
        let mut range = self.strip(range);
        let mut negated = false;
        for _ in 0..DEPTH {
            range = match self.kind(range.start) {
                b'!' => {
                    negated = !negated;
                    self.strip(range.start + 1..range.end)
                }
                b'-' | b'+' => self.strip(range.start + 1..range.end),
                b'(' => self.strip(self.cast_end(&range)?..range.end),
                _ => break,
            }
        }
        if range.len() != 1 {
            return None;
        }
        let token = self.tokens[range.start];
        let text = token.text(self.source);
        let value = match token.kind {
            NUMBER => number(text)?,
            CHAR => character(text)?,
            WORD => match text {
                // What everybody defines alike.
                b"true" | b"TRUE" => 1,
                b"false" | b"FALSE" => 0,
                _ if self.locals.contains(text) => return None,
                _ => self.facts.value(text)?,
            },
            _ => return None,
        };
        Some((value != 0) != negated)
    }

    /// The token behind a cast at the beginning of the range.
    fn cast_end(&self, range: &Range<usize>) -> Option<usize> {
        let close = self.close(range.start, range.end)?;
        let inside = range.start + 1..close;
        let first = self.word(inside.start);
        let named = inside.len() == 1 || self.kind(close - 1) == b'*';
        let casts = is_type_word(first) || is_specifier(first) || (!first.is_empty() && named);
        (casts && close + 1 < range.end).then_some(close + 1)
    }

    /// Whether a compiler sees a constant here: nothing but literals, `sizeof`, constant names, and operators.
    pub fn constant(&self, range: Range<usize>) -> bool {
        let mut any = false;
        let mut at = range.start;
        while at < range.end {
            match self.kind(at) {
                NUMBER | CHAR | TEXT => any = true,
                b'(' => {
                    if let Some(end) = self.cast_end(&(at..range.end)) {
                        at = end;
                        continue;
                    }
                }
                WORD => match self.word(at) {
                    b"sizeof" | b"_Alignof" | b"alignof" | b"offsetof" | b"__builtin_offsetof" => {
                        any = true;
                        at = self.behind(at + 1, range.end);
                        continue;
                    }
                    b"NULL" | b"true" | b"false" | b"TRUE" | b"FALSE" => any = true,
                    word if self.locals.contains(word) || self.kind(at + 1) == b'(' => return false,
                    word if self.facts.is_constant(word) => any = true,
                    _ => return false,
                },
                kind if b"+-*/%&|^~<>=!)".contains(&kind) => {}
                _ => return false,
            }
            at += 1;
        }
        any
    }
}
