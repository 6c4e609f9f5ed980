//! What `A..B` means where one change is asked about.

use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Objects;
use hydrogen_history::version::{Source, Version};

/// A change: the versions before it, and the one after.
#[derive(Debug)]
pub struct Change {
    /// One, or the parents of a merge.
    pub before: Vec<Version>,
    pub after: Version,
}

impl Change {
    /// OLD..NEW, or a commit against its parents (F62).
    pub fn read(context: &Context, what: &str) -> Result<Change> {
        Self::among(context, what, &[])
    }

    /// The same, where the ends may be names that the user gave to versions.
    pub fn among(context: &Context, what: &str, named: &[Version]) -> Result<Change> {
        let resolve = |name: &str| match named.iter().find(|version| version.name == name) {
            Some(version) => Ok(version.clone()),
            None => context.resolve_one(name),
        };
        match split(what) {
            Some((_, new)) if new.contains("..") && !new.contains('/') => {
                bail!("`{what}` has more than two ends; write OLD..NEW")
            }
            Some((old, new)) => {
                let (before, after) = (resolve(old)?, resolve(new)?);
                if before.source == after.source {
                    bail!("`{old}` and `{new}` are the same version; there is no change between them");
                }
                Ok(Change { before: vec![before], after })
            }
            None => Self::of_commit(context, what),
        }
    }

    fn of_commit(context: &Context, name: &str) -> Result<Change> {
        let after = context.resolve_one(name)?;
        let Source::Commit(commit) = &after.source else {
            bail!("`{name}` is no commit, so that nothing is before it; write OLD..NEW");
        };
        let repository = context.trees.repository(&commit.repository)?;
        let objects = Objects::new(&repository);
        let parent = |(at, parent): (usize, &String)| -> Result<Version> {
            let info = objects.commit(parent).with_context(|| format!("the parents of {name}"))?;
            // As git writes it.
            Ok(Version { name: format!("{name}^{}", at + 1), source: Source::Commit(info) })
        };
        let before: Vec<Version> = commit.parents.iter().enumerate().map(parent).collect::<Result<_>>()?;
        if before.is_empty() {
            bail!("`{name}` has no parent; nothing is before it");
        }
        Ok(Change { before, after })
    }

    /// All versions, oldest first.
    pub fn versions(&self) -> Vec<Version> {
        self.before.iter().chain([&self.after]).cloned().collect()
    }
}

/// The two ends of `A..B`; an empty end is HEAD. Folders may have dots in their paths.
fn split(what: &str) -> Option<(&str, &str)> {
    let (old, new) = what.split_once("..").filter(|(_, new)| !new.starts_with(['.', '/']))?;
    Some((or_head(old), or_head(new)))
}

fn or_head(name: &str) -> &str {
    if name.is_empty() { "HEAD" } else { name }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn ends_are_found() {
        assert_eq!(split("v1..v2"), Some(("v1", "v2")));
        assert_eq!(split("v1.."), Some(("v1", "HEAD")));
        assert_eq!(split("HEAD"), None);
        assert_eq!(split("a=../old..b=../new"), None, "a range of folders needs names without leading dots");
    }
}
