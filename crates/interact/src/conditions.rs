//! Conditions of `#if` inside of structures: they say something else only where they come to something else.

use crate::facts::{FileFacts, ItemFacts};
use crate::pairs::Touched;
use hydrogen_syntax::{Reduced, reduced};
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
            for item in facts.items() {
                sides.enter(1, item);
                if !is_touched(*number) {
                    sides.enter(0, item);
                }
            }
        }
        for item in touched.iter().filter_map(|file| file.old.as_ref()).flat_map(|facts| facts.items()) {
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

    /// Whether all conditions of an item come to the same on both sides, as far as they are known, and what is left of them says
    /// the same.
    pub fn are_same(&self, item: &ItemFacts) -> bool {
        item.conditions.iter().all(|condition| {
            let [old, new] = self
                .sides
                .each_ref()
                .map(|side| reduced(condition, &|name| side.get(name).copied().flatten()));
            old == new
                && match &old {
                    Reduced::To(_) => true,
                    Reduced::Open(rest) => self.says_same(rest, 0),
                }
        })
    }

    /// Whether all names of a text stand for the same on both sides, through all replacements.
    fn says_same(&self, text: &str, depth: usize) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = text.split(|c| !word(c)).filter(|it| it.starts_with(|c: char| !c.is_numeric()));
        words.all(|name| match self.sides.each_ref().map(|side| side.get(name)) {
            // Nobody here defines it.
            [None, None] => true,
            [Some(Some(old)), Some(Some(new))] => {
                old == new && depth < DEEPEST && self.says_same(old, depth + 1)
            }
            _ => false,
        })
    }
}

/// Replacements are followed so far.
const DEEPEST: usize = 16;
