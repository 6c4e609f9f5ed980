//! Members of structures that only changed their names.
//!
//! What callers see is named by the way to it (`p->count`), so that structures which are laid out differently can be compared. A member that
//! was renamed and stayed where it was would then differ from itself: in the new version it is called as in the old one.

use crate::records::members_of;
use hydrogen_ir::layout::size_of;
use hydrogen_ir::{CType, CTypeId, Member, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Records inside of records without a tag are followed so deep.
const DEEPEST: usize = 8;

/// A record that both versions can name, with the module that has it.
type Known<'m> = BTreeMap<String, (&'m Module, CTypeId)>;

/// Gives members of the new version the names that they have in the old one, where a record of the same name has the same size and as many members
/// at the same places, and neither name is one of another member.
pub fn name_members_alike(old: &[Module], new: &mut [Module]) {
    let known = records(old);
    for module in new {
        let mut names: Vec<(CTypeId, usize, String)> = Vec::new();
        for (key, id) in named(module) {
            if let Some(&(other, record)) = known.get(&key) {
                pair((other, record), (module, id), DEEPEST, &mut names);
            }
        }
        for (id, at, name) in names {
            if let CType::Record { members, .. } = &mut module.ctypes[id.index()] {
                members[at].name = name;
            }
        }
    }
}

/// The records of all modules by name; those that two modules have differently are left out.
fn records(modules: &[Module]) -> Known<'_> {
    let mut found: Known = BTreeMap::new();
    let mut unclear = BTreeSet::new();
    for module in modules {
        for (key, id) in named(module) {
            let shape = |module: &Module, id: CTypeId| -> Vec<(String, u64)> {
                let names = members_of(module, id).iter();
                names.map(|member| (member.name.clone(), member.offset_bits)).collect()
            };
            match found.get(&key) {
                Some(&(other, record)) if shape(other, record) != shape(module, id) => {
                    unclear.insert(key);
                }
                Some(_) => {}
                None => drop(found.insert(key, (module, id))),
            }
        }
    }
    found.retain(|key, _| !unclear.contains(key));
    found
}

/// The records of a module that have a tag, or a name by `typedef`.
fn named(module: &Module) -> Vec<(String, CTypeId)> {
    let mut found = Vec::new();
    for at in 0..module.ctypes.len() {
        let id = CTypeId::at(at);
        match module.ctype(id) {
            CType::Record { name: Some(tag), members, .. } if !members.is_empty() => {
                found.push((format!("tag {tag}"), id));
            }
            CType::Typedef { name, target } if !members_of(module, *target).is_empty() => {
                found.push((format!("typedef {name}"), *target));
            }
            _ => {}
        }
    }
    found
}

fn pair(
    (old, of_old): (&Module, CTypeId),
    (new, of_new): (&Module, CTypeId),
    depth: usize,
    names: &mut Vec<(CTypeId, usize, String)>,
) {
    let (before, after) = (members_of(old, of_old), members_of(new, of_new));
    let is_like = |(one, other): (&Member, &Member)| {
        one.offset_bits == other.offset_bits && size_of(old, one.ty) == size_of(new, other.ty)
    };
    let is_same = before.len() == after.len()
        && size_of(old, of_old) == size_of(new, of_new)
        && before.iter().zip(after).all(is_like);
    if !is_same || depth == 0 {
        return;
    }
    // All of them are alike in pairs.
    for (at, other) in renamed_in_place((before, after), |member| &member.name, |one, other| one == other) {
        names.push((of_new, at, before[other].name.clone()));
    }
    for (one, other) in before.iter().zip(after) {
        let has_no_tag =
            |module: &Module, id: CTypeId| matches!(module.ctype(id), CType::Record { name: None, .. });
        if has_no_tag(old, one.ty) && has_no_tag(new, other.ty) {
            pair((old, one.ty), (new, other.ty), depth - 1, names);
        }
    }
}

/// Members of the new version, by their positions, with those of the old one that they are under another name: alike (in the same place, of the same
/// type), and neither name is one of another member of the other version.
pub(crate) fn renamed_in_place<M>(
    (old, new): (&[M], &[M]),
    name: impl Fn(&M) -> &str,
    is_like: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let is_free =
        |own: &M, all: &[M]| name(own).is_empty() || all.iter().all(|other| name(other) != name(own));
    let partner = |(at, own): (usize, &M)| {
        let other = (0..old.len()).find(|&other| is_like(other, at))?;
        let is_renamed = name(own) != name(&old[other]) && is_free(own, old) && is_free(&old[other], new);
        is_renamed.then_some((at, other))
    };
    new.iter().enumerate().filter_map(partner).collect()
}
