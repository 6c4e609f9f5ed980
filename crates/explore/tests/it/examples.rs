//! The specification's examples of relevant slices, as paths: what exploring by path must find of them.

use crate::support::{check, options, paths, paths_with, program, summary};
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, Exploration, Kind, Options, explore, show};
use hydrogen_machine::World;

/// A program that names some integers as input.
fn with_inputs(names: &[&str], body: &str) -> String {
    let declare = |name: &&str| format!("int {name}; hydrogen_symbolic(&{name}, sizeof {name}, \"{name}\");");
    let inputs: Vec<String> = names.iter().map(declare).collect();
    format!("void exit(int);\nint main(void) {{ {}\n{body}\nreturn 0; }}", inputs.join(" "))
}

/// Conditions and outputs of all tests.
fn signature(source: &str) -> Vec<String> {
    let mut found = paths(source);
    assert!(found.is_complete(), "{:?} {:?}", found.missing, found.alarms);
    let Exploration { tests, pool, .. } = &mut found;
    let mut entries: Vec<String> = tests
        .iter()
        .map(|test| {
            let branches = test.path.iter().filter(|one| one.kind == Kind::Branch);
            let condition: Vec<String> = branches.map(|one| show(pool, one.term)).collect();
            let output: Vec<String> = test.outputs.iter().map(|one| show(pool, one.value)).collect();
            format!("{}: {}", condition.join(" && "), output.join(", "))
        })
        .collect();
    entries.sort();
    entries
}

#[test]
fn e24_irrelevant_computation() {
    let program = |operator: &str| {
        with_inputs(
            &["inp1", "inp2"],
            &format!(
                "int x, y; if (inp1 {operator} 0) x = inp1 + 1; else x = inp1 - 1;\n\
                 if (inp2 > 0) y = inp2 + 1; else y = inp2 - 1; hydrogen_output(\"x\", x);"
            ),
        )
    };
    let four = |first: &str, second: &str| {
        let mut all = Vec::new();
        for (condition, x) in [(first, "inp1 + 1"), (second, "inp1 - 1")] {
            for other in ["inp2 < 1", "inp2 > 0"] {
                all.push(format!("{condition} && {other}: {x}"));
            }
        }
        all.sort();
        all
    };
    assert_eq!(signature(&program(">=")), four("inp1 > -1", "inp1 < 0"));
    assert_eq!(signature(&program(">")), four("inp1 > 0", "inp1 < 1"));
}

#[test]
fn e25_conditions_and_outputs() {
    let source = with_inputs(
        &["x", "y", "z"],
        "int a, b = 2, s; if (x - y > 0) a = x; else a = y; if (x + y > 10) b = a;\n\
         if (z * z > 3) s = 1; else s = 2; hydrogen_output(\"out\", b);",
    );
    let expected = [
        "x - y < 1 && x + y < 11 && z * z < 4: 2",
        "x - y < 1 && x + y < 11 && z * z > 3: 2",
        "x - y < 1 && x + y > 10 && z * z < 4: y",
        "x - y < 1 && x + y > 10 && z * z > 3: y",
        "x - y > 0 && x + y < 11 && z * z < 4: 2",
        "x - y > 0 && x + y < 11 && z * z > 3: 2",
        "x - y > 0 && x + y > 10 && z * z < 4: x",
        "x - y > 0 && x + y > 10 && z * z > 3: x",
    ];
    assert_eq!(signature(&source), expected);
    // E-29: the same with another border.
    let changed = signature(&source.replace("x - y > 0", "x - y > 2"));
    assert_eq!(changed.len(), 8);
    assert!(changed.contains(&"x - y > 2 && x + y > 10 && z * z > 3: x".to_owned()), "{changed:?}");
}

#[test]
fn e26_assignments_count() {
    let source = with_inputs(
        &["x"],
        "int a = 0, out; x = x - 1; if (x > 0) a = 1; out = a; hydrogen_output(\"out\", out);",
    );
    assert_eq!(signature(&source), ["x - 1 < 1: 0", "x - 1 > 0: 1"]);
}

