//! What lies behind statements that nobody touched and that do something else: macros and structures that changed.

use crate::Session;
use hydrogen_evidence::delta::{Cause, Function};
use hydrogen_history::tree::Trees;
use hydrogen_ir::{CType, Module, RecordKind};
use hydrogen_model::VersionModel;
use std::collections::{BTreeMap, BTreeSet};

/// Bodies of macros are cut here.
const LONGEST: usize = 60;
/// So many members of a structure are named.
const MOST_MEMBERS: usize = 4;

impl Session<'_> {
    /// Macros that both versions define, in files that differ, and define otherwise.
    pub(crate) fn macros(&self) -> BTreeMap<String, String> {
        let trees = Trees::new();
        let files: Vec<String> = match trees.changed_files(&self.old.version, &self.new.version) {
            Ok(changed) => changed.iter().map(|file| file.path.to_string()).collect(),
            Err(_) => self.new.units.iter().map(|unit| unit.file.clone()).collect(),
        };
        let sources = files.iter().filter(|path| path.ends_with(".c") || path.ends_with(".h"));
        let mut found = BTreeMap::new();
        for path in sources {
            let read = |model: &VersionModel| -> Option<BTreeMap<String, String>> {
                let content = trees.read_path(&model.version, path.as_bytes().into()).ok()??;
                Some(defined(&String::from_utf8_lossy(&content)))
            };
            let (Some(was), Some(is)) = (read(&self.old), read(&self.new)) else { continue };
            for (name, body) in is {
                if let Some(before) = was.get(&name).filter(|before| **before != body) {
                    let words = format!("macro `{name}` is `{}`, was `{}`", cut(&body), cut(before));
                    found.insert(name, words);
                }
            }
        }
        found
    }
}

/// The macros of a source, with their parameters and bodies, white space folded; one that is defined twice means nothing by itself.
fn defined(source: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut twice = BTreeSet::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let Some(rest) =
            line.trim_start().strip_prefix('#').and_then(|one| one.trim_start().strip_prefix("define"))
        else {
            continue;
        };
        let mut text = rest.trim().to_owned();
        while text.ends_with('\\') {
            text.pop();
            match lines.next() {
                Some(next) => text.push_str(next),
                None => break,
            }
        }
        let end = text.find(|one: char| !one.is_ascii_alphanumeric() && one != '_').unwrap_or(text.len());
        let (name, body) = text.split_at(end);
        let body = hydrogen_ir::fold(body.as_bytes());
        if !name.is_empty() && found.insert(name.to_owned(), body).is_some() {
            twice.insert(name.to_owned());
        }
    }
    found.retain(|name, _| !twice.contains(name));
    found
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Gives every region that reads as before its cause, if a macro of its statement changed; the causes that were needed.
pub(crate) fn by_macros(functions: &mut [Function], macros: &BTreeMap<String, String>) -> Vec<Cause> {
    let mut needed: BTreeMap<String, Cause> = BTreeMap::new();
    for function in functions {
        for region in &mut function.regions {
            let Some(text) = &region.unchanged else { continue };
            let words = text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
            let Some((name, told)) = words.filter_map(|word| macros.get_key_value(word)).next() else {
                continue;
            };
            region.cause = Some(name.clone());
            let cause = needed.entry(name.clone()).or_insert_with(|| Cause {
                name: name.clone(),
                words: told.clone(),
                places: 0,
                functions: Vec::new(),
            });
            cause.places += 1 + region.also.len();
            if !cause.functions.contains(&function.name) {
                cause.functions.push(function.name.clone());
            }
        }
    }
    needed.into_values().collect()
}

/// Structures that both modules define, and that have other members.
pub(crate) fn structures(old: &Module, new: &Module) -> BTreeSet<String> {
    let members = |module: &Module| -> BTreeMap<String, (u64, Vec<String>)> {
        let all = module.ctypes.iter().filter_map(|one| match one {
            CType::Record { kind, name: Some(name), size_bits, members } if *size_bits > 0 => {
                let word = if *kind == RecordKind::Union { "union" } else { "struct" };
                let members = members.iter().map(|one| one.name.clone()).filter(|one| !one.is_empty());
                Some((format!("`{word} {name}`"), (*size_bits, members.collect())))
            }
            _ => None,
        });
        all.collect()
    };
    let (was, is) = (members(old), members(new));
    let told = is.iter().filter_map(|(name, (size, members))| {
        let (before, others) = was.get(name)?;
        let only = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|one| !those.contains(one)).map(|one| format!("`{one}`")).collect()
        };
        let (come, gone) = (only(members, others), only(others, members));
        let listed = |names: &[String]| match names.len() {
            count if count > MOST_MEMBERS => {
                format!("{} and {} more", names[..MOST_MEMBERS].join(", "), count - MOST_MEMBERS)
            }
            _ => names.join(", "),
        };
        let mut words = Vec::new();
        if !come.is_empty() {
            words.push(format!("got {}", listed(&come)));
        }
        if !gone.is_empty() {
            words.push(format!("lost {}", listed(&gone)));
        }
        if words.is_empty() && members != others {
            words.push("has its members in another order".to_owned());
        }
        if before != size && !words.is_empty() {
            words.push(format!("has {} bytes, had {}", size / 8, before / 8));
        }
        (!words.is_empty()).then(|| format!("{name} {}", words.join(", ")))
    });
    told.collect()
}
