//! Variables whose initial value is another one now: no statement says so, but the one that first reads it goes wrong.

use hydrogen_align::redefined;
use hydrogen_evidence::why::{Counterpart, Did, Side, Spot, Suspect};
use hydrogen_ir::GlobalSummary;
use hydrogen_machine::Program;

/// The variables that changed and that one of these statements names.
pub(crate) fn variables(old: &Program, new: &Program, readers: &[&Spot]) -> Vec<Suspect> {
    let (Some(old), Some(new)) = (old.units().next(), new.units().next()) else { return Vec::new() };
    let mut found = Vec::new();
    for (before, now) in &redefined(old, new) {
        if !readers.iter().any(|spot| mentions(&spot.text, &now.name)) {
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
