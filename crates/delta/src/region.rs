//! The regions of a change, and the delta of each.

use crate::{
    condition::worded,
    cut::Cut,
    differ::{Case, Differ, Difference, Exit, OtherCalls, Places, Told},
    doing::{Doing, doings},
    evaluate::{Both, Start, Stops, ctype_of, evaluate, is_signed},
    level::Level,
    names::{Records, type_word},
    tell::{Holds, Phrase, Teller},
    words::Names,
};
use hydrogen_evidence::delta::{Certainty, Delta, Function, Region, Says, When};
use hydrogen_ir::{FunctionId, Op, Role};
use hydrogen_sym::{
    Obstacle, Reaches, Side, Subject,
    code::{Exit as Leaves, Var},
    segment::Target,
};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// Regions that are tried together lie so near each other: in regions, and in statements.
const MOST_JOINED: usize = 3;
const MOST_BETWEEN: usize = 12;
/// Both versions run on over so many places to meet again.
const MOST_SETTLED: usize = 4;
/// More regions than this in one function are summed up.
const MOST_REGIONS: usize = 256;
/// Conditions that are longer than this are not told with what lies behind them.
const LONGEST_BRANCH: usize = 60;
/// So many calls or places are listed of a region that is too large for more.
const MOST_OUTLINED: usize = 6;
/// So many statements of one macro that changed are looked at.
const MOST_EXAMPLES: u32 = 4;

/// What is known of the programs that a function is part of.
pub struct Known {
    /// Functions that both versions have, by name: calls of them are the same call.
    alike: BTreeSet<String>,
    /// What callees can see and change.
    reaches: Reaches,
}

impl Known {
    /// What two modules say.
    pub fn of(old: &hydrogen_ir::Module, new: &hydrogen_ir::Module) -> Self {
        Self::with(old, new, Reaches::of(old, new))
    }

    /// What two modules say, with what is known of callees in other units too.
    pub fn with(old: &hydrogen_ir::Module, new: &hydrogen_ir::Module, reaches: Reaches) -> Self {
        let names = |module: &hydrogen_ir::Module| -> BTreeSet<String> {
            module.functions.iter().map(|function| function.name.clone()).collect()
        };
        let mut alike = names(old);
        alike.extend(names(new));
        Self { alike, reaches }
    }
}

/// What a function does differently in its new version.
pub fn deltas(old: Subject, new: Subject, known: &Known) -> Function {
    let function = new.module.function(new.function);
    let file = function.file().map(|file| new.module.file(file).to_owned()).unwrap_or_default();
    let mut told = Function {
        name: function.name.clone(),
        file,
        line: function.line().unwrap_or(0),
        says: Says::Summary,
        regions: Vec::new(),
        declared: Vec::new(),
        ledger: Vec::new(),
        rests_on: Vec::new(),
    };
    match found(old, new, known, &mut told) {
        Ok(()) => {}
        Err(obstacle) => {
            told.says = Says::Summary;
            told.ledger.push(format!("not evaluated: {obstacle}"));
        }
    }
    told
}

fn found(old: Subject, new: Subject, known: &Known, told: &mut Function) -> Result<(), Obstacle> {
    // A callee that one version alone has may be a part of the other's code: looking into it says more if that makes the difference smaller.
    let own = |here: Subject, there: Subject| -> BTreeSet<FunctionId> {
        let others: BTreeSet<&str> = there.module.functions.iter().map(|one| one.name.as_str()).collect();
        let defined = here.module.definitions().filter(|(_, one)| one.body.is_some());
        defined.filter(|(_, one)| !others.contains(one.name.as_str())).map(|(id, _)| id).collect()
    };
    let helpers = (own(old, new), own(new, old));
    let nothing = (BTreeSet::new(), BTreeSet::new());
    if calls_any(old, &helpers.0) || calls_any(new, &helpers.1) {
        let mut opened = told.clone();
        let inside = compared(old, new, known, &helpers, &mut opened);
        let closed = compared(old, new, known, &nothing, told);
        if inside.is_ok() && (closed.is_err() || length(&opened) < length(told)) {
            *told = opened;
            return Ok(());
        }
        return closed;
    }
    compared(old, new, known, &nothing, told)
}

/// Whether a function calls one of these.
fn calls_any(subject: Subject, callees: &BTreeSet<FunctionId>) -> bool {
    let names: BTreeSet<&str> =
        callees.iter().map(|&one| subject.module.function(one).name.as_str()).collect();
    subject.module.function(subject.function).calls.iter().any(|call| match &call.callee {
        hydrogen_ir::Callee::Direct(name) => names.contains(name.as_str()),
        hydrogen_ir::Callee::Indirect(_) => false,
    })
}

/// How much is told of a function: what is not exact, then phrases.
fn length(told: &Function) -> (usize, usize) {
    let is_vague = |one: &&Delta| one.certainty != Certainty::Exact || one.when == When::Sometimes;
    let phrases = told.deltas().map(|one| one.does.len()).sum();
    (told.deltas().filter(is_vague).count(), phrases)
}

