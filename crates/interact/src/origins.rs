//! Where the effect of a change starts: at the changed statement itself, and, for what is not in the new version any more, at
//! the statements that depended on it in the old one (D19: deletions are dummy statements).

use crate::change::{FunctionChange, Hunk, Why};
use crate::depend::{Dependence, Effect, Location, Start, StatementId, Via, uses};
use crate::evolution::Sided;
use crate::index::FunctionKey;
use crate::program::{ENTRY, EXIT};
use crate::transition::Transition;
use hydrogen_flow::{Flow, Successors};
use hydrogen_ir::{Callee, Function, Role};
use hydrogen_syntax::NameHash;
use std::collections::{BTreeMap, BTreeSet};

/// A change and where its effect starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// What changed.
    pub what: Changed,
    /// The file; of the old version for a function that is gone.
    pub file: Box<str>,
    /// The function.
    pub function: Box<str>,
    /// The line of the new version; of the old one for a function that is gone.
    pub line: u32,
    /// What stands there, or stood there.
    pub text: String,
    /// How many statements it is.
    pub statements: usize,
    /// The statements of the new version whose behaviour it may change directly, sorted; a changed statement is among them.
    pub starts: Vec<Start>,
}

/// What an origin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// A statement.
    Statement(StatementId),
    /// Statements that are gone, by function and position in [`FunctionChange::deletions`].
    Deletion(FunctionKey, usize),
    /// The head of a function.
    Head(FunctionKey),
    /// A function that is gone, by position in [`crate::Changes::gone`].
    Gone(usize),
}

/// The origins of a step in the order of the source, functions that are gone behind them; and in sentences what could not be
/// followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// The changes.
    pub all: Vec<Origin>,
    /// Changes whose effect is not known.
    pub not_followed: Vec<String>,
}

impl Origins {
    /// The origins of a step.
    pub fn of(step: &Transition) -> Self {
        let mut origins = Self::default();
        let (altered, changed) = (altered(step), changed(step));
        for (&key, change) in &step.changes.functions {
            let path = &step.index.file(key.file).expect("a file of the tree").path;
            let name = &step.index.function(key).name;
            let pieces = step.index.function(key).pieces.len();
            let same = |entry: &StatementId| step.new.place(*entry).1.pieces.len() == pieces;
            let Some(entry) = step.new.statement(path, key.function, 0).filter(same) else {
                origins.not_followed.push(format!("{path}: {name} is read differently"));
                continue;
            };
            if !step.new.is_followed(entry) {
                origins.not_followed.push(format!("{path}: {name} is not part of what was built"));
            }
            if change.hunks.iter().any(|hunk| hunk.old.1 > 0) && step.same.old_of(entry).is_none() {
                origins.not_followed.push(format!("{path}: the old version of {name} is read differently"));
            }
            let mut finder = Finder {
                step,
                key,
                change,
                entry,
                altered: altered.get(&entry),
                changed: &changed,
                turned: turned(step, entry),
                origins: &mut origins,
            };
            finder.function();
        }
        origins.all.sort_by_key(|origin| place_of(step, origin));
        for (number, gone) in step.changes.gone.iter().enumerate() {
            let Some(entry) = step.old.statement(&gone.file, gone.function, 0) else {
                origins.not_followed.push(format!("{}: {} is read differently", gone.file, gone.name));
                continue;
            };
            let (_, function, _) = step.old.place(entry);
            let count = function.pieces.len() as u32;
            let starts = survivors(step, &changed, (0..count).map(|piece| StatementId(entry.0 + piece)));
            origins.all.push(Origin {
                what: Changed::Gone(number),
                file: gone.file.clone(),
                function: gone.name.clone(),
                line: gone.line,
                text: format!("{} is gone", gone.name),
                statements: function.pieces.len().saturating_sub(2),
                starts: starts.into_iter().map(|(at, effect)| Start { at, effect }).collect(),
            });
        }
        if step.evolution.unlisted > 0 {
            origins.not_followed.push("too many dependences changed to follow each".into());
        }
        origins
    }
}

