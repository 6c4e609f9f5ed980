//! What a search for differences came to, for people.

use super::{reached, sequences};
use crate::md;
use hydrogen_evidence::exposed::{
    Conclusion, Exposed, Finding, Label, Natively, Platform, Point, Started, Way,
};
use hydrogen_evidence::{Ending, Outcome, escape};
use std::fmt::Write;

/// The command line of an input, and what it reads; or the call.
pub fn command(started: &Started) -> Vec<String> {
    if let Some(call) = &started.call {
        return vec![call.clone()];
    }
    let quoted = |bytes: &Vec<u8>| {
        let text = escape(bytes);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+=:,@%".contains(c);
        if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{text}'") }
    };
    let arguments: Vec<String> = started.arguments.iter().map(quoted).collect();
    let mut lines = vec![format!(
        "arguments: {}",
        if arguments.is_empty() { "none".into() } else { arguments.join(" ") }
    )];
    if !started.stdin.is_empty() {
        lines.push(format!("standard input: \"{}\"", escape(&started.stdin)));
    }
    let input = &started.input;
    for (name, bytes) in &input.files {
        lines.push(format!("file {}: \"{}\"", escape(name), escape(bytes)));
    }
    for (name, bytes) in &input.environment {
        let value = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        lines.push(format!("environment {}: \"{}\"", escape(name), escape(value)));
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

/// Where a statement is, in both versions.
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

fn natively(report: &Exposed<'_>, finding: &Finding<'_>) -> String {
    let one = |name: &str, how: &Natively| match how {
        Natively::Same => format!("{name} the same"),
        Natively::Undefined => format!("{name} not compared (undefined behaviour)"),
        Natively::NotRun(why) => format!("{name} not run ({why})"),
    };
    let [old, new] = finding.natively;
    let own = match finding.platform {
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
fn kind(finding: &Finding<'_>) -> Vec<&'static str> {
    let words = finding.words.then_some("words of messages alone");
    finding.label.map(Label::text).into_iter().chain(words).collect()
}

fn effort(report: &Exposed<'_>) -> String {
    let asked: u64 = report.statistics.asked.values().sum();
    let reached = match report.statistics.reached {
        Some(run) => format!("a change was reached by run {run}"),
        None => "no run reached a change".to_owned(),
    };
    let tried = match report.statistics.tried {
        0 => String::new(),
        tried => format!(", {tried} inputs made of others"),
    };
    format!("{} runs of both versions, {asked} questions{tried}; {reached}", report.statistics.runs)
}

/// What a search came to, as lines.
pub fn text(report: &Exposed<'_>) -> String {
    let mut out: String = report.notes.iter().map(|note| format!("{note}\n")).collect();
    for (number, finding) in (1..).zip(&report.findings) {
        let label: String = kind(finding).iter().map(|one| format!(", {one}")).collect();
        let _ = writeln!(out, "difference {number}: {} ({}){label}", finding.differs.join(", "), finding.how);
        for line in command(&finding.started) {
            let _ = writeln!(out, "    {line}");
        }
        out.push('\n');
        let [old, new] = finding.outcomes;
        out.push_str(&side_by_side(report.names, &outcome(old), &outcome(new)));
        out.push('\n');
        for line in way(finding.way) {
            let _ = writeln!(out, "    {line}");
        }
        let _ = writeln!(out, "    {}\n", natively(report, finding));
    }
    match report.conclusion {
        Conclusion::Differs => {}
        Conclusion::Never(why) => {
            let _ = writeln!(out, "no input tells {} and {} apart: {why}", report.names[0], report.names[1]);
        }
        Conclusion::NoneFound(why) => {
            let _ =
                writeln!(out, "no difference between {} and {} was found", report.names[0], report.names[1]);
            for line in why {
                let _ = writeln!(out, "    {line}");
            }
        }
    }
    for line in report.refused {
        let _ = writeln!(out, "not counted: {line}");
    }
    out.extend(report.sequences.map(sequences::text));
    if !report.ledger.is_empty() {
        out.push_str("assumed:\n");
        for line in report.ledger {
            let _ = writeln!(out, "    {line}");
        }
    }
    out.extend(report.reached.iter().map(|one| reached::text(one, report.names)));
    for asked in &report.log {
        let answer = match asked.sat {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        let _ = writeln!(out, "asked for {}: {}: {answer}", asked.class, asked.condition);
    }
    let _ = writeln!(out, "{}", effort(report));
    out
}

/// The same for a pull request.
pub fn markdown(report: &Exposed<'_>) -> String {
    let mut out =
        format!("### What {} → {} changes\n\n", md::code(&report.names[0]), md::code(&report.names[1]));
    out.extend(report.notes.iter().map(|note| format!("{}\n\n", md::prose(note))));
    let code = |out: &mut String, text: &str| {
        let _ = writeln!(out, "{}\n", md::block(text.trim_end()));
    };
    for finding in &report.findings {
        let label: String = kind(finding).iter().map(|one| format!(" ({one})")).collect();
        let _ = writeln!(out, "**Differs**: {}{label}\n", md::escape(&finding.differs.join(", ")));
        code(&mut out, &command(&finding.started).join("\n"));
        let [old, new] = finding.outcomes;
        code(&mut out, &side_by_side(report.names, &outcome(old), &outcome(new)));
        code(&mut out, &way(finding.way).join("\n"));
        let _ = writeln!(out, "{}\n", md::prose(&natively(report, finding)));
    }
    match report.conclusion {
        Conclusion::Differs => {}
        Conclusion::Never(why) => {
            let _ = writeln!(out, "**No input tells them apart**: {}\n", md::prose(why));
        }
        Conclusion::NoneFound(why) => {
            let _ = writeln!(out, "**No difference was found**: {}\n", md::escape(&why.join("; ")));
        }
    }
    if let Some(all) = report.sequences {
        code(&mut out, &sequences::text(all));
    }
    for line in report.ledger {
        let _ = writeln!(out, "- assumed: {}", md::prose(line));
    }
    let _ = writeln!(out, "\n{}", md::escape(&effort(report)));
    out
}
