//! What build-free mode keeps of a file. Functions that the history had before are not read again, wherever they stand now.

use crate::items::FileItem;
use crate::sources::{Mentions, Sources};
use hydrogen_ir::{Fingerprint, Function};
use hydrogen_syntax::{Item, Keep, Kept, NameHash, Options, Pieces, read_pieces};
use std::sync::{Arc, OnceLock};

/// So many functions and pieces are remembered.
const REMEMBERED: usize = 100_000;

/// About how many bytes of functions and pieces a version of a file has to itself.
const OWN: usize = 8 << 10;

/// What is kept of a file.
#[derive(Debug)]
pub struct Outline {
    /// The file.
    pub path: String,
    /// Its functions, in order.
    pub functions: Vec<OutlineFunction>,
    /// Places that could not be read as written.
    pub problems: Vec<String>,
    /// Why nothing of it is known: reading it met a bug of ours.
    pub failed: Option<String>,
    /// Its pieces, with what stands outside functions and can change what statements mean.
    pub(crate) pieces: Vec<Arc<OutlinePiece>>,
    /// Its functions by name, sorted; found when somebody asks.
    by_name: OnceLock<Box<[(NameHash, u32)]>>,
}

/// A piece of a file.
pub(crate) type OutlinePiece = Kept<Kind>;

/// What outlines keep of files.
#[derive(Debug)]
pub(crate) struct Kind;

impl Keep for Kind {
    type Function = Remembered;
    type Items = Vec<FileItem>;

    fn function(&self, mut function: Function, _: &[NameHash], problems: usize, _: &[u8]) -> Remembered {
        // Thousands of them are kept, and none grows any more.
        function.pieces.shrink_to_fit();
        function.flow.shrink_to_fit();
        function.fall_through.shrink_to_fit();
        function.calls.shrink_to_fit();
        let print = Fingerprint::of(&function, None);
        Remembered { function: Arc::new(function), print, problems }
    }

    fn items(&self, items: &[Item], _: bool) -> Vec<FileItem> {
        FileItem::all(items)
    }
}

/// A function of a file. Versions of a file have nearly all of theirs in common, so no more than the place is its own.
#[derive(Debug)]
pub struct OutlineFunction {
    /// Its first line.
    pub line: u32,
    body: Arc<Remembered>,
}

impl OutlineFunction {
    /// The function, as it stood where it was first read.
    pub fn kept(&self) -> &Arc<Function> {
        &self.body.function
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.body.function.name
    }

    /// Hashes of its content.
    pub fn print(&self) -> Fingerprint {
        self.body.print
    }

    /// Whether both are the same function at the same place.
    pub fn is_as(&self, other: &Self) -> bool {
        self.line == other.line && (Arc::ptr_eq(&self.body, &other.body) || self.says_as(other))
    }

    /// Whether both say the same, wherever they stand.
    fn says_as(&self, other: &Self) -> bool {
        let said = |it: &Self| (it.body.print, it.body.function.linkage, it.body.function.pieces.len());
        let (one, two) = (&self.body.function, &other.body.function);
        said(self) == said(other) && one.name == two.name && one.signature == two.signature
    }

    /// Tells functions apart that were not read together.
    pub fn identity(&self) -> *const Function {
        Arc::as_ptr(&self.body.function)
    }

    /// The function at its place.
    pub fn function(&self) -> Function {
        let mut function = Function::clone(&self.body.function);
        function.move_to(self.line);
        function
    }
}

/// A function, wherever it stands.
#[derive(Debug)]
pub(crate) struct Remembered {
    /// As it stood when it was first read.
    function: Arc<Function>,
    print: Fingerprint,
    /// How many places in it could not be read as written.
    problems: usize,
}

impl Outline {
    /// The files of a history, each read once, their pieces too.
    pub(crate) fn sources(budget: usize) -> Sources<Outline> {
        Sources::by_pieces(budget, Pieces::new(Kind, REMEMBERED), Self::read, Self::weight)
    }

    fn read(path: &str, source: &[u8], options: &Options, pieces: &Pieces<Kind>) -> (Self, Mentions) {
        let sketch = read_pieces(path, source, options, pieces);
        let place = |line: u32, message: &str| format!("{path}:{line}: {message}");
        let mut problems: Vec<String> = Vec::new();
        for (before, piece) in &sketch.pieces {
            let outside = piece.problems.iter();
            problems.extend(outside.map(|problem| place(before + problem.span.start.line, &problem.message)));
        }
        let mut functions = Vec::with_capacity(sketch.functions.len());
        for (line, body) in sketch.functions {
            if body.problems > 0 {
                problems.push(place(line, "something in this function could not be read as written"));
            }
            functions.push(OutlineFunction { line, body });
        }
        let pieces: Vec<Arc<OutlinePiece>> = sketch.pieces.into_iter().map(|(_, piece)| piece).collect();
        let mentions = pieces.iter().map(|piece| Arc::clone(&piece.mentions)).collect();
        let (path, failed, by_name) = (path.to_owned(), sketch.failed, OnceLock::new());
        (Self { path, functions, problems, failed, pieces, by_name }, mentions)
    }

    /// Its functions of a name, in order.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a OutlineFunction> {
        let id = |name: &str| NameHash::of(name.as_bytes());
        let all = self.by_name.get_or_init(|| {
            let mut all: Vec<(NameHash, u32)> =
                self.functions.iter().zip(0..).map(|(function, at)| (id(function.name()), at)).collect();
            all.sort_unstable();
            all.into()
        });
        let id = id(name);
        let first = all.partition_point(|function| function.0 < id);
        let same = all[first..].iter().take_while(move |function| function.0 == id);
        same.map(|&(_, at)| &self.functions[at as usize]).filter(move |function| function.name() == name)
    }

    /// How many macros, types, variables and members it has.
    pub fn item_count(&self) -> usize {
        self.pieces.iter().map(|piece| piece.items.len()).sum()
    }

    fn weight(&self) -> usize {
        // Bodies and pieces are remembered elsewhere, but those that only this version has stay as long as it does.
        self.functions.len() * (size_of::<OutlineFunction>() + size_of::<(NameHash, u32)>())
            + self.pieces.len() * 8
            + OWN
    }
}
