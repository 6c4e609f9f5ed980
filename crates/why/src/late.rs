//! What can still be said where the time is over before the runs were looked into: which changed statements they executed.

use crate::ask::Ask;
use crate::changed::changed_statements;
use hydrogen_evidence::why::{Side, Spot};
use hydrogen_machine::{Monitor, Site, Step};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Watches where a run comes.
#[derive(Default)]
struct Sites(FxHashSet<Site>);

impl Monitor for Sites {
    fn step(&mut self, step: Step<'_>) {
        self.0.insert(step.site);
    }
}

/// The changed statements that the failing input executes, those of the new version first, and the instructions of both runs.
pub fn executed_changes(ask: &Ask<'_>) -> (Vec<Spot>, [u64; 2]) {
    let mut steps = [0; 2];
    let mut lines: [BTreeSet<(String, u32)>; 2] = [BTreeSet::new(), BTreeSet::new()];
    for side in [Side::Old, Side::New] {
        let (program, setting) = (ask.program(side), ask.setting);
        let world = setting.symbolic.world(program, setting.world, ask.input);
        let run = program.run_with(world, setting.limits.clone(), Sites::default());
        steps[side.number()] = run.statistics.steps;
        for site in run.monitor.0.into_iter().filter(|site| program.is_users(site.function)) {
            let place = program.place(site);
            lines[side.number()].insert((place.file, place.line));
        }
    }
    let mut found = changed_statements(ask.old, ask.new);
    // Paths are as the compiler was given them on one side, and as the version names them on the other.
    let was_executed = |spot: &Spot| {
        let same = |(file, line): &(String, u32)| *line == spot.line && file.ends_with(spot.file.as_str());
        lines[spot.side.number()].iter().any(same)
    };
    found.retain(was_executed);
    (found, steps)
}
