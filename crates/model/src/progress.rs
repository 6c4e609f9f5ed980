//! What a long run tells its user.

/// Receives the events of a run, from several threads.
pub trait Progress: Send + Sync {
    /// So many versions will be modelled.
    fn versions(&self, total: usize);
    /// Work on a version begins: what is being done (`building`, `reading`).
    fn stage(&self, version: &str, what: &str);
    /// A version has this many units to look at.
    fn units(&self, count: usize);
    /// A unit is done; `compiled` unless it came from the cache.
    fn unit_done(&self, compiled: bool);
    /// A version is done.
    fn version_done(&self);
}

/// Says nothing.
pub struct Quiet;

impl Progress for Quiet {
    fn versions(&self, _: usize) {}
    fn stage(&self, _: &str, _: &str) {}
    fn units(&self, _: usize) {}
    fn unit_done(&self, _: bool) {}
    fn version_done(&self) {}
}
