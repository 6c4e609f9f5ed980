//! A handle on a git repository that several threads can share.

use std::path::{Path, PathBuf};

use gix::discover::upwards::{Options, TrustPolicy};

use crate::version::Error;

/// Decompressed objects kept per thread; trees and commits of neighbouring versions repeat a lot.
const OBJECT_CACHE: usize = 16 * 1024 * 1024;

/// An open repository. Cloning is cheap, and every thread works on its own [`Repository::local`] view.
#[derive(Clone)]
pub struct Repository(gix::ThreadSafeRepository);

impl Repository {
    /// Finds the repository that contains `directory`, searching upwards as git does; bare repositories and linked
    /// work trees count too.
    ///
    /// The owner of the files does not matter: git's `safe.directory` protects against running foreign hooks and
    /// filters, and nothing of the repository is ever run here.
    pub fn discover(directory: &Path) -> Result<Repository, Error> {
        if let Err(error) = std::fs::read_dir(directory) {
            return Err(Error::Unreadable { path: directory.to_path_buf(), error });
        }
        let options = Options {
            trust: TrustPolicy::Assume(gix::sec::Trust::Full),
            cross_fs: true,
            ..Default::default()
        };
        let (path, _) = gix::discover::upwards_opts(directory, options)
            .map_err(|_| Error::NotARepository { directory: directory.to_path_buf() })?;
        let (git_dir, _) = path.into_repository_and_work_tree_directories();
        let git_dir = std::path::absolute(directory.join(&git_dir)).unwrap_or(git_dir);
        Self::open(&git_dir)
    }

    /// Opens the repository whose git directory is `git_dir`.
    pub fn open(git_dir: &Path) -> Result<Repository, Error> {
        // Nothing is unpacked that is larger than a file may be, whatever it is: a text of a gigabyte takes a megabyte in a repository.
        let most = format!("gitoxide.objects.allocLimit={}", crate::limits::allowed().file());
        // Isolated: the answer must not depend on the user's own git configuration or environment.
        gix::open::Options::isolated()
            .config_overrides([most])
            .open_path_as_is(true)
            .with(gix::sec::Trust::Full)
            .open(git_dir)
            .map(Repository)
            .map_err(|error| Error::Repository { git_dir: git_dir.to_path_buf(), message: error.to_string() })
    }

    /// A view for the calling thread.
    pub(crate) fn local(&self) -> gix::Repository {
        let mut local = self.0.to_thread_local();
        local.object_cache_size_if_unset(OBJECT_CACHE);
        local
    }

    /// A view for the calling thread that keeps no objects.
    pub(crate) fn plain(&self) -> gix::Repository {
        self.0.to_thread_local()
    }

    /// The git directory (`.git`, or the bare repository itself).
    pub fn git_dir(&self) -> &Path {
        self.0.refs.git_dir()
    }

    /// The root of the work tree, when the repository has one.
    pub fn work_dir(&self) -> Option<PathBuf> {
        self.0.work_tree.clone()
    }
}

/// What git's reader says, with the reasons below: the first sentence alone may be that an object cannot be read.
pub(crate) fn told(error: &gix::Error) -> String {
    let mut said = vec![error.to_string()];
    let mut below = std::error::Error::source(error);
    while let Some(cause) = below {
        let words = cause.to_string();
        if !said.contains(&words) {
            said.push(words);
        }
        below = cause.source();
    }
    said.join(": ")
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Repository({})", self.git_dir().display())
    }
}
