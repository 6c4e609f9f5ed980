//! What is kept of a file: enough to find its changes and to follow control through it, without its text.

use crate::depend::{KEYWORDS, uses as uses_of};
use crate::mentioned::{dotted, mentioned, mentioned_in, sides};
use crate::skeleton::Skeleton;
use hydrogen_ir::{Callee, EdgeKind, Function, Linkage, Piece, Pointers, Role, canonical, canonical_of};
use hydrogen_model::sources::{Mentions, Sources, words};
use hydrogen_syntax::{Item, ItemKind, Keep, Kept, NameHash, Options, Pieces, Seen, read_pieces, seen};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::{Arc, OnceLock};

/// A file.
#[derive(Debug, Default)]
pub struct FileFacts {
    /// Its path.
    pub path: Box<str>,
    /// Its functions, in order.
    pub functions: Vec<FunctionFacts>,
    /// Its pieces, which versions of it share.
    pub pieces: Vec<Arc<FilePiece>>,
    /// Why nothing of it is known: reading it met a bug of ours.
    pub failed: Option<String>,
    /// What its functions mention, and its items, found when somebody asks.
    uses: OnceLock<Box<[NameHash]>>,
    item_words: OnceLock<Box<[NameHash]>>,
    problems: OnceLock<bool>,
    /// Its calls by name, sorted.
    sites: OnceLock<Box<[Site]>>,
    /// Its functions by name, sorted.
    named: OnceLock<Box<[(NameHash, u32)]>>,
    /// The names that several of its functions have, sorted.
    twice: OnceLock<Box<[NameHash]>>,
}

impl PartialEq for FileFacts {
    /// How a file is cut does not matter.
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.functions, &self.failed) == (&other.path, &other.functions, &other.failed)
            && self.items().eq(other.items())
    }
}

impl Eq for FileFacts {}

/// A piece of a file.
pub type FilePiece = Kept<Keeping>;

/// The items of a piece: macros, types, variables, enumerators.
#[derive(Debug)]
pub struct PieceItems {
    /// The items, in order.
    pub all: Vec<ItemFacts>,
    /// What they mention, sorted.
    pub words: Box<[NameHash]>,
}

/// A function at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionFacts {
    /// Its first line.
    pub line: u32,
    /// What it is, wherever it stands; versions of a file share it.
    pub body: Arc<BodyFacts>,
}

impl std::ops::Deref for FunctionFacts {
    type Target = BodyFacts;

    fn deref(&self) -> &BodyFacts {
        &self.body
    }
}

/// A function without its place: lines count from its first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyFacts {
    /// Its name.
    pub name: Box<str>,
    /// The name as a hash.
    pub id: NameHash,
    /// Whether other files cannot see it.
    pub internal: bool,
    /// How many places in it could not be read as written.
    pub problems: u32,
    /// Its head, without layout.
    pub head: Box<str>,
    /// A hash of everything but its place.
    pub digest: u64,
    /// All its words, sorted: whatever is said about them may change how it is read.
    pub names: Box<[NameHash]>,
    /// What its head and its pieces mention, as items are called ([`ItemFacts::id`]), sorted.
    pub uses: Box<[NameHash]>,
    /// What its head alone mentions, sorted.
    pub head_uses: Box<[NameHash]>,
    /// Its statement pieces.
    pub pieces: Box<[PieceFacts]>,
    /// Flow by source piece: target, and the outcome as a hash.
    pub flow: Box<[(u32, u32, u64)]>,
    /// Calls by piece, in order.
    pub calls: Box<[(u32, NameHash)]>,
    /// The functions that it calls by name, sorted.
    pub called: Box<[NameHash]>,
    /// Control between its calls.
    pub skeleton: Arc<Skeleton>,
    /// For each piece of several lines, a hash per line; positions are in [`PieceFacts::lines`].
    pub line_hashes: Box<[u64]>,
    /// Its parameters and local variables, cut to 32 bits, sorted, also as they are called before a star: what has such a name is
    /// no global.
    pub locals: Box<[u32]>,
    /// What all pieces mention, cut to 32 bits; positions are in [`PieceFacts::words`].
    pub words: Box<[u32]>,
    /// The texts of all pieces, without layout; positions are in [`PieceFacts::text`].
    pub texts: Box<str>,
}

