//! Differential symbolic execution: what a function does, case by case, with common code as unknown functions (B13, B14).
//!
//! [`cases`] lists what a function gives back under which condition, where some of its callees stay closed: they are unknown functions of their arguments.
//! [`deltas`] looks for the last place that all runs of two versions pass, in the same state: what is computed before it is common, and each variable there is
//! an unknown function of the parameters. Cases behind it that differ are the delta. Whether there is an input in it is asked with the common code opened.

use crate::{
    Obstacle, Side,
    code::{Code, Jumps, Var},
    context::Context,
    entry::initial,
    pair::Options,
    prepare::{Prepared, prepare},
    segment::{Loops, Runner, Segment, Target},
    state::{State, Value},
    subject::Subject,
    variables::number,
};
use hydrogen_term::{Answer, Engine, Limits, Model, Op, Substitution, Term, standard};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that are told apart.
const MOST: usize = 64;

/// What a function gives back, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The condition, as in C.
    pub when: String,
    /// The result, as in C.
    pub gives: String,
}

/// Cases of both versions that differ behind what is common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The condition that both cases share.
    pub when: String,
    /// What the old version gives.
    pub old: String,
    /// What the new version gives.
    pub new: String,
    /// What an input that shows the difference must fulfil.
    pub witness: String,
    /// Whether it contains code that is common to both and was not looked into; else every input in it shows the difference.
    pub is_open: bool,
    /// Whether there may be one, once the common code is looked into.
    pub is_possible: bool,
    /// Such an input, by the names of parameters, where there is one.
    pub input: Option<Vec<(String, i128)>>,
}

/// Two versions behind what they have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deltas {
    /// The cases of the old version.
    pub old: Vec<Case>,
    /// The cases of the new version.
    pub new: Vec<Case>,
    /// Where they differ.
    pub deltas: Vec<Delta>,
}

/// A condition and a result.
type Row = (Vec<Term>, Term);

/// The cases of a function up to some turns of its loops, with these functions closed.
pub fn cases(subject: Subject, closed: &BTreeSet<String>, turns: usize) -> Result<Vec<Case>, Obstacle> {
    let options = Options { alike: closed.clone(), ..Options::default() };
    let Prepared { old, mut context, old_addresses, .. } =
        prepare(subject, subject, &options.alike, options.reaches.clone(), Jumps::Never)?;
    let runner =
        Runner { code: &old, side: Side::Old, addresses: old_addresses, loops: Loops::Cut, reader: None };
    let mut state = initial(&mut context, &runner);
    rename_parameters(&mut context, &runner, &mut state);
    let mut places: Vec<(Target, Vec<Term>, State)> = vec![(Target::Entry, Vec::new(), state)];
    let mut rows = Vec::new();
    for _ in 0..=turns {
        for (at, path, state) in std::mem::take(&mut places) {
            let segment = runner.advance(&mut context, at, state, 1)?;
            rows.extend(returned(&mut context, &path, &segment));
            let heads: Vec<Term> =
                segment.ends.iter().map(|end| without_faults(&mut context, end.guard, &segment)).collect();
            let ends = segment.ends.into_iter().zip(heads);
            for (end, guard) in ends.filter(|(end, _)| matches!(end.target, Target::Head(_))) {
                let mut path = path.clone();
                path.push(guard);
                places.push((end.target, path, end.state));
            }
        }
    }
    let shown = rows.into_iter().filter_map(|row| shown(&mut context, row));
    Ok(shown.collect())
}

