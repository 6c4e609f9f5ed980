//! The specification's examples.

use super::support::{explored, model, show};
use hydrogen_machine::Program;

const E25: &str = "int main(void) { int x = in(\"x\"), y = in(\"y\"), z = in(\"z\"), s, out;\n\n\n int b = 2, a;\n if (x - y > 0)\n  a = x;\n else\n  a = y;\n if (x + y > 10)\n  b = a;\n if (z * z > 3)\n  s = 1;\n else\n  s = 2;\n out = b;\n hydrogen_output(\"out\", out);\n return 0; }\n";

#[test]
fn e25_has_three_conditions_in_the_printed_order() {
    let found = explored(E25, &[("x", 6), ("y", 2), ("z", 2)], &["out"]);
    let program = Program::load(vec![model(E25)], None);
    assert!(found.complete);
    let shown: Vec<String> = (0..found.tests.len()).map(|test| show(&found, &program, test)).collect();
    assert_eq!(shown, ["", ""]);
}