/// A statement piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceFacts {
    /// A hash of what it is and says: pieces with the same are matched.
    pub symbol: u64,
    /// Its first line, counted from that of the function; 0 for entry and exit.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// What kind of piece it is.
    pub kind: PieceKind,
    /// Where its line hashes begin; they are as many as lines, and none for pieces of one line.
    pub lines: u32,
    /// Where its words end.
    pub words: u32,
    /// Where its text ends.
    pub text: u32,
}

/// Kinds of pieces, as far as they matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Entry or exit.
    Synthetic,
    /// It computes something.
    Executable,
    /// A jump, or a `return` without a value: no more than the end of a block.
    Jump,
    /// A declaration without a value.
    Declaration,
    /// A preprocessor conditional.
    Config,
}

impl PieceKind {
    /// Whether compiled code has instructions for it, other than jumps.
    pub fn is_executable(self) -> bool {
        self == PieceKind::Executable
    }
}

/// A call in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    /// The name that is called.
    pub name: NameHash,
    /// The function that calls.
    pub function: u32,
    /// The position among its calls.
    pub call: u32,
    /// The node of its skeleton.
    pub node: u32,
}

/// What can be seen of a macro, type, variable or enumerator, or of a member of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFacts {
    /// What its users call it, as a hash: a member with a dot in front, a tag with its keyword.
    pub id: NameHash,
    /// How it is called before a star: a factor, if it is no type. Behind a pointer nothing of a type is seen.
    pub starred: Option<NameHash>,
    /// How it is called before the dot of a member, unless that is an item of its own.
    pub dotted: Option<NameHash>,
    /// What its users call it.
    pub called: Box<str>,
    /// The name of the declaration; of a member, that of its structure.
    pub name: Box<str>,
    /// A hash of what can be seen of it.
    pub text: u64,
    /// The text of the declaration, unless it is long.
    pub spelled: Option<Arc<str>>,
    /// Whether it stands in a `.c` file, so that other files see it only if they declare it.
    pub local: bool,
    /// Whether it is a variable that other files may declare.
    pub shared: bool,
    /// The names it mentions, sorted.
    pub words: Box<[NameHash]>,
    /// Conditions of `#if` among its members, and the names in these, sorted.
    pub conditions: Box<[Box<str>]>,
    /// See `conditions`.
    pub condition_words: Box<[NameHash]>,
}

/// Hashes bytes; the same on every machine.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.write_usize(bytes.len());
    hasher.finish()
}

/// What was read of a history, for [`FileFacts::read`].
pub type Functions = Pieces<Keeping>;

/// What is kept of files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keeping;

impl Keep for Keeping {
    type Function = BodyFacts;
    type Items = PieceItems;

    fn function(&self, function: Function, uses: &[NameHash], problems: usize, text: &[u8]) -> BodyFacts {
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        BodyFacts::of(&function, uses, problems as u32, &lines)
    }

    fn items(&self, items: &[Item], header: bool) -> PieceItems {
        let meaning = |item: &&Item| {
            let kinds =
                [ItemKind::Macro, ItemKind::Type, ItemKind::Global, ItemKind::Enum, ItemKind::Prototype];
            // A macro that declares something, such as `EXPORT(int) f(void);`: what is declared is not known.
            let called = item.kind == ItemKind::Global
                && item.text.strip_prefix(item.name.as_str()).is_some_and(|rest| rest.starts_with('('));
            // What begins with a keyword and could not be read has no name.
            let named = !item.name.is_empty() && !KEYWORDS.contains(&item.name.as_str());
            named && kinds.contains(&item.kind) && !called
        };
        let all: Vec<ItemFacts> =
            items.iter().filter(meaning).flat_map(|item| ItemFacts::all(item, header)).collect();
        let words = all.iter().flat_map(|item| item.words.iter().chain(&item.condition_words).copied());
        PieceItems { words: sorted(words.collect()).into(), all }
    }
}

