//! An answer for people, as a colleague would write it.

use super::documented::Comparison;
use super::excerpt::excerpt;
use super::history::history;
use super::hunks::hunks;
use super::matrix::{comparison, matrix};
use super::path::steps;
use super::style::Looks;
use super::{Sources, words};
use hydrogen_evidence::{
    Answer, Basis, Command, Counters, Entry, Evidence, Finding, Ruling, Status, Verdict,
};
use std::fmt::Write as _;

/// So many different paths of one finding are shown.
const PATHS: usize = 3;

/// Conditions are shown up to so many characters; JSON has them whole.
const WIDEST: usize = 400;

/// An answer as text; `documented` compares it with an advisory.
pub fn text(answer: &Answer, documented: Option<&Comparison>, sources: &dyn Sources, looks: Looks) -> String {
    let page = Page { answer, sources, looks };
    let mut out = String::new();
    if answer.command == Command::Check {
        page.check(&mut out);
    } else {
        if let Some(table) = &answer.patch {
            out.push_str(&hunks(looks, table));
        }
        if answer.candidates {
            out.push_str(match answer.findings.is_empty() {
                true => "The fix changes no statement's condition that can be seen.\n\n",
                false => "The fix takes states away from these statements, the best candidates first.\n\n",
            });
        }
        for finding in &answer.findings {
            page.finding(&mut out, finding, "");
        }
        if answer.findings.is_empty() && !answer.candidates {
            out.push_str("Nothing that can fail was found there.\n\n");
        }
    }
    if let Some(documented) = documented {
        let _ = writeln!(out, "{}", looks.bold("Documented and found"));
        let _ = writeln!(out, "{}", comparison(looks, documented));
    }
    for note in &answer.remarks() {
        let _ = writeln!(out, "Note: {note}.");
    }
    if answer.partial {
        let _ = writeln!(
            out,
            "{}",
            looks.bold("The budget ran out: what is not decided above may be decidable.")
        );
    }
    let _ = writeln!(out, "{}", looks.dim(&effort(&answer.counters)));
    out
}

struct Page<'a> {
    answer: &'a Answer,
    sources: &'a dyn Sources,
    looks: Looks,
}

