//! How complex a change is.

use crate::Reading;
use crate::assemble::{Assembled, Standing, What, assemble};
use crate::change::{FunctionChange, Why};
use crate::changes::Changes;
use crate::csg::{Csg, END, START, TooLarge};
use crate::index::{FunctionKey, Index};
use crate::pairs::Touched;
use crate::reach::change_sequences;
use crate::sequences::independent;
use hydrogen_evidence::complexity::{ChangedFunction, Measure, Mechanical};
use std::collections::BTreeSet;

/// The complexity of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complexity {
    /// Changed lines of the new version that compute something.
    pub lines: usize,
    /// Such lines of the old version that are gone or replaced.
    pub deleted_lines: usize,
    /// Runs of statements that changed.
    pub hunks: usize,
    /// The changed functions, by file.
    pub functions: Vec<ChangedFunction>,
    /// How many files they are in.
    pub files: usize,
    /// Macros, types, variables and enumerators that say something else, sorted.
    pub items: Vec<Box<str>>,
    /// How many of the changed statements decide where control goes.
    pub decisions: usize,
    /// Changes of many places by one rule, each counted once.
    pub mechanical: Vec<Mechanical>,
    /// The change sequence graph, block by block; nothing where no executable change was found.
    pub graph: Result<Option<ChangeGraph>, TooLarge>,
}

/// A change sequence graph with what its vertices stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeGraph {
    /// The graph.
    pub csg: Csg,
    /// Its size.
    pub measure: Measure,
    /// Per vertex from the third on, the change that stands there: the first of its block.
    pub changes: Vec<ChangedPlace>,
}

/// A changed place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedPlace {
    /// The file.
    pub file: Box<str>,
    /// The line in the new version; in the old one where the function is gone.
    pub line: u32,
    /// The function.
    pub function: Box<str>,
    /// What happened.
    pub what: Happened,
}

/// What happened at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happened {
    /// A statement is new or says something else.
    Changed,
    /// A statement leads elsewhere.
    Redirected,
    /// Something in it means something else.
    Meaning,
    /// Something was deleted before this line.
    Deleted,
    /// The head of the function changed.
    Head,
    /// The function is gone.
    Gone,
}

impl ChangeGraph {
    /// The cyclomatic change complexity.
    pub fn complexity(&self) -> usize {
        self.measure.complexity()
    }

    /// Whether the changes are in several files.
    pub fn several_files(&self) -> bool {
        self.changes.iter().any(|place| place.file != self.changes[0].file)
    }

    /// A vertex for people: its line, with its file where there are several.
    pub fn label(&self, vertex: u32) -> String {
        match vertex {
            START => "entry".into(),
            END => "exit".into(),
            _ => self.changes[vertex as usize - 2].label(self.several_files()),
        }
    }

    /// Linearly independent change sequences, as vertices.
    pub fn sequences(&self) -> impl Iterator<Item = Vec<u32>> {
        independent(&self.csg)
    }
}

impl ChangedPlace {
    /// The place for people.
    pub fn label(&self, with_file: bool) -> String {
        let mark = match self.what {
            Happened::Changed => "",
            Happened::Redirected => "r",
            Happened::Meaning => "m",
            Happened::Deleted => "d",
            Happened::Head => "h",
            Happened::Gone => "g",
        };
        if with_file { format!("{}:{}{mark}", self.file, self.line) } else { format!("{}{mark}", self.line) }
    }
}

impl Complexity {
    /// Nothing changed.
    pub fn none() -> Self {
        Self {
            lines: 0,
            deleted_lines: 0,
            hunks: 0,
            functions: Vec::new(),
            files: 0,
            items: Vec::new(),
            decisions: 0,
            mechanical: Vec::new(),
            graph: Ok(None),
        }
    }

    /// The complexity of a step as it is read: with mechanical changes counted once, unless published numbers are wanted.
    pub fn of_step(index: &Index, touched: &[Touched], reading: Reading) -> Self {
        Self::of(index, reading.changes(index, touched), reading)
    }

