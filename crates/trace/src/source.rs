//! From instructions to lines.

use crate::dependences::Dependences;
use crate::record::TraceError;
use crate::slice::Slice;
pub use hydrogen_evidence::sliced::Line;
use hydrogen_machine::{FuncId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Lines of instructions, looked up once per function.
pub(crate) struct Lines<'p> {
    program: &'p Program,
    /// By function and instruction: the number of the file's name and the line.
    known: FxHashMap<FuncId, Vec<(u32, u32)>>,
    files: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// The last file that was asked for, and which files fit.
    asked: (String, Vec<bool>),
}

impl<'p> Lines<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            known: FxHashMap::default(),
            files: Vec::new(),
            numbers: FxHashMap::default(),
            asked: (String::new(), Vec::new()),
        }
    }

    /// The file and line of an instruction; line 0 where there is none.
    pub(crate) fn at(&mut self, function: FuncId, pc: u32) -> (u32, u32) {
        let Self { program, known, files, numbers, .. } = self;
        let lines = known.entry(function).or_insert_with(|| {
            let (Some(code), Some((module, model))) = (program.code(function), program.model(function))
            else {
                return Vec::new();
            };
            let Some(body) = model.body.as_ref() else { return Vec::new() };
            code.origin
                .iter()
                .map(|id| {
                    let Some(location) = body.instructions.get(id.index()).and_then(|one| one.location)
                    else {
                        return (0, 0);
                    };
                    let name = module.file(location.file);
                    let number = *numbers.entry(name.to_owned()).or_insert_with(|| {
                        files.push(name.to_owned());
                        files.len() as u32 - 1
                    });
                    (number, location.position.line)
                })
                .collect()
        });
        lines.get(pc as usize).copied().unwrap_or((0, 0))
    }

    /// The column of an instruction; 0 where there is none.
    pub(crate) fn column(&self, function: FuncId, pc: u32) -> u32 {
        let location = || {
            let id = self.program.code(function)?.origin.get(pc as usize)?;
            self.program.model(function)?.1.body.as_ref()?.instructions.get(id.index())?.location
        };
        location().map_or(0, |location| location.position.column)
    }

    /// The name of a file, by its number.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.files.get(number as usize).map_or("", String::as_str)
    }

    pub(crate) fn is_at(&mut self, function: FuncId, pc: u32, file: &str, line: u32) -> bool {
        let (number, at) = self.at(function, pc);
        at == line && line != 0 && self.fits(number, file)
    }

    fn fits(&mut self, number: u32, file: &str) -> bool {
        if self.asked.0 != file || self.asked.1.len() != self.files.len() {
            self.asked = (file.to_owned(), self.files.iter().map(|name| ends_with(name, file)).collect());
        }
        self.asked.1.get(number as usize).copied().unwrap_or(false)
    }

    /// Whether any instruction is on the line.
    pub(crate) fn exists(&mut self, file: &str, line: u32) -> bool {
        (0..self.program.function_count() as u32).map(FuncId).any(|function| {
            let on_it = |module: &hydrogen_ir::Module, place: hydrogen_ir::Location| {
                place.position.line == line && ends_with(module.file(place.file), file)
            };
            self.program.model(function).is_some_and(|(module, model)| {
                let body = model.body.as_ref();
                let mut places =
                    body.into_iter().flat_map(|body| &body.instructions).filter_map(|i| i.location);
                places.any(|place| on_it(module, place))
            })
        })
    }
}

/// Whether a path ends with the parts of another.
fn ends_with(path: &str, end: &str) -> bool {
    let end = end.strip_prefix("./").unwrap_or(end);
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The executed lines of the user's functions, by file and line, and how much of them is in the slice.
pub fn lines(
    dependences: &Dependences<'_, '_>,
    slice: &Slice,
    users_only: bool,
) -> Result<BTreeMap<(String, u32), Line>, TraceError> {
    let program = dependences.statics.program;
    let mut lines = Lines::new(program);
    let mut counts: FxHashMap<(u32, u32), Line> = FxHashMap::default();
    dependences.records.forwards(|record| {
        let function = record.function();
        if record.node.is_part() || users_only && !program.is_users(function) {
            return;
        }
        let at = lines.at(function, record.pc);
        if at.1 != 0 {
            let line = counts.entry(at).or_default();
            line.executed += 1;
            line.sliced += u64::from(slice.contains(record.node.number()));
        }
    })?;
    Ok(counts
        .into_iter()
        .map(|((file, line), count)| ((lines.files[file as usize].clone(), line), count))
        .collect())
}
