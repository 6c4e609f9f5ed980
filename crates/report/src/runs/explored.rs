//! What an exploration found, for people and for programs.

use super::{Sources, end, input, symbolic, warnings};
use crate::columns::{plural, shortened, table};
use crate::envelope;
use hydrogen_evidence::explored::{Explored, ExploredTest, Signature};
use hydrogen_evidence::{ConditionKind, End, Natively};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Rows of tests, and notes, that are listed unasked.
const SHOWN: usize = 40;
const NOTES: usize = 12;

/// For people. `all` lists every test and warning; `folder` is where the tests were written.
pub fn text(found: &Explored, sources: &dyn Sources, all: bool, folder: Option<&str>) -> String {
    let mut out = String::new();
    let shown = worth_showing(found, all);
    let mut rows = vec![["test", "from", "ends", "new", "input"].map(str::to_owned).to_vec()];
    for number in &shown {
        let test = &found.tests[*number];
        let from = test.from.map_or(String::new(), |(test, _)| (test + 1).to_string());
        let new = if test.new == 0 { String::new() } else { format!("+{}", test.new) };
        rows.push(vec![(number + 1).to_string(), from, ends(test), new, input(&test.input)]);
    }
    out.push_str(&table(&rows));
    let more = found.tests.len() - shown.len();
    if more > 0 {
        let _ = writeln!(out, "and {more} more; --all lists them");
    }
    for number in shown {
        if let Some(one) = &found.tests[number].signature {
            signature(&mut out, number, one);
        }
    }
    groups(&mut out, found);
    faults(&mut out, found, sources);
    for alarm in &found.alarms {
        let _ = writeln!(
            out,
            "\na bug of hydrogen's, please report it: an input made from test {}, {}: {}",
            alarm.from + 1,
            input(&alarm.input),
            alarm.what
        );
    }
    native(&mut out, found);
    warnings::text(&mut out, &found.warnings, all);
    ledger(&mut out, found);
    summary(&mut out, found, folder);
    out
}

/// Tests that are worth a row: the first, those that reach something new, and the first of each fault.
fn worth_showing(found: &Explored, all: bool) -> Vec<usize> {
    if all {
        return (0..found.tests.len()).collect();
    }
    let mut faults = BTreeSet::new();
    let worth = |number: &usize| {
        let test = &found.tests[*number];
        let fault = fault_place(test).is_some_and(|place| faults.insert(place));
        test.new > 0 || fault || *number == 0 || matches!(test.native, Some(Natively::Differs(_)))
    };
    (0..found.tests.len()).filter(worth).take(SHOWN).collect()
}

/// The condition of a test, and what comes out under it.
fn signature(out: &mut String, number: usize, signature: &Signature) {
    let _ = writeln!(out, "\ntest {}: when", number + 1);
    // What keeps the run from faulting is part of what determines its outputs.
    symbolic::list(out, &signature.conditions.iter().collect::<Vec<_>>(), "always");
    if signature.nothing_else_faults {
        let _ = writeln!(out, "    and nothing else faults");
    }
    let _ = writeln!(out, "  then");
    symbolic::outputs(out, &signature.outputs);
}

fn faults(out: &mut String, found: &Explored, sources: &dyn Sources) {
    let mut seen = BTreeSet::new();
    for (number, test) in found.tests.iter().enumerate() {
        if let Some(place) = fault_place(test)
            && seen.insert(place)
        {
            let _ = writeln!(out, "\ntest {}, {}:", number + 1, input(&test.input));
            end::describe(out, sources, &test.end);
        }
    }
}

