//! Graphs in files: `.hyg`.
//!
//! Layout: 8 bytes of magic, the format's number (4 bytes, little-endian), the length of the content before
//! compression (8 bytes), the BLAKE3 hash of what follows (32 bytes), then the content, LZ4-compressed postcard.
//! A file holds what the graph stores and nothing derived, so equal graphs give equal bytes (INV-19).

use crate::input::{Digest, VersionInfo};
use crate::model::{Chain, Edge, Graph, ItemKey, Kind, Node};
use crate::pointers::PointerCall;
use crate::tables::{Runs, Table, Texts};
use crate::{NodeId, SetId, VersionId, VersionSet};
use hydrogen_ir::Callee;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

const MAGIC: [u8; 8] = *b"\x89HYG\r\n\x1a\n";
const FORMAT: u32 = 6;
const HEADER: usize = 8 + 4 + 8 + 32;

/// Why bytes are not a graph.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LoadGraphError {
    /// Something else.
    #[error("this is not a Hydrogen graph file")]
    Foreign,
    /// A graph of another release.
    #[error("the graph file has format {found}, this program reads format {FORMAT}: build the graph again")]
    Format {
        /// The format's number.
        found: u32,
    },
    /// Cut off, or changed on the way.
    #[error("the graph file is damaged ({0}): build the graph again")]
    Damaged(&'static str),
}

#[derive(Serialize, Deserialize)]
struct Image<'a> {
    versions: Cow<'a, [VersionInfo]>,
    names: Cow<'a, [String]>,
    texts: Cow<'a, [String]>,
    sets: Cow<'a, [VersionSet]>,
    payloads: Cow<'a, [Digest]>,
    calls: Cow<'a, [Vec<Callee>]>,
    chains: Cow<'a, [Chain]>,
    nodes: Cow<'a, [Node]>,
    edges: Cow<'a, [Edge]>,
    items: Cow<'a, BTreeMap<ItemKey, Runs<Option<Digest>>>>,
    pointer_lists: Cow<'a, [Vec<PointerCall>]>,
    pointers: Cow<'a, BTreeMap<NodeId, Runs<u32>>>,
    followed: Cow<'a, VersionSet>,
}

impl Graph {
    /// The graph as the content of a file.
    pub fn save(&self) -> Vec<u8> {
        let image = Image {
            versions: Cow::Borrowed(&self.versions),
            names: Cow::Borrowed(self.names.values()),
            texts: Cow::Borrowed(self.texts.values()),
            sets: Cow::Borrowed(self.sets.values()),
            payloads: Cow::Borrowed(self.payloads.values()),
            calls: Cow::Borrowed(self.calls.values()),
            chains: Cow::Borrowed(&self.chains),
            nodes: Cow::Borrowed(&self.nodes),
            edges: Cow::Borrowed(&self.edges),
            items: Cow::Borrowed(&self.items),
            pointer_lists: Cow::Borrowed(self.pointer_lists.values()),
            pointers: Cow::Borrowed(&self.pointers),
            followed: Cow::Borrowed(&self.followed),
        };
        pack(&postcard::to_stdvec(&image).expect("plain data can always be encoded"))
    }

