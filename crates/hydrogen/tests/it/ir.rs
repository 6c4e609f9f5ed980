//! `hydrogen ir`: the model of a version.

use crate::project::Project;

const SOURCE: &str =
    "int f(int a) {\n  if (a > 0 && a < 9)\n    return 1;\n  return 0;\n}\nint main(void) { return f(3); }\n";

#[test]
fn a_function_is_shown_with_its_statements() {
    let project = Project::with_versions(&[&[("a.c", SOURCE)]]);
    for options in [&[][..], &["--syntax"][..]] {
        let arguments = [&["ir", "v1", "--function", "f"], options].concat();
        let run = project.hydrogen(&arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(
            run.out.contains("a > 0") && run.out.contains("a < 9") && !run.out.contains("main"),
            "{run:?}"
        );
    }
}

#[test]
fn the_text_form_parses_back() {
    let project = Project::with_versions(&[&[("a.c", SOURCE)]]);
    let run = project.hydrogen(&["ir", "v1", "--unit", "a.c"]);
    let module = hydrogen_ir::text::parse(&run.out).unwrap();
    assert_eq!(hydrogen_ir::text::print(&module), run.out);
    hydrogen_ir::verify(&module).unwrap();
}

#[test]
fn dot_and_json_are_well_formed() {
    let project = Project::with_versions(&[&[("a.c", SOURCE)]]);
    let dot = project.hydrogen(&["ir", "v1", "--format", "dot", "-f", "f"]);
    assert!(dot.out.starts_with("digraph"), "{dot:?}");
    let json = project.hydrogen(&["ir", "v1", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(answer["units"][0]["functions"][0]["name"], "f");
}

#[test]
fn an_unknown_function_is_an_error_with_a_guess() {
    let project = Project::with_versions(&[&[("a.c", SOURCE)]]);
    let run = project.hydrogen(&["ir", "v1", "--function", "mian"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("mian") && run.err.contains("main"), "{run:?}");
}

#[test]
fn bitcode_files_are_versions() {
    let project = Project::with_versions(&[&[("a.c", SOURCE)]]);
    let compile = std::process::Command::new("clang-19")
        .args(["-g", "-O0", "-emit-llvm", "-c", "a.c"])
        .current_dir(project.root())
        .status()
        .unwrap();
    assert!(compile.success());
    let run = project.hydrogen(&["ir", "a.bc", "--function", "f"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("icmp"), "{run:?}");
}

#[test]
fn units_link_into_one_program() {
    let other =
        "static int f2(void) { return 2; }\nint g(void) { return f2(); }\nint f(int a) { return a; }\n";
    let project = Project::with_versions(&[&[("a.c", SOURCE), ("b.c", other)]]);
    let run = project.hydrogen(&["ir", "v1", "--link"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let module = hydrogen_ir::text::parse(&run.out).unwrap();
    hydrogen_ir::verify(&module).unwrap();
    assert_eq!(module.definitions().count(), 5, "the second f is kept, not lost");
    assert!(run.err.contains("`f`") || run.err.contains(" f"), "{run:?}");
    assert!(run.err.contains("a.c") && run.err.contains("b.c"), "{run:?}");
}