fn native(out: &mut String, found: &Explored) {
    let replayed: Vec<(usize, &Natively)> = found
        .tests
        .iter()
        .enumerate()
        .filter_map(|(number, test)| Some((number, test.native.as_ref()?)))
        .collect();
    if replayed.is_empty() {
        return;
    }
    let count = |wanted: fn(&Natively) -> bool| replayed.iter().filter(|(_, one)| wanted(one)).count();
    let same = count(|one| matches!(one, Natively::Same));
    let compared = count(|one| matches!(one, Natively::Same | Natively::Differs(_)));
    let no_time = count(|one| matches!(one, Natively::NoTime));
    let _ = writeln!(out, "\nnatively, {same} of {} do the same", plural(compared, "test"));
    if no_time > 0 {
        let _ = writeln!(out, "{} not run natively: the budget is used up", plural(no_time, "test"));
    }
    for (number, one) in replayed {
        if let Natively::Differs(how) = one {
            let _ = writeln!(out, "  test {} differs: {how}", number + 1);
        }
    }
}

fn ledger(out: &mut String, found: &Explored) {
    let notes = &found.ledger;
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes.iter().take(NOTES) {
        let _ = writeln!(out, "note: {note}");
    }
    if notes.len() > NOTES {
        let _ = writeln!(out, "and {} more notes; --format json has all", notes.len() - NOTES);
    }
}

/// Which tests compute the output in the same way.
fn groups(out: &mut String, found: &Explored) {
    let Some(groups) = &found.groups else { return };
    let _ = writeln!(out, "\n{} by what the output depends on:", plural(groups.len(), "group"));
    for group in groups {
        let numbers: Vec<String> = group.tests.iter().map(|test| (test + 1).to_string()).collect();
        let _ = writeln!(out, "{}: {}", plural(group.tests.len(), "test"), shortened(numbers, ", "));
        let told = group.conditions.iter().filter(|one| one.kind != ConditionKind::NoFault);
        symbolic::list(out, &told.collect::<Vec<_>>(), "any");
    }
}

fn summary(out: &mut String, found: &Explored, folder: Option<&str>) {
    let (covered, all) = covered(found);
    let missed: Vec<String> = found.lines.iter().filter_map(|(file, lines)| missed(file, lines)).collect();
    if !missed.is_empty() {
        let _ = writeln!(out, "\nnever executed: {}", shortened(missed, "; "));
    }
    let faults: BTreeSet<_> = found.tests.iter().filter_map(fault_place).collect();
    let faults =
        if faults.is_empty() { String::new() } else { format!(", {}", plural(faults.len(), "fault")) };
    let _ = writeln!(
        out,
        "\n{}{faults}; {covered} of {} executed in {} of {}; {} answered{}",
        plural(found.tests.len(), "test"),
        plural(all, "line"),
        found.called,
        plural(found.functions, "function"),
        plural(found.asked, "question"),
        if found.earlier > 0 { format!(" ({} of them earlier)", found.earlier) } else { String::new() },
    );
    let _ = writeln!(out, "{}", found.verdict);
    if let Some(folder) = folder {
        let _ = writeln!(out, "tests are in {folder}: sh {folder}/0001.sh PROGRAM");
    }
}

fn covered(found: &Explored) -> (usize, usize) {
    let lines = || found.lines.values().flat_map(|lines| lines.values());
    (lines().filter(|covered| **covered).count(), lines().count())
}

/// The same for programs.
pub fn json(found: &Explored) -> String {
    envelope::json("explore/1", &value(found))
}

fn group_json(group: &hydrogen_evidence::explored::Group) -> Value {
    let numbers: Vec<usize> = group.tests.iter().map(|test| test + 1).collect();
    let list: Vec<Value> = group.conditions.iter().map(symbolic::condition_json).collect();
    json!({ "tests": numbers, "conditions": list })
}

