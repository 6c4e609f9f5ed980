//! The forms a version can be written in.

use std::path::PathBuf;

use super::Error;

/// A spec, taken apart and not yet looked up.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spec {
    /// A git revision, or a path that exists.
    Name(String),
    /// `A..B`; an empty side means `HEAD`, as in git.
    Range { from: String, to: String },
    /// A pattern over tag names.
    Tags(String),
    /// `name=path`.
    Named { name: String, path: PathBuf },
}

/// Takes a spec apart.
pub(super) fn parse(spec: &str) -> Result<Spec, Error> {
    if spec.is_empty() {
        return Err(Error::Empty);
    }
    if let Some(pattern) = spec.strip_prefix("tag:") {
        return Ok(Spec::Tags(pattern.to_string()));
    }
    // `HEAD^{/fix a=b..c}` and `:/fix *` are git's searches in messages: their text is free.
    if spec.starts_with(":/") || spec.contains("^{/") {
        return Ok(Spec::Name(spec.to_string()));
    }
    // A name has no slash, so that a path with `=` in it is still a path.
    if let Some((name, path)) =
        spec.split_once('=').filter(|(name, path)| !name.contains('/') && !path.is_empty())
    {
        if name.is_empty() {
            return Err(Error::Empty);
        }
        return Ok(Spec::Named { name: name.to_string(), path: PathBuf::from(path) });
    }
    let looks_like_path =
        spec.starts_with('.') || spec.starts_with('/') || spec.contains("../") || spec.ends_with("/..");
    if !looks_like_path || spec.starts_with("..") && !spec.starts_with("../") && spec != ".." {
        if let Some((from, to)) = spec.split_once("...") {
            let (spec, from, to) = (spec.to_string(), or_head(from), or_head(to));
            return Err(Error::SymmetricDifference { spec, from, to });
        }
        if let Some((from, to)) = spec.split_once("..") {
            return Ok(Spec::Range { from: or_head(from), to: or_head(to) });
        }
    }
    // Git forbids these characters in ref names, so a pattern is never mistaken for a ref.
    if spec.contains(['*', '?', '[']) {
        return Ok(Spec::Tags(spec.to_string()));
    }
    Ok(Spec::Name(spec.to_string()))
}

fn or_head(side: &str) -> String {
    if side.is_empty() { "HEAD".to_string() } else { side.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{Spec, parse};

    fn check(spec: &str, expect: Spec) {
        assert_eq!(parse(spec).unwrap(), expect, "{spec}");
    }

    #[test]
    fn every_form_is_told_apart() {
        let range = |from: &str, to: &str| Spec::Range { from: from.into(), to: to.into() };
        check("v1..v2", range("v1", "v2"));
        check("v1..", range("v1", "HEAD"));
        check("..v2", range("HEAD", "v2"));
        check("v1.2.*", Spec::Tags("v1.2.*".into()));
        check("tag:v1", Spec::Tags("v1".into()));
        check("old=../a b", Spec::Named { name: "old".into(), path: "../a b".into() });
        check("../dir", Spec::Name("../dir".into()));
        check("..", Spec::Name("..".into()));
        check("a/../b", Spec::Name("a/../b".into()));
        check("HEAD~5", Spec::Name("HEAD~5".into()));
        check(":/fix *..", Spec::Name(":/fix *..".into()));
        check("/tmp/a=b", Spec::Name("/tmp/a=b".into()));
    }

    #[test]
    fn a_symmetric_difference_is_refused_with_the_way_out() {
        let message = parse("a...b").unwrap_err().to_string();
        assert!(message.contains("write `a..b`"), "{message}");
    }
}