/// Compares two functions, with calls of these opened in each.
fn compared(
    old: Subject,
    new: Subject,
    known: &Known,
    opens: &(BTreeSet<FunctionId>, BTreeSet<FunctionId>),
    told: &mut Function,
) -> Result<(), Obstacle> {
    let cuts = |with_bytes: &BTreeSet<String>| -> Result<_, Obstacle> {
        let (old, new) = (
            Cut::new(old, &|id| opens.0.contains(&id), with_bytes)?,
            Cut::new(new, &|id| opens.1.contains(&id), with_bytes)?,
        );
        Ok((old, new))
    };
    let (mut a, mut b) = cuts(&BTreeSet::new())?;
    let mut level = Level::of(&a, &b);
    // A variable whose address one version alone takes is an object in both, so that it can be compared.
    let uneven = uneven(&a, &b, &level);
    if !uneven.is_empty() {
        (a, b) = cuts(&uneven)?;
        level = Level::of(&a, &b);
    }
    told.declared = declared(&a, &b, &level);
    if [old, new].iter().any(|one| comes_back_twice(*one)) {
        told.ledger.push(
            "calls a function that may come back twice: what variables hold then is not followed".to_owned(),
        );
    }
    let starts = grouped(&starts(&a, &b, &level));
    if starts.len() > MOST_REGIONS {
        return Err(Obstacle::new("more regions than are looked at"));
    }
    let stops = Stops::at_all(&level);
    let mut pair = Pair { old: a, new: b, level, known };
    let mut says = Says::Same;
    let mut looked: Vec<(Start, Result<Looked, Obstacle>)> = Vec::new();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut like: Vec<(String, u32)> = Vec::new();
    for start in starts {
        // Of statements that nobody touched, a macro's for the most part, a few are examples for all.
        let region = summary(&pair.old, &pair.new, start);
        let is_level = pair.level.same.contains_key(&start.old);
        if let (Some(name), false) = (region.unchanged.as_deref().and_then(leading), is_level) {
            let count = seen.entry(name.to_owned()).or_insert(0);
            *count += 1;
            if *count > MOST_EXAMPLES {
                like.extend(region.new_lines.map(|lines| (name.to_owned(), lines.0)));
                continue;
            }
        }
        let one = pair.settled(start, &stops);
        looked.push((start, one));
    }
    pair.make_up(&mut looked, &stops);
    looked.retain(|(start, one)| !one.as_ref().is_ok_and(Looked::is_empty) && !pair.dies(*start, one));
    for (start, one) in looked {
        match one {
            Ok(looked) => {
                let Some(region) = pair.told(start, looked) else { continue };
                let is_exact = |one: &Delta| one.certainty == Certainty::Exact && one.when != When::Sometimes;
                let exact = region.deltas.iter().all(is_exact);
                says = says.max(if exact { Says::Exact } else { Says::Partial });
                told.regions.push(region);
            }
            Err(obstacle) => {
                says = says.max(Says::Partial);
                let mut region = summary(&pair.old, &pair.new, start);
                region.deltas.push(Delta {
                    when: When::Sometimes,
                    certainty: Certainty::Summary,
                    does: vec![format!("may do something else ({obstacle})")],
                });
                told.regions.push(region);
            }
        }
    }
    if !like.is_empty() {
        says = says.max(Says::Partial);
    }
    told.regions = by_cause(std::mem::take(&mut told.regions), like);
    if !told.declared.is_empty() {
        says = says.max(Says::Exact);
    }
    if !told.ledger.is_empty() {
        says = says.max(Says::Partial);
    }
    told.says = says;
    Ok(())
}

/// Statements that were not touched and do something else, because of a macro, a type or a declaration: those that begin with the same name are told once,
/// with their first place as the example.
fn by_cause(regions: Vec<Region>, like: Vec<(String, u32)>) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for region in regions {
        if found.iter().any(|one| one.deltas == region.deltas && one.new_lines == region.new_lines) {
            continue;
        }
        let same = region.unchanged.as_deref().and_then(leading);
        let known = same.and_then(|name| {
            found.iter_mut().find(|one| one.unchanged.as_deref().and_then(leading) == Some(name))
        });
        match known {
            Some(first) => first.also.extend(region.new_lines.map(|lines| lines.0)),
            None => found.push(region),
        }
    }
    for (name, line) in like {
        let same = |one: &&mut Region| one.unchanged.as_deref().and_then(leading) == Some(&name);
        match found.iter_mut().find(same) {
            Some(first) => first.also.push(line),
            // The examples make no difference, which says nothing of the rest.
            None => found.push(Region {
                old_lines: None,
                new_lines: Some((line, line)),
                deltas: vec![Delta {
                    when: When::Sometimes,
                    certainty: Certainty::Summary,
                    does: vec![format!(
                        "may do something else: only some statements with {name} were looked at"
                    )],
                }],
                under: None,
                unchanged: Some(name),
                cause: None,
                also: Vec::new(),
            }),
        }
    }
    for region in &mut found {
        region.also.sort_unstable();
        region.also.dedup();
        let own = region.new_lines;
        region.also.retain(|line| own.is_none_or(|(first, last)| *line < first || *line > last));
    }
    found
}

