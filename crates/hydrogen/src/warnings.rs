//! Warnings on standard error, each once: two versions, or several parts of an answer, often have the same to say.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Where log lines go. The formatter gives every line in one piece.
pub struct Lines {
    /// What was written; nothing where repetitions count, as they do for people who follow every step.
    written: Option<Mutex<BTreeSet<Vec<u8>>>>,
}

impl Lines {
    pub fn new(each_once: bool) -> Self {
        Lines { written: each_once.then(Mutex::default) }
    }

    fn is_new(&self, line: &[u8]) -> bool {
        let Some(written) = &self.written else { return true };
        written.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_vec())
    }
}

/// One line.
pub struct Line<'l>(&'l Lines);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.is_new(bytes) {
            // Styles are the formatter's own, where it writes them.
            let text = String::from_utf8_lossy(bytes);
            io::stderr().write_all(crate::output::shown(&text, true).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl<'l> tracing_subscriber::fmt::MakeWriter<'l> for Lines {
    type Writer = Line<'l>;

    fn make_writer(&'l self) -> Line<'l> {
        Line(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn a_line_is_new_once() {
        let lines = Lines::new(true);
        assert_eq!([b"a", b"b", b"a"].map(|line| lines.is_new(line)), [true, true, false]);
        let lines = Lines::new(false);
        assert_eq!([b"a", b"a"].map(|line| lines.is_new(line)), [true, true]);
    }
}
