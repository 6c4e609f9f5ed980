//! From specs to versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::spec::{Spec, parse};
use super::{CommitInfo, Error, Source, Version, natural_order, nearest, range};
use crate::Repository;

/// Resolves specs in the order given; `cwd` is where relative paths and the search for the repository start.
pub fn resolve(specs: &[String], cwd: &Path) -> Result<Vec<Version>, Error> {
    resolve_with(specs, cwd, &BTreeMap::new())
}

/// As [`resolve`], with names that stand for lists of specs (`[versions]` of `hydrogen.toml`). A branch or tag
/// shadows an alias of the same name, and the specs of an alias are not aliases again.
pub fn resolve_with(
    specs: &[String],
    cwd: &Path,
    aliases: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Version>, Error> {
    let mut resolver = Resolver { cwd, repository: None, versions: Vec::new() };
    for spec in specs {
        match aliases.get(spec) {
            Some(meant) if !resolver.is_ref(spec) => {
                meant.iter().try_for_each(|spec| resolver.add(spec))?;
            }
            _ => resolver.add(spec)?,
        }
    }
    Ok(resolver.versions)
}

struct Resolver<'a> {
    cwd: &'a Path,
    /// Opened when the first spec needs it: directories and bitcode work outside of any repository.
    repository: Option<gix::Repository>,
    versions: Vec<Version>,
}

impl Resolver<'_> {
    fn is_ref(&mut self, name: &str) -> bool {
        self.repository().is_ok_and(|repo| repo.try_find_reference(name).is_ok_and(|found| found.is_some()))
    }

    fn repository(&mut self) -> Result<&gix::Repository, Error> {
        if self.repository.is_none() {
            self.repository = Some(Repository::discover(self.cwd)?.local());
        }
        Ok(self.repository.as_ref().expect("it was set just above"))
    }

    fn add(&mut self, spec: &str) -> Result<(), Error> {
        match parse(spec)? {
            Spec::Named { name, path } => {
                let source = path_source(spec, &self.cwd.join(path))?;
                self.push(name, source)
            }
            Spec::Name(name) => self.add_name(&name),
            Spec::Tags(pattern) => self.add_tags(&pattern),
            Spec::Range { from, to } => self.add_range(spec, from, to),
        }
    }

    fn push(&mut self, name: String, source: Source) -> Result<(), Error> {
        match self.versions.iter().find(|version| version.name == name) {
            Some(known) if known.source == source => Ok(()),
            Some(_) => Err(Error::SameName { name }),
            None => {
                self.versions.push(Version { name, source });
                Ok(())
            }
        }
    }

    fn add_name(&mut self, name: &str) -> Result<(), Error> {
        let path = self.cwd.join(name);
        if is_bitcode(&path) {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            return self.push(stem, path_source(name, &path)?);
        }
        let failure = match self.repository() {
            Ok(repo) => match find_commit(repo, name) {
                Ok(id) => {
                    let source = Source::Commit(commit_info(repo, id)?);
                    return self.push(name.to_string(), source);
                }
                Err(failure) => failure,
            },
            Err(failure) => failure,
        };
        if path.is_dir() {
            let path = std::path::absolute(&path).unwrap_or(path);
            let called = clean(&path).file_name().map(|name| name.to_string_lossy().into_owned());
            return self.push(called.unwrap_or_else(|| name.to_string()), path_source(name, &path)?);
        }
        Err(failure)
    }

    fn add_tags(&mut self, pattern: &str) -> Result<(), Error> {
        let repo = self.repository()?;
        let glob = globset::Glob::new(pattern)
            .map_err(|error| Error::Pattern {
                pattern: pattern.to_string(),
                message: error.kind().to_string(),
            })?
            .compile_matcher();
        let tags = tag_names(repo)?;
        let mut matching: Vec<&String> = tags.iter().filter(|tag| glob.is_match(tag)).collect();
        if matching.is_empty() {
            let plain: String = pattern.chars().filter(|c| !"*?[]".contains(*c)).collect();
            let nearest = nearest::nearest(&plain, &tags);
            return Err(Error::NoTag { pattern: pattern.to_string(), tags: tags.len(), nearest });
        }
        matching.sort_by(|a, b| natural_order(a, b));
        let mut found = Vec::new();
        for tag in matching {
            let id = find_commit(repo, &format!("refs/tags/{tag}"))?;
            found.push((tag.clone(), Source::Commit(commit_info(repo, id)?)));
        }
        found.into_iter().try_for_each(|(name, source)| self.push(name, source))
    }

    fn add_range(&mut self, spec: &str, from: String, to: String) -> Result<(), Error> {
        let repo = self.repository()?;
        let commits = range::commits(repo, spec, find_commit(repo, &from)?, find_commit(repo, &to)?)?;
        if commits.is_empty() {
            return Err(Error::EmptyRange { spec: spec.to_string(), from, to });
        }
        let mut found = Vec::new();
        for id in commits {
            let short = gix::prelude::ObjectIdExt::attach(id, repo).shorten_or_id().to_string();
            found.push((short, Source::Commit(commit_info(repo, id)?)));
        }
        found.into_iter().try_for_each(|(name, source)| self.push(name, source))
    }
}