    /// The graph that [`Graph::save`] gave these bytes for. Never panics, whatever the bytes are.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadGraphError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(LoadGraphError::Foreign);
        }
        let Some((header, packed)) = bytes.split_at_checked(HEADER) else {
            return Err(LoadGraphError::Damaged("it ends inside the header"));
        };
        let number = |range: std::ops::Range<usize>| {
            header[range].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        if number(8..12) != u64::from(FORMAT) {
            return Err(LoadGraphError::Format { found: number(8..12) as u32 });
        }
        if checksum(bytes) != header[20..] {
            return Err(LoadGraphError::Damaged("its checksum is wrong"));
        }
        let length = number(12..20);
        // LZ4 cannot shrink by more than this, so a larger claim is a lie that must not cost memory.
        if length > 256 * packed.len() as u64 + 64 {
            return Err(LoadGraphError::Damaged("its length is impossible"));
        }
        let content = lz4_flex::block::decompress(packed, length as usize)
            .map_err(|_| LoadGraphError::Damaged("it cannot be decompressed"))?;
        let (image, rest): (Image<'_>, _) = postcard::take_from_bytes(&content)
            .map_err(|_| LoadGraphError::Damaged("it cannot be decoded"))?;
        if !rest.is_empty() {
            return Err(LoadGraphError::Damaged("something follows its content"));
        }
        image.check().map_err(LoadGraphError::Damaged)?;
        let mut graph = Graph {
            versions: image.versions.into_owned(),
            names: Table::from_values(image.names.into_owned()),
            texts: Texts::from_values(image.texts.into_owned()),
            sets: Table::from_values(image.sets.into_owned()),
            payloads: Table::from_values(image.payloads.into_owned()),
            calls: Table::from_values(image.calls.into_owned()),
            chains: image.chains.into_owned(),
            nodes: image.nodes.into_owned(),
            edges: image.edges.into_owned(),
            items: image.items.into_owned(),
            pointer_lists: Table::from_values(image.pointer_lists.into_owned()),
            pointers: image.pointers.into_owned(),
            followed: image.followed.into_owned(),
            ..Graph::default()
        };
        graph.derive();
        Ok(graph)
    }
}

/// A file with this content.
fn pack(content: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress(content);
    let mut out = Vec::with_capacity(HEADER + packed.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(&[0; 32]);
    out.extend_from_slice(&packed);
    let sum = checksum(&out);
    out[20..HEADER].copy_from_slice(&sum);
    out
}

/// Over the whole file but the place of the checksum itself.
fn checksum(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..20]);
    hasher.update(&bytes[HEADER..]);
    *hasher.finalize().as_bytes()
}

/// Something that a graph never has.
type Problem = &'static str;

fn sure(sure: bool, problem: Problem) -> Result<(), Problem> {
    if sure { Ok(()) } else { Err(problem) }
}

fn within(id: u32, len: usize) -> bool {
    (id as usize) < len
}

