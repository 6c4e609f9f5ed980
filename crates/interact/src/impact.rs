//! What a change can affect, and which changes can affect the same (B2, B4).

use crate::changes::Changes;
use crate::depend::{Dependence, StatementId};
use crate::index::Index;
use crate::interaction::is_output;
use std::collections::BTreeSet;

/// A run of changed statements and what depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkImpact {
    /// Its file.
    pub file: Box<str>,
    /// Its function.
    pub function: Box<str>,
    /// Its first line.
    pub line: u32,
    /// Its changed statements.
    pub statements: Vec<StatementId>,
    /// Everything that may be affected, the hunk included.
    pub affected: BTreeSet<StatementId>,
}

/// What a step's changes can affect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// Every run of changed statements.
    pub hunks: Vec<HunkImpact>,
    /// Changes whose effect is not followed, in sentences.
    pub not_followed: Vec<String>,
}

impl Impact {
    /// The impact of changes; `index` and `dependence` are of the new tree.
    pub fn of(index: &Index, changes: &Changes, dependence: &Dependence) -> Self {
        let mut impact = Self::default();
        for (&key, change) in &changes.functions {
            let (facts, path) =
                (index.function(key), &index.file(key.file).expect("a file of the tree").path);
            // Neighbours belong together, whatever made them change.
            let mut runs: Vec<Vec<u32>> = Vec::new();
            for &piece in change.pieces.keys() {
                match runs.last_mut() {
                    Some(run) if run.last() == Some(&(piece - 1)) => run.push(piece),
                    _ => runs.push(vec![piece]),
                }
            }
            for run in runs {
                let found = run.iter().filter_map(|&piece| dependence.statement(path, key.function, piece));
                let statements: Vec<StatementId> = found.collect();
                let slice = dependence.forward(statements.iter().copied());
                let affected = (0..dependence.len() as u32).filter(|&at| slice[at as usize]).map(StatementId);
                impact.hunks.push(HunkImpact {
                    file: path.clone(),
                    function: facts.name.clone(),
                    line: facts.line_of(run[0] as usize),
                    statements,
                    affected: affected.filter(|&at| !is_synthetic(dependence, at)).collect(),
                });
            }
            if !change.deletions.is_empty() || change.head {
                let what = if change.head { "its changed head" } else { "statements deleted in it" };
                impact.not_followed.push(format!("{path}: {}: {what}", facts.name));
            }
        }
        impact.not_followed.extend(changes.gone.iter().map(|it| format!("{}: {} is gone", it.file, it.name)));
        impact
    }

    /// Everything that may be affected.
    pub fn affected(&self) -> BTreeSet<StatementId> {
        self.hunks.iter().flat_map(|hunk| hunk.affected.iter().copied()).collect()
    }

    /// Pairs of hunks that may affect the same statement, with the first such statement.
    pub fn interference(&self) -> Vec<(usize, usize, StatementId)> {
        let mut found = Vec::new();
        for (a, first) in self.hunks.iter().enumerate() {
            for (b, second) in self.hunks.iter().enumerate().skip(a + 1) {
                found.extend(first.affected.intersection(&second.affected).next().map(|&at| (a, b, at)));
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
