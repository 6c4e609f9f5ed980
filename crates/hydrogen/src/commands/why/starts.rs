//! What a recorded test started its programs with, and the files they found.

use bstr::{BString, ByteSlice};
use hydrogen_history::checkout::Checkout;
use hydrogen_jail::inside;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// One start of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The program, from the root of the version.
    pub program: String,
    /// How it was called.
    pub called: BString,
    /// Its arguments, without its name.
    pub args: Vec<BString>,
    pub stdin: Vec<u8>,
    /// Its environment, `NAME=value` each.
    pub environment: Vec<BString>,
    /// The names of the variables that the test itself has set.
    pub set: Vec<BString>,
    /// Where it was started.
    pub folder: PathBuf,
    /// Its place among all starts.
    pub number: usize,
}

/// Where a recording lies.
pub struct Kept {
    /// What was recorded.
    pub folder: PathBuf,
    /// The root of the version that was tested.
    pub root: PathBuf,
    home: PathBuf,
    temporary: PathBuf,
}

/// The files that a start found, laid out again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Those of the version.
    pub root: PathBuf,
    /// Other folders, by the names they had.
    pub others: BTreeMap<PathBuf, PathBuf>,
    /// Where the program was started: from the root, if it was there.
    pub inside: Option<PathBuf>,
}

/// What the recorder wrote; the test could put anything in its place.
fn left(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    Ok(inside::read(folder, Path::new(name), inside::MOST)?)
}

fn text(folder: &Path, name: &str) -> std::io::Result<String> {
    Ok(inside::read_text(folder, Path::new(name), inside::MOST)?)
}

impl Kept {
    pub fn new(checkout: &Checkout) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let scratch = real(checkout.scratch());
        Self {
            folder: scratch.join("recorded"),
            root: real(checkout.path()),
            home: scratch.join("home"),
            temporary: scratch.join("tmp"),
        }
    }

    /// The folders whose files are part of an input.
    pub fn folders(&self) -> [&Path; 3] {
        [&self.root, &self.home, &self.temporary]
    }

    /// Every start that was recorded, in order.
    pub fn starts(&self) -> std::io::Result<Vec<Start>> {
        let before = variables(&left(&self.folder, "environment").unwrap_or_default());
        let mut found = Vec::new();
        for number in 0.. {
            let one = self.folder.join(number.to_string());
            if !one.is_dir() {
                break;
            }
            // A test that was stopped may leave half of one.
            if !one.join("stdin").is_file() {
                continue;
            }
            let built = PathBuf::from(text(&one, "program")?);
            let program = built.strip_prefix(&self.root).unwrap_or(&built).to_string_lossy().into_owned();
            let words = |bytes: Vec<u8>| -> Vec<BString> {
                bytes
                    .strip_suffix(b"\0")
                    .map_or(Vec::new(), |all| all.split_str("\0").map(BString::from).collect())
            };
            let all = variables(&left(&one, "environment")?);
            let new =
                |(name, value): &(&BString, &BString)| before.get(*name) != Some(*value) && !is_usual(name);
            found.push(Start {
                program,
                called: left(&one, "called")?.into(),
                args: words(left(&one, "args")?),
                stdin: left(&one, "stdin")?,
                set: all.iter().filter(new).map(|(name, _)| name.clone()).collect(),
                environment: all.iter().map(|(name, value)| self.own(name, value)).collect(),
                folder: PathBuf::from(text(&one, "folder")?.trim_end_matches('\n')),
                number,
            });
        }
        Ok(found)
    }

    /// A variable as the program sees it without the recorder.
    fn own(&self, name: &BString, value: &BString) -> BString {
        let folder = format!("{}/bin:", self.folder.display());
        let value = if name == "PATH" { value.replace(folder, "") } else { value.to_vec() };
        [name.as_slice(), b"=", &value].concat().into()
    }

    /// Lays out the files that a start found. Contents are shared: nobody may write to them.
    pub fn lay_out(&self, start: &Start) -> std::io::Result<Found> {
        let own = self.folder.join(start.number.to_string());
        let all = own.join("laid out");
        let place = |path: &Path| -> PathBuf {
            match path.strip_prefix(&self.root) {
                Ok(inside) => all.join("root").join(inside),
                Err(_) => all.join("others").join(path.strip_prefix("/").unwrap_or(path)),
            }
        };
        fs::create_dir_all(all.join("root"))?;
        let mut others: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        let text = BString::from(left(&own, "files")?);
        for line in text.lines() {
            let Some((key, path)) = line.split_once_str(" ") else { continue };
            let (key, path) = (key.to_str_lossy(), PathBuf::from(path.to_os_str_lossy().into_owned()));
            // The recorder writes hashes and whole paths; the test may have written anything.
            let is_plain = |path: &Path| path.components().all(|part| !matches!(part, Component::ParentDir));
            if !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) || !is_plain(&path) {
                continue;
            }
            let target = place(&path);
            if key == "folder" {
                fs::create_dir_all(target)?;
                continue;
            }
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            // A content that could not be copied is a file that the machine does not have either.
            let _ = fs::hard_link(self.folder.join("contents").join(&*key), target);
        }
        for folder in [Path::new("/tmp"), &self.home, &self.temporary] {
            if place(folder).is_dir() {
                others.insert(folder.to_owned(), place(folder));
            }
        }
        let inside = start.folder.strip_prefix(&self.root).ok().map(Path::to_owned);
        Ok(Found { root: all.join("root"), others, inside })
    }

    /// Whether a start names files by where the recording took place, so that it says the same nowhere else.
    pub fn is_bound(&self, start: &Start) -> bool {
        let names: Vec<String> = self.folders().iter().map(|folder| folder.display().to_string()).collect();
        let usual =
            |name: &&BString| !start.set.iter().any(|set| name.starts_with(&[set.as_slice(), b"="].concat()));
        let own = start.environment.iter().filter(|variable| !usual(variable));
        let mut texts =
            start.args.iter().chain(own).map(|text| text.as_bstr()).chain([start.stdin.as_bstr()]);
        texts.any(|text| names.iter().any(|name| text.contains_str(name)))
    }
}

/// Variables that shells and make set by themselves.
fn is_usual(name: &[u8]) -> bool {
    name == b"PWD" || name == b"SHLVL" || name == b"MFLAGS" || name.starts_with(b"MAKE")
}

/// Variables by name, without those of the recorder and of shells.
fn variables(text: &[u8]) -> BTreeMap<BString, BString> {
    let own = |name: &[u8]| name.starts_with(b"HYDROGEN_") || name == b"_" || name == b"OLDPWD";
    let pairs = text.split_str("\0").filter_map(|one| one.split_once_str("="));
    pairs.filter(|(name, _)| !own(name)).map(|(name, value)| (name.into(), value.into())).collect()
}