/// The name that a statement begins with.
fn leading(text: &str) -> Option<&str> {
    let end = text.find(|one: char| !one.is_ascii_alphanumeric() && one != '_').unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// The starts of regions, those with one first node on each side once.
fn grouped(starts: &[Start]) -> Vec<Start> {
    let mut seen = BTreeSet::new();
    starts.iter().copied().filter(|start| seen.insert((start.old, start.new, start.from.is_none()))).collect()
}

/// All edges at which both versions come in level and go on differently.
fn starts(old: &Cut, new: &Cut, level: &Level) -> Vec<Start> {
    let mut found = Vec::new();
    let records = (Records::of(old.code.module), Records::of(new.code.module));
    let same_entry = old.said(0, &records.0, &level.renamed).text
        == new.said(0, &records.1, &BTreeMap::new()).text
        && old.code.successors(0).len() == new.code.successors(0).len();
    if same_entry {
        edges(old, new, level, (0, 0), &mut found);
    } else {
        found.push(Start { from: None, old: 0, new: 0 });
    }
    for (&a, &b) in &level.same {
        edges(old, new, level, (a, b), &mut found);
    }
    found.extend(level.heads.iter().map(|(&old, &new)| Start { from: None, old, new }));
    found.sort_by_key(|start| (new.code.nodes[start.new].first, old.code.nodes[start.old].first));
    found
}

fn edges(old: &Cut, new: &Cut, level: &Level, (a, b): (usize, usize), found: &mut Vec<Start>) {
    for (one, other) in old.code.successors(a).into_iter().zip(new.code.successors(b)) {
        let start = Start { from: Some((a, b)), old: one, new: other };
        if level.has(one, other) && !has_phis(old, one) && !has_phis(new, other) {
            continue;
        }
        if ends_alike(old, new, level, one, other) {
            continue;
        }
        found.push(start);
    }
}

fn has_phis(cut: &Cut, node: usize) -> bool {
    cut.code.phis(node).next().is_some()
}

/// Whether two nodes do nothing but end the function in the same way, or go on to one level place.
fn ends_alike(old: &Cut, new: &Cut, level: &Level, one: usize, other: usize) -> bool {
    let (Some(a), Some(b)) = (old.through(one), new.through(other)) else { return false };
    if level.has(a, b) {
        return !has_phis(old, a) && !has_phis(new, b);
    }
    let is_end = |cut: &Cut, node: usize| {
        cut.piece(node) == hydrogen_ir::Function::EXIT
            && matches!(cut.code.nodes[node].exit, Leaves::Terminator(id) if matches!(cut.code.op(0, id), Op::Return { .. } | Op::Unreachable))
    };
    let records = (Records::of(old.code.module), Records::of(new.code.module));
    is_end(old, a)
        && is_end(new, b)
        && old.said(a, &records.0, &level.renamed) == new.said(b, &records.1, &BTreeMap::new())
}

/// Level places, for whoever compares exits.
struct Shared<'a, 'm> {
    old: &'a Cut<'m>,
    new: &'a Cut<'m>,
    level: &'a Level,
}

impl Places for Shared<'_, '_> {
    fn are_same(&self, old: usize, new: usize) -> bool {
        self.level.has(old, new)
    }

    fn shared(&self, old: usize, new: usize) -> Vec<(String, Var, Var)> {
        let keyed = |cut: &Cut, is_old: bool, node: usize| -> BTreeMap<String, Var> {
            let live = cut.code.live(node).iter();
            live.filter_map(|&var| Some((self.level.key(cut, is_old, var)?, var))).collect()
        };
        let (a, b) = (keyed(self.old, true, old), keyed(self.new, false, new));
        a.into_iter().filter_map(|(key, var)| Some((key.clone(), var, *b.get(&key)?))).collect()
    }

    fn is_signed(&self, var: Var) -> bool {
        let ctype = ctype_of(self.old, var).and_then(|one| is_signed(self.old.code.module, one));
        ctype.unwrap_or(true)
    }
}

/// What both versions do in a region, and the cases in which that differs.
struct Looked {
    both: Both,
    told: Told,
    /// Whether every way ends at a place that both versions share.
    is_whole: bool,
    /// Whether there was more to ask than is asked about one region.
    is_exhausted: bool,
    /// What was taken of calls in the place of others.
    other_calls: OtherCalls,
}

impl Looked {
    /// The exits at which both versions part, old and new.
    fn parted(&self) -> Vec<(Exit, Exit)> {
        let all = self.told.cases.iter().flat_map(|case| &case.differences);
        let exits = all.filter_map(|one| match one {
            Difference::Exit(old, new) => Some((*old, *new)),
            _ => None,
        });
        exits
            .filter(|(old, new)| !matches!(old, Exit::Faults(_)) && !matches!(new, Exit::Faults(_)))
            .collect()
    }

    /// How much there is to tell.
    fn weight(&self) -> usize {
        self.told.cases.iter().map(|case| case.differences.len()).sum()
    }

    fn is_empty(&self) -> bool {
        self.told.cases.is_empty() && self.told.is_complete && self.is_whole
    }

    /// Whether what differs depends on a variable that one version alone has: nothing is known of it where the region begins.
    fn is_lonely(&self) -> bool {
        let pool = &self.both.context.pool;
        let mut terms: Vec<Term> = Vec::new();
        for case in &self.told.cases {
            terms.push(case.condition);
            for one in &case.differences {
                match one {
                    Difference::Value { old, new, .. } | Difference::Memory { old, new, .. } => {
                        terms.extend([*old, *new]);
                    }
                    Difference::Result(old, new) => terms.extend(old.iter().chain(new)),
                    _ => {}
                }
            }
        }
        let used: BTreeSet<Term> = pool.variables(&terms).into_iter().collect();
        self.both.symbols.iter().any(|one| one.is_lonely && used.contains(&one.term))
    }
}

/// A pair of functions that is being looked at.
struct Pair<'a, 'm> {
    old: Cut<'m>,
    new: Cut<'m>,
    level: Level,
    known: &'a Known,
}

impl<'m> Pair<'_, 'm> {
    fn look(&mut self, start: Start, stops: &Stops) -> Result<Looked, Obstacle> {
        let with_loops = |cut: &Cut, stops: &BTreeSet<usize>| -> BTreeSet<usize> {
            cut.loops.iter().chain(stops).copied().collect()
        };
        self.old.code.heads = with_loops(&self.old, &stops.old);
        self.new.code.heads = with_loops(&self.new, &stops.new);
        let (old, new) = (&self.old, &self.new);
        let known = (&self.known.alike, &self.known.reaches);
        let ends_at = |stops: &BTreeSet<usize>, target: Target| match target {
            Target::Head(node) => stops.contains(&node),
            _ => true,
        };
        let places = Shared { old, new, level: &self.level };
        let looked = |other_calls: OtherCalls| -> Result<Looked, Obstacle> {
            let mut both = evaluate((old, new), &self.level, start, stops, known)?;
            let is_whole = both.old.ends.iter().all(|end| ends_at(&stops.old, end.target))
                && both.new.ends.iter().all(|end| ends_at(&stops.new, end.target));
            let mut differ = Differ::new(&mut both, &places, other_calls);
            let told = differ.told();
            let is_exhausted = differ.is_exhausted();
            Ok(Looked { both, told, is_whole, is_exhausted, other_calls })
        };
        // A call in the place of another one is all that is told where its answer is used as before. Where it is not, no answer may be assumed.
        let first = looked(OtherCalls::SameAnswer)?;
        if first.told.rests_on_stand_ins { looked(OtherCalls::OwnAnswers) } else { Ok(first) }
    }

    /// Looks at a region; where both versions leave it at different places, they run on for a while: perhaps they meet.
    fn settled(&mut self, start: Start, stops: &Stops) -> Result<Looked, Obstacle> {
        let first = self.look(start, stops)?;
        let mut stops = stops.clone();
        let mut parted = first.parted();
        for _ in 0..MOST_SETTLED {
            if parted.is_empty() {
                break;
            }
            let mut moved = false;
            for (old, new) in std::mem::take(&mut parted) {
                let Some((a, b)) = self.earlier(old, new) else { return Ok(first) };
                if self.old.loops.contains(&a) || self.new.loops.contains(&b) {
                    return Ok(first);
                }
                moved |= stops.old.remove(&a) | stops.new.remove(&b);
            }
            if !moved {
                return Ok(first);
            }
            let Ok(next) = self.look(start, &stops) else { return Ok(first) };
            if !next.is_whole || !next.told.is_complete {
                return Ok(first);
            }
            parted = next.parted();
            // Where the way to meeting takes more words than parting, parting is told.
            if parted.is_empty() {
                return Ok(if next.weight() <= first.weight() { next } else { first });
            }
        }
        Ok(first)
    }

    /// Regions that belong together are one: those that make up for each other, which have no delta then, and those of which the second uses a variable
    /// that one version alone has, and the first gives it its value.
    fn make_up(&mut self, looked: &mut Vec<(Start, Result<Looked, Obstacle>)>, stops: &Stops) {
        let mut at = 0;
        while at < looked.len() {
            match self.partner(looked, at, stops) {
                // What lies between was read from a state that both share there.
                Some((first, together)) => {
                    looked[first].1 = Ok(together);
                    drop(looked.remove(at));
                    at = first + 1;
                }
                None => at += 1,
            }
        }
    }

    /// A region before this one that is better told with it, and both as one.
    fn partner(
        &mut self,
        looked: &[(Start, Result<Looked, Obstacle>)],
        at: usize,
        stops: &Stops,
    ) -> Option<(usize, Looked)> {
        let whole = |at: usize| looked[at].1.as_ref().ok().filter(|one| one.told.is_complete && one.is_whole);
        let second = whole(at).filter(|one| !one.is_empty())?;
        let is_lonely = second.is_lonely();
        for first in (0..at).rev().take(MOST_JOINED) {
            let Some(one) = whole(first) else { continue };
            if one.is_empty() && !is_lonely {
                continue;
            }
            let Some(stops) = self.joined(looked[first].0, looked[at].0, stops) else { continue };
            let Ok(together) = self.look(looked[first].0, &stops) else { continue };
            let is_better = is_lonely
                && together.is_whole
                && together.told.is_complete
                && !together.is_lonely()
                && together.weight() <= one.weight() + second.weight();
            if together.is_empty() || is_better {
                return Some((first, together));
            }
        }
        None
    }

    /// Whether a difference is gone where the function ends: both versions run on to there, if no loop is on the way and it is not far.
    fn dies(&mut self, start: Start, looked: &Result<Looked, Obstacle>) -> bool {
        let is_open = looked.as_ref().is_ok_and(|one| one.told.is_complete && one.is_whole);
        let rest = |cut: &Cut, from: usize| -> Option<BTreeSet<usize>> {
            let (mut open, mut seen) = (vec![from], BTreeSet::from([from]));
            while let Some(node) = open.pop() {
                open.extend(cut.code.successors(node).into_iter().filter(|&next| seen.insert(next)));
            }
            let is_short = seen.iter().filter(|node| cut.places.contains(node)).count() <= MOST_BETWEEN;
            (is_short && seen.iter().all(|node| !cut.loops.contains(node))).then_some(seen)
        };
        let (Some(_), Some(_), true) = (rest(&self.old, start.old), rest(&self.new, start.new), is_open)
        else {
            return false;
        };
        let nowhere = Stops { old: BTreeSet::new(), new: BTreeSet::new() };
        self.look(start, &nowhere).is_ok_and(|whole| whole.is_empty())
    }

    /// The stops without those between two regions; none where there is another way to the second than through the first.
    fn joined(&self, first: Start, last: Start, stops: &Stops) -> Option<Stops> {
        let passes = |cut: &Cut, through: usize, to: usize| {
            through == to || !reaches(cut, 0, to, &|node| node == through)
        };
        if !passes(&self.old, first.old, last.old) || !passes(&self.new, first.new, last.new) {
            return None;
        }
        // Another round of a loop around them is another visit.
        let between = |cut: &Cut, from: usize, to: usize| -> BTreeSet<usize> {
            let is_head = |node: usize| cut.loops.contains(&node) && node != from;
            let all = cut.places.iter().copied();
            let inner = all.filter(|&node| {
                reaches(cut, from, node, &is_head) && (node == to || reaches(cut, node, to, &is_head))
            });
            inner.collect()
        };
        if !reaches(&self.old, first.old, last.old, &|node| {
            self.old.loops.contains(&node) && node != first.old
        }) || !reaches(&self.new, first.new, last.new, &|node| {
            self.new.loops.contains(&node) && node != first.new
        }) {
            return None;
        }
        let (a, b) = (between(&self.old, first.old, last.old), between(&self.new, first.new, last.new));
        if a.len().max(b.len()) > MOST_BETWEEN {
            return None;
        }
        let last_is_level = self.level.pairs().any(|pair| pair.0 == last.old || pair.1 == last.new);
        let keep = |node: usize, end: usize| node == end && last_is_level;
        Some(Stops {
            old: stops.old.iter().copied().filter(|&one| !a.contains(&one) || keep(one, last.old)).collect(),
            new: stops.new.iter().copied().filter(|&one| !b.contains(&one) || keep(one, last.new)).collect(),
        })
    }

    /// Of two different exits, the place that comes first: whoever is there has to go on.
    fn earlier(&self, old: Exit, new: Exit) -> Option<(usize, usize)> {
        let of_old = |node: usize| self.level.pairs().find(|pair| pair.0 == node);
        let of_new = |node: usize| self.level.pairs().find(|pair| pair.1 == node);
        match (old, new) {
            (Exit::To(a), Exit::To(b)) => {
                let (x, y) = (of_old(a)?, of_new(b)?);
                let first = |pair: &(usize, usize)| self.old.code.nodes[pair.0].first;
                Some(if first(&x) < first(&y) { x } else { y })
            }
            (Exit::To(a), Exit::Returns) => of_old(a),
            (Exit::Returns, Exit::To(b)) => of_new(b),
            _ => None,
        }
    }

    /// What was found, in words; none where nothing differs.
    fn told(&self, start: Start, mut looked: Looked) -> Option<Region> {
        if looked.is_empty() {
            return None;
        }
        let (old, new) = (&self.old, &self.new);
        let places = Shared { old, new, level: &self.level };
        let segments = (looked.both.old.clone(), looked.both.new.clone());
        let addresses = looked.both.addresses.clone();
        let mut differ = Differ::new(&mut looked.both, &places, looked.other_calls);
        let mut names = Names::new(
            &mut differ.both.context,
            (old, new),
            &differ.both.symbols,
            [(&segments.0.steps, &addresses.0), (&segments.1.steps, &addresses.1)],
        );
        let pool = &mut differ.both.context.pool;
        let texts = (
            doings(&mut names, pool, Side::Old, &segments.0.steps),
            doings(&mut names, pool, Side::New, &segments.1.steps),
        );
        let level = Stops::at_all(&self.level);
        let teller = Teller {
            pool: &differ.both.context.pool,
            names: &names,
            cuts: (old, new),
            start,
            level: (&level.old, &level.new),
            doings: (&texts.0, &texts.1),
        };
        let mut effects = effects(&teller, &looked.told.cases);
        let mut region = summary(old, new, start);
        if self.level.same.contains_key(&start.old) || self.level.same.values().any(|&one| one == start.new) {
            region.unchanged = None;
        }
        lines(old, new, &segments, &mut region);
        region.under = start.from.and_then(|(_, from)| under(new, from, start.new));
        differ.leave_out(&looked.told.ignored);
        let nulls = differ.nulls();
        // That the old version failed is told where the new one asks about it; else it only used pointers that the new one does not use.
        effects.sort_by_key(|one| !one.no_longer_fails);
        let (mut deltas, mut has_loops): (Vec<(u8, Term, Delta)>, bool) = (Vec::new(), false);
        for mut effect in effects {
            let any = differ.both.context.pool.or_all(effect.conditions.iter().copied());
            if !differ.may_hold(&[any]) {
                continue;
            }
            let (mut any, mut worded) = (any, worded(&mut differ, &names, any));
            if worded.when == When::Sometimes && effect.phrase.holds == Holds::WhereNamed {
                let wider = differ.both.context.pool.or_all(effect.reached.iter().copied());
                let again = self::worded(&mut differ, &names, wider);
                if again.when != When::Sometimes {
                    effect.phrase.words += ", where these differ";
                    (any, worded) = (wider, again);
                }
            }
            if effect.no_longer_fails
                && (worded.when == When::Sometimes || worded.literals.iter().any(|one| nulls.contains(one)))
            {
                differ.leave_out(&[any]);
                continue;
            }
            let opens = effect.exits.iter().any(|(old, new)| {
                let leaves = |exit: &Exit, known: &BTreeSet<usize>| match exit {
                    Exit::To(node) => !known.contains(node),
                    _ => false,
                };
                leaves(old, &level.old) || leaves(new, &level.new)
            });
            has_loops |= opens;
            // Where only the overflow of signed numbers makes the difference, that is the condition.
            let (mut when, mut is_named) = (worded.when, false);
            for (is_old, whose) in [(true, "old"), (false, "new")] {
                let wraps = differ.wraps(is_old);
                if when != When::Always
                    && differ.both.context.pool.as_bool(wraps).is_none()
                    && differ.follows(&[any], wraps)
                {
                    when = When::Holds(format!("a signed number of the {whose} version overflows"));
                    is_named = true;
                    break;
                }
            }
            let certainty = match (opens, effect.is_possible) {
                (true, _) => Certainty::Summary,
                (false, false) => Certainty::Exact,
                (false, true) => Certainty::Possible,
            };
            // What happens under one condition is told with it once.
            let known = deltas.iter_mut().find(|(_, condition, one)| {
                one.certainty == certainty
                    && one.when == when
                    && (*condition == any || !is_named && when != When::Sometimes)
            });
            match known {
                Some((rank, _, one)) => {
                    *rank = effect.phrase.rank.min(*rank);
                    one.does.push(effect.phrase.words);
                }
                None => {
                    deltas.push((
                        effect.phrase.rank,
                        any,
                        Delta { when, certainty, does: vec![effect.phrase.words] },
                    ));
                }
            }
            if effect.fails {
                differ.leave_out(&[any]);
            }
        }
        deltas.sort_by_key(|(rank, _, _)| *rank);
        region.deltas = deltas.into_iter().map(|(_, _, delta)| tidy(delta)).collect();
        if differ.is_exhausted() || looked.is_exhausted {
            region.deltas = vec![outline(&texts)];
            return Some(region);
        }
        if !looked.told.is_complete || !looked.is_whole && !has_loops {
            region.deltas.push(Delta {
                when: When::Sometimes,
                certainty: Certainty::Summary,
                does: vec![match looked.is_whole {
                    true => "may do something else in cases that were not told apart".to_owned(),
                    false => "may do something else behind a loop that changed".to_owned(),
                }],
            });
        }
        (!region.deltas.is_empty()).then_some(region)
    }
}

