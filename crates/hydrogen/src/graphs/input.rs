//! What the graph takes of a version's model. Models are loaded only where a function changed.

use hydrogen_graph::{
    BodyInput, BodySource, Definition, Digest, FunctionInput, FunctionRef, Gap, Item, ItemKind, LoadError,
    VersionInfo, VersionInput, functions_of,
};
use hydrogen_ir::{FunctionId, Linkage, Module};
use hydrogen_model::{Failure, Modeller, UnitModel, VersionModel};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A version's functions and items.
pub fn version<'a>(modeller: &'a Modeller, model: &'a VersionModel, info: VersionInfo) -> VersionInput<'a> {
    let gap = |failure: &Failure| Gap { file: failure.file.clone(), message: failure.message.clone() };
    let info = VersionInfo {
        missing: model.failures.iter().map(gap).collect(),
        problems: model.problems.clone(),
        ..info
    };
    VersionInput { info, functions: functions(modeller, model), items: items(model) }
}

/// The functions of the version's own files; those of system headers have absolute paths.
fn functions<'a>(modeller: &'a Modeller, model: &'a VersionModel) -> Vec<FunctionInput<'a>> {
    let mut definitions = Vec::new();
    for unit in &model.units {
        let module = Arc::new(LazyModule { modeller, unit, loaded: OnceLock::new() });
        for (place, summary) in unit.summary.functions.iter().enumerate() {
            if !summary.file.starts_with('/') {
                let module = Arc::clone(&module);
                let body = BodySource::Lazy(Box::new(move || module.body(place)));
                definitions.push(Definition::of_summary(summary, body));
            }
        }
    }
    functions_of(definitions)
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

fn items(model: &VersionModel) -> Vec<Item> {
    let mut items: BTreeMap<(String, Option<String>), Digest> = BTreeMap::new();
    for global in model.units.iter().flat_map(|unit| &unit.summary.globals) {
        let file = (global.linkage == Linkage::Internal).then(|| global.file.clone());
        items.entry((global.name.clone(), file)).or_insert(global.hash);
    }
    items.into_iter().map(|((name, file), hash)| Item { kind: ItemKind::Global, name, file, hash }).collect()
}
