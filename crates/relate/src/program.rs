//! Whole programs, function by function, callees before callers.

use crate::{
    code::direct_call,
    pair::{Options, Subject, compare_or_refute},
    verdict::{Method, Proof, Verdict},
};
use hydrogen_evidence::Call;
use hydrogen_flow::{Components, Digraph};
use hydrogen_ir::{Const, ConstId, FunctionId, InstructionId, Module, Operand, Reference, summarize};
use std::collections::{BTreeMap, BTreeSet};

/// What is said of one function of a program.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its name.
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
    let (olds, news) = (by_name(old), by_name(new));
    let mut comparison = Comparison {
        judged: Vec::new(),
        removed: olds.keys().filter(|name| !news.contains_key(*name)).cloned().collect(),
        added: news.keys().filter(|name| !olds.contains_key(*name)).cloned().collect(),
        variables: changed_variables(old, new),
    };
    let names: Vec<String> = olds.keys().filter(|name| news.contains_key(*name)).cloned().collect();
    let number: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let same = same_code(old, new);
    // Who calls whom in either version, through functions that only one of them has.
    let mut edges = BTreeSet::new();
    for (module, functions) in [(old, &olds), (new, &news)] {
        for (at, name) in names.iter().enumerate() {
            let mut seen = BTreeSet::new();
            let mut open = vec![functions[name]];
            while let Some(id) = open.pop() {
                for callee in callees(module, id) {
                    let callee_name = module.function(callee).name.as_str();
                    match number.get(callee_name) {
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
    let needed = needed(&names, &calls, wanted, &same);
    let mut alike: BTreeSet<String> = BTreeSet::new();
    for members in components.bottom_up() {
        if !members.iter().any(|member| needed.contains(member)) {
            continue;
        }
        // Names that several functions share are not told apart, and not used.
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
            progress(name);
            let mut options = options.clone();
            options.alike = alike.union(&group).cloned().collect();
            let (one, other) = (olds[name], news[name]);
            let verdict = compare_or_refute(
                Subject { module: old, function: one },
                Subject { module: new, function: other },
                &options,
                Some(&mut |given| refute(one, other, given)),
            );
            found.push((member, verdict));
        }
        // Recursive functions used each other's equality: it holds for all of them, or is not shown for any.
        let all = found.iter().all(|(_, verdict)| matches!(verdict, Verdict::Equal(_)));
        for (member, verdict) in found {
            let name = names[member].clone();
            let verdict = match verdict {
                Verdict::Equal(_) if !all => Verdict::Open(vec![
                    "equal only if the functions that it calls in a circle are".to_owned(),
                ]),
                verdict => verdict,
            };
            if matches!(verdict, Verdict::Equal(_)) {
                alike.insert(name.clone());
            }
            let changed = !same.contains(&name);
            let is_wanted = match wanted {
                Some(wanted) => wanted.contains(&name),
                None => changed,
            };
            if is_wanted {
                comparison.judged.push(Judged { old: olds[&name], new: news[&name], name, changed, verdict });
            }
        }
    }
    comparison.judged.sort_by(|a, b| a.name.cmp(&b.name));
    comparison
}

/// Variables that both programs define and that differ, constants left out: those count where they are read.
pub fn changed_variables(old: &Module, new: &Module) -> Vec<String> {
    let hashes = |module: &Module| -> BTreeMap<String, Vec<hydrogen_ir::ContentHash>> {
        let mut found: BTreeMap<String, Vec<hydrogen_ir::ContentHash>> = BTreeMap::new();
        for global in summarize(module).globals {
            found.entry(global.name).or_default().push(global.hash);
        }
        found
    };
    let constant =
        |module: &Module, name: &str| module.globals.iter().any(|one| one.name == name && one.constant);
    let (olds, news) = (hashes(old), hashes(new));
    let differs = |(name, hash): &(&String, &Vec<hydrogen_ir::ContentHash>)| {
        news.get(*name).is_some_and(|other| other != *hash) && !(constant(old, name) && constant(new, name))
    };
    olds.iter().filter(differs).map(|(name, _)| name.clone()).collect()
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
    wanted: Option<&BTreeSet<String>>,
    same: &BTreeSet<String>,
) -> BTreeSet<usize> {
    let is_wanted = |name: &String| match wanted {
        Some(wanted) => wanted.contains(name),
        None => !same.contains(name),
    };
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = (0..names.len()).filter(|&at| is_wanted(&names[at])).collect();
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&calls[at]);
        }
    }
    found
}

/// Definitions by name; names that several have are left out.
fn by_name(module: &Module) -> BTreeMap<String, FunctionId> {
    let mut found: BTreeMap<String, Option<FunctionId>> = BTreeMap::new();
    for (id, function) in module.definitions().filter(|(_, function)| function.body.is_some()) {
        found.entry(function.name.clone()).and_modify(|one| *one = None).or_insert(Some(id));
    }
    found.into_iter().filter_map(|(name, id)| Some((name, id?))).collect()
}

/// The functions whose own code, and the constants that it reads, are the same in both.
fn same_code(old: &Module, new: &Module) -> BTreeSet<String> {
    let (a, b) = (summarize(old), summarize(new));
    // Variables are compared for every value; what is not known to be one counts with its value.
    let variables = |module: &Module| -> BTreeSet<String> {
        module.globals.iter().filter(|global| !global.constant).map(|global| global.name.clone()).collect()
    };
    let (old_variables, new_variables) = (variables(old), variables(new));
    let hashes = |summary: &hydrogen_ir::ModuleSummary| -> BTreeMap<String, Vec<hydrogen_ir::ContentHash>> {
        let mut found: BTreeMap<String, Vec<hydrogen_ir::ContentHash>> = BTreeMap::new();
        for global in &summary.globals {
            found.entry(global.name.clone()).or_default().push(global.hash);
        }
        found
    };
    let (old_hashes, new_hashes) = (hashes(&a), hashes(&b));
    let code =
        |summary: &hydrogen_ir::ModuleSummary| -> BTreeMap<String, (hydrogen_ir::ContentHash, Vec<String>)> {
            let all = summary
                .functions
                .iter()
                .filter_map(|one| Some((one.name.clone(), (one.code?, one.globals.clone()))));
            all.collect()
        };
    let (old_code, new_code) = (code(&a), code(&b));
    old_code
        .into_iter()
        .filter(|(name, (hash, globals))| {
            let constants_are_same = globals.iter().all(|global| {
                let is_variable = old_variables.contains(global) && new_variables.contains(global);
                is_variable || old_hashes.get(global) == new_hashes.get(global)
            });
            new_code.get(name).is_some_and(|(other, _)| other == hash) && constants_are_same
        })
        .map(|(name, _)| name)
        .collect()
}

/// The functions with a body that a function calls by name or takes the address of.
fn callees(module: &Module, id: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let Some(body) = &module.function(id).body else { return found };
    let mut constants: Vec<ConstId> = Vec::new();
    for (at, instruction) in body.instructions.iter().enumerate() {
        if let Some((callee, _)) = direct_call(module, body, InstructionId::at(at)) {
            found.insert(callee);
        }
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                constants.push(*id);
            }
        });
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = constants.pop() {
        if !seen.insert(id) {
            continue;
        }
        match module.constant(id) {
            Const::Global(global) => constants.extend(module.global(*global).initializer),
            constant => constant.references(|reference| match reference {
                Reference::Const(inner) => constants.push(*inner),
                Reference::Function(function) => drop(found.insert(*function)),
                _ => {}
            }),
        }
    }
    found.retain(|&id| module.function(id).body.is_some());
    found
}
