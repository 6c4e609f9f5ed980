//! One pair of functions: ways of reading them are tried until a proof stands.

use crate::{
    align::Alignment,
    candidates,
    certificate::{Certificate, Relations},
    code::{Jumps, Reading, Var},
    context::Side,
    data,
    effects::Reaches,
    fold::Fold,
    lockstep,
    obstacle::Obstacle,
    prepare::{Prepared, prepare},
    prove::{Failure, Prover},
    relation::{Places, Relation},
    segment::{Loops, Runner, Target, is_cut},
    signature::different_signatures,
    subject::Subject,
    variables,
    verdict::{Candidate, Method, Proof, Verdict},
    ways::{
        ANY_FAULT, MATHS, called_unevenly, calls_itself, calls_maths, computes_with_floats, ledger, ranked,
        readings, traces,
    },
    witness,
};
use hydrogen_evidence::Call;
use hydrogen_stop::Stop;
use hydrogen_term::{Engine, Limits, standard};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Visits of loop heads up to which loops are taken apart.
const MOST_UNROLLED: usize = 36;
/// The share of the time for the attempt to go piece by piece.
const PIECE_BY_PIECE: f64 = 0.35;
/// The share of the time for the attempt to go step by step.
const IN_STEP: f64 = 0.3;
/// The share of what is left for the attempt to read a loop's variables as values of a recursive function.
const AS_VALUES: f64 = 0.7;

/// What a comparison may use and cost.
#[derive(Debug, Clone)]
pub struct Options {
    /// Functions, by name, of which both versions are known to be equal.
    pub alike: BTreeSet<String>,
    /// Leave out inputs on which the old version is undefined.
    pub assume_defined: bool,
    /// Time for the pair.
    pub time: Duration,
    /// When everything must be over.
    pub deadline: Option<Instant>,
    /// Time for one question to the solver.
    pub question: Duration,
    /// Once it is set, no further pair is begun.
    pub stop: Option<Arc<AtomicBool>>,
    /// Only what leads to most proofs is tried.
    pub quick: bool,
    /// What callees can see and change, where that was worked out before.
    pub reaches: Option<Reaches>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            alike: BTreeSet::new(),
            assume_defined: false,
            time: Duration::from_secs(10),
            deadline: None,
            question: Duration::from_secs(3),
            stop: None,
            quick: false,
            reaches: None,
        }
    }
}

/// Looks for an input on which two functions differ, beginning with the ones that are proposed, and says whether one was found and run.
pub type Refuter<'r> = &'r mut dyn FnMut(&[Call]) -> bool;

/// Tries to prove that two functions are equal.
pub fn compare(old: Subject, new: Subject, options: &Options) -> Verdict {
    compare_or_refute(old, new, options, None)
}

/// As [`compare`]; where a first attempt gives no proof, an input that shows the difference is looked for before more work is done.
pub fn compare_or_refute(old: Subject, new: Subject, options: &Options, refuter: Option<Refuter>) -> Verdict {
    let mut verdict = decide(old, new, options, refuter);
    if let Verdict::Equal(proof) = &mut verdict
        && !options.assume_defined
    {
        proof.ledger.extend(crate::defined::seldom_defined(old));
    }
    verdict
}

