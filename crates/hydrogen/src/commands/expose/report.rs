//! What `expose` says, as text, Markdown and JSON.

use super::confirm::{Natively, Platform};
use super::golden::Label;
use super::reached::Reached;
use super::sequences::Sequences;
use hydrogen_evidence::{Input, escape};
use hydrogen_expose::{Asked, Point, Statistics, Way};
use hydrogen_machine::World;
use hydrogen_pair::{Ending, Outcome};
use hydrogen_program::until_zero;
use serde_json::{Value, json};
use std::fmt::Write;

/// An input on which the versions differ.
pub struct Finding {
    pub input: Input,
    /// Where a function is called: the call as a programmer would write it.
    pub call: Option<String>,
    /// The world that the input is put into.
    pub world: World,
    /// What the old and the new version did.
    pub outcomes: [Outcome; 2],
    /// What of it differs, by name.
    pub differs: Vec<String>,
    pub natively: [Natively; 2],
    /// With the platform's own C library.
    pub platform: Platform,
    pub way: Way,
    /// How it was found.
    pub how: String,
    /// What it is, where a version is known to be right.
    pub label: Option<Label>,
    /// Whether it is words of messages alone.
    pub words: bool,
    /// Whether it is what was searched for.
    pub wanted: bool,
    /// For the call of a function: a test in C for each version.
    pub tests: Option<[CTest; 2]>,
}

/// The call of a function as a test in C.
pub struct CTest {
    /// Of which version.
    pub version: usize,
    /// The unit that it includes.
    pub unit: String,
    pub text: String,
    /// What it prints, as far as the call returns.
    pub prints: Vec<u8>,
}

impl CTest {
    /// The name of its file.
    pub fn file(&self) -> &'static str {
        ["old_test.c", "new_test.c"][self.version]
    }
}

/// What is known in the end.
pub enum Conclusion {
    Differs,
    /// No input tells the versions apart, and why.
    Never(String),
    /// None was found, and why there may be one.
    NoneFound(Vec<String>),
}

/// Everything that is known in the end.
pub struct Report {
    pub names: [String; 2],
    pub findings: Vec<Finding>,
    pub conclusion: Conclusion,
    /// What is assumed.
    pub ledger: Vec<String>,
    /// Differences that were not confirmed, and why.
    pub refused: Vec<String>,
    /// Where runs begin, if that is not plain.
    pub notes: Vec<String>,
    /// The orders in which runs came to changes, where they are asked for.
    pub sequences: Option<Sequences>,
    pub statistics: Statistics,
    /// What was asked, where it is wanted.
    pub log: Option<Vec<Asked>>,
    /// How far the change got, where that is wanted.
    pub reached: Vec<Reached>,
}

/// The command line of a finding, and what it reads; or the call.
pub fn command(finding: &Finding) -> Vec<String> {
    match &finding.call {
        Some(call) => vec![call.clone()],
        None => command_of(&finding.world, &finding.input),
    }
}

/// The command line of an input, and what it reads.
pub fn command_of(world: &World, input: &Input) -> Vec<String> {
    let world = world.with_input(input);
    let quoted = |bytes: &[u8]| {
        let text = escape(until_zero(bytes));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+=:,@%".contains(c);
        if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{text}'") }
    };
    let arguments: Vec<String> = world.args.iter().skip(1).map(|arg| quoted(arg)).collect();
    let mut lines = vec![format!(
        "arguments: {}",
        if arguments.is_empty() { "none".into() } else { arguments.join(" ") }
    )];
    if !world.stdin().is_empty() {
        lines.push(format!("standard input: \"{}\"", escape(world.stdin())));
    }
    for (name, bytes) in &input.files {
        lines.push(format!("file {}: \"{}\"", escape(name), escape(bytes)));
    }
    for (name, bytes) in &input.environment {
        lines.push(format!("environment {}: \"{}\"", escape(name), escape(until_zero(bytes))));
    }
    for (name, bytes) in &input.named {
        let number = bytes.iter().rev().fold(0i128, |all, byte| all << 8 | i128::from(*byte));
        let bits = bytes.len() as u32 * 8;
        let signed = if bits > 0 && bits < 128 && number >> (bits - 1) & 1 == 1 {
            number - (1 << bits)
        } else {
            number
        };
        lines.push(format!("{} = {signed}", escape(name)));
    }
    lines
}

/// How a run ended.
pub fn ending(outcome: &Outcome) -> String {
    let end = match &outcome.ending {
        Ending::Exit(status) => format!("exit {status}"),
        Ending::Signal(signal) => format!("signal {signal}"),
        Ending::Fault(kind, _) => format!("fault: {}", kind.name()),
        Ending::Assumption => "an assumption does not hold".to_owned(),
        Ending::Cut(why) => format!("cut: {why}"),
    };
    outcome.went_on().map_or(end.clone(), |behind| format!("{end}, {behind}"))
}

