//! One input: its runs, and the cell that it is in (Alg. 2).

use crate::cell::{Cell, Label, Side};
use crate::changes::Change;
use crate::convergence::Hints;
use crate::found::{Alarm, Wrong};
use crate::joint::{Atom, Turn, add_equality, add_given, row};
use crate::queue::Class;
use crate::search::{Known, Method, Origin, Partitioner};
use crate::watch::{Seen, run};
use hydrogen_evidence::Input;
use hydrogen_evidence::partitioned::Status;
use hydrogen_explore::Assignment;
use hydrogen_machine::{End, Limit};
use hydrogen_pair::{Apart, Ending};
use hydrogen_term::Evaluator;
use std::collections::BTreeSet;

impl Partitioner<'_> {
    pub(crate) fn run_all(&mut self, input: &Input) -> Option<Vec<Seen>> {
        self.found.runs += 1;
        let versions = 0..self.subject.programs.len();
        let runs: Result<Vec<Seen>, _> = versions
            .map(|version| run(self.subject, version, &self.marks[version], input, &mut self.found.pool))
            .collect();
        runs.map_err(|error| self.found.unresolved.push((input.clone(), error.to_string()))).ok()
    }

    /// Runs an input in all versions and finds its cell (Alg. 2).
    pub(crate) fn look_at(&mut self, mut input: Input, origin: Origin) {
        let Some(runs) = self.run_all(&input) else { return };
        if runs.iter().any(|one| matches!(one.ran.seen.end, End::Limit(Limit::Interrupted, _))) {
            return;
        }
        // What a test does not say is zero: it is said, so that a test is whole.
        for (name, len) in runs.iter().flat_map(|one| &one.ran.seen.named) {
            let bytes = input.named.entry(name.clone()).or_default();
            bytes.resize(bytes.len().max(*len as usize), 0);
        }
        let mut atoms = self.paths(&runs);
        let mut cut = runs.iter().find_map(|one| match &one.ran.outcome.ending {
            Ending::Cut(why) => Some(why.clone()),
            _ => None,
        });
        let excluded = runs.iter().enumerate().any(|(version, one)| match one.ran.outcome.ending {
            Ending::Assumption => true,
            _ => one.ran.outcome.is_undefined() && self.subject.undefined.excludes(version),
        });
        let observables = &self.subject.observables;
        let same = runs.windows(2).all(|two| two[0].ran.outcome.same(&two[1].ran.outcome, observables));
        let mut by_reach = false;
        if cut.is_none() && !excluded && self.options.method == Method::Partitions {
            match self.unreached(&runs, &input).filter(|_| same) {
                Some(row) => (atoms, by_reach) = (row, true),
                None => match self.compare(&runs, &mut atoms, &input, same) {
                    Ok(unclear) => cut = unclear,
                    Err(wrong) => return self.found.alarms.push(Alarm { input, wrong }),
                },
            }
        }
        if let Some(wrong) = self.broken(&input, (&atoms, by_reach), &origin, &runs, same) {
            return self.found.alarms.push(Alarm { input, wrong });
        }
        self.ledger(&runs);
        self.narrow_domain(&atoms);
        for (all, one) in self.coverage.iter_mut().zip(&runs) {
            all.add(&one.ran.seen.coverage);
        }
        let nodes = self.tree.enter(&mut self.found.pool, &atoms);
        let hints = self.hints(&runs, &input, same && cut.is_none() && !excluded);
        self.add_questions(&atoms, &nodes, (&runs, &hints), same);
        let from = origin.question.and_then(|question| self.known[question.run].cell);
        let mut cell = None;
        match cut {
            Some(why) => self.found.unresolved.push((input.clone(), why)),
            None if excluded => self.found.excluded.push(input.clone()),
            None => {
                cell = Some(self.found.cells.len());
                self.take(&input, &atoms, runs, same, (origin.class, from), hints.places);
            }
        }
        self.known.push(Known { atoms, input, cell, by_reach });
    }

    /// The ways of the runs in one row.
    pub(crate) fn paths(&self, runs: &[Seen]) -> Vec<Atom> {
        let newest = runs.len() - 1;
        let versions = (0..runs.len()).rev().filter(|version| match self.options.method {
            Method::Partitions => true,
            Method::Paths | Method::PathsToChanges => *version == newest,
        });
        row(self.subject, versions.map(|version| (version, runs[version].ran.seen.path.as_slice())))
    }

    /// For a run that executes no change, the conditions of that alone, where they are wanted and known (R).
    pub(crate) fn unreached(&mut self, runs: &[Seen], input: &Input) -> Option<Vec<Atom>> {
        if runs.iter().any(|one| !one.executed.is_empty()) {
            return None;
        }
        let conditions = self.reach.as_mut()?.of(self.subject, input, &mut self.found.pool)?;
        let all = conditions.iter().enumerate().rev();
        Some(row(self.subject, all.map(|(version, list)| (version, list.as_slice()))))
    }

    /// Adds whether the outcomes are equal. Says what is not clear about them, if anything is.
    pub(crate) fn compare(
        &mut self,
        runs: &[Seen],
        atoms: &mut Vec<Atom>,
        input: &Input,
        same: bool,
    ) -> Result<Option<String>, Wrong> {
        let pool = &mut self.found.pool;
        let (mut differ, mut unclear) = (Vec::new(), Vec::new());
        for two in runs.windows(2) {
            let Some(apart) = Apart::of(pool, &two[0].ran, &two[1].ran, &self.subject.observables) else {
                return Ok(Some("an outcome is not known".into()));
            };
            add_given(atoms, &apart.given);
            differ.push(apart.differ);
            unclear.extend(apart.unclear);
        }
        let differ = pool.or_all(differ);
        let model = input.model(pool, &pool.variables(&[differ]));
        if Evaluator::new(pool, &model).holds(differ) == same {
            return Err(Wrong::Outcome);
        }
        let equality = pool.not(differ);
        add_equality(pool, atoms, equality, same);
        // Where what is clear differs, the rest does not matter.
        Ok((same && !unclear.is_empty())
            .then(|| format!("it is not known whether it is the same: {}", unclear.join(", "))))
    }

    /// The changed statements that runs execute.
    fn executed(&self, runs: &[Seen]) -> BTreeSet<Change> {
        let runs = runs.iter().enumerate();
        runs.flat_map(|(version, one)| self.changes.places(version, &one.executed)).collect()
    }

    /// Where runs that execute changes, with the same outcome all the same, become the same again.
    fn hints(&mut self, runs: &[Seen], input: &Input, is_wanted: bool) -> Hints {
        let executed = self.executed(runs);
        match &mut self.converging {
            Some(converging) if is_wanted && !executed.is_empty() => {
                converging.of(self.subject, input, &executed).unwrap_or_default()
            }
            _ => Hints::default(),
        }
    }

    pub(crate) fn take(
        &mut self,
        input: &Input,
        atoms: &[Atom],
        runs: Vec<Seen>,
        same: bool,
        why: (Class, Option<usize>),
        converged: BTreeSet<(Change, Change)>,
    ) {
        let executed = self.executed(&runs);
        let label = match same {
            false => Label::Differs,
            true if runs.iter().all(|one| one.executed.is_empty()) => Label::Unreached,
            true => Label::Equal,
        };
        self.found.cells.push(Cell {
            label,
            condition: atoms.iter().map(|atom| atom.term).collect(),
            input: input.clone(),
            sides: runs.into_iter().map(side).collect(),
            executed,
            why,
            converged,
            narrowed: atoms.iter().any(|atom| atom.turn == Turn::Leave),
        });
        if !same {
            self.found.first_difference.get_or_insert(self.begun.elapsed());
            if self.options.stop_on_difference {
                self.end(Status::Difference);
            }
        }
    }
}

pub(crate) fn side(one: Seen) -> Side {
    let hydrogen_pair::Ran { outcome, seen, .. } = one.ran;
    Side { outcome, status: seen.status, outputs: seen.outputs, logs: seen.logs }
}
