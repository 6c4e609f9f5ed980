//! The identity of a unit: equal where models are equal, different where they differ.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use hydrogen_lowering::unit::identify;
use std::path::Path;

fn identity(folder: &Path, content: &str, flags: &[&str]) -> [u8; 32] {
    let file = folder.join("unit.c");
    std::fs::write(&file, content).unwrap();
    std::fs::write(folder.join("unit.h"), "#define ONE 1\nint g(int);\n").unwrap();
    identify(&support::command(&file, flags)).unwrap().hash
}

fn check(left: &str, right: &str, equal: bool) {
    // Two folders: the place of the version must not matter.
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (left_hash, right_hash) = (identity(here.path(), left, &[]), identity(there.path(), right, &[]));
    assert_eq!(left_hash == right_hash, equal, "{left:?} and {right:?}");
}

#[test]
fn equal_models_have_equal_identities() {
    check("int f(void) { return 1; }", "int f(void) { return 1; }", true);
    check(
        "#include \"unit.h\"\nchar *f = __FILE__ __DATE__ __TIME__;",
        "#include \"unit.h\"\nchar *f = __FILE__ __DATE__ __TIME__;",
        true,
    );
    check("int f(void) { return 1; } // a", "int f(void) { return 1; } // another", true);
}

#[test]
fn the_text_before_expansion_and_places_count() {
    check(
        "#include \"unit.h\"\nint f(void) { return g(ONE); }",
        "#include \"unit.h\"\nint f(void) { return g(  1); }",
        false,
    );
    check("int f(void) { return 1; }", "int f(void) {  return 1; }", false);
    check("int f(void) { return 1; }", "\nint f(void) { return 1; }", false);
    check(
        "#pragma pack(1)\nstruct s { char c; int i; } s;",
        "#pragma pack(2)\nstruct s { char c; int i; } s;",
        false,
    );
}

#[test]
fn options_count_where_they_change_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let text = "char c = 200; int f(void) { return c; }";
    let plain = identity(folder.path(), text, &[]);
    assert_ne!(plain, identity(folder.path(), text, &["-funsigned-char"]));
    assert_eq!(plain, identity(folder.path(), text, &["-O3", "-Wall", "-g1"]));
}

#[test]
fn absolute_file_names_do_not_say_where_the_version_lies() {
    let hash = |folder: &Path| {
        let file = folder.join("unit.c");
        std::fs::write(&file, "#include \"unit.h\"\nchar *f = __FILE__;\nint g(void) { return h(); }")
            .unwrap();
        std::fs::write(folder.join("unit.h"), "#define ONE 1\nstatic int h(void) { return ONE; }\n").unwrap();
        let mut command = support::command(&file, &["-I", folder.to_str().unwrap()]);
        command.file = file.to_str().unwrap().into();
        let last = command.arguments.len() - 1;
        command.arguments[last] = command.file.clone();
        let (_, model) = support::faithful(&command).unwrap();
        assert_eq!(
            (model.name.as_str(), model.files.as_slice()),
            ("unit.c", ["unit.c".to_owned(), "unit.h".to_owned()].as_slice())
        );
        (identify(&command).unwrap().hash, postcard::to_stdvec(&model).unwrap())
    };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(hash(here.path()), hash(there.path()));
}
