//! Bytes that are written once, in chunks; those beyond a bound lie in a temporary file.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A chunk is full at this size.
const CHUNK: usize = 1 << 18;

/// A log of bytes.
#[derive(Debug)]
pub(crate) struct Log {
    open: Vec<u8>,
    chunks: Vec<Chunk>,
    kept: usize,
    /// How many bytes may stay in memory.
    bound: usize,
    file: Option<File>,
    written: u64,
    failed: Option<io::Error>,
}

#[derive(Debug)]
enum Chunk {
    Kept(Box<[u8]>),
    /// Where in the file, and how long.
    Spilled(u64, usize),
}

impl Log {
    pub(crate) fn new(bound: usize) -> Self {
        Self {
            open: Vec::with_capacity(CHUNK + 4096),
            chunks: Vec::new(),
            kept: 0,
            bound,
            file: None,
            written: 0,
            failed: None,
        }
    }

    /// The bytes of the open chunk, to append to.
    #[inline]
    pub(crate) fn open(&mut self) -> &mut Vec<u8> {
        &mut self.open
    }

    /// Between two records: closes the chunk when it is full. Whether it did.
    #[inline]
    pub(crate) fn settle(&mut self) -> bool {
        if self.open.len() < CHUNK {
            return false;
        }
        self.seal();
        true
    }

    /// Closes the chunk.
    #[cold]
    pub(crate) fn seal(&mut self) {
        if self.open.is_empty() {
            return;
        }
        if self.kept + self.open.len() <= self.bound {
            self.kept += self.open.len();
            self.chunks.push(Chunk::Kept(self.open.as_slice().into()));
        } else if self.failed.is_none() {
            match self.spill() {
                Ok(chunk) => self.chunks.push(chunk),
                Err(error) => self.failed = Some(error),
            }
        }
        self.open.clear();
    }

    fn spill(&mut self) -> io::Result<Chunk> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile()?);
        }
        let Some(file) = &self.file else { return Err(io::Error::other("no temporary file")) };
        file.write_all_at(&self.open, self.written)?;
        let chunk = Chunk::Spilled(self.written, self.open.len());
        self.written += self.open.len() as u64;
        Ok(chunk)
    }

    /// What went wrong while writing.
    pub(crate) fn error(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    pub(crate) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The bytes of a closed chunk.
    pub(crate) fn chunk(&self, index: usize) -> io::Result<Cow<'_, [u8]>> {
        match &self.chunks[index] {
            Chunk::Kept(bytes) => Ok(Cow::Borrowed(bytes)),
            Chunk::Spilled(at, len) => {
                let mut bytes = vec![0; *len];
                let file = self.file.as_ref().ok_or_else(|| io::Error::other("no temporary file"))?;
                file.read_exact_at(&mut bytes, *at)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// How many bytes there are, in memory and in the file.
    pub(crate) fn len(&self) -> (usize, u64) {
        (self.kept + self.open.len(), self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_comes_back_from_the_file() {
        let mut log = Log::new(CHUNK);
        for index in 0..4u8 {
            log.open().extend(std::iter::repeat_n(index, CHUNK));
            assert!(log.settle());
        }
        assert_eq!(log.len(), (CHUNK, 3 * CHUNK as u64));
        for index in 0..4u8 {
            let bytes = log.chunk(index.into()).unwrap_or_default();
            assert!(bytes.len() == CHUNK && bytes.iter().all(|byte| *byte == index));
        }
        assert!(log.error().is_none());
    }
}
