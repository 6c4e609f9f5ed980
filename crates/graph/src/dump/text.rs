//! The text form, after appendix C of the thesis (F72–F74).
//!
//! Statements that every version runs one after the other stand together in a block. A block of the function's
//! first version is called `_<function>_BASE_BLOCK<n>`, a later one `_<function>_V<version>_DIFF<d>_BLOCK<n>`, where
//! `version` introduced it, `d` counts that version's runs of new statements, and `n` is the block's number in that
//! version. `*` means all versions of the function.

use super::outcome;
use crate::model::Graph;
use crate::{ChainId, NodeId, VersionId};
use hashbrown::HashMap;
use hydrogen_ir::{EdgeKind, Role};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Graph {
    /// All functions as text.
    pub fn to_text(&self) -> String {
        let mut chains: Vec<ChainId> = self.chains().collect();
        chains.sort_by(|&a, &b| self.newest_name(a).cmp(self.newest_name(b)).then(a.cmp(&b)));
        let texts: Vec<String> = chains.into_iter().map(|chain| self.chain_text(chain)).collect();
        texts.join("\n")
    }

    /// A function as text.
    pub fn chain_text(&self, chain: ChainId) -> String {
        let mut out = String::new();
        let versions = self.chain_versions(chain);
        let (Some(first), Some(last)) = (versions.first(), versions.last()) else { return out };
        let (file, line) = self.location(chain, last);
        let line_ = |out: &mut String, text: std::fmt::Arguments<'_>| {
            writeln!(out, "{text}").expect("writing to a string cannot fail");
        };
        let name = self.name(chain, first);
        line_(
            &mut out,
            format_args!(
                "function {name} version(s) {} ({file}:{line} in {})",
                self.show(&versions),
                self.versions[last.index()].name
            ),
        );
        for version in versions.iter().skip(1) {
            let now = self.name(chain, version);
            if now != name {
                line_(
                    &mut out,
                    format_args!("  also named {now} from {} on", self.versions[version.index()].name),
                );
                break;
            }
        }
        let blocks = self.blocks(chain);
        let aliases = self.aliases(chain, &blocks, first);
        let of: HashMap<NodeId, usize> = blocks
            .iter()
            .enumerate()
            .flat_map(|(at, block)| block.iter().map(move |&node| (node, at)))
            .collect();
        let mut lines: BTreeMap<VersionId, HashMap<NodeId, Option<u32>>> = BTreeMap::new();
        for (block, alias) in blocks.iter().zip(&aliases) {
            line_(
                &mut out,
                format_args!("{alias}: version(s) {}", self.show_in(chain, &self.node_versions(block[0]))),
            );
            for &node in block {
                let version = self.node_versions(node).last().unwrap_or(last);
                let lines =
                    lines.entry(version).or_insert_with(|| self.lines(chain, version).into_iter().collect());
                let text = match self.role(node) {
                    Role::Entry => "START".to_owned(),
                    Role::Exit => "END".to_owned(),
                    _ => self.label(node),
                };
                match lines.get(&node).copied().flatten() {
                    Some(line) => line_(&mut out, format_args!("  {line:>5}  {text}")),
                    None => line_(&mut out, format_args!("         {text}")),
                }
            }
            let mut successors: Vec<(usize, String, String)> = Vec::new();
            for edge in block.last().into_iter().flat_map(|&node| self.outgoing(node)) {
                let kind = outcome(&self.edge_kind(edge));
                successors.push((
                    of[&self.ends(edge).1],
                    kind,
                    self.show_in(chain, &self.edge_versions(edge)),
                ));
            }
            successors.sort();
            line_(&mut out, format_args!("  [EVS] Edge Version Summary"));
            for (successor, kind, versions) in successors {
                let kind = if kind.is_empty() { kind } else { format!(" {kind}") };
                line_(
                    &mut out,
                    format_args!("    Successor({}) Version(s) {versions}{kind}", aliases[successor]),
                );
            }
        }
        out
    }

    /// Runs of nodes that all versions pass one after the other: the entry first, the exit last.
    pub fn blocks(&self, chain: ChainId) -> Vec<Vec<NodeId>> {
        let next = |node: NodeId| -> Option<NodeId> {
            let mut edges = self.outgoing(node);
            let (edge, None) = (edges.next()?, edges.next()) else { return None };
            let (_, to) = self.ends(edge);
            let own = self.node_versions(node);
            let alone = self.incoming(to).count() == 1;
            let plain = self.edge_kind(edge) == EdgeKind::Next;
            let real = self.nodes[node.index()].symbol.is_real() && self.nodes[to.index()].symbol.is_real();
            let same = own == self.node_versions(to) && own == self.edge_versions(edge);
            (alone && plain && real && same && to != node).then_some(to)
        };
        let nodes = self.chain_nodes(chain);
        let followed: HashMap<NodeId, NodeId> =
            nodes.iter().filter_map(|&node| Some((next(node)?, node))).collect();
        let mut blocks: Vec<Vec<NodeId>> = Vec::new();
        let mut placed: hashbrown::HashSet<NodeId> = hashbrown::HashSet::new();
        // A cycle of such nodes has no head; it is cut at its first node.
        for heads_only in [true, false] {
            for &node in nodes {
                if (heads_only && followed.contains_key(&node)) || placed.contains(&node) {
                    continue;
                }
                let mut block = vec![node];
                placed.insert(node);
                while let Some(to) = next(block[block.len() - 1]).filter(|&to| placed.insert(to)) {
                    block.push(to);
                }
                blocks.push(block);
            }
        }
        let place: HashMap<NodeId, usize> = nodes.iter().enumerate().map(|(at, &node)| (node, at)).collect();
        blocks.sort_by_key(|block| (self.role(block[0]) == Role::Exit, place[&block[0]]));
        blocks
    }

    fn aliases(&self, chain: ChainId, blocks: &[Vec<NodeId>], first: VersionId) -> Vec<String> {
        let mut hunks: HashMap<NodeId, usize> = HashMap::new();
        let mut numbers: BTreeMap<VersionId, (usize, HashMap<NodeId, usize>)> = BTreeMap::new();
        let name = self.name(chain, first);
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            let Some(born) = self.node_versions(block[0]).first() else { continue };
            let (_, numbers) = numbers.entry(born).or_insert_with(|| {
                let mut run = 0;
                let mut inside = false;
                for node in self.pieces(chain, born) {
                    let new = self.node_versions(node).first() == Some(born);
                    run += usize::from(new && !inside);
                    inside = new;
                    if new {
                        hunks.insert(node, run);
                    }
                }
                let there = blocks.iter().map(|block| block[0]).filter(|&head| self.node_in(head, born));
                (run, there.zip(1..).collect())
            });
            let number = numbers[&block[0]];
            out.push(if born == first {
                format!("_{name}_BASE_BLOCK{number}")
            } else {
                let version = &self.versions[born.index()].name;
                format!("_{name}_V{version}_DIFF{}_BLOCK{number}", hunks[&block[0]])
            });
        }
        out
    }
}
