//! How a run ended.

use super::Sources;
use hydrogen_evidence::{End, Fault, FrameInfo, Limit, Natively};
use serde_json::{Value, json};
use std::fmt::Write;

/// A line of ours below the program's own output.
pub(super) fn line(out: &mut String, text: impl AsRef<str>) {
    let _ = writeln!(out, "hydrogen: {}", text.as_ref());
}

/// How a run ended, with places.
pub fn describe(out: &mut String, sources: &dyn Sources, end: &End) {
    match end {
        End::Exit(status) => line(out, format!("exit status {status}")),
        End::Signal(signal) => line(out, format!("ended by signal {signal}")),
        End::Fault(fault) => describe_fault(out, sources, fault),
        End::Limit(limit, stack) => {
            let lift = if *limit == Limit::Steps { " (--steps N sets another one)" } else { "" };
            line(out, format!("stopped before its end: {limit}{lift}; the output is what came so far"));
            frames(out, sources, stack);
        }
        End::Unresolved(name, stack) => {
            line(out, format!("`{name}` is used, and no unit of the program defines it"));
            frames(out, sources, stack);
        }
        End::Assumption(stack) => {
            line(out, "stopped: what the program assumes is not so for this input");
            frames(out, sources, stack);
        }
        End::Unsupported(what, stack) => {
            line(out, format!("the machine cannot execute {what}"));
            frames(out, sources, stack);
        }
    }
}

pub(super) fn describe_fault(out: &mut String, sources: &dyn Sources, fault: &Fault) {
    line(out, format!("fault: {}: {}", fault.kind, fault.message));
    frames(out, sources, &fault.stack);
    if let Some(object) = &fault.object {
        if !object.allocated.is_empty() {
            let _ = writeln!(out, "  allocated");
            frames(out, sources, &object.allocated);
        }
        if !object.freed.is_empty() {
            let _ = writeln!(out, "  freed");
            frames(out, sources, &object.freed);
        }
    }
}

/// The stack, with the source line of the innermost function of the user's.
pub(super) fn frames(out: &mut String, sources: &dyn Sources, stack: &[FrameInfo]) {
    let mut shown = false;
    for frame in stack {
        let _ = match (frame.file.as_str(), frame.line) {
            ("", _) => writeln!(out, "    {}", frame.function),
            (file, 0) => writeln!(out, "    at {} ({file})", frame.function),
            (file, line) => writeln!(out, "    at {} ({file}:{line}:{})", frame.function, frame.column),
        };
        if frame.users
            && !shown
            && let Some(source) = source_line(sources, frame)
        {
            shown = true;
            let _ = writeln!(out, "       | {}", source.trim());
        }
    }
}

fn source_line(sources: &dyn Sources, frame: &FrameInfo) -> Option<String> {
    sources.lines(&frame.file)?.into_iter().nth((frame.line as usize).checked_sub(1)?)
}

/// How a native run went, for people.
pub fn natively(native: &Natively) -> String {
    match native {
        Natively::Same => "natively the program does the same".to_owned(),
        Natively::Differs(how) => format!("natively the program differs: {how}"),
        Natively::NotCompared => {
            "natively there is nothing to compare: the run did not come to its end".to_owned()
        }
        Natively::NoTime => "natively it was not run: the budget was used up".to_owned(),
    }
}

/// The same for programs.
pub fn natively_json(native: &Natively) -> Value {
    match native {
        Natively::Same => json!("same"),
        Natively::Differs(how) => json!({ "differs": how }),
        Natively::NotCompared => json!("not compared"),
        Natively::NoTime => json!("not run: the budget was used up"),
    }
}

/// Bytes as text; what is no text is a list of bytes.
pub fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => json!(bytes),
    }
}

pub(super) fn stack(stack: &[FrameInfo]) -> Value {
    let frame = |frame: &FrameInfo| {
        json!({
            "function": frame.function, "file": frame.file, "line": frame.line,
            "column": frame.column, "library": !frame.users,
        })
    };
    Value::from(stack.iter().map(frame).collect::<Vec<_>>())
}

pub(super) fn fault_json(fault: &Fault) -> Value {
    json!({
        "kind": "fault",
        "fault": fault.kind.name(),
        "message": fault.message,
        "stack": stack(&fault.stack),
        "object": fault.object.as_ref().map(|object| json!({
            "description": object.description, "size": object.size, "offset": object.offset,
            "allocated": stack(&object.allocated), "freed": stack(&object.freed),
        })),
        "instead": fault.instead.as_ref().map(|object| json!({
            "description": object.description, "size": object.size, "offset": object.offset,
        })),
    })
}

/// How a run ended, for programs.
pub fn json(end: &End) -> Value {
    match end {
        End::Exit(status) => json!({ "kind": "exit", "status": status }),
        End::Signal(signal) => json!({ "kind": "signal", "signal": signal }),
        End::Fault(fault) => fault_json(fault),
        End::Limit(limit, at) => json!({ "kind": "limit", "limit": limit.to_string(), "stack": stack(at) }),
        End::Unresolved(name, at) => json!({ "kind": "unresolved", "symbol": name, "stack": stack(at) }),
        End::Assumption(at) => json!({ "kind": "assumption", "stack": stack(at) }),
        End::Unsupported(what, at) => json!({ "kind": "unsupported", "what": what, "stack": stack(at) }),
    }
}
