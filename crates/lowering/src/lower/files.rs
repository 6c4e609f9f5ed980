//! Source files, named relative to the version's root.

use super::Origin;
use crate::llvm::Node;
use hydrogen_ir::FileId;
use rustc_hash::FxHashMap;
use std::path::{Component, Path, PathBuf};

/// The files found so far.
pub(super) struct Files<'m, 'o> {
    origin: &'o Origin,
    nodes: FxHashMap<Node<'m>, FileId>,
    scopes: FxHashMap<Node<'m>, Option<FileId>>,
    names: FxHashMap<String, FileId>,
    pub(super) list: Vec<String>,
}

impl<'m, 'o> Files<'m, 'o> {
    pub(super) fn new(origin: &'o Origin) -> Self {
        Self {
            origin,
            nodes: FxHashMap::default(),
            scopes: FxHashMap::default(),
            names: FxHashMap::default(),
            list: Vec::new(),
        }
    }

    /// The file of a file node. Several nodes may name one file.
    pub(super) fn file(&mut self, node: Node<'m>) -> FileId {
        if let Some(&id) = self.nodes.get(&node) {
            return id;
        }
        let (directory, name) = node.path();
        let name = self.origin.name(&directory, &name);
        let id = *self.names.entry(name).or_insert_with_key(|name| {
            self.list.push(name.clone());
            FileId::at(self.list.len() - 1)
        });
        self.nodes.insert(node, id);
        id
    }

    /// The file of a scope.
    pub(super) fn scope(&mut self, scope: Node<'m>) -> Option<FileId> {
        if let Some(&id) = self.scopes.get(&scope) {
            return id;
        }
        let id = scope.scope_file().map(|file| self.file(file));
        self.scopes.insert(scope, id);
        id
    }
}

impl Origin {
    /// The name of a file in the model: relative to the root where inside it, else absolute.
    pub(crate) fn name(&self, directory: &str, name: &str) -> String {
        let directory = if directory.is_empty() { self.directory.as_path() } else { Path::new(directory) };
        let path = lexical(&self.directory.join(directory).join(name));
        let roots = [Some(&self.root), self.real_root.as_ref()];
        for root in roots.into_iter().flatten().filter(|root| !root.as_os_str().is_empty()) {
            if let Ok(inside) = path.strip_prefix(root) {
                return inside.to_string_lossy().into_owned();
            }
        }
        path.to_string_lossy().into_owned()
    }
}

/// The path without `.` and `..`, decided by its text alone: the file need not exist here.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            part => out.push(part),
        }
    }
    out
}
