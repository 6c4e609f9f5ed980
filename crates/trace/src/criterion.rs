//! What to explain.

use crate::dependences::Dependences;
use crate::named::NamedAt;
use crate::node::Node;
use crate::places::{NAMES, OUTPUT};
use crate::record::TraceError;
use crate::source::Lines;
use hydrogen_machine::Stream;

/// Something that a program gives out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputName {
    /// Bytes written to a file descriptor.
    Descriptor(i32),
    /// A value that the program named (`hydrogen_output`).
    Named(String),
}

/// What to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Criterion {
    /// An execution of a line: the n-th, from 1, or the last.
    Line {
        /// The file, or the end of its path.
        file: String,
        /// The line, from 1.
        line: u32,
        /// Which execution.
        nth: Option<u64>,
    },
    /// An expression in an execution of a line: all that is computed between these columns.
    Expression {
        /// The file, or the end of its path.
        file: String,
        /// The line, from 1.
        line: u32,
        /// Which execution.
        nth: Option<u64>,
        /// Its columns, in bytes from 1.
        columns: std::ops::Range<u32>,
        /// The text of it.
        text: String,
    },
    /// Everything that was given out under a name.
    Output(OutputName),
    /// Some bytes of what was written to a descriptor: those that [`crate::Options::bytes`] names.
    Bytes(i32, std::ops::Range<u64>),
    /// Everything that was written to a file: its stream, and its name.
    File(Stream, String),
    /// What a global variable of the program holds at the end: the one that [`crate::Options::global`] names.
    Global(String),
    /// What a variable holds when a line begins: the one that [`crate::Options::named`] names.
    Named(NamedAt),
    /// The last instruction: the exit status, or what went wrong.
    End,
    /// Everything that was given out, and the end.
    Everything,
}

/// Why there is nothing to explain.
#[derive(Debug, thiserror::Error)]
pub enum CriterionError {
    /// The line has no code.
    #[error("no instruction of the program is at {0}:{1}")]
    NoCode(String, u32),
    /// The line was not executed (so often).
    #[error("{0}:{1} was executed {2} times in this run")]
    NotExecuted(String, u32, u64),
    /// Nothing was given out.
    #[error("the run gives out nothing as `{0}`{1}")]
    NoOutput(String, String),
    /// Fewer bytes were written.
    #[error("{0} has {1} bytes in this run; the first is byte 0")]
    TooShort(String, u64),
    /// There is no such variable.
    #[error("the program has no global variable `{0}`")]
    NoGlobal(String),
    /// There is no such variable where the line is.
    #[error("there is no variable `{0}` where the line is")]
    NoVariable(String),
    /// Nothing is computed there.
    #[error("nothing of `{0}` is computed where the line is executed")]
    NotComputed(String),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Where slicing begins.
#[derive(Debug, Clone, Default)]
pub struct Seeds {
    pub(crate) nodes: Vec<Node>,
    /// Cells that are read at the end, and who wrote them.
    pub(crate) cells: Vec<(u32, Node)>,
}

impl Seeds {
    /// The executed instructions with these numbers; the first is 1.
    pub fn steps(steps: impl IntoIterator<Item = u64>) -> Self {
        Self { nodes: steps.into_iter().map(Node::step).collect(), cells: Vec::new() }
    }

    /// That nothing was given out, neither written nor named.
    pub fn any_output() -> Self {
        Self { nodes: Vec::new(), cells: vec![(OUTPUT, Node::NONE), (NAMES, Node::NONE)] }
    }

    /// The executed instructions that it begins at, by number.
    pub fn numbers(&self) -> Vec<u64> {
        self.nodes.iter().map(|node| node.number()).collect()
    }

    /// Adds another criterion.
    pub fn extend(&mut self, other: Seeds) {
        self.nodes.extend(other.nodes);
        self.cells.extend(other.cells);
    }
}

impl std::fmt::Display for OutputName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OutputName::Descriptor(1) => write!(out, "stdout"),
            OutputName::Descriptor(2) => write!(out, "stderr"),
            OutputName::Descriptor(fd) => write!(out, "descriptor {fd}"),
            OutputName::Named(name) => write!(out, "{name}"),
        }
    }
}

