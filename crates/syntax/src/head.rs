//! The head of a function: its name, parameters and specifiers, whatever macros stand around them.

use crate::segment::NONE;
use crate::token::{TEXT, Token, WORD};
use crate::words::{is_macro_like, is_specifier, is_type_word, takes_parentheses};
use std::ops::Range;

/// The head of a function, as indices into the tokens.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// The whole head, up to the body.
    pub range: Range<usize>,
    /// The name.
    pub name: usize,
    /// The tokens between the parentheses of the parameters.
    pub parameters: Range<usize>,
    /// Whether the parameters are declared behind the parentheses.
    pub old_style: bool,
}

/// A name with parentheses behind it.
#[derive(Clone, Copy)]
struct Candidate {
    name: usize,
    open: usize,
    /// Whether it is written like a macro.
    macro_like: bool,
}

/// Reads the tokens before a body as a function's head.
pub(crate) fn read(tokens: &[Token], source: &[u8], partners: &[u32], range: Range<usize>) -> Option<Head> {
    let reader = Reader { tokens, source, partners };
    let mut chosen: Option<Candidate> = None;
    let mut begin = range.start;
    let mut at = range.start;
    let mut old_style = false;
    while at < range.end {
        match tokens[at].kind {
            b'=' => return None,
            // A function's body cannot follow; these are declarations of parameters.
            b';' => {
                chosen?;
                old_style = true;
                break;
            }
            b'(' => {
                if let Some(found) = reader.candidate(range.start, at) {
                    let keep = chosen.is_some_and(|earlier| !earlier.macro_like && found.macro_like);
                    if !keep {
                        chosen = Some(found);
                    }
                }
                let close = reader.close(at)?;
                // A macro on lines of its own before the head is not part of it.
                let fresh = tokens.get(close + 1).is_some_and(|next| next.fresh && next.kind == WORD);
                if fresh && chosen.is_some_and(|it| it.name == begin && it.macro_like) {
                    chosen = None;
                    begin = close + 1;
                }
                at = close;
            }
            b'[' | b'{' => at = reader.close(at)?,
            _ => {}
        }
        at += 1;
    }
    let Some(mut chosen) = chosen else { return reader.spelled_by_macro(begin..range.end) };
    if old_style {
        chosen = reader.first(begin..range.end).unwrap_or(chosen);
        // The declarations must be behind the parentheses, not before them.
        let close = reader.close(chosen.open)?;
        if tokens.get(close + 1).is_none_or(|next| next.kind != WORD) {
            return None;
        }
    }
    let defining = || if old_style { None } else { reader.defining_macro(chosen, begin, range.end) };
    let (name, open) =
        reader.inside_macro(chosen, begin).or_else(defining).unwrap_or((chosen.name, chosen.open));
    let close = reader.close(open)?;
    Some(Head { range: begin..range.end, name, parameters: open + 1..close, old_style })
}

struct Reader<'a> {
    tokens: &'a [Token],
    source: &'a [u8],
    partners: &'a [u32],
}

