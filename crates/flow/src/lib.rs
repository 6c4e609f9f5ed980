//! Static facts about programs.
//!
//! The graph part ([`Dominators`], [`PostDominators`], [`ControlDependence`], [`Loops`], [`Components`]) works on
//! anything that is a [`Graph`]; [`Flow`] gives it the blocks or the statement pieces of a function.
//!
//! The algorithms are written here rather than taken from petgraph: its component search is recursive and
//! would overflow the stack on long functions, and post-dominators, frontiers, outcomes and loops are not in it.

mod call_graph;
mod components;
mod control;
mod def_use;
mod dominators;
mod effects;
mod graph;
mod loops;
mod order;
mod pointers;
mod points_to;
mod post_dominators;
mod view;

pub use call_graph::{CallGraph, Code, address_taken};
pub use components::Components;
pub use control::{Control, ControlDependence};
pub use def_use::{FirstUses, Instruction};
pub use dominators::Dominators;
pub use effects::{At, Summaries, Touched, own_effects};
pub use graph::{Digraph, Edge, Graph, Reversed, Successors};
pub use loops::{Irreducible, Loop, Loops};
pub use order::{reachable, reverse_post_order};
pub use pointers::{all_pointed, called, callee, calls_pointers, leads_to, pointed};
pub use points_to::{
    Callees, Effect, Library, LibraryError, ObjectId, ObjectKind, Offset, Options, Place, PointsTo,
    Statistics,
};
pub use post_dominators::PostDominators;
pub use view::Flow;