/// Where an origin of a function stands among the others: a deletion before what follows it.
pub(crate) fn place_of(step: &Transition, origin: &Origin) -> (StatementId, u8) {
    let of = |key: FunctionKey, piece: u32| {
        let path = &step.index.file(key.file).expect("a file of the tree").path;
        step.new.statement(path, key.function, piece).unwrap_or(StatementId(u32::MAX))
    };
    match origin.what {
        Changed::Statement(statement) => (statement, 2),
        Changed::Head(key) => (of(key, 0), 1),
        Changed::Deletion(key, number) => match step.changes.functions[&key].deletions[number].before {
            EXIT => (of(key, step.index.function(key).pieces.len() as u32 - 1), 3),
            before => (of(key, before), 1),
        },
        Changed::Gone(_) => (StatementId(u32::MAX), 3),
    }
}

/// Per function of the new version (by its entry), the statements that both versions have and whose dependence on other such
/// statements changed, because control goes other ways.
fn altered(step: &Transition) -> BTreeMap<StatementId, BTreeSet<StatementId>> {
    let mut found: BTreeMap<StatementId, BTreeSet<StatementId>> = BTreeMap::new();
    let kept = |it: Sided| match it {
        Sided::New(at) => step.same.old_of(at).map(|_| at),
        Sided::Gone(_) => None,
    };
    for pair in step.evolution.begun.iter().chain(&step.evolution.ceased) {
        if let (Some(dependent), Some(on)) = (kept(pair.dependent), kept(pair.on)) {
            for end in [dependent, on] {
                found.entry(step.new.entry_of(end)).or_default().insert(dependent);
            }
        }
    }
    found
}

/// The statements of a function that both versions have and that are decided by other outcomes of branches that both have.
fn turned(step: &Transition, entry: StatementId) -> BTreeSet<StatementId> {
    let Some(was_entry) = step.same.old_of(entry) else { return BTreeSet::new() };
    let (old, new) = (step.old.place(was_entry).1, step.new.place(entry).1);
    let (before, after) =
        (Flow::of_pieces(old).control_dependence(), Flow::of_pieces(new).control_dependence());
    let differs = |piece: &u32| {
        let at = StatementId(entry.0 + piece);
        let Some(was) = step.same.old_of(at) else { return false };
        let is = after.controls(*piece as usize).iter();
        let is = is.filter(|it| step.same.old_of(StatementId(entry.0 + it.branch as u32)).is_some());
        let is: BTreeSet<_> = is.map(|it| (it.branch as u32, &it.outcome)).collect();
        let was = before.controls((was.0 - was_entry.0) as usize).iter();
        let was: BTreeSet<_> = was
            .filter_map(|it| {
                let branch = step.same.new_of(StatementId(was_entry.0 + it.branch as u32))?;
                Some((branch.0 - entry.0, &it.outcome))
            })
            .collect();
        is != was
    };
    let all = 2..new.pieces.len() as u32;
    all.filter(differs).map(|piece| StatementId(entry.0 + piece)).collect()
}

/// All changed statements of the new version.
fn changed(step: &Transition) -> Vec<StatementId> {
    let mut found = Vec::new();
    for (key, change) in &step.changes.functions {
        let path = &step.index.file(key.file).expect("a file of the tree").path;
        let Some(entry) = step.new.statement(path, key.function, 0) else { continue };
        found.extend(change.pieces.keys().map(|piece| StatementId(entry.0 + piece)));
    }
    found
}

/// Where effects start; the widest effect of each statement counts.
type Starts = BTreeMap<StatementId, Effect>;

fn put(starts: &mut Starts, at: StatementId, effect: Effect) {
    let known = starts.entry(at).or_insert(effect);
    *known = effect.max(*known);
}

fn put_all(starts: &mut Starts, all: impl IntoIterator<Item = StatementId>) {
    all.into_iter().for_each(|at| put(starts, at, Effect::Run));
}

