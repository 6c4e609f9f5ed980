//! What a run gave, for people and for programs.

use crate::commands::program::{Condition, Output};
use crate::output;
use hydrogen_machine::{End, Fault, FrameInfo, Limit, Run};
use hydrogen_program::Replay;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The report below the program's own output.
pub fn text<M>(here: &Path, run: &Run<M>, quiet: bool, terms: Option<&Terms>) -> String {
    let mut out = String::new();
    for fault in &run.world.faults {
        line(&mut out, "the run went on behind this");
        describe(&mut out, here, fault);
    }
    describe_end(&mut out, here, &run.end);
    if let Some(terms) = terms {
        terms.text(&mut out);
    }
    for leak in &run.leaks {
        let times = if leak.count == 1 { String::new() } else { format!(" ({} times)", leak.count) };
        line(&mut out, format!("leak: {} bytes are never freed{times}, allocated here", leak.size));
        frames(&mut out, here, &leak.allocated);
    }
    for (note, count) in run.world.ledger() {
        let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
        line(&mut out, format!("note: {note}{times}"));
    }
    if !quiet {
        let s = &run.statistics;
        line(
            &mut out,
            format!(
                "{} instructions, {} branches, {} calls of {} functions, {} deep, {} objects, {} system calls",
                s.steps, s.branches, s.calls, s.functions, s.depth, s.objects, s.system_calls
            ),
        );
    }
    out
}

/// How a run ended, with places.
pub fn describe_end(out: &mut String, here: &Path, end: &End) {
    match end {
        End::Exit(status) => line(out, format!("exit status {status}")),
        End::Signal(signal) => line(out, format!("ended by signal {signal}")),
        End::Fault(fault) => describe(out, here, fault),
        End::Limit(limit, stack) => {
            let lift = if *limit == Limit::Steps { " (--steps N sets another one)" } else { "" };
            line(out, format!("stopped before its end: {limit}{lift}; the output is what came so far"));
            frames(out, here, stack);
        }
        End::Unresolved(name, stack) => {
            line(out, format!("`{name}` is used, and no unit of the program defines it"));
            frames(out, here, stack);
        }
        End::Assumption(stack) => {
            line(out, "stopped: what the program assumes is not so for this input");
            frames(out, here, stack);
        }
        End::Unsupported(what, stack) => {
            line(out, format!("the machine cannot execute {what}"));
            frames(out, here, stack);
        }
    }
}

fn line(out: &mut String, text: impl AsRef<str>) {
    let _ = writeln!(out, "hydrogen: {}", text.as_ref());
}

fn describe(out: &mut String, here: &Path, fault: &Fault) {
    line(out, format!("fault: {}: {}", fault.kind, fault.message));
    frames(out, here, &fault.stack);
    if let Some(object) = &fault.object {
        if !object.allocated.is_empty() {
            let _ = writeln!(out, "  allocated");
            frames(out, here, &object.allocated);
        }
        if !object.freed.is_empty() {
            let _ = writeln!(out, "  freed");
            frames(out, here, &object.freed);
        }
    }
}

/// The stack, with the source line of the innermost function of the user's.
fn frames(out: &mut String, here: &Path, stack: &[FrameInfo]) {
    let mut shown = false;
    for frame in stack {
        let _ = match (frame.file.as_str(), frame.line) {
            ("", _) => writeln!(out, "    {}", frame.function),
            (file, 0) => writeln!(out, "    at {} ({file})", frame.function),
            (file, line) => writeln!(out, "    at {} ({file}:{line}:{})", frame.function, frame.column),
        };
        if frame.users
            && !shown
            && let Some(source) = source_line(here, frame)
        {
            shown = true;
            let _ = writeln!(out, "       | {}", source.trim());
        }
    }
}

fn source_line(here: &Path, frame: &FrameInfo) -> Option<String> {
    let text = std::fs::read(here.join(&frame.file)).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().nth((frame.line as usize).checked_sub(1)?).map(str::to_owned)
}

