//! What a hunk does differently, and when: the exact effect of a change of a function (spec `delta.md`).
//!
//! Both versions of a function are cut at their statements. Statements that do the same on both sides are *level places*: at them, what is live agrees, and so
//! does memory. What lies between is a *region*: it is entered at an edge behind a level place, evaluated on both sides from one state, and left at level
//! places again, by returning, or by failing. What differs there, and under which condition, is its *delta*. It depends on the region alone, however large
//! the function around it is, and callees are not looked into: they are asked the same by both versions, or are told of.
//!
//! The way of a question: `cut` and `names` (statements, whatever they are called and lie), `level` (which are the same), `evaluate` (both sides as terms),
//! `differ` (cases, and what differs in each), `condition`, `words` and `tell` (in C, and as a sentence).

mod condition;
mod contents;
mod cut;
mod differ;
mod doing;
mod evaluate;
mod facts;
mod level;
mod region;
mod tell;
mod words;

pub use contents::{Contents, contents};
use hydrogen_align::words as names;

pub use region::{Known, deltas};
