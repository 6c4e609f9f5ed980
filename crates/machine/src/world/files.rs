//! Files that exist only for the program. A mapped folder is read when the program first looks at it; what the program
//! writes stays here.

use super::EINVAL;
use bstr::{BString, ByteSlice};
use hydrogen_jail::inside;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const ENOENT: i64 = 2;
pub(super) const EEXIST: i64 = 17;
pub(super) const ENOTDIR: i64 = 20;
pub(super) const EISDIR: i64 = 21;
pub(super) const EIO: i64 = 5;
const EBUSY: i64 = 16;
pub(super) const ENOTEMPTY: i64 = 39;

/// A file, folder or device by its number.
pub(super) type NodeId = usize;
/// The folder that all others lie in.
const ROOT: NodeId = 0;

#[derive(Debug, Clone)]
pub(super) enum Node {
    /// A folder whose content is known.
    Folder { entries: BTreeMap<BString, NodeId>, parent: NodeId },
    /// A folder of the host that was not looked at yet; the mapping's root limits what links may reach.
    HostFolder { path: PathBuf, root: PathBuf, parent: NodeId },
    /// A file of the host that was not read yet.
    HostFile { path: PathBuf },
    /// A file.
    File { content: Arc<Vec<u8>>, changed: bool },
    /// `/dev/null`.
    Null,
}

/// All files of a world.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) nodes: Vec<Node>,
}

impl Default for Files {
    fn default() -> Self {
        let mut files = Self { nodes: vec![Node::Folder { entries: BTreeMap::new(), parent: 0 }] };
        for folder in ["dev", "tmp"] {
            files.add_folder(0, folder.into());
        }
        if let Ok(dev) = files.find(0, b"/dev") {
            files.add(dev, "null".into(), Node::Null);
        }
        files
    }
}

impl Files {
    fn add(&mut self, folder: NodeId, name: BString, node: Node) -> NodeId {
        self.nodes.push(node);
        let id = self.nodes.len() - 1;
        if let Node::Folder { entries, .. } = &mut self.nodes[folder] {
            entries.insert(name, id);
        }
        id
    }

    fn add_folder(&mut self, parent: NodeId, name: BString) -> NodeId {
        self.add(parent, name, Node::Folder { entries: BTreeMap::new(), parent })
    }

    /// Makes the content of a host's folder appear at `at`.
    pub(super) fn map(&mut self, path: &Path, at: &[u8]) -> std::io::Result<()> {
        let root = path.canonicalize()?;
        let parts: Vec<&[u8]> = at.split_str("/").filter(|part| !part.is_empty()).collect();
        let folder = self.folder(&parts);
        let names = host_entries(&root, &root)?;
        for (name, path) in names {
            let node = host_node(path, &root, folder);
            self.add(folder, name, node);
        }
        Ok(())
    }

    /// Makes the root appear at `at` too: a folder that was mapped to the root is found under its name of the host.
    pub(super) fn alias(&mut self, at: &[u8]) {
        let parts: Vec<&[u8]> = at.split_str("/").filter(|part| !part.is_empty()).collect();
        let Some((name, folders)) = parts.split_last() else { return };
        let folder = self.folder(folders);
        if let Node::Folder { entries, .. } = &mut self.nodes[folder] {
            entries.insert((*name).into(), 0);
        }
    }

    /// The folder with these names from the root; what is not there is made.
    fn folder(&mut self, parts: &[&[u8]]) -> NodeId {
        let mut folder = 0;
        for part in parts {
            folder = match self.entry(folder, part) {
                Ok(id) => id,
                Err(_) => self.add_folder(folder, (*part).into()),
            };
            self.expand(folder);
        }
        folder
    }

    /// Adds a file with this content; a relative name starts from a folder.
    pub(super) fn put(&mut self, from: NodeId, at: &[u8], content: Vec<u8>) {
        let (folder, name) = match at.rfind_byte(b'/') {
            Some(slash) => (&at[..slash], &at[slash + 1..]),
            None => (&at[..0], at),
        };
        let mut id = if at.starts_with(b"/") { 0 } else { from };
        for part in folder.split_str("/").filter(|part| !part.is_empty()) {
            id = match self.entry(id, part) {
                Ok(id) => id,
                Err(_) => self.add_folder(id, part.into()),
            };
        }
        self.expand(id);
        self.add(id, name.into(), Node::File { content: Arc::new(content), changed: false });
    }

    /// Looks into a folder of the host.
    fn expand(&mut self, id: NodeId) {
        let Node::HostFolder { path, root, parent } = &self.nodes[id] else { return };
        let (path, root, parent) = (path.clone(), root.clone(), *parent);
        self.nodes[id] = Node::Folder { entries: BTreeMap::new(), parent };
        for (name, path) in host_entries(&path, &root).unwrap_or_default() {
            let node = host_node(path, &root, id);
            self.add(id, name, node);
        }
    }

