//! Whole programs, function by function, callees before callers.

use crate::{
    context::Side,
    effects::Reaches,
    pair::{Options, compare_or_refute},
    subject::Subject,
    verdict::{Method, Proof, Verdict},
};
use hydrogen_align::{Laid, Roster, changed_variables};
use hydrogen_evidence::Call;
use hydrogen_flow::{Components, Digraph};
use hydrogen_flow::{all_pointed, called, calls_pointers, pointed};
use hydrogen_ir::{FunctionId, Module};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

/// How much more than its part of what is left a function may take, and what it has in any case.
const FAIR: f64 = 4.0;
const LEAST: Duration = Duration::from_millis(300);
/// The same for a first look, which all get.
const QUICK: f64 = 0.4;
const QUICK_LEAST: Duration = Duration::from_millis(150);

/// What is said of one function of a program.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its name, with its file where several functions have the name.
    pub name: String,
    /// In the old program.
    pub old: FunctionId,
    /// In the new program.
    pub new: FunctionId,
    /// Whether its own code changed.
    pub changed: bool,
    /// The verdict.
    pub verdict: Verdict,
}

/// Two programs and what is known of their functions.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The functions that both define and that were asked for, in order of their names.
    pub judged: Vec<Judged>,
    /// Functions that only the old program defines.
    pub removed: Vec<String>,
    /// Functions that only the new program defines.
    pub added: Vec<String>,
    /// Variables whose initial value, size or kind changed. Functions are compared for every value that variables may hold, so this is
    /// a change of its own.
    pub variables: Vec<String>,
}

