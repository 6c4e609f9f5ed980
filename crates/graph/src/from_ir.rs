//! Versions from program models, compiled or build-free.

use crate::input::{BodyInput, BodySource, Digest, FunctionInput, FunctionKey, FunctionRef};
use crate::{VersionInfo, VersionInput};
use hydrogen_ir::{Fingerprint, Function, FunctionSummary, Linkage, Module};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A function definition as a unit has it; [`functions_of`] makes a version's functions of all units' definitions.
pub struct Definition<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    linkage: Linkage,
    signature: &'a str,
    print: Fingerprint,
    body: BodySource<'a>,
}

impl<'a> Definition<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// A function at hand, with the hashes of its pieces' instructions when it is compiled.
    pub fn of_function(module: &'a Module, function: &'a Function, payload: Option<Arc<[Digest]>>) -> Self {
        Self {
            name: &function.name,
            file: function.file().map_or(module.name.as_str(), |file| module.file(file)),
            line: function.line().unwrap_or(0),
            linkage: function.linkage,
            signature: &function.signature,
            print: Fingerprint::of(function, payload.as_deref()),
            body: BodySource::Ready(BodyInput { function: FunctionRef::Borrowed(function), payload }),
        }
    }

    /// A function without instructions that begins at this line, wherever it was read.
    pub fn moved(function: &'a Arc<Function>, file: &'a str, line: u32, print: Fingerprint) -> Self {
        let load =
            move || Ok(BodyInput { function: FunctionRef::Moved(Arc::clone(function), line), payload: None });
        Self {
            name: &function.name,
            file,
            line,
            linkage: function.linkage,
            signature: &function.signature,
            print,
            body: BodySource::Lazy(Box::new(load)),
        }
    }

    /// A function that is known by its summary and loaded only when it changed.
    pub fn of_summary(summary: &'a FunctionSummary, body: BodySource<'a>) -> Self {
        Self {
            name: &summary.name,
            file: &summary.file,
            line: summary.line,
            linkage: summary.linkage,
            signature: &summary.signature,
            print: summary.print,
            body,
        }
    }
}

impl<'a> VersionInput<'a> {
    /// A version from its modules, without payloads and items. Which of several equal definitions is taken (an
    /// inline function of a header, in many modules) depends on the order of modules alone.
    pub fn from_modules(info: VersionInfo, modules: impl IntoIterator<Item = &'a Module>) -> Self {
        let functions: Vec<(&Module, &Function)> = modules
            .into_iter()
            .flat_map(|module| module.definitions().map(move |(_, function)| (module, function)))
            .collect();
        let definition = |(module, function)| Definition::of_function(module, function, None);
        let definitions: Vec<Definition<'a>> = functions.into_par_iter().map(definition).collect();
        Self { info, functions: functions_of(definitions), items: Arc::default() }
    }
}

/// The functions of one version, keyed so that no two collide.
///
/// Definitions at the same place (a header's function in many units) are one function. A name that several files
/// define is identified together with its file.
pub fn functions_of<'a>(definitions: impl IntoIterator<Item = Definition<'a>>) -> Vec<FunctionInput<'a>> {
    let mut found: Vec<Definition<'a>> = definitions.into_iter().collect();
    // Stable, so that of equal definitions the first one stays.
    found.sort_by_key(|one| (one.name, one.file, one.line));
    found.dedup_by_key(|one| (one.name, one.file, one.line));
    let alone = |at: usize| {
        let same = |other: Option<usize>| {
            other.and_then(|other| found.get(other)).is_some_and(|other| other.name == found[at].name)
        };
        !same(at.checked_sub(1)) && !same(Some(at + 1))
    };
    let alone: Vec<bool> = (0..found.len()).map(alone).collect();
    let ambiguous = ambiguous(&found);
    let mut numbers: BTreeMap<(&str, Option<&str>), u32> = BTreeMap::new();
    let input = |(one, alone): (Definition<'a>, bool)| {
        let internal = one.linkage == Linkage::Internal;
        let key_file = (internal || ambiguous.contains(one.name)).then_some(one.file);
        let ordinal = match alone {
            true => 0,
            false => {
                let number = numbers.entry((one.name, key_file)).or_default();
                std::mem::replace(number, *number + 1)
            }
        };
        FunctionInput {
            key: FunctionKey { name: one.name.to_owned(), file: key_file.map(str::to_owned), ordinal },
            file: one.file,
            line: one.line,
            internal,
            signature: one.signature,
            print: one.print,
            body: one.body,
        }
    };
    found.into_iter().zip(alone).map(input).collect()
}

/// The names that several files define for all to see; definitions are sorted by name.
fn ambiguous<'a>(definitions: &[Definition<'a>]) -> BTreeSet<&'a str> {
    let several = |namesakes: &&[Definition<'a>]| {
        let mut visible = namesakes.iter().filter(|one| one.linkage != Linkage::Internal);
        let first = visible.next().map(|one| one.file);
        visible.any(|one| Some(one.file) != first)
    };
    definitions.chunk_by(|a, b| a.name == b.name).filter(several).map(|namesakes| namesakes[0].name).collect()
}
