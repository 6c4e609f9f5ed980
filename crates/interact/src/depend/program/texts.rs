//! What statements do, by their text and the macros in it.

use super::super::named_calls::{Extent, Outside};
use super::super::uses::{Uses, uses};
use super::Builder;
use hydrogen_ir::{Function, Role};
use hydrogen_syntax::NameHash;
use rustc_hash::FxHashSet;

impl Builder<'_> {
    pub(super) fn uses_of(&self, function: &Function) -> Vec<Uses> {
        let mut all = Vec::with_capacity(function.pieces.len());
        for piece in &function.pieces {
            let mut uses = uses(&piece.text, piece.role == Role::Declaration);
            // What macros in it do.
            let mut seen: FxHashSet<NameHash> = FxHashSet::default();
            let mut waiting: Vec<NameHash> =
                uses.reads.iter().copied().filter(|name| self.macros.contains_key(name)).collect();
            while let Some(name) = waiting.pop() {
                if !seen.insert(name) {
                    continue;
                }
                let known = &self.macros[&name];
                uses.spots.reads.extend(&known.spots.reads);
                uses.spots.sets.extend(&known.spots.sets);
                if known.assigns {
                    // It may assign to its arguments too.
                    let (arguments, places) = (uses.reads.clone(), uses.spots.reads.clone());
                    uses.may_set.extend(arguments);
                    uses.may_set.extend(&known.reads);
                    uses.spots.sets.extend(places);
                }
                if known.takes_addresses() {
                    uses.expose_all();
                }
                uses.reads.extend(&known.reads);
                uses.calls.extend(&known.calls);
                waiting.extend(known.reads.iter().filter(|name| self.macros.contains_key(name)));
            }
            // A format may store something.
            let prints = uses.calls.iter().any(|(name, _)| self.printing.contains(name));
            if prints && may_store(&piece.text) {
                uses.outside.sets = Extent::All;
            }
            // What is printed to the terminal is read by nobody.
            let terminal = ["stdout", "stderr"].map(|name| NameHash::of(name.as_bytes()));
            let shown = uses.reads.iter().any(|name| terminal.contains(name));
            let away = |name: &NameHash| !self.by_name.contains_key(name) && !self.macros.contains_key(name);
            for (_, call) in uses.calls.iter().filter(|(name, _)| away(name)) {
                uses.outside.add(Outside { files: call.files && !shown, ..*call });
            }
            all.push(uses);
        }
        all
    }
}

/// Whether a text that prints may also store something: by `%n`, or by a format that is not in sight.
fn may_store(text: &str) -> bool {
    let formatted = text.split("printf").nth(1).map(|rest| rest.trim_start_matches([' ', '(']));
    let in_sight = formatted.is_none_or(|rest| rest.starts_with('"'));
    let stores = |rest: &str| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*hlLqjzt$".contains(c));
        rest.starts_with('n')
    };
    !in_sight || text.split('%').skip(1).any(stores)
}
