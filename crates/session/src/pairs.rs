//! Which function of which unit goes with which of the other version.

use crate::Session;
use hydrogen_evidence::changed::Status;
use hydrogen_model::{Change, FunctionChange, UnitModel};

/// A changed function in both versions: its units, and its names there.
pub(crate) struct Pair<'s> {
    pub change: &'s FunctionChange,
    pub old: &'s UnitModel,
    pub new: &'s UnitModel,
    /// Its name in the old version.
    pub was: String,
}

impl Session<'_> {
    /// The changed functions that both versions define, in the order of the comparison.
    pub(crate) fn pairs(&self) -> Vec<Pair<'_>> {
        let changed = self.changed().functions.iter();
        let both = changed.filter(|one| matches!(one.status, Status::Updated | Status::Renamed));
        let pair = |change: &'_ FunctionChange| -> Option<Pair<'_>> {
            let was = match &change.change {
                Some(Change::Renamed(from)) => from.clone(),
                _ => change.name.clone(),
            };
            let new = unit(&self.new.units, &change.name, &change.file, "")?;
            let old = unit(&self.old.units, &was, &change.file, &new.file)?;
            // The session owns the comparison, which lives as long as it does.
            let change = self.changed().functions.iter().find(|one| *one == change)?;
            Some(Pair { change, old, new, was })
        };
        both.filter_map(pair).collect()
    }
}

/// The unit that defines a function: best in this file and in that unit.
fn unit<'s>(units: &'s [UnitModel], name: &str, file: &str, beside: &str) -> Option<&'s UnitModel> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let rank = |unit: &UnitModel| {
        let defined = unit.summary.functions.iter().filter(|one| one.name == name);
        let nearness = defined.map(|one| match one.file == file {
            true => 0,
            false if base(&one.file) == base(file) => 1,
            false => 2,
        });
        Some((nearness.min()?, unit.file != beside))
    };
    let mut found: Vec<((i32, bool), &UnitModel)> =
        units.iter().filter_map(|unit| Some((rank(unit)?, unit))).collect();
    found.sort_by_key(|one| one.0);
    found.first().map(|one| one.1)
}
