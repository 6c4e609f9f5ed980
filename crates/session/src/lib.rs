//! Two versions, and everything that follows from them, computed once: which functions changed, and what each of them does differently.
//!
//! Every application that asks about `A..B` takes it from here, in its own process. A session holds the models of both versions; what follows is worked out
//! when it is first asked for. It knows nothing of how answers look.

mod callees;
mod causes;
mod deltas;
mod missing;
mod pairs;

use hydrogen_model::{Comparison, Modeller, VersionModel};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

/// Two versions.
pub struct Session<'m> {
    modeller: &'m Modeller,
    old: VersionModel,
    new: VersionModel,
    cancel: Arc<AtomicBool>,
    jobs: usize,
    changed: OnceLock<Comparison>,
}

/// Why a session has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A model could not be read.
    #[error(transparent)]
    Model(#[from] hydrogen_model::Error),
    /// No threads could be started.
    #[error("no threads could be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl<'m> Session<'m> {
    /// A session about two versions, on so many threads; once the flag is set, nothing new is begun.
    pub fn new(
        modeller: &'m Modeller,
        old: VersionModel,
        new: VersionModel,
        cancel: Arc<AtomicBool>,
        jobs: usize,
    ) -> Self {
        Self { modeller, old, new, cancel, jobs, changed: OnceLock::new() }
    }

    /// The models, old and new.
    pub fn models(&self) -> (&VersionModel, &VersionModel) {
        (&self.old, &self.new)
    }

    /// Which functions changed.
    pub fn changed(&self) -> &Comparison {
        self.changed.get_or_init(|| hydrogen_model::compare(&self.old, &self.new))
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