/// An effect in words, with the conditions under which it is told.
struct Effect {
    phrase: Phrase,
    conditions: Vec<Term>,
    /// When both versions come there, equal or not.
    reached: Vec<Term>,
    is_possible: bool,
    /// Whether one version fails there.
    fails: bool,
    no_longer_fails: bool,
    exits: Vec<(Exit, Exit)>,
}

/// All effects, those of the same words once.
fn effects(teller: &Teller, cases: &[Case]) -> Vec<Effect> {
    let mut found: Vec<Effect> = Vec::new();
    // A call that a version ends in is told as its end.
    let ends_in = |step: usize, is_old: bool| {
        cases.iter().flat_map(|case| &case.differences).any(|one| match one {
            Difference::Exit(old, new) => *if is_old { old } else { new } == Exit::Stops(Some(step)),
            _ => false,
        })
    };
    let is_end = |one: &Difference| match one {
        Difference::OldCall(step) => ends_in(*step, true),
        Difference::NewCall(step) => ends_in(*step, false),
        _ => false,
    };
    for case in cases.iter().filter(|case| !case.differences.iter().all(is_end)) {
        let exits: Vec<(Exit, Exit)> = case
            .differences
            .iter()
            .filter_map(|one| match one {
                Difference::Exit(old, new) => Some((*old, *new)),
                _ => None,
            })
            .collect();
        let is_fault = |exit: &Exit| matches!(exit, Exit::Faults(_));
        let fails = exits.iter().any(|(old, new)| is_fault(old) || is_fault(new));
        let no_longer_fails = case.no_longer_fails();
        for mut phrase in teller.case(case) {
            let condition = match phrase.holds {
                Holds::WhereDifferent | Holds::WhereNamed => case.condition,
                Holds::WhereReached | Holds::WhereCompared => case.reached,
            };
            if phrase.holds == Holds::WhereCompared && !case.is_certain {
                phrase.words += ", where these differ";
            }
            let known =
                found.iter_mut().find(|one| one.phrase == phrase && one.no_longer_fails == no_longer_fails);
            match known {
                Some(one) => {
                    one.conditions.push(condition);
                    one.reached.push(case.reached);
                    one.is_possible |= case.is_possible;
                    one.exits.extend(exits.iter().copied());
                }
                None => found.push(Effect {
                    phrase,
                    conditions: vec![condition],
                    reached: vec![case.reached],
                    is_possible: case.is_possible,
                    fails,
                    no_longer_fails,
                    exits: exits.clone(),
                }),
            }
        }
    }
    found.sort_by_key(|one| one.phrase.rank);
    found
}