/// The commit a revision names, tags peeled.
fn find_commit(repo: &gix::Repository, spec: &str) -> Result<ObjectId, Error> {
    let Ok(id) = repo.rev_parse_single(spec) else { return Err(why_unknown(repo, spec)) };
    let id = check_small(repo, id.detach()).map_err(|error| range::broken(repo, error))?;
    let object = repo.find_object(id).map_err(|error| range::broken(repo, error))?;
    let object = object.peel_tags_to_end().map_err(|error| range::broken(repo, error))?;
    match object.kind {
        gix::objs::Kind::Commit => Ok(object.id),
        kind => Err(Error::NotACommit { spec: spec.to_string(), kind: kind.to_string() }),
    }
}

fn why_unknown(repo: &gix::Repository, spec: &str) -> Error {
    let names = match ref_names(repo) {
        Ok(names) => names,
        Err(error) => return error,
    };
    if names.is_empty() && repo.head_id().is_err() {
        return Error::EmptyRepository { git_dir: repo.git_dir().to_path_buf() };
    }
    // `HEAD~5` fails for `HEAD`'s history, `v1~2^` for `v1`: the name is what comes before the first operator.
    let base = spec.split(['~', '^', '@', ':']).next().unwrap_or(spec);
    if let Some(candidates) = ambiguous(repo, base) {
        return Error::Ambiguous { spec: spec.to_string(), candidates };
    }
    let shallow = repo.is_shallow().unwrap_or(false);
    let base_exists = base != spec && !base.is_empty() && repo.rev_parse_single(base).is_ok();
    if base_exists
        && shallow
        && let Ok(Some(boundary)) = repo.shallow_commits()
    {
        let boundary = boundary.iter().min().map(|id| id.to_hex_with_len(12).to_string()).unwrap_or_default();
        return Error::Shallow { spec: spec.to_string(), boundary };
    }
    let nearest = if base_exists { Vec::new() } else { nearest::nearest(base, &names) };
    let hint = match (base_exists, shallow) {
        (true, _) => format!("; `{base}` exists, and its history does not go back that far"),
        (false, true) => "; this is a shallow clone, `git fetch --unshallow` may bring it".to_string(),
        (false, false) if nearest.is_empty() => "; `hydrogen versions` lists the tags".to_string(),
        (false, false) => String::new(),
    };
    Error::Unknown { spec: spec.to_string(), nearest, hint }
}

