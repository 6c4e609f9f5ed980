//! From versions to a multi-version graph.

use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_graph::{
    Digest, FunctionInput, Graph, Item, ItemKind, VersionId, VersionInfo, VersionInput, functions_of,
};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{ContentHash, Linkage, Module};
use hydrogen_model::{Modeller, VersionModel};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a graph is built.
pub struct Options {
    /// From the source alone.
    pub syntax: bool,
    /// Compare every version taken out of the graph with the version itself.
    pub check: bool,
    /// A graph to which the versions are added.
    pub base: Option<PathBuf>,
}

impl Options {
    /// A new graph, unchecked.
    pub fn new(syntax: bool) -> Self {
        Self { syntax, check: false, base: None }
    }
}

/// The graph of the versions, in their order. A version of which nothing could be read is reported and left out.
pub fn build(context: &Context, names: &[String], options: &Options) -> Result<Graph> {
    let versions = context.resolve(names)?;
    let modeller = context.modeller()?;
    let mut graph = match &options.base {
        Some(path) => load(&context.path(path))?,
        None => Graph::new(),
    };
    let mut known: BTreeMap<String, VersionId> = BTreeMap::new();
    for (index, info) in graph.versions().iter().enumerate() {
        known.extend(info.commit.iter().map(|commit| (commit.clone(), VersionId::at(index))));
    }
    for version in &versions {
        if graph.version(&version.name).is_some() {
            tracing::info!("{} is in the graph already", version.name);
            continue;
        }
        let model = match context.models(&modeller, std::slice::from_ref(version), options.syntax) {
            Ok(mut models) => models.remove(0),
            Err(error) if is_interrupt(&error) => return Err(error),
            Err(error) => {
                tracing::warn!("{error:#}; the version is left out");
                continue;
            }
        };
        if model.units.is_empty() {
            tracing::warn!("{}: nothing could be read of this version; it is left out", version.name);
            continue;
        }
        let modules = modules(&modeller, &model)?;
        let id = graph.add(VersionInput {
            info: info(version, &known, graph.newest()),
            functions: functions(&modules),
            items: items(&model),
        })?;
        if options.check {
            let again = VersionInput {
                info: VersionInfo::default(),
                functions: functions(&modules),
                items: Vec::new(),
            };
            let violations = graph.check_version(id, &again);
            if let Some(first) = violations.first() {
                bail!("the graph does not give {} back: {first} ({} in all)", version.name, violations.len());
            }
        }
        if let Source::Commit(commit) = &version.source {
            known.insert(commit.commit.clone(), id);
        }
    }
    if graph.newest().is_none() {
        bail!("none of the versions could be read");
    }
    Ok(graph)
}

fn load(path: &Path) -> Result<Graph> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Graph::load(&bytes).with_context(|| path.display().to_string())
}

fn is_interrupt(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<hydrogen_model::Error>(), Some(hydrogen_model::Error::Interrupted))
}

fn modules(modeller: &Modeller, model: &VersionModel) -> Result<Vec<Arc<Module>>> {
    Ok(model.units.iter().map(|unit| modeller.module(unit)).collect::<Result<_, _>>()?)
}

/// The functions of a version's own files, with what each statement compiles to.
fn functions(modules: &[Arc<Module>]) -> Vec<FunctionInput<'_>> {
    let digest = |hash: ContentHash| hash.0;
    functions_of(modules.iter().flat_map(|module| {
        let mut payloads = hydrogen_ir::piece_hashes(module);
        let own =
            |file: Option<hydrogen_ir::FileId>| file.is_none_or(|file| !module.file(file).starts_with('/'));
        let definitions: Vec<_> = module
            .definitions()
            .filter(|(_, function)| own(function.file()))
            .map(|(id, function)| {
                let payload = payloads[id.index()].take();
                let payload = payload.map(|hashes| hashes.into_iter().map(digest).collect::<Arc<[Digest]>>());
                (&**module, function, payload)
            })
            .collect();
        definitions
    }))
}

fn items(model: &VersionModel) -> Vec<Item> {
    let mut items: BTreeMap<(String, Option<String>), Digest> = BTreeMap::new();
    for global in model.units.iter().flat_map(|unit| &unit.summary.globals) {
        let file = (global.linkage == Linkage::Internal).then(|| global.file.clone());
        items.entry((global.name.clone(), file)).or_insert(global.hash.0);
    }
    items.into_iter().map(|((name, file), hash)| Item { kind: ItemKind::Global, name, file, hash }).collect()
}

/// What is known about a version. Its parents are those of its commit that are in the graph; else the version before.
fn info(version: &Version, known: &BTreeMap<String, VersionId>, newest: Option<VersionId>) -> VersionInfo {
    let mut info = VersionInfo { name: version.name.clone(), ..VersionInfo::default() };
    if let Source::Commit(commit) = &version.source {
        info.parents = commit.parents.iter().filter_map(|parent| known.get(parent).copied()).collect();
        info.commit = Some(commit.commit.clone());
        info.author = Some(commit.author.clone());
        info.date = Some(commit.date());
        info.summary = Some(commit.summary.clone());
    }
    if info.parents.is_empty() {
        info.parents.extend(newest);
    }
    info
}
