//! Two functions made ready: code with opened callees, addresses of what both have, what callees can do.

use crate::{
    code::{Code, Jumps, Plan, direct_call},
    context::Context,
    effects::Reaches,
    obstacle::Obstacle,
    subject::Subject,
};
use hydrogen_ir::{FunctionId, InstructionId, Module};
use std::collections::BTreeSet;

/// Both functions, read in one way.
pub struct Prepared<'m> {
    /// The old version.
    pub old: Code<'m>,
    /// The new version.
    pub new: Code<'m>,
    /// What they share.
    pub context: Context,
    /// Callees of which equality is used.
    pub lemmas: Vec<String>,
    /// Addresses of the old version's objects.
    pub old_addresses: Vec<u64>,
    /// Addresses of the new version's objects.
    pub new_addresses: Vec<u64>,
}

/// Reads both functions and gives them one context. Functions of which both versions are `alike` stay closed, others with a body are opened.
pub fn prepare<'m>(
    old: Subject<'m>,
    new: Subject<'m>,
    alike: &BTreeSet<String>,
    reaches: Option<Reaches>,
    jumps: Jumps,
) -> Result<Prepared<'m>, Obstacle> {
    let mut alike = alike.clone();
    let (name, other) = (&old.module.function(old.function).name, &new.module.function(new.function).name);
    // Godlin and Strichman: a pair may use that its own recursive calls are equal, if the name means no other function.
    let is_one = |module: &Module| module.definitions().filter(|(_, one)| one.name == *name).count() == 1;
    if name == other && is_one(old.module) && is_one(new.module) {
        alike.insert(name.clone());
    }
    let opens = |module: &Module, id: FunctionId| {
        let function = module.function(id);
        function.is_defined() && !alike.contains(&function.name)
    };
    let old_code = Code::new(old.module, old.function, &Plan::whole(&|id| opens(old.module, id), jumps))?;
    let new_code = Code::new(new.module, new.function, &Plan::whole(&|id| opens(new.module, id), jumps))?;
    let mut lemmas = closed_callees(&old_code, &alike);
    lemmas.extend(closed_callees(&new_code, &alike));
    lemmas.sort();
    lemmas.dedup();
    let mut context = Context::new(alike);
    context.reach = reaches.unwrap_or_else(|| Reaches::of(old.module, new.module));
    let (old_addresses, new_addresses) = objects(&mut context, &old_code, &new_code);
    Ok(Prepared { old: old_code, new: new_code, context, lemmas, old_addresses, new_addresses })
}

/// Callees that stay closed because both versions are equal.
fn closed_callees(code: &Code, alike: &BTreeSet<String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for frame in &code.frames {
        for at in 0..frame.body.instructions.len() {
            if let Some((callee, _)) = direct_call(code.module, frame.body, InstructionId::at(at)) {
                let callee = code.module.function(callee);
                if callee.is_defined() && alike.contains(&callee.name) {
                    found.insert(callee.name.clone());
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Gives local objects their addresses: the same to objects that correspond, by name and size, then by size and order.
fn objects(context: &mut Context, old: &Code, new: &Code) -> (Vec<u64>, Vec<u64>) {
    let (a, b) = (&old.homes.objects, &new.homes.objects);
    let mut partner: Vec<Option<usize>> = vec![None; b.len()];
    let mut taken = vec![false; a.len()];
    for by_name in [true, false] {
        for (at, object) in b.iter().enumerate() {
            if partner[at].is_some() {
                continue;
            }
            let found = a.iter().enumerate().position(|(i, other)| {
                !taken[i] && other.bytes == object.bytes && (!by_name || other.name == object.name)
            });
            if let Some(found) = found {
                taken[found] = true;
                partner[at] = Some(found);
            }
        }
    }
    let olds: Vec<u64> = a
        .iter()
        .enumerate()
        .map(|(at, object)| context.object_address(&format!("old {at}"), object.bytes))
        .collect();
    let news: Vec<u64> = b
        .iter()
        .enumerate()
        .map(|(at, object)| match partner[at] {
            Some(found) => {
                context.shared.insert(olds[found]);
                olds[found]
            }
            None => context.object_address(&format!("new {at}"), object.bytes),
        })
        .collect();
    (olds, news)
}
