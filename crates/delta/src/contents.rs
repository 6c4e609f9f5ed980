//! First contents of variables and constant tables that changed.

use crate::names::{Records, constant};
use hydrogen_ir::{CType, CTypeId, Const, ConstId, Global, Module, RecordKind, Type, layout::plain};
use std::collections::BTreeMap;

/// Entries of a table that are told.
const MOST_ENTRIES: usize = 4;
/// Variables that are named where many change in the same way.
const MOST_NAMED: usize = 3;
/// Texts are cut here.
const LONGEST: usize = 40;

/// Variables that begin with something else, in the same way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contents {
    /// Their names.
    pub variables: Vec<String>,
    /// In words.
    pub words: String,
}

/// What variables hold at first in the new version that they did not hold in the old one: those that changed in the same way together.
pub fn contents(old: &Module, new: &Module) -> Vec<Contents> {
    let records = (Records::of(old), Records::of(new));
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for global in new.globals.iter().filter(|global| !global.private) {
        let same: Vec<&Global> =
            old.globals.iter().filter(|one| one.name == global.name && !one.private).collect();
        let ([was], Some(now)) = (same.as_slice(), global.initializer) else { continue };
        let Some(before) = was.initializer else { continue };
        let (mut a, mut b) = (String::new(), String::new());
        constant(old, &records.0, before, 0, &mut a);
        constant(new, &records.1, now, 0, &mut b);
        if a != b {
            let words = told(
                &Held { module: old, id: before, ctype: was.ctype },
                &Held { module: new, id: now, ctype: global.ctype },
            );
            alike.entry(words).or_default().push(&global.name);
        }
    }
    let told = alike.into_iter().map(|(words, names)| {
        let words = match names.len() {
            0..=MOST_NAMED => format!("{}: {words}", names.join(", ")),
            count => format!("{} and {} more: {words}", names[..MOST_NAMED].join(", "), count - MOST_NAMED),
        };
        Contents { variables: names.into_iter().map(str::to_owned).collect(), words }
    });
    told.collect()
}

/// A constant with its type, where that is known.
struct Held<'m> {
    module: &'m Module,
    id: ConstId,
    ctype: Option<CTypeId>,
}

fn told(old: &Held, new: &Held) -> String {
    if let (Some(a), Some(b)) = (value(old.module, old.id), value(new.module, new.id)) {
        return format!("begins as {b}, was {a}");
    }
    let (a, b) = (entries(old), entries(new));
    if a.is_empty() || b.is_empty() {
        return "begins with other contents".to_owned();
    }
    let is_structure = a.iter().any(|(name, _)| name.starts_with('.'));
    if a.len() != b.len() && !is_structure {
        return format!("has {} entries, had {}", b.len(), a.len());
    }
    // Members go by their names, entries by their numbers.
    let before = |name: &str| a.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let differ: Vec<String> = b
        .iter()
        .filter_map(|(name, now)| match (before(name), now) {
            (Some(was), now) if was == now => None,
            (Some(Some(was)), Some(now)) => Some(format!("{name} is {now}, was {was}")),
            (None, Some(now)) => Some(format!("{name} is {now}, which is new")),
            _ => Some(format!("{name} is another")),
        })
        .collect();
    match differ.len() {
        0 => "begins with other contents".to_owned(),
        count if count > MOST_ENTRIES => {
            format!("{}, and {} more", differ[..MOST_ENTRIES].join("; "), count - MOST_ENTRIES)
        }
        _ => differ.join("; "),
    }
}

/// A number, a null pointer, a text, or the name of what a pointer leads to.
fn value(module: &Module, id: ConstId) -> Option<String> {
    match module.constant(id) {
        Const::Int { ty, bits } => {
            let width = match module.types.get(*ty) {
                Type::Int(width) => *width,
                _ => 64,
            };
            let negative = width < 128 && bits >> (width - 1) & 1 == 1 && width > 8;
            Some(if negative { (*bits as i128 - (1i128 << width)).to_string() } else { bits.to_string() })
        }
        Const::Zero(ty) => match module.types.get(*ty) {
            Type::Int(_) => Some("0".to_owned()),
            Type::Pointer(_) => Some("NULL".to_owned()),
            _ => None,
        },
        Const::Function(function) => Some(module.function(*function).name.clone()),
        Const::Global(global) => {
            let global = module.global(*global);
            match global.initializer.filter(|_| global.private) {
                Some(text) => {
                    crate::words::bytes(module, text).map(|data| crate::words::quoted(&data, LONGEST))
                }
                None => Some(format!("&{}", global.name)),
            }
        }
        _ => None,
    }
}

/// The entries of a table, or the members of a structure, by what they are called: `entry 3`, `.mode`.
fn entries(held: &Held) -> Vec<(String, Option<String>)> {
    let module = held.module;
    let members: Vec<&str> = match held.ctype.map(|one| module.ctype(plain(module, one))) {
        Some(CType::Record { kind: RecordKind::Struct, members, .. }) => {
            members.iter().filter(|one| !one.bit_field).map(|one| one.name.as_str()).collect()
        }
        _ => Vec::new(),
    };
    match module.constant(held.id) {
        Const::Aggregate { elements, .. } => {
            // Padding between members is an element too; then numbers say nothing, and none is told by a wrong name.
            let named = members.len() == elements.len();
            let name = |at: usize| match named {
                true => format!(".{}", members[at]),
                false => format!("entry {at}"),
            };
            elements.iter().enumerate().map(|(at, &one)| (name(at), value(module, one))).collect()
        }
        Const::Bytes { data, .. } => data
            .iter()
            .enumerate()
            .map(|(at, byte)| (format!("entry {at}"), Some(byte.to_string())))
            .collect(),
        _ => Vec::new(),
    }
}
