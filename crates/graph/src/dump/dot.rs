//! DOT, for graphviz (F27, F71, F75).

use super::outcome;
use crate::model::Graph;
use crate::{ChainId, Target, VersionId};
use std::fmt::Write;

/// What a DOT picture shows.
#[derive(Debug, Clone, Default)]
pub struct DotOptions {
    /// Only these functions.
    pub chains: Option<Vec<ChainId>>,
    /// Colours what is new in the second and gone since the first version.
    pub compare: Option<(VersionId, VersionId)>,
}

/// New and removed in colours that everybody can tell apart; removed is dashed too.
const NEW: &str = "#0072B2";
const GONE: &str = "#D55E00";

impl Graph {
    /// The graph as DOT: a cluster per function, edges with their versions, nodes at which versions part drawn double,
    /// nodes at which they come together drawn bold.
    pub fn to_dot(&self, options: &DotOptions) -> String {
        let chains: Vec<ChainId> = match &options.chains {
            Some(chains) => chains.clone(),
            None => self.chains().collect(),
        };
        let mut out = String::from(
            "digraph hydrogen {\n  node [shape=box fontname=monospace];\n  edge [fontname=monospace];\n",
        );
        let mark = |was: bool, is: bool| match (was, is) {
            (false, true) => format!(" color=\"{NEW}\" fontcolor=\"{NEW}\" penwidth=2"),
            (true, false) => format!(" color=\"{GONE}\" fontcolor=\"{GONE}\" style=dashed"),
            (false, false) => " color=gray fontcolor=gray style=dotted".to_owned(),
            (true, true) => String::new(),
        };
        let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
        for &chain in &chains {
            let versions = self.chain_versions(chain);
            let title = format!("{} [{}]", self.newest_name(chain), self.show(&versions));
            line(format!("  subgraph cluster_{} {{\n    label=\"{}\";", chain.0, escape(&title)));
            for &node in self.chain_nodes(chain) {
                let versions = self.node_versions(node);
                let label = format!("{}\n{}", self.label(node), self.show_in(chain, &versions));
                let mut style = String::new();
                if self.is_v_branch(node) {
                    style.push_str(" peripheries=2");
                }
                if self.is_v_merge(node) {
                    style.push_str(" penwidth=3");
                }
                if let Some((old, new)) = options.compare {
                    style.push_str(&mark(versions.contains(old), versions.contains(new)));
                }
                line(format!("    n{} [label=\"{}\"{style}];", node.0, escape(&label)));
            }
            for edge in self.chain_edges(chain) {
                let (from, to) = self.ends(edge);
                let versions = self.edge_versions(edge);
                let kind = outcome(&self.edge_kind(edge));
                let label = format!("{kind} {}", self.show_in(chain, &versions));
                let style = options
                    .compare
                    .map(|(old, new)| mark(versions.contains(old), versions.contains(new)))
                    .unwrap_or_default();
                line(format!("    n{} -> n{} [label=\"{}\"{style}];", from.0, to.0, escape(label.trim())));
            }
            line("  }".into());
        }
        line("}".into());
        out
    }

    /// The evolution of the call graph as DOT: a box per function with its versions, an edge per call with its.
    pub fn call_graph_dot(&self) -> String {
        let mut out = String::from("digraph calls {\n  node [shape=box fontname=monospace];\n");
        let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
        for chain in self.chains() {
            let versions = self.chain_versions(chain);
            let Some(last) = versions.last() else { continue };
            let title = format!("{}\n[{}]", self.signature(chain, last), self.show(&versions));
            line(format!("  c{} [label=\"{}\"];", chain.0, escape(&title)));
        }
        for link in self.call_graph() {
            let to = match &link.target {
                Target::Chain(callee) | Target::Unread(callee) => format!("c{}", callee.0),
                Target::External(name) => format!("\"{}\"", escape(name)),
                Target::Unknown(_) => "unknown".to_owned(),
            };
            line(format!("  c{} -> {to} [label=\"{}\"];", link.caller.0, escape(&self.show(&link.versions))));
        }
        line("}".into());
        out
    }
}

/// Text inside quotes: line breaks are kept, left-justified.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}
