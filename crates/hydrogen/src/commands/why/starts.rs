//! What a recorded test started its programs with, and the files they found.

use bstr::{BString, ByteSlice};
use hydrogen_history::checkout::Checkout;
use hydrogen_jail::inside;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

    /// What the recorder wrote; the test could put anything in its place.
    fn left(&self, name: &Path) -> std::io::Result<Vec<u8>> {
        Ok(inside::read(&self.folder, name, inside::MOST)?)
    }

    fn text(&self, name: &Path) -> std::io::Result<String> {
        Ok(inside::read_text(&self.folder, name, inside::MOST)?)
    }

    /// The folders whose files are part of an input.
    pub fn folders(&self) -> [&Path; 3] {
        [&self.root, &self.home, &self.temporary]
    }

    /// Every start that was recorded, in order.
    pub fn starts(&self) -> std::io::Result<Vec<Start>> {
        let before = variables(&self.left(Path::new("environment")).unwrap_or_default());
        let mut found = Vec::new();
        for number in 0.. {
            let one = PathBuf::from(number.to_string());
            if !self.folder.join(&one).is_dir() {
                break;
            }
            // A test that was stopped may leave half of one.
            if !self.folder.join(&one).join("stdin").is_file() {
                continue;
            }
            let left = |name: &str| self.left(&one.join(name));
            let text = |name: &str| self.text(&one.join(name));
            let built = PathBuf::from(text("program")?);
            let program = built.strip_prefix(&self.root).unwrap_or(&built).to_string_lossy().into_owned();
            let words = |bytes: Vec<u8>| -> Vec<BString> {
                bytes
                    .strip_suffix(b"\0")
                    .map_or(Vec::new(), |all| all.split_str("\0").map(BString::from).collect())
            };
            let all = variables(&left("environment")?);
            let new =
                |(name, value): &(&BString, &BString)| before.get(*name) != Some(*value) && !is_usual(name);
            found.push(Start {
                program,
                called: left("called")?.into(),
                args: words(left("args")?),
                stdin: left("stdin")?,
                set: all.iter().filter(new).map(|(name, _)| name.clone()).collect(),
                environment: all.iter().map(|(name, value)| self.own(name, value)).collect(),
                folder: PathBuf::from(text("folder")?.trim_end_matches('\n')),
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
        let own = PathBuf::from(start.number.to_string());
        let all = own.join("laid out");
        let place = |path: &Path| -> PathBuf {
            match path.strip_prefix(&self.root) {
                Ok(inside) => all.join("root").join(inside),
                Err(_) => all.join("others").join(path.strip_prefix("/").unwrap_or(path)),
            }
        };
        inside::make_folder(&self.folder, &all.join("root"))?;
        let mut others: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        let text = BString::from(self.left(&own.join("files"))?);
        for line in text.lines() {
            let Some((key, path)) = line.split_once_str(" ") else { continue };
            let (key, path) = (key.to_str_lossy(), PathBuf::from(path.to_os_str_lossy().into_owned()));
            // The test may have written any key and any path: what leads out of the recording is not made.
            if key == "folder" {
                let _ = inside::make_folder(&self.folder, &place(&path));
                continue;
            }
            // A content that could not be copied is a file that the machine does not have either.
            let content = Path::new("contents").join(&*key);
            let _ = inside::share(&self.folder, &place(&path), (&self.folder, &content));
        }
        for folder in [Path::new("/tmp"), &self.home, &self.temporary] {
            let laid = self.folder.join(place(folder));
            if laid.is_dir() {
                others.insert(folder.to_owned(), laid);
            }
        }
        let inside = start.folder.strip_prefix(&self.root).ok().map(Path::to_owned);
        Ok(Found { root: self.folder.join(all).join("root"), others, inside })
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
