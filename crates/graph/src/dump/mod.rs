//! Graphs for people and programs: text, DOT and JSON.

mod dot;
mod json;
mod text;

pub use dot::DotOptions;
pub use json::JsonOptions;

use crate::model::Graph;
use crate::{ChainId, VersionSet};
use hydrogen_ir::{EdgeKind, Role};

impl Graph {
    /// A version set by the versions' names: `1,2`, `1..4,7`.
    pub fn show(&self, versions: &VersionSet) -> String {
        let name = |version: crate::VersionId| self.versions[version.index()].name.as_str();
        let mut out = String::new();
        for run in versions.intervals() {
            if !out.is_empty() {
                out.push(',');
            }
            out.push_str(name(run.first));
            if run.first != run.last {
                out.push_str(if run.first.0 + 1 == run.last.0 { "," } else { ".." });
                out.push_str(name(run.last));
            }
        }
        out
    }

    /// Like [`Graph::show`], with `*` for all versions of the function (F74).
    pub fn show_in(&self, chain: ChainId, versions: &VersionSet) -> String {
        if *versions == self.chain_versions(chain) { "*".to_owned() } else { self.show(versions) }
    }
}

/// The name of an edge's kind; empty for the ordinary one.
fn outcome(kind: &EdgeKind) -> String {
    match kind {
        EdgeKind::Next => String::new(),
        EdgeKind::True => "true".into(),
        EdgeKind::False => "false".into(),
        EdgeKind::Case(label) => format!("case {label}"),
        EdgeKind::Default => "default".into(),
        EdgeKind::Indirect => "indirect".into(),
        EdgeKind::Config(text) => format!("#if {text}"),
    }
}

/// The name of a role.
fn role_name(role: Role) -> &'static str {
    match role {
        Role::Entry => "entry",
        Role::Exit => "exit",
        Role::Expression => "expression",
        Role::Declaration => "declaration",
        Role::If => "if",
        Role::While => "while",
        Role::DoWhile => "do-while",
        Role::For => "for",
        Role::ForStep => "for-step",
        Role::Switch => "switch",
        Role::Condition => "condition",
        Role::Arm => "arm",
        Role::Return => "return",
        Role::Break => "break",
        Role::Continue => "continue",
        Role::Goto => "goto",
        Role::Asm => "asm",
        Role::Config => "config",
        Role::Opaque => "opaque",
    }
}
