//! The name git gives to a content.

use std::fmt;

/// A git object id: SHA-1 (20 bytes) or SHA-256 (32 bytes), depending on the repository.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub(crate) gix::ObjectId);

impl Oid {
    /// The id's bytes, 20 or 32 of them.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// The id git would give to a file with this content, in a repository that uses SHA-1.
    pub fn of_blob(content: &[u8]) -> Oid {
        Self::of_blob_like(content, gix::hash::Kind::Sha1)
    }

    /// The id git would give to a file with this content, in the hash function of `other`.
    pub(crate) fn of_blob_as(content: &[u8], other: &Oid) -> Oid {
        Self::of_blob_like(content, other.0.kind())
    }

    fn of_blob_like(content: &[u8], kind: gix::hash::Kind) -> Oid {
        // The hasher fails only when it meets an engineered SHA-1 collision; git refuses such content, and for us
        // the null id is right: it equals no other id, so nothing is taken for the same.
        Oid(gix::objs::compute_hash(kind, gix::objs::Kind::Blob, content).unwrap_or_else(|_| kind.null()))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({})", self.0)
    }
}
