//! Typed indices into the arenas of a graph.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of position `index`.
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 items"))
            }
        }
    )*};
}

ids! {
    /// A version: its place in the order in which versions were added.
    VersionId,
    /// A function over a run of versions (a δ-chain).
    ChainId,
    /// A statement piece over the versions that have it.
    NodeId,
    /// Control flow between two nodes over the versions that have it.
    EdgeId,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub(crate) struct $name(pub(crate) u32);
    )*};
}

keys! {
    /// A statement text, without layout.
    TextId,
    /// A name, a path or a signature.
    NameId,
    /// A stored version set.
    SetId,
}