fn decide(old: Subject, new: Subject, options: &Options, mut refuter: Option<Refuter>) -> Verdict {
    if let Some(why) = different_signatures(old, new) {
        return Verdict::Open(vec![why]);
    }
    let now = Instant::now();
    let deadline = options.deadline.map_or(now + options.time, |last| last.min(now + options.time));
    if options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        return Verdict::Open(vec!["not looked at any more".to_owned()]);
    }
    if now >= deadline {
        return Verdict::Open(vec!["the time is over".to_owned()]);
    }
    let (mut reasons, mut unsure): (Vec<String>, Option<Candidate>) = (Vec::new(), None);
    // Piece by piece first: that is enough for most changes, and costs no more than the function is large. Then with those callees open that one
    // version calls more often: a call may stand for what the other version does itself.
    let uneven = called_unevenly(old, new, &options.alike);
    let opened = Options { alike: options.alike.difference(&uneven).cloned().collect(), ..options.clone() };
    let ways = [Some(options), Some(&opened).filter(|_| !uneven.is_empty())];
    for options in ways.into_iter().flatten() {
        let left = deadline.saturating_duration_since(Instant::now());
        let end = Instant::now() + left.mul_f64(PIECE_BY_PIECE);
        match in_time(end, || lockstep::prove(old, new, options, end)) {
            Ok(Some(proof)) => return Verdict::Equal(proof),
            Ok(None) => {}
            Err(obstacle) => tracing::debug!("piece by piece: {obstacle}"),
        }
    }
    let options = &opened;
    let recursive = (calls_itself(old), calls_itself(new));
    // A function that calls itself against one that does not: the calls must become jumps.
    let folds = Fold::ALL.into_iter().filter(|fold| fold.may_help(old) || fold.may_help(new));
    let folds: Vec<Jumps> = folds.map(Jumps::Folded).collect();
    let jumps = match recursive {
        (false, false) => [vec![Jumps::Never], folds].concat(),
        (true, true) => [vec![Jumps::Never, Jumps::Last], folds].concat(),
        _ => [folds, vec![Jumps::Last, Jumps::Never]].concat(),
    };
    let mut readings = readings(old, new, &jumps);
    if options.quick {
        readings.truncate(1);
    }
    let has_refuter = refuter.is_some();
    let mut was_searched = false;
    let weight = |turned: bool| if turned { 0.35 } else { 1.0 };
    let ahead: Vec<f64> = readings.iter().map(|&(_, turned)| weight(turned)).collect();
    for (at, (reading, turned)) in readings.into_iter().enumerate() {
        let is_folded = matches!(reading.jumps, Jumps::Folded(_)) || reading != Reading::plain(reading.jumps);
        // What follows reborrows: every attempt may search again, but for those that only read recursion in another way.
        let mut search = |given: &[Call]| {
            was_searched = true;
            // Who runs inputs looks at the clock, and what was found must not be lost.
            refuter.as_mut().is_some_and(|refuter| hydrogen_stop::apart(|| refuter(given)))
        };
        let refuter: Option<Refuter> = match has_refuter && !is_folded {
            true => Some(&mut search),
            false => None,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        // Each way to read them gets its share of the time; those with the versions in the other order less.
        let share = left.mul_f64(weight(turned) / ahead[at..].iter().sum::<f64>());
        let deadline = Instant::now() + share;
        // Where recursion stays what it is, the version that has it is the one whose body is known.
        let turned = turned || reading.jumps == Jumps::Never && recursive == (false, true);
        let tried = match turned && !options.assume_defined {
            true => in_time(deadline, || attempt(new, old, options, reading, deadline, None))
                .map(|tried| tried.map_err(Failed::turned)),
            false => in_time(deadline, || attempt(old, new, options, reading, deadline, refuter)),
        };
        match &tried {
            Ok(Err(Failed::Open(why))) => tracing::debug!("{reading:?}: {}", why.join("; ")),
            Ok(Err(Failed::Candidate(candidate))) => {
                tracing::debug!("{reading:?}: {} may differ", candidate.what)
            }
            Err(obstacle) => tracing::debug!("{reading:?}: {obstacle}"),
            Ok(_) => {}
        }
        match tried {
            Ok(Ok(proof)) => return Verdict::Equal(proof),
            Ok(Err(Failed::Refuted)) => return Verdict::Refuted,
            // Who runs candidates has not found this one to be a difference. Recursion that was read as something else may not be that.
            Ok(Err(Failed::Candidate(candidate))) if candidate.sure && !has_refuter && !is_folded => {
                return Verdict::Candidate(candidate);
            }
            Ok(Err(Failed::Candidate(candidate))) => unsure = unsure.or(Some(candidate)),
            Ok(Err(Failed::Open(why))) => reasons.extend(why),
            Err(obstacle) => reasons.push(obstacle.to_string()),
        }
    }
    // Where the time was over before anything was tried, a few inputs may tell more.
    if !was_searched && refuter.is_some_and(|refuter| refuter(&[])) {
        return Verdict::Refuted;
    }
    reasons.dedup();
    match unsure {
        Some(candidate) => Verdict::Candidate(candidate),
        None => Verdict::Open(reasons),
    }
}

/// Work that is left when the time is over, in the middle of a term if need be.
fn in_time<T>(end: Instant, work: impl FnOnce() -> Result<T, Obstacle>) -> Result<T, Obstacle> {
    hydrogen_stop::within(&Stop::at(end), work).unwrap_or_else(|_| Err(Obstacle::new("the time is over")))
}

/// What an attempt ends with that gives no proof.
enum Failed {
    Refuted,
    Candidate(Candidate),
    Open(Vec<String>),
}

impl Failed {
    /// Of the versions in the other order only a proof counts.
    fn turned(self) -> Self {
        match self {
            Failed::Candidate(_) => Failed::Open(Vec::new()),
            other => other,
        }
    }
}

