//! Verdicts from Markdown fixtures: versions as ```` ```c vN.c ```` blocks, and blocks `KIND TEXT` with a line per version for the
//! statement of that text (the n-th such statement with ` #n`).
#![allow(clippy::unwrap_used)]

mod common;

use common::{Code, blocks, compile, graph_of};
use hydrogen_evidence::{Class, Entry, Finding, Ruling, Status};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Check, Program, Question, Strategy};

fn judge(modules: &Code, kind: Class, text: &str, inside: bool) -> Option<(Finding, Vec<String>)> {
    let graph = graph_of(modules);
    let (text, skip) = match text.rsplit_once(" #") {
        Some((text, n)) => (text, n.parse::<usize>().unwrap() - 1),
        None => (text, 0),
    };
    let node: NodeId = graph.nodes().filter(|&node| graph.text(node) == text).nth(skip)?;
    let program = Program { graph: &graph, code: modules };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let versions = VersionSet::all(modules.len());
    let at = graph.node_versions(node).first()?;
    let finding = analyst
        .judge(&Question { node, at, kind: Some(kind), versions: &versions, inside })
        .into_iter()
        .next()?;
    let visited = analyst.visited().iter().map(|&node| graph.text(node).to_owned()).collect();
    Some((finding, visited))
}

fn words(finding: &Finding) -> Vec<&'static str> {
    finding.verdicts.iter().map(|ruling| ruling.verdict.word()).collect()
}

fn replaced(ruling: &Ruling) -> bool {
    ruling.ledger.iter().any(|entry| matches!(entry, Entry::StatementReplaced { .. }))
}

fn check(fixture: &str) {
    check_with(fixture, false);
}

/// `inside`: what the statement calls is the statement's.
fn check_with(fixture: &str, inside: bool) {
    let (versions, expected) = blocks(fixture);
    assert!(!expected.is_empty());
    for (kind, text, expect) in expected {
        let (together, _) =
            judge(&versions, kind, &text, inside).unwrap_or_else(|| panic!("{text} raises nothing"));
        let found = words(&together);
        let listed: Vec<String> =
            found.iter().enumerate().map(|(at, word)| format!("v{}: {word}", at + 1)).collect();
        assert_eq!(listed.join("\n"), expect, "{text}: {:#?}", together.verdicts);
        // AINV-1: alone, every version gets the same verdict.
        for (at, module) in versions.iter().enumerate() {
            let alone = judge(&vec![module.clone()], kind, &text, inside);
            let has_it = alone.is_some();
            let alone = alone.map_or("nothing", |(finding, _)| words(&finding)[0]);
            let both = match together.verdicts[at].verdict.word() {
                // Alone, another statement of the same text may be the first, and one that was replaced is not there.
                "not_applicable" => continue,
                _ if !has_it && replaced(&together.verdicts[at]) => continue,
                "fixed" => "absent",
                other => other,
            };
            assert!(
                alone == both || alone == "nothing" && both == "absent",
                "{text} in v{} alone: {alone}, not {both}",
                at + 1
            );
        }
    }
}

#[test]
fn privilege_example() {
    check(include_str!("fixtures/e01-overflow.md"));
}

#[test]
fn texts_of_the_program_itself() {
    check(include_str!("fixtures/own-texts.md"));
}

#[test]
fn what_ends_before_it_is_used() {
    check(include_str!("fixtures/outlived.md"));
}

#[test]
fn paths() {
    check(include_str!("fixtures/paths.md"));
}

#[test]
fn ways_of_one_version_only() {
    check(include_str!("fixtures/own-ways.md"));
}

#[test]
fn what_the_program_calls_back_gets_what_the_program_passes() {
    check(include_str!("fixtures/called-back.md"));
}

#[test]
fn a_library_is_for_others() {
    check(include_str!("fixtures/for-others.md"));
}

#[test]
fn honest() {
    check(include_str!("fixtures/honest.md"));
}

#[test]
fn multiplication_example() {
    check(include_str!("fixtures/e02-multiplication.md"));
}

#[test]
fn kinds() {
    check(include_str!("fixtures/kinds.md"));
}

