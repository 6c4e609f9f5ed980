//! INV-R1, INV-R3, INV-R9, INV-R11 and INV-R13: what other dependences, other forms of the code and static slices do to conditions.

use super::static_slice::ByStaticSlice;
use super::support::{input, model, options, with_header};
use super::theorems::{Seen, criterion, run};
use hydrogen_evidence::Input;
use hydrogen_explore::{
    ByRsc, Concolic, Kind, Observation, Observer, Setting, conclude, explore, holds, relevant,
};
use hydrogen_machine::{Program, World};
use hydrogen_term::{Pool, Term};
use hydrogen_testkit::generate::{PRELUDE, Style, program};
use hydrogen_testkit::pool;
use hydrogen_trace::{Both, Dependences, Indices, Options, Recorder, Seeds, Static};
use std::process::Command;

const INPUTS: i32 = 32;

/// A branch of a run: what names it in every run, and what holds.
type Named = ((u64, u32), Term);

/// The branches of a run that the input decides, each with those of its own relevant slice; INV-R1 is checked on the way.
fn branches(statics: &Static<'_>, world: &World, input: &Input, pool: &mut Pool) -> Vec<(Named, Vec<Named>)> {
    let world = world.with_input(input);
    let symbolic = options().symbolic;
    let mut concolic = Concolic::new(statics.program(), &symbolic, &world, std::mem::take(pool));
    concolic.every = true;
    let run = statics.program().run_with(world, options().limits, Both(Recorder::default(), concolic));
    let Both(recorder, mut concolic) = run.monitor;
    concolic.finish(&run.end, |pool, term| holds(pool, input, term));
    let Concolic { pool: terms, path, somewhere, .. } = concolic;
    *pool = terms;
    let how = Options { anywhere: somewhere, indices: Indices::Branches, ..Options::default() };
    let trace = recorder.finish().unwrap();
    let dependences = Dependences::new(statics, &trace, &how).unwrap();
    let mut all = Vec::new();
    let mut steps: Vec<u64> =
        path.iter().filter(|one| one.kind == Kind::Branch).map(|one| one.instance).collect();
    steps.dedup();
    for step in steps {
        let seeds = Seeds::steps([step]);
        // INV-R1: what decides a dynamic slice decides the relevant one, and is on the path.
        let (dynamic, whole) =
            (dependences.dynamic_slice(&seeds).unwrap(), dependences.relevant_slice(&seeds).unwrap());
        assert!((1..=dependences.steps).all(|step| !dynamic.contains(step) || whole.contains(step)));
        let found = relevant(&dependences, &path, &seeds, false).unwrap();
        assert!(found.branches.iter().all(|one| path.contains(&one.conjunct)));
        let name = |one: &hydrogen_explore::RelevantBranch| ((one.index, one.part), one.conjunct.term);
        let (own, before): (Vec<_>, Vec<_>) =
            found.branches.iter().partition(|one| one.conjunct.instance == step);
        let before: Vec<Named> = before.into_iter().map(name).collect();
        all.extend(own.into_iter().map(|one| (name(one), before.clone())));
    }
    all
}

/// INV-R3, L-6.3: who fulfils what a branch depends on executes it, with the same operands; where it goes is open.
#[test]
fn what_a_branch_depends_on_leads_to_it() {
    for style in [Style::Scalars, Style::Calls, Style::Whole] {
        let numbers = 100..106;
        let program = Program::load(vec![model(&source(numbers.clone(), style))], None);
        let names = entries(numbers.clone());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let statics = Static::new(&program, &names);
        for number in numbers {
            let mut pool = Pool::new();
            let runs: Vec<_> = (0..INPUTS)
                .step_by(3)
                .map(|bits| (values(bits), branches(&statics, &started_at(number), &values(bits), &mut pool)))
                .collect();
            for (_, one) in &runs {
                for ((name, term), before) in one.iter().filter(|one| one.0.0.1 == 0) {
                    let negated = pool.not(*term);
                    for (input, other) in &runs {
                        if !before.iter().all(|(_, term)| holds(&pool, input, *term)) {
                            continue;
                        }
                        let same = |one: &&(Named, Vec<Named>)| one.0.0 == *name;
                        let found = other.iter().find(same).map(|one| one.0.1);
                        assert!(
                            found == Some(*term) || found == Some(negated),
                            "p{number} {style:?} {input:?}"
                        );
                    }
                }
            }
        }
    }
}

