//! `hydrogen run PROGRAM… -- ARGS`.

mod call;
mod report;

use super::Outcome;
use super::program::{self, Outgoing, Sources, conditions, outputs};
use crate::cli::{RunOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result};
use bstr::ByteSlice;
use hydrogen_evidence::{Input, Natively, Symbolic, Table, TableRow};
use hydrogen_explore::{Concolic, ForwardRow, forward, holds};
use hydrogen_jail::inside;
use hydrogen_machine::{End, Limit, Program, Run, World};
use hydrogen_program::{Done, Native};
use hydrogen_report::runs;
use hydrogen_term::Pool;
use std::io::Write;
use std::path::Path;

/// A run that goes on for ever ends here, unless the user wants it longer: a minute or two.
const STEPS: u64 = 10_000_000_000;

pub fn run(context: &Context, options: &RunOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag();
    let mut world = program::world(context, &options.program)?;
    let symbolic = program::symbolic(&options.program.symbolic, &world)?;
    let mut given = Input::default();
    if let Some(path) = &options.test {
        given = read_test(&context.path(path))?;
        world = world.with_input(&given);
    }
    let loaded = program::load(context, &options.program, &interrupt)?;
    if let Some(call) = program::call(&loaded.linked.program, &options.program, given.call.as_ref())? {
        return call::run(context, options, &loaded, &world, call, interrupt);
    }
    let native = match options.native {
        true => Some((program::native(context, &options.program, &loaded)?, given, world.clone())),
        false => None,
    };
    let program = loaded.linked.program;
    let mut limits = program::limits(&options.program, interrupt);
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.strict = options.strict;
    limits.go_on = options.faults.goes_on();
    limits.time = options.time.unwrap_or(limits.time);
    let follows = options.symout || options.table;
    if !follows && !options.program.symbolic.is_empty() {
        tracing::warn!(
            "--symbolic says nothing here without --symout or --table; `hydrogen explore` looks for other inputs"
        );
    }
    if !follows {
        let run = program.run(world, limits);
        return show(context, options, &run, None, native);
    }
    let input = symbolic.first(&world);
    let input = Input { named: world.named.clone(), ..input };
    let world = world.with_input(&input);
    let table = options.table.then(|| table(&program, &symbolic, &world, &limits));
    let monitor = Concolic::new(&program, &symbolic, &world, Pool::new());
    let mut run = program.run_with(world, limits, monitor);
    run.monitor.finish(&run.end, |pool, term| holds(pool, &input, term));
    let terms = Symbolic { table, ..terms(&program, &mut run) };
    show(context, options, &run, Some(terms), native)
}

/// An input that explore wrote.
pub fn read_test(path: &Path) -> Result<Input> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no test that explore wrote", path.display()))
}

/// Condition and outputs.
fn terms(program: &Program, run: &mut Run<Concolic<'_>>) -> Symbolic {
    let mut pool = std::mem::take(&mut run.monitor.pool);
    let conditions = conditions(program, &mut pool, &run.monitor.path);
    let out = Outgoing {
        named: &run.monitor.outputs,
        logs: &run.monitor.logs,
        status: run.monitor.status,
        end: &run.end,
        world: &run.world,
    };
    let outputs = outputs(&mut pool, &out);
    let concretised = run.monitor.concretised.iter().map(|((why, site), count)| {
        let place = program.place(*site);
        (why.clone(), place, *count)
    });
    let dependent = run.monitor.dependent;
    Symbolic { conditions, outputs, concretised: concretised.collect(), dependent, table: None }
}

/// The run line by line.
fn table(
    program: &Program,
    symbolic: &hydrogen_explore::Symbolic,
    world: &World,
    limits: &hydrogen_machine::Limits,
) -> Table {
    let found = forward(program, symbolic, world.clone(), limits.clone());
    let row = |row: ForwardRow| TableRow {
        place: program.place(row.site),
        values: row.values,
        condition: row.condition,
    };
    Table { rows: found.rows.into_iter().map(row).collect(), cut: found.is_cut }
}

fn show<M>(
    context: &Context,
    options: &RunOptions,
    run: &Run<M>,
    symbolic: Option<Symbolic>,
    native: Option<(Native, Input, World)>,
) -> Result<Outcome> {
    let native = match &native {
        Some((native, input, world)) => {
            Some(native.once(&Done { input, end: &run.end, after: &run.world }, world)?)
        }
        None => None,
    };
    if let Some(folder) = &options.files {
        save_files(&context.path(folder), run)?;
    }
    let told = report::ran(run, symbolic, native);
    match options.format {
        TableFormat::Json => context.output(&runs::run_json(&told, serde_json::Map::new()))?,
        TableFormat::Text => {
            context.output_of_a_program(&run.world.stdout)?;
            let sources = Sources::new(context, &options.program.programs)?;
            let mut errors = std::io::stderr().lock();
            errors.write_all(&run.world.stderr)?;
            errors.write_all(runs::run_text(&told, &sources, context.is_quiet()).as_bytes())?;
        }
    }
    Ok(match &run.end {
        _ if matches!(told.native, Some(Natively::Differs(_))) || !run.world.faults.is_empty() => {
            Outcome::Findings
        }
        End::Exit(status) if options.passthrough => Outcome::Status(*status as u8),
        End::Signal(signal) if options.passthrough => Outcome::Status(128 + *signal as u8),
        End::Exit(_) | End::Signal(_) => Outcome::Done,
        End::Fault(_) => Outcome::Findings,
        End::Unresolved(..) => Outcome::BadInput,
        End::Limit(Limit::Interrupted, _) => Outcome::Interrupted,
        End::Limit(..) | End::Unsupported(..) | End::Assumption(..) => Outcome::Undecided,
    })
}

/// Writes what the program wrote.
fn save_files<M>(folder: &Path, run: &Run<M>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, content) in run.world.changed_files() {
        let name = name.trim_start_with(|c| c == '/').to_path_lossy();
        inside::write(folder, &name, &content)
            .with_context(|| format!("cannot write {} into {}", name.display(), folder.display()))?;
    }
    Ok(())
}
