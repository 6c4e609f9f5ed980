//! What variables and members hold, by their declarations: numbers and pointers, or structures.
//!
//! Who sets a number behind a pointer sets no member of a structure, unless the address of that member was taken. Who sets a
//! structure sets all its members. Whatever is not declared here may be a structure.

use super::spots::Named;
use super::uses::{KEYWORDS, Token, tokens};
use hydrogen_ir::{Function, Role};
use hydrogen_syntax::{Item, ItemKind, NameHash, Unit, seen};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is at the end of the pointers and arrays of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    Number,
    Structure,
    /// A type by its name.
    Type(NameHash),
}

/// A declaration: so many steps lead to the base.
type Kind = (Base, u8);

/// Names of types that systems declare, beside those with `_t` of a width.
const NUMBERS: [&str; 34] = [
    "bool",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intmax_t",
    "uintmax_t",
    "wchar_t",
    "wint_t",
    "off_t",
    "off64_t",
    "time_t",
    "clock_t",
    "pid_t",
    "uid_t",
    "gid_t",
    "mode_t",
    "dev_t",
    "ino_t",
    "socklen_t",
    "u_char",
    "u_short",
    "u_int",
    "u_long",
    "uint",
];

/// Words of declarations that say nothing about what is held.
const QUALIFIERS: [&str; 12] = [
    "const",
    "volatile",
    "restrict",
    "static",
    "extern",
    "register",
    "auto",
    "inline",
    "typedef",
    "__restrict",
    "__extension__",
    "_Thread_local",
];

/// What the declarations of a program say.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    types: FxHashMap<NameHash, Vec<Kind>>,
    variables: FxHashMap<NameHash, Vec<Kind>>,
    members: FxHashMap<NameHash, Vec<Kind>>,
    /// Members that share their place with others: those of unions, and of structures in them.
    pub shared: FxHashSet<NameHash>,
}

/// The parameters and variables of a function.
pub(crate) type Locals = FxHashMap<NameHash, Vec<Kind>>;

impl Kinds {
    pub fn of(units: &[Arc<Unit>]) -> Self {
        let mut kinds = Self::default();
        let items = || units.iter().flat_map(|unit| &unit.items);
        let (mut in_unions, mut by_type): (Vec<String>, FxHashMap<String, Vec<&Item>>) = Default::default();
        for item in items() {
            match item.kind {
                ItemKind::Type => {
                    kinds.of_type(item);
                    by_type.entry(item.name.clone()).or_default().push(item);
                    in_unions.extend(unions(&item.text));
                }
                ItemKind::Global => {
                    declared(&item.text, |name, kind| enter(&mut kinds.variables, name, kind))
                }
                _ => {}
            }
        }
        let mut known: FxHashSet<String> = FxHashSet::default();
        while let Some(text) = in_unions.pop() {
            for token in tokens(&text) {
                let Token::Word(word) = token else { continue };
                kinds.shared.insert(NameHash::of(word.as_bytes()));
                if known.insert(word.to_owned()) {
                    in_unions.extend(by_type.get(word).into_iter().flatten().map(|item| item.text.clone()));
                }
            }
        }
        kinds
    }

    fn of_type(&mut self, item: &Item) {
        for part in seen(item) {
            if let Some(member) = part.name.strip_prefix('.') {
                let text = part.text.split_once(';').map_or("", |(_, text)| text);
                let own = NameHash::of(member.as_bytes());
                let mut any = false;
                declared(text, |name, kind| {
                    if NameHash::of(name.as_bytes()) == own {
                        any = true;
                        enter(&mut self.members, name, kind);
                    }
                });
                if !any {
                    enter(&mut self.members, member, (Base::Structure, 0));
                }
            }
        }
        if let Some(text) = item.text.strip_prefix("typedef ") {
            // A structure with its members: what stands behind them are the names.
            let flat = match (text.find('{'), text.rfind('}')) {
                (Some(open), Some(close)) if open < close => {
                    let what = if text[..open].contains("enum") { "int" } else { "struct _" };
                    format!("{what} {}", &text[close + 1..])
                }
                _ => text.to_owned(),
            };
            declared(&flat, |name, kind| enter(&mut self.types, name, kind));
        }
    }

    /// What a function declares.
    pub fn locals(function: &Function) -> Locals {
        let mut locals = Locals::default();
        let parameters = function.signature.split_once('(').map_or("", |(_, rest)| rest);
        for one in parts(parameters.strip_suffix(')').unwrap_or(parameters)) {
            declared(one, |name, kind| enter(&mut locals, name, kind));
        }
        for piece in function.pieces.iter().filter(|piece| piece.role == Role::Declaration) {
            declared(&piece.text, |name, kind| enter(&mut locals, name, kind));
        }
        locals
    }

    /// Whether a name surely leads to a number or a pointer after so many steps.
    pub fn is_number(&self, locals: &Locals, name: Named, steps: u8) -> bool {
        let found = match name {
            Named::Member(name) => self.members.get(&name),
            Named::Variable(name) => locals.get(&name).or_else(|| self.variables.get(&name)),
        };
        found.is_some_and(|all| all.iter().all(|kind| self.ends(*kind, steps, 8)))
    }

    fn ends(&self, (base, depth): Kind, steps: u8, turns: u8) -> bool {
        match base {
            _ if steps < depth => true,
            Base::Number => steps == depth,
            Base::Structure => false,
            Base::Type(name) => {
                let meanings = self.types.get(&name);
                turns > 0
                    && meanings
                        .is_some_and(|all| all.iter().all(|kind| self.ends(*kind, steps - depth, turns - 1)))
            }
        }
    }
}

