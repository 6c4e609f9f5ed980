//! Declarations outside functions, and macros.

use crate::directive::{Directive, DirectiveKind};
use crate::facts::Facts;
use crate::lines::Lines;
use crate::segment::NONE;
use crate::token::{DIRECTIVE, Token, WORD};
use crate::words::{is_specifier, is_type_word, says_no_return, takes_parentheses};
use crate::{Item, ItemKind};
use hydrogen_statements::{canonical, canonical_of, fold};
use std::ops::Range;

/// Reads the items of a file and what they say about names.
pub(crate) struct Items<'a> {
    pub tokens: &'a [Token],
    pub source: &'a [u8],
    pub partners: &'a [u32],
    pub lines: &'a Lines,
    pub items: Vec<Item>,
    pub facts: Facts<'a>,
}

impl<'a> Items<'a> {
    fn push(&mut self, kind: ItemKind, name: &[u8], text: &str, range: (u32, u32)) {
        let name = String::from_utf8_lossy(name).into_owned();
        let span = self.lines.span(range.0, range.1);
        self.items.push(Item { kind, name, text: text.to_owned(), span });
    }

    /// A `#define` or `#include`.
    pub fn directive(&mut self, token: &Token) {
        let directive = Directive::of(token, self.source);
        let range = (token.start, token.end);
        if directive.kind == DirectiveKind::Define {
            let name = directive.name();
            let begin = directive.rest.len() - directive.rest.trim_ascii_start().len();
            let definition = &directive.rest[begin + name.len()..];
            self.facts.define(name, definition);
            // The blank tells parameters from a replacement that begins with a parenthesis.
            let parameters = match definition.iter().position(|&byte| byte == b')') {
                Some(close) if definition[0] == b'(' => close + 1,
                _ => 0,
            };
            let (parameters, body) = definition.split_at(parameters);
            let [name_text, parameters, body] = [name, parameters, body].map(canonical_of);
            let text = format!("#define {name_text}{parameters} {body}");
            self.push(ItemKind::Macro, name, text.trim_end(), range);
        } else {
            let text = canonical_of(token.text(self.source));
            let path = fold(directive.rest);
            self.push(ItemKind::Include, path.trim_matches(['"', '<', '>']).as_bytes(), &text, range);
        }
    }

