//! Left shifts, and whether C shifts a signed number: the compiled form of both is the same, but shifting a negative
//! number is undefined in C.
#![allow(non_upper_case_globals)] // libclang's names.

use super::LeftShift;
use super::places::Place;
use super::scan::find_operator;
use super::statement::Reader;
use super::sys::Cursor;
use clang_sys::*;
use hydrogen_ir::Location;

impl<'u> Reader<'u, '_> {
    /// The left shifts below a cursor that are computed at run time, in the order in which they are computed.
    pub(super) fn left_shifts(&mut self, cursor: &Cursor<'u>, out: &mut Vec<LeftShift>) {
        let children = cursor.children();
        let kind = cursor.kind();
        match (kind, children.as_slice()) {
            // The operand of `sizeof` is not evaluated.
            (CXCursor_UnaryExpr, _) => return,
            // Clang computes what is assigned before the place that it is assigned to.
            (CXCursor_CompoundAssignOperator, [left, right]) => {
                self.left_shifts(right, out);
                self.left_shifts(left, out);
            }
            (CXCursor_BinaryOperator, [left, right])
                if cursor.binary_operator() == CXBinaryOperator_Assign =>
            {
                self.left_shifts(right, out);
                self.left_shifts(left, out);
            }
            _ => children.iter().for_each(|child| self.left_shifts(child, out)),
        }
        if !matches!(kind, CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator) {
            return;
        }
        let (text, [left, right]) = (
            match cursor.binary_operator() {
                CXBinaryOperator_Shl => &b"<<"[..],
                CXBinaryOperator_ShlAssign => b"<<=",
                _ => return,
            },
            children.as_slice(),
        ) else {
            return;
        };
        if cursor.evaluates() {
            return;
        }
        if let Some(place) = self.operator_place(cursor, left, right, text) {
            out.push(LeftShift { place, signed: cursor.promotes_to_signed() });
        }
    }

    /// Where debug information has an operator: where it is written, or at the use of the macro that it comes out of.
    fn operator_place(
        &mut self,
        whole: &Cursor<'u>,
        left: &Cursor<'u>,
        right: &Cursor<'u>,
        operator: &[u8],
    ) -> Option<Location> {
        let whole = self.places.place(whole)?;
        let left = self.places.place(left)?;
        let right = self.places.place(right)?;
        let start = if whole.is_use {
            whole.start
        } else {
            let between = self.places.bytes_between(left.file, left.end, right.start);
            match find_operator(between, operator) {
                Some(at) => left.end + at as u32,
                None if left.is_use => left.start,
                None => return None,
            }
        };
        let span = self.places.span(Place { start, end: start, is_use: false, ..left });
        Some(Location { file: span.file, position: span.start })
    }
}