/// How a change affects the statement that it changed: one that calls the same as before in the same place runs as before.
fn effect_of(step: &Transition, was: Option<StatementId>, is: Option<StatementId>) -> Effect {
    let calls = |dependence: &Dependence, at: StatementId| -> Vec<Callee> {
        let (_, function, piece) = dependence.place(at);
        let own = function.calls.iter().filter(|call| call.piece.0 == piece);
        own.map(|call| call.callee.clone()).collect()
    };
    match (was, is) {
        (Some(was), Some(is)) if calls(&step.old, was) == calls(&step.new, is) => Effect::Value,
        _ => Effect::Run,
    }
}

/// What depended on statements of the old version and is still there, where ways lead over what is gone; and which of the changed
/// statements would depend on them.
fn survivors(
    step: &Transition,
    changed: &[StatementId],
    gone: impl IntoIterator<Item = StatementId>,
) -> Starts {
    let graph = step.old.graph();
    let with_effect = |at: StatementId| (at.0 as usize, effect_of(step, Some(at), step.same.counterpart(at)));
    let mut waiting: Vec<(usize, Effect)> = gone.into_iter().map(with_effect).collect();
    let mut seen: BTreeSet<(usize, Effect)> = waiting.iter().copied().collect();
    let mut found = Starts::new();
    for &(at, _) in &waiting {
        for reader in readers(step, StatementId(at as u32), changed) {
            put(&mut found, reader, Effect::Value);
        }
    }
    while let Some((at, effect)) = waiting.pop() {
        let is_entry = at < step.old.len() && step.old.piece_of(StatementId(at as u32)) == ENTRY;
        for edge in graph.leaving(at) {
            let then = match edge.label {
                Via::Control if is_entry && effect == Effect::Value => continue,
                Via::Control | Via::Ends => Effect::Run,
                Via::Call | Via::CallApart => effect,
                Via::Data | Via::Return | Via::Place => Effect::Value,
            };
            let old = (edge.to < step.old.len()).then_some(StatementId(edge.to as u32));
            match old.and_then(|old| step.same.new_of(old)) {
                Some(new) => put(&mut found, new, then),
                None if seen.insert((edge.to, then)) => waiting.push((edge.to, then)),
                None => {}
            }
        }
    }
    found
}

/// The changed statements that would read what a deleted one set, were it still there; the old version does not know them.
fn readers(step: &Transition, gone: StatementId, readers: &[StatementId]) -> Vec<StatementId> {
    let home = step.same.new_of(step.old.entry_of(gone));
    // What stands in its place and sets the same has its own dependents.
    let now: &[Location] = step.same.counterpart(gone).map_or(&[], |at| &step.new.access(at).sets);
    let sets = step.old.access(gone).sets.iter().filter(|it| !now.contains(it));
    let sets: Vec<&Location> = sets.collect();
    let reads = |reader: &&StatementId| {
        let own = home == Some(step.new.entry_of(**reader));
        let met = |it: &Location| (own || !matches!(it, Location::Local(_))) && sets.contains(&it);
        step.new.access(**reader).reads.iter().any(met)
    };
    readers.iter().filter(reads).copied().collect()
}

/// Finds the origins of one function.
struct Finder<'a> {
    step: &'a Transition,
    key: FunctionKey,
    change: &'a FunctionChange,
    entry: StatementId,
    altered: Option<&'a BTreeSet<StatementId>>,
    /// The changed statements of all functions.
    changed: &'a [StatementId],
    /// What is decided by the same branches as before, by other outcomes. That may be due to any change of the function.
    turned: BTreeSet<StatementId>,
    origins: &'a mut Origins,
}

