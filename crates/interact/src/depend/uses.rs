//! What a statement reads and writes, by its text.

use super::named_calls::{Outside, outside};
use super::spots::{Spot, Spots, spots};
use hydrogen_syntax::NameHash;

/// What a text does with names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Names that are read, or may be.
    pub reads: Vec<NameHash>,
    /// Names that get a new value whatever happens.
    pub sets: Vec<NameHash>,
    /// Names whose value may change.
    pub may_set: Vec<NameHash>,
    /// Memory behind pointers, in arrays and members, and whose address is taken.
    pub spots: Spots,
    /// Whether anything is assigned.
    pub assigns: bool,
    /// The functions that are called, with what they do where they are not functions of the program.
    pub calls: Vec<(NameHash, Outside)>,
    /// What all calls of functions that are not here do.
    pub outside: Outside,
}

impl Uses {
    /// Adds what another text does.
    pub fn add(&mut self, other: &Uses) {
        self.reads.extend(&other.reads);
        self.sets.extend(&other.sets);
        self.may_set.extend(&other.may_set);
        self.assigns |= other.assigns;
        self.calls.extend(&other.calls);
        self.spots.reads.extend(&other.spots.reads);
        self.spots.sets.extend(&other.spots.sets);
        self.spots.addresses.extend(&other.spots.addresses);
        self.spots.member_addresses.extend(&other.spots.member_addresses);
    }

    /// Whatever is read may be set, too.
    pub fn set_all_read(&mut self) {
        self.may_set.extend(&self.reads);
        self.spots.sets.extend(&self.spots.reads);
    }

    /// Takes the address of whatever is read.
    pub fn expose_all(&mut self) {
        self.spots.addresses.extend(&self.reads);
        let members = self.spots.reads.iter().filter_map(|spot| match spot {
            Spot::Member(name, _) => Some(*name),
            Spot::Behind(..) => None,
        });
        self.spots.member_addresses.extend(members);
    }
}

/// A token of a statement's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    /// A number, a character or a text.
    Literal(&'a str),
    Mark(&'a str),
}

impl<'a> Token<'a> {
    pub fn text(self) -> &'a str {
        match self {
            Token::Word(text) | Token::Literal(text) | Token::Mark(text) => text,
        }
    }
}

const MARKS: [&str; 24] = [
    "<<=", ">>=", "...", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
    ">=", "&&", "||", "<<", ">>", "##", "::",
];

/// Words that name nothing.
pub(crate) const KEYWORDS: [&str; 36] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "__extension__",
];

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if byte == b'"' || byte == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != byte {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
            found.push(Token::Literal(text.get(start..at).unwrap_or("?")));
        } else if byte.is_ascii_digit() {
            while at < bytes.len() && (word(bytes[at]) || bytes[at] == b'.') {
                at += 1;
            }
            found.push(Token::Literal(text.get(start..at).unwrap_or("?")));
        } else if word(byte) {
            while at < bytes.len() && word(bytes[at]) {
                at += 1;
            }
            let text = text.get(start..at).unwrap_or_default();
            found.push(Token::Word(text));
        } else {
            let mark = MARKS.iter().find(|mark| bytes[at..].starts_with(mark.as_bytes()));
            at += mark.map_or(1, |mark| mark.len());
            found.push(Token::Mark(text.get(start..at).unwrap_or("?")));
        }
    }
    found
}

/// Reads a statement's text. A declaration sets what it declares.
pub(crate) fn uses(text: &str, declaration: bool) -> Uses {
    let tokens = tokens(text);
    let mut uses = Uses { spots: spots(&tokens, declaration), ..Uses::default() };
    let mut targets = vec![false; tokens.len()];
    for at in 0..tokens.len() {
        if let Token::Mark(mark) = tokens[at] {
            match mark {
                "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => {
                    uses.assigns = true;
                    assignment(&tokens, at, mark == "=", declaration, &mut uses, &mut targets);
                }
                "++" | "--" => {
                    uses.assigns = true;
                    step(&tokens, at, &mut uses);
                }
                _ => {}
            }
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let before = at.checked_sub(1).map(|before| tokens[before]);
        if KEYWORDS.contains(name) || matches!(before, Some(Token::Mark("." | "->"))) || targets[at] {
            continue;
        }
        if matches!(tokens.get(at + 1), Some(Token::Mark("("))) {
            uses.calls.push((NameHash::of(name.as_bytes()), outside(name)));
        }
        uses.reads.push(NameHash::of(name.as_bytes()));
    }
    if declaration && !uses.assigns {
        // The name that is declared: the last word before brackets.
        let name =
            tokens.iter().take_while(|it| !matches!(it, Token::Mark("[" | "("))).filter_map(|it| match it {
                Token::Word(name) if !KEYWORDS.contains(name) => Some(*name),
                _ => None,
            });
        if let Some(name) = name.last() {
            uses.sets.push(NameHash::of(name.as_bytes()));
        }
    }
    uses
}