/// An outcome in lines.
fn outcome(outcome: &Outcome) -> Vec<String> {
    let mut lines = vec![ending(outcome)];
    for (name, bytes) in [("out", &outcome.stdout), ("err", &outcome.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        lines.extend(text.lines().take(12).map(|line| format!("{name}: {}", escape(line.as_bytes()))));
    }
    lines.extend(
        outcome.files.iter().map(|(name, bytes)| format!("file {}: \"{}\"", escape(name), escape(bytes))),
    );
    lines.extend(outcome.named.iter().map(|(name, value)| format!("{} = {}", escape(name), *value as i64)));
    lines.extend(outcome.memory.iter().cloned());
    lines
}

/// Two lists of lines side by side; lines that differ are marked.
fn side_by_side(names: &[String; 2], left: &[String], right: &[String]) -> String {
    let width =
        left.iter().chain([&names[0]]).map(|line| line.chars().count()).max().unwrap_or(0).clamp(8, 60);
    let mut out = String::new();
    let pad = |text: &str| format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())));
    let _ = writeln!(out, "    {}   {}", pad(&names[0]), names[1]);
    for at in 0..left.len().max(right.len()) {
        let (one, two) = (left.get(at).map_or("", String::as_str), right.get(at).map_or("", String::as_str));
        let mark = if one == two { ' ' } else { '|' };
        let _ = writeln!(out, "    {} {mark} {two}", pad(one));
    }
    out
}

pub fn place(point: &Point) -> String {
    let one = |line: &Option<(String, u32)>| line.as_ref().map(|(file, line)| format!("{file}:{line}"));
    match (one(&point.lines[0]), one(&point.lines[1])) {
        (Some(old), Some(new)) if old == new => new,
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (Some(old), None) => format!("{old} (old version alone)"),
        (None, Some(new)) => format!("{new} (new version alone)"),
        (None, None) => String::new(),
    }
}

fn way(way: &Way) -> Vec<String> {
    let last = way.points.len().saturating_sub(1);
    let role = |at: usize| match at {
        0 => "born",
        at if at == last => "came out",
        _ => "travelled",
    };
    let mut lines: Vec<String> = way
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| format!("{:<9} {}  {}", role(at), place(point), point.text))
        .collect();
    if way.left_out > 0 {
        let middle = lines.len() / 2;
        lines.insert(middle, format!("          … {} statements more", way.left_out));
    }
    lines
}

fn natively(report: &Report, finding: &Finding) -> String {
    let one = |name: &str, how: &Natively| match how {
        Natively::Same => format!("{name} the same"),
        Natively::Undefined => format!("{name} not compared (undefined behaviour)"),
        Natively::NotRun(why) => format!("{name} not run ({why})"),
    };
    let [old, new] = &finding.natively;
    let own = match &finding.platform {
        Platform::Differs => ", also with the platform's own C library".to_owned(),
        Platform::NotAsked => String::new(),
        Platform::NotRun(why) => format!("; not run with the platform's own C library ({why})"),
    };
    match (old, new) {
        (Natively::Same, Natively::Same) => {
            format!("replayed in the machine and natively, both the same{own}")
        }
        _ => format!(
            "replayed in the machine; natively {}, {}{own}",
            one(&report.names[0], old),
            one(&report.names[1], new)
        ),
    }
}

/// What a difference is, where more is known than that it is one.
fn kind(finding: &Finding) -> Vec<&'static str> {
    let words = finding.words.then_some("words of messages alone");
    finding.label.map(Label::text).into_iter().chain(words).collect()
}

impl Report {
    fn effort(&self) -> String {
        let asked: u64 = self.statistics.asked.values().sum();
        let reached = match self.statistics.reached {
            Some(run) => format!("a change was reached by run {run}"),
            None => "no run reached a change".to_owned(),
        };
        let tried = match self.statistics.tried {
            0 => String::new(),
            tried => format!(", {tried} inputs made of others"),
        };
        format!("{} runs of both versions, {asked} questions{tried}; {reached}", self.statistics.runs)
    }

