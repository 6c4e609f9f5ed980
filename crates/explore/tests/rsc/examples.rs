//! The specification's examples: `examples.md` holds programs and what must be found. `UPDATE_EXPECT=1` writes what is.

use super::support::{criteria, input, model, options};
use hydrogen_evidence::Input;
use hydrogen_explore::{
    ByPath, ByRsc, Conjunct, Explained, Exploration, Kind, Options, Symbolic, explain, explore, risks,
};
use hydrogen_machine::{End, Program, World};
use hydrogen_term::{Pool, Term};
use hydrogen_trace::{Criterion, Dependences, Recorder, Slice, Static, lines};
use std::fmt::Write;

/// A program with its first input.
struct Example<'a> {
    name: &'a str,
    source: &'a str,
    first: Vec<(&'a str, i32)>,
    outputs: Vec<&'a str>,
    expected: &'a str,
}

/// The text between two marks, and what follows.
fn between<'a>(text: &'a str, from: &str, to: &str) -> (&'a str, &'a str) {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in {text}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to:?} in {text}"))
}

fn examples(text: &str) -> Vec<Example<'_>> {
    text.split("\n## ")
        .skip(1)
        .map(|section| {
            let (name, _) = section.split_once('\n').unwrap();
            let (source, rest) = between(section, "```c\n", "```");
            let (words, rest) = between(rest, "From ", ".\n");
            let (values, outputs) = words.split_once(", explain ").unwrap();
            let first = values
                .split_whitespace()
                .map(|pair| pair.split_once('=').unwrap())
                .map(|(name, value)| (name, value.parse().unwrap()))
                .collect();
            let (expected, _) = between(rest, "```text\n", "```");
            Example { name, source, first, outputs: outputs.split_whitespace().collect(), expected }
        })
        .collect()
}

/// A term with inputs of four bytes by their names.
fn to_c(pool: &Pool, term: Term) -> String {
    let mut text = pool.to_c(term);
    for name in ["x", "y", "z", "w", "i", "n", "inp1", "inp2"] {
        let whole = format!("concat(mem:{name}[3], mem:{name}[2], mem:{name}[1], mem:{name}[0])");
        text = text.replace(&whole, name);
    }
    text
}