impl Image<'_> {
    /// Whether every index leads somewhere and every set is inside its owner's, so that reading cannot fail later.
    fn check(&self) -> Result<(), Problem> {
        let versions = self.versions.len();
        for (version, info) in self.versions.iter().enumerate() {
            let older = |parent: &VersionId| parent.index() < version;
            sure(info.parents.iter().all(older), "a parent is newer than its child")?;
        }
        for set in self.sets.iter() {
            let resolved = set.resolved(versions.max(1));
            let known = resolved.last().is_none_or(|last| last.index() < versions);
            sure(set.is_normal() && resolved.is_normal() && known, "a version set is malformed")?;
        }
        self.check_chains()?;
        self.check_nodes()?;
        self.check_edges()?;
        self.check_pointers()?;
        let items = self.items.values().all(|runs| runs.is_normal(versions));
        sure(items, "an item is malformed")
    }

    fn check_pointers(&self) -> Result<(), Problem> {
        let chain = |chain: &crate::ChainId| within(chain.0, self.chains.len());
        let lists = self.pointer_lists.iter().flatten().all(|call| call.functions.iter().all(chain));
        let runs = self.pointers.iter().all(|(node, runs)| {
            within(node.0, self.nodes.len())
                && runs.is_normal(self.versions.len())
                && runs.values().all(|&list| list as usize <= self.pointer_lists.len())
        });
        let known = self.followed.last().is_none_or(|last| last.index() < self.versions.len());
        sure(lists && runs && known && self.followed.is_normal(), "a call through a pointer is malformed")
    }

    /// A stored set that is not empty.
    fn set(&self, id: SetId) -> Result<&VersionSet, Problem> {
        let set = self.sets.get(id.0 as usize).filter(|set| !set.is_empty());
        set.ok_or("something is in no version")
    }

    fn text(&self, id: crate::TextId) -> bool {
        within(id.0, self.texts.len())
    }

    fn check_chains(&self) -> Result<(), Problem> {
        let mut placed = vec![false; self.nodes.len()];
        for (at, chain) in self.chains.iter().enumerate() {
            self.set(chain.versions)?;
            for node in &chain.order {
                let own = self.nodes.get(node.index()).is_some_and(|node| node.chain.index() == at);
                let first = own && !std::mem::replace(&mut placed[node.index()], true);
                sure(first, "a function's order is malformed")?;
            }
            let name = |id: crate::NameId| within(id.0, self.names.len());
            let places = chain
                .places
                .values()
                .all(|place| name(place.name) && name(place.file) && name(place.signature));
            let states = chain.states.iter().all(|state| within(state.version, self.versions.len()))
                && chain.state.values().all(|&state| within(state, chain.states.len()));
            let normal =
                chain.places.is_normal(self.versions.len()) && chain.state.is_normal(self.versions.len());
            sure(places && states && normal, "a function is malformed")?;
        }
        sure(placed.into_iter().all(|placed| placed), "a node is in no order")
    }

    fn check_nodes(&self) -> Result<(), Problem> {
        for node in self.nodes.iter() {
            sure(within(node.chain.0, self.chains.len()), "a node has no function")?;
            let around = self.set(self.chains[node.chain.index()].versions)?;
            sure(self.set(node.versions)?.is_subset(around), "a node is in versions without its function")?;
            let facts = node.facts.is_normal(self.versions.len())
                && node.facts.values().all(|facts| {
                    facts.payload as usize <= self.payloads.len() && facts.calls as usize <= self.calls.len()
                });
            sure(facts && self.text(node.symbol.text), "a node is malformed")?;
        }
        Ok(())
    }

    fn check_edges(&self) -> Result<(), Problem> {
        for edge in self.edges.iter() {
            let node = |id: NodeId| self.nodes.get(id.index()).ok_or("an edge has no end");
            let (from, to) = (node(edge.from)?, node(edge.to)?);
            sure(from.chain == to.chain, "an edge leads to another function")?;
            if let Some(versions) = edge.versions {
                let versions = self.set(versions)?;
                let inside = versions.is_subset(self.set(from.versions)?)
                    && versions.is_subset(self.set(to.versions)?);
                sure(inside, "an edge is in versions without its ends")?;
            }
            if let Kind::Case(label) | Kind::Config(label) = edge.kind {
                sure(self.text(label), "an edge has no label")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VersionInfo, VersionInput};
    use hydrogen_ir::Module;
    use proptest::prelude::*;

    fn content() -> Vec<u8> {
        let read = |source: &str| -> Vec<Module> {
            vec![hydrogen_syntax::read("a.c", source.as_bytes(), &hydrogen_syntax::Options::default()).module]
        };
        let versions = [
            read("int f(int x) { if (x) g(); return 0; }\nint g(void) { return 1; }\n"),
            read("int f(int x) { switch (x) { case 1: g(); } return 0; }\nint h(void) { return 1; }\n"),
            read("int f(int x) { if (x) g(); return 0; }\nint g(void) { return 1; }\n"),
        ];
        let info = |at: usize| VersionInfo {
            name: at.to_string(),
            parents: at.checked_sub(1).map(VersionId::at).into_iter().collect(),
            ..VersionInfo::default()
        };
        let inputs =
            versions.iter().enumerate().map(|(at, modules)| VersionInput::from_modules(info(at), modules));
        let bytes = Graph::build(inputs).expect("well-formed").save();
        let length = u64::from_le_bytes(*bytes[12..].first_chunk().expect("long enough"));
        lz4_flex::block::decompress(&bytes[HEADER..], length as usize).expect("packed just now")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// A wrong content under a right checksum is refused, or is a graph that can be read.
        #[test]
        fn garbage_never_panics(edits in prop::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
            let mut content = content();
            for (at, byte) in edits {
                let at = usize::from(at) % content.len();
                content[at] = byte;
            }
            if let Ok(graph) = Graph::load(&pack(&content)) {
                graph.check_structure();
                graph.to_text();
                graph.to_json(&crate::JsonOptions::default());
                graph.call_graph();
                drop(graph.project(&VersionSet::one(VersionId(1))));
            }
        }
    }
}