impl Finder<'_> {
    fn function(&mut self) {
        let (step, change) = (self.step, self.change);
        let mut extra: BTreeMap<u32, Starts> = BTreeMap::new();
        for hunk in change.hunks.iter().filter(|hunk| hunk.new.1 > 0) {
            for (piece, starts) in self.replaced(*hunk) {
                let own = extra.entry(piece).or_default();
                starts.into_iter().for_each(|(at, effect)| put(own, at, effect));
            }
        }
        let (unit, function, _) = step.new.place(self.entry);
        for (&piece, &why) in &change.pieces {
            let statement = StatementId(self.entry.0 + piece);
            let mut starts = extra.remove(&piece).unwrap_or_default();
            let effect = match why {
                Why::Text => effect_of(step, step.same.predecessor(statement), Some(statement)),
                Why::Flow | Why::Meaning => Effect::Run,
            };
            put(&mut starts, statement, effect);
            if why == Why::Flow {
                put_all(&mut starts, self.altered.into_iter().flatten().copied());
            }
            let code = &function.pieces[piece as usize];
            if code.role == Role::Opaque {
                let line = self.line(piece);
                let reason =
                    format!("{}:{line}: {} could not be read there", unit.module.name, function.name);
                self.origins.not_followed.push(reason);
            }
            self.push(Changed::Statement(statement), self.line(piece), code.label(), 1, starts);
        }
        for (number, deletion) in change.deletions.iter().enumerate() {
            let (mut starts, text) = self.deleted(deletion.old, deletion.before);
            put_all(&mut starts, self.altered.into_iter().flatten().copied());
            let what = Changed::Deletion(self.key, number);
            self.push(what, deletion.line, text, deletion.old.1 as usize, starts);
        }
        if change.head {
            let starts = head(&step.new, self.entry);
            let line = function.line().unwrap_or(0);
            self.push(Changed::Head(self.key), line, function.signature.clone(), 1, starts);
        }
    }

    fn line(&self, piece: u32) -> u32 {
        self.step.index.function(self.key).line_of(piece as usize)
    }

    fn push(&mut self, what: Changed, line: u32, text: String, statements: usize, mut starts: Starts) {
        put_all(&mut starts, self.turned.iter().copied());
        let (unit, function, _) = self.step.new.place(self.entry);
        self.origins.all.push(Origin {
            what,
            file: unit.module.name.as_str().into(),
            function: function.name.as_str().into(),
            line,
            text,
            statements,
            starts: starts.into_iter().map(|(at, effect)| Start { at, effect }).collect(),
        });
    }

    /// The old version of the function: its entry, and itself.
    fn old(&self) -> Option<(StatementId, &Function)> {
        let entry = self.step.same.old_of(self.entry)?;
        Some((entry, self.step.old.place(entry).1))
    }

    /// What the old pieces of a hunk decided, by the new piece that stands in their place.
    fn replaced(&self, hunk: Hunk) -> Vec<(u32, Starts)> {
        let ((old_first, old_count), (new_first, new_count)) = (hunk.old, hunk.new);
        let (_, function, _) = self.step.new.place(self.entry);
        let old = self.old();
        let partner = |at: u32| new_first + at.min(new_count - 1);
        let role = |function: &Function, piece: u32| function.pieces[piece as usize].role;
        // A jump in the place of the same jump leads to the same place.
        let same_jump = |at: u32| {
            let Some((entry, before)) = old else { return false };
            at < old_count && at < new_count && {
                let (was, is) =
                    (&before.pieces[(old_first + at) as usize], &function.pieces[(new_first + at) as usize]);
                let was_ends = self.step.old.ends(StatementId(entry.0 + old_first + at));
                let ends = self.step.new.ends(StatementId(self.entry.0 + new_first + at));
                was.role == is.role && (is.role != Role::Goto || was.text == is.text) && was_ends == ends
            }
        };
        let run =
            |all: &mut dyn Iterator<Item = StatementId>| all.map(|at| (at, Effect::Run)).collect::<Starts>();
        let mut found = Vec::new();
        for at in 0..new_count {
            let ends = self.step.new.ends(StatementId(self.entry.0 + new_first + at));
            if (ends || is_jump(role(function, new_first + at))) && !same_jump(at) {
                let around = around(function, new_first + at);
                let starts = around.into_iter().map(|piece| StatementId(self.entry.0 + piece));
                found.push((new_first + at, run(&mut starts.into_iter())));
                found.push((new_first + at, run(&mut self.altered.into_iter().flatten().copied())));
            }
        }
        let Some((entry, before)) = old else { return found };
        for at in 0..old_count {
            let gone = StatementId(entry.0 + old_first + at);
            found.push((partner(at), survivors(self.step, self.changed, [gone])));
            let ends = self.step.old.ends(gone);
            if (ends || is_jump(role(before, old_first + at))) && !same_jump(at) {
                found.push((
                    partner(at),
                    run(&mut self.around_old(entry, before, old_first + at).into_iter()),
                ));
                found.push((partner(at), run(&mut self.behind(new_first).into_iter())));
                found.push((partner(at), run(&mut self.altered.into_iter().flatten().copied())));
            }
        }
        found
    }

    fn around_old(&self, entry: StatementId, before: &Function, piece: u32) -> BTreeSet<StatementId> {
        let all = around(before, piece).into_iter();
        all.filter_map(|piece| self.step.same.new_of(StatementId(entry.0 + piece))).collect()
    }

    /// What stands behind a place of the new version, and where that leads.
    fn behind(&self, piece: u32) -> BTreeSet<StatementId> {
        let (_, function, _) = self.step.new.place(self.entry);
        around(function, piece - 1).into_iter().map(|piece| StatementId(self.entry.0 + piece)).collect()
    }

    /// What deleted pieces decided, and what they said.
    fn deleted(&self, (first, count): (u32, u32), before_piece: u32) -> (Starts, String) {
        let Some((entry, before)) = self.old() else { return Default::default() };
        let mut starts = survivors(
            self.step,
            self.changed,
            (first..first + count).map(|piece| StatementId(entry.0 + piece)),
        );
        for piece in first..first + count {
            let ends = self.step.old.ends(StatementId(entry.0 + piece));
            if ends || is_jump(before.pieces[piece as usize].role) {
                put_all(&mut starts, self.around_old(entry, before, piece));
                // The exit stands for the end of the function: there is nothing behind it.
                if before_piece > EXIT {
                    put_all(&mut starts, self.behind(before_piece));
                }
            }
        }
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        (starts, format!("deleted: {}{more}", before.pieces[first as usize].label()))
    }
}

