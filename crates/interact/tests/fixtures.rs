//! The worked examples of the specification, one Markdown file each.
//!
//! Blocks ```` ```c v1.c ```` or ```` ```c v1/name.c ```` are the two versions. Blocks `thesis`, `full` and `both` state the
//! change sequence graph in that reading, or `no executable change`. A line is called by the comment `/*N*/` at its end,
//! where it has one.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{ChangeGraph, Changes, Complexity, END, Reading, START, advance_to, index_of};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn fixtures_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Fixture::parse(&std::fs::read_to_string(&path).unwrap()).check(&name);
    }
}

#[derive(Default)]
struct Fixture {
    /// The files of the two versions.
    versions: [BTreeMap<String, String>; 2],
    /// Head and text of every expectation.
    expected: Vec<(String, String)>,
}

impl Fixture {
    fn parse(text: &str) -> Self {
        let mut fixture = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(head) = line.strip_prefix("```") else { continue };
            let body: String = lines
                .by_ref()
                .take_while(|line| !line.starts_with("```"))
                .map(|line| format!("{line}\n"))
                .collect();
            let Some(place) = head.strip_prefix("c ") else {
                fixture.expected.push((head.to_owned(), body));
                continue;
            };
            let (version, file) = place.split_once('/').unwrap_or((place, "main.c"));
            let version = if version.starts_with("v1") { 0 } else { 1 };
            fixture.versions[version].insert(file.to_owned(), body);
        }
        fixture
    }

    fn measure(&self, reading: Reading) -> Complexity {
        let files = |version: usize| {
            self.versions[version].iter().map(|(path, content)| (path.as_str(), content.as_bytes()))
        };
        let mut index = index_of(files(0));
        let touched = advance_to(&mut index, files(1));
        Complexity::of(&index, Changes::of(&index, &touched), reading)
    }

    fn check(&self, name: &str) {
        for (head, expect) in &self.expected {
            let readings: &[Reading] = match head.as_str() {
                "thesis" => &[Reading::Thesis],
                "full" => &[Reading::Full],
                "both" => &[Reading::Thesis, Reading::Full],
                other => panic!("{name}: what is {other}?"),
            };
            for &reading in readings {
                let found = self.render(&self.measure(reading));
                assert_eq!(found.trim(), expect.trim(), "{name}, {reading:?}: found\n{found}");
            }
        }
    }

    fn render(&self, complexity: &Complexity) -> String {
        let Ok(Some(graph)) = &complexity.graph else { return "no executable change".into() };
        let measure = graph.measure;
        let mut out = format!(
            "CyCC {} = {} - {} + {}, CLoC {}\n",
            graph.complexity(),
            measure.edges,
            measure.nodes,
            2 * measure.components,
            complexity.lines
        );
        let label = |vertex: u32| self.label(graph, vertex);
        for vertex in 0..graph.csg.vertices.len() as u32 {
            let targets: Vec<String> =
                graph.csg.successors[vertex as usize].iter().map(|&to| label(to)).collect();
            if vertex != END {
                out.push_str(&format!("{} -> {}\n", label(vertex), targets.join(" ")));
            }
        }
        for sequence in graph.sequences() {
            let labels: Vec<String> = sequence.into_iter().map(label).collect();
            out.push_str(&format!("({}) ", labels.join("-")));
        }
        out
    }

    fn label(&self, graph: &ChangeGraph, vertex: u32) -> String {
        let plain = graph.label(vertex);
        if vertex == START || vertex == END {
            return plain;
        }
        let place = &graph.changes[vertex as usize - 2];
        let line =
            self.versions[1].get(&*place.file).and_then(|text| text.lines().nth(place.line as usize - 1));
        let mark = line.and_then(|line| line.trim_end().strip_suffix("*/")?.rsplit_once("/*")).map(|it| it.1);
        let kind = plain
            .trim_start_matches(|c: char| c != ':')
            .trim_matches(|c: char| c == ':' || c.is_ascii_digit());
        let kind =
            if plain.contains(':') { kind } else { plain.trim_start_matches(|c: char| c.is_ascii_digit()) };
        mark.map_or(plain.clone(), |mark| format!("{}{kind}", mark.trim()))
    }
}
