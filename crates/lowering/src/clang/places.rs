//! Where things stand: extents, uses of macros, lines, text.

use super::sys::{Cursor, Spot, Unit, file_name};
use clang_sys::{CXCursor_MacroExpansion, CXFile};
use hydrogen_ir::{FileId, Position, Span};
use hydrogen_statements::fold;
use std::collections::HashMap;

/// An extent as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The file, as an index into [`Places`].
    pub(super) file: usize,
    /// The first byte.
    pub(super) start: u32,
    /// Just behind the last byte.
    pub(super) end: u32,
    /// Whether everything comes out of one use of a macro, which this is then the extent of.
    pub(super) is_use: bool,
}

struct Source<'u> {
    handle: CXFile,
    bytes: &'u [u8],
    id: FileId,
    /// Offsets at which lines begin; found when first needed.
    lines: Vec<u32>,
    /// Uses of macros by start, with their ends.
    uses: Vec<(u32, u32)>,
    /// Whether `#line` moves positions.
    moved: bool,
}

/// The files of a unit.
pub(super) struct Places<'u, 'f> {
    unit: &'u Unit,
    sources: Vec<Source<'u>>,
    index: HashMap<CXFile, usize>,
    file_id: &'f mut dyn FnMut(&str) -> FileId,
}

impl<'u, 'f> Places<'u, 'f> {
    /// Collects the uses of macros among the unit's top-level cursors.
    pub(super) fn new(
        unit: &'u Unit,
        top: &[Cursor<'u>],
        file_id: &'f mut dyn FnMut(&str) -> FileId,
    ) -> Self {
        let mut places = Self { unit, sources: Vec::new(), index: HashMap::new(), file_id };
        for cursor in top.iter().filter(|cursor| cursor.kind() == CXCursor_MacroExpansion) {
            let (start, end) = cursor.extent();
            // A use inside another one's expansion is never asked for: locations lead to the outermost.
            if start.in_macro || end.in_macro || start.file.is_null() {
                continue;
            }
            let file = places.file(start.file);
            places.sources[file].uses.push((start.offset, end.offset));
        }
        for source in &mut places.sources {
            source.uses.sort_unstable();
        }
        places
    }

    fn file(&mut self, handle: CXFile) -> usize {
        if let Some(&file) = self.index.get(&handle) {
            return file;
        }
        let bytes = self.unit.contents(handle);
        let id = (self.file_id)(&file_name(handle));
        let moved = super::scan::has_line_directives(bytes);
        self.sources.push(Source { handle, bytes, id, lines: Vec::new(), uses: Vec::new(), moved });
        self.index.insert(handle, self.sources.len() - 1);
        self.sources.len() - 1
    }

    /// The end of the macro use that starts at `offset`.
    fn use_end(&self, file: usize, offset: u32) -> Option<u32> {
        let uses = &self.sources[file].uses;
        uses.binary_search_by_key(&offset, |&(start, _)| start).ok().map(|at| uses[at].1)
    }

    /// The use of a macro that ends at `offset`, but for white space.
    pub(super) fn use_before(&self, file: usize, offset: u32) -> Option<Place> {
        let source = &self.sources[file];
        let before = source.bytes.get(..offset as usize)?.trim_ascii_end().len() as u32;
        let at = source.uses.partition_point(|&(start, _)| start < offset);
        let (start, end) = source.uses[..at].iter().rev().take(8).copied().find(|&(_, end)| end == before)?;
        Some(Place { file, start, end, is_use: true })
    }

    /// Where a cursor stands; `None` for cursors without text.
    pub(super) fn place(&mut self, cursor: &Cursor<'u>) -> Option<Place> {
        let (start, end) = cursor.extent();
        self.between(start, end)
    }

    /// Like [`Self::place`], but an argument of a macro stands where it is written.
    pub(super) fn written(&mut self, cursor: &Cursor<'u>) -> Option<Place> {
        let (start, end) = cursor.written_extent();
        let file = (!start.file.is_null()).then(|| self.file(start.file))?;
        if start.file == end.file && start.offset < end.offset {
            return Some(Place { file, start: start.offset, end: end.offset, is_use: false });
        }
        self.place(cursor)
    }

    fn between(&mut self, start: Spot, end: Spot) -> Option<Place> {
        if start.file.is_null() || end.file.is_null() {
            return None;
        }
        let file = self.file(start.file);
        let first_use = if start.in_macro { self.use_end(file, start.offset) } else { None };
        if start.file != end.file {
            // A construct that an included file ends: only its beginning can be shown.
            let to = first_use.unwrap_or(start.offset);
            return Some(Place { file, start: start.offset, end: to, is_use: false });
        }
        let mut to = end.offset;
        if end.in_macro {
            to = self.use_end(file, end.offset).unwrap_or(to);
        }
        let is_use = first_use.is_some_and(|use_end| to <= use_end);
        let to = first_use.map_or(to, |use_end| to.max(use_end)).max(start.offset);
        Some(Place { file, start: start.offset, end: to, is_use })
    }

    /// The bytes of a place.
    pub(super) fn bytes(&self, place: Place) -> &'u [u8] {
        self.bytes_between(place.file, place.start, place.end)
    }

    pub(super) fn bytes_between(&self, file: usize, start: u32, end: u32) -> &'u [u8] {
        self.sources[file].bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The text of a place as shown to people.
    pub(super) fn text(&self, place: Place) -> String {
        fold(self.bytes(place))
    }

    pub(super) fn text_between(&self, file: usize, start: u32, end: u32) -> String {
        fold(self.bytes_between(file, start, end))
    }

    /// The place in the terms of the model.
    pub(super) fn span(&mut self, place: Place) -> Span {
        let (file, start) = self.position(place.file, place.start);
        let (_, end) = self.position(place.file, place.end);
        Span { file, start, end }
    }

    /// The place in the file that was read, whatever `#line` says.
    pub(super) fn read_span(&mut self, place: Place) -> Span {
        let (file, start) = self.read_position(place.file, place.start);
        let (_, end) = self.read_position(place.file, place.end);
        Span { file, start, end }
    }

    fn position(&mut self, file: usize, offset: u32) -> (FileId, Position) {
        let source = &self.sources[file];
        if source.moved {
            let (name, line, column) = self.unit.presumed(source.handle, offset);
            // For no name, debug information has the file itself.
            let id = if name.is_empty() { source.id } else { (self.file_id)(&name) };
            return (id, Position { line, column });
        }
        self.read_position(file, offset)
    }

    fn read_position(&mut self, file: usize, offset: u32) -> (FileId, Position) {
        let source = &mut self.sources[file];
        if source.lines.is_empty() {
            source.lines = super::scan::line_starts(source.bytes);
        }
        let line = source.lines.partition_point(|&start| start <= offset);
        let column = offset - source.lines[line - 1] + 1;
        (source.id, Position { line: line as u32, column })
    }
}
