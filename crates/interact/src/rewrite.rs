//! How one text was rewritten into another: the tokens that were replaced, as rules that other texts may share.

use crate::depend::{KEYWORDS, Token, tokens};
use hydrogen_align::Matching;
use std::ops::Range;

/// These words, and tokens around them, are replaced; where nothing was or is there, in the arguments of this call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rule {
    pub old: Box<str>,
    pub new: Box<str>,
    pub call: Option<Box<str>>,
    pub sort: Sort,
}

/// What a rule does, as far as its own text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    /// A word by a word.
    Word,
    /// `const` and the like, added or taken away.
    Qualifier,
    /// An argument of a call, added or taken away.
    Argument,
    /// Several tokens with a name among them.
    Tokens,
    /// Anything else: what it does in one place says nothing about another.
    Other,
}

/// Texts with more replacements, or longer ones, were not rewritten by rule.
const MOST_RULES: usize = 12;
const MOST_TOKENS: usize = 400;
/// A rule is about this many tokens at most.
const LONGEST: usize = 8;

/// Words that say which way control goes: they are no names, and a rule about them is no rewriting.
const CONTROL: [&str; 12] =
    ["if", "else", "while", "for", "do", "switch", "case", "default", "return", "goto", "break", "continue"];
/// Qualifiers that change what the compiler allows, and no value.
const QUALIFIERS: [&str; 6] = ["const", "register", "restrict", "__restrict", "__restrict__", "inline"];

/// The rules that make the new text of the old one; nothing where they are too many.
pub(crate) fn rules(old: &str, new: &str) -> Option<Vec<Rule>> {
    let (old, new) = (tokens(old), tokens(new));
    if old.len().max(new.len()) > MOST_TOKENS {
        return None;
    }
    let hunks = Matching::of(&old, &new).hunks;
    if hunks.len() > MOST_RULES {
        return None;
    }
    hunks.into_iter().map(|hunk| rule(&old, hunk.old, &new, hunk.new)).collect()
}

/// A text for another one, where both are calls or the like: `report("")` for `erase()`.
pub(crate) fn whole(old: &str, new: &str) -> Option<Rule> {
    let (was, is) = (tokens(old), tokens(new));
    let sort = sort(&was, &is, false);
    let fits = sort == Sort::Tokens && was.len().max(is.len()) <= LONGEST;
    fits.then(|| Rule { old: spelled(&was), new: spelled(&is), call: None, sort })
}

fn rule(old: &[Token<'_>], was: Range<usize>, new: &[Token<'_>], is: Range<usize>) -> Option<Rule> {
    let (before, after) = (&old[was.clone()], &new[is.clone()]);
    if before.len().max(after.len()) > LONGEST {
        return None;
    }
    let call = match (before.is_empty(), after.is_empty()) {
        (true, _) => argument(new, is),
        (_, true) => argument(old, was),
        _ => None,
    };
    let sort = sort(before, after, call.is_some());
    Some(Rule { old: spelled(before), new: spelled(after), call: call.map(Into::into), sort })
}

fn sort(before: &[Token<'_>], after: &[Token<'_>], argument: bool) -> Sort {
    let both = || before.iter().chain(after);
    let qualifier = |token: &Token<'_>| matches!(token, Token::Word(word) if QUALIFIERS.contains(word));
    let control = |token: &Token<'_>| matches!(token, Token::Word(word) if CONTROL.contains(word));
    let named = |token: &Token<'_>| matches!(token, Token::Word(_)) && !control(token) && !qualifier(token);
    let flow = |token: &Token<'_>| matches!(token, Token::Mark(";" | "{" | "}"));
    match (before, after) {
        _ if both().any(|token| control(token) || flow(token)) => Sort::Other,
        _ if both().all(qualifier) => Sort::Qualifier,
        ([Token::Word(_)], [Token::Word(_)]) => Sort::Word,
        ([], added) if !argument && !is_cast(added) => Sort::Other,
        ([], _) | (_, []) if argument => Sort::Argument,
        _ if both().any(named) => Sort::Tokens,
        _ => Sort::Other,
    }
}

/// `(type *)`.
fn is_cast(tokens: &[Token<'_>]) -> bool {
    let [Token::Mark("("), inside @ .., Token::Mark(")")] = tokens else { return false };
    inside.first().is_some_and(|it| matches!(it, Token::Word(_)))
        && inside.iter().all(|it| matches!(it, Token::Word(_) | Token::Mark("*")))
}

/// The function whose call gets these tokens as whole arguments.
fn argument<'a>(tokens: &[Token<'a>], range: Range<usize>) -> Option<&'a str> {
    let mut depth = 0;
    let open = (0..range.start).rev().find(|&at| match tokens[at] {
        Token::Mark(")" | "]") => {
            depth += 1;
            false
        }
        Token::Mark("(" | "[") if depth > 0 => {
            depth -= 1;
            false
        }
        Token::Mark("(" | "[") => true,
        _ => false,
    })?;
    let comma = |at: usize| tokens.get(at) == Some(&Token::Mark(","));
    let closed = tokens.get(range.end) == Some(&Token::Mark(")"));
    let first = range.start == open + 1;
    // Whole arguments: after a comma of their own up to the end or the next, or up to a comma of their own.
    let whole = (comma(range.start) && (closed || comma(range.end)))
        || (comma(range.end - 1) && (first || comma(range.start - 1)))
        || (first && closed);
    match tokens.get(open.checked_sub(1)?) {
        Some(Token::Word(name)) if whole && tokens[open] == Token::Mark("(") && !KEYWORDS.contains(name) => {
            Some(name)
        }
        _ => None,
    }
}

fn spelled(tokens: &[Token<'_>]) -> Box<str> {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text()).collect();
    hydrogen_ir::canonical(&texts.join(" ")).into()
}

#[cfg(test)]
mod tests {
    use super::rules;

    fn check(old: &str, new: &str, expect: &str) {
        let found = rules(old, new).map_or("too many".to_owned(), |all| {
            let show = |rule: &super::Rule| {
                let call = rule.call.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
                format!("{:?} `{}` -> `{}`{call}", rule.sort, rule.old, rule.new)
            };
            all.iter().map(show).collect::<Vec<_>>().join("; ")
        });
        assert_eq!(found, expect, "{old} -> {new}");
    }

    #[test]
    fn texts_are_rewritten_by_rules() {
        check("a = b + c", "a = d + c", "Word `b` -> `d`");
        check("char *p = q", "const char *p = q", "Qualifier `` -> `const`");
        check("f(x, y)", "f(x, y, 0)", "Argument `` -> `,0` of f");
        check("f(x, y)", "f(g, x, y)", "Argument `` -> `g,` of f");
        check("f(x)", "f()", "Argument `x` -> `` of f");
        check("f(x)", "f(x + 1)", "Other `` -> `+1`");
        check("if (f(a, 1) < 2)", "if (f(a) < 2)", "Argument `,1` -> `` of f");
        check("p = malloc(n)", "p = (char *)malloc(n)", "Tokens `` -> `(char*)`");
        check("unsigned char c", "u_char c", "Tokens `unsigned char` -> `u_char`");
        check("a < b", "a <= b", "Other `<` -> `<=`");
        check("return 1", "goto out", "Other `return 1` -> `goto out`");
        check("x = 10", "x = LIMIT", "Tokens `10` -> `LIMIT`");
        check("a = \"b\"", "a = \"c\"", "Other `\"b\"` -> `\"c\"`");
    }
}
