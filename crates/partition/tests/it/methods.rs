//! Three versions, inputs with other names, simpler methods, judgements, and signatures.

use super::support::{Setting, input};
use hydrogen_explore::{ByPath, ByRsc, Observer, Options as Exploring, explore};
use hydrogen_machine::Program;
use hydrogen_partition::{
    Answers, Baseline, Cell, Judgement, Options, Partitioner, Rename, Status, Subject, Undefined,
    compare_signatures, judge, measure, signature,
};
use hydrogen_term::Pool;
use hydrogen_trace::{Criterion, Static};

fn w4(add: &str) -> String {
    format!(
        "int g(int i) {{\n int o = 0;\n int a = i{add};\n if (a > 0)\n  o = a;\n return o; }}\nint main(void) {{ hydrogen_output(\"o\", g(in(\"i\"))); return 0; }}"
    )
}

fn value(cell: &Cell, name: &str) -> i32 {
    let bytes = &cell.input.named[bstr::BStr::new(name)];
    i32::from_le_bytes(bytes[..4].try_into().unwrap())
}

/// W4 with a third version: equal for `i <= -2` alone.
#[test]
fn three_versions_of_an_incomplete_fix() {
    let sources = [w4(""), w4(" + 1"), w4(" + 2")];
    let setting = Setting::new(&sources.each_ref().map(String::as_str), Undefined::Excluded, &[]);
    let (mut found, _) = setting.explore(vec![input(&[("i", -5)])]);
    assert_eq!(found.status, Status::Complete);
    let equal: Vec<&Cell> = found.cells.iter().filter(|cell| cell.is_equal()).collect();
    assert!(matches!(equal.as_slice(), [cell] if value(cell, "i") <= -2));
    for cell in found.cells.iter().filter(|cell| !cell.is_equal()) {
        assert!(value(cell, "i") >= -1);
    }
    let share = found.share();
    assert!(share.equal.exact);
    assert_eq!(share.equal.low, (2f64.powi(31) - 1.0) / 2f64.powi(32));
}

/// The share is counted: half of the numbers are negative, and one of them is the regression.
#[test]
fn shares_are_counted() {
    let sources = [w4(""), w4(" + 1")];
    let setting = Setting::new(&sources.each_ref().map(String::as_str), Undefined::Counts, &[]);
    let (mut found, _) = setting.explore(vec![input(&[("i", -1)])]);
    let share = found.share();
    assert_eq!((share.equal.low, share.different.low, share.rest.low), (0.5, 0.5, 0.0));
    assert!(share.equal.exact && share.different.exact);
}

/// W6: the same parameters in another order are the same inputs under other names.
#[test]
fn renamed_and_added_inputs() {
    let old = "int main(void) { int a = in(\"a\"), b = in(\"b\"); hydrogen_output(\"o\", a < b); return 0; }";
    let swapped =
        "int main(void) { int x = in(\"b\"), y = in(\"a\"); hydrogen_output(\"o\", x < y); return 0; }";
    let setting = Setting::new(&[old, swapped], Undefined::Counts, &[]);
    let names = |common: &str, own: &str| Rename { version: 1, common: common.into(), own: own.into() };
    let renames = vec![names("a", "b"), names("b", "a")];
    let subject = Subject { renames, ..setting.subject() };
    let options = Options::default();
    let found =
        Partitioner::new(&subject, &options, vec![input(&[("a", 0), ("b", 0)])], Answers::default()).run();
    assert!(found.is_equal() && found.alarms.is_empty(), "{:?} {:?}", found.status, found.alarms);
    let (other, _) = setting.explore(vec![input(&[("a", 0), ("b", 0)])]);
    assert!(!other.is_equal() && other.status == Status::Complete);
    // An input that only the new version has is not looked at by the old one.
    let added = "int main(void) { int a = in(\"a\"), b = in(\"b\"), c = in(\"c\"); hydrogen_output(\"o\", (a < b) + (c == 7)); return 0; }";
    let setting = Setting::new(&[old, added], Undefined::Counts, &[]);
    let (found, _) = setting.explore(vec![input(&[])]);
    assert_eq!((found.status.clone(), found.alarms.len()), (Status::Complete, 0));
    assert!(found.cells.iter().all(|cell| cell.is_equal() == (value(cell, "c") != 7)));
}

