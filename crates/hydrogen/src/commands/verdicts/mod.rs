//! Commands that answer with verdicts.
//!
//! What only the tests see waits for the analysis of faults: `ask` is where it comes in, one function per command.
//!
//! Each makes a [`Question`](question::Question) of what the user wrote, has it answered, and hands the answer to [`answer::finish`].

mod answer;
mod change;
pub mod check;
mod question;
mod sources;
mod suppress;

#[cfg(test)]
mod ask;
#[cfg(test)]
mod impact;
#[cfg(test)]
mod patch;
#[cfg(test)]
mod place;
#[cfg(test)]
mod verify;
