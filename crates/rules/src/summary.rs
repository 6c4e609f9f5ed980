//! What functions do to an obligation, by a least fixpoint over all functions.

use super::effect::Way;
use super::flow::Spread;
use super::open::{Open, Reasons};
use super::program::Program;
use hydrogen_graph::ChainId;
use std::collections::BTreeSet;

/// What calling a function means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// It comes back.
    pub returns: Open,
    /// It comes back with an obligation of the caller still open.
    pub kept: Open,
    /// It calls the second function while an obligation of the caller is open.
    pub hit: Open,
    /// Why some of this is not sure.
    pub reasons: Reasons,
}

/// The summaries of all functions.
pub(super) struct Summaries(Vec<Summary>);

impl Summaries {
    pub fn of(program: &Program<'_>) -> Self {
        let mut all = Self(vec![Summary::default(); program.graph.chains().len()]);
        let mut work: BTreeSet<ChainId> = program.graph.chains().collect();
        while let Some(chain) = work.pop_first() {
            let new = all.one(program, chain);
            if new != all.0[chain.index()] {
                all.0[chain.index()] = new;
                let callers = program.callers(chain).iter();
                work.extend(callers.map(|(place, _)| program.graph.chain(place.node)));
            }
        }
        all
    }

    pub fn get(&self, chain: ChainId) -> &Summary {
        &self.0[chain.index()]
    }

    fn one(&self, program: &Program<'_>, chain: ChainId) -> Summary {
        let returning = Spread::from_entry(program, self, Way::Returns, chain);
        let ruled = Spread::from_entry(program, self, Way::Rule, chain);
        Summary {
            returns: returning.at_exit(chain),
            kept: ruled.at_exit(chain),
            hit: ruled.hit,
            reasons: ruled.reasons,
        }
    }
}
