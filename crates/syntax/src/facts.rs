//! What a file says about names: macros, enumerators, functions that do not return.

use crate::evaluate::number;
use crate::token::{CHAR, NUMBER, TEXT, WORD, tokens};
use crate::words::is_macro_like;
use std::collections::{HashMap, HashSet};

/// Facts about the names of a file.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    /// Macros, with what follows their name in the first definition.
    pub macros: HashMap<&'a [u8], &'a [u8]>,
    /// Enumerators.
    pub enumerators: HashSet<&'a [u8]>,
    /// Functions that are declared not to return.
    pub no_return: HashSet<&'a [u8]>,
    /// Functions that are defined here.
    pub functions: HashSet<&'a [u8]>,
}

impl Facts<'_> {
    /// Whether a macro with a block behind it repeats the block. Its definition says so, else its name.
    pub fn is_loop(&self, name: &[u8]) -> bool {
        if let Some(text) = self.macros.get(name) {
            let is_loop = |word: &[u8]| matches!(word, b"for" | b"while");
            return tokens(text).iter().any(|token| token.kind == WORD && is_loop(token.text(text)));
        }
        let lower = name.to_ascii_lowercase();
        [&b"for"[..], b"each", b"loop", b"while", b"iter"]
            .iter()
            .any(|part| lower.windows(part.len()).any(|window| window == *part))
    }

    /// The value of a macro that is nothing but an integer.
    pub fn value(&self, name: &[u8]) -> Option<i64> {
        let text = self.macros.get(name)?;
        let tokens: Vec<_> = tokens(text).into_iter().filter(|it| !matches!(it.kind, b'(' | b')')).collect();
        match tokens[..] {
            [token] if token.kind == NUMBER && text.first() != Some(&b'(') => number(token.text(text)),
            _ => None,
        }
    }

    /// Whether a name stands for a constant. A macro whose definition is unknown does if it is written in
    /// capitals: that is what people write constants in, and compilers see through them.
    pub fn is_constant(&self, name: &[u8]) -> bool {
        if self.enumerators.contains(name) || self.functions.contains(name) {
            return true;
        }
        match self.macros.get(name) {
            Some(text) if text.first() == Some(&b'(') => false,
            Some(text) => {
                let found = tokens(text);
                !found.is_empty()
                    && found.iter().all(|token| match token.kind {
                        WORD => {
                            is_macro_like(token.text(text)) || crate::words::is_type_word(token.text(text))
                        }
                        NUMBER | CHAR | TEXT => true,
                        kind => b"+-*/%&|^~<>()".contains(&kind),
                    })
            }
            None => is_macro_like(name) && name.len() > 1,
        }
    }
}