/// The delta of two versions of a function, behind what they have in common; none where nothing is, or where it is not reached by every run.
pub fn deltas(old: Subject, new: Subject) -> Result<Option<Deltas>, Obstacle> {
    let Prepared { old: mut a, new: mut b, mut context, old_addresses, new_addresses, .. } =
        prepare(old, new, &BTreeSet::new(), None, Jumps::Never)?;
    let own = |code: &Code| -> Vec<usize> {
        let mut nodes: Vec<usize> =
            (1..code.nodes.len()).filter(|&node| code.nodes[node].frame == 0).collect();
        nodes.retain(|&node| code.position[node] != usize::MAX);
        nodes.sort_by_key(|&node| std::cmp::Reverse(code.position[node]));
        nodes
    };
    let (olds, news) = (own(&a), own(&b));
    // The later the place, the more is common.
    for &left in &olds {
        let Some(before) = arriving(&mut context, &mut a, left, Side::Old, &old_addresses)? else { continue };
        for &right in &news {
            let Some(other) = arriving(&mut context, &mut b, right, Side::New, &new_addresses)? else {
                continue;
            };
            if let Some(common) = common(&mut context, (&a, &before), (&b, &other)) {
                let places = (Target::Head(left), Target::Head(right));
                a.heads.insert(left);
                b.heads.insert(right);
                let runners = (
                    Runner {
                        code: &a,
                        side: Side::Old,
                        addresses: old_addresses,
                        loops: Loops::Cut,
                        reader: None,
                    },
                    Runner {
                        code: &b,
                        side: Side::New,
                        addresses: new_addresses,
                        loops: Loops::Cut,
                        reader: None,
                    },
                );
                return behind(&mut context, (&runners.0, &runners.1), places, (before, other), &common)
                    .map(Some);
            }
        }
    }
    Ok(None)
}

/// The delta of two versions of a function: behind what they have in common, or else of their whole bodies. Functions that are the same
/// in both versions stay closed at first, and are opened where a delta cannot be decided without. None where a loop stands in the way.
pub fn differences(
    old: Subject,
    new: Subject,
    common: &BTreeSet<String>,
) -> Result<Option<Deltas>, Obstacle> {
    if let Some(found) = deltas(old, new)? {
        return Ok(Some(found));
    }
    let Some(mut found) = from_entry(old, new, common)? else { return Ok(None) };
    if found.deltas.iter().any(|delta| delta.is_open) {
        let opened = from_entry(old, new, &BTreeSet::new())?;
        for delta in found.deltas.iter_mut().filter(|delta| delta.is_open) {
            let inputs = |opened: &Deltas| opened.deltas.iter().find_map(|one| one.input.clone());
            delta.input = opened.as_ref().and_then(inputs);
            // What is not shown by an input is possible, unless nothing is.
            delta.is_possible =
                opened.as_ref().is_none_or(|all| all.deltas.iter().any(|one| one.is_possible));
        }
    }
    Ok(Some(found))
}

/// The delta of two whole bodies.
fn from_entry(old: Subject, new: Subject, closed: &BTreeSet<String>) -> Result<Option<Deltas>, Obstacle> {
    let options = Options { alike: closed.clone(), ..Options::default() };
    let Prepared { old: a, new: b, mut context, old_addresses, new_addresses, .. } =
        prepare(old, new, &options.alike, options.reaches.clone(), Jumps::Never)?;
    let runner = |code, side, addresses| Runner { code, side, addresses, loops: Loops::Cut, reader: None };
    let runners = (runner(&a, Side::Old, old_addresses), runner(&b, Side::New, new_addresses));
    let [before, other] = [&runners.0, &runners.1].map(|runner| {
        let mut state = initial(&mut context, runner);
        rename_parameters(&mut context, runner, &mut state);
        state
    });
    for (runner, state) in [(&runners.0, &before), (&runners.1, &other)] {
        let segment = runner.advance(&mut context, Target::Entry, state.clone(), 1)?;
        let gives = |end: &crate::segment::End| {
            end.target == Target::Return && matches!(end.result, Some(Value::Bits(..)))
        };
        if segment.ends.is_empty() || !segment.ends.iter().all(gives) {
            return Ok(None);
        }
    }
    let places = (Target::Entry, Target::Entry);
    behind(&mut context, (&runners.0, &runners.1), places, (before, other), &BTreeMap::new()).map(Some)
}

/// The state in which every run arrives at a node; none where some do not, or it is a loop.
fn arriving(
    context: &mut Context,
    code: &mut Code,
    node: usize,
    side: Side,
    addresses: &[u64],
) -> Result<Option<State>, Obstacle> {
    if code.heads.contains(&node) {
        return Ok(None);
    }
    code.heads.insert(node);
    let runner = Runner { code, side, addresses: addresses.to_vec(), loops: Loops::Cut, reader: None };
    let mut state = initial(context, &runner);
    rename_parameters(context, &runner, &mut state);
    let segment = runner.advance(context, Target::Entry, state, 1);
    code.heads.remove(&node);
    let mut segment = segment?;
    let is_whole = segment.faults.is_empty() && segment.ends.len() == 1;
    let always = segment.ends.first().is_some_and(|end| context.pool.as_bool(end.guard) == Some(true));
    let arrives = segment.ends.first().is_some_and(|end| end.target == Target::Head(node));
    Ok((is_whole && always && arrives).then(|| segment.ends.remove(0).state))
}

