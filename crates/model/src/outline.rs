//! What build-free mode keeps of a file. Functions that the history had before are not read again, wherever they stand now.

use crate::items::FileItem;
use crate::sources::{Sources, mentions_of};
use hydrogen_ir::{ContentHash, Fingerprint, Function, FunctionSummary};
use hydrogen_syntax::{Memory, NameHash, Options, Problem, guarded, read_remembering};
use std::sync::Arc;

/// So many functions are remembered.
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
    /// What stands outside functions and can change what statements mean.
    pub(crate) items: Vec<FileItem>,
    /// A hash of the items.
    pub(crate) content: ContentHash,
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
struct Remembered {
    /// As it stood when it was first read.
    function: Function,
    print: Fingerprint,
    uses: Vec<NameHash>,
    /// How many places in it could not be read as written.
    problems: usize,
}

impl Outline {
    /// The files of a history, each read once, their functions too.
    pub(crate) fn sources(budget: usize) -> Sources<Outline> {
        let memory: Memory<Remembered> = Memory::new(REMEMBERED);
        let read =
            move |path: &str, source: &[u8], options: &Options| Self::read(path, source, options, &memory);
        Sources::reading(budget, Box::new(read), Self::weight)
    }

    fn read(
        path: &str,
        source: &[u8],
        options: &Options,
        memory: &Memory<Remembered>,
    ) -> (Self, Vec<NameHash>) {
        let sketch = read_remembering(path, source, options, memory, |function, uses, problems| Remembered {
            function: function.clone(),
            print: Fingerprint::of(function, None),
            uses: uses.to_vec(),
            problems,
        });
        let place = |line: u32, message: &str| format!("{path}:{line}: {message}");
        let outside = |problem: &Problem| place(problem.span.start.line, &problem.message);
        let mut problems: Vec<String> = sketch.problems.iter().map(outside).collect();
        let mut uses = Vec::new();
        let mut functions = Vec::with_capacity(sketch.functions.len());
        for (line, body) in sketch.functions {
            uses.extend_from_slice(&body.uses);
            if body.problems > 0 {
                problems.push(place(line, "something in this function could not be read as written"));
            }
            functions.push(OutlineFunction { summary: summary(path, line, &body), body });
        }
        let mentions = mentions_of(uses, &sketch.items);
        let (items, failed) = match guarded(path, || FileItem::all(&sketch.items)) {
            Ok(items) => (items, sketch.failed),
            Err(failed) => (Vec::new(), Some(failed)),
        };
        let content = FileItem::digest(&items);
        (Self { path: path.to_owned(), functions, problems, failed, items, content }, mentions)
    }

    /// How many macros, types, variables and members it has.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    fn weight(&self) -> usize {
        // Bodies are remembered elsewhere.
        let functions = self.functions.iter().map(|function| function.summary.signature.len() + 300);
        functions.sum::<usize>() + self.items.iter().map(FileItem::weight).sum::<usize>() + 512
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
