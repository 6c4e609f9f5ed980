//! What counts as another behaviour.

use super::super::slice;
use crate::cli::{By, ExploreOptions};
use anyhow::{Result, bail};
use hydrogen_explore::ByRsc;
use hydrogen_machine::Program;
use hydrogen_trace::{Criterion, Static};

/// What `--by rsc` needs.
pub struct Relevant<'p> {
    statics: Static<'p>,
    criteria: Vec<Criterion>,
    check: bool,
}

impl<'p> Relevant<'p> {
    /// `None` where paths are explored.
    pub fn new(program: &'p Program, options: &ExploreOptions) -> Result<Option<Self>> {
        if options.by == By::Path {
            if !options.of.is_empty() {
                bail!("--of needs --by rsc: a path is one whatever comes out of it");
            }
            if options.check_priorities {
                bail!("--check-priorities needs --by rsc: the conditions of a path are not put in order");
            }
            return Ok(None);
        }
        let mut criteria: Vec<Criterion> = options.of.iter().map(|name| slice::output(name)).collect();
        if criteria.is_empty() {
            criteria.push(Criterion::Everything);
        }
        let statics = Static::new(program, &[&options.program.entry]);
        if !statics.is_precise() {
            tracing::warn!("the analysis of pointers took too long: every pointer may point everywhere");
        }
        Ok(Some(Self { statics, criteria, check: options.check_priorities }))
    }

    /// Who sees runs by their relevant-slice conditions.
    pub fn observer(&self) -> ByRsc<'_, 'p> {
        ByRsc { statics: &self.statics, criteria: &self.criteria, check: self.check }
    }
}