/// Parameters have their names, for people.
fn rename_parameters(context: &mut Context, runner: &Runner, state: &mut State) {
    let function = runner.code.module.function(runner.code.frames[0].function);
    for (n, parameter) in (0..).zip(&function.parameters) {
        if let Some(Value::Bits(term, _)) = state.values.get_mut(&Var::Parameter(0, n)) {
            *term = context.pool.var(&parameter.name, context.pool.sort(*term));
        }
    }
}

/// The variables that both versions read behind the place, with what they hold; none unless they hold the same.
fn common(
    context: &mut Context,
    (old, before): (&Code, &State),
    (new, other): (&Code, &State),
) -> Option<BTreeMap<String, Term>> {
    let named = |code: &Code, state: &State| -> Option<BTreeMap<String, Term>> {
        let name = |var: &Var| match var {
            Var::Slot(slot) => Some(code.homes.slots[*slot as usize].name.clone()),
            _ => None,
        };
        let pairs = state.values.keys().filter(|var| !matches!(var, Var::Parameter(..)));
        pairs.map(|var| Some((name(var)?, number(state, *var)?))).collect()
    };
    let (a, b) = (named(old, before)?, named(new, other)?);
    let same =
        [before.public, before.world] == [other.public, other.world] && before.objects == other.objects;
    // A variable that only one of them reads on is no matter; one that both read must be the same.
    let agree = a.iter().all(|(name, term)| b.get(name).is_none_or(|other| other == term));
    let any =
        a.values().any(|term| context.pool.as_bits(*term).is_none() && context.pool.as_var(*term).is_none());
    (same && agree && any).then(|| a.into_iter().chain(b).collect())
}

fn behind(
    context: &mut Context,
    (old, new): (&Runner, &Runner),
    places: (Target, Target),
    (mut before, mut other): (State, State),
    common: &BTreeMap<String, Term>,
) -> Result<Deltas, Obstacle> {
    let mut opened = Substitution::default();
    let mut symbols = BTreeMap::new();
    let function = old.code.module.function(old.code.frames[0].function);
    let of: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    for (name, &term) in common {
        if context.pool.as_bits(term).is_some() || context.pool.as_var(term).is_some() {
            continue;
        }
        let symbol = context.pool.var(&format!("{name}({})", of.join(", ")), context.pool.sort(term));
        opened.insert(symbol, term);
        symbols.insert(name.clone(), symbol);
    }
    for (runner, state) in [(old, &mut before), (new, &mut other)] {
        for (var, value) in &mut state.values {
            if let (Var::Slot(slot), Value::Bits(term, _)) = (var, value) {
                let name = &runner.code.homes.slots[*slot as usize].name;
                *term = symbols.get(name).copied().unwrap_or(*term);
            }
        }
    }
    let a = old.advance(context, places.0, before, 1)?;
    let b = new.advance(context, places.1, other, 1)?;
    let (olds, news) = (returned(context, &[], &a), returned(context, &[], &b));
    let defined: Vec<Term> =
        a.faults.iter().chain(&b.faults).map(|fault| context.pool.not(fault.guard)).collect();
    let mut engine = Engine::new(standard(), Limits::default()).alone();
    let mut deltas = Vec::new();
    for (when, gives) in &olds {
        for (other, instead) in &news {
            let both: Vec<Term> = when.iter().chain(other).copied().collect();
            let both = context.pool.and_all(both);
            if gives == instead || !matches!(engine.check(&mut context.pool, &[both]), Answer::Sat(_)) {
                continue;
            }
            let differ = context.pool.ne(*gives, *instead);
            let witness = context.pool.and(both, differ);
            let all: Vec<Term> = defined.iter().copied().chain([witness]).collect();
            let mut opened = opened.clone();
            let all: Vec<Term> =
                all.into_iter().map(|one| context.pool.substitute_with(one, &mut opened)).collect();
            let answer = engine.check(&mut context.pool, &all);
            let (is_possible, mut input) = (!matches!(answer, Answer::Unsat), None);
            let unknown = |context: &Context, terms: &[Term]| {
                let all = context.pool.postorder(terms);
                all.into_iter().any(|term| matches!(context.pool.op(term), Op::Apply(_)))
            };
            if let Answer::Sat(model) = &answer
                && !unknown(context, &all)
            {
                input = Some(parameters(context, &of, model));
            }
            deltas.push(Delta {
                is_open: unknown(context, &[witness]) || common_in(context, witness, &symbols),
                input,
                when: words(context, both),
                old: words(context, *gives),
                new: words(context, *instead),
                witness: words(context, witness),
                is_possible,
            });
        }
    }
    let all = |context: &mut Context, rows: Vec<Row>| {
        rows.into_iter().filter_map(|row| shown(context, row)).collect()
    };
    Ok(Deltas { old: all(context, olds), new: all(context, news), deltas })
}

