//! Declarations: one statement per declarator, with the specifiers in its text.
#![allow(non_upper_case_globals)] // libclang's names.

use super::places::Place;
use super::scan::Walk;
use super::statement::Reader;
use super::sys::Cursor;
use clang_sys::*;
use hydrogen_statements::{Expr, Form, Stmt, fold};

impl<'u> Reader<'u, '_> {
    /// The declarators of a declaration statement that make variables.
    pub(super) fn declaration(&mut self, cursor: &Cursor<'u>, place: Place) -> Vec<Stmt> {
        let children = cursor.children();
        let declares = |kind| matches!(kind, CXCursor_VarDecl | CXCursor_FunctionDecl | CXCursor_TypedefDecl);
        let declarators: Vec<_> = children.into_iter().filter(|child| declares(child.kind())).collect();
        let is_variable = |cursor: &Cursor| cursor.kind() == CXCursor_VarDecl && !cursor.is_extern();
        if !declarators.iter().any(is_variable) {
            return Vec::new();
        }
        let bytes = self.places.bytes(place);
        let name = declarators[0].location().offset.saturating_sub(place.start) as usize;
        let Some(cut) = cut(bytes, name).filter(|cut| cut.chunks.len() == declarators.len()) else {
            // Declarators made by macros: the whole declaration stands for all of them.
            let form = self.initial(&declarators);
            return vec![Stmt::Declaration(self.expr(trimmed(bytes, place), form))];
        };
        let specifiers = fold(&bytes[..cut.specifiers]);
        let mut out = Vec::new();
        for (index, (&(start, end), cursor)) in cut.chunks.iter().zip(&declarators).enumerate() {
            if !is_variable(cursor) {
                continue;
            }
            // The first declarator's extent includes the specifiers; their own instructions (`typeof`) go there.
            let from = if index == 0 { 0 } else { start };
            let text = format!("{specifiers} {}", fold(&bytes[start..end]));
            let at = |offset: usize| place.start + offset as u32;
            let extent = Place { start: at(from), end: at(end), is_use: false, ..place };
            let span = self.places.span(extent);
            let form = self.initial(std::slice::from_ref(cursor));
            let text = if index == 0 { self.places.text(extent) } else { text };
            out.push(Stmt::Declaration(Expr { form, ..Expr::plain(text, span) }));
        }
        out
    }

    /// The control flow of initialisers.
    fn initial(&mut self, declarators: &[Cursor<'u>]) -> Form {
        let mut parts = Vec::new();
        for cursor in declarators.iter().filter(|cursor| cursor.kind() == CXCursor_VarDecl) {
            let Some(initializer) = cursor.initializer() else { continue };
            let Some(place) = self.places.place(&initializer) else { continue };
            match self.form(&initializer, place) {
                Form::Plain(inner) => parts.extend(inner),
                form if declarators.len() == 1 => return form,
                form => parts.push(self.expr(place, form)),
            }
        }
        Form::Plain(parts)
    }
}

/// How a declaration falls into specifiers and declarators, as offsets.
struct Cut {
    specifiers: usize,
    chunks: Vec<(usize, usize)>,
}

/// Splits the text of a declaration whose first declared name stands at `name`.
fn cut(bytes: &[u8], name: usize) -> Option<Cut> {
    let mut walk = Walk::new(bytes, 0);
    let mut specifiers = None;
    let mut start = 0;
    let mut chunks = Vec::new();
    let mut depth = 0;
    let mut after_word = Vec::new();
    while let Some((at, byte)) = walk.next() {
        let opens = matches!(byte, b'(' | b'[' | b'{');
        if specifiers.is_none() && depth == 0 {
            // `(` begins a declarator, unless it holds the arguments of `typeof`, an attribute or the like.
            let takes = |word: &[u8]| {
                let word = word.trim_ascii();
                word.starts_with(b"_") || word.starts_with(b"typeof")
            };
            if at >= name || byte == b'*' || (byte == b'(' && !takes(&after_word)) {
                specifiers = Some(at);
                start = at;
            }
        }
        if depth == 0 && (byte == b',' || byte == b';') {
            chunks.push((start, at));
            start = at + 1;
            if byte == b';' {
                break;
            }
        }
        after_word = if opens { Vec::new() } else { walk.word(at).to_vec() };
        depth = walk.depth;
    }
    let end = bytes.len();
    if chunks.is_empty() || (start < end && bytes[chunks.last()?.1] != b';') {
        chunks.push((start, end));
    }
    let blank = |range: (usize, usize)| {
        let chunk = &bytes[range.0..range.1];
        let lead = chunk.len() - chunk.trim_ascii_start().len();
        (range.0 + lead, range.0 + lead.max(chunk.trim_ascii_end().len()))
    };
    Some(Cut { specifiers: specifiers?, chunks: chunks.into_iter().map(blank).collect() })
}

/// A declaration without its semicolon.
fn trimmed(bytes: &[u8], place: Place) -> Place {
    let text = bytes.trim_ascii_end();
    let text = text.strip_suffix(b";").unwrap_or(text).trim_ascii_end();
    Place { end: place.start + text.len() as u32, ..place }
}
