//! Commits, trees and blobs of one repository, for walking long histories: no version names, no checkouts.

use bstr::BString;
use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use crate::limits::Room;
use crate::repository::told;
use crate::tree::{ChangedFile, Error, FileEntry, check_size, compare, list};
use crate::version::{CommitInfo, commit_info, find_small_commit};
use crate::{Oid, Repository};

/// A view of a repository for one thread.
pub struct Objects {
    repo: gix::Repository,
}

impl Objects {
    /// A view for the calling thread.
    pub fn new(repository: &Repository) -> Objects {
        Objects { repo: repository.local() }
    }

    /// A view that keeps no objects: for contents that are read once.
    pub fn for_blobs(repository: &Repository) -> Objects {
        Objects { repo: repository.plain() }
    }

    /// The commit with this full hash.
    pub fn commit(&self, id: &str) -> Result<CommitInfo, Error> {
        let id = self.id(id)?;
        Ok(commit_info(&self.repo, id)?)
    }

    /// The newest `count` commits from `tip` (a full hash) backwards, newest first by commit date, as `git log` lists
    /// them. In a shallow clone the list ends where the history was cut.
    pub fn newest(&self, tip: &str, count: usize) -> Result<Vec<CommitInfo>, Error> {
        let failed = |error: gix::Error| object_error(&format!("the history of `{tip}`"), error);
        let order = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
        let walk = self.repo.rev_walk([self.id(tip)?]).sorting(order).all().map_err(failed)?;
        walk.take(count).map(|info| Ok(commit_info(&self.repo, info.map_err(failed)?.id)?)).collect()
    }

    /// The whole message of a commit.
    pub fn message(&self, id: &str) -> Result<String, Error> {
        let commit = find_small_commit(&self.repo, self.id(id)?).map_err(|error| object_error(id, error))?;
        let message = commit.message_raw().map_err(|error| object_error(id, error))?;
        Ok(message.to_string())
    }

    /// When a commit was made (not authored), in seconds since 1970.
    pub fn committed(&self, id: &str) -> Result<i64, Error> {
        let commit = self.repo.find_commit(self.id(id)?).map_err(|error| object_error(id, error))?;
        commit.time().map(|time| time.seconds).map_err(|error| object_error(id, error))
    }

    /// The best common ancestor of two commits, if they have one.
    pub fn merge_base(&self, one: &str, two: &str) -> Result<Option<String>, Error> {
        let found = self.repo.merge_base(self.id(one)?, self.id(two)?);
        Ok(found.map_err(|error| object_error(one, error))?.map(|id| id.to_string()))
    }

    /// Whether the history of this commit was cut off, as in a shallow clone: then its parents are named but absent.
    pub fn is_cut(&self, id: &str) -> Result<bool, Error> {
        let boundary = self.repo.shallow_commits().map_err(|error| object_error(id, error))?;
        let id = self.id(id)?;
        Ok(boundary.is_some_and(|commits| commits.iter().any(|commit| *commit == id)))
    }

    /// The folder that holds the objects; of a linked work tree, that of its main repository.
    pub fn directory(&self) -> std::path::PathBuf {
        self.repo.common_dir().join("objects")
    }

    /// The content of a blob.
    pub fn blob(&self, oid: Oid) -> Result<Vec<u8>, Error> {
        let name = oid.to_string();
        check_size(&self.repo, &name, name.as_str().into(), oid.0)?;
        let object = self.repo.find_object(oid.0).map_err(|error| object_error(&oid.to_string(), error))?;
        Ok(object.detach().data)
    }

    /// The size of a blob in bytes, without reading it.
    pub fn size(&self, oid: Oid) -> Result<u64, Error> {
        let header = self.repo.find_header(oid.0).map_err(|error| object_error(&oid.to_string(), error))?;
        Ok(header.size())
    }

    /// All files of a tree (a full hash), sorted by path.
    pub fn files(&self, tree: &str) -> Result<Vec<FileEntry>, Error> {
        let mut files = Vec::new();
        let (mut path, mut room) = (BString::default(), Room::new());
        list(&self.repo, tree, self.id(tree)?, &mut path, &mut files, &mut room)?;
        files.sort_unstable();
        Ok(files)
    }

    /// The content of the file at a path of a tree (a full hash); nothing where no file is.
    pub fn file(&self, tree: &str, path: &[u8]) -> Result<Option<Oid>, Error> {
        let failed = |error: gix::Error| object_error(tree, error);
        let found = self.repo.find_tree(self.id(tree)?).map_err(failed)?;
        let parts = path.split(|&byte| byte == b'/');
        let entry = found.lookup_entry(parts).map_err(failed)?;
        Ok(entry.filter(|entry| entry.mode().is_blob()).map(|entry| Oid(entry.object_id())))
    }

    /// What differs between two trees (full hashes), sorted by path; without an old one, every file is added. Subtrees
    /// that are the same are not read.
    pub fn changes(&self, old: Option<&str>, new: &str) -> Result<Vec<ChangedFile>, Error> {
        let id = self.id(new)?;
        let before = match old {
            Some(tree) => self.id(tree)?,
            None => ObjectId::empty_tree(id.kind()),
        };
        compare(&self.repo, (old.unwrap_or("nothing"), before), (new, id))
    }

    fn id(&self, hash: &str) -> Result<ObjectId, Error> {
        ObjectId::from_hex(hash.as_bytes()).map_err(|error| Error::Object {
            what: "an object".to_owned(),
            version: hash.to_owned(),
            message: error.to_string(),
        })
    }
}

fn object_error(what: &str, error: gix::Error) -> Error {
    Error::Object { what: "an object".to_owned(), version: what.to_owned(), message: told(&error) }
}