impl FileFacts {
    /// Reads a file; pieces that are known are not read again. Gives also the names that decide how it is read.
    pub fn read(path: &str, source: &[u8], options: &Options, known: &Functions) -> (Self, Mentions) {
        let sketch = read_pieces(path, source, options, known);
        let functions: Vec<FunctionFacts> =
            sketch.functions.into_iter().map(|(line, body)| FunctionFacts { line, body }).collect();
        let pieces: Vec<Arc<FilePiece>> = sketch.pieces.into_iter().map(|(_, piece)| piece).collect();
        let mentions = pieces.iter().map(|piece| Arc::clone(&piece.mentions)).collect();
        let (path, failed) = (path.into(), sketch.failed);
        (Self { path, functions, pieces, failed, ..Self::default() }, mentions)
    }

    /// What it declares and defines besides functions: macros, types, variables, enumerators.
    pub fn items(&self) -> impl Iterator<Item = &ItemFacts> {
        self.pieces.iter().flat_map(|piece| &piece.items.all)
    }

    /// What its functions mention, sorted; see [`BodyFacts::uses`].
    pub fn uses(&self) -> &[NameHash] {
        self.uses.get_or_init(|| {
            sorted(self.functions.iter().flat_map(|function| function.uses.iter().copied()).collect()).into()
        })
    }

    /// Its calls of something of this name, in order.
    pub(crate) fn sites_of(&self, name: NameHash) -> &[Site] {
        let all = self.sites.get_or_init(|| {
            let mut sites = Vec::new();
            for (function, number) in self.functions.iter().zip(0..) {
                let mut calls = function.calls.iter().zip(0..);
                // The nodes of a skeleton that call are the pieces that do, in order, behind entry and exit.
                let mut node = 1;
                let mut last = None;
                sites.extend(calls.by_ref().map(|(&(piece, name), call)| {
                    node += u32::from(last.replace(piece) != Some(piece));
                    Site { name, function: number, call, node }
                }));
            }
            sorted(sites).into()
        });
        let first = all.partition_point(|site| site.name < name);
        &all[first..first + all[first..].partition_point(|site| site.name == name)]
    }

    /// Its functions that call something of this name, in order.
    pub(crate) fn callers_of(&self, name: NameHash) -> impl Iterator<Item = u32> {
        self.sites_of(name).chunk_by(|a, b| a.function == b.function).map(|own| own[0].function)
    }

    /// Its functions of this name, in order.
    pub(crate) fn named(&self, name: NameHash) -> impl Iterator<Item = u32> {
        let all = self.named.get_or_init(|| {
            let named = self.functions.iter().zip(0..).map(|(function, at)| (function.id, at));
            sorted(named.collect()).into()
        });
        let first = all.partition_point(|function| function.0 < name);
        all[first..].iter().take_while(move |function| function.0 == name).map(|function| function.1)
    }

    /// The names that several of its functions have, as alternatives of `#if` do, sorted.
    pub(crate) fn named_twice(&self) -> &[NameHash] {
        self.twice.get_or_init(|| {
            let mut names: Vec<NameHash> = self.functions.iter().map(|function| function.id).collect();
            names.sort_unstable();
            let several = names.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
            several.map(|same| same[0]).collect()
        })
    }

    /// Whether something in its functions could not be read as written.
    pub fn has_problems(&self) -> bool {
        *self.problems.get_or_init(|| self.functions.iter().any(|function| function.problems > 0))
    }

    /// What its items mention, sorted.
    pub fn item_words(&self) -> &[NameHash] {
        let words =
            || sorted(self.pieces.iter().flat_map(|piece| piece.items.words.iter().copied()).collect());
        self.item_words.get_or_init(|| words().into())
    }

    /// The files of a history, each read once, their pieces too.
    pub fn sources(budget: usize) -> Sources<FileFacts> {
        Sources::by_pieces(budget, Functions::new(Keeping, FUNCTIONS), Self::read, Self::weight)
    }

    /// About how many bytes it takes; its pieces and the bodies of its functions are remembered elsewhere.
    pub fn weight(&self) -> usize {
        // What its functions mention is found later, for most.
        let names = self.functions.len() * 16;
        self.functions.len() * 24 + self.pieces.len() * 8 + names * 8 + 200
    }
}

/// So many functions and pieces are remembered; one takes about two kilobytes.
const FUNCTIONS: usize = 60_000;

/// The text of a longer declaration is not kept: it is a table, most likely.
const SPELLED: usize = 2000;

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

