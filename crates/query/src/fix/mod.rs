//! The fix as specification: the states that it took away from a statement, and which statements it is about.

pub(crate) mod alike;
pub(crate) mod by_code;
pub(crate) mod candidates;
pub(crate) mod carried;
pub(crate) mod cut;
pub(crate) mod delta;
pub(crate) mod earlier;
pub(crate) mod elsewhere;
pub(crate) mod ended;
pub(crate) mod gifts;
pub(crate) mod measure;
pub(crate) mod points;
pub(crate) mod reach;
pub(crate) mod relate;
pub(crate) mod renamed;
pub(crate) mod unknowns;
pub(crate) mod wraps;