    /// The complexity of changes; `index` is at the new tree.
    pub fn of(index: &Index, changes: Changes, reading: Reading) -> Self {
        // Lines and hunks are those of all places, also where a change is counted elsewhere.
        let all = || changes.functions.values().chain(&changes.rewritten);
        let lines = all().map(|change| change.lines.len()).sum();
        let gone: usize = changes.gone.iter().map(|gone| gone.lines).sum();
        let deleted_lines = gone + all().map(|it| it.deleted_lines).sum::<usize>();
        let hunks = changes.gone.len() + all().map(|it| it.hunks.len()).sum::<usize>();
        let changes = match reading {
            Reading::Full => changes,
            Reading::Thesis => changes.visible_to_thesis(index),
        };
        let mut functions: Vec<ChangedFunction> = changes
            .functions
            .keys()
            .map(|&key| {
                let facts = index.function(key);
                let file = index.file(key.file).expect("a key names a file of the tree").path.clone();
                ChangedFunction { file, line: facts.line, name: facts.name.clone(), gone: false }
            })
            .collect();
        functions.extend(changes.gone.iter().map(|gone| ChangedFunction {
            file: gone.file.clone(),
            line: gone.line,
            name: gone.name.clone(),
            gone: true,
        }));
        functions.sort_unstable();
        let files: BTreeSet<&str> = functions.iter().map(|function| &*function.file).collect();
        let files = files.len();
        let graph = if functions.is_empty() { Ok(None) } else { graph(index, &changes, reading) };
        let decisions = decisions(index, &changes);
        let Changes { items, mechanical, .. } = changes;
        Self { lines, deleted_lines, hunks, functions, files, items, decisions, mechanical, graph }
    }
}

impl Reading {
    /// What counts as changed in a step.
    pub(crate) fn changes(self, index: &Index, touched: &[Touched]) -> Changes {
        Changes::collect(index, touched, self == Reading::Full, None)
    }

    /// As much of it as [`Changes::common`] asks for, where that is called on `wanted`.
    pub(crate) fn changes_among(self, index: &Index, touched: &[Touched], wanted: &Changes) -> Changes {
        Changes::collect(index, touched, self == Reading::Full, Some(wanted))
    }
}

fn decisions(index: &Index, changes: &Changes) -> usize {
    let decides = |key: FunctionKey, piece: u32| {
        let mut ways = index.function(key).leaving(piece).iter().map(|edge| edge.1);
        let first = ways.next();
        ways.any(|to| Some(to) != first)
    };
    let all =
        changes.functions.iter().flat_map(|(&key, it)| it.pieces.keys().map(move |&piece| (key, piece)));
    all.filter(|&(key, piece)| decides(key, piece)).count()
}

fn graph(index: &Index, changes: &Changes, reading: Reading) -> Result<Option<ChangeGraph>, TooLarge> {
    let assembled = assemble(index, changes);
    let fine = change_sequences(&assembled.program, reading)?;
    let block = |vertex: crate::Vertex| assembled.blocks[vertex.function as usize][vertex.node as usize];
    let (csg, _) = fine.joined(|a, b| a.function == b.function && block(a) == block(b));
    let changes = csg.vertices[2..]
        .iter()
        .map(|vertex| place(index, changes, &assembled, vertex.function as usize, vertex.node))
        .collect();
    let measure = csg.measure();
    Ok(Some(ChangeGraph { csg, measure, changes }))
}

fn place(
    index: &Index,
    changes: &Changes,
    assembled: &Assembled,
    function: usize,
    node: u32,
) -> ChangedPlace {
    let key = match assembled.functions[function] {
        What::Function(key) => key,
        What::Gone(at) => {
            let gone = &changes.gone[at];
            let (file, function) = (gone.file.clone(), gone.name.clone());
            return ChangedPlace { file, line: gone.line, function, what: Happened::Gone };
        }
    };
    let facts = index.function(key);
    let change: &FunctionChange = &changes.functions[&key];
    let (line, what) = match assembled.places[function][&node] {
        Standing::Piece(piece, why) => {
            let what = match why {
                Why::Text => Happened::Changed,
                Why::Flow => Happened::Redirected,
                Why::Meaning => Happened::Meaning,
            };
            (facts.line_of(piece as usize), what)
        }
        Standing::Deletion(at) => (change.deletions[at].line, Happened::Deleted),
        Standing::Head => (facts.line, Happened::Head),
        Standing::Gone => (facts.line, Happened::Gone),
    };
    let file = index.file(key.file).expect("a key names a file of the tree").path.clone();
    ChangedPlace { file, line, function: facts.name.clone(), what }
}
