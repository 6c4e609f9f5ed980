//! The whole way from a question to an answer.

use crate::alarm::Alarm;
use crate::ask::{Ask, Mode, WhyError};
use crate::changed::Changed;
use crate::dataflow::{agreeing, deepest, given_out, outputs};
use crate::did::Dids;
use crate::long::is_long;
use crate::look::{Found, Way, both};
use crate::origin::{Origins, origins, those};
use crate::precondition::preconditions;
use crate::predicate::predicates;
use crate::runs::side_by_side;
use crate::size::size;
use crate::spot::spot;
use crate::suspect::{changes, suspects, users_node};
use crate::told::Told;
use crate::variables::variables;
use crate::wrong::{Where, wrong};
use hydrogen_evidence::why::{Explanation, Numbers, Side, Spot, Suspect};
use hydrogen_machine::Limits as RunLimits;
use hydrogen_pair::{Alignment, Ending, Node, Pair, Ran, Setting};
use hydrogen_term::{Engine, Limits, standard};
use hydrogen_trace::{Static, TraceError};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Of so many suspects it is said which changes they depend on.
const MOST_DEPENDENT: usize = 10;

/// Answers a question.
pub fn explain(ask: &Ask<'_>) -> Result<Explanation, WhyError> {
    let started = Instant::now();
    let mut alarm = Alarm::new(ask.deadline, ask.setting.limits.interrupt.clone());
    let late = |error: WhyError, steps: u64| match error {
        WhyError::Trace(TraceError::Interrupted) if alarm.rang() => WhyError::Late(steps),
        other => other,
    };
    let mut pair = Pair::new(&[ask.old, ask.new]);
    let limits = RunLimits { interrupt: Some(Arc::clone(&alarm.flag)), ..ask.setting.limits.clone() };
    let setting = Setting { limits: &limits, ..ask.setting };
    let is_long = is_long(ask, &limits);
    let mut run = |number: usize| match is_long {
        true => pair.run_recorded(number, setting, ask.input),
        false => pair.run_in(number, setting, ask.input),
    };
    let (mut old, mut new) = (run(0)?, run(1)?);
    let steps = old.seen.steps + new.seen.steps;
    for (side, ran) in [(Side::Old, &old), (Side::New, &new)] {
        if let Ending::Cut(why) = &ran.outcome.ending {
            return Err(if alarm.rang() { WhyError::Late(steps) } else { WhyError::Cut(side, why.clone()) });
        }
    }
    let limits = Limits { time: std::time::Duration::from_secs(5), ..Limits::default() };
    let mut engine = Engine::new(standard(), limits);
    if let Some(deadline) = ask.deadline {
        engine.set_deadline(deadline);
    }
    let mut numbers = numbers([&old, &new]);
    numbers.times.runs = started.elapsed();
    let wrong = wrong(&old.outcome, &new.outcome, ask.observables);
    let faults = [(Side::Old, &old), (Side::New, &new)].map(|(side, ran)| match ran.outcome.ending {
        Ending::Fault(_, Some(node)) => fault_spot(&mut pair, side, ran, node),
        _ => None,
    });
    let Some(wrong) = wrong else {
        let paths = [old.seen.path.as_slice(), &new.seen.path];
        let found = both(ask, &mut engine, &mut pair, paths, !ask.only_source);
        let decided = found.iter().all(|one| one.unknown + one.skipped == 0);
        let equal = found.iter().all(|one| one.deviations.is_empty());
        return Ok(Explanation {
            // Of long runs there are no conditions.
            equivalent: (decided || !equal).then_some(equal).filter(|_| !is_long),
            outcomes: [old.outcome, new.outcome],
            wrong: None,
            suspects: Vec::new(),
            others: Vec::new(),
            invalid: Vec::new(),
            first: [None, None],
            lines: [BTreeMap::new(), BTreeMap::new()],
            faults,
            runs: Vec::new(),
            expressions: None,
            agreeing: None,
            preconditions: [Vec::new(), Vec::new()],
            numbers,
        });
    };
    let call = ask.setting.symbolic.call.as_ref();
    let entry = call.map_or(ask.setting.world.entry.as_str(), |call| call.function.as_str());
    let statics = [ask.old, ask.new].map(|program| Static::new(program, &[entry]).with_jumps());
    let slicing = Instant::now();
    let tell = |number: usize, ran: &Ran, other: &Ran| {
        let place = Where::of(&wrong, &ran.outcome, &other.outcome);
        Told::new(&statics[number], ran, &place, &alarm.flag).map_err(|error| late(error, steps))
    };
    let mut told = [tell(0, &old, &new)?, tell(1, &new, &old)?];
    if is_long {
        for (number, (ran, told)) in [&mut old, &mut new].into_iter().zip(&mut told).enumerate() {
            ran.seen = pair.look_again(number, setting, ask.input, Arc::clone(&told.slice));
            if alarm.rang() {
                return Err(WhyError::Late(steps));
            }
            told.choose(&ran.seen.path);
        }
        let again = self::numbers([&old, &new]);
        (numbers.path, numbers.concrete) = (again.path, again.concrete);
    }
    numbers.relevant = [told[0].relevant.len(), told[1].relevant.len()];
    let changed = Changed::new(&mut pair, [&old, &new]);
    let alignment = Alignment::of(&old.instances, &new.instances);
    let origins = origins(&pair, &changed, &alignment, [&old, &new], [&told[0], &told[1]])
        .map_err(|error| late(error, steps))?;
    let runs_beside = side_by_side(&pair, &alignment, [&old, &new], origins.at);
    drop(alignment);
    numbers.times.slices = slicing.elapsed();
    // From here on a part of the answer is one, too.
    alarm.put_off();
    let paths = [old.seen.path.as_slice(), &new.seen.path];
    let relevant = [told[0].relevant.as_slice(), &told[1].relevant];
    numbers.sizes.path = paths.map(|all| size(&pair.pool, all.iter().map(|one| one.term)));
    numbers.sizes.relevant = relevant.map(|all| size(&pair.pool, all.iter().map(|one| one.term)));
    let predicates = match ask.predicates {
        true => [(Side::Old, &old), (Side::New, &new)].map(|(side, ran)| {
            let slice = (ask.mode == Mode::Relevant).then_some(&*told[side.number()].slice);
            predicates(ask, &mut pair, side, ran, slice)
        }),
        false => [Vec::new(), Vec::new()],
    };
    let count = |side: Side| paths[side.number()].iter().filter(|one| ask.trusts(side, one)).count();
    numbers.trusted = count(Side::Old) + count(Side::New);
    numbers.predicates = [predicates[0].len(), predicates[1].len()];
    let runs = [&old, &new];
    let mut way =
        Way { ask, engine: &mut engine, pair: &mut pair, runs, predicates, numbers: &mut numbers, is_long };
    let conditions = if ask.mode == Mode::Relevant { relevant } else { paths };
    let mut found = way.look(conditions, ask.mode)?;
    // The conditions of the wrong output may give nothing that holds; those of the path are always right.
    if ask.mode == Mode::Relevant && !is_long && found.valid.is_empty() && ask.goes_on() {
        let more = way.look(paths, Mode::Path)?;
        found.invalid.extend(more.invalid);
        found = Found { invalid: found.invalid, ..more };
    }
    let Found { valid, invalid, implied, equivalent } = found;
    let passes = valid.iter().any(|(_, one)| one.passes == Some(true));
    let mut expressions = None;
    let mut agreeing_input = None;
    let computed = match passes {
        true => None,
        false => outputs(&mut pair.pool, &wrong, &old.seen, &new.seen),
    };
    let differ = computed
        .filter(|(one, two)| one != two && [one, two].iter().any(|term| pair.pool.as_bits(**term).is_none()));
    if let Some((one, two)) = differ {
        expressions = Some(deepest(&mut pair.pool, one, two));
        let input = agreeing(&mut engine, &mut pair.pool, paths, (one, two), ask.input);
        agreeing_input = input.filter(|input| {
            let outcomes = ask.ways(input).map(|way| way.outcome);
            ask.passes(input, &outcomes) == Some(true)
        });
    }
    let preconditions = match ask.preconditions {
        true => {
            let both = outputs(&mut pair.pool, &wrong, &old.seen, &new.seen);
            let values =
                both.and_then(|both| given_out(&mut pair.pool, &wrong, [&old.outcome, &new.outcome], both));
            preconditions(ask, &mut engine, &mut pair, [&old, &new], relevant, values)
        }
        false => [Vec::new(), Vec::new()],
    };
    let lines = [lines(&pair, &old, &told[0]), lines(&pair, &new, &told[1])];
    let first = firsts(&pair, &origins);
    let readers: Vec<&Spot> = first.iter().flatten().collect();
    let changed_variables = match origins.near.is_empty() {
        true => variables(ask.old, ask.new, &readers),
        false => Vec::new(),
    };
    let dids = Dids::new(&pair, &changed, [&old, &new]);
    let all = suspects(&pair, &changed, &dids, &origins, changed_variables, valid, &implied);
    let (mut suspects, mut others): (Vec<Suspect>, Vec<Suspect>) =
        all.into_iter().partition(Suspect::has_evidence);
    for suspect in suspects.iter_mut().take(MOST_DEPENDENT).filter(|_| ask.goes_on()) {
        let Some(one) = suspect.alternates.first() else { continue };
        let (side, ran) = (one.side, [&old, &new][one.side.number()]);
        let told = &told[side.number()];
        let behind = those(&changed, side, &ran.instances, &told.behind(&[one.step])?);
        let spots = behind
            .iter()
            .filter(|it| !changed.is_moved(it.node))
            .filter_map(|it| spot(&pair.nodes, side, it.node));
        let is_own = |it: &Spot| (&it.file, it.line) == (&one.spot.file, one.spot.line);
        suspect.depends = spots.filter(|it| !is_own(it)).collect();
        suspect.depends.sort_by(|one, two| (&one.file, one.line).cmp(&(&two.file, two.line)));
        suspect.depends.dedup_by(|two, one| (&one.file, one.line) == (&two.file, two.line));
    }
    // Where nothing else speaks, what changed is all there is; and it says more than inputs that turn what did not change and still fail.
    if suspects.iter().all(Suspect::is_weak) {
        suspects.splice(0..0, others.drain(..));
    }
    Ok(Explanation {
        outcomes: [old.outcome, new.outcome],
        wrong: Some(wrong),
        equivalent,
        suspects,
        others,
        invalid,
        first,
        lines,
        faults,
        runs: runs_beside,
        preconditions,
        expressions,
        agreeing: agreeing_input.map(|input| {
            let changes = changes(ask.input, &input);
            (input, changes)
        }),
        numbers,
    })
}

