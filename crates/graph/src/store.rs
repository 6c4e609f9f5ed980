//! Graphs in files: `.hyg`.
//!
//! Layout: 8 bytes of magic, the format's number (4 bytes, little-endian), the length of the content before
//! compression (8 bytes), the BLAKE3 hash of what follows (32 bytes), then the content, LZ4-compressed postcard.
//! A file holds what the graph stores and nothing derived, so equal graphs give equal bytes (INV-19).

use crate::input::{Digest, VersionInfo};
use crate::model::{Chain, Edge, Graph, ItemKey, Kind, Node};
use crate::tables::{Runs, Table, Texts};
use crate::{NodeId, VersionId, VersionSet};
use hydrogen_ir::Callee;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

const MAGIC: [u8; 8] = *b"\x89HYG\r\n\x1a\n";
const FORMAT: u32 = 1;
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
        };
        let content = postcard::to_stdvec(&image).expect("plain data can always be encoded");
        let packed = lz4_flex::block::compress(&content);
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
            ..Graph::default()
        };
        graph.derive();
        Ok(graph)
    }
}

/// Over the whole file but the place of the checksum itself.
fn checksum(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..20]);
    hasher.update(&bytes[HEADER..]);
    *hasher.finalize().as_bytes()
}

impl Image<'_> {
    /// Whether every index leads somewhere, so that reading cannot fail later.
    fn check(&self) -> Result<(), &'static str> {
        let versions = self.versions.len();
        let sure = |sure: bool, problem: &'static str| if sure { Ok(()) } else { Err(problem) };
        let within = |id: u32, len: usize| (id as usize) < len;
        let set = |id: crate::SetId| within(id.0, self.sets.len());
        let text = |id: crate::TextId| within(id.0, self.texts.len());
        for (version, info) in self.versions.iter().enumerate() {
            let older = |parent: &VersionId| parent.index() < version;
            sure(info.parents.iter().all(older), "a parent is newer than its child")?;
        }
        for set in self.sets.iter() {
            let resolved = set.resolved(versions.max(1));
            let known = resolved.last().is_none_or(|last| last.index() < versions);
            sure(set.is_normal() && resolved.is_normal() && known, "a version set is malformed")?;
        }
        for node in self.nodes.iter() {
            sure(within(node.chain.0, self.chains.len()), "a node has no function")?;
            sure(
                set(node.versions) && text(node.symbol.text) && node.facts.is_normal(),
                "a node is malformed",
            )?;
            let known = node.facts.values().all(|facts| {
                facts.payload as usize <= self.payloads.len() && facts.calls as usize <= self.calls.len()
            });
            sure(known, "a node's facts are malformed")?;
        }
        for edge in self.edges.iter() {
            let node = |id: NodeId| within(id.0, self.nodes.len());
            sure(node(edge.from) && node(edge.to), "an edge has no end")?;
            let same = self.nodes[edge.from.index()].chain == self.nodes[edge.to.index()].chain;
            sure(same && edge.versions.is_none_or(set), "an edge is malformed")?;
            if let Kind::Case(label) | Kind::Config(label) = edge.kind {
                sure(text(label), "an edge has no label")?;
            }
        }
        let mut placed = vec![false; self.nodes.len()];
        for (at, chain) in self.chains.iter().enumerate() {
            for node in &chain.order {
                let own = self.nodes.get(node.index()).is_some_and(|node| node.chain.index() == at);
                sure(
                    own && !std::mem::replace(&mut placed[node.index()], true),
                    "a function's order is malformed",
                )?;
            }
            let name = |id: crate::NameId| within(id.0, self.names.len());
            let places = chain
                .places
                .values()
                .all(|place| name(place.name) && name(place.file) && name(place.signature));
            let states = chain.states.iter().all(|state| within(state.version, versions))
                && chain.state.values().all(|&state| within(state, chain.states.len()));
            let normal = chain.places.is_normal() && chain.state.is_normal();
            sure(set(chain.versions) && places && states && normal, "a function is malformed")?;
        }
        sure(placed.into_iter().all(|placed| placed), "a node is in no order")
    }
}
