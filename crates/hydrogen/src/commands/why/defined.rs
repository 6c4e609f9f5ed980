//! Why the same words mean something else: the changed definition that they use, a macro, a type or a variable.

use crate::commands::program::{Sources, sources_of};
use crate::context::Context;
use hydrogen_report::runs::Sources as _;
use hydrogen_why::{Counterpart, Defined, Explanation, Spot, Suspect};

/// So many suspects are looked at.
const MOST: usize = 5;

/// By suspect, the definition that changed; nothing where the statement itself did, or none is found.
pub fn defined(context: &Context, programs: [&str; 2], found: &Explanation) -> Vec<Option<Defined>> {
    let Ok([old, new]) = sources_of(context, programs) else { return Vec::new() };
    let one = |suspect: &Suspect| match &suspect.counterpart {
        Counterpart::Redefined(before) => look(&old, &new, before, &suspect.spot),
        _ => None,
    };
    found.suspects.iter().take(MOST).map(one).collect()
}

/// The files that can define something for a statement: its own, and the headers that it names beside it.
fn files(sources: &Sources, spot: &Spot) -> Vec<(String, Vec<String>)> {
    let own = sources.lines(&spot.file).unwrap_or_default();
    let folder = spot.file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let headers: Vec<String> = own
        .iter()
        .filter_map(|line| {
            line.trim_start().strip_prefix("#include")?.trim().strip_prefix('"')?.split('"').next()
        })
        .map(|name| format!("{folder}{name}"))
        .collect();
    let read = |name: String| sources.lines(&name).map(|lines| (name, lines));
    std::iter::once((spot.file.clone(), own)).chain(headers.into_iter().filter_map(read)).collect()
}

fn look(old: &Sources, new: &Sources, before: &Spot, spot: &Spot) -> Option<Defined> {
    let (olds, news) = (files(old, before), files(new, spot));
    for name in names(&spot.text) {
        for (number, (file, lines)) in news.iter().enumerate() {
            let Some((_, others)) = olds.get(number) else { continue };
            let alone = |line: &&String, all: &[String]| !all.contains(line) && defines(line, name);
            let Some(own) = lines.iter().position(|line| alone(&line, others)) else { continue };
            let Some(other) = others.iter().find(|line| alone(line, lines)) else { continue };
            let trimmed = |line: &str| line.trim().to_owned();
            return Some(Defined {
                file: file.clone(),
                line: own as u32 + 1,
                new: trimmed(&lines[own]),
                old: trimmed(other),
            });
        }
    }
    None
}

/// The names in a statement, each once.
fn names(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for word in words(text) {
        if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a line defines a name: a macro of it, or a declaration at the left margin.
fn defines(line: &str, name: &str) -> bool {
    let macros =
        line.trim_start().strip_prefix('#').map(str::trim_start).and_then(|line| line.strip_prefix("define"));
    match macros {
        Some(rest) => words(rest).next() == Some(name),
        None => {
            let declares = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '}');
            declares
                && line.trim_end().ends_with([';', '{', ','])
                && words(line).skip(1).any(|word| word == name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::defines;

    #[test]
    fn definitions_are_known_by_their_look() {
        for line in
            ["#define LIMIT 4", "# define LIMIT(x) 4", "int LIMIT[3];", "static const char *LIMIT = {"]
        {
            assert!(defines(line, "LIMIT"), "{line}");
        }
        for line in ["#define OTHER LIMIT", "  x = LIMIT;", "LIMIT(x);", "#if LIMIT"] {
            assert!(!defines(line, "LIMIT"), "{line}");
        }
    }
}
