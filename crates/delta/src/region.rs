//! The regions of a change, and the delta of each.

use crate::{
    condition::worded,
    cut::Cut,
    differ::{Case, Difference, Differ, Exit, Places},
    evaluate::{Start, Stops, ctype_of, evaluate, is_signed},
    level::Level,
    names::Records,
    tell::Teller,
    words::{Names, calls},
};
use hydrogen_evidence::delta::{Certainty, Delta, Function, Region, Says, When};
use hydrogen_ir::{FunctionId, Op};
use hydrogen_sym::{
    Obstacle, Reaches, Side, Subject,
    code::{Exit as Leaves, Var},
    segment::Target,
};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// More regions than this in one function are summed up.
const MOST_REGIONS: usize = 64;

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
        let names = |module: &hydrogen_ir::Module| -> BTreeSet<String> {
            module.functions.iter().map(|function| function.name.clone()).collect()
        };
        let mut alike = names(old);
        alike.extend(names(new));
        Self { alike, reaches: Reaches::of(old, new) }
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
    // A callee that one version alone has may be a part of the other's code: it is looked into.
    let own = |here: Subject, there: Subject| {
        let others: BTreeSet<&str> = there.module.definitions().map(|(_, one)| one.name.as_str()).collect();
        let new: BTreeSet<FunctionId> = here
            .module
            .definitions()
            .filter(|(_, one)| one.body.is_some() && !others.contains(one.name.as_str()))
            .map(|(id, _)| id)
            .collect();
        new
    };
    let (gone, come) = (own(old, new), own(new, old));
    let mut a = Cut::new(old, &|id| gone.contains(&id))?;
    let mut b = Cut::new(new, &|id| come.contains(&id))?;
    let level = Level::of(&a, &b);
    told.declared = declared(&a, &b, &level);
    let starts = starts(&a, &b, &level);
    if starts.len() > MOST_REGIONS {
        return Err(Obstacle::new("more regions than are looked at"));
    }
    let stops = Stops::at_all(&level);
    let mut says = Says::Same;
    for group in grouped(&starts) {
        let start = group;
        let region = look(&mut a, &mut b, &level, start, &stops, known);
        match region {
            Ok(None) => {}
            Ok(Some(region)) => {
                let exact = region.deltas.iter().all(|one| one.certainty == Certainty::Exact && one.when != When::Sometimes);
                says = says.max(if exact { Says::Exact } else { Says::Partial });
                told.regions.push(region);
            }
            Err(obstacle) => {
                says = says.max(Says::Partial);
                let mut region = summary(&a, &b, start);
                region.deltas.push(Delta {
                    when: When::Sometimes,
                    certainty: Certainty::Summary,
                    does: vec![format!("may do something else ({obstacle})")],
                });
                told.regions.push(region);
            }
        }
    }
    if !told.declared.is_empty() {
        says = says.max(Says::Exact);
    }
    told.says = says;
    Ok(())
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
    let same_entry = old.said(0, &records.0, &level.renamed).text == new.said(0, &records.1, &BTreeMap::new()).text
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
    let (Some(a), Some(b)) = (through(old, one), through(new, other)) else { return false };
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

