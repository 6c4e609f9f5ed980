//! From byte offsets to lines and columns.

use hydrogen_ir::{FileId, Position, Span};
use memchr::memchr_iter;

/// Where the lines of a file begin.
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Reads the line structure of a file.
    pub fn new(source: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(source.len() / 30 + 1);
        starts.push(0);
        starts.extend(memchr_iter(b'\n', source).map(|at| at as u32 + 1));
        Self { starts }
    }

    /// How many lines end.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The span of a byte range.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let line = self.starts.partition_point(|&begin| begin <= start) - 1;
        // Nearly every range ends on the line it begins on, or shortly behind it.
        let near = self.starts.len().min(line + 8);
        let last = if self.starts.get(near).is_none_or(|&begin| end < begin) {
            line + self.starts[line..near].partition_point(|&begin| begin <= end) - 1
        } else {
            self.starts.partition_point(|&begin| begin <= end) - 1
        };
        Span { file: FileId(0), start: self.position(line, start), end: self.position(last, end) }
    }

    fn position(&self, line: usize, at: u32) -> Position {
        Position { line: line as u32 + 1, column: at - self.starts[line] + 1 }
    }
}
