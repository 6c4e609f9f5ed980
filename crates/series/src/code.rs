//! The compiled code of functions, loaded when somebody asks for it.

use hydrogen_graph::{ChainId, Graph, VersionId};
use hydrogen_history::version::Version;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_model::{Modeller, Origin, UnitModel, VersionModel};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the code of a graph's functions is found. Units that several versions have in common are loaded once.
pub struct Code<'a> {
    modeller: &'a Modeller,
    syntax: bool,
    /// Per version of the graph.
    versions: Vec<Entry>,
    modules: Mutex<BTreeMap<[u8; 32], Arc<Module>>>,
}

struct Entry {
    version: Option<Version>,
    model: OnceLock<Result<VersionModel, String>>,
}

/// Why there is no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The version is not one of those that the graph was built from.
    #[error("version number {0} is not known")]
    Version(u32),
    /// The version's model cannot be had.
    #[error("version {version} cannot be read: {message}")]
    Model {
        /// The version.
        version: String,
        /// Why.
        message: String,
    },
    /// The version does not define the function there.
    #[error("version {version} has no function `{function}` in {file}")]
    Function {
        /// The version.
        version: String,
        /// The file.
        file: String,
        /// The function.
        function: String,
    },
}

impl<'a> Code<'a> {
    /// The code of a graph that was built from these versions; some of them may have been left out of it.
    pub fn new(modeller: &'a Modeller, graph: &Graph, versions: &[Version], syntax: bool) -> Self {
        let entry = |name: &String| Entry {
            version: versions.iter().find(|version| version.name == *name).cloned(),
            model: OnceLock::new(),
        };
        let versions = graph.versions().iter().map(|info| entry(&info.name)).collect();
        Self { modeller, syntax, versions, modules: Mutex::default() }
    }

    /// The code of a function of the graph in a version that has it.
    pub fn of_chain(
        &self,
        graph: &Graph,
        chain: ChainId,
        version: VersionId,
    ) -> Result<(Arc<Module>, FunctionId), CodeError> {
        self.function(version, graph.location(chain, version).0, graph.name(chain, version))
    }

    /// The code of the function that a version defines in a file.
    pub fn function(
        &self,
        version: VersionId,
        file: &str,
        function: &str,
    ) -> Result<(Arc<Module>, FunctionId), CodeError> {
        let model = self.model(version)?;
        let missing = || CodeError::Function {
            version: model.version.name.clone(),
            file: file.to_owned(),
            function: function.to_owned(),
        };
        for unit in &model.units {
            let summaries = unit.summary.functions.iter();
            let place = summaries.into_iter().position(|one| one.name == function && one.file == file);
            if let Some(place) = place {
                let module = self
                    .module(unit)
                    .map_err(|message| CodeError::Model { version: model.version.name.clone(), message })?;
                // The summary lists the module's definitions in their order.
                let id = module.definitions().nth(place).map(|(id, _)| id).ok_or_else(missing)?;
                return Ok((module, id));
            }
        }
        Err(missing())
    }

    /// The units of a version, each file once: a library built both static and shared has each unit twice.
    pub fn units(&self, version: VersionId) -> Result<Vec<Arc<Module>>, CodeError> {
        let model = self.model(version)?;
        let failed = |message: String| CodeError::Model { version: model.version.name.clone(), message };
        let mut seen = BTreeSet::new();
        let once = model.units.iter().filter(|unit| seen.insert(&unit.file));
        once.map(|unit| self.module(unit).map_err(failed)).collect()
    }

    /// The model of a version.
    pub fn model(&self, version: VersionId) -> Result<&VersionModel, CodeError> {
        let unknown = || CodeError::Version(version.0);
        let entry = self.versions.get(version.index()).ok_or_else(unknown)?;
        let named = entry.version.as_ref().ok_or_else(unknown)?;
        let load = || {
            let mut models = self.modeller.models(std::slice::from_ref(named), self.syntax);
            let model = models.pop().ok_or("it gave no model")?;
            model.map_err(|error| error.to_string())
        };
        let fail =
            |message: &String| CodeError::Model { version: named.name.clone(), message: message.clone() };
        entry.model.get_or_init(load).as_ref().map_err(fail)
    }

    fn module(&self, unit: &UnitModel) -> Result<Arc<Module>, String> {
        let Origin::Cached(key) = &unit.origin else {
            return self.modeller.module(unit).map_err(|error| error.to_string());
        };
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get(key) {
            return Ok(Arc::clone(module));
        }
        let module = self.modeller.module(unit).map_err(|error| error.to_string())?;
        modules.insert(*key, Arc::clone(&module));
        Ok(module)
    }
}