/// The same without who made it.
pub fn value(found: &Explored) -> Value {
    let (covered, all) = covered(found);
    let mut tests = Vec::new();
    let (mut conditions, mut outputs) = (Vec::new(), Vec::new());
    let mut curve = Vec::new();
    let mut executed = 0;
    for (number, test) in (1..).zip(&found.tests) {
        tests.push(json!({
            "number": number,
            "from": test.from.map(|(from, at)| json!({ "test": from + 1, "condition": at + 1 })),
            "input": serde_json::to_value(&test.input).unwrap_or_default(),
            "end": end::json(&test.end),
            "stdout": end::bytes(&test.stdout),
            "stderr": end::bytes(&test.stderr),
            "instructions": test.steps,
            "new": test.new,
            "native": test.native.as_ref().map(end::natively_json),
        }));
        if let Some(signature) = &test.signature {
            let list: Vec<Value> = signature.conditions.iter().map(symbolic::condition_json).collect();
            conditions.push(json!({ "test": number, "conditions": list }));
            let list: Vec<Value> = signature.outputs.iter().map(symbolic::output_json).collect();
            outputs.push(json!({ "test": number, "outputs": list }));
        }
        executed += test.new;
        if test.new > 0 {
            curve.push(json!({ "test": number, "instructions": executed }));
        }
    }
    let file = |(file, lines): (&String, &BTreeMap<u32, bool>)| {
        let pick = |wanted: bool| -> Vec<u32> {
            lines.iter().filter(|(_, covered)| **covered == wanted).map(|(line, _)| *line).collect()
        };
        json!({ "file": file, "executed": pick(true), "missed": pick(false) })
    };
    let files: Vec<Value> = found.lines.iter().map(file).collect();
    let note = |note: &hydrogen_evidence::Note| json!({ "note": note.text, "count": note.count });
    let ledger: Vec<Value> = found.ledger.iter().map(note).collect();
    let alarm = |alarm: &hydrogen_evidence::explored::Alarm| {
        let input = serde_json::to_value(&alarm.input).unwrap_or_default();
        json!({ "from": alarm.from + 1, "input": input, "wrong": alarm.detail })
    };
    let alarms: Vec<Value> = found.alarms.iter().map(alarm).collect();
    json!({
        "complete": found.complete,
        "verdict": found.verdict,
        "reached": found.reached.map(|test| test + 1),
        "questions": found.asked,
        "open": found.open,
        "tests": tests,
        "conditions": conditions,
        "outputs": outputs,
        "groups": found.groups.as_ref().map(|groups| groups.iter().map(group_json).collect::<Vec<Value>>()),
        "coverage": {
            "lines": all, "executed": covered, "functions": found.functions, "called": found.called,
            "files": files, "over_tests": curve,
        },
        "ledger": ledger,
        "alarms": alarms,
        "warnings": warnings::json(&found.warnings),
    })
}

/// What makes a fault another one: its kind and its innermost places.
fn fault_place(test: &ExploredTest) -> Option<(String, String, u32, u32)> {
    let End::Fault(fault) = &test.end else { return None };
    let place = fault.stack.iter().find(|frame| frame.users).or(fault.stack.first());
    let (file, line, column) =
        place.map_or(("", 0, 0), |place| (place.file.as_str(), place.line, place.column));
    Some((fault.kind.name().to_owned(), file.to_owned(), line, column))
}

/// How a test ended, in a few words.
fn ends(test: &ExploredTest) -> String {
    match &test.end {
        End::Exit(status) => format!("exit {status}"),
        End::Signal(signal) => format!("signal {signal}"),
        End::Fault(fault) => {
            let place = fault.stack.iter().find(|frame| frame.users);
            let place = place.map_or(String::new(), |place| format!(" {}:{}", place.file, place.line));
            format!("{}{place}", fault.kind.name())
        }
        End::Limit(limit, _) => limit.to_string(),
        End::Unresolved(name, _) => format!("`{name}` is missing"),
        End::Assumption(_) => "assumption".to_owned(),
        End::Unsupported(..) => "unsupported".to_owned(),
    }
}

/// The lines of a file that were never executed, as ranges over what has code.
fn missed(file: &str, lines: &BTreeMap<u32, bool>) -> Option<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut before = None;
    for (line, covered) in lines {
        match (covered, before, ranges.last_mut()) {
            (false, Some(false), Some(last)) => last.1 = *line,
            (false, ..) => ranges.push((*line, *line)),
            _ => {}
        }
        before = Some(*covered);
    }
    let list: Vec<String> = ranges
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    (!list.is_empty()).then(|| format!("{file}:{}", list.join(",")))
}
