//! What of a guilty file, folder or variable matters: the line, the name, the field.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::compare::Difference;
use crate::memory::word;
use crate::oracle::Verdict;
use crate::packages::Packages;
use crate::record::Call;
use crate::recorder::hash_of_file;
use crate::resource::Resource;
use crate::search::Runner;
use crate::show;
use crate::substitute::{Edit, names_here};
use crate::tracer::Error;
use crate::tracker::joined;
use crate::world::{Content, Form};

/// A part of a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A line of a file, with its number here and in the recorded file.
    Line {
        /// The number and the text here, if there is such a line.
        here: Option<(usize, String)>,
        /// The number and the text as recorded, if there is such a line.
        recorded: Option<(usize, String)>,
        /// Whether a run showed that these lines suffice.
        is_confirmed: bool,
    },
    /// The first byte in which contents differ that have no lines.
    Byte {
        /// Which, from 0.
        at: usize,
        /// Here.
        here: String,
        /// As recorded.
        recorded: String,
    },
    /// A name in a folder.
    Name {
        /// The name.
        name: String,
        /// Whether it is here; otherwise it is in the recorded folder alone.
        is_here: bool,
    },
    /// Something that was asked of a file: its size, its mode.
    Field {
        /// Which.
        name: &'static str,
        /// Here.
        here: String,
        /// As recorded.
        recorded: String,
    },
    /// A folder on the way is missing here.
    Missing {
        /// Which.
        folder: String,
    },
    /// Package and version of a library.
    Package {
        /// Here.
        here: String,
        /// As recorded.
        recorded: String,
    },
}

/// The largest file whose lines are compared.
const MOST_BYTES: u64 = 4 << 20;
/// The most lines that are compared one by one.
const MOST_LINES: usize = 3000;
/// The most entries of a folder that are tried.
const MOST_ENTRIES: usize = 2000;

/// What of a guilty resource matters, as far as runs can tell.
pub(crate) fn details(
    runner: &mut Runner<'_>,
    guilty: &BTreeSet<Resource>,
    difference: &Difference,
) -> Result<Vec<Detail>, Error> {
    let (resource, call) = (&difference.resource, difference.call);
    if *resource == Resource::Kernel("uname".into()) {
        return Ok(system(runner.world.calls.get(call.wrapping_sub(1)).copied()));
    }
    let Resource::Path(path) = resource else { return Ok(Vec::new()) };
    let whole = joined(&runner.here.folder, path);
    let file = Path::new(OsStr::from_bytes(&whole));
    let Some(content) = runner.world.content(resource).cloned() else { return Ok(Vec::new()) };
    if content.is_code {
        return Ok(package(runner, &whole, file).into_iter().collect());
    }
    let Ok(found) = std::fs::metadata(file) else { return Ok(Vec::new()) };
    if content.form == Some(Form::Folder) && found.is_dir() {
        return names(runner, guilty, resource, &content, &whole);
    }
    // What the program asked for, and was told otherwise.
    let asked = call.checked_sub(1).map(|at| runner.world.calls[at]);
    let fields = || match asked {
        Some(asked) if matches!(asked.number, 4 | 5 | 262) => fields(asked, file),
        _ => Vec::new(),
    };
    if !found.is_file() || found.len() > MOST_BYTES || content.pieces.is_empty() || !content.is_whole() {
        return Ok(fields());
    }
    let (Ok(here), recorded) = (std::fs::read(file), content.bytes()) else { return Ok(fields()) };
    if here == recorded {
        return Ok(fields());
    }
    let lines = lines(runner, guilty, resource, &here, &recorded)?;
    Ok(if lines.is_empty() { vec![bytes(&here, &recorded)] } else { lines })
}

/// Where two contents begin to differ.
fn bytes(here: &[u8], recorded: &[u8]) -> Detail {
    let at = here.iter().zip(recorded).take_while(|(one, other)| one == other).count();
    let words = |bytes: &[u8]| match bytes.get(at) {
        Some(byte) => format!("{byte:#04x} ({} bytes in all)", bytes.len()),
        None => format!("the end ({} bytes in all)", bytes.len()),
    };
    Detail::Byte { at, here: words(here), recorded: words(recorded) }
}

