//! Hash-consed bit-vector and array terms, a simplifier, an evaluator, and solvers.
//!
//! # Terms
//!
//! A [`Pool`] owns terms; a [`Term`] is a small copyable id in it, and equal terms have equal ids. Sorts are [`Sort::Bool`],
//! [`Sort::Bits`] of 1 to 128 bits, and [`Sort::Array`] (memory is [`Sort::MEMORY`]: 64-bit addresses, bytes). Constructors are the pool's
//! methods; they check sorts (a mismatch is a bug of the caller and panics) and simplify as they build:
//!
//! | | |
//! |---|---|
//! | leaves | `bool`, `bits`, `signed_bits`, `var` (by name and sort), `fresh` |
//! | truth | `not`, `and`, `or`, `xor`, `implies`, `and_all`, `or_all`, `eq`, `ne`, `ite`; `conjuncts` takes apart |
//! | arithmetic | `add`, `sub`, `neg`, `mul`, `udiv`, `urem`, `sdiv`, `srem`; division by zero as in SMT-LIB |
//! | bits | `bitand`, `bitor`, `bitxor`, `bitnot`, `shl`, `lshr`, `ashr` |
//! | widths | `concat`, `extract`, `truncate`, `zext`, `sext`, `resize_unsigned`, `resize_signed`, `bool_to_bits`, `bits_to_bool` |
//! | order | `ult`, `ule`, `ugt`, `uge`, `slt`, `sle`, `sgt`, `sge` |
//! | overflow | `uadd_overflows`, `sadd_overflows`, `usub_…`, `ssub_…`, `umul_…`, `smul_…`, `neg_overflows`, `sdiv_overflows` |
//! | arrays | `select`, `store`, `const_array`; little-endian `read_le`, `write_le` |
//! | floating point | `float(op, format, args)` with a [`FloatOp`] of numbers given as bits; `is_nan`, `float_negated`, `float_absolute`, `copy_sign` |
//! | functions | `function` declares, `apply` uses; what has no operator is done with these, and whoever does it says so in its ledger |
//! | any | `make(op, args)` from an [`Op`] |
//!
//! Taking apart: `op`, `args`, `sort`, `width`, `as_bits`, `as_signed`, `as_bool`, `as_var`, `postorder`, `variables`, and `range`, `signed_range`
//! for what is cheaply known of a value. Rebuilding: `substitute` (all at once, simplified again; `substitute_with` for many terms), and `import` or
//! [`Importer`] to move terms between the pools of threads. Printing: `to_c` for people, `to_smt` and `to_smt_script` for machines. What a
//! term looks like depends on its structure only, never on what else is in the pool. No operation recurses over a term, so deep terms are safe.
//!
//! # Values
//!
//! A [`Model`] gives values to variables (and functions); an [`Evaluator`] computes any term under it. Both are total: what a model does not
//! mention is zero.
//!
//! # Solvers
//!
//! [`Solver::check`] takes a list of constraints and [`Limits`], and returns an [`Answer`]: `Sat` with a model that has been checked by
//! evaluation, `Unsat`, or `Unknown` with a [`Reason`]. Questions that share a prefix with the last one are cheap: give a path's
//! conditions in order. [`Bitwuzla`] is linked into the program, [`Smtlib`] drives any SMT-LIB process (z3 by default), [`Fallback`] asks a second one
//! where the first cannot, [`Both`] asks two and compares; [`standard`] is the one to use. An [`Engine`] stands before a solver: it simplifies the
//! constraints as a set, splits them into independent parts and remembers earlier answers. It counts what it does, and can write what reaches the
//! solver into files.
//!
//! ```
//! use hydrogen_term::{Answer, Engine, Evaluator, Limits, Pool, Sort, standard};
//!
//! let mut pool = Pool::new();
//! let n = pool.var("n", Sort::Bits(32));
//! let (one, ten) = (pool.bits(32, 1), pool.bits(32, 10));
//! let next = pool.add(n, one);
//! let below = pool.slt(next, ten);
//! let wraps = pool.slt(next, n);
//! assert_eq!(pool.to_c(wraps), "n + 1 < n");
//!
//! let mut engine = Engine::new(standard(), Limits::default());
//! match engine.check(&mut pool, &[below, wraps]) {
//!     Answer::Sat(model) => assert_eq!(Evaluator::new(&pool, &model).bits(n), i32::MAX as u128),
//!     Answer::Unsat => unreachable!("n + 1 can wrap"),
//!     Answer::Unknown(reason) => eprintln!("no answer: {reason}"),
//! }
//! ```

mod build;
mod engine;
mod eval;
mod facts;
mod float;
mod loan;
mod order;
mod polynomial;
mod pool;
mod print;
mod rewrite;
mod slice;
mod solver;
mod sort;
mod term;
mod theory;
mod value;
mod words;

pub use engine::{Counters, Engine};
pub use eval::Evaluator;
pub use float::{FloatOp, has_terms};
pub use hydrogen_float::{Format, Rounding};
pub use loan::Loan;
pub use pool::{Pool, Signature};
pub use print::Script;
pub use rewrite::{Importer, Substitution};
pub use slice::{components, slice};
pub use solver::{Answer, Bitwuzla, Both, Fallback, Limits, Reason, Smtlib, Solver, by_name, standard};

/// Ends the solver's work in all threads, for a process that is about to end: every question from now on stays without an answer.
pub fn interrupt() {
    hydrogen_bitwuzla::interrupt();
}
pub use sort::{MAX_WIDTH, Sort};
pub use term::{Function, Op, Symbol, Term};
pub use value::{ArrayValue, FunctionValue, Model, Value};
