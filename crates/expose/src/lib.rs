//! Inputs on which two versions of a program differ (reach a change, infect, propagate), or that there are none.
//!
//! [`Changes`] are the statements that differ, from the graph of both versions. A [`Search`] runs inputs in both versions and asks for new ones: the
//! exact question first (both paths as they are, and outcomes that differ), then inputs on which a branch that both versions take decides
//! differently, then what the change-effect graph of a run asks for, then the other sides of branches: those that lead to a change, and those behind one. What differs is a [`Found`]; where the
//! difference was born, travelled and came out is its [`Way`]. When no question is left, no input of this shape tells the versions apart.
//!
//! - `changes`: which statements differ, by text or by `meaning`; `entries`: the functions that come to them; `joint`: one input in both versions as one list
//!   of conditions.
//! - `rank`: which question is asked next; `search` and `asking`: running and asking, each list of conditions once
//!   (`tree`); `tries`: between questions, inputs made of others (`vary`, `mutate`) with the words of the program (`vocabulary`), and other command lines
//!   (`command`) with its `options` and those of test `scripts`, which are lines of a `shell` most often.
//! - `wording`: differences that are words of messages alone, and must not hide others.
//! - `way`: how a difference came out; `effects`: how far a change got where nothing comes out, and why it stopped; `leaves`: the questions that lead
//!   on from there, `uses` the places that read what was changed.
//! - `interplay`: what a part of a change does in one run, and whether two parts interact there.
//! - `sequences`: in which order runs come to changes, and which of them a difference needs.
//! - `suite`: what tests that are there already execute of a change; `requirements`: what they must make happen behind it.

mod alone;
mod asking;
mod changes;
mod command;
mod edges;
mod effects;
mod entries;
mod interplay;
mod joint;
mod leaves;
mod meaning;
mod mutate;
pub mod options;
mod rank;
mod requirements;
pub mod scripts;
mod search;
mod sequences;
mod shell;
mod suite;
mod tree;
mod tries;
mod types;
mod uses;
mod vary;
mod vocabulary;
mod way;
mod wording;

pub use alone::try_inputs;
pub use changes::Changes;
pub use entries::Entry;
pub use hydrogen_evidence::exposed::{Class, Effect, Effects, Point, Statistics, Stopped, Way};
pub use interplay::PartEffect;
pub use requirements::Requirement;
pub use search::Search;
pub use sequences::{Walk, critical};
pub use suite::{Suite, Visit, prioritise, reduce};
pub use types::{Along, Asked, Ended, Found, Judge, Near, Options, Shape, Strategy, Worth};
pub use wording::Wording;
