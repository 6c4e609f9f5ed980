//! What a graph is built from: one version of a program at a time.

use crate::VersionId;
use hydrogen_ir::{ContentHash, Fingerprint, Function, FunctionId, Module};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A content hash.
pub type Digest = ContentHash;

/// Any error that loading a function's body can give.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

/// Who made a version, when, and out of which versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionInfo {
    /// The name users gave: a tag, an abbreviated commit, a directory.
    pub name: String,
    /// The commit.
    pub commit: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Its date.
    pub date: Option<String>,
    /// The first line of its message.
    pub summary: Option<String>,
    /// The versions it was made from, all added before it. Statements are matched with the first parent, then
    /// with the others. A version without parents shares functions with no other.
    pub parents: Vec<VersionId>,
    /// Whether the parents are only what it is matched with, because the versions it was made from are not in the graph: then
    /// what differs from them is not what it did.
    pub unrelated: bool,
    /// How many files or units could be read.
    pub read: usize,
    /// The files that could not be read: whether the version has their functions is unknown.
    pub missing: Vec<Gap>,
    /// What else is worth knowing about how it was read.
    pub problems: Vec<String>,
}

/// A file that is missing from a version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The file.
    pub file: String,
    /// Why it could not be read.
    pub message: String,
}

/// One version of a program.
#[derive(Default)]
pub struct VersionInput<'a> {
    /// What is known about it.
    pub info: VersionInfo,
    /// Its functions that have a definition, in any order.
    pub functions: Vec<FunctionInput<'a>>,
    /// What stands outside functions, in any order. Versions that share the list cost nothing.
    pub items: Arc<[Item]>,
}

/// The identity of a function inside one version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FunctionKey {
    /// The linker's name.
    pub name: String,
    /// The file, where the name alone does not identify the function: it is `static` (ERR-15), or several programs
    /// of one repository define it.
    pub file: Option<String>,
    /// 0, or its number among the definitions with this name and file (alternatives of `#if`).
    pub ordinal: u32,
}

/// A function of one version.
pub struct FunctionInput<'a> {
    /// Its identity.
    pub key: FunctionKey,
    /// The file of the definition.
    pub file: &'a str,
    /// The first line of the definition.
    pub line: u32,
    /// Whether only its own file can call it by name.
    pub internal: bool,
    /// The head as written.
    pub signature: &'a str,
    /// Hashes of its content.
    pub print: Fingerprint,
    /// Where the content is; asked for only when the hashes differ from those of the version before.
    pub body: BodySource<'a>,
}

/// Where a function's pieces and flow come from.
pub enum BodySource<'a> {
    /// They are at hand.
    Ready(BodyInput<'a>),
    /// They can be loaded, from any thread.
    Lazy(Box<dyn Fn() -> Result<BodyInput<'a>, LoadError> + Send + Sync + 'a>),
}

/// A function's pieces and flow.
#[derive(Clone)]
pub struct BodyInput<'a> {
    /// The function.
    pub function: FunctionRef<'a>,
    /// Per piece, the hash of its instructions; `None` in build-free mode.
    pub payload: Option<Arc<[Digest]>>,
}

/// A borrowed or shared function.
#[derive(Clone)]
pub enum FunctionRef<'a> {
    /// Owned by someone else.
    Borrowed(&'a Function),
    /// A function without instructions that is kept wherever it stood when it was read, and begins at this line.
    Moved(Arc<Function>, u32),
    /// Part of a module that was loaded from a cache.
    Shared(Arc<Module>, FunctionId),
}

impl std::ops::Deref for FunctionRef<'_> {
    type Target = Function;

    fn deref(&self) -> &Function {
        match self {
            Self::Borrowed(function) => function,
            Self::Moved(function, _) => function,
            Self::Shared(module, id) => module.function(*id),
        }
    }
}

impl FunctionRef<'_> {
    /// Per piece, its first line.
    pub fn lines(&self) -> impl Iterator<Item = Option<u32>> {
        let moved = match self {
            Self::Moved(function, line) => function.line().map(|old| line.wrapping_sub(old)),
            Self::Borrowed(_) | Self::Shared(..) => None,
        };
        let by = moved.unwrap_or(0);
        self.pieces.iter().map(move |piece| piece.span.map(|span| span.start.line.wrapping_add(by)))
    }
}

impl<'a> BodySource<'a> {
    /// The body, loaded if need be.
    pub fn load(&self) -> Result<BodyInput<'a>, LoadError> {
        match self {
            Self::Ready(body) => Ok(body.clone()),
            Self::Lazy(load) => load(),
        }
    }
}

/// A fact outside functions that statements can depend on (ERR-12).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name, as statements mention it.
    pub name: String,
    /// The file that alone sees it (`static` variables); `None` when every file may.
    pub file: Option<String>,
    /// Over its content and the content of every item it depends on.
    pub hash: Digest,
}

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ItemKind {
    /// A variable.
    Global,
    /// A structure, union, enumeration or `typedef`.
    Type,
    /// A macro.
    Macro,
}

/// Why a version could not be added. The graph is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// A parent is not in the graph.
    #[error("version {version} names parent number {parent}, which has not been added before it")]
    Parent {
        /// The version being added.
        version: String,
        /// The parent's number.
        parent: u32,
    },
    /// Two functions cannot be told apart.
    #[error("version {version} has two functions `{name}` with the same key")]
    Duplicate {
        /// The version being added.
        version: String,
        /// The function's name.
        name: String,
    },
    /// A body could not be loaded.
    #[error("function `{name}` of version {version} cannot be loaded")]
    Load {
        /// The version being added.
        version: String,
        /// The function's name.
        name: String,
        /// What went wrong.
        source: LoadError,
    },
    /// A body contradicts itself.
    #[error("function `{name}` of version {version} is malformed: {problem}")]
    Malformed {
        /// The version being added.
        version: String,
        /// The function's name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}
