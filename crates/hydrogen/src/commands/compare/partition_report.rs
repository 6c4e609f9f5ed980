//! What the partitions of two programs are, as text and JSON.

use super::partition::is_complete;
use super::partition_tests::Coverage;
use hydrogen_evidence::{Input, escape};
use hydrogen_pair::{Ending, Outcome};
use hydrogen_partition::{Baselined, Cell, Found, Judgement, Measure, Share, Status};
use hydrogen_report::runs::input;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// What native runs of a difference did.
pub enum Confirmed {
    /// The same in both versions.
    Same,
    /// A version's behaviour is undefined there: the machine stops at it, and native code does anything.
    Stopped,
    /// Something else than the machine, and what.
    Otherwise(String),
    /// They could not be made.
    Impossible(String),
    /// They were not wanted.
    NotAsked,
}

impl Confirmed {
    /// Whether the difference stands: nothing that was run speaks against it.
    pub fn stands(&self) -> bool {
        !matches!(self, Self::Otherwise(_))
    }

    pub fn words(&self) -> String {
        match self {
            Self::Same => "natively the same".to_owned(),
            Self::Stopped => "not compared natively: behaviour is undefined".to_owned(),
            Self::Otherwise(how) => format!("natively otherwise, so this is not called a difference: {how}"),
            Self::Impossible(why) => format!("not run natively: {why}"),
            Self::NotAsked => "not run natively".to_owned(),
        }
    }
}

/// Everything that is known in the end.
pub struct Report {
    /// The versions, the oldest first.
    pub names: Vec<String>,
    pub found: Found,
    /// The tests of the cells, as they are shown.
    pub tests: Vec<Input>,
    /// The conditions of the cells, for people.
    pub conditions: Vec<String>,
    pub share: Option<Share>,
    /// Of differences, what native runs did.
    pub confirmed: Vec<(usize, Confirmed)>,
    /// Of differences, what a version that is right says.
    pub judged: Vec<(usize, Option<Judgement>)>,
    /// What the input does not determine.
    pub shaken: Vec<String>,
    pub time: Duration,
    pub explain: bool,
    /// Which partitions the tests of a suite are in.
    pub suite: Option<Coverage>,
}

impl Report {
    /// Whether some difference stands.
    pub fn has_difference(&self) -> bool {
        self.shaken.is_empty() && self.confirmed.iter().any(|(_, confirmed)| confirmed.stands())
    }

    /// Whether equality for every input is shown.
    pub fn is_equal(&self) -> bool {
        self.shaken.is_empty() && self.found.is_equal()
    }

    pub fn verdict(&self) -> &'static str {
        match () {
            () if self.has_difference() => "differs",
            () if self.is_equal() => "equal",
            () => "open",
        }
    }
}

/// Differences that the text shows.
const SHOWN: usize = 5;