/// Figure 5 of the paper: what each strategy goes through to confirm the fix of version 4.
#[test]
fn strategies_visit_what_they_need() {
    let (modules, _) = blocks(include_str!("fixtures/e01-overflow.md"));
    let graph = graph_of(&modules);
    let program = Program { graph: &graph, code: &modules };
    let run = |strategy| {
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
        let check = Check {
            old: VersionId::at(2),
            new: VersionId::at(3),
            kinds: &[Class::Overflow],
            strategy,
            strict: true,
        };
        let findings = analyst.check(&check, &mut |_, _| {});
        let listed: Vec<(String, Vec<&str>)> =
            findings.iter().map(|finding| (finding.location.text.clone(), words(finding))).collect();
        assert_eq!(listed, [("strcpy(a, b)".to_owned(), vec!["present", "fixed"])]);
        assert_eq!(findings[0].status, Some(Status::Fixed));
        analyst.counters().nodes
    };
    assert_eq!(run(Strategy::Demand), 4);
    assert_eq!(run(Strategy::Cached), 1);
}

#[test]
fn the_fix_is_confirmed_on_demand() {
    let (modules, _) = blocks(include_str!("fixtures/e01-overflow.md"));
    let graph = graph_of(&modules);
    let node = graph.nodes().find(|&node| graph.text(node) == "strcpy(a, b)").unwrap();
    let program = Program { graph: &graph, code: &modules };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let newest = VersionSet::one(VersionId::at(3));
    analyst.judge(&Question {
        node,
        at: VersionId::at(3),
        kind: Some(Class::Overflow),
        versions: &newest,
        inside: false,
    });
    let visited: Vec<&str> = analyst.visited().iter().map(|&node| graph.text(node)).collect();
    assert_eq!(visited, ["strcpy(a, b)", "a == NULL", "a = malloc(len)", "len = strlen(b) + 1"]);
}

#[test]
fn floats() {
    check(include_str!("fixtures/floats.md"));
}

#[test]
fn bytes_over_something_else() {
    check(include_str!("fixtures/bytewise.md"));
}

#[test]
fn variables_of_one_file() {
    check(include_str!("fixtures/statics.md"));
}

#[test]
fn numbers_of_bits() {
    check(include_str!("fixtures/taken-apart.md"));
}

#[test]
fn variables_whose_address_is_taken() {
    check(include_str!("fixtures/untouched.md"));
}

#[test]
fn leaks() {
    check(include_str!("fixtures/leaks.md"));
}

#[test]
fn elements_are_lost_with_what_holds_them() {
    check(include_str!("fixtures/elements.md"));
}

#[test]
fn numbers_of_unions_are_no_addresses() {
    check(include_str!("fixtures/unions.md"));
}

#[test]
fn chunks_example() {
    check(include_str!("fixtures/e09-chunks.md"));
}

#[test]
fn errata() {
    check(include_str!("fixtures/errata.md"));
}

#[test]
fn found() {
    check(include_str!("fixtures/found.md"));
}

#[test]
fn what_took_over_is_judged() {
    check(include_str!("fixtures/replaced.md"));
    check(include_str!("fixtures/another-call.md"));
}

/// A string that the program left without an end, read there and by who is given it.
#[test]
fn strings_without_an_end() {
    check(include_str!("fixtures/texts.md"));
    check_with(include_str!("fixtures/texts-handed-on.md"), true);
}

#[test]
fn pointers_outside_of_their_object() {
    check(include_str!("fixtures/moved.md"));
}

#[test]
fn sizes_that_go_a_long_way() {
    check(include_str!("fixtures/far-sizes.md"));
}

#[test]
fn callees_are_looked_into() {
    check_with(include_str!("fixtures/inside.md"), true);
}

#[test]
fn what_is_not_seen_is_not_absent() {
    check_with(include_str!("fixtures/sizes.md"), true);
    check_with(include_str!("fixtures/given.md"), true);
    check_with(include_str!("fixtures/ends.md"), true);
    check(include_str!("fixtures/pointers.md"));
}

#[test]
fn arrays_inside_of_structures_have_their_own_room() {
    check(include_str!("fixtures/rooms.md"));
}

#[test]
fn nothing_false_comes_in() {
    check(include_str!("fixtures/never-null.md"));
    check(include_str!("fixtures/members.md"));
    check(include_str!("fixtures/engines.md"));
    check(include_str!("fixtures/engine-loops.md"));
    check(include_str!("fixtures/ended.md"));
    check(include_str!("fixtures/stored.md"));
    check(include_str!("fixtures/given-away.md"));
}

