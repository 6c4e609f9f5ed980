//! Build-free mode: the statements and control flow of C source without compiling it.
//!
//! [`read`] takes any bytes and gives what can be seen in them: functions with their statement graphs in the same
//! shape as compiled code has them, and the declarations and macros around them. It never fails; what cannot be
//! read is an opaque statement where it stands, and a [`Problem`].
//!
//! The way: bytes become tokens; preprocessor conditionals are decided, kept or cut; brackets divide the file into
//! functions and declarations; the tokens of each body become a [`hydrogen_statements::Stmt`] tree, and that the
//! graph. A general parser for C is not needed for that, and would take five times as long; tree-sitter's grammar
//! serves as a second opinion in the tests.

mod body;
mod cut;
mod declaration;
mod directive;
mod evaluate;
mod expression;
mod facts;
mod guard;
mod head;
mod item;
mod layered;
mod lines;
mod literal;
mod memory;
mod mentioned;
mod names;
#[cfg(test)]
mod oracle;
mod piece;
mod pieces;
mod seen;
mod segment;
mod select;
mod shape;
mod statement;
mod switched;
mod token;
mod unit;
mod words;

pub use evaluate::{MacroEnv, Reduced, comes_to, reduced};
pub use guard::{OUR_BUG, guarded};
pub use mentioned::{Mentioned, mentions_of, words_of};
pub use names::{NameCounts, Names};
pub use piece::Piece;
pub use pieces::{Keep, Kept, Pieces};
pub use seen::{Seen, seen, stepping};

use hydrogen_ir::{Module, Span};
use std::sync::Arc;

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The macros that are defined; all others are undefined. Without it, all alternatives of preprocessor
    /// conditionals are kept.
    pub defined: Option<MacroEnv>,
    /// What the headers of the version say about names; see [`names`].
    pub known: Option<Arc<Names>>,
}

/// What a file contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The functions with their statement graphs.
    pub module: Module,
    /// Declarations and macros outside functions (and macros inside), in order.
    pub items: Vec<Item>,
    /// For every function of the module the names it mentions, sorted.
    pub uses: Vec<Vec<NameHash>>,
    /// What could not be read as written.
    pub problems: Vec<Problem>,
    /// Why nothing of the file is known: reading it met a bug of ours.
    pub failed: Option<String>,
}

/// A declaration outside functions, or a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it declares.
    pub kind: ItemKind,
    /// The declared name; the path for an `#include`; empty where there is none.
    pub name: String,
    /// The whole text in canonical form.
    pub text: String,
    /// Its extent.
    pub span: Span,
}

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// `#define`.
    Macro,
    /// A `struct`, `union`, `enum` or `typedef`.
    Type,
    /// A variable.
    Global,
    /// A function that is only declared.
    Prototype,
    /// `#include`.
    Include,
    /// An enumerator, with its value as far as the text has it.
    Enum,
}

/// Something that could not be read as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What, in a sentence.
    pub message: String,
}

/// A name in 64 bits: comparable between files and versions, and cheap to keep for every function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameHash(pub u64);

impl NameHash {
    /// The hash of a name (FNV-1a).
    pub fn of(name: &[u8]) -> Self {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

/// For maps whose keys are names: they are hashes already. The order of such maps is never looked at.
pub type ByHash = std::hash::BuildHasherDefault<names::Identity>;

/// Reads a C file. Any bytes will do.
pub fn read(path: &str, source: &[u8], options: &Options) -> Unit {
    guard::guarded(path, || unit::read(path, source, options)).unwrap_or_else(|failed| Unit {
        module: Module { name: path.to_owned(), files: vec![path.to_owned()], ..Module::default() },
        items: Vec::new(),
        uses: Vec::new(),
        problems: Vec::new(),
        failed: Some(failed),
    })
}

/// A file of which functions and items are kept in another form.
pub struct Sketch<K: Keep> {
    /// The functions, each with its first line.
    pub functions: Vec<(u32, Arc<K::Function>)>,
    /// The pieces of the file, each with how many lines stand before it.
    pub pieces: Vec<(u32, Arc<Kept<K>>)>,
    /// As [`Unit::failed`].
    pub failed: Option<String>,
}

/// Reads a C file piece by piece; pieces that are known are not read again. Macros that the options define are not looked at.
pub fn read_pieces<K: Keep>(path: &str, source: &[u8], options: &Options, pieces: &Pieces<K>) -> Sketch<K> {
    let read = || pieces.read(source, options, path.ends_with(".h"));
    guard::guarded(path, read).unwrap_or_else(|failed| Sketch {
        functions: Vec::new(),
        pieces: Vec::new(),
        failed: Some(failed),
    })
}

/// As [`names`], of a header that is read by pieces as well.
pub fn names_by_pieces<K: Keep>(source: &[u8], pieces: &Pieces<K>) -> Names {
    guard::guarded("", || pieces.names(source)).unwrap_or_default()
}

/// What a header says about names, for [`Options::known`]. Nothing where reading it meets a bug of ours, which reading the
/// file itself will report.
pub fn names(source: &[u8]) -> Names {
    guard::guarded("", || unit::names(source)).unwrap_or_default()
}
