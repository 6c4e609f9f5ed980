//! One meaning per operator: for each operator of the program model, its result and when it is a fault, written once over a [`Domain`].
//!
//! The domain is [`Numbers`] (what a run computes) or a [`Pool`](hydrogen_term::Pool) of terms (what is proved). The static analysis and the exploration of
//! inputs take their terms from here; the machine executes code of its own, for speed, and is tested against this table, as the other two are.
//!
//! Rules that hold throughout:
//! - A result exists also where there is a fault: sums, differences, products and quotients wrap; a division by zero and a shift by too much give what
//!   SMT-LIB says. Whoever stops at faults never sees it.
//! - `nsw` makes a signed wrap a fault. An unsigned wrap is none: `nuw` and `exact` are written by compilers, not by people, and change nothing here.
//! - Faults are in the order in which they are looked for: the first whose condition holds is the one that happens.
//! - Arithmetic on floating-point numbers never faults, as in IEEE and on x86. A number that does not fit an integer ([`fits`]) is a fault of its
//!   conversion, and becomes what x86 makes of it.
//!
//! Memory and control flow are not known here: a pointer is a number of 64 bits.

mod cast;
mod domain;
mod fault;
mod float;
mod integer;
mod intrinsic;
mod numbers;
mod pointer;
mod terms;
pub mod undefined;

pub use cast::{Kind, cast, fits};
pub use domain::Domain;
pub use fault::{Fault, Faults, Outcome, Why};
pub use float::{float_binary, float_compare, float_negated, format_of};
pub use integer::{binary, compare};
pub use intrinsic::{Computed, intrinsic};
pub use numbers::{Number, Numbers};
pub use pointer::{Step, address_compare, moved};
