//! Conditions of any instance.

use super::support::{input, program, run};
use hydrogen_evidence::Input;
use hydrogen_explore::{Conjunct, Kind, show};
use hydrogen_machine::{Site, World};
use hydrogen_pair::{Condition, Facts, Pair, Ran};
use hydrogen_term::Term;
use hydrogen_testkit::generate::{PRELUDE, Style, program as generate};
use hydrogen_trace::Static;

fn all_inputs() -> Vec<Input> {
    (0..32).map(|bits| input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)])).collect()
}

/// The branches of a run, each with the places of all its conjuncts in the path: a `switch` has several.
fn branches(ran: &Ran) -> Vec<Vec<usize>> {
    let path = &ran.seen.path;
    let mut found: Vec<Vec<usize>> = Vec::new();
    for at in (0..path.len()).filter(|at| path[*at].kind == Kind::Branch) {
        match found.last_mut() {
            Some(last) if path[last[0]].instance == path[at].instance => last.push(at),
            _ => found.push(vec![at]),
        }
    }
    found
}

fn terms(ran: &Ran, of: &[usize]) -> Vec<Term> {
    of.iter().map(|at| ran.seen.path[*at].term).collect()
}

/// Conditions with their places, for a test that fails.
fn told(pair: &mut Pair<'_>, conjuncts: &[Conjunct]) -> String {
    let mut told = String::new();
    for one in conjuncts {
        let node = pair.nodes.at(0, one.site).unwrap();
        let line = pair.nodes.line(0, node).map_or(0, |it| it.1);
        told +=
            &format!("  {line} {:?} step {}: {}\n", one.kind, one.instance, show(&mut pair.pool, one.term));
    }
    told
}

/// Lemma 6.3 (INV-R3): an input that fulfils the condition of a branch without the branch's own part comes to the branch, with the
/// same operands: it decides the same question, and where it has decided the first of several alike, the next one too. And L2: one
/// that fulfils the condition of a statement's instances executes exactly these.
fn check(style: Style, numbers: std::ops::Range<u64>) {
    let text = numbers.clone().fold(PRELUDE.to_owned(), |text, number| text + &generate(number, style));
    let program = program(&text);
    let entries: Vec<String> = numbers.clone().map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = entries.iter().map(String::as_str).collect();
    let statics = Static::new(&program, &names);
    let mut pair = Pair::new(&[&program]);
    let (mut tried, mut fulfilled) = (0, 0);
    for entry in &entries {
        let mut world = World::default();
        world.entry = entry.clone();
        let runs: Vec<(Input, Ran)> = all_inputs()
            .into_iter()
            .map(|given| {
                let ran = run(&mut pair, &world, &given).pop().unwrap();
                (given, ran)
            })
            .collect();
        for (given, ran) in runs.iter().step_by(7) {
            let facts = Facts::new(&statics, ran).unwrap();
            let own = branches(ran);
            for branch in own.iter().rev().step_by(3) {
                let here = *ran.instances.at_step(ran.seen.path[branch[0]].instance).unwrap();
                for (part, at) in branch.iter().enumerate() {
                    let conjunct = ran.seen.path[*at];
                    let condition = facts.turning(*at).unwrap();
                    assert!(condition.holds(&pair.pool, given));
                    let turned = pair.pool.not(conjunct.term);
                    tried += 1;
                    for (other_input, other) in &runs {
                        if !condition.holds(&pair.pool, other_input) {
                            continue;
                        }
                        fulfilled += 1;
                        let same = |one: &Vec<usize>| {
                            let first = other.seen.path[one[0]];
                            let at = other.instances.at_step(first.instance);
                            first.site == conjunct.site
                                && at.is_some_and(|it| (it.index, it.node) == (here.index, here.node))
                                && one.len() > part
                                && terms(other, &one[..part]) == terms(ran, &branch[..part])
                                && [conjunct.term, turned].contains(&other.seen.path[one[part]].term)
                        };
                        let reached = branches(other).iter().any(same);
                        if !reached {
                            let shown = [&condition.conjuncts, &ran.seen.path, &other.seen.path]
                                .map(|list| told(&mut pair, list))
                                .join("\n");
                            let line = pair.nodes.line(0, here.node).map(|it| it.1);
                            panic!(
                                "{entry} {line:?} step {} {given:?} {other_input:?}\n{shown}\n{text}",
                                conjunct.instance
                            );
                        }
                    }
                }
            }
            if let Some(last) = own.last() {
                let node = ran.instances.at_step(ran.seen.path[last[0]].instance).unwrap().node;
                let sites = pair.nodes.sites(0, node);
                let condition = facts.same_instances(&statics, &sites).unwrap();
                let executed = |ran: &Ran| {
                    let own = ran.instances.all.iter().filter(|it| it.node == node);
                    own.map(|it| it.index).collect::<Vec<_>>()
                };
                for (other_input, other) in &runs {
                    if condition.holds(&pair.pool, other_input) {
                        assert_eq!(
                            executed(ran),
                            executed(other),
                            "{entry} {given:?} {other_input:?}\n{text}"
                        );
                    }
                }
            }
        }
    }
    assert!(tried > 0 && fulfilled >= tried);
}

