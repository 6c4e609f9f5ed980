//! The answer to a command.

use crate::{Finding, PatchTable, Ruling, Status, Verdict};
use serde::{Deserialize, Serialize};

/// The questions whose answers are verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// What did the change do to faults and rules?
    Check,
    /// Does the change fix the fault?
    Verify,
    /// Which releases have the fault?
    Impact,
    /// Does the patch apply to, and fix, every release?
    Patch,
}

impl Command {
    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Verify => "verify",
            Command::Impact => "impact",
            Command::Patch => "patch",
        }
    }
}

/// What an analysis did (F67).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Conditions raised at statements that can fail.
    pub raised: usize,
    /// Nodes of the graph that queries went through, each counted once per condition raised.
    pub nodes: usize,
    /// Functions that queries went through.
    pub functions: usize,
    /// Questions put to the solver's caches and simplifier, and to the solver itself.
    pub questions: u64,
    /// Questions that reached the solver itself.
    pub solver_calls: u64,
    /// Answers `present`.
    pub findings: usize,
    /// Rulings taken from earlier runs, for which nothing was visited (F55).
    pub kept: usize,
    /// Milliseconds.
    pub milliseconds: u64,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was asked.
    pub command: Command,
    /// The versions asked about, in order.
    pub versions: Vec<String>,
    /// Those of them that were not made from the one before them: nothing began or ended there.
    pub apart: Vec<String>,
    /// What was found out.
    pub findings: Vec<Finding>,
    /// The work it took.
    pub counters: Counters,
    /// Whether a budget ended the run before everything was decided (F68).
    pub partial: bool,
    /// Whether parts of a version could not be read, so that what is in them was not looked at; notes say which.
    pub unread: bool,
    /// Possible faults that the change leads to and that could not be decided, told by their number alone.
    pub undecided: usize,
    /// What else the reader should know: versions that could not be read.
    pub notes: Vec<String>,
    /// Whether no statement was named: the findings are those that the fix is about, the best candidates first.
    pub candidates: bool,
    /// For `patch`: what applies where.
    pub patch: Option<PatchTable>,
}

/// What an answer comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// Everything was decided, and nothing was found.
    Clean,
    /// Something was found.
    Found,
    /// Nothing was found, and not everything was decided.
    Undecided,
}

impl Answer {
    /// What else the reader should know, with what is told by its number alone.
    pub fn remarks(&self) -> Vec<String> {
        let open = (self.undecided > 0).then(|| {
            format!("possible faults on changed paths that could not be decided: {}", self.undecided)
        });
        self.notes.iter().cloned().chain(open).collect()
    }

    /// The findings that decide: where a fix was given, those that it measures. Another fault of the same statement is another
    /// finding, and says nothing about the fix.
    pub fn deciding(&self) -> impl Iterator<Item = &Finding> {
        let by_fix = self.findings.iter().any(Finding::is_by_fix);
        self.findings.iter().filter(move |finding| !by_fix || finding.is_by_fix())
    }

    /// What the answer comes to: findings count more than what could not be decided.
    pub fn conclusion(&self) -> Conclusion {
        let asked = |finding: &Finding| -> Vec<Verdict> {
            let mut settled = finding.settled().into_iter().map(|(_, verdict)| verdict);
            match self.command {
                // The version after the fix decides; a statement that is gone is no proof.
                Command::Verify => match settled.next_back() {
                    Some(Verdict::NotApplicable) => vec![Verdict::Unknown],
                    last => last.into_iter().collect(),
                },
                _ => settled.collect(),
            }
        };
        let (found, open) = if let Some(table) = &self.patch {
            self.patched(table)
        } else if self.command == Command::Check {
            let any = |status| self.findings.iter().any(|finding| finding.status == Some(status));
            (any(Status::New), any(Status::Open) || self.undecided > 0)
        } else {
            let any = |wanted| self.deciding().flat_map(asked).any(|verdict| verdict == wanted);
            (any(Verdict::Present), any(Verdict::Unknown))
        };
        // Where nothing was found to ask about, nothing was decided.
        let open = open || self.candidates && self.findings.is_empty();
        match (found, open || self.partial || self.unread) {
            (true, _) => Conclusion::Found,
            (false, true) => Conclusion::Undecided,
            (false, false) => Conclusion::Clean,
        }
    }

    /// Whether a release has the fault although it could be patched, or because it could not; and whether that is open.
    fn patched(&self, table: &PatchTable) -> (bool, bool) {
        let (mut found, mut open) = (false, false);
        for finding in self.deciding() {
            let settled = finding.settled();
            let of = |name: &str| {
                settled.iter().find(|(version, _)| *version == name).map(|(_, verdict)| *verdict)
            };
            // By whatever measure: a path that remains with the patch is a finding.
            let remains = |name: &str| {
                let has = |one: &Ruling| one.version == name && one.verdict == Verdict::Present;
                finding.verdicts.iter().any(has)
            };
            for pair in &table.releases {
                match (of(&pair.release), of(&pair.patched)) {
                    _ if remains(&pair.patched) => found = true,
                    (_, Some(Verdict::Fixed | Verdict::Absent)) => {}
                    (Some(Verdict::Absent | Verdict::Fixed | Verdict::NotApplicable), _) => {}
                    (Some(Verdict::Present), Some(Verdict::NotApplicable)) => found = true,
                    _ => open = true,
                }
            }
        }
        (found, open)
    }

    /// An answer that says nothing yet.
    pub fn new(command: Command, versions: Vec<String>) -> Self {
        Self {
            command,
            versions,
            apart: Vec::new(),
            findings: Vec::new(),
            counters: Counters::default(),
            partial: false,
            unread: false,
            undecided: 0,
            notes: Vec::new(),
            candidates: false,
            patch: None,
        }
    }

    /// Whether a version is a release with the patch in it.
    pub fn is_patched(&self, version: &str) -> bool {
        self.patch.as_ref().is_some_and(|table| table.releases.iter().any(|one| one.patched == version))
    }
}
