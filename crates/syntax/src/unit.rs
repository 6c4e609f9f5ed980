//! From source to a unit: functions with their statement graphs, and everything around them.

use crate::body::Body;
use crate::evaluate::MacroEnv;
use crate::facts::Facts;
use crate::head::{self, Head};
use crate::item::Items;
use crate::lines::Lines;
use crate::memory::text_hash;
use crate::names::Names;
use crate::segment::{Chunk, Segments, segment};
use crate::select::{Selected, select};
use crate::token::{DIRECTIVE, GAP, Token, WORD, tokens, tokens_and_end};
use crate::words::says_no_return;
use crate::{Item, NameHash, Options, Problem, Unit};
use hydrogen_ir::{Function, Linkage, Module, Parameter};
use hydrogen_statements::{build, fold};
use rayon::prelude::*;
use std::ops::Range;

/// Smaller files are not worth waking other threads for.
const PARALLEL: usize = 64 * 1024;

/// Reads a file.
pub(crate) fn read(path: &str, source: &[u8], options: &Options) -> Unit {
    let parsed = Parsed::of(source, options.defined.as_ref());
    let known = Facts { env: options.defined.as_ref(), known: options.known.as_deref(), ..Facts::default() };
    let (heads, items, facts) = parsed.items(known);
    let reader = parsed.reader(&facts);
    let mut problems = parsed.problems();
    let one = |(head, body): &(&Head, Range<usize>)| {
        (reader.function(head, body.clone()), reader.names_in(head, body))
    };
    let results: Vec<(Result, Vec<NameHash>)> = if source.len() < PARALLEL {
        heads.iter().map(one).collect()
    } else {
        heads.par_iter().map(one).collect()
    };
    let mut functions = Vec::with_capacity(results.len());
    let mut uses = Vec::with_capacity(results.len());
    for (result, names) in results {
        functions.push(result.function);
        uses.push(names);
        problems.extend(result.problems);
    }
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    let module =
        Module { name: path.to_owned(), files: vec![path.to_owned()], functions, ..Module::default() };
    Unit { module, items, uses, problems, failed: None }
}

/// A text, cut into tokens, functions and declarations.
pub(crate) struct Parsed<'a> {
    pub source: &'a [u8],
    pub lines: Lines,
    pub all: Vec<Token>,
    pub selected: Selected,
    pub segments: Segments,
    /// Whether the text ends where a line does, outside of comments.
    pub ends: bool,
}

/// The head of a function, and the tokens of its body.
pub(crate) type Definition<'s> = (&'s Head, Range<usize>);

impl<'a> Parsed<'a> {
    /// Reads the tokens of a text.
    pub fn of(source: &'a [u8], env: Option<&MacroEnv>) -> Self {
        // Places are 32-bit numbers throughout; no C file comes near.
        let source = &source[..source.len().min(u32::MAX as usize / 2)];
        let lines = Lines::new(source);
        let (all, ends) = tokens_and_end(source);
        let selected = select(&all, source, env);
        let segments = segment(&selected.tokens, source);
        Self { source, lines, all, selected, segments, ends }
    }

    /// What could not be read as written outside of functions.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for token in &self.selected.choices {
            let message = "the conditional cuts through a statement; one alternative is read".to_owned();
            problems.push(Problem { span: self.lines.span(token.start, token.end), message });
        }
        for &open in &self.segments.unmatched {
            let token = self.selected.tokens[open];
            problems.push(Problem {
                span: self.lines.span(token.start, token.end),
                message: "the brace is not closed".to_owned(),
            });
        }
        problems
    }

    /// The function definitions, and everything else as items, with what all say about names besides what is known.
    pub fn items<'s>(&'s self, known: Facts<'s>) -> (Vec<Definition<'s>>, Vec<Item>, Facts<'s>) {
        let mut items = Items {
            tokens: &self.selected.tokens,
            source: self.source,
            partners: &self.segments.partners,
            lines: &self.lines,
            items: Vec::new(),
            facts: known,
        };
        self.selected.directives.iter().for_each(|token| items.directive(token));
        let heads = definitions(&self.segments, &mut items);
        let Items { mut items, facts, .. } = items;
        items.sort_by_key(|item| item.span.start);
        (heads, items, facts)
    }

    /// The function definitions, in order.
    pub fn definitions(&self) -> impl Iterator<Item = (&Head, Range<usize>)> {
        self.segments.chunks.iter().filter_map(|chunk| match chunk {
            Chunk::Function { head, body } => Some((head, body.clone())),
            Chunk::Declaration(_) => None,
        })
    }

    /// What reads functions of the text.
    pub fn reader<'s>(&'s self, facts: &'s Facts<'s>) -> Reader<'s> {
        Reader {
            tokens: &self.selected.tokens,
            all: &self.all,
            source: self.source,
            lines: &self.lines,
            facts,
            segments: &self.segments,
        }
    }
}

/// Reads only what a file says about names that other files use.
pub(crate) fn names(source: &[u8]) -> Names {
    let parsed = Parsed::of(source, None);
    let (_, _, facts) = parsed.items(Facts::default());
    Names::of(&facts)
}