/// What came and went in a region that is too large for more: calls, and places that are written to.
fn outline((old, new): &(Vec<Doing>, Vec<Doing>)) -> Delta {
    let texts = |doings: &[Doing]| -> (BTreeSet<String>, BTreeSet<String>) {
        let places = doings.iter().filter_map(|one| match one {
            Doing::Place(text) if !text.is_opaque => Some(text.text.clone()),
            _ => None,
        });
        let calls = doings.iter().map(|one| one.call().to_owned()).filter(|one| !one.is_empty());
        (calls.collect(), places.collect())
    };
    let ((a, p), (b, q)) = (texts(old), texts(new));
    let mut does = Vec::new();
    for (verb, more) in [
        ("calls", &b - &a),
        ("no longer calls", &a - &b),
        ("writes to", &q - &p),
        ("no longer writes to", &p - &q),
    ] {
        if !more.is_empty() {
            let shown: Vec<String> = more.iter().take(MOST_OUTLINED).cloned().collect();
            let rest = more.len() - shown.len();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            does.push(format!("{verb} {}{rest}", shown.join(", ")));
        }
    }
    if does.is_empty() {
        does.push(
            "makes the same calls and writes to the same places, in other cases or with other values"
                .to_owned(),
        );
    }
    Delta { when: When::Sometimes, certainty: Certainty::Summary, does }
}

