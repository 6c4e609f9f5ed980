//! WHERE: the statement at FILE:LINE@VERSION.

use crate::context::Context;
use anyhow::{Result, bail, ensure};
use bstr::{BStr, ByteSlice};
use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_history::version::{Source, Version, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// So many other statements are offered where there is none.
const OFFERED: usize = 3;

/// What the user wrote.
#[derive(Debug, PartialEq, Eq)]
pub struct Where {
    pub file: String,
    pub line: u32,
    pub version: Option<String>,
}

/// Adds versions to a list that it does not have yet.
pub fn add(versions: &mut Vec<Version>, more: Vec<Version>) {
    for version in more {
        if !versions.iter().any(|other| other.name == version.name) {
            versions.push(version);
        }
    }
}

/// Adds the version that a place is of: the one it names, else the one that the command means. A place that cannot be there is refused before
/// anything is built.
pub fn add_named(
    context: &Context,
    versions: &mut Vec<Version>,
    place: &Where,
    otherwise: Option<&Version>,
) -> Result<()> {
    let version = match (&place.version, otherwise) {
        (Some(name), _) => match versions.iter().find(|version| version.name == *name) {
            Some(version) => version.clone(),
            None => context.resolve_one(name)?,
        },
        (None, Some(version)) => version.clone(),
        (None, None) => return Err(place.of_no_version()),
    };
    place.could_be_in(context, &version)?;
    add(versions, vec![version]);
    Ok(())
}

/// The name of a file without folders and ending.
fn stem(path: &[u8]) -> &[u8] {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.split(|byte| *byte == b'.').next().unwrap_or_default()
}

impl Where {
    /// FILE:LINE or FILE:LINE@VERSION. Files and versions may have colons and @ in their names.
    pub fn parse(text: &str) -> Result<Where> {
        for (at, _) in text.match_indices(':') {
            let (file, rest) = (&text[..at], &text[at + 1..]);
            let (line, version) = match rest.split_once('@') {
                Some((line, version)) => (line, Some(version)),
                None => (rest, None),
            };
            let Ok(line) = line.parse() else { continue };
            if !file.is_empty() && line > 0 && version.is_none_or(|version| !version.is_empty()) {
                let file = file.strip_prefix("./").unwrap_or(file).to_owned();
                return Ok(Where { file, line, version: version.map(str::to_owned) });
            }
        }
        bail!("`{text}` is no place: write FILE:LINE@VERSION, such as src/parse.c:120@v1.2")
    }

    fn of_no_version(&self) -> anyhow::Error {
        anyhow::anyhow!("say of which version {}:{} is a line: {0}:{1}@VERSION", self.file, self.line)
    }

    /// Refuses a line behind the end of its file, and a file that the version neither has nor can make of another one.
    fn could_be_in(&self, context: &Context, version: &Version) -> Result<()> {
        let (file, name) = (&self.file, &version.name);
        if let Some(content) = context.trees.read_path(version, BStr::new(file))? {
            let lines = content.lines().count();
            ensure!(
                self.line as usize <= lines,
                "{file} has {lines} lines in {name}; there is no line {}",
                self.line
            );
            return Ok(());
        }
        if matches!(version.source, Source::Bitcode(_)) {
            return Ok(());
        }
        let files = context.trees.files(version)?;
        if files.iter().any(|entry| stem(&entry.path) == stem(file.as_bytes())) {
            return Ok(());
        }
        let sources = files.iter().filter(|entry| entry.path.ends_with(b".c") || entry.path.ends_with(b".h"));
        let names: Vec<String> = sources.map(|entry| entry.path.to_string()).collect();
        let near = nearest(file, &names);
        let meant = if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) };
        bail!("{name} has no file `{file}`{meant}")
    }

    /// The version that the line is of: the one named, else the one that the command means.
    pub fn version(&self, graph: &Graph, otherwise: Option<VersionId>) -> Result<VersionId> {
        let Some(name) = &self.version else {
            match otherwise {
                Some(version) => return Ok(version),
                None => return Err(self.of_no_version()),
            }
        };
        if let Some(version) = graph.version(name) {
            return Ok(version);
        }
        let names: Vec<String> = graph.versions().iter().map(|info| info.name.clone()).collect();
        let near = nearest(name, &names);
        let list = if near.is_empty() { names.join(", ") } else { near.join(" or ") };
        bail!("`{name}` is none of the versions asked about; is it {list}?")
    }

    /// The pieces of the statements that begin at the line.
    pub fn nodes(&self, graph: &Graph, version: VersionId) -> Result<Vec<NodeId>> {
        let file = self.file_in(graph, version)?;
        let real =
            |node: &NodeId| !matches!(graph.role(*node), hydrogen_ir::Role::Entry | hydrogen_ir::Role::Exit);
        let nodes: Vec<NodeId> = graph.nodes_at(version, &file, self.line).into_iter().filter(real).collect();
        if !nodes.is_empty() {
            return Ok(nodes);
        }
        let name = &graph.versions()[version.index()].name;
        let near = self.near(graph, version, &file);
        if near.is_empty() {
            bail!("{file} of {name} has no statements");
        }
        bail!("no statement of {name} begins at {file}:{}; the nearest are {}", self.line, near.join(", "))
    }

    /// The file as the version calls it; the end of a path is enough where it is the only one.
    fn file_in(&self, graph: &Graph, version: VersionId) -> Result<String> {
        let info = &graph.versions()[version.index()];
        let chains = graph.chains().filter(|&chain| graph.chain_in(chain, version));
        let files: BTreeSet<&str> = chains.map(|chain| graph.location(chain, version).0).collect();
        if files.contains(self.file.as_str()) {
            return Ok(self.file.clone());
        }
        if let Some(gap) = info.missing.iter().find(|gap| gap.file == self.file) {
            bail!("{} of {} could not be read: {}", self.file, info.name, gap.message);
        }
        let end = format!("/{}", self.file);
        let ending: Vec<&str> = files.iter().copied().filter(|file| file.ends_with(&end)).collect();
        match ending[..] {
            [one] => Ok(one.to_owned()),
            [] => {
                let names: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
                let near = nearest(&self.file, &names);
                let hint =
                    if near.is_empty() { String::new() } else { format!("; is it {}?", near.join(" or ")) };
                bail!("no function of {} is in a file {}{hint}", info.name, self.file)
            }
            _ => bail!("{} may be {}", self.file, ending.join(" or ")),
        }
    }

    /// The statements nearest to the line, as a user can name them.
    fn near(&self, graph: &Graph, version: VersionId, file: &str) -> Vec<String> {
        let mut lines: BTreeMap<u32, String> = BTreeMap::new();
        let here = |chain: &hydrogen_graph::ChainId| {
            graph.chain_in(*chain, version) && graph.location(*chain, version).0 == file
        };
        for chain in graph.chains().filter(here) {
            for (node, line) in graph.lines(chain, version) {
                if let Some(line) = line {
                    lines.entry(line).or_insert_with(|| graph.label(node));
                }
            }
        }
        let mut near: Vec<(u32, String)> = lines.into_iter().collect();
        near.sort_by_key(|(line, _)| (line.abs_diff(self.line), *line));
        near.truncate(OFFERED);
        near.sort();
        near.into_iter().map(|(line, text)| format!("{file}:{line} `{text}`")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verdicts::ask::tests::graph;

    fn check(text: &str, expect: &str) {
        let found = match Where::parse(text) {
            Ok(Where { file, line, version }) => format!("{file} {line} {}", version.unwrap_or_default()),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expect), "{found}");
    }

    #[test]
    fn places_are_read() {
        check("main.c:7@v3", "main.c 7 v3");
        check("./src/a.c:12", "src/a.c 12 ");
        check("odd:name.c:3@pkg@1.2", "odd:name.c 3 pkg@1.2");
        check("main.c", "`main.c` is no place");
        check("main.c:0@v1", "`main.c:0@v1` is no place");
        check("main.c:x@v1", "`main.c:x@v1` is no place");
        check("main.c:3@", "`main.c:3@` is no place");
    }

    fn found(text: &str) -> String {
        let graph = graph();
        let place = Where::parse(text).unwrap();
        let nodes =
            place.version(&graph, Some(VersionId(0))).and_then(|version| place.nodes(&graph, version));
        match nodes {
            Ok(nodes) => nodes.iter().map(|node| graph.label(*node)).collect::<Vec<_>>().join(" | "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn statements_are_found_or_offered() {
        assert_eq!(found("src/main.c:2"), "char *a = get(b)");
        assert_eq!(found("main.c:3@v2"), "if (a == NULL)");
        assert_eq!(
            found("main.c:5@v2"),
            "no statement of v2 begins at src/main.c:5; the nearest are src/main.c:3 `if (a == NULL)`, src/main.c:4 `return`, src/main.c:6 `strcpy(a, b)`"
        );
        assert_eq!(found("main.c:3@v9"), "`v9` is none of the versions asked about; is it v1 or v2?");
        assert_eq!(found("mian.c:3"), "no function of v1 is in a file mian.c; is it src/main.c?");
    }
}