/// The first node behind jumps that does anything.
fn through(cut: &Cut, mut node: usize) -> Option<usize> {
    for _ in 0..64 {
        let one = &cut.code.nodes[node];
        if one.frame != 0 {
            return None;
        }
        let only_jumps = one.first == one.end || (one.first..one.end).all(|id| {
            matches!(cut.code.op(0, hydrogen_ir::InstructionId(id)), Op::Alloca { .. })
        });
        match one.exit {
            Leaves::Terminator(id) if only_jumps && !has_phis(cut, node) => match cut.code.op(0, id) {
                Op::Jump { target } => node = cut.code.block(0, *target),
                _ => return Some(node),
            },
            _ => return Some(node),
        }
    }
    None
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

/// What differs in one region; none where nothing does.
fn look<'m>(
    old: &mut Cut<'m>,
    new: &mut Cut<'m>,
    level: &Level,
    start: Start,
    stops: &Stops,
    known: &Known,
) -> Result<Option<Region>, Obstacle> {
    let with_loops = |cut: &Cut, stops: &BTreeSet<usize>| -> BTreeSet<usize> {
        cut.loops.iter().chain(stops).copied().collect()
    };
    old.code.heads = with_loops(old, &stops.old);
    new.code.heads = with_loops(new, &stops.new);
    let (old, new): (&Cut, &Cut) = (old, new);
    let mut both = evaluate((old, new), level, start, stops, (&known.alike, &known.reaches))?;
    let ends_at = |stops: &BTreeSet<usize>, target: Target| match target {
        Target::Head(node) => stops.contains(&node),
        _ => true,
    };
    let is_whole = both.old.ends.iter().all(|end| ends_at(&stops.old, end.target))
        && both.new.ends.iter().all(|end| ends_at(&stops.new, end.target));
    let places = Shared { old, new, level };
    let mut differ = Differ::new(&mut both, &places);
    let told = differ.told();
    if told.cases.is_empty() && told.is_complete && is_whole {
        return Ok(None);
    }
    let (segments, addresses) = ((differ.both.old.clone(), differ.both.new.clone()), differ.both.addresses.clone());
    let mut names = Names::new(
        &differ.both.context.pool,
        (old, new),
        &differ.both.symbols,
        [(&segments.0.steps, &addresses.0), (&segments.1.steps, &addresses.1)],
    );
    let pool = &differ.both.context.pool;
    let texts = (
        calls(&mut names, pool, Side::Old, &segments.0.steps, &addresses.0),
        calls(&mut names, pool, Side::New, &segments.1.steps, &addresses.1),
    );
    // Cases that are told in the same words are one.
    let mut by_words: Vec<(Vec<String>, Vec<&Case>)> = Vec::new();
    for case in &told.cases {
        let teller = Teller {
            pool: &differ.both.context.pool,
            names: &names,
            cuts: (old, new),
            start,
            texts: (&texts.0, &texts.1),
            sides: (&segments.0, &segments.1),
        };
        let words = teller.case(case);
        match by_words.iter_mut().find(|(one, _)| *one == words) {
            Some((_, cases)) => cases.push(case),
            None => by_words.push((words, vec![case])),
        }
    }
    let mut region = summary(old, new, start);
    lines(old, new, &told.cases, &segments, &mut region);
    for (does, cases) in by_words {
        let conditions: Vec<Term> = cases.iter().map(|case| case.condition).collect();
        let any = differ.both.context.pool.or_all(conditions);
        let when = worded(&mut differ, &names, any)?;
        let sure = cases.iter().all(|case| !case.is_possible);
        let certainty = if sure { Certainty::Exact } else { Certainty::Possible };
        region.deltas.push(Delta { when, certainty, does });
    }
    if !told.is_complete || !is_whole {
        region.deltas.push(Delta {
            when: When::Sometimes,
            certainty: Certainty::Summary,
            does: vec![match is_whole {
                true => "may do something else in cases that were not told apart".to_owned(),
                false => "may do something else behind a loop that changed".to_owned(),
            }],
        });
    }
    Ok(Some(region))
}

/// A region without deltas, at the lines where it begins.
fn summary(old: &Cut, new: &Cut, start: Start) -> Region {
    let lines = |cut: &Cut, node: usize| cut.line(node).map(|line| (line, line));
    Region { old_lines: lines(old, start.old), new_lines: lines(new, start.new), deltas: Vec::new() }
}

/// The lines that a region covers: those of what was done in it.
fn lines(
    old: &Cut,
    new: &Cut,
    _cases: &[Case],
    segments: &(hydrogen_sym::segment::Segment, hydrogen_sym::segment::Segment),
    region: &mut Region,
) {
    let of = |cut: &Cut, side: &hydrogen_sym::segment::Segment| {
        let own = side.steps.iter().filter(|step| step.frame == 0);
        let all: Vec<u32> = own.filter_map(|step| cut.line(cut.node_of[step.id.index()])).collect();
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    if let Some(found) = of(old, &segments.0) {
        region.old_lines = Some(found);
    }
    if let Some(found) = of(new, &segments.1) {
        region.new_lines = Some(found);
    }
    let _ = (Exit::Returns, |one: &Difference| matches!(one, Difference::OldCall(_)));
}

/// Local variables that are objects and have another size.
fn declared(old: &Cut, new: &Cut, level: &Level) -> Vec<String> {
    let sizes = |cut: &Cut, is_old: bool| -> BTreeMap<String, u64> {
        let names = cut.objects();
        let all = names.into_iter().map(|(number, (_, name))| {
            let name = match is_old {
                true => level.renamed.get(&name).cloned().unwrap_or(name),
                false => name,
            };
            (name, cut.code.homes.objects[number as usize].bytes)
        });
        all.collect()
    };
    let (a, b) = (sizes(old, true), sizes(new, false));
    let changed = a.iter().filter_map(|(name, bytes)| {
        let now = b.get(name)?;
        (now != bytes && !name.starts_with('#')).then(|| format!("{name} has {now} bytes, had {bytes}"))
    });
    changed.collect()
}
