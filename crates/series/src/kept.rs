//! Graphs kept between runs: a longer list of versions goes on from the graph of its longest known beginning.

use crate::Error;
use hydrogen_graph::Graph;
use hydrogen_history::version::Version;
use hydrogen_model::Modeller;
use serde::{Deserialize, Serialize};

const KIND: &str = "graph";

/// A version that is not in a graph, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeftOut {
    pub version: String,
    pub message: String,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    left_out: Vec<LeftOut>,
    graph: Vec<u8>,
}

/// The keys of a list's beginnings: of the first version, of the first two, …
pub struct Kept(Vec<[u8; 32]>);

impl Kept {
    /// The keys cover all that a graph depends on: contents, names, parents, tools.
    pub fn of(
        modeller: &Modeller,
        versions: &[Version],
        parents: &[Vec<usize>],
        how: (bool, bool),
    ) -> Result<Self, Error> {
        let mut keys: Vec<[u8; 32]> = Vec::with_capacity(versions.len());
        for (version, parents) in versions.iter().zip(parents) {
            let identity = modeller.identity(version, how.0)?;
            let before = keys.last().copied().unwrap_or_default();
            let all = (before, identity, version, parents, how);
            let bytes = postcard::to_stdvec(&all).expect("plain data can always be encoded");
            keys.push(*blake3::hash(&bytes).as_bytes());
        }
        Ok(Self(keys))
    }

    /// The graph of the longest beginning that is kept, and how many versions of the list it stands for.
    pub fn longest(&self, modeller: &Modeller) -> Option<(usize, Graph, Vec<LeftOut>)> {
        let whole = |(at, key): (usize, &[u8; 32])| {
            let stored: Stored = postcard::from_bytes(&modeller.cache().get(KIND, key)?).ok()?;
            let graph = Graph::load(&stored.graph).ok()?;
            let complete =
                stored.left_out.is_empty() && graph.versions().iter().all(|info| info.missing.is_empty());
            (complete || !modeller.retries()).then_some((at + 1, graph, stored.left_out))
        };
        self.0.iter().enumerate().rev().find_map(whole)
    }

    /// Keeps the graph of the first `count` versions.
    pub fn put(&self, modeller: &Modeller, count: usize, graph: &Graph, left_out: &[LeftOut]) {
        let stored = Stored { left_out: left_out.to_vec(), graph: graph.save() };
        if let (Some(key), Ok(bytes)) = (count.checked_sub(1), postcard::to_stdvec(&stored)) {
            modeller.cache().put(KIND, &self.0[key], &bytes);
        }
    }
}