/// The shift is computed before the condition, and so in the condition's part.
#[test]
fn a_statement_has_its_parts_on_other_lines() {
    let code =
        "long f(int *p, int c) {\n  return ((long)p[0] << 4) +\n    (c > 1 ? p[1] :\n      p[2]);\n}\n";
    let modules = vec![vec![(compile(code))]];
    let graph = graph_of(&modules);
    let program = Program { graph: &graph, code: &modules };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let (at, versions) = (VersionId::at(0), VersionSet::all(1));
    let whole = graph.nodes().find(|&node| graph.text(node).starts_with("return")).unwrap();
    let parts = analyst.parts(whole, at);
    let texts: Vec<&str> = parts.iter().map(|&node| graph.text(node)).collect();
    assert_eq!(texts, ["c > 1", "p[1]", "p[2]"]);
    let question =
        Question { node: parts[0], at, kind: Some(Class::Shift), versions: &versions, inside: false };
    assert_eq!(words(&analyst.judge(&question)[0]), ["present"]);
}

/// What `check` says of the statements between two versions.
fn checked(old: &str, new: &str, kind: Class) -> Vec<(String, Vec<&'static str>, Option<Status>)> {
    let modules = vec![vec![compile(old)], vec![compile(new)]];
    let graph = graph_of(&modules);
    let program = Program { graph: &graph, code: &modules };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let (old, new) = (VersionId::at(0), VersionId::at(1));
    let check = Check { old, new, kinds: &[kind], strategy: Strategy::Demand, strict: true };
    let found = analyst.check(&check, &mut |_, _| {});
    found.iter().map(|one| (one.location.text.clone(), words(one), one.status)).collect()
}

/// The allocation stands before the change, and another way out of the function loses it.
#[test]
fn memory_of_before_the_change_is_lost_behind_it() {
    let code = |out: &str| {
        format!(
            "#include <stdlib.h>\nint f(int n) {{\n  int rc = -1;\n  char *first = malloc(16);\n  if (!first)\n    return -1;\n  if (n > 8)\n    \
             {out};\n  first[0] = 1;\n  rc = first[0];\ndone:\n  free(first);\n  return rc;\n}}\n"
        )
    };
    let (right, wrong) = (code("goto done"), code("return -2"));
    let made = "char *first = malloc(16)".to_owned();
    let new = (made.clone(), vec!["absent", "present"], Some(Status::New));
    assert_eq!(checked(&right, &wrong, Class::Leak), [new]);
    let fixed = (made, vec!["present", "fixed"], Some(Status::Fixed));
    assert_eq!(checked(&wrong, &right, Class::Leak), [fixed]);
}

/// F41: nothing is known of what is read, and that hides nothing of what is written.
#[test]
fn every_operation_has_its_own_verdict() {
    let code = |most: u32| {
        format!(
            "int *get(void);\nvoid f(int i) {{\n  int b[4] = {{0}};\n  int *p = get();\n  if (i < 0 || i > {most})\n    return;\n  \
             b[i] = p[i];\n}}\n"
        )
    };
    let found = checked(&code(3), &code(4), Class::Overflow);
    let new = ("b[i] = p[i]".to_owned(), vec!["absent", "present"], Some(Status::New));
    let open = ("b[i] = p[i]".to_owned(), vec!["unknown", "unknown"], Some(Status::Open));
    assert_eq!(found, [new, open]);
}

/// A table is full after a few rounds: global variables begin with what their definitions say, and loops are followed until it is full.
#[test]
fn a_table_that_is_filled_by_a_loop() {
    let code = |before: &str, most: u32| {
        format!(
            "#include <stdlib.h>\nint table[8];\n{before}\nint main(int argc, char **argv) {{\n  for (int i = 1; i < argc; i++)\n                 if (n < {most})\n      table[n++] = atoi(argv[i]);\n  return table[0];\n}}\n"
        )
    };
    for before in ["static int n;", "int n;", "int n = 2;"] {
        let found = checked(&code(before, 8), &code(before, 9), Class::Overflow);
        let written: Vec<_> = found.into_iter().filter(|(text, ..)| text.starts_with("table[n++]")).collect();
        let new = ("table[n++] = atoi(argv[i])".to_owned(), vec!["absent", "present"], Some(Status::New));
        assert!(written.contains(&new), "{before}: {written:?}");
    }
}

