//! What `compare` says, as text and JSON.

use super::bounded::Bounded;
use super::runs::Native;
use super::whole::Whole;
use super::{Row, Side};
use hydrogen_relate::{Method, Proof, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;

/// Everything that is known in the end.
pub struct All<'a> {
    pub old: &'a Side,
    pub new: &'a Side,
    pub rows: &'a [Row],
    pub removed: &'a [String],
    pub added: &'a [String],
    /// Variables whose initial value changed.
    pub variables: &'a [String],
    /// What the program as a whole did, where a function differs.
    pub whole: Option<&'a Whole>,
}

/// What is said of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Equal,
    Differs,
    Open,
}

impl Word {
    pub fn text(self) -> &'static str {
        match self {
            Word::Equal => "equal",
            Word::Differs => "differs",
            Word::Open => "open",
        }
    }
}

impl Row {
    pub fn word(&self) -> Word {
        match (&self.verdict, &self.difference) {
            (_, Some(_)) => Word::Differs,
            (Verdict::Equal(_), None) => Word::Equal,
            _ => Word::Open,
        }
    }

    /// Why nothing is said.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = match &self.verdict {
            Verdict::Candidate(candidate) => vec![format!("{} may differ", candidate.what)],
            Verdict::Open(reasons) => reasons.clone(),
            Verdict::Equal(_) | Verdict::Refuted => Vec::new(),
        };
        all.extend(self.note.clone());
        all.extend(self.explored.as_ref().map(Bounded::words));
        all
    }

    /// Whether exploring its calls can say more: nothing is shown, and it is called by others than the system.
    pub fn is_worth_exploring(&self) -> bool {
        self.word() == Word::Open && self.name != "main"
    }
}

impl All<'_> {
    /// How many functions are equal, differ, are open.
    pub fn counts(&self) -> [usize; 3] {
        [Word::Equal, Word::Differs, Word::Open]
            .map(|word| self.rows.iter().filter(|row| row.word() == word).count())
    }

    /// Everything that the proofs assume, once.
    pub fn ledger(&self) -> Vec<&str> {
        let mut ledger: Vec<&str> = Vec::new();
        for row in self.rows {
            if let Verdict::Equal(proof) = &row.verdict {
                for line in &proof.ledger {
                    if !ledger.contains(&line.as_str()) {
                        ledger.push(line);
                    }
                }
            }
        }
        ledger
    }
}

/// How equality was shown.
pub fn method(proof: &Proof) -> String {
    let how = match proof.method {
        Method::SameCode => "the same code".to_owned(),
        Method::SameForm => "both compute the same".to_owned(),
        Method::Paths => "on all paths".to_owned(),
        Method::Induction => "by induction over the loops".to_owned(),
        Method::Partitions => {
            format!("each of the {} partitions of its arguments was run", proof.obligations)
        }
    };
    match proof.lemmas.as_slice() {
        [] => how,
        lemmas => format!("{how}, with {} equal", lemmas.join(", ")),
    }
}

/// What somebody who does not believe a proof can look at.
fn basis(proof: &Proof) -> &'static str {
    match proof.method {
        Method::SameCode => "same-code",
        Method::Partitions => "runs",
        Method::SameForm | Method::Paths | Method::Induction => "certificate",
    }
}

/// What native builds say to a difference.
pub fn native(native: &Native) -> String {
    match native {
        Native::Confirmed => "natively they differ too".to_owned(),
        Native::Undefined => "undefined behaviour, which a native run need not show".to_owned(),
        Native::NotRun(why) => format!("run in the machine alone: {why}"),
    }
}

pub fn text(all: &All) -> String {
    let mut out = String::new();
    for row in all.rows {
        let (word, place, name) = (row.word().text(), &row.place, &row.name);
        let _ = match (&row.verdict, &row.difference) {
            (_, Some(shown)) => writeln!(
                out,
                "{word:<8} {place} {name}\n           {}\n           {}: {}\n           {}: {}\n           ({})",
                shown.input,
                all.old.name,
                shown.old,
                all.new.name,
                shown.new,
                [Some(native(&shown.native)), row.reach.clone()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("; ")
            ),
            (Verdict::Equal(proof), None) => {
                writeln!(out, "{word:<8} {place} {name} (proved: {})", method(proof))
            }
            _ => writeln!(out, "{word:<8} {place} {name}: {}", row.reasons().join("; ")),
        };
    }
    for (names, side) in [(all.removed, all.old), (all.added, all.new)] {
        if !names.is_empty() {
            let _ = writeln!(out, "only in {}: {}", side.name, names.join(", "));
        }
    }
    if !all.variables.is_empty() {
        let _ = writeln!(
            out,
            "open     variables that begin with other values: {} (functions are compared for every value)",
            all.variables.join(", ")
        );
    }
    if let Some(whole) = all.whole {
        let _ = writeln!(out, "{}", whole.words());
    }
    let [equal, differs, open] = all.counts();
    let _ = match all.rows {
        [] => writeln!(out, "no changed function that both versions have"),
        _ => writeln!(out, "{equal} equal, {differs} differ, {open} open"),
    };
    for line in all.ledger() {
        let _ = writeln!(out, "assumed: {line}");
    }
    for side in [all.old, all.new] {
        for missing in &side.missing {
            let _ = writeln!(out, "not read in {}: {missing}", side.name);
        }
    }
    out
}

pub fn json(all: &All) -> Value {
    let function = |row: &Row| {
        let word = row.word();
        let share = match (word, &row.explored) {
            (Word::Equal, _) => json!({ "equal": 1.0, "different": 0.0, "open": 0.0 }),
            // Of the calls within bounds; of an interval the end that claims less.
            (_, Some(explored)) => {
                let (equal, different) = (explored.share.equal.low, explored.share.different.low);
                json!({ "equal": equal, "different": different, "open": 1.0 - equal - different, "of": "calls within bounds" })
            }
            (_, None) => json!({ "equal": 0.0, "different": 0.0, "open": 1.0 }),
        };
        let mut value = json!({
            "name": row.name, "place": row.place, "verdict": word.text(), "share": share, "differences": [], "ledger": [],
        });
        if let Verdict::Equal(proof) = &row.verdict {
            value["ledger"] = json!(proof.ledger);
            value["proof"] = json!(proof);
            value["proof"]["basis"] = json!(basis(proof));
            if let Some(checked) = row.checked {
                value["proof"]["checked"] = json!(checked);
            }
        }
        if word == Word::Open {
            value["why"] = json!(row.reasons());
        }
        if let Some(shown) = &row.difference {
            value["differences"] = json!([{
                "input": shown.input, "call": shown.call, "old": shown.old, "new": shown.new,
                "native": match &shown.native {
                    Native::Confirmed => json!("differs"),
                    Native::Undefined => json!("undefined"),
                    Native::NotRun(why) => json!({ "not-run": why }),
                },
                "reached": row.reach,
            }]);
        }
        value
    };
    json!({
        "old": all.old.name, "new": all.new.name,
        "functions": all.rows.iter().map(function).collect::<Vec<_>>(),
        "removed": all.removed, "added": all.added, "variables": all.variables,
        "whole": all.whole.map(Whole::words),
        "missing": { "old": all.old.missing, "new": all.new.missing },
    })
}
