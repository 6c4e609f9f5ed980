//! What a `build.ninja` of CMake or Meson would make: generated files and links, without building everything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Link;
use super::units::relative;

/// The part of a ninja file that matters here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ninja {
    /// Files made by commands of the project's own, which compilations may need; in the order of the file.
    pub generated: Vec<String>,
    /// Programs and libraries; paths as in the file.
    links: Vec<(String, Vec<String>)>,
}

/// One `build` line.
struct Edge {
    outputs: Vec<String>,
    rule: String,
    /// Before the bar.
    explicit: Vec<String>,
    /// After one bar.
    implicit: Vec<String>,
    /// After two bars.
    order: Vec<String>,
}

impl Ninja {
    /// Reads the file in a build folder; nothing when there is none.
    pub fn read(folder: &Path) -> Option<Ninja> {
        let text = super::left::read(folder, &folder.join("build.ninja")).ok()?;
        let text = String::from_utf8(text).ok()?;
        Some(Self::parse(&text))
    }

    fn parse(text: &str) -> Ninja {
        let text = text.replace("$\n", " ");
        let edges: Vec<Edge> = text.lines().filter_map(edge).collect();
        let mut maker: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, edge) in edges.iter().enumerate() {
            maker.extend(edge.outputs.iter().map(|output| (output.as_str(), at)));
        }
        // Only what belongs to `all`: a custom target beside it may install, test or upload.
        let mut reached = BTreeSet::new();
        let mut todo = vec!["all"];
        while let Some(name) = todo.pop() {
            if let Some(&at) = maker.get(name)
                && reached.insert(at)
            {
                let edge = &edges[at];
                todo.extend(
                    edge.explicit.iter().chain(&edge.implicit).chain(&edge.order).map(String::as_str),
                );
            }
        }
        let mut ninja = Ninja::default();
        for edge in reached.into_iter().map(|at| &edges[at]) {
            let Some(output) = edge.outputs.first() else { continue };
            if edge.rule.starts_with("CUSTOM_COMMAND") && !output.ends_with(".util") {
                ninja.generated.push(output.clone());
            } else if edge.rule.to_ascii_uppercase().contains("LINKER") {
                let libraries = edge.implicit.iter().filter(|input| {
                    let name = input.rsplit('/').next().unwrap_or(input);
                    name.ends_with(".a") || name.ends_with(".o") || name.contains(".so")
                });
                ninja.links.push((output.clone(), edge.explicit.iter().chain(libraries).cloned().collect()));
            }
        }
        ninja
    }

    /// The links, with paths from the checkout.
    pub fn links(&self, folder: &Path, checkout: &Path) -> Vec<Link> {
        let place = |path: &String| -> PathBuf { relative(&folder.join(path), checkout) };
        let link = |(output, inputs): &(String, Vec<String>)| Link {
            output: place(output),
            inputs: inputs.iter().map(place).collect(),
        };
        self.links.iter().map(link).collect()
    }
}

fn edge(line: &str) -> Option<Edge> {
    let mut words = words(line.strip_prefix("build ")?).into_iter().peekable();
    let mut edge =
        Edge { outputs: Vec::new(), rule: String::new(), explicit: vec![], implicit: vec![], order: vec![] };
    let mut implicit = false;
    while let Some(word) = words.next_if(|word| *word != Word::Colon) {
        match word {
            Word::Text(text) if !implicit => edge.outputs.push(text),
            Word::Bar => implicit = true,
            _ => {}
        }
    }
    words.next()?;
    let Some(Word::Text(rule)) = words.next() else { return None };
    edge.rule = rule;
    let mut bars = 0;
    for word in words {
        match (word, bars) {
            (Word::Text(text), 0) => edge.explicit.push(text),
            (Word::Text(text), 1) => edge.implicit.push(text),
            (Word::Text(text), 2) => edge.order.push(text),
            (Word::Bar, _) => bars = 1,
            (Word::Bars, _) => bars = 2,
            // `|@`: validations.
            _ => bars = 3,
        }
    }
    Some(edge)
}

#[derive(Debug, PartialEq, Eq)]
enum Word {
    Text(String),
    Colon,
    Bar,
    Bars,
    Validations,
}

/// Words of a line; `$` protects blanks and colons. CMake writes its build folder as a variable, which is left out:
/// paths are relative to that folder.
fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut text = String::new();
    let flush = |text: &mut String, words: &mut Vec<Word>| {
        match text.as_str() {
            "" => return,
            "|" => words.push(Word::Bar),
            "||" => words.push(Word::Bars),
            "|@" => words.push(Word::Validations),
            _ => words.push(Word::Text(text.clone())),
        }
        text.clear();
    };
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '$' => match letters.next() {
                Some('{') => letters.by_ref().take_while(|c| *c != '}').for_each(drop),
                Some(protected) => text.push(protected),
                None => {}
            },
            ' ' => flush(&mut text, &mut words),
            ':' => {
                flush(&mut text, &mut words);
                words.push(Word::Colon);
            }
            _ => text.push(letter),
        }
    }
    flush(&mut text, &mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_all_is_made() {
        let text = "\
rule x
  command = y
build a.o: C_COMPILER__p /src/a.c || made.h
build made$ it.h | ${cmake_ninja_workdir}made$ it.h: CUSTOM_COMMAND gen $
  in.txt
build p: C_EXECUTABLE_LINKER__p_ a.o | libl.a other.txt || libl.a made$ it.h
build libl.a: C_STATIC_LIBRARY_LINKER__l_ l.o
build upload: CUSTOM_COMMAND p
build CMakeFiles/edit_cache.util: CUSTOM_COMMAND
build all: phony p libl.a CMakeFiles/edit_cache.util
";
        let ninja = Ninja::parse(text);
        assert_eq!(ninja.generated, ["made it.h"]);
        let links = ninja.links(Path::new("/c/build"), Path::new("/c"));
        let shown: Vec<_> = links.iter().map(|link| format!("{:?} {:?}", link.output, link.inputs)).collect();
        assert_eq!(shown, [r#""build/p" ["build/a.o", "build/libl.a"]"#, r#""build/libl.a" ["build/l.o"]"#]);
    }
}
