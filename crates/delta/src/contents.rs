//! First contents of variables and constant tables that changed.

use crate::names::{Records, constant};
use hydrogen_ir::{Const, ConstId, Global, Module, Type};

/// Entries of a table that are told.
const MOST_ENTRIES: usize = 4;

/// What variables hold at first in the new version that they did not hold in the old one, in words.
pub fn contents(old: &Module, new: &Module) -> Vec<String> {
    let records = (Records::of(old), Records::of(new));
    let mut found = Vec::new();
    for global in new.globals.iter().filter(|global| !global.private) {
        let same: Vec<&Global> =
            old.globals.iter().filter(|one| one.name == global.name && !one.private).collect();
        let ([was], Some(now)) = (same.as_slice(), global.initializer) else { continue };
        let Some(before) = was.initializer else { continue };
        let (mut a, mut b) = (String::new(), String::new());
        constant(old, &records.0, before, 0, &mut a);
        constant(new, &records.1, now, 0, &mut b);
        if a != b {
            found.push(told(&global.name, (old, before), (new, now)));
        }
    }
    found
}

fn told(name: &str, (old, before): (&Module, ConstId), (new, now): (&Module, ConstId)) -> String {
    if let (Some(a), Some(b)) = (number(old, before), number(new, now)) {
        return format!("{name} begins as {b}, was {a}");
    }
    let (a, b) = (entries(old, before), entries(new, now));
    if a.is_empty() || b.is_empty() {
        return format!("{name} begins with other contents");
    }
    if a.len() != b.len() {
        return format!("{name} has {} entries, had {}", b.len(), a.len());
    }
    let differ: Vec<usize> = (0..a.len()).filter(|&at| a[at] != b[at]).collect();
    let words = differ.iter().take(MOST_ENTRIES).map(|&at| match (&a[at], &b[at]) {
        (Some(a), Some(b)) => format!("entry {at} is {b}, was {a}"),
        _ => format!("entry {at} is another"),
    });
    let words: Vec<String> = words.collect();
    match differ.len() {
        0 => format!("{name} begins with other contents"),
        count if count > MOST_ENTRIES => {
            format!("{name}: {}, and {} more", words.join("; "), count - MOST_ENTRIES)
        }
        _ => format!("{name}: {}", words.join("; ")),
    }
}

fn number(module: &Module, id: ConstId) -> Option<String> {
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
            Type::Pointer(_) => Some("null".to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// The entries of a table, those that are numbers as numbers.
fn entries(module: &Module, id: ConstId) -> Vec<Option<String>> {
    match module.constant(id) {
        Const::Aggregate { elements, .. } => elements.iter().map(|&one| number(module, one)).collect(),
        Const::Bytes { data, .. } => data.iter().map(|byte| Some(byte.to_string())).collect(),
        _ => Vec::new(),
    }
}
