//! The C library as models: one member per source file, found by the names it defines.

use hydrogen_ir::{Linkage, Module};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"H2AR";
const VERSION: u32 = 1;

/// Why a file is no archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is something else, of another version, or damaged.
    #[error("{path} is not an archive of this version, or damaged")]
    Damaged {
        /// The file.
        path: String,
    },
}

/// One source file of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it defines for others; whether the definition gives way to another.
    pub defines: Vec<(String, bool)>,
    /// What it needs from others.
    pub needs: Vec<String>,
    offset: u64,
    len: u64,
}

#[derive(Serialize, Deserialize)]
struct Index {
    key: [u8; 32],
    members: Vec<Member>,
}

/// An archive in memory.
#[derive(Debug, Clone)]
pub struct Archive {
    /// What it was made of.
    pub key: [u8; 32],
    members: Vec<Member>,
    names: FxHashMap<String, usize>,
    content: Arc<Vec<u8>>,
    start: usize,
}

impl Archive {
    /// The stored form of modules. `key` names everything that they were made of.
    pub fn encode(key: [u8; 32], modules: &[Module]) -> Vec<u8> {
        let mut content = Vec::new();
        let mut members = Vec::new();
        for module in modules {
            let packed = lz4_flex::compress_prepend_size(&hydrogen_ir::encode(module));
            let (defines, needs) = symbols(module);
            let (offset, len) = (content.len() as u64, packed.len() as u64);
            members.push(Member { name: module.name.clone(), defines, needs, offset, len });
            content.extend(packed);
        }
        let index = postcard::to_stdvec(&Index { key, members }).expect("plain data can be written");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(hydrogen_ir::codec::FORMAT_VERSION.to_le_bytes());
        bytes.extend((index.len() as u64).to_le_bytes());
        bytes.extend(index);
        bytes.extend(content);
        bytes
    }

    /// Reads an archive.
    pub fn read(path: &Path) -> Result<Self, ArchiveError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| ArchiveError::Io { path: name(), source })?;
        Self::decode(bytes).ok_or_else(|| ArchiveError::Damaged { path: name() })
    }

    /// The archive in these bytes.
    pub fn decode(bytes: Vec<u8>) -> Option<Self> {
        const HEADER: usize = 20;
        let head = bytes.get(..HEADER)?;
        let number = |at: usize| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
        if head[..4] != *MAGIC || number(4)? != VERSION || number(8)? != hydrogen_ir::codec::FORMAT_VERSION {
            return None;
        }
        let len = usize::try_from(u64::from_le_bytes(*head[12..].first_chunk()?)).ok()?;
        let start = HEADER.checked_add(len)?;
        let index: Index = postcard::from_bytes(bytes.get(HEADER..start)?).ok()?;
        let mut names: FxHashMap<String, usize> = FxHashMap::default();
        // A definition that gives way to others is the answer only where there is no other.
        for weak in [false, true] {
            for (number, member) in index.members.iter().enumerate() {
                for (name, _) in member.defines.iter().filter(|define| define.1 == weak) {
                    names.entry(name.clone()).or_insert(number);
                }
            }
        }
        Some(Self { key: index.key, members: index.members, names, content: Arc::new(bytes), start })
    }

    /// Its members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member that defines a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The model of a member.
    pub fn module(&self, member: usize) -> Option<Module> {
        let member = self.members.get(member)?;
        let from = self.start.checked_add(usize::try_from(member.offset).ok()?)?;
        let packed = self.content.get(from..from.checked_add(usize::try_from(member.len).ok()?)?)?;
        hydrogen_ir::decode(&lz4_flex::decompress_size_prepended(packed).ok()?).ok()
    }
}

/// What a module defines for others and needs from them.
pub(super) fn symbols(module: &Module) -> (Vec<(String, bool)>, Vec<String>) {
    let mut defines = Vec::new();
    let mut needs = Vec::new();
    let functions = module.functions.iter().map(|one| (&one.name, one.linkage, one.body.is_some()));
    let globals = module.globals.iter().filter(|one| !one.private);
    let globals =
        globals.map(|one| (&one.name, one.linkage, one.initializer.is_some() || one.alias_of.is_some()));
    for (name, linkage, defined) in functions.chain(globals) {
        if name.starts_with("llvm.") {
            continue;
        }
        match (linkage, defined) {
            (Linkage::Internal, _) => {}
            (Linkage::External, true) => defines.push((name.clone(), false)),
            (Linkage::Mergeable, true) => defines.push((name.clone(), true)),
            // A weak reference asks for nothing.
            (Linkage::Mergeable, false) => {}
            (Linkage::AvailableExternally, _) | (Linkage::External, false) => needs.push(name.clone()),
        }
    }
    (defines, needs)
}
