//! What the repository itself has to begin with: files that look like what its programs read, and the options that a program's own code mentions.

use super::tests::Test;
use bstr::{BString, ByteSlice};
use hydrogen_evidence::Input;
use hydrogen_expose::scripts::Line;
use hydrogen_expose::{Suite, Visit, options as own, reduce};
use hydrogen_history::tree::{Kind, Trees};
use hydrogen_history::version::Version;
use hydrogen_machine::{Limits, Program, Site, World};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Files of more bytes are not read.
const LARGEST: usize = 64 << 10;
/// A file is tried in pieces of so many bytes, and so many pieces of one file.
const PIECE: usize = 600;
const PIECES: usize = 3;
/// A text for a function has at most so many bytes.
const TEXT: usize = 250;
/// So many pieces of a kind of file, and of all; small ones come first, since there may not be time for all.
const OF_A_KIND: usize = 100;
const ALL: usize = 300;
/// After so many pieces it is plain whether the program reads standard input or files that it is given.
const ENOUGH: usize = 8;
/// So many options are tried.
const OPTIONS: usize = 64;
/// The name of what is made of no file.
pub const NOTHING: &str = "";
/// Options behind which programs do nothing else, by everybody's habit.
const ENDING: [&str; 2] = ["--help", "--version"];
/// Endings of files that are read by people, compilers and build systems.
const CODE: [&str; 34] = [
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "cxx",
    "hxx",
    "py",
    "sh",
    "rb",
    "pl",
    "go",
    "rs",
    "java",
    "m4",
    "am",
    "ac",
    "in",
    "cmake",
    "mk",
    "yml",
    "yaml",
    "md",
    "rst",
    "gitignore",
    "png",
    "jpg",
    "gif",
    "gz",
    "zip",
    "pdf",
    "vcxproj",
    "sln",
    "bat",
];
/// Words by which people call folders of data that programs are tried with.
const DATA: [&str; 12] = [
    "test", "tests", "testdata", "data", "sample", "samples", "example", "examples", "corpus", "corpora",
    "cases", "inputs",
];

/// The name of a command line of a test.
pub const WRITTEN: &str = "a test script";

/// What a repository has.
pub struct Material<'a> {
    pub pieces: &'a [Piece],
    /// Command lines that people wrote.
    pub lines: &'a [Line],
}

/// A part of a file.
pub struct Piece {
    name: String,
    ending: String,
    bytes: Vec<u8>,
}

/// The files of a version that a program may read, in pieces that end with a line: those of tests first.
pub fn pieces(version: &Version) -> Vec<Piece> {
    let trees = Trees::new();
    let Ok(files) = trees.files(version) else { return Vec::new() };
    let mut named: Vec<(bool, String, _)> = Vec::new();
    for file in files.iter().filter(|file| matches!(file.kind, Kind::File)) {
        let path = file.path.to_str_lossy().into_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some((stem, ending)) = name.rsplit_once('.') else { continue };
        if stem.is_empty() || name == "hydrogen.toml" || CODE.contains(&ending.to_ascii_lowercase().as_str())
        {
            continue;
        }
        let words = path.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
        let is_data = words.into_iter().any(|word| DATA.contains(&word.as_str()));
        named.push((!is_data, path, file));
    }
    named.sort_by(|one, two| (one.0, &one.1).cmp(&(two.0, &two.1)));
    named.truncate(2 * ALL);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (_, path, file) in named {
        let ending = path.rsplit('.').next().unwrap_or_default().to_owned();
        if kinds.get(&ending).is_some_and(|count| *count >= OF_A_KIND) || found.len() >= ALL {
            continue;
        }
        let Ok(bytes) = trees.read(version, file) else { continue };
        if bytes.len() > LARGEST || bytes.is_empty() {
            continue;
        }
        for (number, part) in parts(&bytes).into_iter().enumerate() {
            *kinds.entry(ending.clone()).or_insert(0) += 1;
            found.push((number, Piece { name: path.clone(), ending: ending.clone(), bytes: part }));
        }
    }
    found.sort_by_key(|(number, piece)| (*number, piece.bytes.len()));
    found.into_iter().map(|(_, piece)| piece).collect()
}

/// Texts of such files that a function may be called with: what is short, and of the rest the first lines.
pub fn texts(version: &Version) -> Vec<Vec<u8>> {
    let short = |piece: Piece| {
        let most = piece.bytes.len().min(TEXT);
        let line = if most == piece.bytes.len() { None } else { piece.bytes[..most].rfind_byte(b'\n') };
        piece.bytes[..line.map_or(most, |at| at + 1)].to_vec()
    };
    pieces(version).into_iter().map(short).filter(|text| !text.is_empty() && !text.contains(&0)).collect()
}

/// A file in pieces.
fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() && parts.len() < PIECES {
        let most = rest.len().min(PIECE);
        let line = if most == rest.len() { None } else { rest[..most].rfind_byte(b'\n') };
        let (part, behind) = rest.split_at(line.map_or(most, |at| at + 1));
        parts.push(part.to_vec());
        rest = behind;
    }
    parts
}

/// A way to begin, and what it executes.
struct Tried {
    test: Test,
    visit: Visit,
}

/// How much a start tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// The versions differ.
    Differs,
    /// It executes a change.
    Reaches,
    /// It executes code that others do not.
    Covers,
}

/// How a program is given a piece.
type Way = fn(&World, &Piece, &[BString]) -> Test;

