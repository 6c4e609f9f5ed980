//! Conditions that a path decides more than once, by their text.
//!
//! A path on which `if (x)` is once taken and once not is rarely a path of the program. Texts alone cannot prove that, so
//! such paths are neither believed nor denied.

use hydrogen_graph::{ChainId, Graph, NodeId, VersionId};
use hydrogen_ir::{EdgeKind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// What a path has decided so far: text, where, and how.
pub(super) type Facts = Vec<(String, NodeId, bool)>;

/// The conditions of a function that occur at several places.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// Per node, the condition that it decides, and whether it decides the opposite.
    nodes: BTreeMap<NodeId, (String, bool)>,
}

impl Repeated {
    pub fn of(graph: &Graph, chain: ChainId, version: VersionId) -> Self {
        let decides = |node: &NodeId| {
            matches!(graph.role(*node), Role::If | Role::While | Role::DoWhile | Role::For | Role::Condition)
        };
        let nodes = graph.pieces(chain, version).into_iter().filter(decides);
        let mut nodes: BTreeMap<NodeId, (String, bool)> =
            nodes.map(|node| (node, positive(graph.text(node)))).collect();
        let mut seen = BTreeSet::new();
        let texts = nodes.values().map(|(text, _)| text.clone());
        let twice: BTreeSet<String> = texts.filter(|text| !seen.insert(text.clone())).collect();
        nodes.retain(|_, (text, _)| twice.contains(text));
        Self { nodes }
    }

    /// What is known behind a node that is left by an edge; nothing if that contradicts what was decided elsewhere.
    pub fn behind(&self, graph: &Graph, node: NodeId, kind: &EdgeKind, facts: &Facts) -> Option<Facts> {
        let mut facts = facts.clone();
        if !facts.is_empty() {
            let text = graph.text(node);
            facts.retain(|(condition, _, _)| !names(condition).any(|name| writes(text, name)));
        }
        let outcome = match kind {
            EdgeKind::True => true,
            EdgeKind::False => false,
            _ => return Some(facts),
        };
        if let Some((text, opposite)) = self.nodes.get(&node) {
            let holds = outcome != *opposite;
            match facts.iter_mut().find(|(known, _, _)| known == text) {
                Some((_, at, known)) if *at != node && *known != holds => return None,
                Some(fact) => (fact.1, fact.2) = (node, holds),
                None => facts.push((text.clone(), node, holds)),
            }
            facts.sort();
        }
        Some(facts)
    }
}

/// A condition without negation and comparison with nothing, and whether that is the opposite.
fn positive(text: &str) -> (String, bool) {
    let text = text.trim();
    for (mark, opposite) in [("==", true), ("!=", false)] {
        if let Some((left, right)) = text.split_once(mark) {
            let (left, right) = (left.trim(), right.trim());
            let nothing = |side: &str| matches!(side, "0" | "NULL" | "nullptr" | "'\\0'");
            let simple =
                |side: &str| !side.contains(['&', '|', '<', '>', '?', '=', '!']) || side.contains("->");
            if nothing(right) && simple(left) {
                return (left.to_owned(), opposite);
            }
            if nothing(left) && simple(right) {
                return (right.to_owned(), opposite);
            }
        }
    }
    match text.strip_prefix('!') {
        Some(rest) if rest.chars().all(|c| c.is_alphanumeric() || c == '_') => (rest.to_owned(), true),
        _ => (text.to_owned(), false),
    }
}

/// The identifiers of a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether a statement seems to write a variable or to give its address away.
fn writes(text: &str, name: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(inner) || after.starts_with(inner) {
            return false;
        }
        let before = before.trim_end();
        let after = after.trim_start();
        let compound = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
        let assigned = compound.starts_with('=')
            && !after.starts_with("==")
            && !after.starts_with("<=")
            && !after.starts_with(">=");
        assigned
            || after.starts_with("++")
            || after.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--")
            || (before.ends_with('&') && !before.ends_with("&&"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_meaning() {
        let check = |text: &str, condition: &str, opposite| {
            assert_eq!(positive(text), (condition.to_owned(), opposite), "{text}");
        };
        check("x", "x", false);
        check("!x", "x", true);
        check("x == NULL", "x", true);
        check("NULL != p->next", "p->next", false);
        check("a < b", "a < b", false);
        check("a == b", "a == b", false);
        check("!(a && b)", "!(a && b)", false);
    }

    #[test]
    fn writes_are_seen() {
        for text in ["x = 1", "x += 2", "x++", "--x", "f(&x)", "x <<= 1", "int x = 3"] {
            assert!(writes(text, "x"), "{text}");
        }
        for text in ["y = x", "x == 1", "f(x)", "xx = 1", "x <= 3", "x >= 3", "a && x"] {
            assert!(!writes(text, "x"), "{text}");
        }
    }
}
