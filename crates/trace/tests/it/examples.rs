//! Slices of the specification's examples.

use super::support::{bare, inputs, slices};
use hydrogen_trace::{Criterion, OutputName};

/// Lines of the dynamic and of the relevant slice of `out`; the program's first line is 1.
fn check(source: &str, input: &[(&str, i32)], dynamic: &[u32], relevant: &[u32]) {
    let prelude = "void hydrogen_symbolic(void *, unsigned long, const char *); void hydrogen_assume(unsigned long);\
        void hydrogen_output(const char *, long long); int in(const char *n) { int v; hydrogen_symbolic(&v, 4, n); return v; }";
    let source = format!("# 1 \"prelude.h\"\n{prelude}\n# 1 \"test.c\"\n{source}");
    let program = bare(&source);
    let criterion = Criterion::Output(OutputName::Named("out".into()));
    let (found, all) = slices(&program, inputs(input), &criterion);
    assert_eq!((found.as_slice(), all.as_slice()), (dynamic, relevant), "{source}");
}

const E25: &str = "int puts_stub;\nint main(void) {\n int x = in(\"x\"), y = in(\"y\"), z = in(\"z\"), out;\n int b = 2, a;\n if (x - y > 0)\n  a = x;\n else\n  a = y;\n if (x + y > 10)\n  b = a;\n if (z * z > 3)\n  puts_stub = 1;\n else\n  puts_stub = 2;\n out = b;\n hydrogen_output(\"out\", out);\n return 0; }\n";

#[test]
fn e25() {
    check(E25, &[("x", 6), ("y", 2), ("z", 2)], &[4, 15, 16], &[1, 3, 4, 9, 15, 16]);
}
