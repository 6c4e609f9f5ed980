//! The tool as its users run it.
#![allow(clippy::unwrap_used)]

mod attacks;
mod bad_input;
mod check;
mod classify;
mod compare;
mod complexity;
mod delta;
mod env;
mod explore;
mod expose;
mod functions;
mod graph;
mod histories;
mod interact;
mod ir;
mod kept;
mod machine;
mod mine;
mod moved_lines;
mod partition;
mod patch;
mod project;
mod review;
mod runs;
mod schemas;
mod select;
mod signals;
mod slice;
mod small_programs;
mod unnamed;
mod watch;
mod why;