fn values(bits: i32) -> Input {
    input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)])
}

fn source(numbers: std::ops::Range<u64>, style: Style) -> String {
    numbers.fold(PRELUDE.to_owned(), |all, number| all + &program(number, style))
}

fn started_at(number: u64) -> World {
    let mut world = World::default();
    world.entry = format!("p{number}");
    world
}

fn entries(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| format!("p{number}")).collect()
}

fn all_runs(statics: &Static<'_>, number: u64, pool: &mut Pool) -> Vec<Seen> {
    (0..INPUTS).map(|bits| run(statics, &started_at(number), values(bits), pool)).collect()
}

/// INV-R9: an analysis of pointers that knows nothing only makes conditions finer. The outputs stay, and exploring stays complete.
#[test]
fn more_dependences_only_refine_the_partition() {
    let numbers = 0..12;
    let program = Program::load(vec![model(&source(numbers.clone(), Style::Memory))], None);
    let names = entries(numbers.clone());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let precise = Static::new(&program, &names);
    let coarse = Static::with_budget(&program, &names, 0);
    assert!(precise.is_precise() && !coarse.is_precise());
    let mut finer = 0;
    for number in numbers {
        let mut pool = Pool::new();
        let (few, many) = (all_runs(&precise, number, &mut pool), all_runs(&coarse, number, &mut pool));
        for one in 0..few.len() {
            assert_eq!(few[one].outputs, many[one].outputs);
            for other in 0..one {
                let (together, apart) = (
                    many[one].condition == many[other].condition,
                    few[one].condition != few[other].condition,
                );
                assert!(!(together && apart), "p{number}: inputs {one} and {other}");
                finer += usize::from(!together && !apart);
            }
        }
        let criteria = [criterion()];
        let by_rsc = ByRsc { statics: &coarse, criteria: &criteria, check: true };
        let found = explore(&program, &started_at(number), Input::default(), &options(), &by_rsc);
        assert!(found.is_complete(), "p{number}: {:?} {:?}", found.alarms, found.missing);
    }
    assert!(finer > 0, "some program should show a difference");
}

/// Conditions without potential dependence.
struct WithoutPotential<'s, 'p>(&'s Static<'p>);

impl Observer for WithoutPotential<'_, '_> {
    fn observe(&self, setting: Setting<'_>, input: &Input, pool: &mut Pool) -> Observation {
        let world = setting.world.with_input(input);
        let mut concolic = Concolic::new(setting.program, setting.symbolic, &world, std::mem::take(pool));
        concolic.every = true;
        let run =
            setting.program.run_with(world, setting.limits.clone(), Both(Recorder::default(), concolic));
        let Both(recorder, monitor) = run.monitor;
        let seen = conclude(monitor, run.end, run.world, run.statistics.steps, input, pool);
        let how = Options { indices: Indices::Branches, potential: false, ..Options::default() };
        let trace = recorder.finish().unwrap();
        let dependences = Dependences::new(self.0, &trace, &how).unwrap();
        let seeds = dependences.find(&criterion()).unwrap();
        let found = relevant(&dependences, &seen.path, &seeds, false).unwrap();
        Observation { condition: Some(found.conjuncts()), ..seen }
    }
}

/// INV-R9, the other half: with dependences missing the alarm goes off.
#[test]
fn without_potential_dependence_the_prefix_property_breaks() {
    let numbers = 0..40;
    let program = Program::load(vec![model(&source(numbers.clone(), Style::Scalars))], None);
    let names = entries(numbers.clone());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let statics = Static::new(&program, &names);
    let mut alarms = 0;
    for number in numbers {
        let observer = WithoutPotential(&statics);
        let found = explore(&program, &started_at(number), Input::default(), &options(), &observer);
        alarms += found.alarms.len();
    }
    assert!(alarms > 0);
}

