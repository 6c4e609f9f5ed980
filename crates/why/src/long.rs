//! Long runs: terms of everything that is computed in them do not fit in memory, so that they are run twice. The first time shows
//! what the wrong output depends on, the second makes terms and conditions of that alone.

use crate::ask::{Ask, Mode};
use hydrogen_machine::{Limits, Monitor, Off, Site, Step};
use rustc_hash::FxHashSet;

/// A run of more instructions is long, usually: terms of all that fewer compute take less than a gigabyte.
pub const LONG: u64 = 2_000_000;

/// Whether conditions are made of the slice alone. Who asks about whole paths, or about what no branch decides, gets all of them.
pub(crate) fn is_long(ask: &Ask<'_>, limits: &Limits) -> bool {
    let is_wanted = ask.mode == Mode::Relevant && !ask.predicates;
    is_wanted
        && [ask.old, ask.new].into_iter().any(|program| {
            let world = ask.setting.symbolic.world(program, ask.setting.world, ask.input);
            program.run_with(world, limits.clone(), Off).statistics.steps > ask.long
        })
}

/// Where branches of some places went.
pub(crate) struct Targets {
    pub(crate) sites: FxHashSet<Site>,
    step: u64,
    site: Option<Site>,
    /// The number of the instruction, the place, and where it went.
    pub(crate) found: Vec<(u64, Site, u32)>,
}

impl Targets {
    pub(crate) fn of(sites: FxHashSet<Site>) -> Self {
        Self { sites, step: 0, site: None, found: Vec::new() }
    }
}

impl Monitor for Targets {
    fn step(&mut self, step: Step<'_>) {
        self.step += 1;
        self.site = Some(step.site);
    }

    fn branch(&mut self, target: u32) {
        if let Some(site) = self.site.filter(|site| self.sites.contains(site)) {
            self.found.push((self.step, site, target));
        }
    }
}
