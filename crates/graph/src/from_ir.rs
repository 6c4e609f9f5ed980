//! Versions from program models, compiled or build-free.

use crate::input::{BodyInput, BodySource, Digest, Fingerprint, FunctionInput, FunctionKey, FunctionRef};
use crate::{VersionInfo, VersionInput};
use hydrogen_ir::canonical;
use hydrogen_ir::{Callee, EdgeKind, Function, Linkage, Module};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl<'a> VersionInput<'a> {
    /// A version from its modules, without payloads and items. Which of several equal definitions is taken (an
    /// inline function of a header, in many modules) depends on the order of modules alone.
    pub fn from_modules(info: VersionInfo, modules: &'a [Module]) -> Self {
        let functions = modules
            .iter()
            .flat_map(|module| module.definitions().map(move |(_, function)| (module, function, None)));
        Self { info, functions: functions_of(functions), items: Vec::new() }
    }
}

/// The functions of one version, keyed so that no two collide.
///
/// Definitions at the same place (a header's function in many units) are one function. A name that several files
/// define is identified together with its file.
pub fn functions_of<'a>(
    definitions: impl IntoIterator<Item = (&'a Module, &'a Function, Option<Arc<[Digest]>>)>,
) -> Vec<FunctionInput<'a>> {
    let mut places: BTreeSet<(&str, &str, u32)> = BTreeSet::new();
    let mut found = Vec::new();
    for (module, function, payload) in definitions {
        let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
        let line = function.line().unwrap_or(0);
        if places.insert((&function.name, file, line)) {
            found.push((file, line, function, payload));
        }
    }
    found.sort_by_key(|(file, line, function, _)| (&function.name, *file, *line));
    let mut visible: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, _, function, _) in &found {
        if function.linkage != Linkage::Internal {
            visible.entry(&function.name).or_default().insert(file);
        }
    }
    let mut numbers: BTreeMap<(&str, Option<&str>), u32> = BTreeMap::new();
    let keys: Vec<FunctionKey> = found
        .iter()
        .map(|(file, _, function, _)| {
            let ambiguous = visible.get(function.name.as_str()).is_some_and(|files| files.len() > 1);
            let key_file = (function.linkage == Linkage::Internal || ambiguous).then_some(*file);
            let number = numbers.entry((&function.name, key_file)).or_default();
            let ordinal = std::mem::replace(number, *number + 1);
            FunctionKey { name: function.name.clone(), file: key_file.map(str::to_owned), ordinal }
        })
        .collect();
    let input = |(key, (file, line, function, payload)): (_, (&str, u32, &'a Function, _))| FunctionInput {
        key,
        file: file.to_owned(),
        line,
        internal: function.linkage == Linkage::Internal,
        signature: function.signature.clone(),
        print: Fingerprint::of(function, Option::as_deref(&payload)),
        body: BodySource::Ready(BodyInput { function: FunctionRef::Borrowed(function), payload }),
    };
    keys.into_par_iter().zip(found).map(input).collect()
}

impl Fingerprint {
    /// The hashes of a function.
    pub fn of(function: &Function, payload: Option<&[Digest]>) -> Self {
        let mut text = Writer::default();
        let mut layout = Writer::default();
        let start = function.line().unwrap_or(0);
        for piece in &function.pieces {
            text.number(piece.role as u32);
            text.number(piece.part);
            text.string(&canonical(&piece.text));
            layout.number(piece.span.map_or(u32::MAX, |span| span.start.line.wrapping_sub(start)));
        }
        text.number(u32::MAX);
        for edge in &function.flow {
            text.number(edge.from.0);
            text.number(edge.to.0);
            match &edge.kind {
                EdgeKind::Next => text.number(0),
                EdgeKind::True => text.number(1),
                EdgeKind::False => text.number(2),
                EdgeKind::Default => text.number(3),
                EdgeKind::Indirect => text.number(4),
                EdgeKind::Case(label) => {
                    text.number(5);
                    text.string(&canonical(label));
                }
                EdgeKind::Config(condition) => {
                    text.number(6);
                    text.string(&canonical(condition));
                }
            }
        }
        text.number(u32::MAX);
        for call in &function.calls {
            text.number(call.piece.0);
            let (tag, name) = match &call.callee {
                Callee::Direct(name) => (0, name),
                Callee::Indirect(name) => (1, name),
            };
            text.number(tag);
            text.string(name);
        }
        let code = payload.map(|payload| {
            let mut code = Writer::default();
            code.0.extend_from_slice(payload.as_flattened());
            code.finish()
        });
        Self { text: text.finish(), code, layout: layout.finish() }
    }
}

/// Collects what is hashed: every item with its length or in fixed width, so that no two contents look alike.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn string(&mut self, string: &str) {
        self.number(string.len() as u32);
        self.0.extend_from_slice(string.as_bytes());
    }

    fn finish(&self) -> Digest {
        let hash = blake3::hash(&self.0);
        *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
    }
}
