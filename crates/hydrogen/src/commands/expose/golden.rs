//! A version that is right says what a difference is (E2, E14).

use super::confirm::again;
use crate::cli::ProgramOptions;
use crate::commands::program::{self, Loaded};
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::Input;
use hydrogen_machine::{Limits, World};
use hydrogen_pair::{Ending, Observable, Outcome};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The version that is right.
pub struct Golden(Loaded);

/// What a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// The old version is right, the new one is not.
    Regression,
    /// The new version is right, the old one was not.
    Progression,
    /// Neither is right: a fix that is not complete, or a new error in the place of an old one.
    Differential,
}

impl Label {
    /// Whether the new version is wrong.
    pub fn is_error(self) -> bool {
        self != Self::Progression
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Progression => "progression",
            Self::Differential => "both are wrong",
        }
    }
}

impl Golden {
    pub fn load(
        context: &Context,
        options: &ProgramOptions,
        name: &str,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let options = ProgramOptions { programs: vec![name.to_owned()], ..options.clone() };
        let loaded = program::load(context, &options, interrupt);
        Ok(Self(loaded.with_context(|| format!("cannot load --golden {name}"))?))
    }

    /// What a difference is; none where the right version does not come to an end, or does what is undefined.
    pub fn label(
        &self,
        outcomes: [&Outcome; 2],
        world: &World,
        input: &Input,
        limits: &Limits,
    ) -> Option<Label> {
        let right = again(&self.0.linked.program, world, input, limits).outcome;
        let exactly = outcomes.map(|outcome| outcome.same(&right, &Observable::usual()));
        let alike = outcomes.map(|outcome| is_alike(outcome, &right));
        // Only words of messages differ: then words count.
        let same = if alike == [true, true] { exactly } else { alike };
        match same {
            _ if !right.is_whole() || matches!(right.ending, Ending::Fault(..)) => None,
            [false, false] if alike == [true, true] => None,
            [true, false] => Some(Label::Regression),
            [false, true] => Some(Label::Progression),
            [false, false] => Some(Label::Differential),
            [true, true] => None,
        }
    }
}

/// Whether an outcome is the right one. The right version is of another time: its messages may have other words, but whether there is one counts.
fn is_alike(outcome: &Outcome, right: &Outcome) -> bool {
    let observables: Vec<Observable> =
        Observable::usual().into_iter().filter(|one| *one != Observable::Stderr).collect();
    outcome.same(right, &observables) && outcome.stderr.is_empty() == right.stderr.is_empty()
}