/// The callee did not change, and gets another value.
#[test]
fn a_changed_value_reaches_an_unchanged_callee() {
    let code = |divisor: &str| {
        format!(
            "static int share(int n) {{\n  return 100 / n;\n}}\nint f(int i) {{\n  int n = {divisor};\n  return share(n);\n}}\n"
        )
    };
    let found = checked(&code("(i & 3) + 1"), &code("i & 3"), Class::Division);
    assert_eq!(found, [("return 100 / n".to_owned(), vec!["absent", "present"], Some(Status::New))]);
}

/// What is no object of the heap cannot be freed, nor can the middle of one.
#[test]
fn only_what_the_heap_gave_is_freed() {
    let check = |code: &str, expect: &str| {
        let text = format!("#include <stdlib.h>\nint v;\nvoid f(int i, char *c) {{\n{code}\n}}\n");
        let found = judge(&vec![vec![compile(&text)]], Class::DoubleFree, "free(p)", false).unwrap().0;
        assert_eq!(words(&found), [expect], "{code}");
    };
    check("  int x = i;\n  int *p = &x;\n  free(p);", "present");
    check("  int *p = i ? &v : malloc(4);\n  free(p);", "present");
    check("  char *p = malloc(4);\n  if (!p) return;\n  p += i > 3;\n  free(p);", "present");
    check("  char *p = malloc(4);\n  if (!p) return;\n  p[0] = 1;\n  free(p);", "absent");
    check("  char *p = c;\n  free(p);", "absent");
}

#[test]
fn what_every_round_keeps() {
    check(include_str!("fixtures/inductive.md"));
}

#[test]
fn what_is_something_else_in_every_round() {
    check(include_str!("fixtures/rounds-apart.md"));
}

#[test]
fn what_programs_are_started_with() {
    check(include_str!("fixtures/started.md"));
}

/// What a text holds is its caller's choice: nobody needs to see code that produces it.
#[test]
fn texts_and_numbers_that_come_in_are_data() {
    let digits = |limit: &str| {
        format!(
            "int digits(const char *s) {{\n  int n = 0;\n  while (*s >= '0' && *s <= '9') {{\n{limit}    n = n * 10;\n    s++;\n    n = n + 9;\n  }}\n  return n;\n}}\n"
        )
    };
    let (old, new) = (digits("    if (n > 1000)\n      return -1;\n"), digits(""));
    let found = checked(&old, &new, Class::SignedOverflow);
    let wanted = ("n = n * 10".to_owned(), vec!["absent", "present"], Some(Status::New));
    assert!(found.contains(&wanted), "{found:?}");
    let pick = |limit: &str| {
        format!("int table[4];\nint pick(const int *at) {{\n{limit}  return table[at[1]];\n}}\n")
    };
    let old = pick("  if (at[1] < 0 || at[1] > 3)\n    return 0;\n");
    let found = checked(&old, &pick(""), Class::Overflow);
    let is_new = |(text, verdicts, status): &(String, Vec<&str>, Option<Status>)| {
        text == "return table[at[1]]" && verdicts[1] == "present" && *status == Some(Status::New)
    };
    assert!(found.iter().any(is_new), "{found:?}");
}

/// A function that anyone may call has no fault of its own if it is given null; whoever gives it null has. It is told once, wherever.
#[test]
fn what_is_handed_on_is_told_where_it_is_handed_on() {
    for head in ["", "static "] {
        let code = |test: &str| {
            format!(
                "#include <stdlib.h>\n{head}int first(const char *s) {{\n  return s[0];\n}}\nint use(void) {{\n  char *p = calloc(8, 1);\n{test}  int c = first(p);\n  free(p);\n  return c;\n}}\n"
            )
        };
        let found = checked(&code("  if (!p)\n    return -1;\n"), &code(""), Class::Null);
        let new: Vec<_> = found.iter().filter(|one| one.2 == Some(Status::New)).collect();
        let place = if head.is_empty() { "int c = first(p)" } else { "return s[0]" };
        assert!(
            matches!(new[..], [(text, verdicts, _)] if text == place && verdicts[..] == ["absent", "present"]),
            "{head}: {found:?}"
        );
    }
}

#[test]
fn memory_without_a_value() {
    check(include_str!("fixtures/contents.md"));
}

/// A pointer that comes in leads to nothing that was made later, and to much that only looks like that.
#[test]
fn what_came_in_is_apart_from_what_was_made_since() {
    check(include_str!("fixtures/came-in.md"));
}
