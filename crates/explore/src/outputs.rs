//! What goes out, with the bytes that depend on the input.

use hydrogen_machine::Stream;
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// The symbolic bytes of all streams, by their place; what is not here is concrete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logs(BTreeMap<Stream, BTreeMap<u64, Term>>);

impl Logs {
    pub(crate) fn set(&mut self, stream: Stream, at: u64, term: Option<Term>) {
        match term {
            Some(term) => {
                self.0.entry(stream).or_default().insert(at, term);
            }
            None => {
                if let Some(log) = self.0.get_mut(&stream) {
                    log.remove(&at);
                }
            }
        }
    }

    pub(crate) fn cut(&mut self, stream: Stream, size: u64) {
        if let Some(log) = self.0.get_mut(&stream) {
            log.split_off(&size);
        }
    }

    /// The symbolic bytes of a stream, by their place.
    pub fn of(&self, stream: Stream) -> impl Iterator<Item = (u64, Term)> + '_ {
        self.0.get(&stream).into_iter().flatten().map(|(at, term)| (*at, *term))
    }

    /// The streams that have symbolic bytes.
    pub fn streams(&self) -> impl Iterator<Item = Stream> + '_ {
        self.0.iter().filter(|(_, log)| !log.is_empty()).map(|(stream, _)| *stream)
    }

    /// The same with other terms: those of another pool, or over other names.
    pub fn map(&self, mut term: impl FnMut(Term) -> Term) -> Logs {
        let logs = self
            .0
            .iter()
            .map(|(stream, log)| (*stream, log.iter().map(|(at, one)| (*at, term(*one))).collect()));
        Logs(logs.collect())
    }
}