impl Page<'_> {
    /// What a change did: new faults in full, the rest in short.
    fn check(&self, out: &mut String) {
        let of = |status: Status| -> Vec<&Finding> {
            let is = |finding: &&Finding| finding.status == Some(status);
            self.answer.findings.iter().filter(is).collect()
        };
        let sections = [
            (Status::New, "new", "NEW "),
            (Status::Fixed, "fixed", "FIXED "),
            (Status::Open, "not decided", "NOT DECIDED "),
            (Status::Unchanged, "there before and after", "UNCHANGED "),
        ];
        let counts = sections.iter().map(|(status, word, _)| (of(*status).len(), word));
        let counts: Vec<String> =
            counts.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let change = self.answer.versions.join("..");
        let summary = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
        let _ = writeln!(out, "{}\n", self.looks.bold(&format!("{change}: {summary}")));
        for (status, _, word) in sections {
            for finding in of(status) {
                match status {
                    Status::New | Status::Open => self.finding(out, finding, word),
                    Status::Fixed | Status::Unchanged => self.brief(out, finding, word),
                }
            }
        }
    }

    /// A finding in a line, where it is, and how far the claim goes.
    fn brief(&self, out: &mut String, finding: &Finding, word: &str) {
        let _ = writeln!(out, "{}{}", self.looks.bold(word), self.headline(finding));
        let _ = writeln!(out, "  {}", self.place(finding));
        for limit in words::limits(finding) {
            let _ = writeln!(out, "  {limit}");
        }
        let shown = finding.verdicts.iter().find(|ruling| ruling.verdict == Verdict::Present);
        if let Some(input) = shown.and_then(|ruling| ruling.evidence.input.as_ref()) {
            let _ = writeln!(out, "  input: {}", words::cut(&input.to_string(), WIDEST));
        }
        out.push('\n');
    }

    fn headline(&self, finding: &Finding) -> String {
        format!("{}: {}", finding.kind.word(), finding.message)
    }

    fn place(&self, finding: &Finding) -> String {
        let place = &finding.location;
        format!(
            "{}:{} in {}() ({}): {}",
            place.file,
            place.line,
            place.function,
            finding.at_version,
            words::cut(&place.text, 80)
        )
    }

    /// A finding with all that shows it.
    fn finding(&self, out: &mut String, finding: &Finding, word: &str) {
        let Page { answer, sources, looks } = *self;
        let _ = writeln!(out, "{}{}", looks.bad(word), looks.bold(&self.headline(finding)));
        let _ = writeln!(out, "  {}", self.place(finding));
        let place = &finding.location;
        out.push_str(&excerpt(sources, looks, &finding.at_version, &place.file, place.line));
        out.push('\n');
        if words::about_a_fix(answer) {
            let decides = answer.deciding().any(|one| one == finding);
            let says = match decides {
                true => conclusion(answer, finding),
                false => "This is another fault of the statement, and the fix is not about it.".into(),
            };
            let _ = writeln!(out, "  {}\n", looks.bold(&says));
        }
        out.push_str(&matrix(answer, looks, finding));
        let turns: Vec<String> = history(finding, &answer.apart).iter().map(|turn| turn.sentence()).collect();
        if !turns.is_empty() && answer.patch.is_none() {
            let _ = writeln!(out, "  {}", looks.bold(&sentence(&turns.join("; "))));
        }
        out.push('\n');
        self.paths(out, finding);
        self.ledgers(out, finding);
    }

    /// The ways to the fault, newest version first; versions with the same one share it.
    fn paths(&self, out: &mut String, finding: &Finding) {
        let mut ways: Vec<(&Ruling, Vec<&str>)> = Vec::new();
        // Whoever asks about a patch knows the fault: what remains with the patch is of interest.
        let of_interest =
            |ruling: &Ruling| self.answer.patch.is_none() || words::is_patched(self.answer, &ruling.version);
        let shown = |ruling: &&Ruling| {
            let told = ruling.verdict == Verdict::Present || caller(ruling).is_some();
            told && !ruling.evidence.path.is_empty() && of_interest(ruling)
        };
        for ruling in finding.verdicts.iter().rev().filter(shown) {
            let same = |one: &&mut (&Ruling, Vec<&str>)| same_way(one.0, ruling);
            match ways.iter_mut().find(same) {
                Some((_, versions)) => versions.insert(0, &ruling.version),
                None => ways.push((ruling, vec![&ruling.version])),
            }
        }
        for (ruling, versions) in ways.iter().take(PATHS) {
            let evidence = &ruling.evidence;
            let lines =
                if versions.len() > 1 { format!(" (lines of {})", ruling.version) } else { String::new() };
            let whose = match caller(ruling) {
                Some(function) => format!(" for any caller of {function}() that passes this"),
                None => String::new(),
            };
            let _ = writeln!(out, "  In {}, it happens{whose} on this path{lines}:", versions.join(", "));
            out.push_str(&steps(self.looks, &evidence.path));
            if !evidence.constraint.is_empty() {
                let _ = writeln!(out, "    when {}", words::cut(&evidence.constraint, WIDEST));
            }
            if !evidence.model.is_empty() {
                let values: Vec<String> =
                    evidence.model.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                let _ = writeln!(out, "    for example with {}", values.join(", "));
            }
            self.run(out, evidence);
            out.push('\n');
        }
        if ways.len() > PATHS {
            let more = words::count(ways.len() - PATHS, "more path", "more paths");
            let _ = writeln!(out, "  {}\n", self.looks.dim(&format!("{more}: see --format json")));
        }
    }

    /// The input that was run, and what it did.
    fn run(&self, out: &mut String, evidence: &Evidence) {
        let Some(replay) = &evidence.replay else { return };
        if let Some(input) = &evidence.input {
            let _ = writeln!(out, "    input: {}", words::cut(&input.to_string(), WIDEST));
        }
        let _ = writeln!(out, "    {replay}");
    }

    /// What the verdicts depend on, one line for each list.
    fn ledgers(&self, out: &mut String, finding: &Finding) {
        let mut lists: Vec<(&[Entry], Vec<String>)> = Vec::new();
        for ruling in finding.verdicts.iter().filter(|ruling| !ruling.ledger.is_empty()) {
            let name = ruling.version.clone();
            match lists.iter_mut().find(|(list, _)| *list == ruling.ledger) {
                Some((_, versions)) if versions.contains(&name) => {}
                Some((_, versions)) => versions.push(name),
                None => lists.push((&ruling.ledger, vec![name])),
            }
        }
        for (list, versions) in &lists {
            let _ = writeln!(
                out,
                "  {}",
                self.looks.dim(&format!("Ledger of {}: {}.", versions.join(", "), words::ledger(list)))
            );
        }
        let questions = words::questions(finding);
        for question in &questions {
            let _ = writeln!(out, "  {}", self.looks.bold(&format!("To decide it: {question}")));
        }
        if !lists.is_empty() {
            out.push('\n');
        }
    }
}

