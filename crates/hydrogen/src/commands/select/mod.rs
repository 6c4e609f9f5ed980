//! `hydrogen select A..B --tests DIR`: which tests the change can affect, and which changes no test executes.

use super::Outcome;
use super::expose::tests::{self, Test};
use super::program;
use crate::cli::{Measure, SelectOptions, TableFormat};
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::exposed::{Required, Selected, SelectedTest};
use hydrogen_explore::Symbolic;
use hydrogen_expose::{Options, Requirement, Search, Shape, Suite, Visit, prioritise, reduce};
use hydrogen_machine::{Limits, Program};
use hydrogen_report::exposed::{selected_json, selected_text};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A test.
struct Row {
    name: String,
    visit: Visit,
    /// Whether it is one of those that are enough.
    kept: bool,
}

/// What one test may take of the machine.
const STEPS: u64 = 50_000_000;
/// What one may take that is watched closely.
const WATCHED: u64 = 5_000_000;

pub fn run(context: &Context, options: &SelectOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag();
    let two = program::load_two(context, &options.program, &interrupt)?;
    let world = program::world(context, &options.program)?;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    let all = tests::read(&context.path(&options.tests), &world)?;
    let mut suite = Suite::new([two.old.program(), two.new.program()]);
    let end = Instant::now() + options.budget;
    let spinner = crate::progress::spinner(context.is_quiet());
    let (mut rows, mut tried) = (Vec::new(), Vec::new());
    for test in all {
        spinner.set_message(format!("running {}", test.name));
        let visit = if interrupt.load(Ordering::Relaxed) || Instant::now() >= end {
            Visit { cut: Some("there was no time".to_owned()), ..Visit::default() }
        } else {
            suite.run(&test.world, &test.input, &limits)
        };
        tried.push(test.clone());
        rows.push(Row { name: test.name, visit, kept: true });
    }
    let required = match options.distance {
        Some(distance) => {
            let reaching: Vec<&Test> = tried
                .iter()
                .zip(&rows)
                .filter(|(_, row)| !row.visit.changes.is_empty() && row.visit.cut.is_none())
                .map(|(test, _)| test)
                .collect();
            let programs = [two.old.program(), two.new.program()];
            spinner.set_message("looking how far the change gets");
            Some(requirements(programs, &world.entry, &reaching, distance, &limits, end))
        }
        None => None,
    };
    spinner.finish_and_clear();
    if let Some(measure) = options.reduce {
        keep_enough(&mut rows, measure);
    }
    if let Some(measure) = options.order {
        rows = in_order(rows, measure);
    }
    let points = suite.points();
    let changes = |row: &Row| -> BTreeSet<usize> {
        (0..points.len()).filter(|at| row.visit.changes.contains(&points[*at].0)).collect()
    };
    let tests = rows.iter().map(|row| SelectedTest {
        name: &row.name,
        changes: changes(row),
        cut: row.visit.cut.as_deref(),
        differs: &row.visit.differs,
        kept: row.kept,
        affected: row.visit.is_affected(),
    });
    let told = Selected {
        names: [&two.old.name, &two.new.name],
        tests: tests.collect(),
        points: points.iter().map(|(_, point)| point).collect(),
        required: required
            .as_ref()
            .map(|all| all.iter().map(|(one, met_by)| Required { chain: &one.chain, met_by }).collect()),
    };
    context.output(&match options.format {
        TableFormat::Text => selected_text(&told),
        TableFormat::Json => selected_json(&told),
    })?;
    Ok(match () {
        () if interrupt.load(Ordering::Relaxed) => Outcome::Interrupted,
        () if rows.iter().any(|row| row.visit.cut.is_some()) => Outcome::Undecided,
        () if told.is_quiet() => Outcome::Done,
        () => Outcome::Findings,
    })
}

/// Where the effect of the change may get to over at most so many dependences, each with the tests in which it does.
fn requirements(
    programs: [&Program; 2],
    entry: &str,
    tests: &[&Test],
    distance: usize,
    limits: &Limits,
    end: Instant,
) -> Vec<(Requirement, Vec<String>)> {
    let shape = |test: &&Test| Shape {
        world: test.world.clone(),
        symbolic: Symbolic::default(),
        open: false,
        free: false,
    };
    let options = Options { limits: Limits { steps: WATCHED, ..limits.clone() }, ..Options::default() };
    let mut search = Search::new(programs, tests.iter().map(shape).collect(), &options);
    let mut all: Vec<(Requirement, Vec<String>)> =
        search.requirements(entry, distance).into_iter().map(|one| (one, Vec::new())).collect();
    for (at, test) in tests.iter().enumerate().take_while(|_| Instant::now() < end) {
        let Some(effects) = search.effects(at, &test.input) else { continue };
        for (requirement, met_by) in &mut all {
            if requirement.is_met(&effects) {
                met_by.push(test.name.clone());
            }
        }
    }
    all
}

/// The tests in the order in which to run them. Those of which it is not known what they execute come first, and those that are not affected last.
fn in_order(rows: Vec<Row>, measure: Measure) -> Vec<Row> {
    let (affected, others): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.visit.is_affected());
    let (unknown, known): (Vec<Row>, Vec<Row>) =
        affected.into_iter().partition(|row| row.visit.cut.is_some());
    let visits = || known.iter().map(|row| &row.visit);
    let order = match measure {
        Measure::Changes => prioritise(&visits().map(|visit| visit.changes.clone()).collect::<Vec<_>>()),
        Measure::Statements => {
            prioritise(&visits().map(|visit| visit.statements.clone()).collect::<Vec<_>>())
        }
        Measure::Branches => prioritise(&visits().map(|visit| visit.branches.clone()).collect::<Vec<_>>()),
    };
    let mut known: Vec<Option<Row>> = known.into_iter().map(Some).collect();
    let ordered = order.into_iter().filter_map(|at| known[at].take());
    unknown.into_iter().chain(ordered.collect::<Vec<_>>()).chain(others).collect()
}

/// Of the tests that are affected, only so many that together cover as much. Those of which it is not known what they execute stay.
fn keep_enough(rows: &mut [Row], measure: Measure) {
    let known: Vec<usize> =
        (0..rows.len()).filter(|at| rows[*at].visit.is_affected() && rows[*at].visit.cut.is_none()).collect();
    let of = |at: &usize| &rows[*at].visit;
    let chosen: BTreeSet<usize> = match measure {
        Measure::Changes => reduce(&known.iter().map(|at| of(at).changes.clone()).collect::<Vec<_>>()),
        Measure::Statements => reduce(&known.iter().map(|at| of(at).statements.clone()).collect::<Vec<_>>()),
        Measure::Branches => reduce(&known.iter().map(|at| of(at).branches.clone()).collect::<Vec<_>>()),
    }
    .into_iter()
    .map(|number| known[number])
    .collect();
    for at in known {
        rows[at].kept = chosen.contains(&at);
    }
}