/// Compares two programs. Without a list of names, the functions whose own code changed are judged; what they call is looked at as far as needed.
/// `refute` is asked for a difference that it has run, where a first attempt gives no proof.
pub fn compare_programs(
    old: &Module,
    new: &Module,
    wanted: Option<&BTreeSet<String>>,
    options: &Options,
    mut progress: impl FnMut(&str),
    mut refute: impl FnMut(FunctionId, FunctionId, &[Call]) -> bool,
) -> Comparison {
    let laid = Laid::of(old, new);
    let Roster { old: olds, new: news, mut same, ambiguous, untouched } = Roster::of(old, new);
    // What is written in the same way does the same only where names mean the same places.
    same.retain(|name| laid.as_ref().is_none_or(|laid| !laid.touches(olds[name], news[name])));
    let untouched = if laid.is_some() { BTreeSet::new() } else { untouched };
    let mut comparison = Comparison {
        judged: Vec::new(),
        removed: olds.keys().filter(|name| !news.contains_key(*name)).cloned().collect(),
        added: news.keys().filter(|name| !olds.contains_key(*name)).cloned().collect(),
        variables: changed_variables(old, new),
    };
    let names: Vec<String> = olds.keys().filter(|name| news.contains_key(*name)).cloned().collect();
    let number: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    // Who calls whom in either version, through functions that only one of them has.
    let mut edges = BTreeSet::new();
    for (module, functions) in [(old, &olds), (new, &news)] {
        let key_of: BTreeMap<FunctionId, &str> =
            functions.iter().map(|(name, &id)| (id, name.as_str())).collect();
        for (at, name) in names.iter().enumerate() {
            let mut seen = BTreeSet::new();
            let mut open = vec![functions[name]];
            while let Some(id) = open.pop() {
                for callee in called(module, id).union(&pointed(module, id)).copied() {
                    match key_of.get(&callee).and_then(|name| number.get(name)) {
                        Some(&to) => drop(edges.insert((at, to))),
                        None if seen.insert(callee) => open.push(callee),
                        None => {}
                    }
                }
            }
        }
    }
    let calls: Vec<BTreeSet<usize>> =
        (0..names.len()).map(|at| edges.range((at, 0)..(at + 1, 0)).map(|&(_, to)| to).collect()).collect();
    let components = Components::of(&Digraph::unlabelled(names.len(), edges.iter().copied()));
    let is_wanted = |name: &String| match wanted {
        Some(wanted) => wanted.contains(name) || wanted.contains(old.function(olds[name]).name.as_str()),
        None => !same.contains(name) && !untouched.contains(name),
    };
    let needed = needed(&names, &calls, is_wanted);
    let mut options = options.clone();
    options.reaches = Some(Reaches::of(old, new));
    let (seen_old, seen_new) = laid.as_ref().map_or((old, new), |laid| (&laid.old, &laid.new));
    let unfit = unfit(laid.as_ref(), (old, &olds), (new, &news), &names);
    let judge = |at: usize, options: &Options, refute: Option<crate::Refuter>| {
        let name = &names[at];
        if ambiguous.contains(name) {
            return Verdict::Open(vec!["several functions of this name are not told apart".to_owned()]);
        }
        let (one, other) = (olds[name], news[name]);
        if let Some(why) = &unfit[at] {
            return Verdict::Open(vec![why.clone()]);
        }
        let one = Subject { module: seen_old, function: one };
        let other = Subject { module: seen_new, function: other };
        compare_or_refute(one, other, options, refute)
    };
    let mut alike: BTreeSet<String> = BTreeSet::new();
    let mut verdicts: BTreeMap<usize, Verdict> = BTreeMap::new();
    // Where there is a time for all, what is easy comes first: a few hard functions must not take the time of all others.
    let passes: &[bool] = if options.deadline.is_some() { &[true, false] } else { &[false] };
    for &is_quick in passes {
        let is_ahead = |at: &&usize| is_wanted(&names[**at]) && !verdicts.contains_key(at);
        let mut ahead = needed.iter().filter(is_ahead).count();
        for members in components.bottom_up() {
            let is_done = members.iter().all(|member| verdicts.contains_key(member));
            if is_done || !members.iter().any(|member| needed.contains(member)) {
                continue;
            }
            let outside =
                members.iter().flat_map(|&member| &calls[member]).filter(|callee| !members.contains(callee));
            let settled = outside.into_iter().all(|&callee| alike.contains(&names[callee]));
            let group: BTreeSet<String> = members.iter().map(|&member| names[member].clone()).collect();
            let mut found: Vec<(usize, Verdict)> = Vec::new();
            for &member in members {
                let name = &names[member];
                if same.contains(name) && settled && group.iter().all(|one| same.contains(one)) {
                    found.push((member, Verdict::Equal(same_proof())));
                    continue;
                }
                if same.contains(name) && !settled && !is_wanted(name) {
                    // Nobody asks for it, and it does what its callees do: it is opened where it is called.
                    found.push((
                        member,
                        Verdict::Open(vec!["what it calls is not known to be equal".to_owned()]),
                    ));
                    continue;
                }
                progress(name);
                let mut options = options.clone();
                options.alike = alike.union(&group).cloned().collect();
                options.quick = is_quick;
                if let Some(end) = options.deadline {
                    let left = end.saturating_duration_since(Instant::now());
                    let (fair, least) = if is_quick { (QUICK, QUICK_LEAST) } else { (FAIR, LEAST) };
                    let part = left.mul_f64((fair / ahead.max(1) as f64).min(1.0));
                    options.time = options.time.min(part.max(least));
                }
                ahead = ahead.saturating_sub(1);
                let (one, other) = (olds[name], news[name]);
                let mut search = |given: &[Call]| refute(one, other, given);
                let refuter: Option<crate::Refuter> = if is_quick { None } else { Some(&mut search) };
                found.push((member, judge(member, &options, refuter)));
            }
            // Recursive functions used each other's equality: it holds for all of them, or is not shown for any.
            let all = found.iter().all(|(_, verdict)| matches!(verdict, Verdict::Equal(_)));
            if is_quick && !all {
                continue;
            }
            for (member, verdict) in found {
                let verdict = match verdict {
                    Verdict::Equal(_) if !all => Verdict::Open(vec![
                        "equal only if the functions that it calls in a circle are".to_owned(),
                    ]),
                    verdict => verdict,
                };
                if matches!(verdict, Verdict::Equal(_)) {
                    alike.insert(names[member].clone());
                }
                verdicts.insert(member, verdict);
            }
        }
    }
    let assumed: BTreeMap<usize, Vec<String>> = verdicts
        .iter()
        .filter_map(|(at, verdict)| match verdict {
            Verdict::Equal(proof) => Some((*at, proof.ledger.clone())),
            _ => None,
        })
        .collect();
    for (at, mut verdict) in verdicts {
        if let Verdict::Equal(proof) = &mut verdict {
            inherit(&mut proof.ledger, &reached(&calls, at), &assumed);
        }
        let name = names[at].clone();
        let changed = !same.contains(&name);
        if is_wanted(&name) {
            comparison.judged.push(Judged { old: olds[&name], new: news[&name], name, changed, verdict });
        }
    }
    let not_alike: BTreeSet<usize> =
        (0..names.len()).filter(|&at| !same.contains(&names[at]) && !alike.contains(&names[at])).collect();
    let doubtful = doubtful((old, &olds), (new, &news), &names, &calls, &not_alike);
    for judged in &mut comparison.judged {
        let Some(&at) = number.get(judged.name.as_str()) else { continue };
        let calls_pointers =
            |at: &usize| calls_pointers(old, olds[&names[*at]]) || calls_pointers(new, news[&names[*at]]);
        if let Verdict::Equal(proof) = &mut judged.verdict
            && !doubtful.is_empty()
            && reached(&calls, at).iter().any(calls_pointers)
        {
            let shown: Vec<String> = doubtful.iter().take(3).map(|name| format!("`{name}`")).collect();
            let more = if doubtful.len() > 3 { ", …" } else { "" };
            proof.ledger.push(format!(
                "what is called through a pointer does the same; that is not shown of {}{more}",
                shown.join(", ")
            ));
        }
    }
    comparison.judged.sort_by(|a, b| a.name.cmp(&b.name));
    comparison
}