fn package(runner: &Runner<'_>, whole: &[u8], file: &Path) -> Option<Detail> {
    // The kernel knows a file by its name without links.
    let real = file.canonicalize().map(|path| path.into_os_string().into_vec()).unwrap_or_default();
    let libraries = &runner.world.record.start.libraries;
    let recorded = libraries.iter().find(|library| library.path == whole || library.path == real)?;
    let hash = hash_of_file(file);
    let words = |package: Option<String>, hash: Option<[u8; 32]>| {
        let hash = hash.map_or_else(
            || "missing".to_owned(),
            |hash| format!("content {:02x}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2], hash[3]),
        );
        package.map_or(hash.clone(), |package| format!("{package}, {hash}"))
    };
    let here = Packages::here().of(whole);
    Some(Detail::Package {
        here: words(here, hash),
        recorded: words(recorded.package.clone(), Some(recorded.hash)),
    })
}

/// The names of the system and the machine.
fn system(asked: Option<&Call>) -> Vec<Detail> {
    const NAMES: [&str; 6] = ["system", "host", "release", "version", "machine", "domain"];
    const LENGTH: usize = 65;
    let told = asked.and_then(|asked| asked.taken(0)).unwrap_or_default();
    let here = rustix::system::uname();
    let here =
        [here.sysname(), here.nodename(), here.release(), here.version(), here.machine(), here.domainname()];
    let mut all = Vec::new();
    for ((name, here), recorded) in NAMES.into_iter().zip(here).zip(told.chunks(LENGTH)) {
        let text: Vec<u8> = recorded.iter().copied().take_while(|&byte| byte != 0).collect();
        let (here, recorded) = (here.to_string_lossy().into_owned(), show::text(&text));
        if here != recorded {
            all.push(Detail::Field { name, here, recorded });
        }
    }
    all
}

/// The kind of a file, from its mode.
fn form(mode: u32) -> &'static str {
    match mode & libc::S_IFMT {
        libc::S_IFREG => "a file",
        libc::S_IFDIR => "a folder",
        libc::S_IFLNK => "a link",
        libc::S_IFIFO => "a pipe",
        libc::S_IFSOCK => "a socket",
        _ => "a device",
    }
}

/// The end of the year 9999: no later time can be written.
const LATEST: u64 = 253_402_300_799;

/// What the program was told about the file, and what it would be told here.
fn fields(asked: &Call, file: &Path) -> Vec<Detail> {
    use std::os::unix::fs::MetadataExt;
    let told = asked.taken(if asked.number == 262 { 2 } else { 1 });
    let (Some(told), Ok(found)) = (told, std::fs::metadata(file)) else { return Vec::new() };
    let (mode, user, group) = (word(told, 24) as u32, (word(told, 24) >> 32) as u32, word(told, 32) as u32);
    let time = |seconds: u64, nanoseconds: u64| {
        let time =
            UNIX_EPOCH + Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or(0).min(999_999_999));
        humantime::format_rfc3339_millis(time).to_string()
    };
    let seconds = |seconds: i64| u64::try_from(seconds).unwrap_or(0).min(LATEST);
    let rows: [(&'static str, String, String); 5] = [
        ("mode", format!("{:04o}", found.mode() & 0o7777), format!("{:04o}", mode & 0o7777)),
        ("owner", found.uid().to_string(), user.to_string()),
        ("group", found.gid().to_string(), group.to_string()),
        ("size", found.size().to_string(), word(told, 48).to_string()),
        (
            "time of change",
            time(seconds(found.mtime()), seconds(found.mtime_nsec())),
            time(word(told, 88).min(LATEST), word(told, 96)),
        ),
    ];
    let kinds = [form(found.mode()), form(mode)];
    if kinds[0] != kinds[1] {
        let [here, recorded] = kinds.map(str::to_owned);
        return vec![Detail::Field { name: "kind", here, recorded }];
    }
    let differ = rows.into_iter().filter(|(_, here, recorded)| here != recorded);
    differ.map(|(name, here, recorded)| Detail::Field { name, here, recorded }).collect()
}

fn names(
    runner: &mut Runner<'_>,
    guilty: &BTreeSet<Resource>,
    resource: &Resource,
    content: &Content,
    folder: &[u8],
) -> Result<Vec<Detail>, Error> {
    let here = names_here(folder);
    let has = |all: &[(Vec<u8>, u8)], name: &[u8]| all.iter().any(|(other, _)| other == name);
    let mut changes: Vec<(Vec<u8>, u8, bool)> = Vec::new();
    changes.extend(
        here.iter()
            .filter(|(name, _)| !has(&content.names, name))
            .map(|(name, kind)| (name.clone(), *kind, true)),
    );
    changes.extend(
        content
            .names
            .iter()
            .filter(|(name, _)| !has(&here, name))
            .map(|(name, kind)| (name.clone(), *kind, false)),
    );
    if changes.is_empty() || changes.len() > MOST_ENTRIES {
        return Ok(Vec::new());
    }
    let minimal = runner.smallest(changes.len(), |runner, chosen| {
        let mut names = here.clone();
        for (name, kind, is_here) in chosen.iter().filter_map(|at| changes.get(*at)) {
            if *is_here {
                names.retain(|(other, _)| other != name);
            } else {
                names.push((name.clone(), *kind));
            }
        }
        runner.passes(guilty, HashMap::from([(resource.clone(), Edit::Names(names))]))
    })?;
    let chosen =
        minimal.filter(|minimal| !minimal.cut_short).map_or_else(Vec::new, |minimal| minimal.critical);
    let named = chosen.iter().filter_map(|at| changes.get(*at));
    Ok(named.map(|(name, _, is_here)| Detail::Name { name: show::text(name), is_here: *is_here }).collect())
}

/// A stretch of lines that differs: where here, and where in the recorded file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    here: std::ops::Range<usize>,
    recorded: std::ops::Range<usize>,
}

