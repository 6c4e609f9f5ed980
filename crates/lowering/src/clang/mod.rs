//! Reads statements with libclang: the exact extents and texts that instructions are attributed to.
//!
//! A use of a macro is not looked into. Debug information places all its instructions, those of its arguments
//! included, at the use, so a piece cannot be smaller; `docs/statements.md` says so too.

mod declaration;
mod expression;
mod places;
mod scan;
mod shift;
mod statement;
mod sys;
#[cfg(test)]
mod tests;

pub(crate) use sys::initialise;

use clang_sys::{CXCursor_CompoundStmt, CXCursor_FunctionDecl};
use hydrogen_ir::{FileId, Location, Span};
use hydrogen_statements::Stmt;

/// A function as written: what instructions can be attributed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionStatements {
    /// The linker's name.
    pub name: String,
    /// The extent of the definition.
    pub span: Span,
    /// The same in the file that it was read from, whatever `#line` says.
    pub read_from: Span,
    /// The head as written, white space folded.
    pub signature: String,
    /// The body.
    pub body: Vec<Stmt>,
    /// The left shifts in it, in the order in which they are computed, if they were asked for.
    pub shifts: Vec<LeftShift>,
}

/// A left shift as C sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftShift {
    /// Where debug information has it.
    pub place: Location,
    /// Whether the shifted number is signed after the promotions of C.
    pub signed: bool,
}

/// What is wanted of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// Its statements.
    Statements,
    /// Its statements and its left shifts, which take a walk over all its expressions.
    Shifts,
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

    /// What is `wanted` of the functions by their linker's name, in source order. `file` gives the
    /// id of a file by the name that debug information has for it.
    pub fn functions(
        &self,
        wanted: &dyn Fn(&str) -> Wanted,
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
            let mut want = wanted(&name);
            if want == Wanted::Nothing {
                // An `asm` label renames a function for the linker.
                name = cursor.mangling();
                want = wanted(&name);
            }
            if want == Wanted::Nothing {
                continue;
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
            let mut shifts = Vec::new();
            if want == Wanted::Shifts {
                reader.left_shifts(&body, &mut shifts);
            }
            functions.push(FunctionStatements {
                name,
                span: reader.places.span(whole),
                read_from: reader.places.read_span(whole),
                signature,
                body: reader.body(&body),
                shifts,
            });
        }
        functions
    }
}
