//! What an exploration found, for people and for programs.

use super::state::State;
use super::warnings::Warnings;
use crate::cli::ExploreOptions;
use crate::commands::program::{Outgoing, Output, conditions, outputs};
use crate::commands::run::report::{bytes, describe_end, end, replayed};
use crate::output;
use hydrogen_evidence::{Input, escape};
use hydrogen_explore::{Exploration, Kind, Test, Wrong};
use hydrogen_machine::{End, Program, Site};
use hydrogen_program::Replay;
use hydrogen_term::Pool;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Rows of tests that a table has unasked.
const SHOWN: usize = 40;

pub struct Report<'a> {
    here: &'a Path,
    pub program: &'a Program,
    options: &'a ExploreOptions,
    pub found: Exploration,
    replayed: Option<Vec<Replay>>,
    interrupted: bool,
    lines: BTreeMap<String, BTreeMap<u32, bool>>,
    warnings: Warnings,
}

fn plural(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

impl<'a> Report<'a> {
    pub fn new(
        here: &'a Path,
        program: &'a Program,
        options: &'a ExploreOptions,
        found: Exploration,
        replayed: Option<Vec<Replay>>,
        interrupted: bool,
    ) -> Self {
        let lines = found.coverage.lines(program);
        let warnings = Warnings::new(program, &found);
        Self { here, program, options, found, replayed, interrupted, lines, warnings }
    }

    /// Tests that are worth a row: the first, those that reach something new, and the first of each fault.
    fn worth_showing(&self) -> Vec<usize> {
        let all = 0..self.found.tests.len();
        if self.options.all {
            return all.collect();
        }
        let mut faults = BTreeSet::new();
        let worth = |number: &usize| {
            let test = &self.found.tests[*number];
            let fault = fault_place(test).is_some_and(|place| faults.insert(place));
            let differs = self.replayed.as_ref().and_then(|all| all.get(*number));
            test.new > 0 || fault || *number == 0 || matches!(differs, Some(Replay::Differs(_)))
        };
        all.filter(worth).take(SHOWN).collect()
    }

    pub fn text(&mut self, folder: Option<&Path>, state: &State) -> String {
        let mut out = String::new();
        let shown = self.worth_showing();
        let mut rows = vec![["test", "from", "ends", "new", "input"].map(str::to_owned).to_vec()];
        for number in &shown {
            let test = &self.found.tests[*number];
            let from = test.from.map_or(String::new(), |(test, _)| (test + 1).to_string());
            let new = if test.new == 0 { String::new() } else { format!("+{}", test.new) };
            rows.push(vec![(number + 1).to_string(), from, ends(test), new, input(&test.input)]);
        }
        out.push_str(&output::table(&rows));
        let more = self.found.tests.len() - shown.len();
        if more > 0 {
            let _ = writeln!(out, "and {more} more; --all lists them");
        }
        if self.options.signature {
            for number in shown {
                self.signature(&mut out, number);
            }
        }
        self.faults(&mut out);
        self.alarms(&mut out);
        self.native(&mut out);
        self.warnings.text(&mut out, self.options.all);
        self.ledger(&mut out);
        self.summary(&mut out, folder, state);
        out
    }

    /// The condition of a test, and what comes out under it.
    fn signature(&mut self, out: &mut String, number: usize) {
        let test = &self.found.tests[number];
        let pool = &mut self.found.pool;
        let _ = writeln!(out, "\ntest {}: when", number + 1);
        // What keeps the run from faulting is part of what determines its outputs.
        let list = conditions(self.program, pool, test.condition());
        let width = list.iter().map(|one| one.text.chars().count()).max().unwrap_or(0).min(60);
        for one in &list {
            let _ = writeln!(out, "    {:width$}  {}", one.text, one.place());
        }
        if list.is_empty() {
            let _ = writeln!(out, "    (always)");
        }
        // Of what the condition leaves open, only this matters to the outputs: operations elsewhere that could fault.
        let mut elsewhere = test.path.iter().filter(|one| one.kind == Kind::NoFault);
        if elsewhere.any(|one| !test.condition().contains(one)) {
            let _ = writeln!(out, "    and nothing else faults");
        }
        let _ = writeln!(out, "  then");
        for one in determined(self.options, outputs(pool, &outgoing(test))) {
            let _ = writeln!(out, "    {} = {}", one.name, one.text);
        }
    }

    fn faults(&self, out: &mut String) {
        let mut seen = BTreeSet::new();
        for (number, test) in self.found.tests.iter().enumerate() {
            if let Some(place) = fault_place(test)
                && seen.insert(place)
            {
                let _ = writeln!(out, "\ntest {}, {}:", number + 1, input(&test.input));
                describe_end(out, self.here, &test.end);
            }
        }
    }

    fn alarms(&self, out: &mut String) {
        for alarm in &self.found.alarms {
            let what = match alarm.wrong {
                Wrong::Condition(at) => format!("it does not fulfil its own condition {at}"),
                Wrong::Prefix(at) => {
                    format!("it does not go the way it was made for, from condition {at} on")
                }
                Wrong::Order(at, why) => format!("its condition {at} is out of order: {why}"),
                Wrong::Priority(at) => {
                    format!("its condition {at} has another priority than in the test it was made from")
                }
                Wrong::Again => "run again, unwatched, it does something else".to_owned(),
            };
            let _ = writeln!(
                out,
                "\na bug of hydrogen's, please report it: an input made from test {}, {}: {what}",
                alarm.from + 1,
                input(&alarm.input)
            );
        }
    }

    fn native(&self, out: &mut String) {
        let Some(replayed) = &self.replayed else { return };
        let same = replayed.iter().filter(|one| matches!(one, Replay::Same)).count();
        let compared = |one: &&Replay| matches!(one, Replay::Same | Replay::Differs(_));
        let compared = replayed.iter().filter(compared).count();
        let _ = writeln!(out, "\nnatively, {same} of {} do the same", plural(compared, "test"));
        let no_time = replayed.iter().filter(|one| matches!(one, Replay::NoTime)).count();
        if no_time > 0 {
            let _ = writeln!(out, "{} not run natively: the budget is used up", plural(no_time, "test"));
        }
        for (number, one) in replayed.iter().enumerate() {
            if let Replay::Differs(how) = one {
                let _ = writeln!(out, "  test {} differs: {how}", number + 1);
            }
        }
    }

    fn place(&self, site: Site) -> String {
        let place = self.program.place(site);
        match place.users && place.line > 0 {
            true => format!("{}:{}", place.file, place.line),
            false => format!("`{}` of the C library", place.function),
        }
    }

    fn notes(&self) -> Vec<(String, u64)> {
        let missing = &self.found.missing;
        let mut notes: Vec<(String, u64)> = Vec::new();
        // Several instructions of one line, or of one function of the library, are one note.
        let mut concretised: BTreeMap<String, u64> = BTreeMap::new();
        for ((why, site), count) in &missing.concretised {
            let note = format!("{why} was not followed at {}: it kept its value", self.place(*site));
            *concretised.entry(note).or_insert(0) += count;
        }
        notes.extend(concretised);
        for (why, count) in &missing.cut {
            notes.push((format!("a run was cut short: {why}"), *count));
        }
        for (why, count) in &missing.unknown {
            notes.push((format!("a branch was not decided: {why}"), *count));
        }
        let mut world: BTreeMap<String, u64> = BTreeMap::new();
        for test in &self.found.tests {
            for (note, count) in test.world.ledger() {
                *world.entry(note.to_owned()).or_insert(0) += count;
            }
        }
        notes.extend(world);
        notes
    }

    fn ledger(&self, out: &mut String) {
        const MOST: usize = 12;
        let notes = self.notes();
        if !notes.is_empty() {
            out.push('\n');
        }
        for (note, count) in notes.iter().take(MOST) {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            let _ = writeln!(out, "note: {note}{times}");
        }
        if notes.len() > MOST {
            let _ = writeln!(out, "and {} more notes; --format json has all", notes.len() - MOST);
        }
    }

    fn summary(&self, out: &mut String, folder: Option<&Path>, state: &State) {
        let (covered, all) = self.covered();
        let missed: Vec<String> = self.lines.iter().filter_map(|(file, lines)| missed(file, lines)).collect();
        if !missed.is_empty() {
            let _ = writeln!(out, "\nnever executed: {}", output::shortened(missed, "; "));
        }
        let faults: BTreeSet<_> = self.found.tests.iter().filter_map(fault_place).collect();
        let faults =
            if faults.is_empty() { String::new() } else { format!(", {}", plural(faults.len(), "fault")) };
        let (called, functions) = self.found.coverage.functions(self.program);
        let _ = writeln!(
            out,
            "\n{}{faults}; {covered} of {} executed in {called} of {}; {} answered{}",
            plural(self.found.tests.len(), "test"),
            plural(all, "line"),
            plural(functions, "function"),
            plural(self.found.asked as usize, "question"),
            if state.earlier > 0 { format!(" ({} of them earlier)", state.earlier) } else { String::new() },
        );
        let _ = writeln!(out, "{}", self.verdict());
        if let Some(folder) = folder {
            let _ =
                writeln!(out, "tests are in {}: sh {}/0001.sh PROGRAM", folder.display(), folder.display());
        }
    }

    fn covered(&self) -> (usize, usize) {
        let lines = || self.lines.values().flat_map(|lines| lines.values());
        (lines().filter(|covered| **covered).count(), lines().count())
    }

    fn verdict(&self) -> String {
        let missing = &self.found.missing;
        if let Some(test) = self.found.reached {
            return format!("reached by test {}", test + 1);
        }
        if self.found.is_complete() {
            let besides = if self.options.faults { "" } else { "; faults were not looked for (--faults)" };
            let other = match self.options.by {
                crate::cli::By::Path => "path",
                crate::cli::By::Rsc => "way in which the output is computed",
            };
            if self.options.program.function.is_some() {
                let globals = match self.options.globals {
                    crate::cli::GlobalValues::Any => "global variables that it reads may hold anything",
                    crate::cli::GlobalValues::Initial => "global variables have their initial values",
                };
                let strings =
                    if self.options.terminated { ", characters that come in are strings" } else { "" };
                return format!(
                    "complete within --shape {}: there is no other {other}{besides}; {globals}{strings}, pointers to functions lead to those of \
                     the program",
                    self.options.shape
                );
            }
            return format!("complete: there is no other {other}{besides}");
        }
        let mut why = Vec::new();
        if missing.open > 0 {
            let reason = if self.interrupted { "interrupted" } else { "the budget is used up" };
            why.push(format!(
                "{} open ({reason}; start it again to go on)",
                plural(missing.open as usize, "branch")
            ));
        }
        let sum = |map: &BTreeMap<String, u64>| map.values().sum::<u64>() as usize;
        if !missing.unknown.is_empty() {
            why.push(format!("{} without an answer of the solver", plural(sum(&missing.unknown), "branch")));
        }
        if !missing.cut.is_empty() {
            why.push(format!("{} cut short", plural(sum(&missing.cut), "run")));
        }
        if !missing.concretised.is_empty() {
            why.push("values that were not followed".to_owned());
        }
        if !self.found.alarms.is_empty() {
            why.push("a bug of hydrogen's".to_owned());
        }
        if why.is_empty() && missing.elsewhere > 0 {
            return "never reached: no path leads there".to_owned();
        }
        let text = format!("not complete: {}", why.join(", "));
        text.replace("branchs", "branches")
    }

    /// The same as JSON, on one line.
    pub fn json_line(&mut self) -> String {
        format!("{}\n", self.value())
    }

    pub fn json(&mut self) -> String {
        output::json("explore/1", &self.value())
    }

    fn value(&mut self) -> Value {
        let (covered, all) = self.covered();
        let (called, functions) = self.found.coverage.functions(self.program);
        let mut tests = Vec::new();
        let (mut conditions_, mut outputs_) = (Vec::new(), Vec::new());
        let mut curve = Vec::new();
        let mut executed = 0;
        let pool: &mut Pool = &mut self.found.pool;
        for (index, test) in self.found.tests.iter().enumerate() {
            let number = index + 1;
            let native = self.replayed.as_ref().and_then(|all| all.get(index)).map(replayed);
            tests.push(json!({
                "number": number,
                "from": test.from.map(|(from, at)| json!({ "test": from + 1, "condition": at + 1 })),
                "input": serde_json::to_value(&test.input).unwrap_or_default(),
                "end": end(&test.end),
                "stdout": bytes(&test.world.stdout),
                "stderr": bytes(&test.world.stderr),
                "instructions": test.steps,
                "new": test.new,
                "native": native,
            }));
            let list: Vec<Value> =
                conditions(self.program, pool, test.condition()).iter().map(|one| one.json()).collect();
            conditions_.push(json!({ "test": number, "conditions": list }));
            let list = determined(self.options, outputs(pool, &outgoing(test)));
            let list: Vec<Value> = list.iter().map(|one| one.json()).collect();
            outputs_.push(json!({ "test": number, "outputs": list }));
            executed += test.new;
            if test.new > 0 {
                curve.push(json!({ "test": number, "instructions": executed }));
            }
        }
        let files: Vec<Value> = self
            .lines
            .iter()
            .map(|(file, lines)| {
                let pick = |wanted: bool| -> Vec<u32> {
                    lines.iter().filter(|(_, covered)| **covered == wanted).map(|(line, _)| *line).collect()
                };
                json!({ "file": file, "executed": pick(true), "missed": pick(false) })
            })
            .collect();
        let ledger: Vec<Value> =
            self.notes().iter().map(|(note, count)| json!({ "note": note, "count": count })).collect();
        let alarms: Vec<Value> = self
            .found
            .alarms
            .iter()
            .map(|alarm| {
                let input = serde_json::to_value(&alarm.input).unwrap_or_default();
                json!({ "from": alarm.from + 1, "input": input, "wrong": format!("{:?}", alarm.wrong) })
            })
            .collect();
        json!({
            "complete": self.found.is_complete(),
            "verdict": self.verdict(),
            "reached": self.found.reached.map(|test| test + 1),
            "questions": self.found.asked,
            "open": self.found.missing.open,
            "tests": tests,
            "conditions": conditions_,
            "outputs": outputs_,
            "coverage": {
                "lines": all, "executed": covered, "functions": functions, "called": called,
                "files": files, "over_tests": curve,
            },
            "ledger": ledger,
            "alarms": alarms,
            "warnings": self.warnings.json(),
        })
    }
}

/// Only the outputs that a test's condition determines: those that were asked for.
fn determined(options: &ExploreOptions, mut all: Vec<Output>) -> Vec<Output> {
    let asked = |name: &str| options.of.iter().any(|of| of == name || name == "exit" && of == "end");
    all.retain(|one| options.of.is_empty() || asked(&one.name));
    all
}

fn outgoing(test: &Test) -> Outgoing<'_> {
    Outgoing {
        named: &test.outputs,
        logs: &test.logs,
        status: test.status,
        end: &test.end,
        world: &test.world,
    }
}