/// The commits that a short hash could mean, when there are several objects.
fn ambiguous(repo: &gix::Repository, prefix: &str) -> Option<Vec<String>> {
    let prefix = gix::hash::Prefix::from_hex(prefix).ok()?;
    let mut candidates = Default::default();
    repo.objects.lookup_prefix(prefix, Some(&mut candidates)).ok()?;
    let mut candidates: Vec<_> = candidates
        .into_iter()
        .map(|id| {
            let kind = repo.find_header(id).map(|header| header.kind().to_string()).unwrap_or_default();
            format!("{} ({kind})", id.to_hex_with_len(12))
        })
        .collect();
    candidates.sort();
    (candidates.len() > 1).then_some(candidates)
}

fn tag_names(repo: &gix::Repository) -> Result<Vec<String>, Error> {
    names_under(repo, &["refs/tags/"])
}

fn ref_names(repo: &gix::Repository) -> Result<Vec<String>, Error> {
    names_under(repo, &["refs/heads/", "refs/tags/", "refs/remotes/"])
}

fn names_under(repo: &gix::Repository, prefixes: &[&str]) -> Result<Vec<String>, Error> {
    let failed = |error: gix::Error| range::broken(repo, error);
    let references = repo.references().map_err(failed)?;
    let mut names = Vec::new();
    for prefix in prefixes {
        // A ref that cannot be read (a half-written file, say) is not a name to offer.
        for reference in references.prefixed(*prefix).map_err(failed)?.flatten() {
            names.push(reference.name().shorten().to_string());
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Bytes of a commit: more than anybody writes into a message.
const MOST_OF_COMMIT: u64 = 16 << 20;

/// An object that is to be a commit, if it is none whose message only takes memory.
fn check_small(repo: &gix::Repository, id: ObjectId) -> Result<ObjectId, gix::Error> {
    let found = repo.find_header(id)?;
    let (kind, size) = (found.kind(), found.size());
    if matches!(kind, gix::objs::Kind::Commit | gix::objs::Kind::Tag) && size > MOST_OF_COMMIT {
        let why = format!("the {kind} {id} has {size} bytes, and more than {MOST_OF_COMMIT} are not read");
        return Err(gix::Error::from_error(std::io::Error::other(why)));
    }
    Ok(id)
}

/// A commit, if its message is none that only takes memory.
pub(crate) fn find_small_commit(repo: &gix::Repository, id: ObjectId) -> Result<gix::Commit<'_>, gix::Error> {
    repo.find_commit(check_small(repo, id)?)
}

pub(crate) fn commit_info(repo: &gix::Repository, id: ObjectId) -> Result<CommitInfo, Error> {
    let failed = |error: gix::Error| range::broken(repo, error);
    let commit = find_small_commit(repo, id).map_err(failed)?;
    let author = commit.author().map_err(failed)?;
    Ok(CommitInfo {
        repository: repo.git_dir().to_path_buf(),
        commit: id.to_string(),
        tree: commit.tree_id().map_err(failed)?.to_string(),
        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
        author: format!("{} <{}>", author.name, author.email),
        time: author.time().map(|time| time.seconds).unwrap_or_default(),
        summary: commit.message().map_err(failed)?.summary().to_string(),
    })
}

fn is_bitcode(path: &Path) -> bool {
    matches!(path.extension().and_then(|e| e.to_str()), Some("bc" | "ll")) && path.is_file()
}

fn path_source(spec: &str, path: &Path) -> Result<Source, Error> {
    let path = std::path::absolute(path).map(|path| clean(&path)).unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => match std::fs::read_dir(&path) {
            Ok(_) => Ok(Source::Directory(path)),
            Err(error) => Err(Error::Unreadable { path, error }),
        },
        Ok(_) if is_bitcode(&path) => match std::fs::File::open(&path) {
            Ok(_) => Ok(Source::Bitcode(path)),
            Err(error) => Err(Error::Unreadable { path, error }),
        },
        Ok(_) => Err(Error::NotAProgram { spec: spec.to_string(), path }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::Missing { spec: spec.to_string(), path })
        }
        Err(error) => Err(Error::Unreadable { path, error }),
    }
}

/// Removes `.` and, where the directory exists, `..`, so that a name can be taken from the path.
fn clean(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.components().collect())
}
