//! The old version with some of the changes of the new one, built and tested in a clean checkout (B10).

use super::parts::Parts;
use crate::cli::ClassifyOptions;
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Result, bail};
use hydrogen_history::checkout::{Checkout, Checkouts};
use hydrogen_history::trial::{self, Seen, Trial};
use hydrogen_history::version::{CommitInfo, Source, Version};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So much of what a test writes is compared.
const MOST_OUTPUT: usize = 16 << 20;

/// What a test did somewhere, in all its runs.
#[derive(Clone, PartialEq, Eq)]
pub enum Answer {
    /// It always ended with this code, and wrote this (nothing where that was never twice the same).
    Steady(i32, Option<Vec<u8>>),
    /// It ended with different codes.
    Flaky(Vec<i32>),
    /// One of its parts needs one that is missing.
    Misfit,
    /// It does not build.
    NotBuilt,
    /// It cannot be tested there, and why.
    Skipped(String),
}

/// Builds and tests versions and parts of a change.
pub struct Tester<'a> {
    options: &'a ClassifyOptions,
    checkouts: Checkouts,
    stop: Arc<AtomicBool>,
    new: Version,
    pub parts: Parts,
    /// Last, so that checkouts are given back before it is removed.
    _scratch: Scratch,
}

impl<'a> Tester<'a> {
    pub fn new(
        context: &Context,
        options: &'a ClassifyOptions,
        old: Option<&CommitInfo>,
        new: &CommitInfo,
    ) -> Result<Self> {
        let scratch = Scratch::new("classify")?;
        let checkouts = Checkouts::with_trees(&scratch.path().join("checkouts"), Arc::clone(&context.trees))?;
        let parts = Parts::of(context, old, new, options.granularity.into())?;
        Ok(Self {
            options,
            checkouts,
            stop: context.cancel_flag(),
            new: version(new),
            parts,
            _scratch: scratch,
        })
    }

    /// How many configurations may be asked about.
    pub fn budget(&self) -> usize {
        self.options.configurations
    }

    /// What a test does in a version.
    pub fn version(&self, test: &str, commit: &CommitInfo) -> Result<Answer> {
        let version = version(commit);
        self.ask(test, &|| Ok(self.checkouts.lease(&version)?))
    }

    /// What a test does with some parts of the change. What cannot fit together is not built.
    pub fn configuration(&self, test: &str, chosen: &[usize]) -> Result<Answer> {
        if self.parts.misfit(chosen) {
            return Ok(Answer::Misfit);
        }
        self.ask(test, &|| {
            let checkout = self.checkouts.lease(&self.new)?;
            self.parts.write(checkout.path(), chosen)?;
            Ok(checkout)
        })
    }

    /// Builds once for every run of the test: what a run leaves behind must not decide the next.
    fn ask(&self, test: &str, lease: &dyn Fn() -> Result<Checkout>) -> Result<Answer> {
        let mut seen: Vec<Seen> = Vec::new();
        for _ in 0..self.options.repeat.get() {
            let checkout = lease()?;
            match trial::run(&checkout, &self.options.build, self.options.timeout, &self.stop) {
                Trial::Pass => {}
                Trial::Fail => return Ok(Answer::NotBuilt),
                Trial::Skip(reason) => return Ok(Answer::Skipped(reason)),
                Trial::Broken(reason) => return broken(reason),
            }
            match trial::see(&checkout, test, self.options.timeout, &self.stop, MOST_OUTPUT) {
                Ok(mut one) => {
                    one.output = without_path(&one.output, checkout.path());
                    seen.push(one);
                }
                Err(Trial::Skip(reason)) => return Ok(Answer::Skipped(reason)),
                Err(Trial::Broken(reason)) => return broken(reason),
                Err(Trial::Pass | Trial::Fail) => bail!("a test that ended was not seen"),
            }
        }
        let first = &seen[0];
        if seen.iter().any(|other| other.code != first.code) {
            return Ok(Answer::Flaky(seen.iter().map(|it| it.code).collect()));
        }
        let steady = seen.iter().all(|other| other.output == first.output);
        Ok(Answer::Steady(first.code, steady.then(|| first.output.clone())))
    }
}

fn broken(reason: String) -> Result<Answer> {
    if reason == "interrupted" {
        return Err(hydrogen_model::Error::Interrupted.into());
    }
    // A program that is missing here may be there in another configuration.
    Ok(Answer::Skipped(reason))
}

fn version(commit: &CommitInfo) -> Version {
    let name = commit.commit.chars().take(10).collect();
    Version { name, source: Source::Commit(commit.clone()) }
}

/// Output that names the checkout says nothing about the version.
fn without_path(output: &[u8], path: &Path) -> Vec<u8> {
    use bstr::ByteSlice;
    output.replace(path.as_os_str().as_encoded_bytes(), ".")
}

/// The configurations that a test was asked about, by how they answered.
pub fn tally(asked: &[(Vec<usize>, String)]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, said) in asked {
        *counts.entry(said.clone()).or_default() += 1;
    }
    counts
}