    /// Reads a file of the host.
    pub(super) fn load(&mut self, id: NodeId) -> Result<(), i64> {
        if let Node::HostFile { path } = &self.nodes[id] {
            let content = Arc::new(inside::read_left(path, inside::MOST).map_err(|_| EIO)?);
            self.nodes[id] = Node::File { content, changed: false };
        }
        Ok(())
    }

    fn entry(&mut self, folder: NodeId, name: &[u8]) -> Result<NodeId, i64> {
        self.expand(folder);
        let Node::Folder { entries, parent } = &self.nodes[folder] else { return Err(ENOTDIR) };
        match name {
            b"." | b"" => Ok(folder),
            b".." => Ok(*parent),
            name => entries.get(name.as_bstr()).copied().ok_or(ENOENT),
        }
    }

    /// The node at a path, from a folder.
    pub(super) fn find(&mut self, from: NodeId, path: &[u8]) -> Result<NodeId, i64> {
        if path.is_empty() {
            return Err(ENOENT);
        }
        let mut id = if path.starts_with(b"/") { 0 } else { from };
        for part in path.split_str("/") {
            id = self.entry(id, part)?;
        }
        Ok(id)
    }

    /// The folder that holds the last part of a path, and that part.
    pub(super) fn parent(&mut self, from: NodeId, path: &[u8]) -> Result<(NodeId, BString), i64> {
        let path = path.trim_end_with(|c| c == '/');
        let (folder, name) = match path.rfind_byte(b'/') {
            Some(0) => (0, &path[1..]),
            Some(slash) => (self.find(from, &path[..slash])?, &path[slash + 1..]),
            None => (from, path),
        };
        if name.is_empty() {
            return Err(EEXIST);
        }
        self.expand(folder);
        if !matches!(self.nodes[folder], Node::Folder { .. }) {
            return Err(ENOTDIR);
        }
        Ok((folder, name.into()))
    }

    /// A new file, empty.
    pub(super) fn create(&mut self, from: NodeId, path: &[u8]) -> Result<NodeId, i64> {
        if path.ends_with(b"/") {
            return Err(EISDIR);
        }
        let (folder, name) = self.parent(from, path)?;
        Ok(self.add(folder, name, Node::File { content: Arc::default(), changed: true }))
    }

    pub(super) fn make_folder(&mut self, from: NodeId, path: &[u8]) -> Result<(), i64> {
        let (folder, name) = self.parent(from, path)?;
        if self.entry(folder, &name).is_ok() {
            return Err(EEXIST);
        }
        self.add_folder(folder, name);
        Ok(())
    }

    pub(super) fn remove(&mut self, from: NodeId, path: &[u8], folder: bool) -> Result<(), i64> {
        let (parent, name) = self.parent(from, path)?;
        let id = self.entry(parent, &name)?;
        self.expand(id);
        match (name.as_slice(), folder) {
            (b".", true) => return Err(EINVAL),
            (b"..", true) => return Err(ENOTEMPTY),
            _ if path.ends_with(b"/") && !folder => return Err(ENOTDIR),
            _ if id == ROOT && folder => return Err(EBUSY),
            _ => {}
        }
        match (&self.nodes[id], folder) {
            (Node::Folder { entries, .. }, true) if !entries.is_empty() => return Err(ENOTEMPTY),
            (Node::Folder { .. }, false) => return Err(EISDIR),
            (Node::Folder { .. }, true) => {}
            (_, true) => return Err(ENOTDIR),
            _ => {}
        }
        if let Node::Folder { entries, .. } = &mut self.nodes[parent] {
            entries.remove(&name);
        }
        Ok(())
    }

    /// Gives a file or folder another name, in the place of what has that name, where it has: a file that of a file, a folder that of an empty
    /// folder. The folders stay a tree: no folder gets into itself.
    pub(super) fn rename(
        &mut self,
        (old_from, old): (NodeId, &[u8]),
        (new_from, new): (NodeId, &[u8]),
        may_replace: bool,
    ) -> Result<(), i64> {
        let (old_parent, old_name) = self.parent(old_from, old)?;
        let (new_parent, new_name) = self.parent(new_from, new)?;
        if [&old_name, &new_name].iter().any(|name| *name == "." || *name == "..") {
            return Err(EBUSY);
        }
        let id = self.entry(old_parent, &old_name)?;
        let there = self.entry(new_parent, &new_name).ok();
        if id == ROOT || there == Some(ROOT) {
            return Err(EBUSY);
        }
        if there.is_some() && !may_replace {
            return Err(EEXIST);
        }
        self.expand(id);
        let is_folder = matches!(self.nodes[id], Node::Folder { .. });
        if !is_folder && (old.ends_with(b"/") || new.ends_with(b"/")) {
            return Err(ENOTDIR);
        }
        if there == Some(id) {
            return Ok(());
        }
        if is_folder && self.is_within(new_parent, id) {
            return Err(EINVAL);
        }
        if let Some(there) = there {
            self.expand(there);
            match &self.nodes[there] {
                Node::Folder { .. } if !is_folder => return Err(EISDIR),
                Node::Folder { entries, .. } if !entries.is_empty() => return Err(ENOTEMPTY),
                Node::Folder { .. } => {}
                _ if is_folder => return Err(ENOTDIR),
                _ => {}
            }
        }
        if let Node::Folder { entries, .. } = &mut self.nodes[old_parent] {
            entries.remove(&old_name);
        }
        if let Node::Folder { entries, .. } = &mut self.nodes[new_parent] {
            entries.insert(new_name, id);
        }
        if let Node::Folder { parent, .. } = &mut self.nodes[id] {
            *parent = new_parent;
        }
        self.is_new(id);
        Ok(())
    }

