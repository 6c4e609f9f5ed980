//! Conditions of `#if` inside of structures: they say something else only where they come to something else.

use crate::facts::{FileFacts, ItemFacts};
use crate::pairs::Touched;
use hydrogen_syntax::comes_to;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The replacements of macros before and after a step, by name; nothing for those with several.
#[derive(Default)]
pub(crate) struct Conditions<'a> {
    sides: [FxHashMap<&'a str, Option<&'a str>>; 2],
}

impl<'a> Conditions<'a> {
    /// The macros of the files, which are those of the new side, and of what was touched.
    pub fn of(files: &[(u32, &'a Arc<FileFacts>)], touched: &'a [Touched]) -> Self {
        let mut sides = Self::default();
        let is_touched = |number: u32| touched.iter().any(|file| file.file == number);
        for (number, facts) in files {
            for item in &facts.items {
                sides.enter(1, item);
                if !is_touched(*number) {
                    sides.enter(0, item);
                }
            }
        }
        for item in touched.iter().filter_map(|file| file.old.as_ref()).flat_map(|facts| &facts.items) {
            sides.enter(0, item);
        }
        sides
    }

    fn enter(&mut self, side: usize, item: &'a ItemFacts) {
        let replaced = item
            .spelled
            .as_deref()
            .and_then(|text| text.strip_prefix("#define ")?.strip_prefix(&*item.called)?.strip_prefix(' '));
        let known = self.sides[side].entry(&item.called).or_insert(replaced);
        if *known != replaced {
            *known = None;
        }
    }

    /// Whether all conditions of an item are known on both sides, and come to the same.
    pub fn are_same(&self, item: &ItemFacts) -> bool {
        item.conditions.iter().all(|condition| {
            let [old, new] = self
                .sides
                .each_ref()
                .map(|side| comes_to(condition, &|name| side.get(name).copied().flatten()));
            old.is_some() && old == new
        })
    }
}
