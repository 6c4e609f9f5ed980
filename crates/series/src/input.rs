//! What the graph takes of a version. Models are loaded only where a function changed.

use crate::roster::definitions;
use hydrogen_graph::{
    BodyInput, BodySource, Definition, FunctionInput, FunctionRef, Gap, Item, ItemKey, ItemKind, LoadError,
    VersionInfo, VersionInput, functions_of,
};
use hydrogen_ir::{ContentHash, FunctionId, FunctionSummary, Linkage, Module};
use hydrogen_model::{Failure, ItemChange, Modeller, Outline, UnitModel, VersionItem, VersionModel};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A version from its model.
pub fn of_model<'a>(
    modeller: &'a Modeller,
    model: &'a VersionModel,
    info: VersionInfo,
    items: Arc<[Item]>,
) -> VersionInput<'a> {
    let gap = |failure: &Failure| Gap { file: failure.file.clone(), message: failure.message.clone() };
    let info = VersionInfo {
        missing: model.failures.iter().map(gap).collect(),
        problems: model.problems.clone(),
        read: model.units.len(),
        ..info
    };
    let mut definitions = Vec::new();
    for unit in &model.units {
        let module = Arc::new(LazyModule { modeller, unit, loaded: OnceLock::new() });
        for (place, summary) in unit.summary.functions.iter().enumerate() {
            if is_own(summary) {
                let module = Arc::clone(&module);
                let body = BodySource::Lazy(Box::new(move || module.body(place)));
                definitions.push(Definition::of_summary(summary, body));
            }
        }
    }
    VersionInput { info, functions: functions_of(definitions), items }
}

/// A version from the outlines of its files.
pub fn of_outlines<'a>(
    outlines: impl Iterator<Item = &'a Arc<Outline>>,
    info: VersionInfo,
    items: Arc<[Item]>,
) -> VersionInput<'a> {
    let functions: Vec<FunctionInput<'a>> = functions_of(outlines.flat_map(|outline| definitions(outline)));
    VersionInput { info, functions, items }
}

/// Whether a function is of the version's own files; those of system headers have absolute paths.
fn is_own(summary: &FunctionSummary) -> bool {
    !summary.file.starts_with('/')
}

/// A unit's module, loaded when the first of its functions is asked for.
struct LazyModule<'a> {
    modeller: &'a Modeller,
    unit: &'a UnitModel,
    loaded: OnceLock<Result<Loaded, String>>,
}

/// A module and its definitions, in the order of the summary.
type Loaded = (Arc<Module>, Vec<FunctionId>);

impl<'a> LazyModule<'a> {
    /// The body of the definition at a place of the summary.
    fn body(&self, place: usize) -> Result<BodyInput<'a>, LoadError> {
        let load = || {
            let module = self.modeller.module(self.unit).map_err(|error| error.to_string())?;
            let definitions = module.definitions().map(|(id, _)| id).collect();
            Ok((module, definitions))
        };
        let (module, definitions) = self.loaded.get_or_init(load).as_ref().map_err(String::as_str)?;
        let id = *definitions.get(place).ok_or("the model is not the one that the summary was made of")?;
        let payload = hydrogen_ir::piece_hashes(module, module.function(id)).map(Arc::from);
        Ok(BodyInput { function: FunctionRef::Shared(Arc::clone(module), id), payload })
    }
}

/// What the source says outside functions. Variables are left out where the compiled model knows them better.
pub fn items_of_source(items: &[VersionItem], variables: bool) -> Vec<Item> {
    let item = |item: &VersionItem| {
        let kind = kind_of(item.kind).filter(|kind| variables || *kind != ItemKind::Global)?;
        Some(Item { kind, name: item.name.clone(), file: item.file.clone(), hash: item.hash })
    };
    items.iter().filter_map(item).collect()
}

/// What the graph takes an item of the source for.
fn kind_of(kind: hydrogen_syntax::ItemKind) -> Option<ItemKind> {
    use hydrogen_syntax::ItemKind as Source;
    match kind {
        Source::Macro => Some(ItemKind::Macro),
        Source::Type | Source::Enum => Some(ItemKind::Type),
        Source::Global => Some(ItemKind::Global),
        Source::Prototype | Source::Include => None,
    }
}

/// What differs outside functions, as the graph takes it.
pub fn item_steps(changes: &[ItemChange]) -> Vec<(ItemKey, Option<ContentHash>)> {
    let mut steps = Vec::new();
    for ItemChange { name, file, before, now } in changes {
        let key = |kind| ItemKey { kind, name: name.clone(), file: file.clone() };
        let of = |side: &Option<(hydrogen_syntax::ItemKind, ContentHash)>| {
            side.and_then(|(kind, hash)| Some((kind_of(kind)?, hash)))
        };
        let (before, now) = (of(before), of(now));
        if let Some((kind, _)) = before.filter(|(kind, _)| now.is_none_or(|(other, _)| other != *kind)) {
            steps.push((key(kind), None));
        }
        steps.extend(now.map(|(kind, hash)| (key(kind), Some(hash))));
    }
    steps
}

/// The variables of a compiled version.
pub fn variables(model: &VersionModel) -> Vec<Item> {
    let mut items: BTreeMap<(String, Option<String>), ContentHash> = BTreeMap::new();
    for global in model.units.iter().flat_map(|unit| &unit.summary.globals) {
        let file = (global.linkage == Linkage::Internal).then(|| global.file.clone());
        items.entry((global.name.clone(), file)).or_insert(global.hash);
    }
    items.into_iter().map(|((name, file), hash)| Item { kind: ItemKind::Global, name, file, hash }).collect()
}