/// Whether an operand ends before this place, so that `*` and `&` there are operators of two.
fn is_operand(tokens: &[Token<'_>], at: usize) -> bool {
    match at.checked_sub(1).map(|before| tokens[before]) {
        Some(Token::Word(word)) => !KEYWORDS.contains(&word),
        Some(Token::Literal(_)) => true,
        Some(Token::Mark(mark)) => matches!(mark, ")" | "]"),
        None => false,
    }
}

/// The left side of the assignment at `at`.
fn assignment(
    tokens: &[Token<'_>],
    at: usize,
    plain: bool,
    declaration: bool,
    uses: &mut Uses,
    targets: &mut [bool],
) {
    let mut depth = 0;
    let mut start = at;
    while start > 0 {
        match tokens[start - 1] {
            Token::Mark(")" | "]") => depth += 1,
            Token::Mark("(" | "[") if depth == 0 => break,
            Token::Mark("(" | "[") => depth -= 1,
            Token::Mark("," | ";" | "?" | ":" | "=" | "&&" | "||" | "{" | "}") if depth == 0 => break,
            _ => {}
        }
        start -= 1;
    }
    let side = &tokens[start..at];
    let words: Vec<usize> = (start..at)
        .filter(|&at| matches!(tokens[at], Token::Word(word) if !KEYWORDS.contains(&word)))
        .collect();
    let through = side.iter().any(|it| matches!(it, Token::Mark("->" | "[")))
        || !declaration && side.iter().any(|it| matches!(it, Token::Mark("*")));
    let member = side.iter().any(|it| matches!(it, Token::Mark(".")));
    let name = |at: usize| match tokens[at] {
        Token::Word(word) => NameHash::of(word.as_bytes()),
        _ => NameHash(0),
    };
    if through && !declaration {
        // A part of a variable belongs to it; what stands behind a pointer or in an array is memory.
        let part = words.first().filter(|&&at| tokens.get(at + 1) == Some(&Token::Mark(".")));
        uses.may_set.extend(part.map(|&at| name(at)));
    } else if member {
        uses.may_set.extend(words.first().map(|&at| name(at)));
    } else if let Some(&target) = if declaration { words.last() } else { words.first() } {
        uses.sets.push(name(target));
        targets[target] = plain;
    } else {
        uses.spots.sets.push(Spot::Behind(None, 1));
    }
}

/// `++` or `--`: of the operand before, or of the one behind.
fn step(tokens: &[Token<'_>], at: usize, uses: &mut Uses) {
    let prefix = !is_operand(tokens, at);
    let near = if prefix { tokens.get(at + 1) } else { tokens.get(at.wrapping_sub(1)) };
    let beyond = if prefix { tokens.get(at + 2) } else { tokens.get(at.wrapping_sub(2)) };
    match (near, beyond) {
        (Some(Token::Word(name)), beyond) if !matches!(beyond, Some(Token::Mark("." | "->" | "["))) => {
            uses.may_set.push(NameHash::of(name.as_bytes()));
        }
        (Some(Token::Word(name)), _) => uses.may_set.push(NameHash::of(name.as_bytes())),
        // In parentheses, or behind a star: it may be any of the names.
        _ => {
            let word = |it: &Token<'_>| matches!(it, Token::Word(name) if !KEYWORDS.contains(name));
            let names = tokens.iter().filter(|it| word(it)).map(|it| NameHash::of(it.text().as_bytes()));
            uses.may_set.extend(names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NameHash, uses};

    fn check(text: &str, declaration: bool, expect: &str) {
        let names = ["a", "b", "c", "i", "p", "s", "f", "x", "sel"];
        let show = |list: &[NameHash]| {
            let find =
                |hash: &NameHash| names.iter().find(|name| NameHash::of(name.as_bytes()) == *hash).copied();
            list.iter().map(|hash| find(hash).unwrap_or("?")).collect::<Vec<_>>().join(" ")
        };
        let it = uses(text, declaration);
        let found = format!(
            "reads {}; sets {}; may {}; & {}",
            show(&it.reads),
            show(&it.sets),
            show(&it.may_set),
            show(&it.spots.addresses)
        );
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn texts_say_what_they_read_and_write() {
        check("a = b + c", false, "reads b c; sets a; may ; & ");
        check("a += b", false, "reads a b; sets a; may ; & ");
        check("int a = b", true, "reads b; sets a; may ; & ");
        check("int *p = &a", true, "reads a; sets p; may ; & a");
        check("int a", true, "reads a; sets a; may ; & ");
        check("*p = a", false, "reads p a; sets ; may ; & ");
        check("sel[i] = 1", false, "reads sel i; sets ; may ; & ");
        check("p->x = s.a", false, "reads p s; sets ; may ; & ");
        check("s.x = a", false, "reads s a; sets ; may s; & ");
        check("i++", false, "reads i; sets ; may i; & ");
        check("a = b = c", false, "reads c; sets a b; may ; & ");
        check("f(&a, b & c, a * b)", false, "reads f a b c a b; sets ; may ; & a");
        check("return sel[i]", false, "reads sel i; sets ; may ; & ");
        check("*p++ == \"a = b\"", false, "reads p; sets ; may p; & ");
    }
}
