//! Bit-vector and array terms.

mod build;
mod eval;
mod facts;
mod order;
mod pool;
mod print;
mod rewrite;
mod solver;
mod sort;
mod term;
mod value;
mod words;

pub use eval::Evaluator;
pub use pool::{Pool, Signature};
pub use print::Script;
pub use rewrite::{Importer, Substitution};
pub use solver::{Answer, Both, Limits, Reason, Smtlib, Solver};
pub use sort::{MAX_WIDTH, Sort};
pub use term::{Function, Op, Symbol, Term};
pub use value::{ArrayValue, FunctionValue, Model, Value};
