//! Whether a run shows the fault that it was made for.

use crate::watch::Watch;
use hydrogen_evidence::{Class, FaultKind, Replay};
use hydrogen_machine::{End, Fault, FrameInfo, Run};
use hydrogen_query::Attempt;

/// What a run shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The fault.
    It,
    /// Another fault.
    Other(Replay),
    /// It ends by itself.
    Nothing { came: bool, why: String },
    /// Nothing yet when a limit, or what the machine cannot do, ended the run: what it would have come to is not known.
    Unfinished(String),
}

/// What is said of a run that left an array inside of its structure: what comes behind that follows from it.
pub(crate) const STRAYED: &str = "an element is accessed that its array does not have";

/// What happens so many calls deep is the statement's that makes them.
const INSIDE: usize = 2;

pub(crate) fn seen(attempt: &Attempt, run: &Run<Watch<'_>>) -> Seen {
    if run.monitor.seen() {
        return Seen::It;
    }
    if let Some(site) = run.monitor.strayed() {
        let place = run.monitor.place(site);
        return Seen::Other(Replay::OtherFault {
            kind: FaultKind::OutOfBoundsWrite,
            at: place,
            message: STRAYED.to_owned(),
        });
    }
    let reached = run.monitor.reached();
    let came = match reached {
        true => "it comes to the statement, and nothing happens there",
        false => "it does not come to the statement",
    };
    let why = match &run.end {
        End::Fault(fault) if is_it(attempt, fault) => return Seen::It,
        End::Fault(fault) => {
            let (kind, message) = (fault.kind, fault.message.clone());
            return Seen::Other(Replay::OtherFault { kind, at: place(&fault.stack), message });
        }
        End::Exit(_) if attempt.kind == Class::Leak && is_lost(attempt, run) => return Seen::It,
        End::Exit(_) if attempt.kind == Class::Leak && !run.leaks.is_empty() => {
            let leak = &run.leaks[0];
            let message = format!("{} bytes are lost", leak.size);
            return Seen::Other(Replay::OtherFault {
                kind: FaultKind::Leak,
                at: place(&leak.allocated),
                message,
            });
        }
        End::Exit(status) if attempt.input.call.is_none() => format!("{came}, and ends with status {status}"),
        End::Exit(_) => came.to_owned(),
        End::Signal(signal) => format!("{came}, and ends by signal {signal}"),
        End::Limit(limit, _) => return Seen::Unfinished(format!("{came} before {limit}")),
        End::Unresolved(name, _) => {
            return Seen::Unfinished(format!("it calls `{name}`, which nobody defines"));
        }
        End::Assumption(_) => "it assumes something that is not so".to_owned(),
        End::Unsupported(what, stack) => {
            return Seen::Unfinished(format!("the machine cannot execute {what} ({})", place(stack)));
        }
    };
    Seen::Nothing { came: reached, why }
}

/// Whether a fault of this kind shows by itself in a run. That numbers wrap, lose bits or have no value yet is often meant, or comes of memory
/// that was made up.
pub(crate) fn happens_by_itself(kind: Class) -> bool {
    matches!(
        kind,
        Class::Overflow
            | Class::Null
            | Class::UseAfterFree
            | Class::DoubleFree
            | Class::Division
            | Class::SignedOverflow
            | Class::Shift
            | Class::Leak
    )
}

/// Whether a fault is the one that was claimed: of its kind, and of its statement.
pub(crate) fn is_it(attempt: &Attempt, fault: &Fault) -> bool {
    let same = match (attempt.kind, fault.kind.class()) {
        (one, other) if one == other => true,
        // A negative size is an access out of bounds as soon as it is used.
        (Class::Sign | Class::SizeOverflow, Class::Overflow) => true,
        _ => false,
    };
    same && fault.stack.iter().find(|frame| frame.users).is_some_and(|frame| is_there(attempt, frame))
}

/// Whether a place is the statement's.
fn is_there(attempt: &Attempt, frame: &FrameInfo) -> bool {
    frame.function == attempt.function && attempt.lines.contains(&frame.line)
}

/// Whether a fault of the kind that was asked about happens in a function that the statement calls.
pub(crate) fn is_under(attempt: &Attempt, fault: &Fault) -> bool {
    let mut above = fault.stack.iter().filter(|frame| frame.users).skip(1).take(INSIDE);
    attempt.kind == fault.kind.class() && above.any(|frame| is_there(attempt, frame))
}

/// Whether what the statement allocated is lost at the end.
pub(crate) fn is_lost(attempt: &Attempt, run: &Run<Watch<'_>>) -> bool {
    run.leaks.iter().any(|leak| {
        leak.allocated.iter().find(|frame| frame.users).is_some_and(|frame| is_there(attempt, frame))
    })
}

/// The innermost place of the user's program.
fn place(stack: &[FrameInfo]) -> String {
    match stack.iter().find(|frame| frame.users && frame.line > 0) {
        Some(frame) => format!("{}:{} in {}()", frame.file, frame.line, frame.function),
        None => "before its first line".to_owned(),
    }
}
