//! A run line by line, forwards: which variables are set to what, in terms of the input, and what must hold so far.

use crate::concolic::Concolic;
use crate::cut::{Cut, Definition};
use crate::path::{Conjunct, Kind};
use crate::show::show;
use crate::symbolic::Symbolic;
use hydrogen_machine::{Limits, Program, Run, Site, World};
use hydrogen_term::Pool;
use rustc_hash::FxHashSet;

/// Longer tables are cut.
const MOST_ROWS: usize = 1000;

/// One line of the source, executed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardRow {
    /// An instruction of the line.
    pub site: Site,
    /// The variables that it set, and to what.
    pub values: Vec<(String, String)>,
    /// What the line asked of the input besides all that was asked before.
    pub condition: Vec<String>,
}

/// A run, line by line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forward {
    /// In the order of execution.
    pub rows: Vec<ForwardRow>,
    /// Whether there were too many.
    pub is_cut: bool,
}

enum Event<'e> {
    Set(&'e Definition),
    Asked(&'e Conjunct, Site),
}

/// Runs a program and tells what happens line by line.
pub fn forward(program: &Program, symbolic: &Symbolic, world: World, limits: Limits) -> Forward {
    let mut concolic = Concolic::new(program, symbolic, &world, Pool::new());
    concolic.every = true;
    let cut = Cut::new(program, concolic, FxHashSet::default()).forwards();
    let Run { monitor, .. } = program.run_with(world, limits, cut);
    let Cut { mut concolic, definitions, asked, .. } = monitor;
    let mut pool = std::mem::take(&mut concolic.pool);
    let mut events: Vec<(u64, Event<'_>)> =
        definitions.iter().map(|one| (one.step, Event::Set(one))).collect();
    // What the library asks is asked by the line that called it.
    let by = |at: usize| asked.get(at).or(asked.last()).copied();
    for (at, one) in concolic.path.iter().enumerate().filter(|(_, one)| one.kind != Kind::NoFault) {
        let site = if program.is_users(one.site.function) { Some(one.site) } else { by(at) };
        events.extend(site.map(|site| (one.instance, Event::Asked(one, site))));
    }
    // A stable sort: what one instruction did stays in its order.
    events.sort_by_key(|event| event.0);
    let mut found = Forward::default();
    let mut line = None;
    for (_, event) in events {
        let site = match &event {
            Event::Set(one) => one.site,
            Event::Asked(_, site) => *site,
        };
        let place = program.place(site);
        let here = (place.function, place.line);
        if line.as_ref() != Some(&here) {
            if found.rows.len() == MOST_ROWS {
                found.is_cut = true;
                break;
            }
            line = Some(here);
            found.rows.push(ForwardRow { site, values: Vec::new(), condition: Vec::new() });
        }
        let Some(row) = found.rows.last_mut() else { continue };
        match event {
            Event::Set(one) => row.values.push((one.name.name.clone(), show(&mut pool, one.value))),
            Event::Asked(one, _) => row.condition.push(show(&mut pool, one.term)),
        }
    }
    found
}
