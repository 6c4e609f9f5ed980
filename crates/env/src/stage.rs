//! Recorded files that stand in for those of here, for the time of one run.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::resource::Resource;
use crate::world::{Content, Form};

/// The most names of a folder that are made.
const MOST_NAMES: usize = 100_000;

/// A folder of stand-ins.
#[derive(Debug)]
pub struct Stage {
    folder: tempfile::TempDir,
    made: HashMap<Resource, PathBuf>,
}

impl Stage {
    /// An empty one.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self { folder: tempfile::Builder::new().prefix("hydrogen-env-").tempdir()?, made: HashMap::new() })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The stand-in of a resource, made when it is first asked for. Nothing if the record does not say what it is.
    pub fn path(&mut self, resource: &Resource, content: &Content) -> Option<Vec<u8>> {
        if let Some(path) = self.made.get(resource) {
            return Some(path.clone().into_os_string().into_vec());
        }
        if content.form == Some(Form::Other) {
            return None;
        }
        let path = self.folder.path().join(self.made.len().to_string());
        self.make(&path, content).ok()?;
        self.made.insert(resource.clone(), path.clone());
        Some(path.into_os_string().into_vec())
    }

    fn make(&self, path: &PathBuf, content: &Content) -> std::io::Result<()> {
        let mode = content.mode.unwrap_or(0o644) & 0o777;
        if content.form == Some(Form::Folder) {
            fs::create_dir(path)?;
            for (name, kind) in content.names.iter().take(MOST_NAMES) {
                // A record may come from anywhere: a name is one name.
                if name.is_empty() || name.contains(&b'/') || matches!(&name[..], b"." | b"..") {
                    continue;
                }
                let inner = path.join(OsStr::from_bytes(name));
                match *kind {
                    libc::DT_DIR => fs::create_dir(inner)?,
                    libc::DT_LNK => symlink("nowhere", inner)?,
                    _ => drop(File::create(inner)?),
                }
            }
            return Ok(());
        }
        let is_known = !content.pieces.is_empty() || content.size.is_some();
        if content.exists == Some(false) || content.exists.is_none() && !is_known {
            return Ok(());
        }
        let file = File::create(path)?;
        if let Some(size) = content.size {
            file.set_len(size.min(1 << 40))?;
        }
        for (at, bytes) in &content.pieces {
            file.write_all_at(bytes, *at)?;
        }
        fs::set_permissions(path, Permissions::from_mode(mode | 0o600))
    }
}