    fn word(&self, at: usize) -> &'a [u8] {
        if self.tokens[at].kind == WORD { self.tokens[at].text(self.source) } else { b"" }
    }

    /// A declaration.
    pub fn declaration(&mut self, range: Range<usize>) {
        let (Some(first), Some(last)) = (self.tokens.get(range.start), self.tokens.get(range.end - 1)) else {
            return;
        };
        let extent = (first.start, last.end);
        if range.len() < 2 {
            return;
        }
        let text = self.text_of(range.clone(), extent);
        let typedef = range.clone().take(4).any(|at| self.word(at) == b"typedef");
        let no_return = range.clone().any(|at| says_no_return(self.word(at)));
        let before = self.items.len();
        self.types(range.clone(), &text, extent);
        for (name, called) in self.declarators(range.clone()) {
            let kind = match (typedef, called) {
                (true, _) => ItemKind::Type,
                (false, true) => ItemKind::Prototype,
                (false, false) => ItemKind::Global,
            };
            if called {
                self.facts.declared.insert(name);
            }
            if called && no_return {
                self.facts.no_return.insert(name);
            }
            self.push(kind, name, &text, extent);
        }
        // `typedef int (name)(char *);`: the type of a function.
        let kind = |at: usize| self.tokens[at].kind;
        let named = |&at: &usize| {
            kind(at) == b'(' && kind(at + 1) == WORD && kind(at + 2) == b')' && kind(at + 3) == b'('
        };
        let function = (range.start + 2..range.end.saturating_sub(3)).find(named);
        if let Some(at) = function.filter(|_| typedef && self.items.len() == before) {
            self.push(ItemKind::Type, self.word(at + 1), &text, extent);
        }
        let bare = range.len() == 3 && matches!(self.word(range.start), b"struct" | b"union" | b"enum");
        if self.items.len() == before && !bare {
            // Macros that declare something, assertions: the text is all there is. A keyword is nobody's name.
            let first = self.word(range.start);
            let keyword = is_specifier(first) || is_type_word(first) || first == b"typedef";
            self.push(ItemKind::Global, if keyword { b"" } else { first }, &text, extent);
        }
    }

    /// The text of a declaration. Directives in it stand on lines of their own, so that conditions can be told from members.
    fn text_of(&self, range: Range<usize>, extent: (u32, u32)) -> String {
        let text = |from: u32, to: u32| canonical_of(&self.source[from as usize..to as usize]);
        let mut out = String::new();
        let mut from = extent.0;
        for token in self.tokens[range].iter().filter(|token| token.kind == DIRECTIVE) {
            out.push_str(&text(from, token.start));
            out.push_str(&format!("\n{}\n", text(token.start, token.end)));
            from = token.end;
        }
        if out.is_empty() { text(from, extent.1) } else { out + &text(from, extent.1) }
    }

    /// The tagged types that a declaration defines.
    fn types(&mut self, range: Range<usize>, text: &str, extent: (u32, u32)) {
        let mut at = range.start;
        while at < range.end {
            let keyword = self.word(at);
            if matches!(keyword, b"struct" | b"union" | b"enum") {
                let open =
                    (at + 1..range.end.min(at + 16)).find(|&at| matches!(self.tokens[at].kind, b'{' | b';'));
                if let Some(open) = open.filter(|&open| self.tokens[open].kind == b'{') {
                    let close = self.partners[open];
                    let close = if close == NONE { range.end - 1 } else { close as usize };
                    if let Some(tag) = self.tag(at + 1..open) {
                        self.push(ItemKind::Type, tag, text, extent);
                    }
                    if keyword == b"enum" {
                        self.enumerators(open + 1..close);
                    }
                    at = close;
                }
            } else if self.tokens[at].kind == b'{' && self.partners[at] != NONE {
                at = self.partners[at] as usize;
            }
            at += 1;
        }
    }

    /// The tag among the words before a brace: the last that is no attribute.
    fn tag(&self, range: Range<usize>) -> Option<&'a [u8]> {
        let (mut found, mut at) = (None, range.start);
        while at < range.end {
            let word = self.word(at);
            if self.tokens[at].kind == b'(' && self.partners[at] != NONE {
                at = self.partners[at] as usize;
            } else if !word.is_empty() && !is_specifier(word) && !takes_parentheses(word) {
                found = Some(word);
            }
            at += 1;
        }
        found
    }

    /// Each enumerator with its value, as far as the text says it: `B = A + 1` for one without a value.
    fn enumerators(&mut self, range: Range<usize>) {
        let mut base = "0".to_owned();
        let mut offset = 0;
        let mut at = range.start;
        while at < range.end {
            let begin = at;
            while at < range.end && self.tokens[at].kind != b',' {
                if matches!(self.tokens[at].kind, b'(' | b'{' | b'[') && self.partners[at] != NONE {
                    at = (self.partners[at] as usize).min(range.end - 1);
                }
                at += 1;
            }
            let name = self.word(begin);
            if at > begin && !name.is_empty() {
                let (start, end) = (self.tokens[begin].start, self.tokens[at - 1].end);
                let text = fold(&self.source[start as usize..end as usize]);
                if let Some((_, value)) = text.split_once('=') {
                    base = value.trim().to_owned();
                    offset = 0;
                }
                let name_text = String::from_utf8_lossy(name);
                let full = match offset {
                    0 => format!("{name_text}={base}"),
                    _ => format!("{name_text}=({base})+{offset}"),
                };
                self.facts.enumerators.insert(name);
                self.push(ItemKind::Enum, name, &canonical(&full), (start, end));
                offset += 1;
            }
            at += 1;
        }
    }

    /// The declared names, and whether each is a function.
    fn declarators(&self, range: Range<usize>) -> Vec<(&'a [u8], bool)> {
        let mut found = Vec::new();
        let mut name: Option<(&'a [u8], bool)> = None;
        let mut words = 0;
        let mut done = false;
        let mut at = range.start;
        while at < range.end {
            let token = self.tokens[at];
            match token.kind {
                WORD if !done => {
                    let word = token.text(self.source);
                    if matches!(word, b"struct" | b"union" | b"enum") {
                        words += 1;
                        at += usize::from(self.tokens.get(at + 1).is_some_and(|next| next.kind == WORD)); // The tag.
                    } else if takes_parentheses(word) {
                        // An attribute; its parentheses are skipped below.
                        if self.tokens.get(at + 1).is_some_and(|next| next.kind == b'(')
                            && self.partners[at + 1] != NONE
                        {
                            at = self.partners[at + 1] as usize;
                        }
                    } else if is_type_word(word) || is_specifier(word) {
                        words += usize::from(!is_specifier(word));
                    } else {
                        words += 1;
                        name = Some((word, false));
                    }
                }
                b'(' | b'[' | b'{' if self.partners[at] != NONE => {
                    let close = self.partners[at] as usize;
                    if token.kind == b'(' && !done {
                        let pointer = self.tokens[at + 1].kind == b'*';
                        if pointer {
                            let inner = (at + 1..close)
                                .map(|at| self.word(at))
                                .find(|word| !word.is_empty() && !is_specifier(word));
                            name = inner.map(|inner| (inner, false)).or(name);
                            words += 1;
                            done = true;
                        } else if let Some(it) = name.as_mut() {
                            it.1 = true;
                            done = true;
                        }
                    }
                    at = close;
                }
                b'=' => done = true,
                b',' | b';' => {
                    found.extend(name.take().filter(|_| words > 1));
                    done = false;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }
}
