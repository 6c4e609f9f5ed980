//! What a change can affect, and which changes can affect the same (B2, B4).

use crate::depend::{Dependence, Reached, Start, StatementId};
use crate::interaction::is_output;
use crate::origins::{Changed, Origins};
use crate::transition::Transition;
use hydrogen_evidence::affected::HunkKind;
use std::collections::BTreeSet;

/// What counts as one change (B12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Each statement.
    Statement,
    /// A run of statements that stand together.
    #[default]
    Region,
    /// All of a function.
    Function,
    /// All of a file.
    File,
}

/// A run of changed statements, a deletion or a changed head, and what depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkImpact {
    /// What it is.
    pub kind: HunkKind,
    /// Its file.
    pub file: Box<str>,
    /// Its function.
    pub function: Box<str>,
    /// Its first line; of the old version for a function that is gone.
    pub line: u32,
    /// How many statements it changed or deleted.
    pub statements: usize,
    /// The changed statements among them that the new version has.
    pub changed: BTreeSet<StatementId>,
    /// Where its effect starts.
    pub starts: BTreeSet<Start>,
    /// Everything that may be affected, what is changed included.
    pub affected: BTreeSet<StatementId>,
    /// Those of them that only run more or less often because their function is called so; in each call they do as before.
    pub called: BTreeSet<StatementId>,
}

/// What a step's changes can affect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// Every run of changes.
    pub hunks: Vec<HunkImpact>,
    /// Changes whose effect is not followed, in sentences.
    pub not_followed: Vec<String>,
}

impl Impact {
    /// The impact of a step's changes, run by run.
    pub fn of(step: &Transition) -> Self {
        Self::by(step, Granularity::default())
    }

    /// The impact of a step's changes.
    pub fn by(step: &Transition, granularity: Granularity) -> Self {
        let origins = Origins::of(step);
        let mut impact = Self { not_followed: origins.not_followed, ..Self::default() };
        let mut last: Option<Changed> = None;
        for origin in origins.all {
            let kind = match origin.what {
                Changed::Statement(_) => HunkKind::Changed,
                Changed::Deletion(..) => HunkKind::Deleted,
                Changed::Head(_) => HunkKind::Head,
                Changed::Gone(_) => HunkKind::Gone,
            };
            let before = impact.hunks.last();
            let same_file = before.is_some_and(|hunk| hunk.file == origin.file);
            let follows = match (granularity, last, origin.what) {
                (Granularity::File, ..) => same_file,
                (Granularity::Function, ..) => {
                    same_file && before.is_some_and(|hunk| hunk.function == origin.function)
                }
                // Neighbours belong together, whatever made them change.
                (Granularity::Region, Some(Changed::Statement(before)), Changed::Statement(at)) => {
                    at.0 == before.0 + 1 && step.new.entry_of(before) == step.new.entry_of(at)
                }
                _ => false,
            };
            last = Some(origin.what);
            let changed = match origin.what {
                Changed::Statement(at) => Some(at),
                _ => None,
            };
            match impact.hunks.last_mut().filter(|_| follows) {
                Some(hunk) => {
                    if kind == HunkKind::Changed {
                        hunk.kind = kind;
                    }
                    hunk.statements += origin.statements;
                    hunk.starts.extend(origin.starts);
                    hunk.changed.extend(changed);
                }
                None => impact.hunks.push(HunkImpact {
                    kind,
                    file: origin.file,
                    function: origin.function,
                    line: origin.line,
                    statements: origin.statements,
                    changed: changed.into_iter().collect(),
                    starts: origin.starts.into_iter().collect(),
                    affected: BTreeSet::new(),
                    called: BTreeSet::new(),
                }),
            }
        }
        for hunk in &mut impact.hunks {
            let slice = step.new.reached(hunk.starts.iter().copied());
            let how = |at: &StatementId| slice[at.0 as usize];
            let all = (0..step.new.len() as u32).map(StatementId).filter(|at| how(at) != Reached::Not);
            hunk.affected = all.filter(|&at| !is_synthetic(&step.new, at)).collect();
            hunk.called = hunk.affected.iter().copied().filter(|at| how(at) == Reached::Called).collect();
        }
        impact
    }

    /// Everything that may be affected.
    pub fn affected(&self) -> BTreeSet<StatementId> {
        self.hunks.iter().flat_map(|hunk| hunk.affected.iter().copied()).collect()
    }

    /// What may only run more or less often, by all changes.
    pub fn called(&self) -> BTreeSet<StatementId> {
        let otherwise =
            |hunk: &HunkImpact, at: &StatementId| hunk.affected.contains(at) && !hunk.called.contains(at);
        let all = self.hunks.iter().flat_map(|hunk| hunk.called.iter().copied());
        all.filter(|at| !self.hunks.iter().any(|hunk| otherwise(hunk, at))).collect()
    }

    /// Pairs of hunks that may affect the same statement, with the likeliest such statement, of several the first.
    pub fn interference(&self, likelihood: &[f64]) -> Vec<(usize, usize, StatementId)> {
        let how = |at: &StatementId| likelihood.get(at.0 as usize).copied().unwrap_or(0.0);
        let mut found = Vec::new();
        for (a, first) in self.hunks.iter().enumerate() {
            for (b, second) in self.hunks.iter().enumerate().skip(a + 1) {
                let both = first.affected.intersection(&second.affected);
                let best = both.max_by(|x, y| how(x).total_cmp(&how(y)).then(y.cmp(x)));
                found.extend(best.map(|&at| (a, b, at)));
            }
        }
        found
    }
}

fn is_synthetic(dependence: &Dependence, at: StatementId) -> bool {
    let (_, function, piece) = dependence.place(at);
    function.pieces[piece as usize].is_synthetic()
}

/// The affected functions, as file and name, in order.
pub fn functions_of(
    dependence: &Dependence,
    statements: &BTreeSet<StatementId>,
) -> BTreeSet<(String, String)> {
    let place = |at: &StatementId| {
        let (unit, function, _) = dependence.place(*at);
        (unit.module.name.clone(), function.name.clone())
    };
    statements.iter().map(place).collect()
}

/// Those of the statements that are seen from outside.
pub fn outputs_of(dependence: &Dependence, statements: &BTreeSet<StatementId>) -> Vec<StatementId> {
    let output = |at: &StatementId| {
        let (_, function, piece) = dependence.place(*at);
        is_output(&function.pieces[piece as usize])
    };
    statements.iter().copied().filter(output).collect()
}