impl Reader<'_> {
    fn close(&self, open: usize) -> Option<usize> {
        Some(self.partners[open] as usize).filter(|&close| close != NONE as usize)
    }

    fn word(&self, at: usize) -> &[u8] {
        if self.tokens[at].kind == WORD { self.tokens[at].text(self.source) } else { b"" }
    }

    /// What the parentheses at `open` are the parameters of.
    fn candidate(&self, start: usize, open: usize) -> Option<Candidate> {
        let last = open.checked_sub(1).filter(|&last| last >= start)?;
        match self.tokens[last].kind {
            WORD => {
                let word = self.word(last);
                if takes_parentheses(word) || is_type_word(word) || is_specifier(word) {
                    return None;
                }
                let macro_like = is_macro_like(word) || word.starts_with(b"__");
                let behind_parentheses = last > start && self.tokens[last - 1].kind == b')';
                (!(macro_like && behind_parentheses)).then_some(Candidate { name: last, open, macro_like })
            }
            b')' => self.parenthesised(start, last, open),
            _ => None,
        }
    }

    /// `(name)(…)` and `(*name(…))(…)`.
    fn parenthesised(&self, start: usize, close: usize, open: usize) -> Option<Candidate> {
        let before = (start..close).rev().find(|&at| self.partners[at] == close as u32)?;
        if close == before + 2 && self.tokens[before + 1].kind == WORD {
            let type_word = is_type_word(self.word(before + 1));
            return (!type_word).then_some(Candidate { name: before + 1, open, macro_like: false });
        }
        if self.tokens[before + 1].kind != b'*' {
            return None;
        }
        let inner = (before + 2..close).find(|&at| self.tokens[at].kind == b'(')?;
        (self.tokens[inner - 1].kind == WORD).then_some(Candidate {
            name: inner - 1,
            open: inner,
            macro_like: false,
        })
    }

    /// The first candidate, for heads with declarations behind the parentheses.
    fn first(&self, range: Range<usize>) -> Option<Candidate> {
        let mut at = range.start;
        let mut fallback = None;
        while at < range.end && self.tokens[at].kind != b';' {
            if self.tokens[at].kind == b'(' {
                let found = self.candidate(range.start, at);
                at = self.close(at)?;
                match found {
                    Some(found) if !found.macro_like => return Some(found),
                    _ => fallback = fallback.or(found),
                }
            }
            at += 1;
        }
        fallback
    }

    /// `MACRO(type, name, (parameters))`: the macro spells the whole head.
    fn inside_macro(&self, chosen: Candidate, begin: usize) -> Option<(usize, usize)> {
        if !chosen.macro_like || chosen.name != begin {
            return None;
        }
        let close = self.close(chosen.open)?;
        let open = (chosen.open + 1..close).find(|&at| {
            self.tokens[at].kind == b'('
                && self.tokens[at - 1].kind == b','
                && self.tokens[at - 2].kind == WORD
        })?;
        Some((open - 2, open))
    }

    /// `DEFUN ("car", Fcar, Scar, …) (parameters)`, `TEST(suite, name)`: the last of the first plain words is the name, since
    /// the macro's own is that of many functions.
    fn defining_macro(&self, chosen: Candidate, begin: usize, end: usize) -> Option<(usize, usize)> {
        let close = self.close(chosen.open)?;
        let behind = close + 1;
        let parameters = self.tokens.get(behind).is_some_and(|token| token.kind == b'(');
        let last = if parameters { self.close(behind)? } else { close };
        if !chosen.macro_like || chosen.name != begin || last + 1 != end {
            return None;
        }
        let mut name = None;
        let mut at = chosen.open + 1;
        while at < close {
            let alone = matches!(self.tokens[at + 1].kind, b',' | b')');
            match self.tokens[at].kind {
                WORD if alone && !is_type_word(self.word(at)) => name = Some(at),
                TEXT if alone && name.is_none() => {}
                WORD if alone && name.is_none() => {}
                _ => break,
            }
            at += 2;
        }
        Some((name?, if parameters { behind } else { chosen.open }))
    }

    /// `static RET name ARGUMENTS`: a macro stands for the parameters.
    fn spelled_by_macro(&self, range: Range<usize>) -> Option<Head> {
        let last = range.end.checked_sub(1).filter(|&last| last >= range.start + 2)?;
        let words = range.clone().all(|at| matches!(self.tokens[at].kind, WORD | b'*'));
        let tagged =
            range.clone().any(|at| matches!(self.word(at), b"struct" | b"union" | b"enum" | b"typedef"));
        let name = last - 1;
        let named = self.tokens[name].kind == WORD
            && !is_macro_like(self.word(name))
            && !is_type_word(self.word(name))
            && !is_specifier(self.word(name));
        let fits = words && !tagged && named && is_macro_like(self.word(last));
        fits.then_some(Head {
            range: range.clone(),
            name,
            parameters: range.end..range.end,
            old_style: false,
        })
    }
}

/// The names of the parameters.
pub(crate) fn parameters<'a>(
    tokens: &[Token],
    source: &'a [u8],
    partners: &[u32],
    head: &Head,
) -> Vec<&'a [u8]> {
    let mut names = Vec::new();
    let mut begin = head.parameters.start;
    let mut at = begin;
    while at <= head.parameters.end {
        let ends = at == head.parameters.end || tokens[at].kind == b',';
        if ends {
            let part = &tokens[begin..at];
            if !part.is_empty() && part[0].kind != b'.' && !(part.len() == 1 && part[0].is(source, b"void")) {
                names.push(parameter(part, source, head.old_style));
            }
            begin = at + 1;
        } else if matches!(tokens[at].kind, b'(' | b'[' | b'{') && partners[at] != NONE {
            at = partners[at] as usize;
        }
        at += 1;
    }
    names
}

fn parameter<'a>(part: &[Token], source: &'a [u8], old_style: bool) -> &'a [u8] {
    // `int (*name)(…)`: the name stands in the first parentheses.
    let star = part.windows(2).position(|pair| pair[0].kind == b'(' && pair[1].kind == b'*');
    if let Some(star) = star {
        let name = part[star..].iter().find(|token| token.kind == WORD && !is_specifier(token.text(source)));
        return name.map_or(&[], |token| token.text(source));
    }
    let end = part.iter().position(|token| matches!(token.kind, b'[' | b'(')).unwrap_or(part.len());
    let words = part[..end].iter().filter(|token| token.kind == WORD && !is_specifier(token.text(source)));
    let words: Vec<&Token> = words.collect();
    let tagged = words.iter().any(|word| matches!(word.text(source), b"struct" | b"union" | b"enum"));
    let enough = old_style || words.len() > 1 + usize::from(tagged);
    match words.last() {
        Some(last) if enough && !is_type_word(last.text(source)) => last.text(source),
        _ => &[],
    }
}
