//! The deltas of a change, as the first thing that a review tells.

use super::{
    range::Range,
    read::{NOT_READ, UNDECIDED, name},
};
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::delta::{Certainty, Delta, Function, Region, Says, Told};
use hydrogen_evidence::{Item, Review, Topic, Weight};
use hydrogen_report::delta::{briefly, caused, same, within};
use hydrogen_session::Session;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So many names are listed in one line.
const NAMES: usize = 8;

/// What each hunk does differently, with the functions of which that is all there is to say.
pub struct Does {
    pub items: Vec<Item>,
    /// Functions of which nothing is open: file and name.
    decided: BTreeSet<(String, String)>,
    /// Whether this is so of all that changed.
    is_whole: bool,
    /// Whether all that changed could be read.
    is_read: bool,
}

impl Does {
    /// Works out the deltas of a range, in this process.
    pub fn of(context: &Context, range: &Range, cancel: &Arc<AtomicBool>) -> Result<Does> {
        let (from, to) = range.names();
        let versions = [context.resolve_one(from)?, context.resolve_one(to)?];
        let modeller = context.modeller_with(Arc::clone(cancel), Vec::new())?;
        let mut models = Vec::new();
        for model in modeller.models(&versions, false) {
            models.push(model?);
        }
        let (Some(new), Some(old)) = (models.pop(), models.pop()) else {
            return Ok(Does { items: Vec::new(), decided: BTreeSet::new(), is_whole: false, is_read: false });
        };
        let told = Session::new(&modeller, old, new, Arc::clone(cancel), context.jobs())
            .deltas(&|_, _| true, &|_| {})?;
        Ok(items(&told, &format!("hydrogen delta {}..{}", range.old, range.new)))
    }

    /// What was open about a function of which every hunk is told exactly is not open any more.
    pub fn settle(&self, review: &mut Review) {
        review.items.retain(|item| {
            let function = item.file.clone().zip(item.function.clone());
            item.topic != Topic::Open || !function.is_some_and(|one| self.decided.contains(&one))
        });
        let is_marked = |item: &Item, mark: &str| item.details.iter().any(|one| one == mark);
        for item in review.items.iter_mut().filter(|item| self.is_read && is_marked(item, NOT_READ)) {
            item.topic = Topic::Changed;
        }
        // Where every hunk is told exactly, places that are told by their number alone are no question about the change.
        if self.is_whole {
            for item in review.items.iter_mut().filter(|item| is_marked(item, UNDECIDED)) {
                item.topic = Topic::Effort;
            }
        }
    }
}

fn items(told: &Told, command: &str) -> Does {
    let (mut items, mut decided) = (Vec::new(), BTreeSet::new());
    for function in &told.functions {
        if matches!(function.says, Says::Exact | Says::Same) {
            decided.insert((function.file.clone(), function.name.clone()));
        }
        for region in function.own_regions() {
            let (listed, rest) = briefly(region);
            items.extend(listed.into_iter().map(|delta| item(function, region, delta, command)));
            if let (Some(rest), Some(first)) = (rest, region.deltas.first()) {
                let mut one = item(function, region, first, command);
                one.id = name(&[Topic::Does.title(), &function.file, &function.name, &rest]);
                one.text = format!("{}(){}: {rest}", function.name, behind(region));
                items.push(one);
            }
        }
        for words in function.declared.iter().chain(&function.ledger) {
            items.push(fact(function, words, command));
        }
    }
    // What matters most comes first: what is exact, then by what it is about, as the phrases are ordered.
    items.sort_by_key(|item| item.weight);
    for words in same(told, &str::to_owned) {
        let text = shortened(&words);
        items.push(Item { id: name(&[Topic::Does.title(), &words]), text, ..blank(command) });
    }
    for cause in &told.causes {
        let text = caused(told, cause);
        let id = name(&[Topic::Does.title(), &cause.name, &cause.words]);
        items.push(Item { id, text, weight: Weight::Notice, ..blank(command) });
    }
    for words in told.types.iter().chain(&told.variables) {
        items.push(Item { text: words.clone(), ..blank(command) });
    }
    for words in &told.missing {
        let id = name(&[Topic::Open.title(), words]);
        items.push(Item { id, topic: Topic::Open, text: words.clone(), ..blank(command) });
    }
    let is_whole = told.missing.is_empty()
        && told.functions.iter().all(|one| matches!(one.says, Says::Exact | Says::Same));
    Does { items, decided, is_whole, is_read: told.missing.is_empty() }
}

/// A list of names that ends after some of them.
fn shortened(words: &str) -> String {
    let all: Vec<&str> = words.split(", ").collect();
    match all.len().saturating_sub(NAMES) {
        0 => words.to_owned(),
        more => format!("{} and {more} more", all[..NAMES].join(", ")),
    }
}

/// The branch that a region lies behind, in words.
fn behind(region: &Region) -> String {
    region.under.as_ref().map_or_else(String::new, |one| format!(", where {one}"))
}

fn item(function: &Function, region: &Region, delta: &Delta, command: &str) -> Item {
    let like = match region.also.len() {
        0 => String::new(),
        count => format!(" (and {count} more places like it)"),
    };
    let words = delta.sentence();
    let under = behind(region);
    Item {
        id: name(&[Topic::Does.title(), &function.file, &function.name, &words]),
        weight: if delta.certainty == Certainty::Exact { Weight::Notice } else { Weight::Fact },
        file: Some(function.file.clone()),
        line: region.new_lines.or(region.old_lines).map(|lines| lines.0).or(Some(function.line)),
        function: Some(function.name.clone()),
        text: format!("{}(){under}: {}{like}", function.name, within(region, delta)),
        ..blank(command)
    }
}

fn fact(function: &Function, words: &str, command: &str) -> Item {
    Item {
        file: Some(function.file.clone()),
        line: Some(function.line),
        function: Some(function.name.clone()),
        text: format!("{}(): {words}", function.name),
        ..blank(command)
    }
}

fn blank(command: &str) -> Item {
    Item {
        id: name(&[Topic::Does.title(), command]),
        topic: Topic::Does,
        weight: Weight::Fact,
        file: None,
        line: None,
        function: None,
        text: String::new(),
        details: Vec::new(),
        command: command.to_owned(),
        known: false,
    }
}
