//! What the user's code assigned and returned in a run, as terms of the input: what predicates that no branch decides are made of
//! (10.3 of the specification).

use crate::concolic::Concolic;
use crate::cut::Cut;
use crate::symbolic::Symbolic;
use hydrogen_evidence::Input;
use hydrogen_machine::{Limits, Program, Run, Site, World};
use hydrogen_term::{Loan, Pool, Term};
use rustc_hash::FxHashSet;

/// Whose value it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Whose {
    /// A variable's, or a part's of one.
    Variable {
        /// Its name.
        name: String,
        /// Its function; empty for globals.
        function: String,
        /// Which activation of the function in the run; 0 for globals.
        activation: u64,
    },
    /// What a function returns.
    Result {
        /// Whether it is a pointer.
        pointer: bool,
    },
}

/// A value of an integer, or a pointer that a function returns.
#[derive(Debug, Clone)]
pub struct Assigned {
    /// The number of the instruction in the run; the first is 1.
    pub step: u64,
    /// The instruction.
    pub site: Site,
    /// Whose value it is.
    pub whose: Whose,
    /// The value; a constant where the input does not matter.
    pub value: Term,
}

/// Runs a program and tells what was assigned and returned, in the order of execution. `world` holds the input already.
pub fn assigned(
    program: &Program,
    symbolic: &Symbolic,
    world: World,
    input: &Input,
    limits: Limits,
    pool: &mut Pool,
) -> Vec<Assigned> {
    let (lent, mut loan) = Loan::of(pool);
    let mut concolic = Concolic::new(program, symbolic, &world, lent).with_call(input);
    concolic.every = true;
    let cut = Cut::new(program, concolic, FxHashSet::default()).forwards();
    let Run { monitor, .. } = program.run_with(world, limits, cut);
    let Cut { mut concolic, definitions, returned, .. } = monitor;
    *loan = std::mem::take(&mut concolic.pool);
    let variables = definitions.into_iter().map(|one| {
        let whose = Whose::Variable {
            name: one.name.name.clone(),
            function: one.name.function.clone(),
            activation: one.name.activation,
        };
        Assigned { step: one.step, site: one.site, whose, value: one.value }
    });
    let mut all: Vec<Assigned> = variables.chain(returned).collect();
    // A stable sort: what one instruction did stays in its order.
    all.sort_by_key(|one| one.step);
    all
}