/// Whether a term mentions something that is common to both versions.
fn common_in(context: &Context, term: Term, symbols: &BTreeMap<String, Term>) -> bool {
    context.pool.postorder(&[term]).into_iter().any(|one| symbols.values().any(|symbol| *symbol == one))
}

/// What a model says of parameters, as signed numbers.
fn parameters(context: &Context, names: &[&str], model: &Model) -> Vec<(String, i128)> {
    let value = |name: &&str| {
        let found = model.variables.iter().find(|(term, _)| context.pool.as_var(**term) == Some(*name));
        match found {
            Some((_, hydrogen_term::Value::Bits { width, value }))
                if *width < 128 && *value >> (width - 1) == 1 =>
            {
                *value as i128 - (1i128 << width)
            }
            Some((_, value)) => value.as_bits().unwrap_or(0) as i128,
            None => 0,
        }
    };
    names.iter().map(|name| ((*name).to_owned(), value(name))).collect()
}

/// What is given back, one row for each way that the result is chosen by.
fn returned(context: &mut Context, path: &[Term], segment: &Segment) -> Vec<Row> {
    let mut rows = Vec::new();
    for end in segment.ends.iter().filter(|end| end.target == Target::Return) {
        let Some(Value::Bits(result, _)) = end.result else { continue };
        let bare = without_faults(context, end.guard, segment);
        let mut open: Vec<Row> = vec![(path.iter().copied().chain([bare]).collect(), result)];
        while let Some((when, gives)) = open.pop() {
            if context.pool.op(gives) != Op::Ite || rows.len() + open.len() > MOST {
                rows.push((when, gives));
                continue;
            }
            let [condition, then, otherwise] = *context.pool.args(gives) else { continue };
            let denied = context.pool.not(condition);
            for (condition, gives) in [(denied, otherwise), (condition, then)] {
                let mut when = when.clone();
                when.push(condition);
                open.push((when, gives));
            }
        }
    }
    rows
}

/// The condition of an end, whatever may go wrong: of one end alone there is none, and closed functions are taken to do what they should.
fn without_faults(context: &mut Context, guard: Term, segment: &Segment) -> Term {
    if segment.ends.len() == 1 {
        return context.pool.bool(true);
    }
    let never = context.pool.bool(false);
    let mut fine = Substitution::default();
    for term in context.pool.postorder(&[guard]) {
        if let Op::Apply(function) = context.pool.op(term)
            && context.pool.function_name(function).ends_with(" faults")
        {
            fine.insert(term, never);
        }
    }
    context.pool.substitute_with(guard, &mut fine)
}

/// A term as in C. Functions with a single result are called by their names alone.
fn words(context: &Context, term: Term) -> String {
    context.pool.to_c(term).replace(" 0(", "(")
}

fn shown(context: &mut Context, (when, gives): Row) -> Option<Case> {
    let when = context.pool.and_all(when);
    let when = match context.pool.as_bool(when) {
        Some(false) => return None,
        Some(true) => "true".to_owned(),
        None => words(context, when),
    };
    Some(Case { when, gives: words(context, gives) })
}
