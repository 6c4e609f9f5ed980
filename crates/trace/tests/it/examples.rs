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

/// Lines of the relevant slice of standard output, jump statements counted.
fn with_jumps(source: &str, stdin: &str, bytes: Option<std::ops::Range<u64>>) -> Option<Vec<u32>> {
    let program = hosted(source)?;
    let statics = Static::new(&program, &["main"]).with_jumps();
    let (_, trace) = record(&program, World::new(["program"]).with_stdin(stdin));
    let asked = Options { bytes: bytes.clone().map(|range| (1, range)), ..Options::default() };
    let dependences = Dependences::new(&statics, &trace, &asked).unwrap();
    let criterion = match bytes {
        Some(range) => Criterion::Bytes(1, range),
        None => Criterion::Output(OutputName::Descriptor(1)),
    };
    let seeds = dependences.find(&criterion).unwrap();
    let slice = dependences.relevant_slice(&seeds).unwrap();
    // The way for one criterion and the way for many find the same.
    assert_eq!(slice, dependences.slices(&seeds, &[1]).unwrap().slice);
    let lines = hydrogen_trace::lines(&dependences, &slice, true).unwrap();
    Some(lines.into_iter().filter(|(_, line)| line.sliced > 0).map(|((_, line), _)| line).collect())
}

#[test]
fn a_jump_without_which_something_else_is_executed_is_in_the_slice() {
    let source = "#include <stdio.h>\nint main(void)\n{\nint x = 0, y = 0, c = getchar();\nswitch (c) {\ncase 'a':\nx = 1;\nbreak;\n\
        case 'b':\nx = 2;\n}\nfor (;;) {\nif (c == 'a')\nbreak;\ny++;\n}\nprintf(\"%d\\n\", x);\nreturn y;\n}\n";
    let Some(lines) = with_jumps(source, "a", None) else { return };
    assert!(lines.contains(&8), "without it x is 2: {lines:?}");
    let source = "#include <stdio.h>\nstatic int g;\nstatic void f(int c)\n{\nif (c == 'a') {\ng = 1;\nreturn;\n} else {\ng = 3;\n}\ng = 2;\n}\n\
        int main(void)\n{\nint i, n = 0;\nf(getchar());\nfor (i = 0; i < 3; i++) {\nif (i == 1)\ncontinue;\nn++;\n}\nif (n > 9)\ngoto out;\n\
        printf(\"%d%d\\n\", g, n);\nout:\nreturn 0;\n}\n";
    let Some(lines) = with_jumps(source, "a", None) else { return };
    // The successor of the return is behind the else; that of the continue counts once more.
    assert!(lines.contains(&7) && lines.contains(&19), "{lines:?}");
    let Some(lines) = with_jumps(source, "b", None) else { return };
    assert!(lines.contains(&11) && lines.contains(&5) && !lines.contains(&9), "{lines:?}");
}

#[test]
fn single_bytes_can_be_explained() {
    let source = "#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\nchar out[2];\nint a = getchar();\nint b = getchar();\n\
        out[0] = a + 1;\nout[1] = b + 2;\nwrite(1, out, 2);\nreturn 0;\n}\n";
    let Some(first) = with_jumps(source, "xy", Some(0..1)) else { return };
    assert!(first.contains(&6) && first.contains(&8) && !first.contains(&9), "{first:?}");
    let Some(second) = with_jumps(source, "xy", Some(1..2)) else { return };
    assert!(second.contains(&7) && second.contains(&9) && !second.contains(&8), "{second:?}");
}
