//! What statements do, by their text and the macros in it.

use super::super::macros::Macro;
use super::super::named_calls::{Extent, Outside};
use super::super::spots::ASSIGNMENTS;
use super::super::uses::{Token, Uses, tokens, uses};
use super::Builder;
use hydrogen_ir::{Function, Role};
use hydrogen_syntax::NameHash;

impl Builder<'_> {
    pub(super) fn uses_of(&self, function: &Function) -> Vec<Uses> {
        let mut all = Vec::with_capacity(function.pieces.len());
        for piece in &function.pieces {
            let mut uses = uses(&piece.text, piece.role == Role::Declaration);
            // What macros in it do, and first what they do to what they are given here.
            let given: Vec<&Macro> = uses.reads.iter().filter_map(|name| self.macros.get(*name)).collect();
            if given.iter().any(|it| it.assigns_given) {
                uses.set_all_read();
            }
            if given.iter().any(|it| it.exposes_given) {
                uses.expose_all();
            }
            let inner = self.in_macros(&uses.reads);
            uses.add(&inner);
            // A macro may be what is assigned to.
            let mut assigned = self.in_macros(&assigned_to(&piece.text));
            assigned.set_all_read();
            uses.may_set.extend(assigned.may_set);
            uses.spots.sets.extend(assigned.spots.sets);
            // A format may store something.
            let prints = uses.calls.iter().any(|(name, _)| self.printing.contains(name));
            if prints && may_store(&piece.text) {
                uses.outside.sets = Extent::All;
            }
            // What is printed to the terminal is read by nobody.
            let terminal = ["stdout", "stderr"].map(|name| NameHash::of(name.as_bytes()));
            let shown = uses.reads.iter().any(|name| terminal.contains(name));
            let away = |name: &NameHash| !self.by_name.contains_key(name) && !self.macros.contains(*name);
            for (_, call) in uses.calls.iter().filter(|(name, _)| away(name)) {
                uses.outside.add(Outside { files: call.files && !shown, ..*call });
            }
            all.push(uses);
        }
        all
    }

    /// What the macros among names do, and those in their definitions.
    fn in_macros(&self, names: &[NameHash]) -> Uses {
        let mut found = Uses::default();
        self.macros.closure(names.to_vec()).into_iter().for_each(|known| found.add(&known.uses));
        found
    }
}

/// The names up to the last operator that assigns; all where something is stepped.
fn assigned_to(text: &str) -> Vec<NameHash> {
    let tokens = tokens(text);
    let end = match tokens.iter().any(|it| matches!(it, Token::Mark("++" | "--"))) {
        true => tokens.len(),
        false => tokens
            .iter()
            .rposition(|it| matches!(it, Token::Mark(mark) if ASSIGNMENTS.contains(mark)))
            .unwrap_or(0),
    };
    tokens[..end].iter().map(|it| NameHash::of(it.text().as_bytes())).collect()
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
