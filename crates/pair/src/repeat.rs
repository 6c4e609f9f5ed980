//! What the input does not determine (P-6): another time of day, other random numbers and other addresses must give the same.
//!
//! Bytes that were never written need no second run: the machine faults where one decides anything or goes out.

use crate::run::memory;
use hydrogen_evidence::{Difference, Input, Observable, Outcome};
use hydrogen_machine::{Limits, Program, World};

/// What is changed between two runs of one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disturbance {
    /// The time of day.
    Clock,
    /// Random numbers of the system.
    Random,
    /// Where objects lie.
    Addresses,
}

impl Disturbance {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Clock, Self::Random, Self::Addresses];

    fn apply(self, world: World) -> World {
        match self {
            // Another day, month and year than the usual one, and another second of the minute.
            Self::Clock => world.with_clock(2_000_000_123),
            Self::Random => world.with_random(0x5851_f42d_4c95_7f2d),
            Self::Addresses => world.with_shift(0x1230),
        }
    }
}

impl std::fmt::Display for Disturbance {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Clock => "the time of day",
            Self::Random => "random numbers",
            Self::Addresses => "where objects lie",
        })
    }
}

/// The observables that change although the input does not, and with what. They are left out of a comparison only if the user
/// says so.
pub fn unsteady(
    program: &Program,
    world: &World,
    input: &Input,
    limits: &Limits,
    observables: &[Observable],
) -> Vec<(Disturbance, Difference)> {
    let outcome = |world: World| {
        let world = world.with_input(input);
        let call = world.call.clone();
        let run = program.run(world, limits.clone());
        let memory = memory(program, call.as_deref(), run.after.as_ref());
        Outcome::of(&run.end, &run.world, None).with_memory(&memory)
    };
    let usual = outcome(world.clone());
    let mut found = Vec::new();
    for disturbance in Disturbance::ALL {
        let other = outcome(disturbance.apply(world.clone()));
        found.extend(usual.differences(&other, observables).into_iter().map(|it| (disturbance, it)));
    }
    found
}
