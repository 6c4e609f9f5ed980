//! What build-free mode keeps of a file. Functions that the history had before are not read again, wherever they stand now.

use crate::items::FileItem;
use crate::sources::{Mentions, Sources};
use hydrogen_ir::{Fingerprint, Function, FunctionSummary};
use hydrogen_syntax::{Item, Keep, Kept, NameHash, Options, Pieces, read_pieces};
use std::sync::Arc;

/// So many functions and pieces are remembered.
const REMEMBERED: usize = 100_000;

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
}

/// A piece of a file.
pub(crate) type OutlinePiece = Kept<Kind>;

/// What outlines keep of files.
#[derive(Debug)]
pub(crate) struct Kind;

impl Keep for Kind {
    type Function = Remembered;
    type Items = Vec<FileItem>;

    fn function(&self, function: &Function, uses: &[NameHash], problems: usize, _: &[u8]) -> Remembered {
        let _ = uses;
        Remembered { function: function.clone(), print: Fingerprint::of(function, None), problems }
    }

    fn items(&self, items: &[Item], _: bool) -> Vec<FileItem> {
        FileItem::all(items)
    }
}

/// A function of a file.
#[derive(Debug)]
pub struct OutlineFunction {
    /// Where it stands, and its hashes.
    pub summary: FunctionSummary,
    body: Arc<Remembered>,
}

impl OutlineFunction {
    /// The function at its place.
    pub fn function(&self) -> Function {
        let mut function = self.body.function.clone();
        function.move_to(self.summary.line);
        function
    }
}

/// A function, wherever it stands.
#[derive(Debug)]
pub(crate) struct Remembered {
    /// As it stood when it was first read.
    function: Function,
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
            functions.push(OutlineFunction { summary: summary(path, line, &body), body });
        }
        let pieces: Vec<Arc<OutlinePiece>> = sketch.pieces.into_iter().map(|(_, piece)| piece).collect();
        let mentions = pieces.iter().map(|piece| Arc::clone(&piece.mentions)).collect();
        (Self { path: path.to_owned(), functions, problems, failed: sketch.failed, pieces }, mentions)
    }

    /// How many macros, types, variables and members it has.
    pub fn item_count(&self) -> usize {
        self.pieces.iter().map(|piece| piece.items.len()).sum()
    }

    fn weight(&self) -> usize {
        // Bodies and pieces are remembered elsewhere.
        let functions = self.functions.iter().map(|function| function.summary.signature.len() + 300);
        functions.sum::<usize>() + self.pieces.len() * 8 + 512
    }
}

fn summary(path: &str, line: u32, body: &Remembered) -> FunctionSummary {
    let function = &body.function;
    let height = function.span.map_or(0, |span| span.end.line - span.start.line);
    FunctionSummary {
        name: function.name.clone(),
        linkage: function.linkage,
        file: path.to_owned(),
        line,
        end_line: line + height,
        signature: function.signature.clone(),
        print: body.print,
        code: None,
        globals: Vec::new(),
        piece_count: u32::try_from(function.pieces.len()).unwrap_or(u32::MAX),
        instruction_count: 0,
    }
}
