//! Streams that are handed to a function: those that every program begins with.

use hydrogen_evidence::Call;
use hydrogen_ir::{Function, Module, reads_streams};

/// An open stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standard {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
}

impl Standard {
    pub(super) const ALL: [Standard; 2] = [Standard::Input, Standard::Output];

    /// As C calls it.
    pub fn name(self) -> &'static str {
        match self {
            Standard::Input => "stdin",
            Standard::Output => "stdout",
        }
    }

    /// The variable of the library that it is.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Standard::Input => "__stdin_FILE",
            Standard::Output => "__stdout_FILE",
        }
    }
}

/// The stream that stands for an object of a call, if it is one: of a function that reads, the first is standard input.
pub fn stream_for(module: &Module, function: &Function, call: &Call, at: usize) -> Option<Standard> {
    let first = call.objects.iter().position(|object| object.is_stream())?;
    let is_input = at == first && reads_streams(module, function);
    call.objects.get(at)?.is_stream().then_some(if is_input { Standard::Input } else { Standard::Output })
}
