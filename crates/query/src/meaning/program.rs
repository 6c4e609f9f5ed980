//! The code behind a graph: which function, statement and callee a node is in a version.

use hydrogen_graph::{ChainId, Graph, Target, VersionId};
use hydrogen_ir::{FunctionId, Module};
use std::sync::Arc;

/// Where the functions' instructions come from.
pub trait Code {
    /// The definition of a function of a version, in the module of its unit; none if it is not compiled.
    fn function(&self, version: VersionId, file: &str, name: &str) -> Option<(Arc<Module>, FunctionId)>;

    /// All units of a version, those without functions among them; as many as can be had.
    fn units(&self, version: VersionId) -> Vec<Arc<Module>>;
}

/// Whole modules, a list per version.
impl Code for Vec<Vec<Arc<Module>>> {
    fn function(&self, version: VersionId, file: &str, name: &str) -> Option<(Arc<Module>, FunctionId)> {
        let modules = self.get(version.index())?;
        modules.iter().find_map(|module| {
            let id = module.find_function(file, name)?;
            module.function(id).body.is_some().then(|| (Arc::clone(module), id))
        })
    }

    fn units(&self, version: VersionId) -> Vec<Arc<Module>> {
        self.get(version.index()).cloned().unwrap_or_default()
    }
}

/// A graph and the code of its versions.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Its versions' code.
    pub code: &'a dyn Code,
}

/// Whom a call by name reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Callee {
    /// A function of the program.
    Chain(ChainId),
    /// A function that the version does not define.
    External,
    /// Several functions may be meant, or one whose file could not be read.
    Unclear,
}

impl Program<'_> {
    pub(crate) fn file(&self, chain: ChainId, version: VersionId) -> &str {
        self.graph.location(chain, version).0
    }

    /// What a name means in a function of a version.
    pub(crate) fn callee(&self, caller: ChainId, version: VersionId, name: &str) -> Callee {
        let targets = self.graph.named_in(caller, version, name);
        // A file that could not be read may have lost its `static` in the meantime.
        let unread = || {
            let named = self.graph.chains_named(name);
            named.into_iter().any(|chain| self.graph.is_unread(chain, version))
        };
        match targets[..] {
            [Target::Chain(chain)] => Callee::Chain(chain),
            [Target::External(_)] if !unread() => Callee::External,
            _ => Callee::Unclear,
        }
    }
}
