//! The Siemens programs: a correct program each, faulty versions of it, and a universe of tests. They are read from a checkout of a
//! public repository that carries them; nothing of them is committed.

use anyhow::{Context, Result, ensure};
use hydrogen_evidence::Input;
use hydrogen_machine::World;
use std::path::{Path, PathBuf};

/// One of the programs, with its versions.
pub struct Subject {
    /// What it is called.
    pub name: String,
    /// The file of the correct version.
    pub original: PathBuf,
    /// The files of the faulty versions, by number, in order.
    pub versions: Vec<(u32, PathBuf)>,
    folder: PathBuf,
}

/// A test of the universe: its arguments, and the file that is its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub args: Vec<String>,
    pub stdin: Option<PathBuf>,
}

impl Test {
    /// The world of a run: the arguments behind the name of the program, and what comes in.
    pub fn world(&self, program: &str) -> Result<World> {
        let words = std::iter::once(program).chain(self.args.iter().map(String::as_str));
        let world = World::new(words);
        Ok(match &self.stdin {
            Some(path) => {
                world.with_stdin(std::fs::read(path).with_context(|| format!("{}", path.display()))?)
            }
            None => world.with_stdin(Vec::new()),
        })
    }

    /// The same as an input over a world that has none.
    pub fn input(&self) -> Result<Input> {
        let args = (1..).zip(self.args.iter().map(|arg| arg.as_bytes().to_vec())).collect();
        let stdin = match &self.stdin {
            Some(path) => std::fs::read(path).with_context(|| format!("{}", path.display()))?,
            None => Vec::new(),
        };
        Ok(Input { args, stdin, exact: true, ..Input::default() })
    }
}

/// The programs.
pub const NAMES: [&str; 7] =
    ["printtokens", "printtokens2", "replace", "schedule", "schedule2", "tcas", "totinfo"];

/// Where the checkout lies: what was asked for, or what `HYDROGEN_SIEMENS` names.
pub fn folder(asked: Option<&Path>) -> Result<PathBuf> {
    let named = asked.map(Path::to_owned).or_else(|| std::env::var_os("HYDROGEN_SIEMENS").map(PathBuf::from));
    let folder =
        named.context("name a checkout of the Siemens programs: --siemens DIR or HYDROGEN_SIEMENS")?;
    ensure!(folder.is_dir(), "{} is no folder", folder.display());
    Ok(folder)
}

/// All programs of the checkout, with the numbers of their versions and tests.
pub fn list(asked: Option<&Path>) -> Result<()> {
    let folder = folder(asked)?;
    let mut rows = Vec::new();
    for name in NAMES {
        let subject = subject(&folder, name)?;
        let tests = subject.universe()?;
        let runs = tests.iter().filter(|test| test.world(name).is_ok() && test.input().is_ok()).count();
        let file = subject.original.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let command = format!("cc {} {file}", Subject::FLAGS.join(" "));
        rows.push(vec![subject.name, subject.versions.len().to_string(), runs.to_string(), command]);
    }
    crate::table::print("siemens programs", &["program", "versions", "tests", "compiled by"], &rows);
    Ok(())
}

/// The only C file of a folder.
fn only_source(folder: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    found.sort();
    ensure!(found.len() == 1, "{} has {} C files, not one", folder.display(), found.len());
    found.pop().context("one was found")
}

/// Reads one of the programs.
pub fn subject(folder: &Path, name: &str) -> Result<Subject> {
    let folder = folder.join(name);
    let original = only_source(&folder.join("source.alt/source.orig"))?;
    let home = folder.join("versions.alt/versions.orig");
    let entries = std::fs::read_dir(&home).with_context(|| format!("cannot read {}", home.display()))?;
    let mut versions = Vec::new();
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let number =
            file_name.to_str().and_then(|text| text.strip_prefix('v')).and_then(|text| text.parse().ok());
        if let Some(number) = number {
            versions.push((number, only_source(&entry.path())?));
        }
    }
    versions.sort();
    Ok(Subject { name: name.to_owned(), original, versions, folder })
}

impl Subject {
    /// What both compilers need for code of that time.
    pub const FLAGS: [&'static str; 2] = ["-std=gnu89", "-w"];

    /// The tests of the universe that can be run: those whose file of input exists.
    pub fn universe(&self) -> Result<Vec<Test>> {
        let path = self.folder.join("testplans.alt/universe");
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&text);
        let tests = text.lines().filter_map(|line| read(line, &self.folder.join("inputs")));
        Ok(tests.filter(|test| test.stdin.as_ref().is_none_or(|path| path.is_file())).collect())
    }
}

/// A line of a universe, as a shell reads it: words with quotes, and `< FILE`.
fn read(line: &str, inputs: &Path) -> Option<Test> {
    let (mut args, mut stdin) = (Vec::new(), None);
    let mut rest = line.chars().peekable();
    let mut is_file = false;
    loop {
        while rest.next_if(|c| c.is_whitespace()).is_some() {}
        let Some(&first) = rest.peek() else { break };
        if first == '<' {
            rest.next();
            is_file = true;
            continue;
        }
        let mut word = String::new();
        while let Some(&c) = rest.peek() {
            match c {
                '\'' => {
                    rest.next();
                    for inner in rest.by_ref().take_while(|c| *c != '\'') {
                        word.push(inner);
                    }
                }
                '"' => {
                    rest.next();
                    while let Some(inner) = rest.next().filter(|c| *c != '"') {
                        let escaped = inner == '\\' && rest.peek().is_some_and(|c| "\"\\$`".contains(*c));
                        word.push(if escaped { rest.next().unwrap_or(inner) } else { inner });
                    }
                }
                '\\' => {
                    rest.next();
                    word.extend(rest.next());
                }
                c if c.is_whitespace() || c == '<' => break,
                c => {
                    rest.next();
                    word.push(c);
                }
            }
        }
        match std::mem::take(&mut is_file) {
            true => stdin = Some(inputs.join(word)),
            false => args.push(word),
        }
    }
    (!args.is_empty() || stdin.is_some()).then_some(Test { args, stdin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_shell_reads_them() {
        let check = |line: &str, args: &[&str], stdin: Option<&str>| {
            let test = read(line, Path::new("in")).expect("a test");
            assert_eq!(
                (test.args, test.stdin),
                (
                    args.iter().map(|one| (*one).to_owned()).collect(),
                    stdin.map(|name| Path::new("in").join(name))
                )
            );
        };
        check(" 958 1 1  2597", &["958", "1", "1", "2597"], None);
        check("'-?' 'a&' < temp-test/1.inp", &["-?", "a&"], Some("temp-test/1.inp"));
        check("' ' '' <a", &[" ", ""], Some("a"));
        check(r#""a\"b" c\ d"#, &["a\"b", "c d"], None);
        assert_eq!(read("  ", Path::new("in")), None);
    }
}
