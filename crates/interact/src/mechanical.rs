//! Rewritings of many places by one rule: a name replaced everywhere, a type or macro replaced, `const` put where it belongs,
//! an argument that all calls of a function get. They are one change, however many places they have.

use crate::change::FunctionChange;
use crate::facts::FunctionFacts;
use crate::index::{FunctionKey, Index};
use crate::rewrite::{Rule, Sort, rules, whole};
use hydrogen_evidence::complexity::{Mechanical, MechanicalKind};
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Where a rule was applied: a piece of a function of the new version, or its head.
type Place = (FunctionKey, Option<u32>);

/// A changed function with both its versions.
pub(crate) struct Pair<'a> {
    pub key: FunctionKey,
    pub old: &'a FunctionFacts,
    pub new: &'a FunctionFacts,
}

/// The rules that were applied to many places, and where.
#[derive(Debug, Default)]
pub(crate) struct Rewriting {
    accepted: BTreeMap<Rule, MechanicalKind>,
    places: BTreeMap<Place, Vec<Rule>>,
}

impl Rewriting {
    /// Finds them among changed functions.
    pub fn of(changes: &BTreeMap<FunctionKey, FunctionChange>, pairs: &[Pair<'_>]) -> Self {
        let texts = texts(changes, pairs);
        let mut places = rewritten(&texts);
        let mut accepted = accepted(&places, pairs);
        places.retain(|_, rules| rules.iter().all(|rule| accepted.contains_key(rule)));
        // What no rule about parts explains may be one text for another, everywhere.
        let whole = wholes(texts.into_iter().filter(|(place, ..)| !places.contains_key(place)), pairs);
        for (place, rule) in whole {
            accepted.insert(rule.clone(), MechanicalKind::Replaced);
            places.insert(place, vec![rule]);
        }
        Self { accepted, places }
    }

    /// Whether a text became another one by these rules alone.
    pub fn explains(&self, old: &str, new: &str) -> bool {
        let known = |rule: &Rule| self.accepted.contains_key(rule);
        !self.accepted.is_empty()
            && (rules(old, new).is_some_and(|all| all.iter().all(known))
                || whole(old, new).is_some_and(|rule| known(&rule)))
    }

    /// The new name of something that was renamed.
    pub fn new_name(&self, old: &str) -> Option<&str> {
        let renamed = self.accepted.keys().find(|rule| rule.sort == Sort::Word && &*rule.old == old)?;
        Some(&renamed.new)
    }

    /// Leaves one place of each rule among the changes, the first by path; gives what was found, and the functions in which nothing
    /// is left.
    pub fn count_once(
        &self,
        index: &Index,
        changes: &mut BTreeMap<FunctionKey, FunctionChange>,
    ) -> (Vec<Mechanical>, Vec<FunctionChange>) {
        let mut seen: BTreeSet<&Rule> = BTreeSet::new();
        let mut places: Vec<(&Place, &Vec<Rule>)> = self.places.iter().collect();
        places.sort_by_key(|((key, piece), _)| (index.position(*key), *piece));
        for (&(key, piece), rules) in places {
            let fresh = rules.iter().filter(|rule| seen.insert(rule)).count();
            let Some(change) = changes.get_mut(&key).filter(|_| fresh == 0) else { continue };
            match piece {
                Some(piece) => drop(change.pieces.remove(&piece)),
                None => change.head = false,
            }
        }
        let emptied = changes.extract_if(.., |_, change| change.is_empty()).map(|it| it.1).collect();
        let found = seen.into_iter().map(|rule| self.told(rule));
        let mut found: Vec<Mechanical> = found.collect();
        found.sort_by(|a, b| b.places.cmp(&a.places).then_with(|| a.cmp(b)));
        (found, emptied)
    }

    fn told(&self, rule: &Rule) -> Mechanical {
        let places: Vec<Place> =
            self.places.iter().filter(|(_, rules)| rules.contains(rule)).map(|(place, _)| *place).collect();
        let functions: BTreeSet<FunctionKey> = places.iter().map(|place| place.0).collect();
        Mechanical {
            kind: self.accepted[rule],
            old: rule.old.clone(),
            new: rule.new.clone(),
            call: rule.call.clone(),
            places: places.len(),
            functions: functions.len(),
        }
    }
}

/// Whether a rule that many places may share was applied to one of the functions.
pub(crate) fn may_be_rewritten(changes: &BTreeMap<FunctionKey, FunctionChange>, pairs: &[Pair<'_>]) -> bool {
    let texts = texts(changes, pairs);
    rewritten(&texts).values().any(|rules| rules.iter().all(|rule| rule.sort != Sort::Other))
        || texts.iter().any(|(_, old, new)| whole(old, new).is_some())
}

/// What stood in a place, and what stands there now.
type Texts<'a> = Vec<(Place, &'a str, &'a str)>;

/// The places of changed functions that may have been rewritten.
fn texts<'a>(changes: &BTreeMap<FunctionKey, FunctionChange>, pairs: &[Pair<'a>]) -> Texts<'a> {
    let mut texts = Vec::new();
    for pair in pairs {
        let change = &changes[&pair.key];
        if change.head {
            texts.push(((pair.key, None), &*pair.old.head, &*pair.new.head));
        }
        // What was replaced by as much stands in the same places.
        for hunk in change.hunks.iter().filter(|hunk| hunk.old.1 == hunk.new.1) {
            for at in 0..hunk.new.1 {
                let (was, is) = (hunk.old.0 + at, hunk.new.0 + at);
                let place = (pair.key, Some(is));
                texts.push((place, pair.old.text_of(was as usize), pair.new.text_of(is as usize)));
            }
        }
    }
    texts
}

