//! `hydrogen depends PROGRAM…`: what depends on what, without a run.

use super::Outcome;
use super::program;
use crate::cli::{DependsOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::depended::{Decides, Depended, Sides, Spot};
use hydrogen_explore::Distances;
use hydrogen_flow::{FirstUses, Flow, ObjectKind, Options, PointsTo};
use hydrogen_ir::{EdgeKind, Function, FunctionId, InstructionId, Module, Piece};
use hydrogen_machine::{FuncKind, Program, Site};
use hydrogen_report::runs;
use std::collections::{BTreeMap, BTreeSet};

pub fn run(context: &Context, options: &DependsOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag();
    let asked = crate::cli::ProgramOptions {
        entry: options.entry.clone(),
        unit: options.unit.clone(),
        cflags: options.cflags.clone(),
        ..crate::cli::ProgramOptions::plain(options.programs.clone())
    };
    let program = program::load(context, &asked, &interrupt)?.linked.program;
    let module = program.units().next().context("the program has no unit")?;
    let found = match (&options.to, &options.uses) {
        (Some(place), _) => Depended::Distance(place.clone(), distances(&program, module, place)?),
        (_, Some(place)) => Depended::Uses(place.clone(), uses(module, place, &options.entry)?),
        _ => Depended::Control(control(module)),
    };
    context.output(&match options.format {
        TableFormat::Json => runs::depends_json(&found),
        TableFormat::Text => runs::depends_text(&found),
    })?;
    Ok(Outcome::Done)
}

fn place(place: &str) -> Result<(&str, u32)> {
    let parts = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    parts.with_context(|| format!("`{place}`: write FILE:LINE"))
}

fn is_file(path: &str, wanted: &str) -> bool {
    path == wanted || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
}

fn spot(module: &Module, function: &Function, piece: &Piece) -> Option<Spot> {
    let span = piece.span?;
    Some(Spot {
        file: module.file(span.file).to_owned(),
        line: span.start.line,
        function: function.name.clone(),
        text: piece.text.clone(),
    })
}

/// What decides whether each statement is executed, in the order of the source.
fn control(module: &Module) -> Vec<(Spot, Vec<Decides>)> {
    let mut rows = Vec::new();
    for (_, function) in module.definitions() {
        let dependence = Flow::of_pieces(function).control_dependence();
        let mut own = Vec::new();
        for (number, piece) in function.pieces.iter().enumerate() {
            let Some(spot) = spot(module, function, piece) else { continue };
            let decides = |one: &hydrogen_flow::Control<EdgeKind>| {
                let line = function.pieces[one.branch].span?.start.line;
                Some(Decides { line, outcome: one.outcome.to_string() })
            };
            own.push((spot, dependence.controls(number).iter().filter_map(decides).collect()));
        }
        own.sort();
        rows.extend(own);
    }
    rows
}

/// How far a line is from each side of every branch.
fn distances(program: &Program, module: &Module, to: &str) -> Result<Vec<(Spot, Sides)>> {
    let (file, line) = place(to)?;
    let distances = Distances::to_line(program, file, line).with_context(|| format!("{to} has no code"))?;
    let at = |site: Site| {
        let place = program.place(site);
        let text = match program.function(site.function).kind {
            FuncKind::Defined(0, id) => text_at(module.function(id), place.line),
            _ => String::new(),
        };
        Spot { file: place.file, line: place.line, function: place.function, text }
    };
    let mut rows: Vec<(Spot, Sides)> = Vec::new();
    for (branch, sides) in distances.branches() {
        rows.push((at(branch), sides.into_iter().map(|(side, far)| (at(side), far)).collect()));
    }
    rows.sort();
    Ok(rows)
}

fn text_at(function: &Function, line: u32) -> String {
    let here = |piece: &&Piece| piece.span.is_some_and(|span| span.start.line == line);
    function.pieces.iter().find(here).map(|piece| piece.text.clone()).unwrap_or_default()
}

/// The variables that a line sets, each with the first statements that may read it.
fn uses(module: &Module, of: &str, entry: &str) -> Result<Vec<(String, Vec<Spot>)>> {
    let (file, line) = place(of)?;
    let options = Options { closed: true, roots: vec![entry.to_owned()], ..Options::default() };
    let points_to = PointsTo::new(module, &options);
    let all = FirstUses::new(module, &options, &points_to);
    let mut rows: BTreeMap<String, BTreeSet<Spot>> = BTreeMap::new();
    let mut code = false;
    for (id, function) in module.definitions() {
        let Some(body) = &function.body else { continue };
        for (number, instruction) in body.instructions.iter().enumerate() {
            let piece = &function.pieces[instruction.piece.index()];
            let here = piece
                .span
                .is_some_and(|span| span.start.line == line && is_file(module.file(span.file), file));
            if !here {
                continue;
            }
            code = true;
            let definition = (id, InstructionId::at(number));
            let written = all.written(definition);
            let Some((place, _)) = written.first() else { continue };
            let known = all.of(definition).into_iter().filter_map(|user| used_at(module, user));
            let name = name(module, points_to.object(place.object));
            rows.entry(name).or_default().extend(known);
        }
    }
    anyhow::ensure!(code, "{of} has no code");
    Ok(rows.into_iter().map(|(name, uses)| (name, uses.into_iter().collect())).collect())
}

fn used_at(module: &Module, (function, instruction): (FunctionId, InstructionId)) -> Option<Spot> {
    let function = module.function(function);
    let piece = function.body.as_ref()?.instruction(instruction).piece;
    spot(module, function, &function.pieces[piece.index()])
}

/// What people call an object of memory.
fn name(module: &Module, object: ObjectKind) -> String {
    match object {
        ObjectKind::Global(id) => format!("`{}`", module.global(id).name),
        ObjectKind::Stack { function, instruction } => {
            let function = module.function(function);
            let variables = function.body.iter().flat_map(|body| &body.variables);
            let named = variables.into_iter().find(|one| one.slot == Some(instruction));
            named.map_or("a temporary".to_owned(), |one| format!("`{}` of `{}`", one.name, function.name))
        }
        ObjectKind::Heap { function, .. } => {
            format!("memory that `{}` allocates", module.function(function).name)
        }
        _ => "other memory".to_owned(),
    }
}
