//! Programs that cannot be run to their end say so.

use super::support::{file, limits, load, model, run, tools};
use hydrogen_machine::{End, Limit, Limits, Program, World};
use std::time::Duration;

#[test]
fn a_missing_entry_point_is_named() {
    let Some(run) = run("int helper(void) { return 1; }") else { return };
    let End::Unresolved(name, _) = run.end else { panic!("{:?}", run.end) };
    assert_eq!(name, "main");
}

#[test]
fn an_unresolved_symbol_is_named_with_its_call() {
    let Some(run) = run("int nowhere(int);\nint main(void) {\n  return nowhere(1);\n}") else { return };
    let End::Unresolved(name, stack) = run.end else { panic!("{:?}", run.end) };
    assert_eq!((name.as_str(), stack[0].function.as_str(), stack[0].line), ("nowhere", "main", 3));
    let Some(run) = super::support::run("extern int data;\nint main(void) {\n  return data;\n}") else {
        return;
    };
    let End::Unresolved(name, stack) = run.end else { panic!("{:?}", run.end) };
    assert_eq!((name.as_str(), stack[0].line), ("data", 3));
}

#[test]
fn what_is_not_reached_need_not_be_defined() {
    let source = "int nowhere(int);\nint main(int c, char **v) { return c > 1 ? nowhere(1) : 4; }";
    let Some(run) = run(source) else { return };
    assert_eq!(run.end, End::Exit(4));
}

fn limited(source: &str, limits: Limits) -> Option<hydrogen_machine::Run> {
    let tools = tools()?;
    let (_folder, path) = file(source);
    Some(load(tools, &path, &[]).run(World::default(), limits))
}

#[test]
fn an_endless_loop_ends_with_what_came_so_far() {
    let source = "#include <unistd.h>\nint main(void) { write(1, \"so far\\n\", 7);\n for (;;) ;\n}";
    let Some(run) = limited(source, Limits { steps: 1_000_000, ..limits() }) else { return };
    let End::Limit(Limit::Steps, stack) = &run.end else { panic!("{:?}", run.end) };
    assert_eq!(stack[0].line, 3);
    assert_eq!(run.world.stdout, b"so far\n");
    assert!((1_000_000..1_000_100).contains(&run.statistics.steps));
    let Some(run) = limited(source, Limits { time: Duration::from_millis(50), ..limits() }) else { return };
    assert!(matches!(run.end, End::Limit(Limit::Time, _)));
}

#[test]
fn gigabytes_of_output_are_cut() {
    let source = "#include <stdio.h>\nint main(void) { for (long i = 0; i < 1L << 40; i++) puts(\"again and again and again\"); }";
    let Some(run) = limited(source, Limits { output: 100_000, ..limits() }) else { return };
    assert!(matches!(run.end, End::Limit(Limit::Output, _)));
    assert!(run.world.stdout.len() < 200_000);
}

#[test]
fn a_full_memory_gives_the_null_pointer() {
    let source = "#include <errno.h>\n#include <stdlib.h>\nint main(void) { int n = 0; while (malloc(1 << 20)) n++; \
                  return errno == ENOMEM ? n : 0; }";
    let Some(run) = limited(source, Limits { memory: 10 << 20, ..limits() }) else { return };
    assert_eq!(run.end, End::Exit(9));
    let huge = "#include <stdlib.h>\nint main(void) { return malloc((size_t)-1) == 0 && calloc((size_t)-1, 16) == 0 ? 0 : 1; }";
    let Some(run) = limited(huge, limits()) else { return };
    assert_eq!(run.end, End::Exit(0));
}

#[test]
fn unknown_assembly_is_shown_where_it_is_reached() {
    let source = "int main(void) { int x;\n __asm__(\"rdrand %0\" : \"=r\"(x));\n return x; }";
    let Some(run) = run(source) else { return };
    let End::Unsupported(what, stack) = &run.end else { panic!("{:?}", run.end) };
    assert!(what.contains("rdrand"), "{what}");
    assert_eq!(stack[0].line, 2);
}

#[test]
fn without_a_library_plain_programs_run() {
    let (_folder, path) = file(
        "#include <stdlib.h>\nint main(int argc, char **argv) { char *p = malloc(3); p[2] = 7; int r = p[2] + argc; free(p); return r; }",
    );
    let program = Program::load(vec![model(&path, &[])], None);
    assert_eq!(program.run(World::default(), limits()).end, End::Exit(8));
    let (_folder, path) = file("#include <stdio.h>\nint main(void) { puts(\"x\"); return 0; }");
    let program = Program::load(vec![model(&path, &[])], None);
    assert_eq!(program.undefined, ["puts"]);
    assert!(
        matches!(program.run(World::default(), limits()).end, End::Unresolved(name, _) if name == "puts")
    );
}

#[test]
fn a_damaged_archive_is_refused() {
    let Some(tools) = tools() else { return };
    let bytes = hydrogen_machine::Archive::encode([1; 32], &[tools.module(0).unwrap()]);
    assert!(hydrogen_machine::Archive::decode(bytes.clone()).is_some());
    for end in 0..bytes.len().min(200) {
        if let Some(archive) = hydrogen_machine::Archive::decode(bytes[..end].to_vec()) {
            assert!(archive.module(0).is_none());
        }
    }
}
