//! What the code may not grow into: `cargo xtask tidy`, and a test.
//!
//! `xtask/tidy.toml` lists what is beyond the limits today, with how much. What is not listed fails, what grows fails, and what is listed and gone or smaller
//! is to be taken out of the list (`cargo xtask tidy --shrink` does it): so the list only shrinks.

use crate::source::{File, files, functions};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Functions with more lines are long.
pub const LONG: usize = 120;
/// Methods that a type may have, over all files.
const METHODS: usize = 80;
/// Folders that take no new file.
const CLOSED: [&str; 2] = ["crates/query/src/fix", "crates/query/src/judge"];
/// Where the exceptions are.
const LIST: &str = "xtask/tidy.toml";

/// What is beyond the limits, by name.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Exceptions {
    /// Types with more methods than they may have.
    methods: BTreeMap<String, usize>,
    /// Functions that are too long, with their lines.
    functions: BTreeMap<String, usize>,
    /// Files that compare what `{:?}` prints, and how often.
    printed: BTreeMap<String, usize>,
    /// How many files there are in folders that take no new one.
    closed: BTreeMap<String, usize>,
}

impl Exceptions {
    /// What a tree is.
    fn of(all: &[File]) -> Self {
        let mut found = Self::default();
        let mut methods: BTreeMap<String, usize> = BTreeMap::new();
        for file in all {
            for one in functions(file) {
                if let Some(of) = one.of {
                    *methods.entry(format!("{}::{of}", file.of)).or_default() += 1;
                }
                if one.lines > LONG {
                    let known = found.functions.entry(format!("{}: {}", file.path, one.name)).or_default();
                    *known = one.lines.max(*known);
                }
            }
            let printed = compared_as_printed(file);
            if printed > 0 {
                found.printed.insert(file.path.clone(), printed);
            }
            for folder in CLOSED {
                if file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) {
                    *found.closed.entry(folder.to_owned()).or_default() += 1;
                }
            }
        }
        found.methods = methods.into_iter().filter(|(_, count)| *count > METHODS).collect();
        found
    }

    fn parts(&self) -> [(&'static str, &BTreeMap<String, usize>); 4] {
        [
            ("methods of one type over all files", &self.methods),
            ("lines of one function", &self.functions),
            ("comparisons of what `{:?}` prints", &self.printed),
            ("files of a folder that takes no new one", &self.closed),
        ]
    }

    fn written(&self) -> String {
        let sections = ["methods", "functions", "printed", "closed"].into_iter().zip(self.parts());
        let line = |(name, count): (&String, &usize)| format!("{name:?} = {count}\n");
        let section = |(head, (_, all)): (&str, (&str, &BTreeMap<String, usize>))| {
            format!("[{head}]\n{}", all.iter().map(line).collect::<String>())
        };
        sections.map(section).collect::<Vec<_>>().join("\n")
    }

    /// The smaller of both, without what is gone.
    fn shrunk(&self, now: &Self) -> Self {
        let least = |listed: &BTreeMap<String, usize>, now: &BTreeMap<String, usize>| {
            let both =
                listed.iter().filter_map(|(name, most)| Some((name.clone(), *most.min(now.get(name)?))));
            both.collect()
        };
        Self {
            methods: least(&self.methods, &now.methods),
            functions: least(&self.functions, &now.functions),
            printed: least(&self.printed, &now.printed),
            closed: least(&self.closed, &now.closed),
        }
    }
}

/// How often a statement compares texts that `{:?}` printed: what two things print says nothing about whether they are the same.
fn compared_as_printed(file: &File) -> usize {
    let mut count = 0;
    let mut from = 0;
    let marks = file.code.char_indices().filter(|(_, c)| matches!(c, ';' | '{' | '}'));
    for (at, _) in marks.chain([(file.code.len(), ';')]) {
        let (code, text) = (&file.code[from..at], file.text.get(from..at).unwrap_or_default());
        let prints = code.contains("format!(") && text.contains(":?}");
        let compares = [" == ", " != ", ".eq(", ".ne(", "sort_by_key(", "sort_by_cached_key("];
        count += usize::from(prints && compares.iter().any(|one| code.contains(one)));
        from = at + 1;
    }
    count
}

/// What is wrong with a tree, in sentences.
fn complaints(root: &Path) -> Result<Vec<String>> {
    let now = Exceptions::of(&files(root)?);
    let listed = read(root)?;
    let mut found = Vec::new();
    for ((what, listed), (_, now)) in listed.parts().into_iter().zip(now.parts()) {
        let names: BTreeSet<&String> = listed.keys().chain(now.keys()).collect();
        for name in names {
            match (listed.get(name), now.get(name)) {
                (None, Some(count)) => found.push(format!("{name}: {count} {what}")),
                (Some(most), Some(count)) if count > most => {
                    found.push(format!("{name}: {count} {what}, and {most} are the most that is allowed"));
                }
                (Some(most), Some(count)) if count < most => found.push(format!(
                    "{name}: {count} {what}, which is less than the {most} in {LIST}: `cargo xtask tidy --shrink` writes it down"
                )),
                (Some(_), None) => found.push(format!(
                    "{name}: is in {LIST} ({what}) without need: `cargo xtask tidy --shrink` takes it out"
                )),
                _ => {}
            }
        }
    }
    Ok(found)
}

fn read(root: &Path) -> Result<Exceptions> {
    let text = std::fs::read_to_string(root.join(LIST)).with_context(|| format!("{LIST} cannot be read"))?;
    toml::from_str(&text).with_context(|| format!("{LIST} is not what it should be"))
}

/// Checks a tree, and writes a shorter list where that is asked for.
pub fn run(root: &Path, shrink: bool) -> Result<()> {
    if shrink {
        let now = Exceptions::of(&files(root)?);
        let text = read(root)?.shrunk(&now).written();
        let head = "# What is beyond the limits of `cargo xtask tidy`. This list may only shrink.\n";
        std::fs::write(root.join(LIST), format!("{head}\n{text}"))?;
    }
    let found = complaints(root)?;
    found.iter().for_each(|line| println!("{line}"));
    match found.len() {
        0 => Ok(()),
        count => bail!("{count} things are not tidy"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn the_house_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let found = complaints(root).unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    fn printed(text: &str) -> usize {
        let (text, code) = (text.to_owned(), crate::source::blanked(text));
        compared_as_printed(&File { of: String::new(), path: String::new(), text, code })
    }

    #[test]
    fn printed_things_are_not_compared() {
        assert_eq!(printed("let same = format!(\"{a:?}\") == format!(\"{b:?}\");"), 1);
        assert_eq!(printed("let text = format!(\"{a:?}\"); let same = a == b;"), 0);
    }
}
