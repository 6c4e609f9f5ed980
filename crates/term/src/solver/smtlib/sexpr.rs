//! S-expressions, as solvers write them.

/// An atom or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sexpr {
    Atom(String),
    List(Vec<Sexpr>),
}

/// Deeper nesting than any answer of ours needs; it would only serve to overflow the stack.
const DEEPEST: usize = 2_000;

impl Sexpr {
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::Atom(_) => None,
            Sexpr::List(items) => Some(items),
        }
    }

    /// The items after the first, if that is this atom.
    pub fn after(&self, head: &str) -> Option<&[Sexpr]> {
        let (first, rest) = self.list()?.split_first()?;
        (first.atom() == Some(head)).then_some(rest)
    }
}

/// All expressions of a text; none if it is not well-formed.
pub(crate) fn parse(text: &str) -> Option<Vec<Sexpr>> {
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        match first {
            ';' => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            '(' => {
                if open.len() > DEEPEST {
                    return None;
                }
                open.push(Vec::new());
                rest = &rest[1..];
            }
            ')' => {
                let done = open.pop()?;
                open.last_mut()?.push(Sexpr::List(done));
                rest = &rest[1..];
            }
            // The bars are no part of a name; quotes stay, so that a string is no symbol.
            '|' => {
                let (name, after) = rest[1..].split_once('|')?;
                open.last_mut()?.push(Sexpr::Atom(name.to_owned()));
                rest = after;
            }
            '"' => {
                let length = string_length(rest)?;
                open.last_mut()?.push(Sexpr::Atom(rest[..length].to_owned()));
                rest = &rest[length..];
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || "()|\";".contains(c);
                let length = rest.find(ends).unwrap_or(rest.len());
                open.last_mut()?.push(Sexpr::Atom(rest[..length].to_owned()));
                rest = &rest[length..];
            }
        }
    }
    let top = open.pop()?;
    open.is_empty().then_some(top)
}

/// Bytes of the string literal at the start; a doubled quote is a quote in it.
fn string_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut position = 1;
    while position < bytes.len() {
        if bytes[position] == b'"' {
            if bytes.get(position + 1) != Some(&b'"') {
                return Some(position + 1);
            }
            position += 1;
        }
        position += 1;
    }
    None
}
