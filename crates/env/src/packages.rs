//! Which package a file belongs to, where the system knows packages.

use std::path::{Path, PathBuf};

/// Where Debian's package manager keeps what it knows.
const KNOWN: &str = "/var/lib/dpkg";

/// The packages of this system.
#[derive(Debug, Default)]
pub struct Packages {
    /// The lists of files, read when the first one is asked for.
    lists: Option<Vec<(String, Vec<u8>)>>,
    status: String,
}

impl Packages {
    /// Those that are installed here.
    pub fn here() -> Self {
        Self::default()
    }

    /// Name and version of the package that a file belongs to.
    pub fn of(&mut self, path: &[u8]) -> Option<String> {
        let status = &mut self.status;
        let lists = self.lists.get_or_insert_with(|| {
            *status = std::fs::read_to_string(Path::new(KNOWN).join("status")).unwrap_or_default();
            read_lists()
        });
        // A folder at the root may be a link to the one below /usr; the lists have either name.
        let other = path.strip_prefix(b"/usr").unwrap_or(path);
        let has = |list: &[u8]| list.split(|&byte| byte == b'\n').any(|line| line == path || line == other);
        let (name, _) = lists.iter().find(|(_, list)| has(list))?;
        let bare = name.split(':').next().unwrap_or(name);
        let version = version(&self.status, bare)?;
        Some(format!("{bare} {version}"))
    }
}

fn read_lists() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(KNOWN).join("info");
    let mut lists = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".list") {
            lists.push((name.to_owned(), std::fs::read(entry.path()).unwrap_or_default()));
        }
    }
    lists.sort();
    lists
}

fn version<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut paragraphs = status.split("\n\n");
    let own = paragraphs
        .find(|text| text.lines().next().and_then(|line| line.strip_prefix("Package: ")) == Some(name))?;
    own.lines().find_map(|line| line.strip_prefix("Version: "))
}

/// Whether a file of here is one of the recorded libraries, whatever its name was.
pub fn same_file(libraries: &[crate::record::Library], path: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let here = crate::recorder::hash_of_file(Path::new(std::ffi::OsStr::from_bytes(path)));
    libraries.iter().any(|library| Some(library.hash) == here)
}
