//! From a list of versions to their graph.
//!
//! [`build`] reads the versions one after the other, compiled or from the source alone, and adds each to a
//! [`hydrogen_graph::Graph`]. Functions that did not change are known by their hashes; their models are never loaded. The
//! graph is kept in the cache, and a longer list of versions goes on from the graph of its longest known beginning.

mod before;
mod build;
mod code;
mod input;
mod kept;
mod origin;
mod pointers;
mod reading;
mod roster;

pub use before::{Extended, with_parents};
pub use build::{Error, Listener, Options, build};
pub use code::{Code, CodeError};
pub use origin::{Origin, Origins, Sought, Sure};
