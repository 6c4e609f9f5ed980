//! Variables whose initial value is another one now: no statement says so, but the one that first reads it goes wrong.

use hydrogen_evidence::why::{Counterpart, Did, Side, Spot, Suspect};
use hydrogen_ir::{GlobalSummary, summarize};
use hydrogen_machine::Program;
use std::collections::BTreeMap;

/// The variables that changed and that one of these statements names.
pub(crate) fn variables(old: &Program, new: &Program, readers: &[&Spot]) -> Vec<Suspect> {
    let globals = |program: &Program| -> BTreeMap<String, GlobalSummary> {
        let own = program.units().next().map(summarize);
        own.into_iter().flat_map(|own| own.globals).map(|one| (one.name.clone(), one)).collect()
    };
    let (old, new) = (globals(old), globals(new));
    let mut found = Vec::new();
    for (name, now) in &new {
        let Some(before) = old.get(name).filter(|before| before.hash != now.hash) else { continue };
        if !readers.iter().any(|spot| mentions(&spot.text, name)) {
            continue;
        }
        let spot = |side: Side, one: &GlobalSummary| Spot {
            side,
            file: one.file.clone(),
            line: one.line,
            function: String::new(),
            text: one.name.clone(),
        };
        found.push(Suspect {
            spot: spot(Side::New, now),
            counterpart: Counterpart::Redefined(spot(Side::Old, before)),
            changed: true,
            origin: Some(0),
            first: false,
            did: Did::Unknown,
            distance: None,
            depends: Vec::new(),
            alternates: Vec::new(),
        });
    }
    found
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|one| one == word)
}