/// The rules that were applied to each place, as far as there are any.
fn rewritten(texts: &Texts<'_>) -> BTreeMap<Place, Vec<Rule>> {
    let mut places: BTreeMap<Place, Vec<Rule>> = BTreeMap::new();
    let mut known: FxHashMap<(&str, &str), Option<Vec<Rule>>> = FxHashMap::default();
    for &(place, old, new) in texts {
        let found = known.entry((old, new)).or_insert_with(|| rules(old, new));
        if let Some(found) = found.as_ref().filter(|all| !all.is_empty()) {
            places.insert(place, found.clone());
        }
    }
    places
}

/// Statements that were replaced by the same other one in enough places, and are left nowhere.
fn wholes<'a>(
    texts: impl Iterator<Item = (Place, &'a str, &'a str)>,
    pairs: &[Pair<'_>],
) -> Vec<(Place, Rule)> {
    let mut found: BTreeMap<Rule, Vec<Place>> = BTreeMap::new();
    for (place, old, new) in texts {
        if let Some(rule) = whole(old, new) {
            found.entry(rule).or_default().push(place);
        }
    }
    found.retain(|rule, places| {
        places.len() >= 3 && !pairs.iter().any(|it| it.new.texts.contains(&*rule.old))
    });
    let each = |(rule, places): (Rule, Vec<Place>)| places.into_iter().map(move |at| (at, rule.clone()));
    found.into_iter().flat_map(each).collect()
}

/// Which rules were applied to enough places, and to all in the functions that changed.
fn accepted(places: &BTreeMap<Place, Vec<Rule>>, pairs: &[Pair<'_>]) -> BTreeMap<Rule, MechanicalKind> {
    let mut counts: BTreeMap<&Rule, usize> = BTreeMap::new();
    for rules in places.values() {
        let different: BTreeSet<&Rule> = rules.iter().collect();
        different.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1);
    }
    let words = |is_new: bool| -> FxHashSet<u32> {
        let sides = || pairs.iter().map(|it| if is_new { it.new } else { it.old });
        let heads = sides().flat_map(|facts| hydrogen_model::sources::words(&facts.head));
        let bodies = sides().flat_map(|facts| facts.words.iter().copied());
        bodies.chain(heads.map(|word| word.0 as u32)).collect()
    };
    let (before, after) = (words(false), words(true));
    let among =
        |words: &FxHashSet<u32>, word: &str| words.contains(&(NameHash::of(word.as_bytes()).0 as u32));
    let stays = |text: &str| pairs.iter().any(|it| it.new.texts.contains(text) || it.new.head.contains(text));
    let kind = |rule: &Rule, count: usize| match rule.sort {
        Sort::Word if count >= 2 && !among(&after, &rule.old) => {
            let fresh = !among(&before, &rule.new);
            let kind = if fresh { MechanicalKind::Renamed } else { MechanicalKind::Replaced };
            (fresh || count >= 3).then_some(kind)
        }
        Sort::Qualifier if count >= 2 => Some(MechanicalKind::Qualified),
        Sort::Argument if count >= 3 => Some(MechanicalKind::Argument),
        Sort::Tokens if count >= 3 && (rule.old.is_empty() || !stays(&rule.old)) => {
            Some(MechanicalKind::Replaced)
        }
        _ => None,
    };
    counts.into_iter().filter_map(|(rule, count)| Some((rule.clone(), kind(rule, count)?))).collect()
}
