//! Tokens of the text form.

use super::{ParseError, escape::unquote};
use std::borrow::Cow;

/// A token and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'t> {
    Word(&'t str),
    /// A decimal number.
    Number(u128),
    /// A number written `0x…`.
    Hex(u128),
    /// A quoted string; not always text.
    Quoted(Vec<u8>),
    /// `%`, `$`, `#`, `@` or `&` and a number.
    Id(char, u32),
    /// `%`, `@` or `&` and a name.
    Name(char, Cow<'t, str>),
    /// One character, `→` for `->` and `…` for `...`.
    Mark(char),
    End,
}

/// Whether a name may be written without quotes.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// All tokens, the last an [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut lexer = Lexer { text, at: 0 };
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let kind = lexer.next()?;
        let end = kind == Kind::End;
        tokens.push(Token { kind, at });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.at += blank;
            if self.rest().first() != Some(&b';') {
                return;
            }
            self.at += self.rest().iter().take_while(|&&byte| byte != b'\n').count();
        }
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        self.at += self.rest().iter().take_while(|&&byte| accept(byte)).count();
        &self.text[start..self.at]
    }

    fn next(&mut self) -> Result<Kind<'t>, ParseError> {
        let start = self.at;
        let Some(&first) = self.rest().first() else { return Ok(Kind::End) };
        match first {
            b'"' => Ok(Kind::Quoted(self.quoted()?)),
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Ok(Kind::Word(self.take_while(in_name))),
            b'%' | b'$' | b'#' | b'@' | b'&' => self.sigil(char::from(first)),
            b'-' if self.rest().starts_with(b"->") => {
                self.at += 2;
                Ok(Kind::Mark('→'))
            }
            b'.' if self.rest().starts_with(b"...") => {
                self.at += 3;
                Ok(Kind::Mark('…'))
            }
            _ => {
                let c = self.text[start..].chars().next().expect("there is a byte, so there is a character");
                self.at += c.len_utf8();
                // These two stand for tokens of several characters and are no tokens themselves.
                match c {
                    '→' | '…' => Err(error(self.text, start, format!("unexpected character `{c}`"))),
                    c => Ok(Kind::Mark(c)),
                }
            }
        }
    }

    fn quoted(&mut self) -> Result<Vec<u8>, ParseError> {
        let (bytes, end) =
            unquote(self.text, self.at).map_err(|(at, message)| error(self.text, at, message.into()))?;
        self.at = end;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<Kind<'t>, ParseError> {
        let start = self.at;
        let hex = self.rest().starts_with(b"0x");
        let (radix, digits) = match hex {
            true => {
                self.at += 2;
                (16, self.take_while(|byte| byte.is_ascii_hexdigit()))
            }
            false => (10, self.take_while(|byte| byte.is_ascii_digit())),
        };
        let value = u128::from_str_radix(digits, radix)
            .map_err(|_| error(self.text, start, "expected a number below 2^128".into()))?;
        Ok(if hex { Kind::Hex(value) } else { Kind::Number(value) })
    }

    fn sigil(&mut self, sigil: char) -> Result<Kind<'t>, ParseError> {
        let start = self.at;
        self.at += 1;
        let named = matches!(sigil, '%' | '@' | '&');
        match self.rest().first() {
            Some(byte) if byte.is_ascii_digit() => {
                let id = self.take_while(|byte| byte.is_ascii_digit()).parse();
                let id = id.map_err(|_| error(self.text, start, "expected an id below 2^32".into()))?;
                Ok(Kind::Id(sigil, id))
            }
            Some(b'"') if named => {
                let at = self.at;
                let name = String::from_utf8(self.quoted()?);
                let name = name.map_err(|_| error(self.text, at, "expected a name in UTF-8".into()))?;
                Ok(Kind::Name(sigil, Cow::Owned(name)))
            }
            Some(&byte) if named && in_name(byte) => {
                Ok(Kind::Name(sigil, Cow::Borrowed(self.take_while(in_name))))
            }
            _ => Err(error(self.text, start, format!("expected a number behind `{sigil}`"))),
        }
    }
}

/// An error at byte `at` of `text`.
pub(super) fn error(text: &str, at: usize, message: String) -> ParseError {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
    ParseError { line, column, message }
}
