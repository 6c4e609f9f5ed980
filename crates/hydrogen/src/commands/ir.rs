//! `hydrogen ir VERSION`.

use super::Outcome;
use crate::cli::IrFormat;
use crate::context::Context;
use crate::output;
use anyhow::{Result, bail};
use hydrogen_ir::{FunctionId, Module, export, text};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct Options {
    pub function: Option<String>,
    pub unit: Option<String>,
    pub link: bool,
    pub syntax: bool,
    pub format: IrFormat,
}

pub fn run(context: &Context, version: &str, options: Options) -> Result<Outcome> {
    let versions = [context.resolve_one(version)?];
    let modeller = context.modeller()?;
    let models = context.models(&modeller, &versions, options.syntax)?;
    let model = &models[0];
    let wanted = |file: &str| options.unit.as_deref().is_none_or(|unit| file.ends_with(unit));
    let mut modules = Vec::new();
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    for unit in model.units.iter().filter(|unit| wanted(&unit.file)) {
        // A library built both static and shared has each unit twice; a program is linked of one of them.
        if options.link && !seen.insert(&unit.file) {
            tracing::info!("{version}: {} is compiled in several ways; the first counts", unit.file);
            continue;
        }
        if let (Some(function), false) = (&options.function, options.link) {
            // Units without the function need not be loaded.
            let found = unit.summary.functions.iter().any(|one| matches(function, &one.name, &one.file));
            names.extend(unit.summary.functions.iter().map(|one| one.name.clone()));
            if !found {
                continue;
            }
        }
        modules.push(modeller.module(unit)?);
    }
    if modules.is_empty() && options.function.is_none() && options.unit.is_some() {
        let files: Vec<&str> = model.units.iter().map(|unit| unit.file.as_str()).collect();
        bail!("{version} has no such unit; it has {}", files.join(", "));
    }
    if let (true, Some(function)) = (modules.is_empty(), &options.function) {
        bail!("{version} defines no function `{function}`{}", nearest(function, names));
    }
    if options.link {
        modules = vec![Arc::new(linked(version, modules))];
    }
    let text = match options.format {
        IrFormat::Text => as_text(&modules, options.function.as_deref()),
        IrFormat::Json => as_json(version, &modules, options.function.as_deref()),
        IrFormat::Dot => as_dot(&modules, options.function.as_deref()),
    };
    context.output(&text)?;
    Ok(if model.units.is_empty() { Outcome::Undecided } else { Outcome::Done })
}

/// The units as one program; what does not fit together is said.
fn linked(version: &str, modules: Vec<Arc<Module>>) -> Module {
    let linked = hydrogen_ir::link::link(modules.into_iter().map(Arc::unwrap_or_clone).collect());
    for conflict in &linked.conflicts {
        tracing::warn!("{version}: {conflict}");
    }
    tracing::info!("{version}: {} symbols are defined elsewhere", linked.undefined.len());
    Module { name: version.to_owned(), ..linked.module }
}

/// Whether NAME or FILE:NAME means this function.
fn matches(wanted: &str, name: &str, file: &str) -> bool {
    match wanted.rsplit_once(':') {
        Some((path, function)) => function == name && file.ends_with(path),
        None => wanted == name,
    }
}

fn nearest(wanted: &str, mut names: Vec<String>) -> String {
    names.sort();
    names.dedup();
    let near = hydrogen_history::version::nearest(wanted, &names);
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

fn chosen<'a>(module: &'a Module, function: Option<&'a str>) -> impl Iterator<Item = FunctionId> + use<'a> {
    let file = |id| module.files.get(usize::try_from(id).unwrap_or(0)).map_or("", String::as_str);
    let is_wanted = move |wanted: &str, one: &hydrogen_ir::Function| {
        matches(wanted, &one.name, one.file().map_or("", |id| file(id.0)))
    };
    module
        .definitions()
        .filter(move |(_, one)| function.is_none_or(|wanted| is_wanted(wanted, one)))
        .map(|(id, _)| id)
}

fn as_text(modules: &[Arc<Module>], function: Option<&str>) -> String {
    let parts: Vec<String> = match function {
        None => modules.iter().map(|module| text::print(module)).collect(),
        Some(_) => modules
            .iter()
            .flat_map(|module| chosen(module, function).map(|id| text::print_function(module, id)))
            .collect(),
    };
    parts.join("\n")
}

fn as_json(version: &str, modules: &[Arc<Module>], function: Option<&str>) -> String {
    let units: Vec<serde_json::Value> = modules
        .iter()
        .flat_map(|module| match function {
            None => vec![export::to_json(module, None)],
            Some(_) => chosen(module, function).map(|id| export::to_json(module, Some(id))).collect(),
        })
        .collect();
    output::json("ir/1", &json!({ "of": version, "units": units }))
}

fn as_dot(modules: &[Arc<Module>], function: Option<&str>) -> String {
    let graphs =
        modules.iter().flat_map(|module| chosen(module, function).map(|id| export::to_dot(module, id)));
    graphs.collect::<Vec<_>>().join("\n")
}
