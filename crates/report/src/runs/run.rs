//! What a run gave, for people and for programs.

use super::{Sources, end, symbolic};
use crate::envelope;
use hydrogen_evidence::{Leak, Note, Ran};
use serde_json::{Value, json};

/// The report below the program's own output.
pub fn text(run: &Ran<'_>, sources: &dyn Sources, quiet: bool) -> String {
    let mut out = String::new();
    for fault in run.behind {
        end::line(&mut out, "the run went on behind this");
        end::describe_fault(&mut out, sources, fault);
    }
    end::describe(&mut out, sources, run.end);
    if let Some(symbolic) = &run.symbolic {
        symbolic::text(&mut out, symbolic);
    }
    for leak in run.leaks {
        let times = if leak.count == 1 { String::new() } else { format!(" ({} times)", leak.count) };
        end::line(&mut out, format!("leak: {} bytes are never freed{times}, allocated here", leak.size));
        end::frames(&mut out, sources, &leak.allocated);
    }
    for note in &run.ledger {
        end::line(&mut out, format!("note: {note}"));
    }
    if !quiet {
        let s = &run.statistics;
        end::line(
            &mut out,
            format!(
                "{} instructions, {} branches, {} calls of {} functions, {} deep, {} objects, {} system calls",
                s.steps, s.branches, s.calls, s.functions, s.depth, s.objects, s.system_calls
            ),
        );
    }
    if let Some(native) = &run.native {
        end::line(&mut out, end::natively(native));
    }
    out
}

/// The same for programs. Output that is no text is given as a list of bytes.
pub fn json(run: &Ran<'_>, more: serde_json::Map<String, Value>) -> String {
    let leak = |leak: &Leak| json!({ "size": leak.size, "count": leak.count, "allocated": end::stack(&leak.allocated) });
    let note = |note: &Note| json!({ "note": note.text, "count": note.count });
    let files = run.files.iter().map(|(name, size)| json!({ "name": name, "size": size }));
    let s = &run.statistics;
    let mut all = json!({
        "end": end::json(run.end),
        "stdout": end::bytes(run.stdout),
        "stderr": end::bytes(run.stderr),
        "leaks": run.leaks.iter().map(leak).collect::<Vec<_>>(),
        "reachable": run.reachable,
        "ledger": run.ledger.iter().map(note).collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "statistics": {
            "instructions": s.steps, "branches": s.branches, "calls": s.calls, "functions": s.functions,
            "depth": s.depth, "objects": s.objects, "system_calls": s.system_calls,
        },
    });
    if !run.behind.is_empty() {
        all["behind"] = run.behind.iter().map(end::fault_json).collect();
    }
    if let (Some(symbolic), Value::Object(fields)) = (&run.symbolic, &mut all) {
        fields.extend(symbolic::json(symbolic));
    }
    if let Some(native) = &run.native {
        all["native"] = end::natively_json(native);
    }
    if let Value::Object(fields) = &mut all {
        fields.extend(more);
    }
    envelope::json("run/1", &all)
}
