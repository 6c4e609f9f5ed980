//! Reads statements with libclang: the exact extents and texts that instructions are attributed to.
//!
//! A use of a macro is not looked into. Debug information places all its instructions, those of its arguments
//! included, at the use, so a piece cannot be smaller; `docs/statements.md` says so too.

mod declaration;
mod expression;
mod places;
mod scan;
mod statement;
mod sys;
#[cfg(test)]
mod tests;

use clang_sys::{CXCursor_CompoundStmt, CXCursor_FunctionDecl};
use hydrogen_ir::{FileId, Span};
use hydrogen_statements::Stmt;

/// A function as written: what instructions can be attributed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionStatements {
    /// The linker's name.
    pub name: String,
    /// The extent of the definition.
    pub span: Span,
    /// The head as written, white space folded.
    pub signature: String,
    /// The body.
    pub body: Vec<Stmt>,
}

/// Why a unit could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An argument that cannot be passed on.
    #[error("compiler argument {0:?} holds a zero byte")]
    Argument(String),
    /// libclang gave up.
    #[error("libclang could not parse the unit (error {0})")]
    Parse(i32),
}

/// A unit parsed by libclang.
pub struct ParsedUnit(sys::Unit);

impl ParsedUnit {
    /// Parses the unit of a full compile command: the compiler, its arguments, the file.
    pub fn parse(arguments: &[Vec<u8>]) -> Result<Self, ReadError> {
        sys::Unit::parse(arguments).map(Self)
    }

    /// The statements of the functions that are `wanted` by their linker's name, in source order. `file` gives the
    /// id of a file by the name that debug information has for it.
    pub fn functions(
        &self,
        wanted: &dyn Fn(&str) -> bool,
        file: &mut dyn FnMut(&str) -> FileId,
    ) -> Vec<FunctionStatements> {
        let unit = &self.0;
        let top = unit.root().children();
        let mut reader = statement::Reader { places: places::Places::new(unit, &top, file) };
        let mut functions = Vec::new();
        for cursor in top {
            if cursor.kind() != CXCursor_FunctionDecl || !cursor.is_definition() {
                continue;
            }
            let mut name = cursor.spelling();
            if !wanted(&name) {
                // An `asm` label renames a function for the linker.
                name = cursor.mangling();
                if !wanted(&name) {
                    continue;
                }
            }
            let Some(body) =
                cursor.children().into_iter().rfind(|child| child.kind() == CXCursor_CompoundStmt)
            else {
                continue;
            };
            let Some(whole) = reader.places.place(&cursor) else { continue };
            let head_end = reader.places.place(&body).filter(|body| body.file == whole.file);
            let head_end = head_end.map_or(whole.end, |body| body.start.clamp(whole.start, whole.end));
            let signature = reader.places.text_between(whole.file, whole.start, head_end);
            functions.push(FunctionStatements {
                name,
                span: reader.places.span(whole),
                signature,
                body: reader.body(&body),
            });
        }
        functions
    }
}
