//! What can be wrong with the versions a user names.

use std::path::PathBuf;

/// Why a list of versions could not be resolved. Every message says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No repository here, and the spec is not a path either.
    #[error(
        "{} is not inside a git repository; run hydrogen inside one, or name directories as `name=path`",
        directory.display()
    )]
    NotARepository {
        /// Where the search started.
        directory: PathBuf,
    },
    /// The repository was found and cannot be read.
    #[error("cannot read the git repository {}: {message}; `git fsck` may say more", git_dir.display())]
    Repository {
        /// The git directory.
        git_dir: PathBuf,
        /// What went wrong.
        message: String,
    },
    /// A repository without commits.
    #[error("the git repository {} has no commits yet; commit something first", git_dir.display())]
    EmptyRepository {
        /// The git directory.
        git_dir: PathBuf,
    },
    /// No such revision.
    #[error("unknown version `{spec}`{}{hint}", did_you_mean(nearest))]
    Unknown {
        /// What the user wrote.
        spec: String,
        /// The names that look most like it, best first.
        nearest: Vec<String>,
        /// More advice, starting with a separator, or nothing.
        hint: String,
    },
    /// A short hash that fits several objects.
    #[error("`{spec}` is ambiguous: it abbreviates {}; write more digits", candidates.join(", "))]
    Ambiguous {
        /// What the user wrote.
        spec: String,
        /// What it could mean.
        candidates: Vec<String>,
    },
    /// The revision exists and is no commit.
    #[error("`{spec}` names a {kind}, not a commit; name a commit, branch or tag")]
    NotACommit {
        /// What the user wrote.
        spec: String,
        /// What it is.
        kind: String,
    },
    /// A range without commits.
    #[error(
        "the range `{spec}` is empty: every commit of `{to}` is already in `{from}`; did you mean `{to}..{from}`?"
    )]
    EmptyRange {
        /// What the user wrote.
        spec: String,
        /// Its left side.
        from: String,
        /// Its right side.
        to: String,
    },
    /// `A...B`.
    #[error(
        "`{spec}` is a symmetric difference, which has no order of versions; write `{from}..{to}` for the commits \
         of `{to}` that are not in `{from}`, or name the two versions one by one"
    )]
    SymmetricDifference {
        /// What the user wrote.
        spec: String,
        /// Its left side.
        from: String,
        /// Its right side.
        to: String,
    },
    /// The history needed is not in this clone.
    #[error(
        "shallow clone: the history of `{spec}` goes beyond what was fetched (cut at {boundary}); run `git fetch \
         --unshallow` first"
    )]
    Shallow {
        /// What the user wrote.
        spec: String,
        /// The commit where the history was cut.
        boundary: String,
    },
    /// A tag pattern that fits no tag.
    #[error("no tag matches `{pattern}`{}", if *tags == 0 { "; the repository has no tags".into() } else { did_you_mean(nearest) })]
    NoTag {
        /// The pattern.
        pattern: String,
        /// How many tags there are.
        tags: usize,
        /// Tags that look like it.
        nearest: Vec<String>,
    },
    /// A pattern that is no pattern.
    #[error("`{pattern}` is not a valid tag pattern: {message}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// A path that does not exist.
    #[error("{} does not exist (in the version `{spec}`)", path.display())]
    Missing {
        /// What the user wrote.
        spec: String,
        /// The path.
        path: PathBuf,
    },
    /// A path that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// A path to something that holds no program.
    #[error(
        "{} is neither a directory nor a .bc or .ll file (in the version `{spec}`); C files alone serve \
         compare, expose, why, run, explore and slice; elsewhere name the folder they are in",
        path.display()
    )]
    NotAProgram {
        /// What the user wrote.
        spec: String,
        /// The path.
        path: PathBuf,
    },
    /// Two different versions with the same name.
    #[error(
        "two different versions are called `{name}`; name one of them differently with `name=path`, or by its hash"
    )]
    SameName {
        /// The name.
        name: String,
    },
    /// An empty spec.
    #[error("an empty version name; write a git revision, a range `A..B`, a tag pattern, or `name=path`")]
    Empty,
}

fn did_you_mean(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {}?", names.join(", "))
        }
    }
}