/// Starts for a search: those on which the versions differ already, those that execute a change, and of the others those that together execute
/// most. Options that lead to more code are kept and added up.
pub fn starts(
    world: &World,
    programs: [&Program; 2],
    material: &Material<'_>,
    limits: &Limits,
    until: Instant,
    most: usize,
) -> Vec<(Test, Telling)> {
    let pieces = material.pieces;
    let mut suite = Suite::new(programs);
    let mut all: Vec<Tried> = Vec::new();
    let mut covered: BTreeSet<(Site, u32)> = BTreeSet::new();
    let mut run = |test: Test, all: &mut Vec<Tried>| -> (usize, bool) {
        let visit = suite.run(&test.world, &test.input, limits);
        let (branches, before) = (visit.branches.len(), covered.len());
        covered.extend(visit.branches.iter().copied());
        let is_new = covered.len() > before;
        let telling =
            visit.cut.is_none() && (is_new || !visit.differs.is_empty() || !visit.changes.is_empty());
        if telling {
            all.push(Tried { test, visit });
        }
        (branches, is_new)
    };
    let mut options: Vec<BString> = Vec::new();
    let words = programs[1].units().next().map(own::switches).unwrap_or_default();
    run(plain(world, &options), &mut all);
    for line in material.lines {
        if Instant::now() >= until {
            break;
        }
        run(as_written(world, line), &mut all);
    }
    let mut ways: Vec<(usize, Way)> = vec![(0, by_standard_input), (0, by_file)];
    for (number, piece) in pieces.iter().enumerate() {
        if Instant::now() >= until {
            break;
        }
        for (furthest, way) in &mut ways {
            *furthest = run(way(world, piece, &options), &mut all).0.max(*furthest);
        }
        if number == ENOUGH {
            let best = ways.iter().map(|(furthest, _)| *furthest).max();
            ways.retain(|(furthest, _)| Some(*furthest) == best);
        }
    }
    // The options are added to what comes furthest without them.
    let furthest = all.iter().max_by_key(|one| (one.visit.changes.len(), one.visit.branches.len()));
    let base = furthest.map_or_else(|| plain(world, &[]), |one| one.test.clone());
    let mut reached = furthest.map_or(0, |one| one.visit.branches.len());
    for switch in words.into_iter().take(OPTIONS) {
        if Instant::now() >= until {
            break;
        }
        let more = [options.as_slice(), &switch].concat();
        let (branches, is_new) = run(with_options(&base, &more), &mut all);
        // One that ends the program early is none to add others to.
        let ends = switch.first().is_some_and(|word| ENDING.contains(&word.to_str_lossy().as_ref()));
        if is_new && !ends && branches * 5 >= reached * 4 {
            options = more;
            reached = reached.max(branches);
        }
    }
    if !options.is_empty() {
        for piece in pieces.iter().take_while(|_| Instant::now() < until) {
            for (_, way) in &ways {
                run(way(world, piece, &options), &mut all);
            }
        }
    }
    chosen(all, most)
}

fn chosen(all: Vec<Tried>, most: usize) -> Vec<(Test, Telling)> {
    let branches: Vec<_> = all.iter().map(|one| one.visit.branches.clone()).collect();
    let enough: BTreeSet<usize> = reduce(&branches).into_iter().collect();
    let mut ranked: Vec<(usize, Tried)> = all.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, one)| {
        let size = one.test.world.stdin().len() + one.test.input.files.values().map(Vec::len).sum::<usize>();
        (one.visit.differs.is_empty(), one.visit.changes.is_empty(), !enough.contains(at), size, *at)
    });
    let telling = |visit: &Visit| match () {
        () if !visit.differs.is_empty() => Telling::Differs,
        () if !visit.changes.is_empty() => Telling::Reaches,
        () => Telling::Covers,
    };
    ranked.into_iter().take(most).map(|(_, one)| (one.test, telling(&one.visit))).collect()
}

fn plain(world: &World, options: &[BString]) -> Test {
    let name = NOTHING.to_owned();
    with_options(&Test { name, world: world.clone(), input: Input::default() }, options)
}

fn as_written(world: &World, line: &Line) -> Test {
    let mut world = world.clone().with_stdin(line.stdin.clone());
    world.args.truncate(1);
    world.args.extend(line.args.iter().cloned());
    Test { name: WRITTEN.to_owned(), world, input: Input::default() }
}

fn by_standard_input(world: &World, piece: &Piece, options: &[BString]) -> Test {
    let world = world.clone().with_stdin(piece.bytes.clone());
    with_options(&Test { name: piece.name.clone(), world, input: Input::default() }, options)
}

fn by_file(world: &World, piece: &Piece, options: &[BString]) -> Test {
    let file = format!("input.{}", piece.ending);
    let mut world = world.clone().with_file(&file, piece.bytes.clone());
    world.args.push(file.as_str().into());
    let input = Input { files: [(file.into(), piece.bytes.clone())].into(), ..Input::default() };
    with_options(&Test { name: piece.name.clone(), world, input }, options)
}

/// The test with options before its other arguments.
fn with_options(test: &Test, options: &[BString]) -> Test {
    let mut test = test.clone();
    test.world.args.splice(1..1, options.iter().cloned());
    test
}

#[cfg(test)]
mod tests {
    use super::{PIECE, parts};

    #[test]
    fn pieces_end_with_a_line() {
        let text = "a line of text\n".repeat(100);
        let parts = parts(text.as_bytes());
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|part| part.ends_with(b"\n") && part.len() <= PIECE));
        assert_eq!(super::parts(&[b'x'; 1000]).concat().len(), 1000);
    }
}