fn enter(into: &mut FxHashMap<NameHash, Vec<Kind>>, name: &str, kind: Kind) {
    let all = into.entry(NameHash::of(name.as_bytes())).or_default();
    if !all.contains(&kind) {
        all.push(kind);
    }
}

/// The texts between the braces of unions.
fn unions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("union") {
        let rest = &text[at..];
        let Some(open) = rest.find(['{', ';', '*', ')', ',']).filter(|&open| rest[open..].starts_with('{'))
        else {
            continue;
        };
        let mut depth = 0u32;
        let close = rest[open..].find(|c| {
            depth = match c {
                '{' => depth + 1,
                '}' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        found.push(rest[open..close.map_or(rest.len(), |close| open + close)].to_owned());
    }
    found
}

/// The parts between commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' | b';' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// The names of a declaration with what they hold.
fn declared(text: &str, mut enter: impl FnMut(&str, Kind)) {
    let mut base = None;
    for part in parts(text.trim_end_matches(';')) {
        let part = part.split_once('=').map_or(part, |(declared, _)| declared);
        let tokens = tokens(part);
        // The declarator begins at its first star or bracket, or is the last word before one.
        let first = tokens
            .iter()
            .position(|it| matches!(it, Token::Mark("*" | "(" | "[" | ":")))
            .unwrap_or(tokens.len());
        let starred = matches!(tokens.get(first), Some(Token::Mark("*" | "(")));
        let words = if starred || base.is_some() { first } else { first.saturating_sub(1) };
        let base = *base.get_or_insert_with(|| base_of(&tokens[..words.min(tokens.len())]));
        // A pointer to a function, or a function: its value is a number.
        let inner = tokens.iter().position(|it| *it == Token::Mark("("));
        if let Some(open) = inner {
            let name = tokens[open..].iter().find_map(|it| match it {
                Token::Word(word) if !KEYWORDS.contains(word) => Some(*word),
                _ => None,
            });
            name.into_iter().for_each(|name| enter(name, (Base::Number, 0)));
            continue;
        }
        let stars = tokens.iter().filter(|it| **it == Token::Mark("*")).count();
        let brackets = tokens.iter().filter(|it| **it == Token::Mark("[")).count();
        let end = tokens.iter().position(|it| matches!(it, Token::Mark("[" | ":"))).unwrap_or(tokens.len());
        let name = tokens[..end].iter().rev().find_map(|it| match it {
            Token::Word(word) if !KEYWORDS.contains(word) => Some(*word),
            _ => None,
        });
        let depth = u8::try_from(stars + brackets).unwrap_or(u8::MAX);
        name.into_iter().for_each(|name| enter(name, (base, depth)));
    }
}

fn base_of(words: &[Token<'_>]) -> Base {
    let words = words.iter().filter_map(|it| match it {
        Token::Word(word) if !QUALIFIERS.contains(word) => Some(*word),
        _ => None,
    });
    let words: Vec<&str> = words.collect();
    match words[..] {
        ["enum", ..] => Base::Number,
        ["struct" | "union", ..] | [] => Base::Structure,
        _ if words.iter().all(|word| KEYWORDS.contains(word) || NUMBERS.contains(word)) => Base::Number,
        [name] => Base::Type(NameHash::of(name.as_bytes())),
        _ => Base::Structure,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kinds, NameHash, Named};
    use hydrogen_syntax::{Options, read};
    use std::sync::Arc;

    #[test]
    fn declarations_say_what_is_a_number() {
        let source = "typedef unsigned char byte; typedef byte *bytes; typedef struct { int n; } pair; typedef pair *pairs; typedef int (*call)(int);\n\
            struct s { bytes b; pair p; struct t *t; char name[9]; unsigned f : 3; call c; foreign x; union { int u; float v; }; };\n\
            int *numbers; struct s all[3];\n\
            int f(char **argv, struct s *s, bytes b, pairs p, size_t n, foreign *x) { pair own; int i = 0, *j = &i; return 0; }";
        let unit = Arc::new(read("t.c", source.as_bytes(), &Options::default()));
        let kinds = Kinds::of(&[Arc::clone(&unit)]);
        let locals = Kinds::locals(&unit.module.functions[0]);
        let is = |name: &str, steps: u8| {
            let hash = |name: &str| NameHash::of(name.as_bytes());
            let named =
                name.strip_prefix('.').map_or(Named::Variable(hash(name)), |name| Named::Member(hash(name)));
            kinds.is_number(&locals, named, steps)
        };
        let numbers = [
            ("argv", 1),
            ("argv", 2),
            ("s", 0),
            ("b", 1),
            ("p", 0),
            ("n", 0),
            ("i", 0),
            ("j", 1),
            ("numbers", 1),
        ];
        let members = [(".b", 1), (".t", 0), (".name", 1), (".f", 0), (".c", 0), (".u", 0)];
        let no_numbers = [
            ("s", 1),
            ("p", 1),
            ("x", 1),
            ("own", 0),
            ("all", 1),
            (".p", 0),
            (".t", 1),
            (".x", 0),
            ("nobody", 0),
        ];
        let wrong: Vec<_> = numbers.iter().chain(&members).filter(|it| !is(it.0, it.1)).collect();
        assert!(wrong.is_empty(), "no numbers: {wrong:?}");
        let wrong: Vec<_> = no_numbers.iter().filter(|it| is(it.0, it.1)).collect();
        assert!(wrong.is_empty(), "numbers: {wrong:?}");
        assert!(kinds.shared.contains(&NameHash::of(b"v")) && !kinds.shared.contains(&NameHash::of(b"t")));
    }
}
