//! Where the cache is when nobody says otherwise.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Error;

/// `$HYDROGEN_CACHE`, else `$XDG_CACHE_HOME/hydrogen`, else `~/.cache/hydrogen`.
pub fn default_directory() -> Result<PathBuf, Error> {
    choose(|name| std::env::var_os(name))
}

fn choose(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, Error> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = path("HYDROGEN_CACHE") {
        return Ok(directory);
    }
    // The XDG standard says that a relative path is to be ignored.
    if let Some(directory) = path("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        return Ok(directory.join("hydrogen"));
    }
    path("HOME").map(|home| home.join(".cache/hydrogen")).ok_or(Error::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expect: Option<&str>) {
        let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into());
        assert_eq!(choose(find).ok(), expect.map(PathBuf::from));
    }

    #[test]
    fn the_most_specific_variable_wins() {
        check(&[("HYDROGEN_CACHE", "/h"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/home/u")], Some("/h"));
        check(&[("HYDROGEN_CACHE", ""), ("XDG_CACHE_HOME", "/x"), ("HOME", "/home/u")], Some("/x/hydrogen"));
        check(&[("XDG_CACHE_HOME", "rel"), ("HOME", "/home/u")], Some("/home/u/.cache/hydrogen"));
        check(&[], None);
    }
}
