//! Commands that answer with verdicts.
//!
//! Each makes a [`Question`](question::Question) of what the user wrote, has it answered, and hands the answer to [`answer::finish`].

mod alone;
mod answer;
mod change;
pub mod check;
mod question;
mod sources;
mod suppress;
mod tests;

mod ask;
mod engine;
pub mod impact;
mod parts;
pub mod patch;
mod patched;
mod place;
mod uncompiled;
mod unnamed;
pub mod verify;
