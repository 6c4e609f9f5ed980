//! Examples in Markdown: a heading, blocks of C for each version, and what must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A block that states something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The words behind the back quotes.
    pub head: Vec<String>,
    /// The text, each line with its end.
    pub text: String,
}

impl Block {
    /// The first word.
    pub fn kind(&self) -> &str {
        self.head.first().map_or("", String::as_str)
    }

    /// The words behind the first, as they stand.
    pub fn rest(&self) -> String {
        self.head.get(1..).unwrap_or_default().join(" ")
    }
}

/// A fixture. Blocks ```` ```c v2.c ```` or ```` ```c v2/name.c ```` are files of version 2; every other block states something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixture {
    /// The heading.
    pub title: String,
    /// The files of each version, by path; the only file of a version is `main.c`.
    pub versions: Vec<BTreeMap<String, String>>,
    /// What must hold, in order.
    pub blocks: Vec<Block>,
}

impl Fixture {
    /// Reads a fixture. Versions are numbered from 1 without gaps.
    pub fn parse(text: &str) -> Self {
        let mut fixture = Self::default();
        let mut versions: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let (Some(title), true) = (line.strip_prefix("# "), fixture.title.is_empty()) {
                fixture.title = title.to_owned();
            }
            let Some(head) = line.strip_prefix("```") else { continue };
            let head: Vec<String> = head.split_whitespace().map(str::to_owned).collect();
            let body = lines.by_ref().take_while(|line| !line.starts_with("```"));
            let text: String = body.map(|line| format!("{line}\n")).collect();
            let place = head.get(1).filter(|_| head[0] == "c").and_then(|place| version(place));
            match place {
                Some((number, file)) => drop(versions.entry(number).or_default().insert(file, text)),
                None => fixture.blocks.push(Block { head, text }),
            }
        }
        let numbers: Vec<usize> = versions.keys().copied().collect();
        assert_eq!(numbers, (1..=versions.len()).collect::<Vec<_>>(), "versions are numbered from 1");
        fixture.versions = versions.into_values().collect();
        fixture
    }

    /// The blocks of a kind.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| block.kind() == kind)
    }
}

/// `v2.c` is the file `main.c` of version 2, `v2/a/b.c` its file `a/b.c`.
fn version(place: &str) -> Option<(usize, String)> {
    let (version, file) = place.split_once('/').unwrap_or((place, "main.c"));
    let digits = version.strip_prefix('v')?.trim_end_matches(".c");
    Some((digits.parse().ok()?, file.to_owned()))
}

/// The fixtures of a folder that are no tests, and the tests that have no fixture.
pub fn missing_tests(folder: &Path, tests: &[&str]) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder of fixtures is there");
    let files: BTreeSet<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".md").map(str::to_owned))
        .collect();
    let tests: BTreeSet<String> = tests.iter().map(|&test| test.to_owned()).collect();
    files.symmetric_difference(&tests).cloned().collect()
}

/// One test per fixture of a folder beside the test: `fixtures!("fixtures", check, e01 = "e01-overflow", …)`, where `check` takes the
/// fixture and its name. A file that is not listed fails a test of its own.
#[macro_export]
macro_rules! fixtures {
    ($folder:literal, $check:path, $($test:ident = $file:literal),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                let text = include_str!(concat!($folder, "/", $file, ".md"));
                $check(&$crate::Fixture::parse(text), $file);
            }
        )+

        #[test]
        fn every_fixture_is_a_test() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join($folder);
            let missing = $crate::missing_tests(&folder, &[$($file),+]);
            assert!(missing.is_empty(), "not listed, or without a file: {missing:?}");
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_statements() {
        let text = "# Title\n```c v1.c\nint x;\n```\nwords\n```c v2/a/b.c\n```\n```c v2.c\n```\n```edges f\na -> b\n```\n";
        let fixture = Fixture::parse(text);
        assert_eq!(fixture.title, "Title");
        assert_eq!(fixture.versions[0]["main.c"], "int x;\n");
        assert_eq!(fixture.versions[1].keys().collect::<Vec<_>>(), ["a/b.c", "main.c"]);
        assert_eq!((fixture.blocks[0].kind(), fixture.blocks[0].rest().as_str()), ("edges", "f"));
        assert_eq!(fixture.blocks[0].text, "a -> b\n");
    }
}