fn plural(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// How a run ended and what it wrote, on one line.
pub fn outcome(outcome: &Outcome) -> String {
    let mut words = match &outcome.ending {
        Ending::Exit(_) if !outcome.memory.is_empty() => {
            format!("returns with {}", outcome.memory.join(", "))
        }
        Ending::Exit(status) => format!("exits with {status}"),
        Ending::Signal(signal) => format!("ends by signal {signal}"),
        Ending::Fault(kind, _) => format!("faults ({kind})"),
        Ending::Assumption => "ends by an assumption".to_owned(),
        Ending::Cut(why) => format!("was cut short: {why}"),
    };
    if let Some(behind) = outcome.went_on() {
        let _ = write!(words, ", {behind}");
    }
    for (bytes, name) in [(&outcome.stdout, "writes"), (&outcome.stderr, "writes to standard error")] {
        if !bytes.is_empty() {
            let _ = write!(words, ", {name} \"{}\"", escape(bytes));
        }
    }
    for (name, value) in &outcome.named {
        let _ = write!(words, ", {name} = {}", *value as i64);
    }
    for (name, bytes) in &outcome.files {
        let _ = write!(words, ", file {name}: \"{}\"", escape(bytes));
    }
    words
}

pub fn percent(measure: Measure) -> String {
    let number = |part: f64| {
        let percent = part * 100.0;
        match () {
            () if percent == 0.0 || percent == 100.0 => format!("{percent:.0} %"),
            () if percent < 0.01 => format!("{percent:.1e} %"),
            () if percent > 99.99 => format!("100 % but for {:.1e} %", 100.0 - percent),
            () => format!("{percent:.2} %"),
        }
    };
    match measure.exact {
        true => number(measure.low),
        false => format!("{} to {}", number(measure.low), number(measure.high)),
    }
}

fn changes(cell: &Cell, names: &[String]) -> String {
    let lines = cell.executed.iter().map(|one| format!("{}:{} ({})", one.file, one.line, names[one.version]));
    lines.collect::<Vec<_>>().join(", ")
}

pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let found = &report.found;
    if report.explain {
        for (at, (cell, condition)) in found.cells.iter().zip(&report.conditions).enumerate() {
            let from = cell.why.1.map_or(String::new(), |from| format!(", beside {}", from + 1));
            let _ = writeln!(out, "{:4} {} {condition}", at + 1, cell.label.letter());
            let _ = writeln!(out, "       {} ({}{from})", input(&report.tests[at]), cell.why.0);
        }
    }
    for (at, confirmed) in report.confirmed.iter().take(SHOWN) {
        let cell = &found.cells[*at];
        let _ = writeln!(out, "differs  {}", input(&report.tests[*at]));
        for (name, side) in report.names.iter().zip(&cell.sides) {
            let _ = writeln!(out, "           {name}: {}", outcome(&side.outcome));
        }
        let _ = writeln!(out, "           when {}", report.conditions[*at]);
        if !cell.executed.is_empty() {
            let _ =
                writeln!(out, "           changed statements on the way: {}", changes(cell, &report.names));
        }
        let _ = writeln!(out, "           {}", confirmed.words());
        if let Some((_, Some(judged))) = report.judged.iter().find(|(cell, _)| cell == at) {
            let _ = writeln!(out, "           {judged}");
        }
    }
    let more = found.differences().count().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(out, "and {} more where they differ", plural(more, "partition"));
    }
    if !report.judged.is_empty() {
        let count = |which: Judgement| report.judged.iter().filter(|one| one.1 == Some(which)).count();
        let _ = writeln!(
            out,
            "judged: {}, {}, {}",
            plural(count(Judgement::Regression), "regression"),
            plural(count(Judgement::Progression), "progression"),
            plural(count(Judgement::Intermediate), "intermediate change"),
        );
    }
    if let Some(share) = &report.share {
        let how = if share.equal.exact { "counted" } else { "estimated, 95 % confidence" };
        let rest = if is_complete(found) { "left out" } else { "open" };
        let _ = writeln!(
            out,
            "equal for {} of the inputs, different for {}, {rest} {} ({how})",
            percent(share.equal),
            percent(share.different),
            percent(share.rest)
        );
    }
    let _ = writeln!(
        out,
        "{}, {} equal; {} in {:.1} s",
        plural(found.cells.len(), "partition"),
        found.cells.iter().filter(|cell| cell.is_equal()).count(),
        plural(found.asked as usize, "question"),
        report.time.as_secs_f64()
    );
    out.extend(report.suite.as_ref().map(Coverage::text));
    let _ = writeln!(out, "{}", summary(report));
    notes(report, &mut out);
    out
}

fn summary(report: &Report) -> String {
    let all = match &report.found.status {
        Status::Complete => "the partitions hold every input".to_owned(),
        Status::Difference => "stopped at the first difference".to_owned(),
        Status::Open(why) => format!("not complete: {why}"),
    };
    match report.verdict() {
        "equal" => format!("equal: proved for every input ({all})"),
        "differs" => format!("differs ({all})"),
        _ => format!("open ({all})"),
    }
}