/// A delta without what goes without saying: a call that the function ends in is not told twice, and one that is made as before, but elsewhere, is moved.
fn tidy(mut delta: Delta) -> Delta {
    let ends: Vec<String> =
        delta.does.iter().filter_map(|one| one.strip_prefix("ends in ")).map(str::to_owned).collect();
    delta.does.retain(|one| {
        one.strip_prefix("calls ").is_none_or(|call| !ends.iter().any(|end| end.starts_with(call)))
    });
    let moved: Vec<String> = delta
        .does
        .iter()
        .filter_map(|one| one.strip_prefix("no longer calls "))
        .filter(|call| delta.does.contains(&format!("calls {call}")))
        .map(str::to_owned)
        .collect();
    for call in moved {
        delta.does.retain(|one| *one != format!("no longer calls {call}"));
        if let Some(one) = delta.does.iter_mut().find(|one| **one == format!("calls {call}")) {
            *one += " in another order";
        }
    }
    delta
}

/// Whether a node can be reached from another without entering some.
fn reaches(cut: &Cut, from: usize, to: usize, avoids: &dyn Fn(usize) -> bool) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::from([from]));
    if avoids(from) {
        return false;
    }
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        open.extend(cut.code.successors(node).into_iter().filter(|&next| !avoids(next) && seen.insert(next)));
    }
    false
}

