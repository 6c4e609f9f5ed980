//! Static dependence between the statements of a program, from its source alone.
//!
//! With the compiled program at hand, memory is told apart by what pointers may point to, and calls lead where they do.
//! Without it, everything that is not known is assumed: members of one name are one place, all other memory behind pointers and in
//! arrays is one, and so is each global variable in all functions, set and read in the order in which control may come to them; what
//! has its address taken is part of that memory, and who sets a whole structure sets all members; a call through a pointer may
//! reach every function that is mentioned without being called and takes as many arguments; a macro uses whatever its
//! definition names. So dependence is never missed for these reasons, and often assumed where there is none. What is not
//! followed: code that is not part of the program.

mod access;
mod cells;
mod chains;
mod compiled;
mod kinds;
mod library_calls;
mod linked;
mod macros;
mod named_calls;
mod order;
mod outside;
mod program;
mod programs;
mod slice;
mod spots;
mod uses;
mod variables;

pub use access::{Access, Location};
pub use chains::{DefUse, def_use};
pub use program::{Dependence, StatementId};
pub use slice::{Effect, Reached, Start, Via};
pub(crate) use uses::{KEYWORDS, Token, tokens, uses};