fn notes(report: &Report, out: &mut String) {
    const MOST: usize = 12;
    for line in &report.shaken {
        let _ = writeln!(out, "note: {line}");
    }
    for (at, (note, count)) in report.found.missing.iter().enumerate() {
        if at == MOST {
            let _ =
                writeln!(out, "and {} more notes; --format json has all", report.found.missing.len() - MOST);
            break;
        }
        let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
        let _ = writeln!(out, "note: {note}{times}");
    }
    for (test, why) in report.found.unresolved.iter().take(MOST) {
        let _ = writeln!(out, "note: a run was cut short ({why}): {}", input(test));
    }
    for alarm in &report.found.alarms {
        let test = input(&alarm.input);
        let _ = writeln!(out, "a bug of hydrogen's, please report it: {test}: {}", alarm.wrong);
    }
}

fn measured(measure: Measure) -> Value {
    json!({ "low": measure.low, "high": measure.high, "exact": measure.exact })
}

pub fn json(report: &Report) -> Value {
    let found = &report.found;
    let partition = |(at, cell): (usize, &Cell)| {
        let sides: Vec<String> = cell.sides.iter().map(|side| outcome(&side.outcome)).collect();
        let changes: Vec<Value> = cell
            .executed
            .iter()
            .map(|one| json!({ "version": report.names[one.version], "file": one.file, "line": one.line }))
            .collect();
        let confirmed = report.confirmed.iter().find(|one| one.0 == at).map(|one| one.1.words());
        let judged = report.judged.iter().find(|one| one.0 == at).and_then(|one| one.1);
        json!({
            "label": cell.label.letter().to_string(), "equal": cell.is_equal(), "condition": report.conditions[at],
            "input": report.tests[at], "outcomes": sides, "changes": changes, "why": cell.why.0.to_string(),
            "beside": cell.why.1, "narrowed": cell.narrowed, "converged": converged(cell), "natively": confirmed,
            "judgement": judged.map(|one| one.to_string()),
        })
    };
    let share = report.share.as_ref().map(|share| {
        json!({ "equal": measured(share.equal), "different": measured(share.different), "open": measured(share.rest) })
    });
    let ledger: Vec<Value> =
        found.missing.iter().map(|(note, count)| json!({ "note": note, "count": count })).collect();
    let unresolved: Vec<Value> =
        found.unresolved.iter().map(|(input, why)| json!({ "input": input, "why": why })).collect();
    let alarms: Vec<Value> = found
        .alarms
        .iter()
        .map(|one| json!({ "input": one.input, "wrong": one.wrong.to_string() }))
        .collect();
    json!({
        "versions": report.names, "verdict": report.verdict(), "complete": is_complete(found),
        "status": summary(report), "share": share,
        "partitions": found.cells.iter().enumerate().map(partition).collect::<Vec<_>>(),
        "excluded": found.excluded.len(), "unresolved": unresolved, "alarms": alarms, "ledger": ledger,
        "unsteady": report.shaken, "questions": found.asked, "runs": found.runs,
        "suite": report.suite.as_ref().map(Coverage::json),
    })
}

pub fn baseline_text(found: &Baselined) -> String {
    let first = found
        .first
        .map_or("none found".to_owned(), |time| format!("the first after {:.2} s", time.as_secs_f64()));
    let rate =
        found.rate.map_or(String::new(), |rate| format!("; a difference in {} of the inputs", percent(rate)));
    format!(
        "{}, {} differ, {first}, in {:.2} s{rate}\n",
        plural(found.tests as usize, "test"),
        found.differences,
        found.time.as_secs_f64()
    )
}

pub fn baseline_json(found: &Baselined) -> Value {
    json!({
        "tests": found.tests, "differences": found.differences,
        "first": found.first.map(|time| time.as_secs_f64()), "seconds": found.time.as_secs_f64(),
        "rate": found.rate.map(measured),
    })
}

/// Where the runs of a cell's input become the same again although a change was executed.
fn converged(cell: &Cell) -> Vec<serde_json::Value> {
    let place = |one: &hydrogen_partition::Change| format!("{}:{}", one.file, one.line);
    cell.converged.iter().map(|(old, new)| json!({ "old": place(old), "new": place(new) })).collect()
}