fn attempt(
    old: Subject,
    new: Subject,
    options: &Options,
    reading: Reading,
    deadline: Instant,
    mut refuter: Option<Refuter>,
) -> Result<Result<Proof, Failed>, Obstacle> {
    let Prepared { old: old_code, new: new_code, mut context, lemmas, old_addresses, new_addresses } =
        prepare(old, new, &options.alike, options.reaches.clone(), reading.jumps)?;
    context.small_objects = reading.small_objects;
    context.deadline = Some(deadline);
    let loops = reading.loops;
    let old_runner =
        Runner { code: &old_code, side: Side::Old, addresses: old_addresses, loops, reader: None };
    let new_runner =
        Runner { code: &new_code, side: Side::New, addresses: new_addresses, loops, reader: None };
    let is_closed = loops == Loops::Closed;
    let any_loops = !old_code.heads.is_empty() || !new_code.heads.is_empty();
    let has_loops = any_loops && !is_closed;
    let limits = Limits { time: options.question, ..Limits::default() };
    let mut engine = Engine::new(standard(), limits).alone();
    engine.set_deadline(deadline);
    let shared = context.shared.clone();
    let mut prover = Prover::new(&mut context, &mut engine, old_runner, new_runner, deadline);
    prover.assume_defined = options.assume_defined;
    prover.unfolds = reading.jumps == Jumps::Never;
    let has_floats = computes_with_floats(&old_code) || computes_with_floats(&new_code);
    let proof = |prover: &Prover, alignment: &Alignment, relations: &BTreeMap<Places, Relation>| {
        let by_induction = has_loops && alignment.stride == 1;
        let method = match (by_induction, prover.asked) {
            (_, 0) => Method::SameForm,
            (false, _) => Method::Paths,
            (true, _) => Method::Induction,
        };
        let mut ledger =
            ledger(by_induction || (any_loops && is_closed) || calls_itself(old), has_floats, options);
        if reading.small_objects {
            ledger.push("no object has 2147483647 bytes or more".to_owned());
        }
        if calls_maths(&old_code) || calls_maths(&new_code) {
            ledger.push(MATHS.to_owned());
        }
        if !prover.kinds_of_faults {
            ledger.insert(0, ANY_FAULT.to_owned());
        }
        let certificate = Relations::new(
            (old, new),
            &lemmas,
            (reading, Vec::new()),
            options.assume_defined,
            alignment,
            relations,
        )
        .map(Certificate::Relations);
        let (obligations, asked) = (prover.obligations, prover.asked);
        Proof { method, lemmas: lemmas.clone(), ledger, obligations, asked, certificate }
    };
    if has_loops {
        // Most changes leave the loops as they were: both versions step by step, what names and first values suggest.
        let in_step = Alignment { lead: Side::New, steps: BTreeMap::new(), stride: 1 };
        let mut relations = BTreeMap::from([((Target::Entry, Target::Entry), Relation::default())]);
        let left = deadline.saturating_duration_since(Instant::now());
        prover.deadline = Instant::now() + left.mul_f64(IN_STEP);
        prover.engine.set_deadline(prover.deadline);
        prover.by_form = true;
        if let Ok(()) = prover.attempt(&in_step, &mut relations)? {
            return Ok(Ok(proof(&prover, &in_step, &relations)));
        }
        prover.by_form = false;
        if prover.unfolds && old_code.heads.is_empty() && calls_itself(old) && prover.always_ends() {
            // The loop's variables may be values of the recursive function.
            let left = deadline.saturating_duration_since(Instant::now());
            prover.deadline = Instant::now() + left.mul_f64(AS_VALUES);
            prover.engine.set_deadline(prover.deadline);
            let mut relations = BTreeMap::from([((Target::Entry, Target::Entry), Relation::default())]);
            if let Ok(()) = prover.attempt(&in_step, &mut relations)? {
                return Ok(Ok(proof(&prover, &in_step, &relations)));
            }
        }
    }
    if options.quick && has_loops {
        return Ok(Err(Failed::Open(vec!["not decided at first sight".to_owned()])));
    }
    let (old_traces, new_traces) = match has_loops {
        true => traces(prover.context, old.module, &prover.old, &prover.new)?,
        false => (Vec::new(), Vec::new()),
    };
    let mut alignments = ranked(&old_code, &new_code, &old_traces, &new_traces);
    if alignments.is_empty() {
        alignments.push(Alignment { lead: Side::New, steps: BTreeMap::new(), stride: 1 });
    }
    // Loops that always end soon need no induction.
    let longest = old_traces.iter().chain(&new_traces).map(Vec::len).max().unwrap_or(0);
    if has_loops && longest <= MOST_UNROLLED {
        alignments.push(Alignment { lead: Side::New, steps: BTreeMap::new(), stride: longest + 1 });
    }
    let kept: BTreeSet<(Side, Var)> = prover.first_values()?.into_keys().collect();
    let inputs: Vec<data::Row> = old_traces.iter().map(crate::sums::inputs).collect();
    let mut reasons = Vec::new();
    let mut unsure = None;
    // First with arithmetic on floating-point numbers as it stands there, then, if there is any, looking into it.
    let passes: &[bool] = if has_floats { &[false, true] } else { &[false] };
    let mut attempts: Vec<(bool, bool, &Alignment)> =
        passes.iter().flat_map(|&exact| alignments.iter().map(move |one| (exact, false, one))).collect();
    // Then with sums of products, which would only be in the way of most proofs.
    if has_loops {
        attempts.extend(alignments.iter().filter(|one| one.stride == 1).map(|one| (false, true, one)));
    }
    for (at, &(exact, has_sums, alignment)) in attempts.iter().enumerate() {
        // A hopeless alignment must not take the time of the others, and some is left to look for a difference.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left.mul_f64(0.8 / (attempts.len() - at) as f64);
        prover.deadline = Instant::now() + share;
        prover.exact = exact;
        prover.kinds_of_faults = !is_closed;
        prover.engine.set_deadline(prover.deadline);
        prover.by_algebra = has_sums;
        let mut any_sums = false;
        let rows = candidates::rows(alignment, &old_traces, &new_traces);
        let came_in = candidates::came_in(alignment, &old_traces, &new_traces);
        let mut relations: BTreeMap<Places, Relation> = BTreeMap::new();
        relations.insert((Target::Entry, Target::Entry), Relation::default());
        for (&places, rows) in rows.iter().filter(|_| alignment.stride == 1) {
            if places != (Target::Entry, Target::Entry) && is_cut(places) {
                let mut relation = candidates::relation(&old_code, &new_code, places, rows);
                let samples: Vec<crate::sums::Sample> = rows
                    .iter()
                    .zip(&came_in[&places])
                    .map(|((old, new), &run)| (old, new, &inputs[run]))
                    .collect();
                let (olds, news) =
                    (variables::variables(&old_code, places.0), variables::variables(&new_code, places.1));
                if has_sums {
                    relation.sums = crate::sums::sums(&samples, &olds, &news).into_iter().collect();
                    any_sums |= !relation.sums.is_empty();
                }
                relation.objects = shared.clone();
                relation.kept = kept.clone();
                relation.spilled = prover.spillable(places, &relation);
                relations.insert(places, relation);
            }
        }
        if has_sums && !any_sums {
            continue;
        }
        match prover.attempt(alignment, &mut relations)? {
            Ok(()) => return Ok(Ok(proof(&prover, alignment, &relations))),
            Err(failure) => {
                let words = match &failure {
                    Failure::Refuted(words) => format!("not shown to be equal: {words}"),
                    Failure::Undecided(words) => format!("not decided: {words}"),
                };
                if !reasons.contains(&words) {
                    reasons.push(words);
                }
            }
        }
        if options.quick {
            return Ok(Err(Failed::Open(reasons)));
        }
        if is_closed {
            continue;
        }
        // Trying a few inputs is cheaper than a second alignment.
        if at == 0 {
            if let Some(refuter) = &mut refuter {
                if refuter(&[]) {
                    return Ok(Err(Failed::Refuted));
                }
                continue;
            }
            let runners = (&prover.old, &prover.new);
            match witness::tries(prover.context, old.module, runners, options.assume_defined, deadline)? {
                Some(found) if found.sure => return Ok(Err(Failed::Candidate(found))),
                found => unsure = found,
            }
        }
    }
    if is_closed {
        return Ok(Err(Failed::Open(reasons)));
    }
    let Prover { old: old_runner, new: new_runner, .. } = prover;
    engine.set_deadline(deadline);
    let runners = (&old_runner, &new_runner);
    let found = witness::solved(&mut context, &mut engine, old.module, runners, options.assume_defined);
    Ok(Err(match found.ok().flatten().or(unsure) {
        Some(candidate)
            if refuter
                .as_mut()
                .is_some_and(|refuter| refuter(&[crate::outcome::call_of(old, &candidate.arguments)])) =>
        {
            Failed::Refuted
        }
        Some(candidate) => Failed::Candidate(candidate),
        None => Failed::Open(reasons),
    }))
}
