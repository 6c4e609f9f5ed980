//! The command lines that people wrote for a program: in the scripts of its tests, in makefiles and in manuals.

use bstr::ByteSlice;
use hydrogen_expose::scripts::{Line, lines};
use hydrogen_history::tree::{FileEntry, Kind, Trees};
use hydrogen_history::version::Version;

/// Files of more bytes are not read.
const LARGEST: usize = 256 << 10;
/// So many files are read, and so many lines taken of one and of all.
const FILES: usize = 200;
const OF_ONE: usize = 300;
const ALL: usize = 800;
/// Endings of scripts; a file without any may be one, too.
const SCRIPTS: [&str; 13] =
    ["sh", "pl", "pm", "py", "t", "test", "tests", "at", "bats", "exp", "rb", "tcl", "mk"];
/// Endings of texts in which programs are called by name at most.
const TEXTS: [&str; 8] = ["md", "txt", "rst", "1", "am", "yml", "yaml", "adoc"];
/// Words by which people call folders of tests.
const TESTS: [&str; 7] = ["test", "tests", "testing", "testsuite", "t", "check", "regress"];

/// The command lines of a program that files of a version mention: those of tests first, and of these those of files that are named after the program.
pub fn written(version: &Version, program: &str) -> Vec<Line> {
    let trees = Trees::new();
    let Ok(files) = trees.files(version) else { return Vec::new() };
    let mut chosen: Vec<(bool, bool, String, &FileEntry)> = Vec::new();
    for file in files.iter().filter(|file| matches!(file.kind, Kind::File | Kind::Executable)) {
        let path = file.path.to_str_lossy().into_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_script = ending.is_empty() || SCRIPTS.contains(&ending);
        if !is_script && !TEXTS.contains(&ending) {
            continue;
        }
        let words: Vec<String> =
            path.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase).collect();
        let is_test = is_script && words.iter().any(|word| TESTS.contains(&word.as_str()));
        let is_named = words.iter().any(|word| word.eq_ignore_ascii_case(program));
        chosen.push((!is_test, !is_named, path, file));
    }
    chosen.sort_by(|one, two| (one.0, one.1, &one.2).cmp(&(two.0, two.1, &two.2)));
    let mut found: Vec<Line> = Vec::new();
    for (other, _, _, file) in chosen.into_iter().take(FILES) {
        if found.len() >= ALL {
            break;
        }
        let Ok(bytes) = trees.read(version, file) else { continue };
        let Some(script) = Some(bytes).filter(|bytes| bytes.len() <= LARGEST && !bytes.contains(&0)) else {
            continue;
        };
        for line in lines(&script.to_str_lossy(), program, !other).into_iter().take(OF_ONE) {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found
}