/// D23, and D22: simpler methods find less, or take more.
#[test]
fn judgements_and_simpler_methods() {
    let sources = [w4(""), w4(" + 1")];
    let setting = Setting::new(&sources.each_ref().map(String::as_str), Undefined::Excluded, &[]);
    let right = "int g(int i) {\n int o = 0;\n int a = i;\n if (a > 0)\n  o = a + 1;\n return o; }\nint main(void) { hydrogen_output(\"o\", g(in(\"i\"))); return 0; }";
    let golden: Program = super::support::program(right, &[]);
    let (found, _) = setting.explore(vec![input(&[("i", -1)])]);
    let subject = setting.subject();
    let judged: Vec<_> =
        found.cells.iter().map(|cell| (value(cell, "i"), judge(&subject, &golden, cell))).collect();
    // The intended change is `i + 1` for positive numbers; zero is the regression.
    assert_eq!(judged, [(-1, None), (0, Some(Judgement::Regression)), (1, Some(Judgement::Progression))]);
    let options = Options::default();
    let given = || vec![input(&[("i", -1)])];
    let dart = measure(&subject, &options, given(), &Baseline::Dart);
    assert_eq!((dart.tests, dart.differences), (2, 1), "two paths of the new version");
    let express = measure(&subject, &options, given(), &Baseline::Express);
    assert_eq!(express.differences, 1);
    let random = measure(&subject, &options, given(), &Baseline::Random(300, Some(-2..=2)));
    let rate = random.rate.unwrap();
    assert!(rate.low < 0.6 && 0.6 < rate.high, "three of five numbers differ: {rate:?}");
}

/// E-29: of nine pairs of entries exactly one can differ, and a test shows it. By paths there are more pairs of the same power (F-D20).
#[test]
fn signatures_of_two_versions() {
    let source = |border: &str| {
        format!(
            "int main(void) {{ int x = in(\"x\"), y = in(\"y\"), z = in(\"z\"); int a, b, c, out;\n\
             if (x - y > {border}) a = x; else a = y;\n if (x + y > 10) b = a; else b = 2;\n\
             if (z * z > 3) c = 1; else c = 0;\n out = b; hydrogen_output(\"out\", out); return c; }}"
        )
    };
    let programs = ["0", "2"].map(|border| super::support::program(&source(border), &["-fwrapv"]));
    let world = hydrogen_machine::World::default();
    let how = Exploring { limits: super::support::limits(), ..Exploring::default() };
    let criteria = [Criterion::Output(hydrogen_trace::OutputName::Named("out".into()))];
    let mut counts = Vec::new();
    for by_slices in [true, false] {
        let mut pool = Pool::new();
        let statics = programs.each_ref().map(|program| Static::new(program, &["main"]));
        let entries = [0, 1].map(|at| {
            let rsc = ByRsc { statics: &statics[at], criteria: &criteria, check: false };
            let observer: &dyn Observer = if by_slices { &rsc } else { &ByPath };
            let found = explore(&programs[at], &world, input(&[]), &how, observer);
            assert!(found.alarms.is_empty());
            signature(&mut pool, &found)
        });
        let (exposed, unknown) =
            compare_signatures(&mut pool, &entries[0], &entries[1], &how.symbolic, &world);
        assert_eq!(unknown, 0);
        for one in &exposed {
            let outputs = programs.each_ref().map(|program| {
                program.run(world.with_input(&one.input), super::support::limits()).world.named_outputs
            });
            assert_ne!(outputs[0], outputs[1], "the test shows the difference");
        }
        counts.push((entries[0].len() * entries[1].len(), exposed.len()));
    }
    assert_eq!(counts[0], (9, 1));
    assert!(counts[1].0 > 9 && counts[1].1 >= 1, "{counts:?}");
}

/// E-30: two outputs, each with its own cases: six entries by slices, eight by paths.
#[test]
fn a_signature_of_two_outputs() {
    let source = "int main(void) { int x = in(\"x\"), y = in(\"y\"), z = in(\"z\"); int a, out, s;\n\
         if (x - y > 0) a = x; else a = y;\n if (x + y > 10) out = a; else out = 2;\n\
         if (z * z > 3) s = 1; else s = 0;\n\
         hydrogen_output(\"s\", s); hydrogen_output(\"out\", out); return 0; }";
    let program = super::support::program(source, &["-fwrapv"]);
    let world = hydrogen_machine::World::default();
    let how = Exploring { limits: super::support::limits(), ..Exploring::default() };
    let named = |name: &str| Criterion::Output(hydrogen_trace::OutputName::Named(name.into()));
    let criteria = [named("s"), named("out")];
    let statics = Static::new(&program, &["main"]);
    let rsc = ByRsc { statics: &statics, criteria: &criteria, check: false };
    let count = |observer: &dyn Observer| {
        let found = explore(&program, &world, input(&[]), &how, observer);
        assert!(found.alarms.is_empty());
        signature(&mut Pool::new(), &found).len()
    };
    assert_eq!((count(&rsc), count(&ByPath)), (6, 8));
}