impl ItemFacts {
    /// What can be seen of an item, and of its members. Conditions among these are a part of what needs them.
    fn all(item: &Item, header: bool) -> Vec<Self> {
        let spelled: Option<Arc<str>> = (item.text.len() <= SPELLED).then(|| item.text.as_str().into());
        let parts = seen(item).into_iter().filter(|part| !part.is_condition());
        let mut all: Vec<Self> = parts.map(|part| Self::of(item, part, header, spelled.clone())).collect();
        let own: Vec<NameHash> = all.iter().map(|part| part.id).collect();
        all.iter_mut().for_each(|part| part.dotted = part.dotted.filter(|name| !own.contains(name)));
        all
    }

    /// Whether it is a member of a structure.
    pub fn is_member(&self) -> bool {
        self.called.starts_with('.')
    }

    fn of(item: &Item, part: Seen, header: bool, spelled: Option<Arc<str>>) -> Self {
        let Seen { name: called, text, needs } = part;
        let (conditions, needs): (Vec<String>, Vec<String>) =
            needs.into_iter().partition(|need| need.starts_with('#') && !need.starts_with("#define"));
        let conditions: Box<[Box<str>]> = conditions.iter().map(|it| it[1..].into()).collect();
        let starred = (item.kind != ItemKind::Type).then(|| NameHash::of(format!("*{called}").as_bytes()));
        Self {
            local: !header,
            shared: item.kind == ItemKind::Global && !item.text.starts_with("static "),
            id: NameHash::of(called.as_bytes()),
            starred,
            dotted: (item.kind != ItemKind::Type).then(|| dotted(&called)),
            called: called.into(),
            name: item.name.as_str().into(),
            text: hash(text.as_bytes()),
            spelled,
            words: sorted(needs.iter().map(|need| NameHash::of(need.as_bytes())).collect()).into(),
            condition_words: sorted(conditions.iter().flat_map(|it| words(it)).collect()).into(),
            conditions,
        }
    }
}

impl BodyFacts {
    fn of(function: &Function, uses: &[NameHash], problems: u32, lines: &[&[u8]]) -> Self {
        let origin = function.line().unwrap_or(0);
        let mut line_hashes = Vec::new();
        let mut all_words: Vec<u32> = Vec::new();
        let mut texts = String::new();
        let mut digest = FxHasher::default();
        let pointers = Pointers::of(function);
        let mut all_uses: Vec<NameHash> = Vec::new();
        let mut pieces = Vec::with_capacity(function.pieces.len());
        for piece in &function.pieces {
            let said = canonical(&piece.text);
            let symbol = symbol(piece, &said);
            texts.push_str(&said);
            digest.write_u64(symbol);
            let (line, last) =
                piece.span.map_or((0, 0), |span| (span.start.line, span.end.line.max(span.start.line)));
            let begin = line_hashes.len() as u32;
            if last > line {
                line_hashes.extend((line..=last).map(|line| line_hash(lines, line)));
            }
            let uses = mentioned_in(&pointers, piece);
            all_words.extend(uses.iter().map(|name| name.0 as u32));
            all_uses.extend(uses);
            let words = all_words.len() as u32;
            let (first, last) = (line.saturating_sub(origin), last.saturating_sub(origin));
            pieces.push(PieceFacts {
                symbol,
                first,
                last,
                kind: kind(piece),
                lines: begin,
                words,
                text: texts.len() as u32,
            });
        }
        let parameters = function.parameters.iter().map(|it| NameHash::of(it.name.as_bytes()));
        let declared = function.pieces.iter().filter(|piece| piece.role == Role::Declaration);
        let declared = declared.flat_map(|piece| uses_of(&piece.text, true).sets);
        let locals =
            sorted(parameters.chain(declared).chain(sides(&pointers)).map(|name| name.0 as u32).collect());
        let mut flow = Vec::with_capacity(function.flow.len());
        for edge in &function.flow {
            let kind = edge_hash(&edge.kind);
            [u64::from(edge.from.0), u64::from(edge.to.0), kind]
                .iter()
                .for_each(|value| digest.write_u64(*value));
            flow.push((edge.from.0, edge.to.0, kind));
        }
        flow.sort_unstable();
        let mut calls = Vec::new();
        for call in &function.calls {
            if let Callee::Direct(name) = &call.callee {
                calls.push((call.piece.0, NameHash::of(name.as_bytes())));
            }
        }
        // Stable: the calls of a piece stay in order.
        calls.sort_by_key(|call| call.0);
        let called = sorted(calls.iter().map(|call| call.1).collect());
        let skeleton = Arc::new(Skeleton::of(pieces.len(), &flow, &calls));
        let head = canonical(&function.signature);
        digest.write_u64(hash(head.as_bytes()));
        let head_uses = sorted(mentioned(&head));
        all_uses.extend(&head_uses);
        Self {
            id: NameHash::of(function.name.as_bytes()),
            name: function.name.as_str().into(),
            internal: function.linkage == Linkage::Internal,
            problems,
            head: head.into(),
            digest: digest.finish(),
            names: uses.into(),
            uses: sorted(all_uses).into(),
            head_uses: head_uses.into(),
            pieces: pieces.into(),
            flow: flow.into(),
            calls: calls.into(),
            called: called.into(),
            skeleton,
            line_hashes: line_hashes.into(),
            locals: locals.into(),
            words: all_words.into(),
            texts: texts.into(),
        }
    }

