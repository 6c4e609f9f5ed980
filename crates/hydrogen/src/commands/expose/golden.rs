//! What a difference is worth: whether it is more than words of messages, and, where a version is known to be right, which one is wrong (E2, E14).

use super::confirm::again;
use crate::cli::ProgramOptions;
use crate::commands::program::{self, Loaded};
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Label;
use hydrogen_expose::{Wording, Worth};
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Ending, Observable, Outcome};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The version that is right.
pub struct Golden(Loaded);

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

    fn program(&self) -> &Program {
        &self.0.linked.program
    }
}

/// What is known of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// What it is; none where no version is known to be right, or that one does not come to an end, or does what is undefined.
    pub label: Option<Label>,
    /// Whether it is words of messages alone, between the two versions, or between the new one and the right one.
    pub words: bool,
}

/// Who says what a difference is worth.
pub struct Judging {
    golden: Option<Golden>,
    wording: Wording,
    /// Whether words are all that was changed, so that they are what is searched for.
    words_wanted: Cell<bool>,
    limits: Limits,
}

impl Judging {
    pub fn new(golden: Option<Golden>, programs: [&Program; 2], limits: &Limits) -> Self {
        let all: Vec<&Program> = programs.into_iter().chain(golden.as_ref().map(Golden::program)).collect();
        let wording = Wording::of(&all);
        Self { golden, wording, words_wanted: Cell::new(false), limits: limits.clone() }
    }

    /// Words are all that was changed.
    pub fn want_words(&self) {
        self.words_wanted.set(true);
    }

    /// Whether a version is known to be right.
    pub fn has_golden(&self) -> bool {
        self.golden.is_some()
    }

    /// What a difference is. Standard output and standard error are compared as they are; the program's name is the same in all versions.
    pub fn judge(&self, world: &World, input: &Input, [old, new]: [&Outcome; 2]) -> Judged {
        let words = self.wording.same(old, new);
        let Some(golden) = &self.golden else { return Judged { label: None, words } };
        let right = again(golden.program(), world, input, &self.limits).outcome;
        if !right.is_whole() || matches!(right.ending, Ending::Fault(..)) {
            return Judged { label: None, words };
        }
        let same = [old, new].map(|outcome| outcome.same(&right, &Observable::usual()));
        let label = match same {
            [true, false] => Some(Label::Regression),
            [false, true] => Some(Label::Progression),
            [false, false] => Some(Label::Differential),
            [true, true] => None,
        };
        // The right version may be much younger, and its messages worded anew: that is no error of the new version.
        let words = words || label != Some(Label::Progression) && self.wording.same(new, &right);
        Judged { label, words }
    }

    /// What it is worth to the search.
    pub fn worth(&self, judged: Judged) -> Worth {
        let plain = !judged.words || self.words_wanted.get();
        match judged.label {
            _ if !plain => Worth { kind: "words", wanted: false },
            Some(Label::Regression) => Worth { kind: "regression", wanted: true },
            Some(Label::Differential) => Worth { kind: "both are wrong", wanted: true },
            Some(Label::Progression) => Worth { kind: "progression", wanted: false },
            None if self.has_golden() => Worth { kind: "no judge", wanted: false },
            None => Worth::ANY,
        }
    }
}