/// The statement of the user's at which a run faults, or whose call of the C library does.
fn fault_spot(pair: &mut Pair<'_>, side: Side, ran: &Ran, node: Node) -> Option<Spot> {
    let own = spot(&pair.nodes, side, node);
    own.or_else(|| spot(&pair.nodes, side, users_node(pair, ran, ran.seen.steps)?.0))
}

fn firsts(pair: &Pair<'_>, origins: &Origins) -> [Option<Spot>; 2] {
    let of = |side: Side| origins.first[side.number()].and_then(|node| spot(&pair.nodes, side, node));
    [of(Side::Old), of(Side::New)]
}

/// The lines that a run executed, and whether its wrong output depends on them.
fn lines(pair: &Pair<'_>, ran: &Ran, told: &Told<'_, '_>) -> BTreeMap<(String, u32), bool> {
    let mut relevant: FxHashMap<Node, bool> = FxHashMap::default();
    for instance in &ran.instances.all {
        relevant.entry(instance.node).or_insert(false);
    }
    for (_, position) in ran.instances.along(told.slice.steps(1)) {
        relevant.insert(ran.instances.all[position].node, true);
    }
    let mut lines = BTreeMap::new();
    for (node, relevant) in relevant {
        if let Some((file, line)) = pair.nodes.line(ran.program, node) {
            *lines.entry((file.to_owned(), line)).or_insert(false) |= relevant;
        }
    }
    lines
}

fn numbers(runs: [&Ran; 2]) -> Numbers {
    let mut concrete: Vec<String> = Vec::new();
    for ran in runs {
        concrete.extend(ran.seen.concretised.keys().map(|(why, _)| why.clone()));
    }
    for ran in runs {
        if let Some(cut) = ran.instances.cut {
            concrete.push(format!("statements behind instruction {cut}: too many were executed before"));
        }
    }
    concrete.sort();
    concrete.dedup();
    Numbers {
        steps: runs.map(|ran| ran.seen.steps),
        path: runs.map(|ran| ran.seen.path.len()),
        concrete,
        ..Numbers::default()
    }
}
