//! Declarations inside functions.

use crate::body::Body;
use crate::expression::Found;
use crate::token::WORD;
use crate::words::{
    is_macro_like, is_specifier, is_statement_word, is_type_word, is_typeof, takes_parentheses,
};
use hydrogen_statements::{Expr, Form, Stmt};
use std::ops::Range;

impl<'a> Body<'a> {
    /// Whether a simple statement declares something. Without headers the types are unknown: what has the form of
    /// a declaration and could be nothing sensible else is one.
    pub fn is_declaration(&self, range: &Range<usize>) -> bool {
        let word = self.word(range.start);
        if is_type_word(word) || is_specifier(word) || is_typeof(word) {
            return word != b"__extension__" || self.is_declaration(&(range.start + 1..range.end));
        }
        if matches!(
            word,
            b"__auto_type" | b"_Alignas" | b"__attribute__" | b"_Static_assert" | b"static_assert"
        ) {
            return true;
        }
        if word.is_empty() || range.len() < 2 || takes_parentheses(word) || is_statement_word(word) {
            return false;
        }
        let second = range.start + 1;
        match self.kind(second) {
            WORD => {
                // `MACRO f(x);` is a call with a macro before it.
                let call = range.len() > 3 && self.kind(second + 1) == b'(' && is_macro_like(word);
                !call || self.has_types(second + 2..range.end)
            }
            b'*' => self.is_pointer(second, range.end),
            b'(' => self.is_function_pointer(range) || self.is_macro_type(range),
            _ => false,
        }
    }

    fn has_types(&self, mut range: Range<usize>) -> bool {
        range.any(|at| is_type_word(self.word(at)))
    }

    /// `T *x`, `T **x = …`, `T *const x[3]`.
    fn is_pointer(&self, star: usize, end: usize) -> bool {
        let mut at = star;
        while at < end && (self.kind(at) == b'*' || is_specifier(self.word(at))) {
            at += 1;
        }
        if self.kind(at) == b'(' {
            // `T *(*x)(…)`, against `a * (b)`.
            return self.kind(at + 1) == b'*' && self.word(at + 2) != b"" && self.kind(at + 3) == b')';
        }
        at < end
            && self.kind(at) == WORD
            && (at + 1 == end || matches!(self.kind(at + 1), b'=' | b',' | b'[' | b'(' | WORD))
            && !self.pair(at + 1, b'=', b'=')
    }

    /// `T (*x)(…)` and `T (*x[3])(…)`, against `f(*p)(…)`.
    fn is_function_pointer(&self, range: &Range<usize>) -> bool {
        let open = range.start + 1;
        let known = self.locals.contains(self.word(range.start))
            || self.facts.functions.contains(self.word(range.start));
        let Some(close) = self.close(open, range.end) else { return false };
        !known && self.kind(open + 1) == b'*' && self.kind(close + 1) == b'('
    }

    /// `LIST(T) x;`
    fn is_macro_type(&self, range: &Range<usize>) -> bool {
        let Some(close) = self.close(range.start + 1, range.end) else { return false };
        let mut at = close + 1;
        while self.kind(at) == b'*' {
            at += 1;
        }
        at < range.end
            && self.kind(at) == WORD
            && (at + 1 == range.end || matches!(self.kind(at + 1), b'=' | b',' | b'['))
            && (at > close + 1 || !self.tokens[at].fresh)
    }

    /// One statement per declared variable; types, prototypes and `extern` declarations give none.
    pub fn declaration(&mut self, range: Range<usize>, out: &mut Vec<Stmt>) {
        let Some(first) = self.declarator(&range) else { return };
        let silent = (range.start..first).any(|at| matches!(self.word(at), b"extern" | b"typedef"));
        if silent {
            return;
        }
        let parts = self.split(first..range.end, |body, at| (body.kind(at) == b',').then_some(1));
        let specifiers = if parts.len() > 1 { self.text(&(range.start..first)) } else { String::new() };
        for (index, part) in parts.iter().enumerate() {
            let Some((name, called)) = self.declared(part) else { continue };
            if called {
                continue;
            }
            self.locals.insert(self.word(name));
            let mut found = Found::default();
            self.initialiser(part, name, &mut found);
            let whole = if index == 0 { range.start..part.end } else { part.clone() };
            let text = match parts.len() {
                1 => self.text(&whole),
                _ => format!("{specifiers} {}", self.text(part)),
            };
            let mut value = Expr::plain(text, self.span(&whole));
            value.form = Form::Plain(found.parts);
            value.calls = found.calls;
            out.push(Stmt::Declaration(value));
        }
    }

    /// What is evaluated: array lengths and the initialiser.
    fn initialiser(&mut self, part: &Range<usize>, name: usize, found: &mut Found) {
        let mut at = name + 1;
        while at < part.end && self.kind(at) != b'=' {
            if self.kind(at) == b'[' {
                if let Some(close) = self.close(at, part.end) {
                    self.value(at + 1..close, found);
                }
            }
            at = self.behind(at, part.end);
        }
        let begin = at + 1;
        if begin >= part.end {
            return;
        }
        match self.close(begin, part.end) {
            Some(close) if self.kind(begin) == b'{' && close + 1 == part.end => {
                self.elements(begin + 1..close, found)
            }
            _ => self.value(begin..part.end, found),
        }
    }

    /// Where the first declarator begins; `None` if nothing is declared but a type.
    fn declarator(&self, range: &Range<usize>) -> Option<usize> {
        let mut typed = false;
        let mut at = range.start;
        while at < range.end {
            let word = self.word(at);
            match self.kind(at) {
                WORD if matches!(word, b"struct" | b"union" | b"enum") => {
                    typed = true;
                    at += 1;
                    while self.word(at) == b"__attribute__" {
                        at = self.behind(at + 1, range.end);
                    }
                    if self.kind(at) == WORD {
                        at += 1; // The tag.
                    }
                    if self.kind(at) == b'{' {
                        at = self.behind(at, range.end);
                    }
                    continue;
                }
                WORD if takes_parentheses(word) && self.kind(at + 1) == b'(' => {
                    typed |= is_typeof(word) || word == b"_Atomic";
                    at = self.behind(at + 1, range.end);
                    continue;
                }
                WORD if is_type_word(word) => typed = true,
                WORD if is_specifier(word) => {}
                // Words before the last one are types or macros.
                WORD if self.kind(at + 1) == WORD
                    && at + 1 < range.end
                    && !takes_parentheses(self.word(at + 1)) =>
                {
                    typed = true;
                }
                WORD if typed => return Some(at),
                WORD => {
                    typed = true;
                    if self.kind(at + 1) == b'(' && self.is_macro_type(&(at..range.end)) {
                        at = self.behind(at + 1, range.end);
                        continue;
                    }
                }
                b'*' | b'(' if typed => return Some(at),
                b'[' if self.kind(at + 1) == b'[' => {
                    at = self.behind(at, range.end);
                    continue;
                }
                _ => return None,
            }
            at += 1;
        }
        None
    }

    /// The name that a declarator declares, and whether it is a function.
    fn declared(&self, part: &Range<usize>) -> Option<(usize, bool)> {
        let mut at = part.start;
        let mut nested = false;
        while at < part.end {
            match self.kind(at) {
                b'*' => {}
                b'(' => nested = true,
                WORD if is_specifier(self.word(at)) => {}
                WORD if self.word(at) == b"__attribute__" => {
                    at = self.behind(at + 1, part.end);
                    continue;
                }
                WORD => return Some((at, !nested && self.kind(at + 1) == b'(' && at + 1 < part.end)),
                _ => return None,
            }
            at += 1;
        }
        None
    }
}