    /// Where control goes from a piece, and under which outcome.
    pub fn leaving(&self, piece: u32) -> &[(u32, u32, u64)] {
        let start = self.flow.partition_point(|edge| edge.0 < piece);
        &self.flow[start..start + self.flow[start..].partition_point(|edge| edge.0 == piece)]
    }

    /// The words of a piece.
    pub fn words_of(&self, piece: usize) -> &[u32] {
        let start = if piece == 0 { 0 } else { self.pieces[piece - 1].words };
        &self.words[start as usize..self.pieces[piece].words as usize]
    }

    /// The text of a piece, without layout.
    pub fn text_of(&self, piece: usize) -> &str {
        let start = if piece == 0 { 0 } else { self.pieces[piece - 1].text };
        &self.texts[start as usize..self.pieces[piece].text as usize]
    }
}

impl FunctionFacts {
    /// What its pieces are matched by.
    pub(crate) fn symbols(&self) -> Vec<u64> {
        self.pieces.iter().map(|piece| piece.symbol).collect()
    }

    /// The first line of a piece.
    pub fn line_of(&self, piece: usize) -> u32 {
        self.line + self.pieces[piece].first
    }

    /// The lines of a piece with a hash of each.
    pub fn lines_of(&self, piece: usize) -> impl Iterator<Item = (u32, u64)> {
        let facts = &self.pieces[piece];
        let several = facts.last > facts.first;
        (facts.first..=facts.last).map(move |line| {
            let at = (facts.lines + (line - facts.first)) as usize;
            (self.line + line, if several { self.line_hashes[at] } else { facts.symbol })
        })
    }
}

/// Blanks and comments do not count, as in the comparison of statements.
fn line_hash(lines: &[&[u8]], line: u32) -> u64 {
    let text = lines.get(line as usize - 1).copied().unwrap_or_default();
    hash(canonical_of(text).as_bytes())
}

fn symbol(piece: &Piece, said: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(piece.role as u32);
    hasher.write_u32(piece.part);
    hasher.write(said.as_bytes());
    hasher.finish()
}

fn edge_hash(kind: &EdgeKind) -> u64 {
    match kind {
        EdgeKind::Next => 0,
        EdgeKind::True => 1,
        EdgeKind::False => 2,
        EdgeKind::Default => 3,
        EdgeKind::Indirect => 4,
        EdgeKind::Case(label) => hash(canonical(label).as_bytes()) | 8,
        EdgeKind::Config(condition) => hash(canonical(condition).as_bytes()) & !7 | 16,
    }
}

fn kind(piece: &Piece) -> PieceKind {
    match piece.role {
        Role::Entry | Role::Exit => PieceKind::Synthetic,
        Role::Break | Role::Continue | Role::Goto => PieceKind::Jump,
        Role::Return if piece.text.trim_end_matches(';').trim() == "return" => PieceKind::Jump,
        Role::Declaration if !piece.text.contains('=') => PieceKind::Declaration,
        Role::Config => PieceKind::Config,
        _ => PieceKind::Executable,
    }
}
