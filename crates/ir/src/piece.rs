//! Statement pieces: the nodes that versions are compared by.

use crate::{PieceId, Span};
use serde::{Deserialize, Serialize};

/// A node of a function's statement graph: a statement, a part of one that control flow can reach on its own,
/// or one of the named synthetic nodes.
///
/// See `docs/statements.md` for the exact rules of splitting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// What part of which kind of statement this is.
    pub role: Role,
    /// The number of the source statement it belongs to, from 0 in source order; pieces of one statement share it.
    pub statement: u32,
    /// For statements that control flow splits further than the source shows (macros with control flow,
    /// `va_arg`): 0 for the first such node, then 1, 2, …
    pub part: u32,
    /// The source text: comments removed, white space folded to single blanks.
    pub text: String,
    /// Where the text stands; `None` for synthetic pieces.
    pub span: Option<Span>,
}

/// What part of a statement a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Synthetic: the function's entry, with stack slots that no declaration owns and the stores of parameters.
    Entry,
    /// Synthetic: the function's common exit.
    Exit,
    /// An expression statement.
    Expression,
    /// One declarator of a declaration.
    Declaration,
    /// A leaf of the condition of an `if`.
    If,
    /// A leaf of the condition of a `while`.
    While,
    /// A leaf of the condition of a `do … while`.
    DoWhile,
    /// A leaf of the condition of a `for`.
    For,
    /// The third part of a `for`.
    ForStep,
    /// The value of a `switch`.
    Switch,
    /// A leaf of a condition inside an expression: of `&&`, `||` and `?:` in value position.
    Condition,
    /// One arm of `?:`.
    Arm,
    /// `return`.
    Return,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `goto`.
    Goto,
    /// `asm`.
    Asm,
    /// A preprocessor conditional inside a function (build-free mode only): both alternatives follow.
    Config,
    /// A region that could not be read (build-free mode only).
    Opaque,
}

impl Piece {
    /// The piece as a reader expects it: conditions with their keyword.
    pub fn label(&self) -> String {
        let text = &self.text;
        match self.role {
            Role::Entry => "entry".into(),
            Role::Exit => "exit".into(),
            Role::If => format!("if ({text})"),
            Role::While | Role::DoWhile => format!("while ({text})"),
            Role::For => format!("for (; {text}; )"),
            Role::Switch => format!("switch ({text})"),
            _ => text.clone(),
        }
    }

    /// Whether the piece stands for no source text.
    pub fn is_synthetic(&self) -> bool {
        matches!(self.role, Role::Entry | Role::Exit)
    }
}

/// Control flow between two pieces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FlowEdge {
    /// From here …
    pub from: PieceId,
    /// … to here.
    pub to: PieceId,
    /// Under which outcome.
    pub kind: EdgeKind,
}

/// The outcome under which control takes an edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EdgeKind {
    /// Unconditionally.
    Next,
    /// The condition, as written, holds.
    True,
    /// The condition, as written, does not hold.
    False,
    /// The `case` with this label text (the constant expression as written, or `a ... b`).
    Case(String),
    /// No `case` matches.
    Default,
    /// A computed `goto` or `asm goto`.
    Indirect,
    /// An alternative of a preprocessor conditional, by its condition (build-free mode only).
    Config(String),
}

impl std::fmt::Display for EdgeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EdgeKind::Next => f.write_str("next"),
            EdgeKind::True => f.write_str("true"),
            EdgeKind::False => f.write_str("false"),
            EdgeKind::Case(label) => write!(f, "case {label}"),
            EdgeKind::Default => f.write_str("default"),
            EdgeKind::Indirect => f.write_str("indirect"),
            EdgeKind::Config(condition) => write!(f, "config {condition}"),
        }
    }
}
