//! What a declaration declares, read from its text.

use crate::tokens::{Kind, Token, closed, tokens};

/// A name that is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared<'a> {
    /// The name.
    pub name: &'a str,
    /// The type, a tag with its keyword; empty for numbers, and where it is not known.
    pub ty: &'a str,
    /// How many stars.
    pub stars: i32,
    /// How many pairs of brackets.
    pub brackets: i32,
}

/// Words of declarations that are no types.
const SPECIFIERS: [&str; 14] = [
    "static",
    "extern",
    "register",
    "const",
    "volatile",
    "restrict",
    "inline",
    "auto",
    "typedef",
    "__restrict",
    "__const",
    "__inline",
    "_Thread_local",
    "__extension__",
];

/// Whether a type is a number, or nothing: no pointer leads to something whose size could change.
pub(crate) fn is_number(name: &str) -> bool {
    let sized = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
    };
    matches!(
        name,
        "struct"
            | "union"
            | "enum"
            | "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "_Bool"
            | "bool"
            | "size_t"
            | "ssize_t"
            | "ptrdiff_t"
            | "intptr_t"
            | "uintptr_t"
            | "wchar_t"
            | "off_t"
            | "time_t"
            | "FILE"
    ) || name.starts_with("enum ")
        || name.ends_with("_t") && (sized("int") || sized("uint"))
}

/// The names that a declaration declares: `struct s *a, b[3], (*c)(int), d : 2 = x`.
pub fn declared(text: &str) -> Vec<Declared<'_>> {
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Word).map(|token| token.text);
    let sign =
        |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Sign).map_or("", |token| token.text);
    let mut words: Vec<&str> = Vec::new();
    let mut at = 0;
    loop {
        match word(at) {
            Some(word) => words.extend((!SPECIFIERS.contains(&word)).then_some(word)),
            // The body of a structure stands where its name does.
            None if sign(at) == "{" => at = closed(&tokens, at, tokens.len()),
            None => break,
        }
        at += 1;
    }
    let mut name = if matches!(sign(at), "*" | "(") { None } else { words.pop() };
    let tag = words.iter().copied().find(|word| word.starts_with("struct ") || word.starts_with("union "));
    let ty = tag.or(words.last().copied()).filter(|word| !is_number(word)).unwrap_or_default();
    let mut found = Vec::new();
    while at <= tokens.len() {
        let mut one = Declared { name: "", ty, stars: 0, brackets: 0 };
        while name.is_none() && at < tokens.len() {
            match sign(at) {
                "*" => one.stars += 1,
                // A pointer to a function, or to an array: what it leads to is not known.
                "(" => {
                    let close = closed(&tokens, at, tokens.len());
                    let inner = tokens.get(at..close).unwrap_or_default();
                    name = inner.iter().find(|token| is_name(token)).map(|token| token.text);
                    one.ty = "";
                    at = close;
                    if name.is_none() {
                        break;
                    }
                }
                _ => match word(at) {
                    Some(word) if !SPECIFIERS.contains(&word) => name = Some(word),
                    Some(_) => {}
                    None => break,
                },
            }
            at += 1;
        }
        while sign(at) == "[" {
            one.brackets += 1;
            at = closed(&tokens, at, tokens.len()) + 1;
        }
        if let Some(name) = name.take() {
            found.push(Declared { name, ..one });
        }
        // Behind sizes of bits and first values comes the next name.
        while at < tokens.len() && sign(at) != "," {
            at = if matches!(sign(at), "(" | "[" | "{") { closed(&tokens, at, tokens.len()) } else { at } + 1;
        }
        at += 1;
    }
    found
}

fn is_name(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && !SPECIFIERS.contains(&token.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let said = |one: &Declared<'_>| {
            format!(
                "{}:{}{}{}",
                one.name,
                one.ty,
                "*".repeat(one.stars as usize),
                "[]".repeat(one.brackets as usize)
            )
        };
        assert_eq!(declared(text).iter().map(said).collect::<Vec<_>>().join(" "), expect, "{text}");
    }

    #[test]
    fn names_with_types() {
        check("struct s *a, b, **c[3]", "a:struct s* b:struct s c:struct s**[]");
        check("static const T *const p = f(a, b), q = { 1, 2 }", "p:T* q:T");
        check("unsigned long x, *y", "x: y:*");
        check("void (*f)(struct s *, int)", "f:");
        check("unsigned a : 2, b : 3", "a: b:");
        check("struct s { int a; T *b; } *p, q", "p:struct s* q:struct s");
        check("struct { int a; } *p", "p:*");
        check("EXPORT struct s API *p", "p:struct s*");
        check("int", "int:");
        check("", "");
        check("size_t n = sizeof(x)", "n:");
    }
}
