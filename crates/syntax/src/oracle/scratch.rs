//! The text that the grammar reads: a body without comments and superfluous white space, with a map back to the
//! source.
//!
//! Outside its edits the text is exactly what [`hydrogen_statements::fold`] makes of the source, so that the text of
//! a statement is a slice of it.

/// The name that stands for a region left out.
pub(crate) const GAP_NAME: &str = "hydrogen__gap";
/// The function that stands for a computed `goto`.
pub(crate) const GOTO_NAME: &str = "hydrogen__goto";

/// A run of bytes that is equal in the text and in the source but for white space at a single place.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Where it begins in the text.
    at: u32,
    /// Where it begins in the source.
    origin: u32,
    /// Its length; 0 for text that the source does not have.
    length: u32,
}

/// A text made from source.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    text: Vec<u8>,
    runs: Vec<Run>,
    /// Where the text differs from the folded source.
    edits: Vec<u32>,
    /// Regions left out: where their name stands, and their extent in the source.
    gaps: Vec<(u32, u32, u32)>,
    /// Just behind the last byte of the source that was looked at.
    seen: u32,
}

impl Scratch {
    /// An empty text for source that begins at `start`.
    pub fn new(start: u32, capacity: usize) -> Self {
        Self { text: Vec::with_capacity(capacity), seen: start, ..Self::default() }
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends the source from `start` on, whose bytes are `bytes`.
    pub fn copy(&mut self, start: u32, bytes: &[u8]) {
        if start > self.seen && !matches!(self.text.last(), None | Some(b' ' | b'\n')) {
            self.text.push(b' ');
        }
        let at = self.text.len() as u32;
        let length = bytes.len() as u32;
        match self.runs.last_mut() {
            Some(run) if run.length > 0 && at - run.at == start - run.origin => {
                run.length = at + length - run.at
            }
            _ => self.runs.push(Run { at, origin: start, length }),
        }
        self.text.extend_from_slice(bytes);
        self.seen = start + length;
        // Literals may hold what is no text at all; the grammar need not see it.
        if !bytes.is_ascii() && std::str::from_utf8(bytes).is_err() {
            self.mark();
            let word = crate::token::is_word(bytes[0]);
            for byte in self.text[at as usize..].iter_mut().filter(|byte| !byte.is_ascii()) {
                *byte = if word { b'_' } else { b'?' };
            }
        }
    }

    /// Appends text that the source does not have.
    pub fn insert(&mut self, text: &str) {
        self.mark();
        self.runs.push(Run { at: self.text.len() as u32, origin: self.seen, length: 0 });
        self.text.extend_from_slice(text.as_bytes());
        self.mark();
    }

    /// Appends `text` in place of the source between `start` and `end`.
    pub fn replace(&mut self, start: u32, end: u32, text: &str) {
        if start > self.seen {
            self.text.push(b' ');
        }
        self.seen = start;
        self.insert(text);
        self.seen = end;
        // What ends with the replacement ends with what it replaces.
        self.runs.push(Run { at: self.text.len() as u32 - 1, origin: end - 1, length: 1 });
    }

    /// Leaves out the source up to `end`.
    pub fn skip(&mut self, end: u32) {
        self.mark();
        self.seen = end;
    }

    /// Appends a statement that stands for the source between `start` and `end`.
    pub fn gap(&mut self, start: u32, end: u32) {
        self.text.push(b' ');
        self.gaps.push((self.text.len() as u32, start, end));
        self.replace(start, end, GAP_NAME);
        self.insert(";");
    }

    /// Notes that the text differs from the source here.
    pub fn mark(&mut self) {
        let at = self.text.len() as u32;
        if self.edits.last() != Some(&at) {
            self.edits.push(at);
        }
    }

    /// The source extent of a stretch of the text.
    pub fn origin(&self, start: u32, end: u32) -> (u32, u32) {
        let run = |at: u32| {
            self.runs.partition_point(|run| run.at <= at).checked_sub(1).map(|found| self.runs[found])
        };
        let begin = run(start).map_or(0, |run| run.origin + (start - run.at).min(run.length));
        let last = run(end.saturating_sub(1).max(start));
        let finish = last.map_or(begin, |run| run.origin + (end - run.at).min(run.length));
        (begin, finish.max(begin))
    }

    /// The stretch as it is in the folded source, unless an edit makes it differ.
    pub fn slice(&self, start: u32, end: u32) -> Option<&str> {
        let next = self.edits.partition_point(|&at| at <= start);
        if self.edits.get(next).is_some_and(|&at| at < end) {
            return None;
        }
        // A replacement that begins here.
        if next > 0 && self.edits[next - 1] == start && self.inserted(start) {
            return None;
        }
        std::str::from_utf8(&self.text[start as usize..end as usize]).ok()
    }

    fn inserted(&self, at: u32) -> bool {
        let found = self.runs.partition_point(|run| run.at < at);
        self.runs[found..].iter().take_while(|run| run.at == at).any(|run| run.length == 0)
    }

    /// The region whose name stands at `at`.
    pub fn gap_at(&self, at: u32) -> Option<(u32, u32)> {
        let found = self.gaps.binary_search_by_key(&at, |gap| gap.0).ok()?;
        Some((self.gaps[found].1, self.gaps[found].2))
    }
}