/// The same for programs. Output that is no text is given as a list of bytes.
pub fn json<M>(run: &Run<M>, terms: Option<&Terms>, native: Option<&Replay>) -> String {
    let leaks: Vec<Value> = run
        .leaks
        .iter()
        .map(|leak| json!({ "size": leak.size, "count": leak.count, "allocated": stack(&leak.allocated) }))
        .collect();
    let ledger: Vec<Value> =
        run.world.ledger().map(|(note, count)| json!({ "note": note, "count": count })).collect();
    let files: Vec<Value> = run
        .world
        .changed_files()
        .iter()
        .map(|(name, content)| json!({ "name": name.to_string(), "size": content.len() }))
        .collect();
    let s = &run.statistics;
    let mut all = json!({
        "end": end(&run.end),
        "stdout": bytes(&run.world.stdout),
        "stderr": bytes(&run.world.stderr),
        "leaks": leaks,
        "reachable": run.reachable,
        "ledger": ledger,
        "files": files,
        "statistics": {
            "instructions": s.steps, "branches": s.branches, "calls": s.calls, "functions": s.functions,
            "depth": s.depth, "objects": s.objects, "system_calls": s.system_calls,
        },
    });
    if !run.world.faults.is_empty() {
        all["behind"] = run.world.faults.iter().map(fault_as_json).collect();
    }
    if let (Some(terms), Value::Object(fields)) = (terms, &mut all) {
        fields.extend(terms.json());
    }
    if let Some(native) = native {
        all["native"] = replayed(native);
    }
    output::json("run/1", &all)
}

/// How a native run went, for people.
pub fn natively(native: &Replay) -> String {
    match native {
        Replay::Same => "natively the program does the same".to_owned(),
        Replay::Differs(how) => format!("natively the program differs: {how}"),
        Replay::NotCompared => {
            "natively there is nothing to compare: the run did not come to its end".to_owned()
        }
        Replay::NoTime => "natively it was not run: the budget was used up".to_owned(),
    }
}

/// The same for programs.
pub fn replayed(native: &Replay) -> Value {
    match native {
        Replay::Same => json!("same"),
        Replay::Differs(how) => json!({ "differs": how }),
        Replay::NotCompared => json!("not compared"),
        Replay::NoTime => json!("not run: the budget was used up"),
    }
}

/// Bytes as text; what is no text is a list of bytes.
pub fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_) => json!(bytes),
    }
}

fn stack(stack: &[FrameInfo]) -> Value {
    let frame = |frame: &FrameInfo| {
        json!({
            "function": frame.function, "file": frame.file, "line": frame.line,
            "column": frame.column, "library": !frame.users,
        })
    };
    Value::from(stack.iter().map(frame).collect::<Vec<_>>())
}

fn fault_as_json(fault: &Fault) -> Value {
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

/// How a run ended.
pub fn end(end: &End) -> Value {
    match end {
        End::Exit(status) => json!({ "kind": "exit", "status": status }),
        End::Signal(signal) => json!({ "kind": "signal", "signal": signal }),
        End::Fault(fault) => fault_as_json(fault),
        End::Limit(limit, at) => json!({ "kind": "limit", "limit": limit.to_string(), "stack": stack(at) }),
        End::Unresolved(name, at) => json!({ "kind": "unresolved", "symbol": name, "stack": stack(at) }),
        End::Assumption(at) => json!({ "kind": "assumption", "stack": stack(at) }),
        End::Unsupported(what, at) => json!({ "kind": "unsupported", "what": what, "stack": stack(at) }),
    }
}

/// How outputs depend on the input.
pub struct Terms {
    pub conditions: Vec<Condition>,
    pub outputs: Vec<Output>,
    /// Values that were made concrete: why, where, how often.
    pub concretised: Vec<(String, FrameInfo, u64)>,
}

impl Terms {
    fn text(&self, out: &mut String) {
        line(out, "for every input with");
        // That nothing overflowed is a matter of course; JSON has it.
        let told = || self.conditions.iter().filter(|one| one.kind != "no-fault");
        let width = told().map(|one| one.text.chars().count()).max().unwrap_or(0).min(60);
        for one in told() {
            let _ = writeln!(out, "    {:width$}  {}", one.text, one.place());
        }
        if told().next().is_none() {
            let _ = writeln!(out, "    (any)");
        }
        line(out, "the outputs are");
        for one in &self.outputs {
            let _ = writeln!(out, "    {} = {}", one.name, one.text);
        }
        for (why, place, count) in &self.concretised {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            let at =
                if place.users { format!("{}:{}", place.file, place.line) } else { place.function.clone() };
            line(out, format!("note: {why} was not followed{times} at {at}; the condition fixes its value"));
        }
    }

    fn json(&self) -> serde_json::Map<String, Value> {
        let concretised = self.concretised.iter().map(|(why, place, count)| {
            json!({ "why": why, "file": place.file, "line": place.line, "function": place.function, "count": count })
        });
        let list = |values: Vec<Value>| Value::from(values);
        let mut fields = serde_json::Map::new();
        fields.insert("condition".into(), list(self.conditions.iter().map(Condition::json).collect()));
        fields.insert("outputs".into(), list(self.outputs.iter().map(Output::json).collect()));
        fields.insert("concretised".into(), list(concretised.collect()));
        fields
    }
}
