//! The scene for a recorded build: a folder of compilers that write down how they are called.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use hydrogen_jail::inside;
use serde::Deserialize;

use super::{BuildOptions, Error};

/// Names under which builds call a compiler or an archiver, whether they are installed or not.
const NAMES: [&str; 10] = ["cc", "gcc", "clang", "c89", "c99", "c++", "g++", "clang++", "clang-19", "ar"];

/// Other names of compilers that are installed, such as `gcc-14` and `x86_64-linux-gnu-gcc`. Names that are not
/// installed must stay unknown: a build may ask which compilers there are.
fn installed() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    folders
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_compiler(name))
        .collect()
}

fn is_compiler(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    ["gcc", "g++", "clang", "clang++", "gcc-ar", "llvm-ar", "linux-gnu-ar"]
        .iter()
        .any(|tool| base == *tool || base.strip_suffix(tool).is_some_and(|rest| rest.ends_with('-')))
}

/// A call of a compiler or archiver.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub tool: Tool,
    pub directory: PathBuf,
    pub arguments: Vec<OsString>,
}

/// What was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Tool {
    #[serde(rename = "cc")]
    C,
    #[serde(rename = "c++")]
    Cxx,
    #[serde(rename = "ar")]
    Archiver,
}

/// Finds `hydrogen-cc`: the variable `HYDROGEN_CC`, else beside the running program, else on the path.
pub fn find_wrapper() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("HYDROGEN_CC").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(|folder| folder.join("hydrogen-cc"));
    beside.filter(|path| path.is_file()).or_else(|| on_path("hydrogen-cc"))
}

/// The program of that name on the path.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The folders and the log of one recorded build.
#[derive(Debug)]
pub(super) struct Recorder {
    scratch: PathBuf,
    bin: PathBuf,
    log: PathBuf,
}

impl Recorder {
    /// Sets the scene in the scratch folder.
    pub fn set_up(options: &BuildOptions<'_>) -> Result<Recorder, Error> {
        if !options.wrapper.is_file() {
            return Err(Error::NoWrapper { wrapper: options.wrapper.to_path_buf() });
        }
        let scratch = options.scratch;
        for folder in ["bin", "home", "tmp"] {
            let folder = scratch.join(folder);
            fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        }
        let scratch = scratch.canonicalize().map_err(Error::io("find", scratch))?;
        let (bin, log) = (scratch.join("bin"), scratch.join("commands.jsonl"));
        let recorder = Recorder { scratch, bin, log };
        let own = options.compiler.rsplit('/').next().unwrap_or(options.compiler);
        for name in installed().iter().map(String::as_str).chain(NAMES).chain([own]) {
            recorder.add(name, options)?;
        }
        Ok(recorder)
    }

    /// Adds a name under which a compiler is called.
    pub fn add(&self, name: &str, options: &BuildOptions<'_>) -> Result<(), Error> {
        let link = self.bin.join(name);
        if fs::symlink_metadata(&link).is_ok() {
            return Ok(());
        }
        let wrapper = options.wrapper.canonicalize().map_err(Error::io("find", options.wrapper))?;
        // An earlier way to build may have left a link in the place of the folder.
        let made = inside::write_link(&self.scratch, &Path::new("bin").join(name), &wrapper);
        made.map_err(io::Error::from).map_err(Error::io("create", &link))
    }

    /// Whether a compiler is called by that name.
    pub fn has(&self, name: &str) -> bool {
        self.bin.join(name).exists()
    }

    /// The wrapper under one of its names.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// The environment of a build: what of the caller's may be seen, without what would make builds differ.
    pub fn environment(
        &self,
        options: &BuildOptions<'_>,
        checkout: &Path,
    ) -> Result<BTreeMap<OsString, OsString>, Error> {
        let compiler = on_path(options.compiler);
        let compiler =
            compiler.ok_or_else(|| Error::NoCompiler { compiler: options.compiler.to_string() })?;
        let compiler = std::path::absolute(&compiler).unwrap_or(compiler);
        let mut all = hydrogen_jail::allowed();
        all.retain(|name, _| !name.to_string_lossy().starts_with("LC_"));
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(self.bin.clone()).chain(std::env::split_paths(&folders)));
        let mut set = |name: &str, value: &OsStr| all.insert(name.into(), value.to_owned());
        set("PATH", &path.unwrap_or(folders));
        set("HOME", self.bin.with_file_name("home").as_os_str());
        set("TMPDIR", self.bin.with_file_name("tmp").as_os_str());
        set("LC_ALL", "C".as_ref());
        set("TZ", "UTC".as_ref());
        set("SOURCE_DATE_EPOCH", "1000000000".as_ref());
        set("CC", "cc".as_ref());
        set("CXX", "c++".as_ref());
        set("HYDROGEN_CC_COMPILER", compiler.as_os_str());
        set("HYDROGEN_CC_BIN", self.bin.as_os_str());
        // The checkout is no repository; one further up is not the program's.
        if let Some(parent) = checkout.parent() {
            set("GIT_CEILING_DIRECTORIES", parent.as_os_str());
        }
        Ok(all)
    }

    /// What turns recording on.
    pub fn recording(&self) -> BTreeMap<OsString, OsString> {
        BTreeMap::from([("HYDROGEN_CC_LOG".into(), self.log.clone().into_os_string())])
    }

    /// Every call so far, in the order of their start. Lines that are not whole (a killed build) are left out.
    pub fn calls(&self) -> Vec<Call> {
        let text = String::from_utf8(inside::read_left(&self.log, inside::MOST).unwrap_or_default())
            .unwrap_or_default();
        text.lines().filter_map(parse).collect()
    }
}

#[derive(Deserialize)]
struct Line {
    tool: Tool,
    directory: String,
    arguments: Vec<String>,
}

fn parse(line: &str) -> Option<Call> {
    let line: Line = serde_json::from_str(line).ok()?;
    Some(Call {
        tool: line.tool,
        directory: bytes(&line.directory)?.into(),
        arguments: line.arguments.iter().map(|word| bytes(word)).collect::<Option<_>>()?,
    })
}

/// The wrapper writes one character per byte.
fn bytes(text: &str) -> Option<OsString> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>().map(OsString::from_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in
            ["gcc", "gcc-14", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc-14", "clang++-19", "llvm-ar-19"]
        {
            assert!(is_compiler(name), "{name}");
        }
        for name in ["gccgo", "clang-format", "clang-format-19", "gcc-nm", "tar", "libtool", "notgcc"] {
            assert!(!is_compiler(name), "{name}");
        }
    }

    #[test]
    fn any_bytes_survive_the_log() {
        let call = parse(r#"{"tool":"cc","directory":"/\u00ff","arguments":["a\n\u00c3\u00a4"]}"#).unwrap();
        assert_eq!(call.directory.into_os_string().into_vec(), b"/\xff");
        assert_eq!(call.arguments[0].to_str(), Some("a\n\u{e4}"));
        assert_eq!(parse(r#"{"tool":"cc","dir"#), None);
    }
}