    pub fn text(&self) -> String {
        let mut out: String = self.notes.iter().map(|note| format!("{note}\n")).collect();
        for (number, finding) in (1..).zip(&self.findings) {
            let label: String = kind(finding).iter().map(|one| format!(", {one}")).collect();
            let _ =
                writeln!(out, "difference {number}: {} ({}){label}", finding.differs.join(", "), finding.how);
            for line in command(finding) {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
            let [old, new] = &finding.outcomes;
            out.push_str(&side_by_side(&self.names, &outcome(old), &outcome(new)));
            out.push('\n');
            for line in way(&finding.way) {
                let _ = writeln!(out, "    {line}");
            }
            let _ = writeln!(out, "    {}\n", natively(self, finding));
        }
        match &self.conclusion {
            Conclusion::Differs => {}
            Conclusion::Never(why) => {
                let _ = writeln!(out, "no input tells {} and {} apart: {why}", self.names[0], self.names[1]);
            }
            Conclusion::NoneFound(why) => {
                let _ =
                    writeln!(out, "no difference between {} and {} was found", self.names[0], self.names[1]);
                for line in why {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        for line in &self.refused {
            let _ = writeln!(out, "not counted: {line}");
        }
        out.extend(self.sequences.as_ref().map(Sequences::text));
        if !self.ledger.is_empty() {
            out.push_str("assumed:\n");
            for line in &self.ledger {
                let _ = writeln!(out, "    {line}");
            }
        }
        out.extend(self.reached.iter().map(|one| one.text(&self.names)));
        for asked in self.log.iter().flatten() {
            let answer = match asked.sat {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            };
            let _ = writeln!(out, "asked for {}: {}: {answer}", asked.class, asked.condition);
        }
        let _ = writeln!(out, "{}", self.effort());
        out
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let mut out = format!("### What `{}` → `{}` changes\n\n", self.names[0], self.names[1]);
        out.extend(self.notes.iter().map(|note| format!("{note}\n\n")));
        let code = |out: &mut String, text: &str| {
            let _ = writeln!(out, "```\n{}\n```\n", text.trim_end());
        };
        for finding in &self.findings {
            let label: String = kind(finding).iter().map(|one| format!(" ({one})")).collect();
            let _ = writeln!(out, "**Differs**: {}{label}\n", finding.differs.join(", "));
            code(&mut out, &command(finding).join("\n"));
            let [old, new] = &finding.outcomes;
            code(&mut out, &side_by_side(&self.names, &outcome(old), &outcome(new)));
            code(&mut out, &way(&finding.way).join("\n"));
            let _ = writeln!(out, "{}\n", natively(self, finding));
        }
        match &self.conclusion {
            Conclusion::Differs => {}
            Conclusion::Never(why) => {
                let _ = writeln!(out, "**No input tells them apart**: {why}\n");
            }
            Conclusion::NoneFound(why) => {
                let _ = writeln!(out, "**No difference was found**: {}\n", why.join("; "));
            }
        }
        if let Some(sequences) = &self.sequences {
            code(&mut out, &sequences.text());
        }
        for line in &self.ledger {
            let _ = writeln!(out, "- assumed: {line}");
        }
        let _ = writeln!(out, "\n{}", self.effort());
        out
    }

    pub fn json(&self) -> Value {
        let findings: Vec<Value> = self.findings.iter().map(|finding| self.finding(finding)).collect();
        let (verdict, why) = match &self.conclusion {
            Conclusion::Differs => ("differs", Vec::new()),
            Conclusion::Never(why) => ("never", vec![why.clone()]),
            Conclusion::NoneFound(why) => ("none found", why.clone()),
        };
        let asked: serde_json::Map<String, Value> =
            self.statistics.asked.iter().map(|(class, count)| (class.to_string(), json!(count))).collect();
        json!({
            "old": self.names[0], "new": self.names[1], "verdict": verdict, "why": why, "findings": findings,
            "ledger": self.ledger, "refused": self.refused, "notes": self.notes,
            "sequences": self.sequences.as_ref().map(Sequences::json),
            "reached": self.reached.iter().map(Reached::json).collect::<Vec<_>>(),
            "statistics": {
                "runs": self.statistics.runs, "tried": self.statistics.tried, "reached": self.statistics.reached, "asked": asked,
                "elsewhere": self.statistics.elsewhere, "unknown": self.statistics.unknown,
                "cut": self.statistics.cut, "concrete": self.statistics.concrete,
            },
        })
    }

    fn finding(&self, finding: &Finding) -> Value {
        let outcome = |outcome: &Outcome| {
            json!({
                "end": ending(outcome), "stdout": escape(&outcome.stdout), "stderr": escape(&outcome.stderr),
                "named": outcome.named.iter().map(|(name, value)| json!([escape(name), *value as i64])).collect::<Vec<_>>(),
                "memory": outcome.memory,
            })
        };
        let platform = match &finding.platform {
            Platform::Differs => "differs".to_owned(),
            Platform::NotAsked => "not asked".to_owned(),
            Platform::NotRun(why) => format!("not run: {why}"),
        };
        let natively = |how: &Natively| match how {
            Natively::Same => "same".to_owned(),
            Natively::Undefined => "undefined".to_owned(),
            Natively::NotRun(why) => format!("not run: {why}"),
        };
        let point = |point: &Point| {
            let line = |line: &Option<(String, u32)>| {
                line.as_ref().map(|(file, line)| json!({"file": file, "line": line}))
            };
            json!({"old": line(&point.lines[0]), "new": line(&point.lines[1]), "text": point.text, "changed": point.changed})
        };
        let world = finding.world.with_input(&finding.input);
        json!({
            "input": finding.input, "call": finding.call,
            "arguments": world.args.iter().skip(1).map(|arg| escape(until_zero(arg))).collect::<Vec<_>>(),
            "stdin": escape(world.stdin()),
            "differs": finding.differs, "how": finding.how, "label": finding.label.map(Label::text),
            "words": finding.words,
            "old": outcome(&finding.outcomes[0]), "new": outcome(&finding.outcomes[1]),
            "natively": finding.natively.iter().map(natively).collect::<Vec<_>>(), "platform": platform,
            "way": finding.way.points.iter().map(point).collect::<Vec<_>>(),
        })
    }
}