/// A region without deltas, at the lines where it begins.
fn summary(old: &Cut, new: &Cut, start: Start) -> Region {
    // A jump belongs to the statement that it ends: what comes behind it is meant.
    let lines = |cut: &Cut, node: usize| cut.line(cut.through(node).unwrap_or(node)).map(|line| (line, line));
    let text = |cut: &Cut, node: usize| {
        let piece = cut.statement(node);
        let jumps = matches!(piece.role, Role::Goto | Role::Break | Role::Continue);
        (cut.code.nodes[node].frame == 0 && !piece.is_synthetic() && !jumps).then(|| piece.text.clone())
    };
    let (was, is) = (text(old, start.old), text(new, start.new));
    // Where a `switch` got another case, its head reads as before.
    let is_switch = |cut: &Cut, node: usize| match cut.code.nodes[node].exit {
        Leaves::Terminator(id) => matches!(cut.code.op(cut.code.nodes[node].frame, id), Op::Switch { .. }),
        _ => false,
    };
    let touched = is_switch(old, start.old) || is_switch(new, start.new);
    let none = BTreeMap::new();
    let means = |cut: &Cut, node: usize| cut.said(node, &Records::of(cut.code.module), &none).text;
    let is_other = || means(old, start.old) != means(new, start.new);
    let unchanged = if was == is && is.is_some() && !touched && is_other() { is } else { None };
    Region {
        old_lines: lines(old, start.old),
        new_lines: lines(new, start.new),
        deltas: Vec::new(),
        under: None,
        unchanged,
        cause: None,
        also: Vec::new(),
    }
}