#[test]
fn e27_one_exit_or_two_are_the_same() {
    let two = "int f(int x) { if (x > 0) return x + 1; else return x + 2; }";
    let one = "int f(int x) { int r; if (x > 0) r = x + 1; else r = x + 2; return r; }";
    let whole = |f: &str| format!("{f}\n{}", with_inputs(&["x"], "hydrogen_output(\"r\", f(x));"));
    assert_eq!(signature(&whole(two)), ["x < 1: x + 2", "x > 0: x + 1"]);
    assert_eq!(signature(&whole(one)), signature(&whole(two)));
}

#[test]
fn e30_two_outputs() {
    let source = with_inputs(
        &["x", "y", "z"],
        "int a, b = 2, s; if (x - y > 0) a = x; else a = y; if (x + y > 10) b = a;\n\
         if (z * z > 3) s = 1; else s = 2; hydrogen_output(\"s\", s); hydrogen_output(\"out\", b);",
    );
    let all = signature(&source);
    assert_eq!(all.len(), 8);
    let outputs: std::collections::BTreeSet<&str> =
        all.iter().filter_map(|one| one.split(": ").nth(1)).collect();
    assert_eq!(outputs.into_iter().collect::<Vec<_>>(), ["1, 2", "1, x", "1, y", "2, 2", "2, x", "2, y"]);
}

#[test]
fn e32_what_does_not_alias_does_not_matter() {
    let source = format!(
        "struct s {{ int num; }} one, two;\n{}",
        with_inputs(
            &["x"],
            "struct s *p = &one, *q = &two; if (x > 0) p->num = 0; hydrogen_output(\"out\", q->num);"
        )
    );
    assert_eq!(signature(&source), ["x < 1: 0", "x > 0: 0"]);
}

#[test]
fn n2_loops_end_where_the_input_says() {
    let source = with_inputs(
        &["n"],
        "hydrogen_assume(n >= 0 && n <= 3); int v = 0, i = 0; while (i < n) { v = v + 1; i = i + 1; } hydrogen_output(\"out\", v);",
    );
    // `&&` is a branch of its own.
    check(&source, &["1 assumption", "2 out=0", "3 out=1", "4 out=2", "5 out=3"]);
}

#[test]
fn n3_values_that_hang_together_change_together() {
    let source = with_inputs(&["x", "y"], "if (x == y) { if (x > 5) hydrogen_output(\"both\", x); }");
    let first = Input {
        named: [("x".into(), vec![3, 0, 0, 0]), ("y".into(), vec![3, 0, 0, 0])].into(),
        ..Input::default()
    };
    let program = program(&source, false);
    let found = explore(&program, &World::default(), first, &options(), &ByPath);
    assert!(found.is_complete());
    assert_eq!(found.tests.len(), 3);
}

#[test]
fn n5_a_control_parent_decides() {
    let source = with_inputs(
        &["y", "z"],
        "int o = 0; if (y == 0) { if (z == o) o = y; } hydrogen_output(\"out\", o);",
    );
    assert_eq!(signature(&source), ["y != 0: 0", "y == 0 && z != 0: 0", "y == 0 && z == 0: y"]);
}

#[test]
fn n6_an_exit_in_a_callee_is_a_path() {
    let source = format!(
        "void exit(int); static void chk(int v) {{ if (v < 0) exit(1); }}\n{}",
        with_inputs(&["x", "y"], "chk(x); hydrogen_output(\"out\", y);")
    );
    let program = program(&source, true);
    let mut found = explore(&program, &World::default(), Input::default(), &options(), &ByPath);
    if crate::support::has_library() {
        assert!(found.is_complete(), "{:?}", found.missing);
        assert_eq!(summary(&mut found), ["1 exit 1", "1 out=y"]);
    }
}

#[test]
fn n8_without_branches_there_is_one_path() {
    assert_eq!(signature(&with_inputs(&["y"], "int x = y * 2; hydrogen_output(\"out\", x);")), [": y * 2"]);
    let faults = Options { faults: true, ..options() };
    let source = with_inputs(&["y"], "int x = y * 2; hydrogen_output(\"out\", x);");
    assert_eq!(summary(&mut paths_with(&source, &faults)), ["0 out=y * 2", "0 signed-overflow 3"]);
}
