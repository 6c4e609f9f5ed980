//! What an exploration found, as evidence.

use crate::cli::ExploreOptions;
use crate::commands::program::{Outgoing, conditions, outputs};
use hydrogen_evidence::explored::{Alarm, Explored, ExploredTest, Signature, Warning};
use hydrogen_evidence::{Natively, Note, Output};
use hydrogen_explore::{Exploration, Kind, Test, Wrong, risks};
use hydrogen_machine::{Program, Site};
use hydrogen_report::plural;
use std::collections::BTreeMap;

/// What is told of an exploration. `earlier` questions were answered in another one; `signatures` says whether conditions and outputs are
/// wanted, which takes its time.
pub struct Told<'a> {
    pub program: &'a Program,
    pub options: &'a ExploreOptions,
    pub interrupted: bool,
    pub earlier: usize,
    pub signatures: bool,
}

impl Told<'_> {
    pub fn explored(&self, found: &mut Exploration, replayed: Option<Vec<Natively>>) -> Explored {
        let program = self.program;
        let mut native = replayed.map(Vec::into_iter);
        let mut tests = Vec::new();
        for at in 0..found.tests.len() {
            let signature = self.signatures.then(|| self.signature(found, at));
            let test = &found.tests[at];
            tests.push(ExploredTest {
                from: test.from,
                input: test.input.clone(),
                end: test.end.clone(),
                stdout: test.world.stdout.to_vec(),
                stderr: test.world.stderr.to_vec(),
                steps: test.steps,
                new: test.new,
                native: native.as_mut().and_then(Iterator::next),
                signature,
            });
        }
        let (called, functions) = found.coverage.functions(program);
        let risks = risks(program, found).into_iter();
        Explored {
            tests,
            alarms: alarms(found),
            warnings: risks
                .map(|risk| Warning { place: risk.place, kind: risk.kind, behind: risk.behind })
                .collect(),
            groups: None,
            ledger: notes(program, found),
            lines: found.coverage.lines(program),
            called,
            functions,
            asked: found.asked as usize,
            earlier: self.earlier,
            reached: found.reached,
            open: found.missing.open as usize,
            complete: found.is_complete(),
            verdict: verdict(self.options, found, self.interrupted),
        }
    }

    /// The condition of a test, and what comes out under it.
    fn signature(&self, found: &mut Exploration, at: usize) -> Signature {
        let test = &found.tests[at];
        // Of what the condition leaves open, only this matters to the outputs: operations elsewhere that could fault.
        let mut elsewhere = test.path.iter().filter(|one| one.kind == Kind::NoFault);
        Signature {
            nothing_else_faults: elsewhere.any(|one| !test.condition().contains(one)),
            conditions: conditions(self.program, &mut found.pool, test.condition()),
            outputs: determined(self.options, outputs(&mut found.pool, &outgoing(test))),
        }
    }
}

fn alarms(found: &Exploration) -> Vec<Alarm> {
    let one = |alarm: &hydrogen_explore::Alarm| {
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
        Alarm { from: alarm.from, input: alarm.input.clone(), what, detail: format!("{:?}", alarm.wrong) }
    };
    found.alarms.iter().map(one).collect()
}

fn place(program: &Program, site: Site) -> String {
    let place = program.place(site);
    match place.users && place.line > 0 {
        true => format!("{}:{}", place.file, place.line),
        false => format!("`{}` of the C library", place.function),
    }
}

fn notes(program: &Program, found: &Exploration) -> Vec<Note> {
    let missing = &found.missing;
    let mut notes: Vec<(String, u64)> = Vec::new();
    // Several instructions of one line, or of one function of the library, are one note.
    let mut concretised: BTreeMap<String, u64> = BTreeMap::new();
    for ((why, site), count) in &missing.concretised {
        let note = format!("{why} was not followed at {}: it kept its value", place(program, *site));
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
    for test in &found.tests {
        for (note, count) in test.world.ledger() {
            *world.entry(note.to_owned()).or_insert(0) += count;
        }
    }
    notes.extend(world);
    notes.into_iter().map(|(text, count)| Note { text, count }).collect()
}

fn verdict(options: &ExploreOptions, found: &Exploration, interrupted: bool) -> String {
    let missing = &found.missing;
    if let Some(test) = found.reached {
        return format!("reached by test {}", test + 1);
    }
    if found.is_complete() {
        let besides = if options.faults { "" } else { "; faults were not looked for (--faults)" };
        let other = match options.by {
            crate::cli::By::Path => "path",
            crate::cli::By::Rsc => "way in which the output is computed",
        };
        if options.program.function.is_some() {
            let globals = match options.globals {
                crate::cli::GlobalValues::Any => "global variables that it reads may hold anything",
                crate::cli::GlobalValues::Initial => "global variables have their initial values",
            };
            let strings = if options.terminated { ", characters that come in are strings" } else { "" };
            return format!(
                "complete within --shape {}: there is no other {other}{besides}; {globals}{strings}, pointers to functions lead to those of \
                 the program",
                options.shape
            );
        }
        return format!("complete: there is no other {other}{besides}");
    }
    let mut why = Vec::new();
    if missing.open > 0 {
        let reason = if interrupted { "interrupted" } else { "the budget is used up" };
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
    if missing.orders > 0 {
        let order = "other orders of threads were not looked at";
        if found.is_complete_in_order() {
            return format!("complete for one order of threads: there is no other path in it; {order}");
        }
        why.push(order.to_owned());
    }
    if !missing.concretised.is_empty() {
        why.push("values that were not followed".to_owned());
    }
    if !found.alarms.is_empty() {
        why.push("a bug of hydrogen's".to_owned());
    }
    if why.is_empty() && missing.elsewhere > 0 {
        return "never reached: no path leads there".to_owned();
    }
    format!("not complete: {}", why.join(", "))
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
