//! A readable text form of a module that parses back to the same module, ids included.
//!
//! ```text
//! module "a.c" target "x86_64-pc-linux-gnu"
//! file 0 "a.c"
//! type %0 = i32 size 32 alloc 4 align 4
//! ctype $0 = basic "int" size 32 signed
//! const #0 = i32 7
//! global @0 "counter" internal i32 align 4 = i32 7 at 0:1:12
//! function &0 "f" external type fn(i32) -> i32 {
//!   signature "int f(int x)"
//!   span 0:3:1-5:2
//!   param "x" i32
//!   piece p0 entry s0 ""
//!   piece p1 exit s0 ""
//!   piece p2 return s0 "return x + 7;" 0:4:3-4:16
//!   flow p0 -> p2 next
//!   flow p2 -> p1 next
//!   body {
//!     block b0 "entry" {
//!       v0: i32 = add nsw a0, i32 7 | p2 0:4:12
//!       v1: void = ret v0 | p2 0:4:3
//!     }
//!   }
//! }
//! ```
//!
//! Names by kind: `%` types, `$` C types, `#` constants, `@` globals, `&` functions, and inside a function `v`
//! instructions, `a` parameters, `b` blocks, `p` pieces, `s` statements. A type, a simple constant, a global or a
//! function is written by what it is (`i32`, `i32 7`, `@counter`, `&puts`) wherever that names exactly one entry
//! of its table, else by number. `;` begins a comment that ends with the line.
//!
//! The one thing the form cannot say is a block whose instructions do not follow those of the block before it
//! (which [`crate::verify`] rejects as well).

mod escape;
pub(crate) mod keyword;
mod lexer;
mod names;
mod parse;
mod print;

pub use parse::parse;
pub(crate) use print::instruction_text;
pub use print::{print, print_function};

/// Why a text is not a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was expected there.
    pub message: String,
}
