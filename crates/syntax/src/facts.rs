//! What a file says about names: macros, enumerators, functions that do not return.

use crate::evaluate::{MacroEnv, number};
use crate::names::Names;
use crate::token::{CHAR, NUMBER, TEXT, WORD, tokens};
use crate::words::{is_macro_like, is_type_word};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Names by hash. The order of such maps is never looked at.
pub(crate) type NameMap<'a, T> = HashMap<&'a [u8], T, BuildHasherDefault<NameHasher>>;
/// Names by hash.
pub(crate) type NameSet<'a> = HashSet<&'a [u8], BuildHasherDefault<NameHasher>>;

/// Names are short and many: the standard hasher would take longer than the comparison it saves.
#[derive(Default)]
pub(crate) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = (self.0 ^ crate::NameHash::of(bytes).0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, length: usize) {
        self.0 = self.0.rotate_left(5) ^ length as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Facts about the names of a file.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    /// Macros with what follows their name: parameters, if any, and replacement. `None` where definitions differ.
    pub macros: NameMap<'a, Option<&'a [u8]>>,
    /// Macros that the configuration brings.
    pub env: Option<&'a MacroEnv>,
    /// What other files of the version say.
    pub known: Option<&'a Names>,
    /// Enumerators.
    pub enumerators: NameSet<'a>,
    /// Functions that are declared not to return.
    pub no_return: NameSet<'a>,
    /// Functions that are defined here.
    pub functions: NameSet<'a>,
    /// Functions that are declared here.
    pub declared: NameSet<'a>,
}

/// Macros that stand for macros are followed this far.
const ALIASES: usize = 8;

impl<'a> Facts<'a> {
    /// Notes a definition.
    pub fn define(&mut self, name: &'a [u8], text: &'a [u8]) {
        let known = self.macros.entry(name).or_insert(Some(text));
        if *known != Some(text) {
            *known = None;
        }
    }

    /// What follows a macro's name in its definition, where there is only one.
    pub fn definition(&self, name: &[u8]) -> Option<&[u8]> {
        match self.macros.get(name) {
            Some(text) => *text,
            None => match self.env.and_then(|env| env.text(name)) {
                None => self.known.and_then(|known| known.definition(name)),
                text => text,
            },
        }
    }

    /// Whether a function is declared not to return, here or in another file.
    pub fn never_returns(&self, name: &[u8]) -> bool {
        self.no_return.contains(name) || self.known.is_some_and(|known| known.never_returns(name))
    }

    /// Whether a macro with a block behind it repeats the block. Its definition says so, else its name.
    pub fn is_loop(&self, name: &[u8]) -> bool {
        if let Some(text) = self.definition(name) {
            let is_loop = |word: &[u8]| matches!(word, b"for" | b"while");
            return tokens(text).iter().any(|token| token.kind == WORD && is_loop(token.text(text)));
        }
        let lower = name.to_ascii_lowercase();
        [&b"for"[..], b"each", b"loop", b"while", b"iter"]
            .iter()
            .any(|part| lower.windows(part.len()).any(|window| window == *part))
    }

    /// The value of a macro that is nothing but an integer, perhaps with a cast.
    pub fn value(&self, name: &[u8]) -> Option<i64> {
        let mut name = name;
        for _ in 0..ALIASES {
            let text = self.definition(name)?;
            if text.first() == Some(&b'(') {
                return None; // Its parameters.
            }
            let mut found = tokens(text);
            if let Some(cast) =
                found.windows(3).position(|it| [it[0].kind, it[1].kind, it[2].kind] == [b'(', WORD, b')'])
                && found.len() > cast + 3
            {
                found.drain(cast..cast + 3);
            }
            found.retain(|token| !matches!(token.kind, b'(' | b')'));
            match found[..] {
                [token] if token.kind == NUMBER => return number(token.text(text)),
                [token] if token.kind == WORD => name = token.text(text),
                _ => return None,
            }
        }
        None
    }

    /// Whether a name stands for a constant. A macro whose definition is unknown does if it is written in
    /// capitals: that is what people write constants in, and compilers see through them.
    pub fn is_constant(&self, name: &[u8]) -> bool {
        if self.enumerators.contains(name) || self.functions.contains(name) {
            return true;
        }
        match self.definition(name) {
            Some(text) if text.first() == Some(&b'(') => false,
            Some(text) => {
                let found = tokens(text);
                !found.is_empty()
                    && found.iter().all(|token| match token.kind {
                        WORD => is_macro_like(token.text(text)) || is_type_word(token.text(text)),
                        NUMBER | CHAR | TEXT => true,
                        kind => b"+-*/%&|^~<>()".contains(&kind),
                    })
            }
            None => is_macro_like(name) && name.len() > 1,
        }
    }

    /// What a macro with parameters does with each argument; `None` for what is not known as one.
    pub fn arguments(&self, name: &[u8]) -> Option<Vec<Argument>> {
        let text = self.definition(name)?;
        // What is a function too is a macro in some configurations only.
        if text.first() != Some(&b'(') || self.functions.contains(name) || self.declared.contains(name) {
            return None;
        }
        let found = tokens(text);
        let close = found.iter().position(|token| token.kind == b')')?;
        let body = &found[close + 1..];
        let parameters = found[1..close].iter().filter(|token| token.kind == WORD);
        let uses = parameters.map(|parameter| {
            let name = parameter.text(text);
            let used = body.iter().any(|token| token.kind == WORD && token.text(text) == name);
            if used { Argument::Used } else { Argument::Dropped }
        });
        Some(uses.collect())
    }
}

/// What a macro does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Nothing: it is not part of the program.
    Dropped,
    /// Something.
    Used,
}
