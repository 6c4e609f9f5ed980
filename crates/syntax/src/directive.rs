//! What a preprocessor directive says.

use crate::token::{Token, is_word};
use hydrogen_statements::fold;

/// The kinds of directives that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectiveKind {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
    Define,
    Undef,
    Include,
    Pragma,
    Other,
}

/// A directive, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Directive<'a> {
    /// What it does.
    pub kind: DirectiveKind,
    /// What follows its name.
    pub rest: &'a [u8],
}

impl<'a> Directive<'a> {
    /// Takes a directive token apart.
    pub fn of(token: &Token, source: &'a [u8]) -> Self {
        let text = token.text(source);
        let mut at = 1;
        while text.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            at += 1;
        }
        let begin = at;
        while text.get(at).is_some_and(|&byte| is_word(byte)) {
            at += 1;
        }
        let kind = match &text[begin..at] {
            b"if" => DirectiveKind::If,
            b"ifdef" => DirectiveKind::Ifdef,
            b"ifndef" => DirectiveKind::Ifndef,
            b"elif" => DirectiveKind::Elif,
            b"elifdef" => DirectiveKind::Elifdef,
            b"elifndef" => DirectiveKind::Elifndef,
            b"else" => DirectiveKind::Else,
            b"endif" => DirectiveKind::Endif,
            b"define" => DirectiveKind::Define,
            b"undef" => DirectiveKind::Undef,
            b"include" | b"include_next" | b"import" => DirectiveKind::Include,
            b"pragma" => DirectiveKind::Pragma,
            _ => DirectiveKind::Other,
        };
        Self { kind, rest: &text[at..] }
    }

    /// Whether a conditional group begins here.
    pub fn opens(&self) -> bool {
        matches!(self.kind, DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef)
    }

    /// Whether another alternative of a conditional group begins here.
    pub fn continues(&self) -> bool {
        use DirectiveKind::{Elif, Elifdef, Elifndef, Else};
        matches!(self.kind, Elif | Elifdef | Elifndef | Else)
    }

    /// The first word behind the directive's name: the macro of `#define`, `#undef`, `#ifdef`.
    pub fn name(&self) -> &'a [u8] {
        let begin = self.rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(self.rest.len());
        let rest = &self.rest[begin..];
        &rest[..rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())]
    }

    /// The condition as an `#if` would have it; `None` for `#else`.
    pub fn condition(&self) -> Option<String> {
        match self.kind {
            DirectiveKind::If | DirectiveKind::Elif => Some(fold(self.rest)),
            DirectiveKind::Ifdef | DirectiveKind::Elifdef => Some(format!("defined({})", fold(self.name()))),
            DirectiveKind::Ifndef | DirectiveKind::Elifndef => {
                Some(format!("!defined({})", fold(self.name())))
            }
            _ => None,
        }
    }
}