/// What makes a fault another one: its kind and its innermost places.
fn fault_place(test: &Test) -> Option<(String, String, u32, u32)> {
    let End::Fault(fault) = &test.end else { return None };
    let place = fault.stack.iter().find(|frame| frame.users).or(fault.stack.first());
    let (file, line, column) =
        place.map_or(("", 0, 0), |place| (place.file.as_str(), place.line, place.column));
    Some((fault.kind.name().to_owned(), file.to_owned(), line, column))
}

/// How a test ended, in a few words.
fn ends(test: &Test) -> String {
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

/// An input, on one line.
pub fn input(input: &Input) -> String {
    const LONGEST: usize = 70;
    let text = |bytes: &[u8]| format!("\"{}\"", escape(bytes).replace('"', "\\\""));
    let mut list = Vec::new();
    if let Some(call) = &input.call {
        return call.to_string();
    }
    if !input.stdin.is_empty() || input.exact {
        list.push(text(&input.stdin));
    }
    list.extend(input.args.iter().map(|(index, bytes)| format!("arg {index}: {}", text(bytes))));
    list.extend(input.files.iter().map(|(name, bytes)| format!("{name}: {}", text(bytes))));
    list.extend(input.environment.iter().map(|(name, bytes)| format!("${name}: {}", text(bytes))));
    for (name, bytes) in &input.named {
        let mut word = [0u8; 8];
        list.push(match bytes.len() {
            1 | 2 | 4 | 8 => {
                let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                word.fill(if negative { 0xff } else { 0 });
                word[..bytes.len()].copy_from_slice(bytes);
                format!("{name}={}", i64::from_le_bytes(word))
            }
            _ => format!("{name}={}", text(bytes)),
        });
    }
    let mut all = list.join(" ");
    if all.chars().count() > LONGEST {
        all = all.chars().take(LONGEST).collect::<String>() + "…";
    }
    all
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
