//! Expressions, as far as control flow is concerned.
#![allow(non_upper_case_globals)] // libclang's names.

use super::places::Place;
use super::scan::{literal_truth, may_branch};
use super::statement::Reader;
use super::sys::Cursor;
use clang_sys::*;
use hydrogen_statements::{Expr, Form};

impl<'u> Reader<'u, '_> {
    /// An expression whose parentheses do not belong to its text: a condition, an operand, an arm.
    pub(super) fn operand(&mut self, cursor: &Cursor<'u>) -> Option<Expr> {
        let inner = self.strip(*cursor);
        let place = self.places.place(&inner)?;
        let form = self.form(&inner, place);
        let mut expr = self.expr(place, form);
        expr.truth = literal_truth(self.places.bytes(place));
        expr.constant = expr.truth.is_some();
        Some(expr)
    }

    /// An expression with the text of `place`.
    pub(super) fn expr(&mut self, place: Place, form: Form) -> Expr {
        let span = self.places.span(place);
        Expr { form, ..Expr::plain(self.places.text(place), span) }
    }

    /// The expression inside parentheses and conversions that nobody wrote.
    fn strip(&mut self, mut cursor: Cursor<'u>) -> Cursor<'u> {
        while matches!(cursor.kind(), CXCursor_ParenExpr | CXCursor_UnexposedExpr) {
            if self.places.place(&cursor).is_some_and(|place| place.is_use) {
                break;
            }
            match cursor.children().as_slice() {
                [inner] if inner.is_expression() => cursor = *inner,
                _ => break,
            }
        }
        cursor
    }

    /// The control flow inside an expression.
    pub(super) fn form(&mut self, cursor: &Cursor<'u>, place: Place) -> Form {
        let plain = Form::Plain(Vec::new());
        // Most expressions are straight-line, and their text shows it without a walk over the tree.
        if place.is_use || !may_branch(self.places.bytes(place)) {
            return plain;
        }
        let cursor = self.strip(*cursor);
        if self.places.place(&cursor).is_none_or(|place| place.is_use) {
            return plain;
        }
        let children = cursor.children();
        match (cursor.kind(), children.as_slice()) {
            (CXCursor_BinaryOperator, [left, right]) => {
                let operator = cursor.binary_operator();
                if !matches!(operator, CXBinaryOperator_LAnd | CXBinaryOperator_LOr) {
                    // Clang computes what is assigned before the place that it is assigned to.
                    let assigns = operator == CXBinaryOperator_Assign;
                    return if assigns { self.parts(&[*right, *left]) } else { self.parts(&children) };
                }
                let (Some(left), Some(right)) = (self.operand(left), self.operand(right)) else {
                    return plain;
                };
                let (left, right) = (Box::new(left), Box::new(right));
                if operator == CXBinaryOperator_LAnd { Form::And(left, right) } else { Form::Or(left, right) }
            }
            (CXCursor_CompoundAssignOperator, [left, right]) => self.parts(&[*right, *left]),
            (CXCursor_UnaryOperator, [inner]) if cursor.unary_operator() == CXUnaryOperator_LNot => {
                self.operand(inner).map_or(plain, |inner| Form::Not(Box::new(inner)))
            }
            (CXCursor_ConditionalOperator, [condition, then, otherwise]) => {
                let arms = (self.operand(condition), self.arm(then), self.arm(otherwise));
                let (Some(condition), Some(then), Some(otherwise)) = arms else { return plain };
                let then = Some(Box::new(then));
                Form::Choose { condition: Box::new(condition), then, otherwise: Box::new(otherwise) }
            }
            (CXCursor_UnexposedExpr, [condition, .., otherwise]) if self.is_elvis(condition, otherwise) => {
                match (self.operand(condition), self.arm(otherwise)) {
                    (Some(condition), Some(otherwise)) => Form::Choose {
                        condition: Box::new(condition),
                        then: None,
                        otherwise: Box::new(otherwise),
                    },
                    _ => plain,
                }
            }
            (CXCursor_StmtExpr, [body]) => Form::Block(self.body(body)),
            // The operand of `sizeof` is not evaluated.
            (CXCursor_UnaryExpr, _) => plain,
            _ => self.parts(&children),
        }
    }

    /// A straight-line expression over operands of which some have control flow.
    fn parts(&mut self, children: &[Cursor<'u>]) -> Form {
        let mut parts = Vec::new();
        for child in children.iter().filter(|child| child.is_expression()) {
            let Some(place) = self.places.place(child) else { continue };
            match self.form(child, place) {
                Form::Plain(inner) => parts.extend(inner),
                form => {
                    let part = self.expr(place, form);
                    if part.has_control() {
                        parts.push(part);
                    }
                }
            }
        }
        Form::Plain(parts)
    }

    /// An arm of `?:`. Clang computes both arms and selects when it can evaluate both beforehand.
    fn arm(&mut self, cursor: &Cursor<'u>) -> Option<Expr> {
        let mut arm = self.operand(cursor)?;
        arm.constant = arm.constant || cursor.evaluates();
        Some(arm)
    }

    /// Whether `?:` stands between two operands. The tree hides GNU's operator; the text does not.
    fn is_elvis(&mut self, condition: &Cursor<'u>, otherwise: &Cursor<'u>) -> bool {
        let (Some(left), Some(right)) = (self.places.place(condition), self.places.place(otherwise)) else {
            return false;
        };
        let between = self.places.text_between(left.file, left.end, right.start);
        let between: String = between.chars().filter(|char| !matches!(char, ' ' | '(' | ')')).collect();
        left.file == right.file && between == "?:"
    }
}