fn is_jump(role: Role) -> bool {
    matches!(role, Role::Return | Role::Break | Role::Continue | Role::Goto)
}

/// Where control may come to from the place of a jump, with it or without it: what stands behind it, and whatever that or the jump
/// leads to. Without the syntax tree this is the closest that is never too little.
fn around(function: &Function, jump: u32) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = BTreeSet::new();
    let mut waiting: Vec<u32> = (jump + 1..function.pieces.len() as u32).collect();
    waiting.extend(function.flow.iter().filter(|edge| edge.from.0 == jump).map(|edge| edge.to.0));
    while let Some(piece) = waiting.pop() {
        if piece > EXIT && found.insert(piece) {
            waiting.extend(function.flow.iter().filter(|edge| edge.from.0 == piece).map(|edge| edge.to.0));
        }
    }
    found
}

/// What a changed head may change: the statements that mention a parameter, and all calls.
fn head(new: &Dependence, entry: StatementId) -> Starts {
    let (_, function, _) = new.place(entry);
    let names: Vec<NameHash> =
        function.parameters.iter().map(|it| NameHash::of(it.name.as_bytes())).collect();
    let mentions = |text: &str| {
        let uses = uses(text, false);
        let mut all = uses.reads.iter().chain(&uses.sets).chain(&uses.may_set).chain(&uses.spots.addresses);
        all.any(|name| names.contains(name))
    };
    let own = function.pieces.iter().enumerate().filter(|(_, piece)| mentions(&piece.text));
    let mut starts: BTreeSet<StatementId> =
        own.map(|(piece, _)| StatementId(entry.0 + piece as u32)).collect();
    let graph = new.graph();
    for edge in graph.entering(entry.0 as usize) {
        if edge.from < new.len() {
            starts.insert(StatementId(edge.from as u32));
            continue;
        }
        // Calls through pointers lead to the node that stands for them, and come back from it.
        let calls = graph.entering(edge.from).map(|it| it.from).filter(|&it| it < new.len());
        let both = calls.filter(|&call| graph.successors(edge.from).any(|to| to == call));
        starts.extend(both.map(|call| StatementId(call as u32)));
    }
    // The calls are still made, with arguments and results of another type.
    starts.into_iter().map(|at| (at, Effect::Value)).collect()
}