fn show(found: &Exploration, program: &Program) -> String {
    let mut out = String::new();
    for (number, test) in found.tests.iter().enumerate() {
        let branch = |one: &Conjunct| {
            let line = program.place(one.site).line;
            format!("L{line}: {}", to_c(&found.pool, one.term))
        };
        let branches: Vec<&Conjunct> =
            test.condition().iter().filter(|one| one.kind == Kind::Branch).collect();
        let shown: Vec<String> = branches.iter().map(|one| branch(one)).collect();
        let condition = if shown.is_empty() { "true".to_owned() } else { shown.join(" && ") };
        let outputs: Vec<String> = test
            .outputs
            .iter()
            .map(|one| format!("{} = {}", one.name, to_c(&found.pool, one.value)))
            .collect();
        let outputs = match &test.end {
            End::Exit(_) => outputs.join(", "),
            End::Fault(fault) => fault.kind.to_string(),
            end => format!("{end:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
        };
        let from = test.from.map_or(String::new(), |(test, at)| {
            let line = program.place(found.tests[test].condition()[at].site).line;
            format!(" from {} at L{line}", test + 1)
        });
        let _ = writeln!(out, "{}{from}. {condition} → {outputs}", number + 1);
    }
    out
}

fn found(example: &Example<'_>) -> String {
    let program = Program::load(vec![model(example.source)], None);
    let statics = Static::new(&program, &["main"]);
    let criteria = criteria(&example.outputs);
    let mut out = String::new();
    // The slices of the first run.
    let world = World::default().with_input(&input(&example.first));
    let run = program.run_with(world, options().limits, Recorder::default());
    let trace = run.monitor.finish().unwrap();
    let dependences = Dependences::new(&statics, &trace, &Default::default()).unwrap();
    let mut seeds = hydrogen_trace::Seeds::default();
    criteria.iter().for_each(|one| seeds.extend(dependences.find(one).unwrap_or_default()));
    for (kind, slice) in [
        ("dynamic", dependences.dynamic_slice(&seeds).unwrap()),
        ("relevant", dependences.relevant_slice(&seeds).unwrap()),
    ] {
        let _ = writeln!(out, "{kind} slice: {}", sliced(&dependences, &slice));
    }
    let by_path = explore(&program, &World::default(), input(&example.first), &options(), &ByPath);
    let found = explored(&statics, input(&example.first), &example.outputs, &options());
    assert_eq!((&found.alarms, &by_path.alarms), (&vec![], &vec![]), "{}", example.name);
    out.push_str(&show(&found, &program));
    for risk in risks(&program, &found) {
        let behind = risk.behind.map_or(String::new(), |branch| format!(" behind L{}", branch.line));
        let _ = writeln!(out, "warning: L{}: {}{behind}", risk.place.line, risk.kind.name());
    }
    let complete = |complete: bool| if complete { "complete" } else { "not complete" };
    let _ = writeln!(
        out,
        "{} conditions, {}; {} paths, {}",
        found.tests.len(),
        complete(found.is_complete()),
        by_path.tests.len(),
        complete(by_path.is_complete())
    );
    out
}

/// Explores by the conditions of these outputs.
fn explored(statics: &Static<'_>, first: Input, outputs: &[&str], options: &Options) -> Exploration {
    let criteria = criteria(outputs);
    let by_rsc = ByRsc { statics, criteria: &criteria, check: true };
    explore(statics.program(), &World::default(), first, options, &by_rsc)
}

/// The lines of the program in a slice.
fn sliced(dependences: &Dependences<'_, '_>, slice: &Slice) -> String {
    let all = lines(dependences, slice, true).unwrap();
    let of_slice = all.iter().filter(|((file, _), line)| file.ends_with("test.c") && line.sliced > 0);
    let names: Vec<String> = of_slice.map(|((_, line), _)| line.to_string()).collect();
    names.join(" ")
}

#[test]
fn examples_are_explored_as_printed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rsc/examples.md");
    let mut text = std::fs::read_to_string(path).unwrap();
    let original = text.clone();
    let mut wrong = Vec::new();
    for example in examples(&original) {
        let found = found(&example);
        if found != example.expected {
            wrong.push(format!("{}\nexpected:\n{}found:\n{found}", example.name, example.expected));
            let section = original.find(&format!("\n## {}", example.name)).unwrap();
            let head = &original[section..section + original[section..].find("```text\n").unwrap() + 8];
            text = text.replace(&format!("{head}{}```", example.expected), &format!("{head}{found}```"));
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, text).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// F-D11: E-25 backwards, as printed in Table 6.3; what comes after it is the call in `main`, where the input comes in.
#[test]
fn the_main_example_is_explained_backwards() {
    let text = include_str!("examples.md");
    let name = "E-25 Main example, the second run";
    let example = examples(text).into_iter().find(|one| one.name.starts_with(name)).unwrap();
    let program = Program::load(vec![model(example.source)], None);
    let statics = Static::new(&program, &["main"]);
    let world = World::default().with_input(&input(&example.first));
    let run = program.run_with(world.clone(), options().limits, Recorder::default());
    let trace = run.monitor.finish().unwrap();
    let dependences = Dependences::new(&statics, &trace, &Default::default()).unwrap();
    let line = Criterion::Line { file: "test.c".into(), line: 16, nth: None };
    let seeds = dependences.find(&line).unwrap();
    let slice = dependences.relevant_slice(&seeds).unwrap();
    let what = Explained::Steps(seeds.numbers());
    let explained = explain(&program, &Symbolic::default(), world, options().limits, &slice, &what);
    let mut table = String::new();
    for row in explained.rows {
        let line = row.site.map_or(0, |site| program.place(site).line);
        let values: Vec<String> = row.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let condition = if row.condition.is_empty() { "true".into() } else { row.condition.join(" && ") };
        let _ = writeln!(table, "L{line} | {} | {{{}}} | {condition}", values.join(", "), row.open.join(","));
    }
    expect_test::expect![[r#"
        L16 |  | {out} | true
        L15 | out=b | {b} | true
        L10 | out=a, b=a | {a} | true
        L9 | out=a, b=a | {a,x,y} | x + y > 10
        L6 | out=x, b=x, a=x | {x,y} | x + y > 10
        L5 | out=x, b=x, a=x | {x,y} | x - y > 0 && x + y > 10
        L19 | out=x, b=x, a=x, y=y, x=x | {} | x - y > 0 && x + y > 10
    "#]]
    .assert_eq(&table);
}

/// INV-R8: the conditions are the same from every first input.
#[test]
fn the_first_input_does_not_matter() {
    let text = include_str!("examples.md");
    let example = examples(text).into_iter().find(|one| one.name.starts_with("E-25")).unwrap();
    let program = Program::load(vec![model(example.source)], None);
    let statics = Static::new(&program, &["main"]);
    let mut all = Vec::new();
    for first in [[6, 2, 2], [0, 0, 0], [5, 6, 0], [-3, 20, 1]] {
        let first = input(&[("x", first[0]), ("y", first[1]), ("z", first[2])]);
        let found = explored(&statics, first, &["out"], &options());
        let text = show(&found, &program);
        let mut lines: Vec<String> =
            text.lines().map(|line| line.split_once(". ").unwrap().1.to_owned()).collect();
        lines.sort();
        all.push(lines);
    }
    assert!(all.iter().all(|lines| *lines == all[0]), "{all:#?}");
}

/// F-D8: the eight paths of E-25 fall into groups of four, two and two.
#[test]
fn paths_share_conditions() {
    let text = include_str!("examples.md");
    let example = examples(text).into_iter().find(|one| one.name.starts_with("E-25")).unwrap();
    let program = Program::load(vec![model(example.source)], None);
    let statics = Static::new(&program, &["main"]);
    let none = Options { runs: 1, ..options() };
    let by_path = explore(&program, &World::default(), Input::default(), &options(), &ByPath);
    let mut groups: std::collections::BTreeMap<String, usize> = Default::default();
    for test in &by_path.tests {
        let found = explored(&statics, test.input.clone(), &["out"], &none);
        *groups.entry(show(&found, &program)).or_default() += 1;
    }
    let mut sizes: Vec<usize> = groups.into_values().collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [2, 2, 4]);
}

/// E-28, E-31: an index outside of the array is an outcome of its own where faults are looked for.
#[test]
fn faults_are_found_by_relevant_slices_too() {
    let text = include_str!("examples.md");
    for name in ["E-28", "E-31"] {
        let example = examples(text).into_iter().find(|one| one.name.starts_with(name)).unwrap();
        let program = Program::load(vec![model(example.source)], None);
        let statics = Static::new(&program, &["main"]);
        let options = Options { faults: true, ..options() };
        let found = explored(&statics, input(&example.first), &example.outputs, &options);
        assert_eq!(found.alarms, []);
        let faults = found.tests.iter().filter(|test| matches!(test.end, End::Fault(_))).count();
        assert_eq!(faults, 1, "{name}\n{}", show(&found, &program));
    }
}

/// E-29: of the nine pairs of conditions of two versions, one can be fulfilled with different outputs.
#[test]
fn one_pair_of_conditions_tells_the_versions_apart() {
    let text = include_str!("examples.md");
    let all = examples(text);
    let mut signatures = Vec::new();
    let mut pool = Pool::new();
    for name in ["E-25", "E-29"] {
        let example = all.iter().find(|one| one.name.starts_with(name)).unwrap();
        let program = Program::load(vec![model(example.source)], None);
        let statics = Static::new(&program, &["main"]);
        let found = explored(&statics, input(&example.first), &["out"], &options());
        let mut importer = hydrogen_term::Importer::new(&found.pool);
        let mut entries: Vec<(Vec<Term>, Term)> = Vec::new();
        for test in &found.tests {
            let terms = test.condition().iter().map(|one| importer.import(&mut pool, one.term)).collect();
            entries.push((terms, importer.import(&mut pool, test.outputs[0].value)));
        }
        signatures.push(entries);
    }
    let mut engine = hydrogen_term::Engine::new(hydrogen_term::standard(), Default::default());
    let mut differ = 0;
    for (old, out) in &signatures[0] {
        for (new, other) in &signatures[1] {
            let mut all: Vec<Term> = old.iter().chain(new).copied().collect();
            let (a, b) = (pool.resize_unsigned(*out, 64), pool.resize_unsigned(*other, 64));
            all.push(pool.ne(a, b));
            differ += u32::from(matches!(engine.check(&mut pool, &all), hydrogen_term::Answer::Sat(_)));
        }
    }
    assert_eq!(differ, 1);
}