/// The function whose callers decide whether a fault is there.
fn caller(ruling: &Ruling) -> Option<&str> {
    ruling.ledger.iter().find_map(|entry| match entry {
        Entry::ForSomeCaller { function } => Some(function.as_str()),
        _ => None,
    })
}

/// What a fix did, in a sentence.
pub(super) fn conclusion(answer: &Answer, finding: &Finding) -> String {
    let settled = finding.settled();
    let last = settled.last().copied();
    let first = settled.first().copied();
    match (answer.command, first, last) {
        (Command::Verify, Some((old, before)), Some((new, after))) => match after {
            Verdict::Present => format!("{new} does not fix it: a path remains."),
            Verdict::Fixed if is_by_definition(finding, new) => format!(
                "By its own measure {new} fixes it; whether a path to the fault itself remains was not decided."
            ),
            Verdict::Fixed => format!("{new} fixes it: every path of {old} that has it is closed."),
            Verdict::Absent if before == Verdict::Unknown => {
                format!("{new} does not have it; whether {old} had it could not be decided.")
            }
            Verdict::Absent => {
                format!("{new} does not have it, and neither has {old}: there was nothing to fix.")
            }
            Verdict::NotApplicable => {
                format!("The statement is not in {new} any more; that alone is no fix.")
            }
            Verdict::Unknown => format!("Whether {new} fixes it could not be decided."),
        },
        _ => {
            let list = |wanted: fn(Verdict) -> bool| -> Vec<&str> {
                let about = settled.iter().filter(|(version, _)| words::is_patched(answer, version));
                about.filter(|(_, verdict)| wanted(*verdict)).map(|(version, _)| *version).collect()
            };
            let groups = [
                ("fixes", list(|verdict| verdict == Verdict::Fixed)),
                ("leaves without the fault", list(|verdict| verdict == Verdict::Absent)),
                ("does not fix", list(|verdict| verdict == Verdict::Present)),
                ("does not apply to", list(|verdict| verdict == Verdict::NotApplicable)),
                ("is not decided for", list(|verdict| verdict == Verdict::Unknown)),
            ];
            let parts = groups.iter().filter(|(_, versions)| !versions.is_empty());
            let parts: Vec<String> = parts
                .map(|(word, versions)| format!("{word} {}", releases(answer, versions).join(", ")))
                .collect();
            format!("The patch {}.", parts.join("; "))
        }
    }
}

/// Whether a version is without the fault only because it is the fix that says what the fault is.
fn is_by_definition(finding: &Finding, version: &str) -> bool {
    let mut of = finding.verdicts.iter().filter(|ruling| ruling.version == version);
    let is_decided = |ruling: &Ruling| matches!(ruling.verdict, Verdict::Fixed | Verdict::Absent);
    let by_itself = |ruling: &Ruling| ruling.ledger.contains(&Entry::TheFixItself);
    of.clone().any(by_itself) && !of.any(|ruling| ruling.basis == Basis::Fault && is_decided(ruling))
}

/// The releases by the names that they have without the patch.
fn releases<'a>(answer: &'a Answer, patched: &[&'a str]) -> Vec<&'a str> {
    let plain = |name: &&'a str| {
        let known = answer.patch.iter().flat_map(|table| &table.releases).find(|one| one.patched == *name);
        known.map_or(*name, |one| one.release.as_str())
    };
    patched.iter().map(plain).collect()
}

/// Whether two rulings show the same steps, wherever the lines are.
fn same_way(one: &Ruling, other: &Ruling) -> bool {
    let (a, b) = (&one.evidence, &other.evidence);
    let same = |(one, other): (&hydrogen_evidence::Spot, &hydrogen_evidence::Spot)| {
        one.text == other.text && one.function == other.function && one.notes == other.notes
    };
    a.constraint == b.constraint
        && a.model == b.model
        && a.path.len() == b.path.len()
        && a.path.iter().zip(&b.path).all(same)
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// What the answer cost (F67).
fn effort(counters: &Counters) -> String {
    let Counters { raised, nodes, functions, questions, solver_calls, kept, milliseconds, .. } = *counters;
    let seconds = milliseconds as f64 / 1000.0;
    let mut out = format!(
        "{} raised; {} and {} visited",
        words::count(raised, "condition", "conditions"),
        words::count(nodes, "node", "nodes"),
        words::count(functions, "function", "functions"),
    );
    if questions > 0 {
        let _ = write!(out, "; {questions} questions, {solver_calls} of them for the solver");
    }
    if kept > 0 {
        let _ = write!(out, "; {} from earlier runs", words::count(kept, "ruling", "rulings"));
    }
    let _ = write!(out, "; {seconds:.1} s");
    out
}