fn lines(
    runner: &mut Runner<'_>,
    guilty: &BTreeSet<Resource>,
    resource: &Resource,
    here: &[u8],
    recorded: &[u8],
) -> Result<Vec<Detail>, Error> {
    if here.contains(&0) || recorded.contains(&0) || here == recorded {
        return Ok(Vec::new());
    }
    let split = |bytes: &'_ [u8]| {
        bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let (now, then) = (split(here), split(recorded));
    let hunks = hunks(&now, &then);
    let mixed = |chosen: &[usize]| {
        let (mut bytes, mut at) = (Vec::new(), 0);
        for (number, hunk) in hunks.iter().enumerate() {
            bytes.extend(now[at..hunk.here.start].concat());
            let part =
                if chosen.contains(&number) { &then[hunk.recorded.clone()] } else { &now[hunk.here.clone()] };
            bytes.extend(part.concat());
            at = hunk.here.end;
        }
        bytes.extend(now[at..].concat());
        bytes
    };
    // The content of here, through a stand-in, must fail: otherwise it is not the content that matters.
    let edit = |bytes: Vec<u8>| HashMap::from([(resource.clone(), Edit::Bytes(bytes))]);
    if runner.passes(guilty, edit(mixed(&[])))? != Verdict::Fails {
        return Ok(Vec::new());
    }
    let minimal =
        runner.smallest(hunks.len(), |runner, chosen| runner.passes(guilty, edit(mixed(chosen))))?;
    let Some(minimal) = minimal.filter(|minimal| !minimal.cut_short) else { return Ok(Vec::new()) };
    let is_confirmed = runner.passes(guilty, edit(mixed(&minimal.critical)))? == Verdict::Passes;
    let shown = |lines: &[Vec<u8>], range: &std::ops::Range<usize>, at: usize| {
        let number = range.start + at;
        (number < range.end).then(|| {
            let line = lines[number].strip_suffix(b"\n").unwrap_or(&lines[number]);
            (number + 1, String::from_utf8_lossy(line).into_owned())
        })
    };
    let mut details = Vec::new();
    for hunk in minimal.critical.iter().filter_map(|at| hunks.get(*at)) {
        for at in 0..hunk.here.len().max(hunk.recorded.len()) {
            let (here, recorded) = (shown(&now, &hunk.here, at), shown(&then, &hunk.recorded, at));
            details.push(Detail::Line { here, recorded, is_confirmed });
        }
    }
    Ok(details)
}

/// The stretches in which two lists of lines differ, as small as they can be.
fn hunks(here: &[Vec<u8>], recorded: &[Vec<u8>]) -> Vec<Hunk> {
    let front = here.iter().zip(recorded).take_while(|(one, other)| one == other).count();
    let most = here.len().min(recorded.len()) - front;
    let back = here
        .iter()
        .rev()
        .zip(recorded.iter().rev())
        .take(most)
        .take_while(|(one, other)| one == other)
        .count();
    let (a, b) = (&here[front..here.len() - back], &recorded[front..recorded.len() - back]);
    if a.len() > MOST_LINES || b.len() > MOST_LINES {
        return vec![Hunk { here: front..front + a.len(), recorded: front..front + b.len() }];
    }
    // Lengths of longest common subsequences of what is left.
    let mut common = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] =
                if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let mut all = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (from_i, from_j) = (i, j);
        while i < a.len() || j < b.len() {
            if i < a.len() && j < b.len() && a[i] == b[j] {
                break;
            }
            if j >= b.len() || i < a.len() && common[i + 1][j] >= common[i][j + 1] { i += 1 } else { j += 1 }
        }
        // Lines that were replaced one for one are told one by one.
        let pairs = (i - from_i).min(j - from_j);
        for pair in 0..pairs {
            let (one, other) = (front + from_i + pair, front + from_j + pair);
            all.push(Hunk { here: one..one + 1, recorded: other..other + 1 });
        }
        if from_i + pairs < i || from_j + pairs < j {
            all.push(Hunk {
                here: front + from_i + pairs..front + i,
                recorded: front + from_j + pairs..front + j,
            });
        }
        while i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<Vec<u8>> {
        text.split_inclusive('\n').map(|line| line.as_bytes().to_vec()).collect()
    }

    #[test]
    fn one_line_is_one_hunk() {
        let found = hunks(&split("a\nport = 80\nc\n"), &split("a\nport = 8080\nc\nd\n"));
        assert_eq!(found, [Hunk { here: 1..2, recorded: 1..2 }, Hunk { here: 3..3, recorded: 3..4 }]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// With every hunk as recorded, the file is the recorded one.
        #[test]
        fn hunks_lead_from_one_to_the_other(one in "[ab\n]{0,20}", other in "[ab\n]{0,20}") {
            let (here, recorded) = (split(&one), split(&other));
            let (mut made, mut at) = (Vec::new(), 0);
            for hunk in hunks(&here, &recorded) {
                made.extend(here[at..hunk.here.start].to_vec());
                made.extend(recorded[hunk.recorded.clone()].to_vec());
                at = hunk.here.end;
            }
            made.extend(here[at..].to_vec());
            prop_assert_eq!(made, recorded);
        }
    }
}
