//! What code means to a condition: values and memory as terms, runs of instructions and calls by contract as effects on them.

pub(crate) mod approximate;
pub(crate) mod arithmetic;
pub(crate) mod call;
pub(crate) mod came_in;
pub(crate) mod conditions;
pub(crate) mod defined;
pub(crate) mod effect;
pub(crate) mod eval;
pub(crate) mod held;
mod nowhere;
mod objects;
pub(crate) mod operand;
pub(crate) mod program;
mod punned;
pub(crate) mod raw;
pub(crate) mod shape;
pub(crate) mod shared;
pub(crate) mod sizes;
pub(crate) mod slim;
pub(crate) mod state;
pub(crate) mod statics;
pub(crate) mod texts;
pub(crate) mod unions;
pub(crate) mod unset;
