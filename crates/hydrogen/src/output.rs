//! Where results go: standard output or a file.

use anyhow::{Context, Result};
pub use hydrogen_report::{headed, json, pretty, shortened};
use std::borrow::Cow;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes a finished result.
pub fn write(to: Option<&Path>, bytes: &[u8]) -> Result<()> {
    match to {
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes)?;
            Ok(out.flush()?)
        }
        Some(path) => put(path, bytes).with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Writes a file into a folder for results. What is in its place is replaced, and nothing is written through a link: the folder may be one of
/// the repository's, and the link, too.
pub fn into(folder: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    Ok(hydrogen_jail::inside::write(folder, name.as_ref(), content.as_ref())?)
}

/// A regular file is replaced as a whole, so that an interrupted run leaves the old one; it keeps its mode, and a link to it stays a
/// link. Everything else that is there (a device, a pipe) is written into.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let found = std::fs::metadata(path);
    if found.as_ref().is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    // Where a link leads, also one that leads nowhere yet.
    let path = followed(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new();
    // A new file has the mode that the user's mask gives.
    let part = new.permissions(Permissions::from_mode(0o666)).prefix(".hydrogen-").suffix(".part");
    let part = part.tempfile_in(folder);
    let mut part = match part {
        Ok(part) => part,
        // A file in a folder that cannot be written to.
        Err(_) if found.is_ok() => return std::fs::write(&path, bytes),
        Err(error) => return Err(error),
    };
    part.write_all(bytes)?;
    if let Ok(found) = found {
        part.as_file().set_permissions(found.permissions())?;
    }
    part.persist(&path).map(drop).map_err(|error| error.error)
}

fn followed(path: &Path) -> std::io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many links"))
}

/// Whether a stream shows colours and its user wants them: it is a terminal, and neither `NO_COLOR` nor its kind is against it.
pub fn coloured(stream: &impl anstream::stream::RawStream) -> bool {
    anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// A text as it may be shown: names, strings, messages and authors come from repositories, and a terminal would obey what is hidden in
/// them. Every control character but the ends of lines and tabs is written out (`\\u001b`, which JSON understands too), and so are those that
/// turn the direction of text. The plain styles that we use ourselves stay where colours are wanted.
pub fn shown(text: &str, colour: bool) -> Cow<'_, str> {
    match (without_names(text), colour) {
        (Some(text), colour) => Cow::Owned(without_acts(&without_commands(&text), colour).into_owned()),
        (None, colour) => match without_commands(text) {
            Cow::Borrowed(text) => without_acts(text, colour),
            Cow::Owned(text) => Cow::Owned(without_acts(&text, colour).into_owned()),
        },
    }
}

/// File names with line breaks are written out.
fn without_names(text: &str) -> Option<String> {
    let names = hydrogen_history::strange::seen();
    let found: Vec<&String> = names.iter().filter(|name| text.contains(name.as_str())).collect();
    if found.is_empty() {
        return None;
    }
    let plain = |name: &str| -> String {
        let one = |letter: char| match letter.is_control() {
            true => format!("\\u{:04x}", u32::from(letter)),
            false => letter.to_string(),
        };
        name.chars().map(one).collect()
    };
    Some(found.iter().fold(text.to_owned(), |text, name| text.replace(name.as_str(), &plain(name))))
}

/// A service that runs builds reads their output, and obeys lines such as `::set-env …`, `##vso[…]`, `##[…]` and `##teamcity[…]`. None of ours is
/// one.
fn without_commands(text: &str) -> Cow<'_, str> {
    let begins = |line: &str| line.trim_start().starts_with("::");
    if !text.contains("##") && !text.lines().any(begins) {
        return Cow::Borrowed(text);
    }
    let text = without_marks(text);
    let one = |line: &str| match begins(line) {
        true => line.replacen("::", "\\u003a:", 1),
        false => line.to_owned(),
    };
    Cow::Owned(text.split_inclusive('\n').map(one).collect())
}

/// Without the beginnings of commands inside of lines. How a service compares their names is its own affair: case, and letters that are not
/// shown, may not matter.
fn without_marks(text: &str) -> String {
    let is_command = |behind: &str| {
        let is_name = |letter: char| letter.is_ascii_alphabetic() || !letter.is_ascii();
        behind.trim_start_matches('#').trim_start_matches(is_name).starts_with('[')
    };
    let mut parts = text.split("##");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(if is_command(part) { "#\\u0023" } else { "##" });
        out.push_str(part);
    }
    out
}

fn without_acts(text: &str, colour: bool) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(acts) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(style) = colour.then(|| STYLES.iter().find(|style| rest.starts_with(**style))).flatten() {
            out.push_str(style);
            rest = &rest[style.len()..];
            continue;
        }
        let character = rest.chars().next().unwrap_or_default();
        out.push_str(&format!("\\u{:04x}", u32::from(character)));
        rest = &rest[character.len_utf8()..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a terminal does something else with a character than to show it.
fn acts(character: char) -> bool {
    let turns =
        matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    turns || character.is_control() && !matches!(character, '\n' | '\t')
}

/// The styles that our own texts have.
const STYLES: [&str; 12] = [
    "\x1b[0m",
    "\x1b[1m",
    "\x1b[2m",
    "\x1b[1;32m",
    "\x1b[1;31m",
    "\x1b[1;33m",
    "\x1b[31m",
    "\x1b[32m",
    "\x1b[33m",
    "\x1b[34m",
    "\x1b[35m",
    "\x1b[36m",
];

/// The largest memory this process ever had, as the system tells it.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
        std::os::unix::fs::symlink("file", &link).unwrap();
        put(&link, b"one").unwrap();
        assert!(link.is_symlink() && std::fs::read(&file).unwrap() == b"one");
        assert_eq!(mode() & 0o644, 0o644);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        put(&link, b"two").unwrap();
        assert_eq!((std::fs::read(&file).unwrap(), mode()), (b"two".to_vec(), 0o640));
        put(Path::new("/dev/null"), b"three").unwrap();
        assert!(!Path::new("/dev/null").is_file());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(put(&folder.path().join("no/such/folder"), b"").is_err());
    }

    #[test]
    fn services_that_run_builds_are_told_nothing() {
        assert_eq!(shown("a::b\n", false), "a::b\n");
        assert_eq!(shown("x\n::set-env name=A::b\n", false), "x\n\\u003a:set-env name=A::b\n");
        assert_eq!(shown("  ::add-mask::\n", false), "  \\u003a:add-mask::\n");
        assert_eq!(shown("a ##vso[task.x]y ##[error]z", false), "a #\\u0023vso[task.x]y #\\u0023[error]z");
        assert_eq!(shown("##teamcity[x] ###VSO[y]", false), "#\\u0023teamcity[x] #\\u0023#VSO[y]");
        assert_eq!(shown("##v\u{200d}so[x]", false), "#\\u0023v\u{200d}so[x]");
        assert_eq!(shown("## Title\na ## b ##c", false), "## Title\na ## b ##c");
    }

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(shown("a\tb\n", false), "a\tb\n");
        assert_eq!(shown("\x1b]0;x\x07\u{9b}2J\u{202e}", true), "\\u001b]0;x\\u0007\\u009b2J\\u202e");
        assert_eq!(shown("\x1b[1mb\x1b[0m\x1b[2J", true), "\x1b[1mb\x1b[0m\\u001b[2J");
        assert_eq!(shown("\x1b[1mb", false), "\\u001b[1mb");
    }
}