/// The same source as memory form and as SSA form with φ at the exits of loops.
fn forms(source: &str) -> Option<[hydrogen_ir::Module; 2]> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("test.c"), with_header(source)).unwrap();
    let done = |command: &mut Command| {
        command.current_dir(folder.path()).output().is_ok_and(|one| one.status.success())
    };
    let compiled = done(Command::new("clang-19").args([
        "-O0",
        "-g",
        "-w",
        "-Xclang",
        "-disable-O0-optnone",
        "-S",
        "-emit-llvm",
        "test.c",
        "-o",
        "memory.ll",
    ]));
    assert!(compiled);
    let passes = ["-passes=mem2reg,loop-simplify,lcssa", "-S", "memory.ll", "-o", "ssa.ll"];
    if !done(Command::new("opt-19").args(passes)) {
        hydrogen_testkit::skip("there is no opt-19");
        return None;
    }
    Some(["memory.ll", "ssa.ll"].map(|name| {
        let model = pool().bitcode(&path(name), folder.path()).unwrap();
        hydrogen_ir::decode(&model.module).unwrap()
    }))
}

/// Conditions by line and by which inputs fulfil them.
fn by_line(program: &Program, pool: &Pool, seen: &Seen) -> Vec<(u32, u32)> {
    let fulfilled = |term: Term| {
        (0..INPUTS).fold(0, |all, bits| all | u32::from(holds(pool, &values(bits), term)) << bits)
    };
    let both = seen.condition.iter().zip(&seen.sites);
    both.map(|(one, site)| (program.place(*site).line, fulfilled(one.2))).collect()
}

/// INV-R11: memory form and SSA form give the same branches for each input. One thing is lost in making SSA form: a φ whose values
/// are all the same is none, so a branch that decides only whether a variable is set to what it holds already (`w = w`) is in the
/// conditions of the memory form alone.
#[test]
fn memory_form_and_ssa_form_agree() {
    let numbers = 0..40;
    let Some(models) = forms(&source(numbers.clone(), Style::Scalars)) else { return };
    let programs = models.map(|model| Program::load(vec![model], None));
    let names = entries(numbers.clone());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let statics = [0, 1].map(|form| Static::new(&programs[form], &names));
    for number in numbers {
        let mut pool = Pool::new();
        let text = program(number, Style::Scalars);
        let sets_to_itself = text.lines().any(|line| {
            line.trim()
                .strip_suffix(';')
                .and_then(|line| line.split_once(" = "))
                .is_some_and(|(to, from)| to == from)
        });
        let [memory, ssa] = [0, 1].map(|form| all_runs(&statics[form], number, &mut pool));
        for (bits, (one, other)) in memory.iter().zip(&ssa).enumerate() {
            let [one, other] =
                [(0, one), (1, other)].map(|(form, seen)| by_line(&programs[form], &pool, seen));
            let less = other.iter().all(|branch| one.contains(branch));
            assert!(less, "p{number}, input {bits}\n{text}");
            assert!(one.len() == other.len() || sets_to_itself, "p{number}, input {bits}\n{text}");
        }
    }
}

/// How many tests a program has by static slices and by relevant-slice conditions.
fn counts(program: &Program, entry: &str) -> (usize, usize) {
    let mut world = World::default();
    world.entry = entry.to_owned();
    let by_static = ByStaticSlice::new(program, entry);
    let by_static = explore(program, &world, Input::default(), &options(), &by_static);
    assert!(by_static.is_complete(), "{entry}: {:?} {:?}", by_static.alarms, by_static.missing);
    let statics = Static::new(program, &[entry]);
    let criteria = [criterion()];
    let by_rsc = ByRsc { statics: &statics, criteria: &criteria, check: true };
    let by_rsc = explore(program, &world, Input::default(), &options(), &by_rsc);
    assert!(by_rsc.is_complete(), "{entry}: {:?} {:?}", by_rsc.alarms, by_rsc.missing);
    (by_static.tests.len(), by_rsc.tests.len())
}

/// INV-R13: static slices give at least as many tests; E-25 four and three.
#[test]
fn static_slices_give_no_fewer_tests() {
    let e25 = "int seen; int main(void) { int x = in(\"x\"), y = in(\"y\"), z = in(\"z\"), b = 2, a;\n\
        if (x - y > 0) a = x; else a = y;\nif (x + y > 10) b = a;\nif (z * z > 3) seen = 1; else seen = 2;\n\
        hydrogen_output(\"out\", b); return 0; }";
    let program = Program::load(vec![model(e25)], None);
    assert_eq!(counts(&program, "main"), (4, 3));
    let numbers = 0..20;
    let program = Program::load(vec![model(&source(numbers.clone(), Style::Scalars))], None);
    for entry in entries(numbers) {
        let (by_static, by_rsc) = counts(&program, &entry);
        assert!(by_static >= by_rsc, "{entry}: {by_static} and {by_rsc}");
    }
}