/// Functions that cannot be compared by the names of members, or that lead to such functions: proofs would look inside of these.
pub(crate) fn unfit(
    laid: Option<&Laid>,
    old: Functions,
    new: Functions,
    names: &[String],
) -> Vec<Option<String>> {
    let Some(laid) = laid else { return vec![None; names.len()] };
    let of = |(module, functions): Functions, side: Side, name: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![functions[name]]);
        while let Some(id) = open.pop() {
            if let Some(why) = laid.obstacle(usize::from(side == Side::New), id) {
                return Some(why);
            }
            if seen.insert(id) {
                open.extend(called(module, id).union(&pointed(module, id)));
            }
        }
        None
    };
    names.iter().map(|name| of(old, Side::Old, name).or_else(|| of(new, Side::New, name))).collect()
}

pub(crate) type Functions<'p> = (&'p Module, &'p BTreeMap<String, FunctionId>);

/// The functions that may be called through a pointer and are not known to be equal.
fn doubtful(
    old: Functions,
    new: Functions,
    names: &[String],
    calls: &[BTreeSet<usize>],
    not_alike: &BTreeSet<usize>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let pointed = [old, new].map(|(module, functions)| (all_pointed(module), functions));
    for (at, name) in names.iter().enumerate() {
        if pointed.iter().any(|(all, functions)| all.contains(&functions[name]))
            && !reached(calls, at).is_disjoint(not_alike)
        {
            found.insert(name.clone());
        }
    }
    // One that a version has alone has nothing to be equal to.
    let known: BTreeSet<&String> = names.iter().collect();
    for (all, functions) in &pointed {
        let alone = functions.iter().filter(|(name, id)| !known.contains(name) && all.contains(*id));
        found.extend(alone.map(|(name, _)| name.clone()));
    }
    found
}

/// What the proofs of callees rest on, a caller's proof rests on.
fn inherit(ledger: &mut Vec<String>, callees: &BTreeSet<usize>, assumed: &BTreeMap<usize, Vec<String>>) {
    for line in callees.iter().filter_map(|callee| assumed.get(callee)).flatten() {
        if !ledger.contains(line) {
            ledger.push(line.clone());
        }
    }
}

/// A function and all that it calls.
fn reached(calls: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&calls[at]);
        }
    }
    found
}

fn same_proof() -> Proof {
    Proof {
        method: Method::SameCode,
        lemmas: Vec::new(),
        ledger: Vec::new(),
        obligations: 0,
        asked: 0,
        certificate: None,
    }
}

/// The functions to look at: those that are judged and everything that they call.
fn needed(
    names: &[String],
    calls: &[BTreeSet<usize>],
    is_wanted: impl Fn(&String) -> bool,
) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = (0..names.len()).filter(|&at| is_wanted(&names[at])).collect();
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&calls[at]);
        }
    }
    found
}