fn numbers() -> std::ops::Range<u64> {
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let range = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "10"));
    range.0.parse().unwrap()..range.1.parse().unwrap()
}

#[test]
fn scalars() {
    check(Style::Scalars, numbers());
}

#[test]
fn memory() {
    check(Style::Memory, numbers());
}

#[test]
fn calls() {
    check(Style::Calls, numbers());
}

#[test]
fn jumps() {
    check(Style::Jumps, numbers());
}

#[test]
fn indices() {
    check(Style::Indices, numbers());
}

/// E-28: what keeps the run from faulting is part of the condition.
#[test]
fn checks_on_the_way_belong_to_the_condition() {
    let program = program(
        "int main(void) { int x = in(\"x\"), y = in(\"y\"); int a[2] = {0, 1}; int t[4] = {0}; t[y] = 1; int out;\n\
         if (a[x] > 0) out = 1; else out = 0; hydrogen_output(\"out\", out); return 0; }",
    );
    let statics = Static::new(&program, &["main"]);
    let mut pair = Pair::new(&[&program]);
    let ran = run(&mut pair, &World::default(), &input(&[("x", 0), ("y", 0)])).pop().unwrap();
    let facts = Facts::new(&statics, &ran).unwrap();
    let output = hydrogen_trace::Criterion::Output(hydrogen_trace::OutputName::Named("out".into()));
    let seeds = facts.dependences().find(&output).unwrap();
    let condition = facts.condition(&seeds).unwrap();
    let fits = |x: i32, y: i32| {
        let given = input(&[("x", x), ("y", y)]);
        condition.holds(&pair.pool, &given)
    };
    assert!(fits(0, 0) && fits(0, 3));
    assert!(!fits(1, 0), "another output");
    assert!(!fits(-1, 0) && !fits(2, 0) && !fits(0, 4) && !fits(0, -1), "a fault");
}

/// A statement that a fault comes before is not executed, whatever decides over it: so what keeps the fault away decides too, and
/// where the run ended with one, that it does.
#[test]
fn a_fault_keeps_statements_from_being_executed() {
    let program = program(
        "static int last(int x) { return x + 1; }\n\
         int main(void) { int x = in(\"x\"), y = in(\"y\"); int r = 0;\n\
         if (x > 0) { r = 7 / y;\n r = last(r); }\n return 0; }",
    );
    let statics = Static::new(&program, &["main"]);
    let mut pair = Pair::new(&[&program]);
    let at = |function| Site { function, pc: 0 };
    let condition = |pair: &mut Pair<'_>, x: i32, y: i32| {
        let ran = run(pair, &World::default(), &input(&[("x", x), ("y", y)])).pop().unwrap();
        let sites: Vec<Site> =
            program.ids().filter(|id| program.function(*id).name == "last").map(at).collect();
        Facts::new(&statics, &ran).unwrap().same_instances(&statics, &sites).unwrap()
    };
    let executed = condition(&mut pair, 1, 1);
    let faulted = condition(&mut pair, 1, 0);
    let left_out = condition(&mut pair, 0, 0);
    let fits = |of: &Condition, x: i32, y: i32| of.holds(&pair.pool, &input(&[("x", x), ("y", y)]));
    assert!(fits(&executed, 5, 3) && !fits(&executed, 5, 0) && !fits(&executed, 0, 3));
    assert!(fits(&faulted, 5, 0) && !fits(&faulted, 5, 3) && !fits(&faulted, 0, 0));
    assert!(fits(&left_out, -1, 0) && fits(&left_out, 0, 4) && !fits(&left_out, 5, 0));
}
