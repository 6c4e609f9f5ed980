//! Slices by line, output and end; execution indices.

use super::support::{bare, hosted, inputs, record, slices};
use hydrogen_machine::World;
use hydrogen_trace::{Criterion, Dependences, Options, OutputName, Seeds, Static};

const PRELUDE: &str = "void hydrogen_symbolic(void *, unsigned long, const char *); void hydrogen_output(const char *, long long);\
    static int in(const char *n) { int v; hydrogen_symbolic(&v, 4, n); return v; }\n";

fn line(line: u32, nth: Option<u64>) -> Criterion {
    Criterion::Line { file: "test.c".into(), line, nth }
}

fn check(source: &str, world: World, criterion: &Criterion, dynamic: &[u32], relevant: &[u32]) {
    let program = bare(&format!("{PRELUDE}{source}"));
    let (found, all) = slices(&program, world, criterion);
    assert_eq!((found.as_slice(), all.as_slice()), (dynamic, relevant), "{criterion:?}");
}

const LOOP: &str =
    "int main(void) {\nint x = 0, y = 0, i = 0;\nwhile (i < 3) {\nx += i;\ny += 2;\ni++;\n}\nreturn y;\n}\n";

#[test]
fn a_line_can_be_explained_by_its_execution() {
    // The prelude is line 1.
    check(LOOP, World::default(), &line(5, Some(1)), &[3, 4, 5], &[3, 4, 5]);
    check(LOOP, World::default(), &line(5, None), &[3, 4, 5, 7], &[3, 4, 5, 7]);
    check(LOOP, World::default(), &Criterion::End, &[3, 4, 6, 7, 9], &[3, 4, 6, 7, 9]);
}

#[test]
fn what_is_not_there_is_said() {
    let program = bare(&format!("{PRELUDE}{LOOP}"));
    let statics = Static::new(&program, &["main"]);
    let (_, trace) = record(&program, World::default());
    let dependences = Dependences::new(&statics, &trace, &Options::default()).unwrap();
    let message = |criterion: &Criterion| dependences.find(criterion).unwrap_err().to_string();
    assert_eq!(message(&line(5, Some(4))), "test.c:5 was executed 3 times in this run");
    assert_eq!(message(&line(99, None)), "no instruction of the program is at test.c:99");
    let stdout = Criterion::Output(OutputName::Descriptor(1));
    assert_eq!(message(&stdout), "the run gives out nothing as `stdout`");
}

#[test]
fn arguments_are_told_apart() {
    let source = "int pick(int a, int b, int c) {\nreturn a ? b : c;\n}\nint main(void) {\nint x = in(\"x\");\nint y = in(\"y\");\nint z = in(\"z\");\n\
        hydrogen_output(\"o\", pick(x, y, z));\nreturn 0; }\n";
    let of = Criterion::Output(OutputName::Named("o".into()));
    // What was not chosen is not in the slice, neither as a value nor as an argument.
    check(source, inputs(&[("x", 1), ("y", 2), ("z", 3)]), &of, &[1, 3, 6, 7, 9], &[1, 3, 6, 7, 9]);
}

#[test]
fn a_jump_back_explains_what_follows() {
    let Some(program) = hosted(
        "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf j;\nstatic void f(int n)\n{\nif (n > 1)\nlongjmp(j, n);\n}\n\
         int main(int argc, char **argv)\n{\nint r = setjmp(j);\nif (r == 0) {\nf(argc);\nputs(\"came back\");\n}\nreturn r;\n}\n",
    ) else {
        return;
    };
    let (_, relevant) =
        slices(&program, World::new(["program"]), &Criterion::Output(OutputName::Descriptor(1)));
    assert!(
        relevant.contains(&6) && relevant.contains(&14),
        "that it was written depends on the branch: {relevant:?}"
    );
    let (dynamic, _) = slices(&program, World::new(["program", "one"]), &Criterion::End);
    assert!(dynamic.contains(&6) && dynamic.contains(&7) && dynamic.contains(&11), "{dynamic:?}");
}

/// F-A13: a branch that is executed in two runs has the same index in both, whatever other branches do.
#[test]
fn the_same_branch_has_the_same_index() {
    let source = "int main(void) {\nint s = 0;\nif (in(\"x\") > 0) s = 1;\nfor (int i = 0; i < 3; i++)\nif (in(\"y\") > i) s++;\nreturn s;\n}\n";
    let program = bare(&format!("{PRELUDE}{source}"));
    let statics = Static::new(&program, &["main"]);
    let indices = |x: i32| {
        let (_, trace) = record(&program, inputs(&[("x", x), ("y", 1)]));
        let keep = Options { indices: hydrogen_trace::Indices::Branches, ..Options::default() };
        let dependences = Dependences::new(&statics, &trace, &keep).unwrap();
        let everything = dependences.relevant_slice(&Seeds::steps(1..=dependences.steps)).unwrap();
        let choices = dependences.choices(&everything, 0).unwrap();
        choices.iter().filter_map(|step| dependences.index(*step)).collect::<Vec<_>>()
    };
    let (one, other) = (indices(0), indices(1));
    assert_eq!(one, other);
    let different: std::collections::BTreeSet<u64> = one.iter().copied().collect();
    assert_eq!(different.len(), one.len(), "an index names one instance");
    assert_eq!(one.len(), 8);
}
