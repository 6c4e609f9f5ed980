//! Splitting C source into tokens, and preprocessor directives as single tokens.

use memchr::{memchr, memchr2, memmem};

/// An identifier or keyword.
pub(crate) const WORD: u8 = b'a';
/// A number.
pub(crate) const NUMBER: u8 = b'0';
/// A string literal.
pub(crate) const TEXT: u8 = b'"';
/// A character literal.
pub(crate) const CHAR: u8 = b'\'';
/// A whole preprocessor directive, continuation lines included.
pub(crate) const DIRECTIVE: u8 = b'#';
/// A region left out of the token stream where a statement could stand; see [`crate::select`].
pub(crate) const GAP: u8 = b'@';

/// A token. Punctuation is one token per byte, with the byte as its kind; neighbours that form an operator are
/// recognised by their places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    /// The first byte.
    pub start: u32,
    /// Just behind the last byte.
    pub end: u32,
    /// One of the constants above, or a punctuation byte.
    pub kind: u8,
    /// Whether it is the first on its line.
    pub fresh: bool,
    /// Whether source text directly before it was left out on purpose.
    pub cut: bool,
}

impl Token {
    /// The token's bytes.
    pub fn text<'a>(&self, source: &'a [u8]) -> &'a [u8] {
        &source[self.start as usize..self.end as usize]
    }

    /// Whether this is the word `word`.
    pub fn is(&self, source: &[u8], word: &[u8]) -> bool {
        self.kind == WORD && self.text(source) == word
    }
}

const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 4;

/// What each byte can be: one look-up instead of a chain of comparisons.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        // `fold` reads NUL as a token of its own; here it is white space, since no statement can use it.
        if it.is_ascii_whitespace() || it == 0x0b || it == 0 {
            class[byte] = SPACE;
        } else if it.is_ascii_digit() {
            class[byte] = DIGIT;
        } else if it.is_ascii_alphabetic() || it == b'_' || it == b'$' || it >= 0x80 {
            class[byte] = LETTER;
        }
        byte += 1;
    }
    class
};

/// Whether the byte can be part of an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] & (LETTER | DIGIT) != 0
}

/// The tokens of a file. Every byte sequence has one reading: what is no C becomes punctuation.
pub(crate) fn tokens(source: &[u8]) -> Vec<Token> {
    tokens_and_end(source).0
}

/// The tokens, and whether what follows the text would be read as at the beginning of a file: the text ends with a line, and no
/// comment is open there.
pub(crate) fn tokens_and_end(source: &[u8]) -> (Vec<Token>, bool) {
    let mut lexer = Lexer { source, at: 0, fresh: true, open_comment: false };
    let mut out = Vec::with_capacity(source.len() / 6);
    while let Some(token) = lexer.next() {
        out.push(token);
    }
    let joined = source.ends_with(b"\\\n") || source.ends_with(b"\\\r\n");
    let ends = source.is_empty() || source.ends_with(b"\n") && !joined;
    (out, ends && !lexer.open_comment)
}

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    fresh: bool,
    /// Whether a comment was not closed.
    open_comment: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_space();
        let start = self.at;
        let first = *self.source.get(start)?;
        let fresh = std::mem::replace(&mut self.fresh, false);
        self.at += 1;
        let class = CLASS[first as usize];
        let kind = if class & LETTER != 0 {
            while is_word(self.peek(0)) {
                self.at += 1;
            }
            WORD
        } else if class & DIGIT != 0 || (first == b'.' && self.peek(0).is_ascii_digit()) {
            while is_word(self.peek(0)) || self.peek(0) == b'.' || self.exponent_sign() {
                self.at += 1;
            }
            NUMBER
        } else if first == b'"' || first == b'\'' {
            self.skip_quoted(first);
            first
        } else if first == b'#' && fresh {
            self.skip_directive();
            DIRECTIVE
        } else if first == DIRECTIVE || first == GAP {
            b'\\' // Neither a directive nor anything else that C knows.
        } else {
            first
        };
        Some(Token { start: start as u32, end: self.at as u32, kind, fresh, cut: false })
    }

    fn exponent_sign(&self) -> bool {
        matches!(self.peek(0), b'+' | b'-') && matches!(self.source[self.at - 1], b'e' | b'E' | b'p' | b'P')
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.source.get(self.at) {
            if CLASS[byte as usize] == SPACE {
                self.fresh |= byte == b'\n';
                self.at += 1;
            } else if byte == b'/' && self.peek(1) == b'*' {
                self.skip_block_comment();
            } else if byte == b'/' && self.peek(1) == b'/' {
                self.skip_line();
            } else if byte == b'\\' && self.peek(1) == b'\n' {
                self.at += 2;
            } else if byte == b'\\' && self.peek(1) == b'\r' && self.peek(2) == b'\n' {
                self.at += 3;
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let rest = &self.source[self.at + 2..];
        let end = memmem::find(rest, b"*/");
        self.open_comment |= end.is_none();
        self.at = end.map_or(self.source.len(), |end| self.at + end + 4);
    }

    /// To the end of the line, or of the last line that a backslash joins to it.
    fn skip_line(&mut self) {
        loop {
            match memchr(b'\n', &self.source[self.at..]) {
                None => {
                    self.at = self.source.len();
                    return;
                }
                Some(end) => {
                    let line = &self.source[self.at..self.at + end];
                    let joined = line.ends_with(b"\\") || line.ends_with(b"\\\r");
                    self.at += end + usize::from(joined);
                    if !joined {
                        return;
                    }
                }
            }
        }
    }

    /// A directive ends with its line; comments and continuations in it may span several.
    fn skip_directive(&mut self) {
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                b'/' if self.peek(1) == b'*' => self.skip_block_comment(),
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'"' => {
                    self.at += 1;
                    self.skip_quoted(b'"');
                }
                _ => self.at += 1,
            }
        }
    }

    /// Behind the closing quote; an open literal ends with its line.
    fn skip_quoted(&mut self, quote: u8) {
        while let Some(&byte) = self.source.get(self.at) {
            if byte == b'\n' {
                return;
            }
            self.at += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' {
                // A continued line inside a literal is one escape, with either line ending.
                self.at += if self.peek(0) == b'\r' && self.peek(1) == b'\n' { 2 } else { 1 };
                self.at = self.at.min(self.source.len());
            } else if let Some(skip) = memchr2(b'\\', quote, &self.source[self.at..self.line_limit()]) {
                self.at += skip;
            }
        }
    }

    fn line_limit(&self) -> usize {
        let window = self.source.len().min(self.at + 64);
        memchr(b'\n', &self.source[self.at..window]).map_or(window, |end| self.at + end)
    }
}