/// The function definitions, in order; everything else becomes items.
pub(crate) fn definitions<'s, 'a>(
    segments: &'s Segments,
    items: &mut Items<'a>,
) -> Vec<(&'s Head, Range<usize>)> {
    let mut heads = Vec::new();
    for chunk in &segments.chunks {
        match chunk {
            Chunk::Function { head, body } => {
                let name = items.tokens[head.name].text(items.source);
                items.facts.functions.insert(name);
                let words = items.tokens[head.range.clone()].iter().filter(|token| token.kind == WORD);
                if words.map(|token| token.text(items.source)).any(says_no_return) {
                    items.facts.no_return.insert(name);
                }
                heads.push((head, body.clone()));
            }
            Chunk::Declaration(range) => items.declaration(range.clone()),
        }
    }
    heads
}

/// A parameter, of which no more than the name is known.
fn parameter(name: &[u8]) -> Parameter {
    Parameter { name: String::from_utf8_lossy(name).into_owned(), ..Parameter::default() }
}

/// Reads the functions of a text.
pub(crate) struct Reader<'a> {
    tokens: &'a [Token],
    all: &'a [Token],
    source: &'a [u8],
    lines: &'a Lines,
    facts: &'a Facts<'a>,
    segments: &'a Segments,
}

/// A function that was read.
pub(crate) struct Result {
    pub function: Function,
    pub problems: Vec<Problem>,
}

impl Reader<'_> {
    /// Reads a function.
    pub fn function(&self, head: &Head, range: Range<usize>) -> Result {
        let name = String::from_utf8_lossy(self.tokens[head.name].text(self.source)).into_owned();
        let parameters = head::parameters(self.tokens, self.source, &self.segments.partners, head);
        let mut body = Body {
            tokens: self.tokens,
            partners: &self.segments.partners,
            source: self.source,
            lines: self.lines,
            facts: self.facts,
            locals: parameters.iter().copied().filter(|name| !name.is_empty()).collect(),
            problems: Vec::new(),
            depth: 0,
        };
        let statements = body.read(range.clone());
        let graph = build(&statements);
        let (start, end) = self.extent(head, &range);
        let span = self.lines.span(start, end);
        let problems = body
            .problems
            .into_iter()
            .map(|(start, end, message)| Problem {
                span: self.lines.span(start, end),
                message: message.to_owned(),
            })
            .collect();
        // What a conditional leaves out between the head and the body is an alternative of the head.
        let open = &self.tokens[range.start];
        let head_end = if open.cut { open.start } else { self.tokens[head.range.end - 1].end };
        let function = Function {
            signature: fold(&self.source[start as usize..head_end as usize]),
            linkage: self.linkage(head),
            ty: None,
            ctype: None,
            parameters: parameters.into_iter().map(parameter).collect(),
            no_return: self.facts.never_returns(name.as_bytes()),
            name,
            span: Some(span),
            pieces: graph.pieces,
            flow: graph.flow,
            fall_through: graph.fall_through,
            calls: graph.calls,
            body: None,
        };
        Result { function, problems }
    }

    /// What makes a function what it is, wherever it stands: its first line, a hash of its text, and the names in it.
    pub fn identity(&self, head: &Head, range: &Range<usize>) -> (u32, u128, Vec<NameHash>) {
        let (start, end) = self.extent(head, range);
        let place = self.lines.span(start, end).start;
        let own = &self.tokens[head.range.start..range.end];
        let text = &self.source[start as usize..end as usize];
        let hash = text_hash(text, own, start, head.name - head.range.start, place.column);
        (place.line, hash, self.uses(start, end))
    }

    /// The names that a function mentions, sorted.
    pub fn names_in(&self, head: &Head, range: &Range<usize>) -> Vec<NameHash> {
        let (start, end) = self.extent(head, range);
        self.uses(start, end)
    }

    fn extent(&self, head: &Head, range: &Range<usize>) -> (u32, u32) {
        (self.tokens[head.range.start].start, self.tokens[range.end - 1].end)
    }

    fn linkage(&self, head: &Head) -> Linkage {
        let mut linkage = Linkage::External;
        for token in self.tokens[head.range.start..head.name].iter().filter(|token| token.kind == WORD) {
            match self.specifier(token.text(self.source)) {
                b"static" => return Linkage::Internal,
                b"inline" | b"__inline" | b"__inline__" => linkage = Linkage::Mergeable,
                _ => {}
            }
        }
        linkage
    }

    /// The word itself, or the first word of the macro it is. Where the macro is defined elsewhere, its name says
    /// what it stands for.
    fn specifier<'w>(&'w self, word: &'w [u8]) -> &'w [u8] {
        if let Some(text) = self.facts.definition(word) {
            let text = text.trim_ascii_start();
            return &text[..text.iter().position(|&byte| !crate::token::is_word(byte)).unwrap_or(text.len())];
        }
        let lower = word.to_ascii_lowercase();
        let says = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
        if lower == b"local" || says(b"static") {
            b"static"
        } else if says(b"inline") {
            b"inline"
        } else {
            word
        }
    }

    /// The names that a stretch of source mentions, also where it is not read.
    fn uses(&self, start: u32, end: u32) -> Vec<NameHash> {
        let from = self.all.partition_point(|token| token.start < start);
        let mut names = Vec::new();
        for token in self.all[from..].iter().take_while(|token| token.start < end) {
            match token.kind {
                WORD => names.push(NameHash::of(token.text(self.source))),
                DIRECTIVE | GAP => {
                    let text = &token.text(self.source)[1..];
                    let inner = tokens(text);
                    names.extend(
                        inner.iter().filter(|it| it.kind == WORD).map(|it| NameHash::of(it.text(text))),
                    );
                }
                _ => {}
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}