impl Dependences<'_, '_> {
    /// Finds what to explain in the run.
    pub fn find(&self, criterion: &Criterion) -> Result<Seeds, CriterionError> {
        match criterion {
            Criterion::End => Ok(Seeds::steps([self.steps])),
            Criterion::Everything => {
                let last = |named: bool| {
                    let of = |one: &&(OutputName, Node)| matches!(one.0, OutputName::Named(_)) == named;
                    self.outputs.iter().rfind(of).map_or(Node::NONE, |one| one.1)
                };
                let mut seeds = Seeds::steps([self.steps]);
                seeds.nodes.extend(self.outputs.iter().map(|one| one.1));
                seeds.cells = vec![(OUTPUT, last(false)), (NAMES, last(true))];
                Ok(seeds)
            }
            Criterion::Output(name) => {
                let nodes: Vec<Node> =
                    self.outputs.iter().filter(|one| one.0 == *name).map(|one| one.1).collect();
                let Some(last) = nodes.last().copied() else {
                    return Err(CriterionError::NoOutput(name.to_string(), self.known_outputs()));
                };
                // What comes after the last output might have given out more.
                let cell = if matches!(name, OutputName::Named(_)) { NAMES } else { OUTPUT };
                Ok(Seeds { nodes, cells: vec![(cell, last)] })
            }
            Criterion::Bytes(descriptor, range) => {
                let written = self.written.get(descriptor).copied().unwrap_or(0);
                match range.end <= written && !range.is_empty() {
                    true => Ok(self.bytes.clone()),
                    false => {
                        let name = OutputName::Descriptor(*descriptor).to_string();
                        Err(CriterionError::TooShort(name, written))
                    }
                }
            }
            Criterion::File(stream, name) => {
                let written = self.outputs.iter().filter(|one| matches!(one.0, OutputName::Descriptor(_)));
                let to_it = written.zip(&self.streams).filter(|(_, to)| *to == stream);
                let nodes: Vec<Node> = to_it.map(|(one, _)| one.1).collect();
                match nodes.last().copied() {
                    Some(last) => Ok(Seeds { nodes, cells: vec![(OUTPUT, last)] }),
                    None => Err(CriterionError::NoOutput(name.clone(), self.known_outputs())),
                }
            }
            Criterion::Global(name) => match self.bytes.cells.is_empty() {
                true => Err(CriterionError::NoGlobal(name.clone())),
                false => Ok(self.bytes.clone()),
            },
            Criterion::Line { file, line, nth } => self.line(file, *line, *nth, None),
            Criterion::Expression { file, line, nth, columns, text } => {
                let seeds = self.line(file, *line, *nth, Some(columns))?;
                match seeds.nodes.is_empty() {
                    true => Err(CriterionError::NotComputed(text.clone())),
                    false => Ok(seeds),
                }
            }
            Criterion::Named(asked) => {
                if !self.bytes.nodes.is_empty() {
                    return Ok(self.bytes.clone());
                }
                if !Lines::new(self.statics.program).exists(&asked.file, asked.line) {
                    return Err(CriterionError::NoCode(asked.file.clone(), asked.line));
                }
                match self.times == 0 || asked.nth.is_some_and(|nth| nth > self.times) {
                    true => Err(CriterionError::NotExecuted(asked.file.clone(), asked.line, self.times)),
                    false => Err(CriterionError::NoVariable(asked.name.clone())),
                }
            }
        }
    }

    fn known_outputs(&self) -> String {
        let mut names: Vec<String> = self.outputs.iter().map(|one| one.0.to_string()).collect();
        names.sort();
        names.dedup();
        if names.is_empty() { String::new() } else { format!("; there is: {}", names.join(", ")) }
    }

    /// An execution of a line begins where its activation comes from another line, or goes back on it. With columns: only what is between
    /// them, and what calls there gave.
    fn line(
        &self,
        file: &str,
        line: u32,
        nth: Option<u64>,
        columns: Option<&std::ops::Range<u32>>,
    ) -> Result<Seeds, CriterionError> {
        let mut lines = Lines::new(self.statics.program);
        if !lines.exists(file, line) {
            return Err(CriterionError::NoCode(file.to_owned(), line));
        }
        let mut times = 0;
        let mut nodes: Vec<Node> = Vec::new();
        // The last instruction of each activation that is on the line.
        let mut last: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
        // The activation whose last instruction was between the columns, and the instruction before this one.
        let mut inside: Option<u32> = None;
        let mut before: Option<(u32, Node)> = None;
        self.records.forwards(|record| {
            if nth.is_some_and(|nth| times > nth) {
                return;
            }
            // An activation goes on behind a call: the last instruction of the callee says what came back.
            if let Some((frame, node)) = before.replace((record.frame, record.node))
                && inside == Some(record.frame)
            {
                inside = None;
                nodes.extend((frame != record.frame).then_some(node));
            }
            let on = lines.is_at(record.function(), record.pc, file, line);
            if !on {
                last.remove(&record.frame);
                return;
            }
            let begins = !record.node.is_part() && last.get(&record.frame).is_none_or(|pc| record.pc <= *pc);
            last.insert(record.frame, record.pc);
            if begins {
                times += 1;
                if nth.is_none_or(|nth| times == nth) {
                    nodes.clear();
                }
            }
            if nth.is_some_and(|nth| times != nth) {
                return;
            }
            match columns {
                None => nodes.push(record.node),
                Some(columns) if columns.contains(&lines.column(record.function(), record.pc)) => {
                    nodes.push(record.node);
                    inside = Some(record.frame);
                }
                Some(_) => {}
            }
        })?;
        if times == 0 || nth.is_some_and(|nth| nth > times) {
            return Err(CriterionError::NotExecuted(file.to_owned(), line, times));
        }
        Ok(Seeds { nodes, cells: Vec::new() })
    }
}
