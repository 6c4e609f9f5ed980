//! Statements.
#![allow(non_upper_case_globals)] // libclang's names.

use super::places::{Place, Places};
use super::scan::{asm_labels, for_semicolons};
use super::sys::Cursor;
use clang_sys::*;
use hydrogen_statements::{CaseLabel, Expr, Form, Stmt};

/// Reads the bodies of functions.
pub(super) struct Reader<'u, 'f> {
    pub(super) places: Places<'u, 'f>,
}

impl<'u> Reader<'u, '_> {
    /// The statements of a body, or of any statement.
    pub(super) fn body(&mut self, cursor: &Cursor<'u>) -> Vec<Stmt> {
        match self.places.place(cursor) {
            Some(place) if cursor.kind() == CXCursor_CompoundStmt && !place.is_use => {
                self.sequence(&cursor.children())
            }
            _ => vec![self.one(cursor)],
        }
    }

    fn one(&mut self, cursor: &Cursor<'u>) -> Stmt {
        let mut statements = self.sequence(std::slice::from_ref(cursor));
        match statements.len() {
            0 => Stmt::Empty,
            1 => statements.remove(0),
            _ => Stmt::Block(statements),
        }
    }

    fn sequence(&mut self, cursors: &[Cursor<'u>]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut last: Option<Place> = None;
        let mut rest = cursors.iter().peekable();
        while let Some(cursor) = rest.next() {
            let Some(place) = self.places.place(cursor) else { continue };
            if cursor.kind() == CXCursor_NullStmt {
                // `TRACE(x);` where the macro is empty: the text is there, and the other mode reads it too.
                let empty =
                    if place.is_use { Some(place) } else { self.places.use_before(place.file, place.start) };
                if let Some(empty) = empty.filter(|empty| last.is_none_or(|last| last.end <= empty.start)) {
                    out.push(Stmt::Expression {
                        value: self.expr(empty, Form::Plain(Vec::new())),
                        no_return: false,
                    });
                    last = Some(empty);
                }
                continue;
            }
            if place.is_use {
                // All statements out of one use of a macro are one statement.
                let mut group = vec![*cursor];
                while let Some(next) = rest.peek() {
                    if self.places.place(next) != Some(place) {
                        break;
                    }
                    group.push(**next);
                    rest.next();
                }
                if last != Some(place) {
                    out.push(self.macro_use(&group, place));
                }
            } else {
                self.written(cursor, place, &mut out);
            }
            last = Some(place);
        }
        out
    }

    /// The statement that a macro makes, out of one or more of the language's. Labels in it lead to it.
    fn macro_use(&mut self, group: &[Cursor<'u>], place: Place) -> Stmt {
        let value = self.expr(place, Form::Plain(Vec::new()));
        let mut last = group.iter().rfind(|cursor| cursor.kind() != CXCursor_NullStmt).copied();
        while let Some(inner) = last.filter(|last| last.kind() == CXCursor_CompoundStmt) {
            last = inner.children().into_iter().rfind(|cursor| cursor.kind() != CXCursor_NullStmt);
        }
        let mut statement = match last.map(|last| last.kind()) {
            Some(CXCursor_DeclStmt) => Stmt::Declaration(value),
            Some(CXCursor_ReturnStmt) => Stmt::Return(value),
            Some(CXCursor_IndirectGotoStmt) => Stmt::GotoIndirect(value),
            _ => Stmt::Expression { value, no_return: false },
        };
        let mut labels = Vec::new();
        group.iter().for_each(|cursor| self.labels(cursor, &mut labels));
        for label in labels.into_iter().rev() {
            let body = Box::new(statement);
            statement = match label {
                Ok(label) => Stmt::Case { label, body },
                Err(name) => Stmt::Label { name, body },
            };
        }
        statement
    }

    /// The labels inside a statement, those of inner `switch`es excepted.
    fn labels(&mut self, cursor: &Cursor<'u>, out: &mut Vec<Result<CaseLabel, String>>) {
        if cursor.is_expression() || cursor.kind() == CXCursor_DeclStmt {
            return;
        }
        let children = cursor.children();
        match (cursor.kind(), children.as_slice()) {
            (CXCursor_CaseStmt, [values @ .., _]) => out.push(Ok(self.case_label(values))),
            (CXCursor_DefaultStmt, _) => out.push(Ok(CaseLabel::Default)),
            (CXCursor_LabelStmt, _) => out.push(Err(cursor.spelling())),
            (CXCursor_SwitchStmt, _) => return,
            _ => {}
        }
        children.iter().for_each(|child| self.labels(child, out));
    }

    fn case_label(&mut self, values: &[Cursor<'u>]) -> CaseLabel {
        let text: Vec<_> = values.iter().filter_map(|value| self.written_text(value)).collect();
        CaseLabel::Value(text.join(" ... "))
    }

    /// A statement that is written out, at least in part.
    fn written(&mut self, cursor: &Cursor<'u>, place: Place, out: &mut Vec<Stmt>) {
        let children = cursor.children();
        let last = children.last();
        let statement = match (cursor.kind(), children.as_slice()) {
            (CXCursor_CompoundStmt, _) => Stmt::Block(self.sequence(&children)),
            (CXCursor_DeclStmt, _) => {
                out.extend(self.declaration(cursor, place));
                return;
            }
            (CXCursor_IfStmt, [condition, then, rest @ ..]) => {
                let Some(condition) = self.operand(condition) else { return };
                let then = Box::new(self.one(then));
                let otherwise = rest.first().map(|otherwise| Box::new(self.one(otherwise)));
                Stmt::If { condition, then, otherwise }
            }
            (CXCursor_WhileStmt, [condition, body]) => {
                let Some(condition) = self.operand(condition) else { return };
                Stmt::While { condition, body: Box::new(self.one(body)) }
            }
            (CXCursor_DoStmt, [body, condition]) => {
                let Some(condition) = self.operand(condition) else { return };
                Stmt::DoWhile { body: Box::new(self.one(body)), condition }
            }
            (CXCursor_ForStmt, [head @ .., body]) => self.counted(place, head, body),
            (CXCursor_SwitchStmt, [value, body]) => {
                let Some(value) = self.operand(value) else { return };
                Stmt::Switch { value, body: Box::new(self.one(body)) }
            }
            (CXCursor_CaseStmt, [labels @ .., body]) => {
                let label = self.case_label(labels);
                Stmt::Case { label, body: Box::new(self.one(body)) }
            }
            (CXCursor_DefaultStmt, [.., body]) => {
                Stmt::Case { label: CaseLabel::Default, body: Box::new(self.one(body)) }
            }
            (CXCursor_LabelStmt, _) => {
                let body = last.map_or(Stmt::Empty, |body| self.one(body));
                Stmt::Label { name: cursor.spelling(), body: Box::new(body) }
            }
            (CXCursor_GotoStmt, [label, ..]) => {
                Stmt::Goto { label: label.spelling(), span: self.places.span(place) }
            }
            (CXCursor_IndirectGotoStmt, _) => {
                let form = self.form_of(last);
                Stmt::GotoIndirect(self.expr(place, form))
            }
            (CXCursor_BreakStmt, _) => Stmt::Break(self.places.span(place)),
            (CXCursor_ContinueStmt, _) => Stmt::Continue(self.places.span(place)),
            (CXCursor_ReturnStmt, _) => {
                let form = self.form_of(last);
                Stmt::Return(self.expr(place, form))
            }
            (CXCursor_AsmStmt | CXCursor_MSAsmStmt, _) => {
                // The tree does not list the labels of `asm goto`.
                let labels = asm_labels(self.places.bytes(place));
                Stmt::Asm { value: self.expr(place, Form::Plain(Vec::new())), labels }
            }
            // `__attribute__((fallthrough));` and its like: the statement comes after the attributes.
            (CXCursor_UnexposedStmt, [.., inner]) if !inner.is_expression() => self.one(inner),
            _ => {
                let form = self.form(cursor, place);
                Stmt::Expression { value: self.expr(place, form), no_return: false }
            }
        };
        out.push(statement);
    }

    fn form_of(&mut self, value: Option<&Cursor<'u>>) -> Form {
        let value = value.filter(|value| value.is_expression());
        let placed = value.and_then(|value| Some((*value, self.places.place(value)?)));
        placed.map_or(Form::Plain(Vec::new()), |(value, place)| self.form(&value, place))
    }

    fn written_text(&mut self, cursor: &Cursor<'u>) -> Option<String> {
        let place = self.places.written(cursor)?;
        Some(self.places.text(place))
    }

    /// `for`. The tree leaves missing parts out, so their places among the semicolons say which they are.
    fn counted(&mut self, place: Place, head: &[Cursor<'u>], body: &Cursor<'u>) -> Stmt {
        let semicolons = for_semicolons(self.places.bytes(place));
        let (mut init, mut condition, mut step) = (None, None, None);
        for (index, cursor) in head.iter().enumerate() {
            let Some(part) = self.places.place(cursor) else { continue };
            let offset = part.start.saturating_sub(place.start) as usize;
            let slot = match semicolons {
                _ if head.len() == 3 => index,
                Some((first, second)) => usize::from(offset > first) + usize::from(offset > second),
                None if cursor.kind() == CXCursor_DeclStmt => 0,
                // The head is made by a macro, and all its parts stand at one place: one will do.
                None => 1,
            };
            *[&mut init, &mut condition, &mut step][slot] = Some((*cursor, part));
        }
        // Parts out of the same use of a macro are one piece, which compiled code divides.
        let shared = condition.map(|(_, part)| part).filter(|part| part.is_use);
        let distinct = |part: &(Cursor<'u>, Place)| Some(part.1) != shared;
        let init = init.filter(distinct).map(|(cursor, _)| self.one(&cursor)).into_iter().collect();
        let condition = condition.and_then(|(cursor, _)| self.operand(&cursor));
        let step = step.filter(distinct).map(|(cursor, part)| {
            let form = self.form(&cursor, part);
            self.expr(part, form)
        });
        let condition = condition.unwrap_or_else(|| self.forever(place, semicolons));
        Stmt::For { init, condition, step, body: Box::new(self.one(body)) }
    }

    /// The condition that `for (;;)` leaves out.
    fn forever(&mut self, place: Place, semicolons: Option<(usize, usize)>) -> Expr {
        let at = semicolons.map_or(place.start, |(_, second)| place.start + second as u32);
        let span = self.places.span(Place { start: at, end: at, is_use: false, ..place });
        Expr { truth: Some(true), constant: true, ..Expr::plain("", span) }
    }
}
