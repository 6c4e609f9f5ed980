//! The worked examples of the specification, one Markdown file each.
//!
//! Blocks ```` ```c v1.c ```` or ```` ```c v1/name.c ```` are the two versions. Blocks `thesis`, `full` and `both` state the
//! change sequence graph in that reading, or `no executable change`; blocks `interactions` state the graph of chapter 4, `slices` the
//! forward slices of the changes by line, and `dependences` what began and ceased. A line is called by the comment `/*N*/` at its end,
//! where it has one.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{
    ChangeGraph, Changed, Complexity, Dependence, END, Origins, Reading, START, Sided, StatementId,
    Transition, advance_to, export, import, index_of, interactions,
};
use hydrogen_testkit::Block;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

hydrogen_testkit::fixtures!(
    "fixtures",
    check,
    d19_deletions_affect = "d19-deletions-affect",
    e6_independent = "e6-independent",
    f10_braces_and_labels = "f10-braces-and-labels",
    f10_macro = "f10-macro",
    f10_variables = "f10-variables",
    f13_nothing_executable = "f13-nothing-executable",
    f8_statement_on_several_lines = "f8-statement-on-several-lines",
    f9_deletions = "f9-deletions",
    m1_renamed_everywhere = "m1-renamed-everywhere",
    m2_some_places_only = "m2-some-places-only",
    m3_one_call_for_another = "m3-one-call-for-another",
    recursion_and_exit = "recursion-and-exit",
    w1_three_changes = "w1-three-changes",
    w10_1_one_changed_line = "w10-1-one-changed-line",
    w10_2_nested_report = "w10-2-nested-report",
    w10_3_two_in_a_circle = "w10-3-two-in-a-circle",
    w11_a_shared_way = "w11-a-shared-way",
    w11_b_first_of_callee = "w11-b-first-of-callee",
    w11_c_one_after_the_other = "w11-c-one-after-the-other",
    w8_buffer_overflow = "w8-buffer-overflow",
    w9_cut = "w9-cut",
);

fn check(fixture: &hydrogen_testkit::Fixture, name: &str) {
    Fixture { versions: &fixture.versions, expected: &fixture.blocks }.check(name);
}

struct Fixture<'a> {
    /// The files of the two versions.
    versions: &'a [BTreeMap<String, String>],
    expected: &'a [Block],
}

impl Fixture<'_> {
    fn measure(&self, reading: Reading) -> Complexity {
        let files = |version: usize| {
            self.versions[version].iter().map(|(path, content)| (path.as_str(), content.as_bytes()))
        };
        let mut index = index_of(files(0));
        let touched = advance_to(&mut index, files(1));
        Complexity::of_step(&index, &touched, reading)
    }

    fn check(&self, name: &str) {
        for Block { head, text: expect } in self.expected {
            let head = head.join(" ");
            if let "interactions" | "slices" | "dependences" = head.as_str() {
                let found = match head.as_str() {
                    "slices" => self.slices(),
                    "dependences" => self.dependences(),
                    _ => self.interactions(),
                };
                assert_eq!(found.trim(), expect.trim(), "{name}, {head}: found\n{found}");
                continue;
            }
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

    fn step(&self) -> Transition {
        let files = |version: usize| {
            self.versions[version].iter().map(|(path, content)| (path.as_str(), content.as_bytes()))
        };
        let mut index = index_of(files(0));
        let touched = advance_to(&mut index, files(1));
        let read = |(path, content): (&str, &[u8])| {
            Arc::new(hydrogen_syntax::read(path, content, &hydrogen_syntax::Options::default()))
        };
        let dependence = |version: usize| Dependence::of(files(version).map(read).collect());
        Transition::new(index, &touched, dependence(0), dependence(1))
    }

    /// Dependences that began or ceased, by line; those between lines of one version only count for themselves.
    fn dependences(&self) -> String {
        let step = self.step();
        let label = |it: Sided| {
            let (dependence, at, version) = match it {
                Sided::New(at) => (&step.new, at, 1),
                Sided::Gone(at) => (&step.old, at, 0),
            };
            let (unit, function, piece) = dependence.place(at);
            let line = function.pieces[piece as usize].span.map(|span| span.start.line);
            let line = line.or(function.line()).unwrap_or(0);
            let old = if version == 0 { "old " } else { "" };
            format!("{old}{}", self.label_in(version, &unit.module.name, line))
        };
        let evolution = &step.evolution;
        let mut lines: Vec<String> = Vec::new();
        for (what, list) in [("begun", &evolution.begun), ("ceased", &evolution.ceased)] {
            lines.extend(list.iter().map(|it| format!("{what} {} on {}", label(it.dependent), label(it.on))));
        }
        lines.push(format!("kept {}", evolution.kept));
        lines.join("\n")
    }

    fn label_in(&self, version: usize, file: &str, line: u32) -> String {
        let text = self.versions[version].get(file).and_then(|text| text.lines().nth(line as usize - 1));
        let mark = text.and_then(|line| line.trim_end().strip_suffix("*/")?.rsplit_once("/*")).map(|it| it.1);
        mark.map_or(line.to_string(), |mark| mark.trim().to_owned())
    }

    fn line_label(&self, file: &str, line: u32) -> String {
        self.label_in(1, file, line)
    }

    fn interactions(&self) -> String {
        let graph = interactions(&self.step(), false).unwrap();
        assert_eq!(import(&export(&graph)).unwrap(), graph, "export and import");
        let label = |at: usize| self.line_label(&graph.nodes[at].file, graph.nodes[at].line);
        let mut out = String::new();
        for node in &graph.nodes {
            let on: Vec<String> = node.depends_on.iter().map(|&at| label(at)).collect();
            let line = self.line_label(&node.file, node.line);
            out.push_str(&format!("{:?} {line} on {}\n", node.kind, on.join(" ")).to_lowercase());
        }
        let ends: BTreeSet<Option<usize>> = graph.flow.iter().map(|edge| edge.0).collect();
        for from in ends {
            let to = graph.flow.iter().filter(|edge| edge.0 == from).map(|edge| edge.1);
            let mut to: Vec<String> = to.map(|to| to.map_or("exit".into(), label)).collect();
            to.sort();
            out.push_str(&format!("{} -> {}\n", from.map_or("entry".into(), label), to.join(" ")));
        }
        out + &format!("{:?}", graph.verdict).to_lowercase()
    }

    /// The lines that each change may affect; what is gone has a mark.
    fn slices(&self) -> String {
        let step = self.step();
        let mut out = String::new();
        for origin in Origins::of(&step).all {
            let slice = step.new.forward(origin.starts.iter().copied());
            let line = |at: usize| {
                let (unit, function, piece) = step.new.place(StatementId(at as u32));
                let line = function.pieces[piece as usize].span?.start.line;
                Some((unit.module.name.as_str(), line))
            };
            let lines: BTreeSet<(&str, u32)> =
                (0..step.new.len()).filter(|&at| slice[at]).filter_map(line).collect();
            let lines: Vec<String> =
                lines.into_iter().map(|(file, line)| self.line_label(file, line)).collect();
            let (version, mark) = match origin.what {
                Changed::Statement(_) => (1, ""),
                Changed::Deletion(..) => (1, "deleted before "),
                Changed::Head(_) => (1, "head "),
                Changed::Gone(_) => (0, "gone "),
            };
            let own = self.label_in(version, &origin.file, origin.line);
            out.push_str(&format!("{mark}{own} -> {}\n", lines.join(" ")));
        }
        out
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