/// The branch that a region lies directly behind, in the words of the source; not the condition of a loop.
fn under(cut: &Cut, from: usize, to: usize) -> Option<String> {
    let Leaves::Terminator(id) = cut.code.nodes[from].exit else { return None };
    let piece = cut.statement(from);
    if cut.loops.contains(&from) || piece.text.len() > LONGEST_BRANCH || cut.code.nodes[from].frame != 0 {
        return None;
    }
    let Op::Branch { then, otherwise, .. } = cut.code.op(0, id) else { return None };
    let (then, otherwise) = (cut.code.block(0, *then), cut.code.block(0, *otherwise));
    let goes_then = match (then == to, otherwise == to) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let holds = if cut.is_as_written(from)? == goes_then { "holds" } else { "does not hold" };
    Some(format!("`{}` {holds}", piece.text))
}

/// The lines that a region covers: those of what was done in it.
fn lines(
    old: &Cut,
    new: &Cut,
    segments: &(hydrogen_sym::segment::Segment, hydrogen_sym::segment::Segment),
    region: &mut Region,
) {
    let of = |cut: &Cut, side: &hydrogen_sym::segment::Segment| {
        let own = side.steps.iter().filter(|step| step.frame == 0);
        let all: Vec<u32> = own.filter_map(|step| cut.line(cut.node_of[step.id.index()])).collect();
        all.iter().copied().min().zip(all.iter().copied().max())
    };
    if let Some(found) = of(old, &segments.0) {
        region.old_lines = Some(found);
    }
    if let Some(found) = of(new, &segments.1) {
        region.new_lines = Some(found);
    }
}

/// The names of variables that are values in one version and objects in the other.
fn uneven(old: &Cut, new: &Cut, level: &Level) -> BTreeSet<String> {
    let renamed = |name: &String| level.renamed.get(name).unwrap_or(name).clone();
    let (slots, objects) = (old.slots(), old.objects());
    let slots: BTreeSet<(String, String)> =
        slots.into_values().map(|(_, name)| (renamed(&name), name)).collect();
    let objects: BTreeSet<(String, String)> =
        objects.into_values().map(|(_, name)| (renamed(&name), name)).collect();
    let (news, others): (BTreeSet<String>, BTreeSet<String>) = (
        new.slots().into_values().map(|one| one.1).collect(),
        new.objects().into_values().map(|one| one.1).collect(),
    );
    let mut found = BTreeSet::new();
    for (now, was) in slots
        .iter()
        .filter(|one| others.contains(&one.0))
        .chain(objects.iter().filter(|one| news.contains(&one.0)))
    {
        found.insert(now.clone());
        found.insert(was.clone());
    }
    found
}

/// Whether a function calls one after which the same code may run again.
fn comes_back_twice(subject: Subject) -> bool {
    let calls = &subject.module.function(subject.function).calls;
    calls.iter().any(|call| match &call.callee {
        hydrogen_ir::Callee::Direct(name) => hydrogen_sym::known::comes_back_twice(name),
        hydrogen_ir::Callee::Indirect(_) => false,
    })
}

/// Local variables that are objects and have another size, and a head that reads otherwise.
fn declared(old: &Cut, new: &Cut, level: &Level) -> Vec<String> {
    let heads = (old.function().signature.as_str(), new.function().signature.as_str());
    let head = (is_other_head(old, new) && !heads.1.is_empty())
        .then(|| format!("its head is `{}`, was `{}`", heads.1, heads.0));
    let sizes = |cut: &Cut, is_old: bool| -> BTreeMap<String, (u64, String)> {
        let names = cut.objects();
        let all = names.into_iter().map(|(number, (id, name))| {
            let name = match is_old {
                true => level.renamed.get(&name).cloned().unwrap_or(name),
                false => name,
            };
            let ty = match cut.code.op(0, id) {
                Op::Alloca { ty, .. } => type_word(cut.code.module, *ty),
                _ => String::new(),
            };
            (name, (cut.code.homes.objects[number as usize].bytes, ty))
        });
        all.collect()
    };
    let (a, b) = (sizes(old, true), sizes(new, false));
    // A structure that grew is no other declaration.
    let changed = a.iter().filter_map(|(name, (bytes, ty))| {
        let (now, other) = b.get(name)?;
        (now != bytes && ty != other && !name.starts_with('#'))
            .then(|| format!("{name} has {now} bytes, had {bytes}"))
    });
    head.into_iter().chain(changed).collect()
}

/// Whether callers have to call a function otherwise: other types, or the same names in another order.
fn is_other_head(old: &Cut, new: &Cut) -> bool {
    let (a, b) = (old.function(), new.function());
    let word = |cut: &Cut, ty: Option<hydrogen_ir::TypeId>| ty.map(|ty| type_word(cut.code.module, ty));
    let names = |function: &hydrogen_ir::Function| -> Vec<String> {
        function.parameters.iter().map(|one| one.name.clone()).collect()
    };
    let (was, is) = (names(a), names(b));
    let set = |names: &[String]| -> BTreeSet<String> { names.iter().cloned().collect() };
    word(old, a.ty) != word(new, b.ty) || was != is && set(&was) == set(&is)
}
