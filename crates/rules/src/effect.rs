//! What a call does to an obligation.

use super::open::Open;
use super::program::{Act, Is, Program};
use super::rule::Order;
use super::summary::{Summaries, Summary};
use hydrogen_graph::VersionSet;

/// What is asked about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Whether control gets there.
    Returns,
    /// Whether control gets there with the obligation open.
    Rule,
}

/// A program and what its functions do.
#[derive(Clone, Copy)]
pub(super) struct Effects<'a> {
    pub program: &'a Program<'a>,
    pub summaries: &'a Summaries,
}

impl Effects<'_> {
    fn all(&self) -> VersionSet {
        VersionSet::all(self.program.graph.versions().len())
    }

    /// Where an obligation that is open before a call is open behind it.
    pub fn behind(&self, act: &Act, way: Way) -> Open {
        if act.ends || act.jumps {
            return Open::default();
        }
        let rule = way == Way::Rule && self.program.rule.order == Order::Follows;
        if rule && act.second == Is::Sure {
            return Open::default();
        }
        let of = |summary: &Summary| if rule { summary.kept.clone() } else { summary.returns.clone() };
        let mut open = self.entered(act, of, true);
        if act.opaque.is_some() {
            // That it comes back is taken for granted, as of any function without a body.
            open = if rule { Open::perhaps(self.all()) } else { Open::sure(self.all()) };
        }
        if rule && act.second == Is::Perhaps { open.weakened() } else { open }
    }

    /// Where the second function is called by a call.
    pub fn hit_by(&self, act: &Act) -> Open {
        let mut hit = match act.second {
            Is::Sure => Open::sure(self.all()),
            Is::Perhaps => Open::perhaps(self.all()),
            Is::No => self.entered(act, |summary| summary.hit.clone(), false),
        };
        if act.opaque.is_some() && act.second != Is::Sure {
            hit.add(&Open::perhaps(self.all()));
        }
        hit
    }

    /// What holds of a call's targets together, `outside` being what holds of functions without a body.
    fn entered(&self, act: &Act, of: impl Fn(&Summary) -> Open, outside: bool) -> Open {
        let outside = if outside { Open::sure(self.all()) } else { Open::default() };
        let chains = act.chains.iter().map(|&chain| of(self.summaries.get(chain)));
        let mut targets = chains.chain(act.externals.iter().map(|_| outside.clone()));
        let Some(first) = targets.next() else { return outside };
        targets.fold(first, |mut all, one| {
            let sure = all.sure.intersection(&one.sure);
            all.add(&one);
            if act.either { Open { sure, may: all.may } } else { all }
        })
    }
}