    /// Whether a folder is another one or lies in it.
    fn is_within(&self, folder: NodeId, other: NodeId) -> bool {
        let mut at = folder;
        while at != other && at != ROOT {
            at = match &self.nodes[at] {
                Node::Folder { parent, .. } | Node::HostFolder { parent, .. } => *parent,
                _ => return false,
            };
        }
        at == other
    }

    /// Under its new name a file is something new, and so is all that lies in a folder.
    fn is_new(&mut self, id: NodeId) {
        let mut open = vec![id];
        // A link of the host may lead back to a folder around it.
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        while let Some(id) = open.pop() {
            if let Node::HostFolder { path, .. } = &self.nodes[id]
                && !seen.insert(path.clone())
            {
                continue;
            }
            self.expand(id);
            // What cannot be read is still found by whoever opens it.
            let _ = self.load(id);
            match &mut self.nodes[id] {
                Node::Folder { entries, .. } => open.extend(entries.values().filter(|id| **id != ROOT)),
                Node::File { changed, .. } => *changed = true,
                _ => {}
            }
        }
    }

    /// Names and numbers in a folder, sorted.
    pub(super) fn list(&mut self, id: NodeId) -> Option<Vec<(BString, NodeId)>> {
        self.expand(id);
        let Node::Folder { entries, .. } = &self.nodes[id] else { return None };
        Some(entries.iter().map(|(name, id)| (name.clone(), *id)).collect())
    }

    /// The full name of a folder.
    pub(super) fn path(&self, id: NodeId) -> BString {
        let mut parts = Vec::new();
        let mut at = id;
        while at != 0 {
            let (Node::Folder { parent, .. } | Node::HostFolder { parent, .. }) = &self.nodes[at] else {
                break;
            };
            let Node::Folder { entries, .. } = &self.nodes[*parent] else { break };
            let Some((name, _)) = entries.iter().find(|(_, id)| **id == at) else { break };
            parts.push(name.clone());
            at = *parent;
        }
        let mut path = BString::default();
        for part in parts.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(part);
        }
        if path.is_empty() { "/".into() } else { path }
    }

    /// The full name of a file; `None` when it has none any more.
    pub(super) fn path_of(&self, file: NodeId) -> Option<BString> {
        let folders = self.nodes.iter().enumerate();
        let (folder, name) = folders.into_iter().find_map(|(folder, node)| {
            let Node::Folder { entries, .. } = node else { return None };
            let (name, _) = entries.iter().find(|(_, id)| **id == file)?;
            Some((folder, name))
        })?;
        let mut path = self.path(folder);
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        Some(path)
    }

    /// Files whose content is known, and that the program did or did not make or change, by name.
    pub(super) fn known(&self, wanted: bool) -> Vec<(BString, Arc<Vec<u8>>)> {
        let mut found = Vec::new();
        let mut work = vec![(0, BString::default())];
        while let Some((id, path)) = work.pop() {
            match &self.nodes[id] {
                Node::Folder { entries, .. } => {
                    // The root under another name is the root.
                    for (name, id) in entries.iter().filter(|(_, id)| **id != 0) {
                        let mut path = path.clone();
                        path.push(b'/');
                        path.extend_from_slice(name);
                        work.push((*id, path));
                    }
                }
                Node::File { content, changed } if *changed == wanted => {
                    found.push((path, Arc::clone(content)))
                }
                _ => {}
            }
        }
        found.sort();
        found
    }
}

fn host_node(path: PathBuf, root: &Path, parent: NodeId) -> Node {
    match path.is_dir() {
        true => Node::HostFolder { path, root: root.to_owned(), parent },
        false => Node::HostFile { path },
    }
}

/// The files and folders in a folder of the host, sorted; links that lead out of the mapping are not there.
fn host_entries(path: &Path, root: &Path) -> std::io::Result<Vec<(BString, PathBuf)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = BString::from(entry.file_name().as_bytes());
        let Ok(real) = entry.path().canonicalize() else { continue };
        if real.starts_with(root) && (real.is_file() || real.is_dir()) {
            names.push((name, real));
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests;
