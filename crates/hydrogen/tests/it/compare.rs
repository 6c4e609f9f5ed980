//! `hydrogen compare`: proved equal, a difference that was run, or open.

use crate::project::Project;

/// What `compare` says of two versions of a file: the exit code and the text.
fn compare(old: &str, new: &str, options: &[&str]) -> (Option<i32>, String) {
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", new)]]);
    let run = project.hydrogen(&[&["compare", "v1..v2"], options].concat());
    assert!(run.code.is_some_and(|code| code < 4), "{run:?}");
    (run.code, run.out)
}

const SUM: &str = "int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\nint main(void) { return 0; }\n";

#[test]
fn a_refactoring_is_equal() {
    let new = "static int step(int s, int v) { return s + v; }\nint sum(const int *items, int count) { int total = 0, at = 0; while (at < count) { total = step(total, items[at]); at++; } return total; }\nint main(void) { return 0; }\n";
    let (code, out) = compare(SUM, new, &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("equal    a.c:2 sum (proved") && out.contains("1 equal, 0 differ, 0 open"), "{out}");
}

#[test]
fn proofs_are_gone_through_again_by_another_solver() {
    let new = "int sum(const int *items, int n) { int total = 0, at = 0; while (at < n) { total = total + items[at]; at++; } return total; }\nint main(void) { return 0; }\n";
    let (code, out) = compare(SUM, new, &["--check-proofs", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["functions"][0]["proof"]["checked"]), (Some(0), &"accepted".into()), "{out}");
}

#[test]
fn a_difference_was_run() {
    let (code, out) = compare(
        "int half(int x) { return x / 2; }\nint main(void) { return half(4); }\n",
        "int half(int x) { return x >> 1; }\nint main(void) { return half(4); }\n",
        &[],
    );
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("differs  a.c:1 half") && out.contains("v1: returns") && out.contains("v2: returns"),
        "{out}"
    );
}

#[test]
fn undefined_behaviour_is_an_outcome_unless_left_out() {
    let (old, new) = (
        "int twice(int x) { return x * 2; }\nint main(void) { return 0; }\n",
        "int twice(int x) { return (int)(2u * (unsigned)x); }\nint main(void) { return 0; }\n",
    );
    let (code, out) = compare(old, new, &[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("faults (signed overflow"), "{out}");
    let (code, out) = compare(old, new, &["--assume-defined"]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn what_is_not_followed_is_open() {
    let (code, out) = compare(
        "volatile int v;\nint get(void) { return v + v; }\nint main(void) { return 0; }\n",
        "volatile int v;\nint get(void) { return 2 * v; }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("volatile"), "{out}");
}

#[test]
fn a_changed_initial_value_is_told() {
    let (code, out) = compare(
        "static int limit = 5;\nint get(void) { return limit; }\nint main(void) { return get(); }\n",
        "static int limit = 6;\nint get(void) { return limit; }\nint main(void) { return get(); }\n",
        &[],
    );
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("limit"), "{out}");
}

#[test]
fn files_are_versions_and_json_is_complete() {
    let project = Project::with_versions(&[&[
        ("a.c", "int f(int a, int b) { return a + b; }\n"),
        ("b.c", "int f(int x, int y) { return y + x; }\n"),
    ]]);
    let run = project.hydrogen(&["compare", "old=a.c", "new=b.c", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["functions"][0]["verdict"], "equal");
    assert!(answer["functions"][0]["proof"]["certificate"].is_object(), "{answer}");
}

#[test]
fn a_function_that_is_missing_is_bad_use() {
    let project = Project::with_versions(&[&[("a.c", SUM)], &[("a.c", "int main(void) { return 0; }\n")]]);
    let run = project.hydrogen(&["compare", "v1..v2", "--function", "sum"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("v2") && run.err.contains("sum"), "{run:?}");
}

const MEAN: [&str; 2] = [
    "double mean(double a, double b) { return (a + b) / 2; }\nint other(int x) { return x + 1; }\nint main(void) { return 0; }\n",
    "double mean(double a, double b) { return a + (b - a) / 2; }\nint other(int x) { return x + 2; }\nint main(void) { return 0; }\n",
];

#[test]
fn what_is_equal_in_the_reals_alone_differs_natively_too() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--function", "mean"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("natively they differ too"), "{out}");
    let (code, out) = compare(
        "double half(double x) { return x / 2; }\nint main(void) { return 0; }\n",
        "double half(double x) { return x * 0.5; }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn a_difference_is_a_folder_that_replays() {
    let project = Project::with_versions(&[&[("a.c", MEAN[0])], &[("a.c", MEAN[1])]]);
    let run = project.hydrogen(&["compare", "v1..v2", "--output", "found", "--format", "md"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("| `mean`") && run.out.contains("**differs**"), "{run:?}");
    for name in ["input.json", "replay.sh", "old.c", "new.c"] {
        assert!(project.root().join("found/mean").join(name).is_file(), "{name} is missing");
    }
    let again =
        project.hydrogen(&["run", "v1", "--function", "mean", "--test", "found/mean/input.json", "--native"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.err.contains("natively the same"), "{again:?}");
}

#[test]
fn one_difference_is_enough_if_asked_so() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--stop-on-difference"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1 differ, 1 open"), "{out}");
}

#[test]
fn what_is_not_observed_does_not_differ() {
    let (old, new) = (
        "int set(int *p, int x) { *p = x; return 0; }\nint main(void) { return 0; }\n",
        "int set(int *p, int x) { *p = x + x; return 0; }\nint main(void) { return 0; }\n",
    );
    let (code, out) = compare(old, new, &["--assume-defined"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out) = compare(old, new, &["--assume-defined", "--observe", "return"]);
    assert_eq!(code, Some(3), "{out}");
}

#[test]
fn a_page_shows_every_function() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--format", "html"]);
    assert_eq!(code, Some(1));
    assert!(
        out.contains("<b>mean</b>") && out.contains("<b>other</b>") && out.contains("hydrogen_put"),
        "{out}"
    );
}

#[test]
fn time_is_no_difference() {
    let (code, out) = compare(
        "#include <time.h>\nlong now(int x) { return time(0) + x; }\nint main(void) { return 0; }\n",
        "#include <time.h>\nlong now(int x) { return time(0) + x + 0 * clock(); }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_ne!(code, Some(1), "{out}");
}

#[test]
fn statics_of_one_name_are_told_apart() {
    let other = ("b.c", "static int k(int x) { return x - 1; }\nint h(int x) { return k(x); }\n");
    let a = |body: &str| {
        format!(
            "int h(int);\nstatic int k(int x) {{ {body} }}\nint main(int n, char **v) {{ return k(n) + h(n); }}\n"
        )
    };
    let (old, new, same) = (a("return x * 3;"), a("return x * 4;"), a("int y = x; return y * 3;"));
    let project = Project::with_versions(&[
        &[("a.c", &*old), other],
        &[("a.c", &*new), other],
        &[("a.c", &*same), other],
    ]);
    let run = project.hydrogen(&["compare", "v1..v2"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("k (a.c)") && !run.out.contains("k (b.c)"), "{run:?}");
    let run = project.hydrogen(&["compare", "v1..v3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// A function that is compiled in several ways, as in a header, is told only where one of the ways changed.
#[test]
fn copies_that_differ_are_told_where_they_changed() {
    let header = |plus: u32| format!("static int limit(int x) {{ return x + LIMIT + {plus}; }}\n");
    let b = ("b.c", "#define LIMIT 2\n#include \"limit.h\"\nint h(int x) { return limit(x); }\n");
    let a = |body: &str| {
        format!(
            "#define LIMIT 1\n#include \"limit.h\"\nint h(int);\nint g(int x) {{ {body} }}\n\
             int main(int n, char **v) {{ return g(n) + h(n) + limit(n); }}\n"
        )
    };
    let (old, new) = (a("return x * 3;"), a("int y = x; return 3 * y;"));
    let (first, other) = (header(0), header(1));
    let project = Project::with_versions(&[
        &[("limit.h", &*first), ("a.c", &*old), b],
        &[("limit.h", &*first), ("a.c", &*new), b],
        &[("limit.h", &*other), ("a.c", &*new), b],
    ]);
    let run = project.hydrogen(&["compare", "v1..v2"]);
    assert!(run.code == Some(0) && !run.out.contains("limit"), "{run:?}");
    let run = project.hydrogen(&["compare", "v2..v3"]);
    assert!(run.code != Some(0) && run.out.contains("limit (limit.h)"), "{run:?}");
}

#[test]
fn what_may_be_called_through_a_pointer_is_told() {
    let code = |g: &str, f: &str| {
        format!(
            "static int g(int x) {{ {g} }}\nint (*op)(int) = g;\nint f(int x) {{ {f} }}\nint main(void) {{ return f(1); }}\n"
        )
    };
    let old = code("return x + 1;", "int y = x; return op(y);");
    let (_, out) = compare(&old, &code("return x + 2;", "return op(x);"), &[]);
    assert!(
        out.contains("f (proved") && out.contains("through a pointer") && out.contains("not shown of `g`"),
        "{out}"
    );
    // Where all that may be meant is equal, nothing is assumed.
    let (code, out) = compare(&old, &code("return 1 + x;", "return op(x);"), &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(!out.contains("through a pointer"), "{out}");
}

#[test]
fn what_is_open_is_explored_within_bounds() {
    // An array of variable length is not followed by the prover, but it runs.
    let code = |last: &str| {
        format!(
            "int f(unsigned n) {{ n = n % 3 + 1; int a[n]; for (unsigned i = 0; i < n; i++) a[i] = (int)i; {last} }}\nint main(void) {{ return f(2); }}\n"
        )
    };
    let (exit, out) = compare(&code("return a[n - 1];"), &code("return (int)n - 1;"), &[]);
    // Its arguments alone decide, but the checker does not read it either: that is no proof.
    assert_eq!(exit, Some(3), "{out}");
    assert!(out.contains("equal for all calls within bounds"), "{out}");
    let with_pointer = |last: &str| {
        let text = code(last);
        text.replace("f(unsigned n) {", "f(int *p, unsigned n) { if (p) *p = 1;").replace("f(2)", "f(0, 2)")
    };
    let (exit, out) = compare(&with_pointer("return a[n - 1];"), &with_pointer("return (int)n - 1;"), &[]);
    assert_eq!(exit, Some(3), "{out}");
    assert!(out.contains("within bounds"), "{out}");
}

/// Where the arguments alone decide and the checker follows the runs of all partitions, that is a proof.
#[test]
fn runs_of_all_partitions_are_a_proof() {
    let code = |body: &str| format!("int f(unsigned x) {{ int n = 0; x &= 7; {body} return n; }}\n{MAIN}");
    let (one, other) = (code("while (x) { n += x & 1; x >>= 1; }"), code("for (; x; n++) x &= x - 1;"));
    let (exit, out) = compare(&one, &other, &[]);
    assert_eq!(exit, Some(0), "{out}");
    assert!(out.contains("partitions of its arguments") || out.contains("on all paths"), "{out}");
}

/// What a callee's proof assumes, its callers' proofs assume.
#[test]
fn assumptions_of_callees_come_up() {
    let code = |g: &str| {
        format!(
            "static int g(int x) {{ {g} return 0; }}\nint f(int x) {{ return g(x) + 1; }}\nint h(int x) {{ return f(x); }}\n{MAIN}"
        )
    };
    let (_, out) = compare(&code("while (x) ;"), &code(""), &["--all-functions", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    for name in ["f", "g", "h"] {
        let row = json["functions"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        if row["verdict"] == "equal" {
            assert!(row["ledger"].to_string().contains("termination"), "{name} {out}");
        }
    }
    let of =
        |name: &str| json["functions"].as_array().unwrap().iter().find(|row| row["name"] == name).cloned();
    assert_eq!(of("h").unwrap()["verdict"], "equal", "{out}");
}

/// Versions that fault alike on nearly all inputs are equal; it is said where they are defined.
#[test]
fn it_is_said_where_a_function_is_defined_at_all() {
    let code = |sum: &str| {
        format!("int f(int x) {{ int zero = 0; if (x == 3) return 7; return ({sum}) / zero; }}\n{MAIN}")
    };
    let (exit, out) = compare(&code("x + 1"), &code("1 + x + 0"), &[]);
    assert_eq!(exit, Some(0), "{out}");
    assert!(out.contains("`f` is defined for") && out.contains("f(x = 3)"), "{out}");
    let (_, out) = compare(SUM, &SUM.replace("s += a[i]", "s = s + a[i]"), &[]);
    assert!(!out.contains("is defined for"), "{out}");
}

/// A structure that grew: what only one version has in new memory is no difference of a function that did not change.
#[test]
fn members_that_one_version_alone_has_are_no_difference() {
    let code = |more: &str, set: &str| {
        format!(
            "#include <stdlib.h>\nstruct s {{ int a; {more} }};\nstruct s *made(int n) {{ struct s *p = malloc(sizeof *p); if (!p) return 0; p->a = n; {set} return p; }}\nvoid *raw(int n) {{ struct s *p = calloc(1, sizeof *p); if (!p) return 0; p->a = n; return p; }}\n{MAIN}"
        )
    };
    let (exit, out) = compare(&code("", ""), &code("int b;", "p->b = 1;"), &["--all-functions"]);
    assert_ne!(exit, Some(1), "{out}");
    assert!(!out.contains("differs "), "{out}");
    // A value that was there and is another one is a difference.
    let (exit, out) = compare(&code("", ""), &code("int b;", "p->a++;"), &[]);
    assert_eq!(exit, Some(1), "{out}");
}

/// The tests in C of both versions look at the same memory, whatever types each file speaks of.
#[test]
fn tests_in_c_look_at_the_same_memory() {
    let body = |one: &str| {
        format!(
            "void *find(const void *h, unsigned long n, const void *w, unsigned long m) {{ if (!m) return (void *)h; if (n < m) return 0; {one} return 0; }}\n{MAIN}"
        )
    };
    let old = "int memcmp(const void *, const void *, unsigned long);\n".to_owned()
        + &body("if (memcmp(h, w, m) == 0) return (void *)h;");
    let new = "int memcmp(const void *, const void *, unsigned long);\n".to_owned()
        + &body("for (const char *p = h; n-- >= m; p++) if (memcmp(p, w, m) == 0) return (void *)p;");
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    let run = project.hydrogen(&["compare", "v1..v2", "--output", "differences"]);
    let (mut shown, mut seen) = (Vec::new(), false);
    for version in ["old.c", "new.c"] {
        let path = project.root().join("differences/find").join(version);
        if let Ok(text) = std::fs::read_to_string(&path) {
            seen = true;
            shown.push(text.matches("printf(\"%s = ").count());
        }
    }
    assert!(!seen || shown[0] == shown[1], "{shown:?} {run:?}");
}

#[test]
fn it_says_whether_the_program_comes_to_a_difference() {
    let code = |k: &str, call: &str| {
        format!(
            "#include <stdlib.h>\nint f(int x) {{ return x {k}; }}\nint main(int n, char **v) {{ int x = n > 1 ? atoi(v[1]) : 0; return {call}; }}\n"
        )
    };
    let (_, out) = compare(&code("/ 2", "f(x)"), &code(">> 1", "f(x)"), &[]);
    assert!(out.contains("the program differs too"), "{out}");
    let (_, out) = compare(&code("/ 2", "x"), &code(">> 1", "x"), &[]);
    assert!(out.contains("no call from `main` leads to it"), "{out}");
    let (_, out) = compare("int f(int x) { return x / 2; }\n", "int f(int x) { return x >> 1; }\n", &[]);
    assert!(out.contains("there is no `main`"), "{out}");
}

#[test]
fn other_signatures_are_open_and_functions_of_one_version_are_named() {
    let (code, out) = compare(
        "int f(int x) { return x; }\nint gone(void) { return 1; }\nint main(void) { return 0; }\n",
        "int f(long x) { return (int)x; }\nint come(void) { return 1; }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_eq!(code, Some(3), "{out}");
    assert!(
        out.contains("the signatures differ")
            && out.contains("only in v1: gone")
            && out.contains("only in v2: come"),
        "{out}"
    );
}

#[test]
fn a_version_that_does_not_build_is_said() {
    let project = Project::with_versions(&[&[("a.c", SUM)], &[("a.c", "int f( {\n")]]);
    let run = project.hydrogen(&["compare", "v1..v2"]);
    assert!(run.code.is_some_and(|code| code != 0 && code != 1), "{run:?}");
    assert!(run.err.contains("v2"), "{run:?}");
    // One unit of several: what is in it is not known.
    let other = ("b.c", "int other(void) { return 1; }\n");
    let project = Project::with_versions(&[&[("a.c", SUM), other], &[("a.c", "int f( {\n"), other]]);
    let run = project.hydrogen(&["compare", "v1..v2"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("not read in v2"), "{run:?}");
}

#[test]
fn a_parameter_that_was_added_makes_no_difference_that_can_be_shown() {
    let body = |more: &str, length: &str, call: &str| {
        format!(
            "#include <string.h>\nstatic int f(const char *s{more}) {{ return {length} > 2; }}\n\
             int g(void) {{ char b[4] = \"abc\"; return f(b{call}); }}\n"
        )
    };
    let (code, out) =
        compare(&body("", "strlen(s)", ""), &body(", const char *end", "end - s", ", b + strlen(b)"), &[]);
    assert!(code != Some(1) && out.contains("the signatures differ"), "{code:?} {out}");
}

#[test]
fn what_no_caller_passes_is_not_shown() {
    let body = |guard: &str| {
        format!(
            "static int f(const char *s) {{ {guard}return s[0]; }}\nint g(void) {{ return f(\"abc\"); }}\n"
        )
    };
    let (code, out) = compare(&body(""), &body("if (!s) return 0; "), &[]);
    assert!(code != Some(1), "{code:?} {out}");
    let (code, out) = compare(
        "int f(const char *s) { return s[0]; }\n",
        "int f(const char *s) { if (!s) return 0; return s[0]; }\n",
        &[],
    );
    assert!(code == Some(1) && out.contains("NULL"), "any caller may pass it: {code:?} {out}");
}

#[test]
fn a_member_that_was_renamed_is_no_difference() {
    let body = |member: &str, sum: &str| {
        format!(
            "struct s {{ unsigned {member}; int other; }};\nint f(struct s *p, unsigned n) {{ p->{member} = {sum}; return p->other; }}\n"
        )
    };
    let (code, out) = compare(&body("count", "n * 4u + 4"), &body("length", "(n + 1u) * 4"), &[]);
    assert!(code != Some(1), "{code:?} {out}");
    let (code, out) = compare(&body("count", "n * 4u + 4"), &body("length", "(n + 2u) * 4"), &[]);
    assert!(code == Some(1) && out.contains("count"), "{code:?} {out}");
}

const MAIN: &str = "int main(void) { return 0; }\n";

/// What a returned pointer leads to decides, whatever the compiler calls it, in searches, in runs of all partitions, and where the checker
/// looks.
#[test]
fn what_a_result_leads_to_is_compared() {
    let name = |one: &str| format!("const char *name(int k) {{ return k ? \"{one}\" : \"zero\"; }}\n{MAIN}");
    for options in [&[][..], &["--check-proofs"], &["--inputs", "call", "--function", "name"]] {
        let (code, out) = compare(&name("one"), &name("uno"), options);
        assert_eq!(code, Some(1), "{options:?} {out}");
    }
    let (_, out) = compare(&name("one"), &name("uno"), &[]);
    assert!(out.contains("v1: returns \"one\"") && out.contains("v2: returns \"uno\""), "{out}");
    assert!(out.contains("natively they differ too"), "{out}");
    // Another number of the same string is no difference.
    let old = format!("const char *name(int k) {{ if (k) return \"one\"; return \"zero\"; }}\n{MAIN}");
    let new = "const char *other(void) { return \"zero, one\"; }\n".to_owned() + &name("one");
    let (code, out) = compare(&old, &new, &[]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn what_a_pointer_parameter_is_given_leads_to_is_compared() {
    let put = |one: &str| {
        format!("void put(const char **out, int k) {{ *out = k & 1 ? \"{one}\" : \"zero\"; }}\n{MAIN}")
    };
    let (code, out) = compare(&put("one"), &put("uno"), &[]);
    assert_eq!(code, Some(1), "{out}");
    let table = |last: u32| {
        format!(
            "static const int t[] = {{ 1, 2, {last} }};\nconst int *at(unsigned k) {{ return t + k % 3; }}\n{MAIN}"
        )
    };
    let (code, out) = compare(&table(3), &table(4), &[]);
    assert_eq!(code, Some(1), "{out}");
    let made = |n: u32| {
        format!(
            "#include <stdlib.h>\nint *made(int k) {{ int *p = malloc(8); if (!p) return 0; p[0] = k; p[1] = {n}; return p; }}\n{MAIN}"
        )
    };
    let (code, out) = compare(&made(1), &made(2), &[]);
    assert_eq!(code, Some(1), "{out}");
}

/// Which function a pointer leads to is seen; what a function does whose code changed is not known.
#[test]
fn functions_behind_results_are_not_taken_to_be_equal() {
    let choose = |added: &str, body: &str| {
        format!(
            "static int up(int x) {{ return x {added}; }}\nstatic int down(int x) {{ return x - 1; }}\nint (*choose(int k))(int) {{ {body} }}\n{MAIN}"
        )
    };
    let (old, other) = (choose("+ 1", "return k ? up : down;"), choose("+ 1", "return k ? down : up;"));
    assert_eq!(compare(&old, &other, &[]).0, Some(1));
    let changed = choose("+ 2", "if (k) return up; return down;");
    let (_, out) = compare(&old, &changed, &["--function", "choose"]);
    assert!(!out.contains("equal    a.c:3 choose") && !out.contains("within bounds, and"), "{out}");
    assert!(!out.contains("equal for all calls within bounds"), "{out}");
}

/// What a function without a body is given is seen by whoever has it: other constants, numbers, functions and memory, fewer and more calls.
#[test]
fn what_functions_without_a_body_are_given_belongs_to_the_outcome() {
    let project = Project::new();
    let around = "struct s { int a; const char *n; };\nint put(const char *); void number(int); void take(struct s *); void call(void (*)(void));\n\
                  static void one(void) {}\nvoid two(void);\n";
    for (old, new) in [
        ("put(k ? \"one\" : \"two\");", "put(k ? \"uno\" : \"two\");"),
        ("number(k ? 1 : 2);", "number(k ? 3 : 2);"),
        ("number(1); if (k) number(2);", "number(1); number(2);"),
        ("if (k) put(\"one\");", "if (k) put(\"xone\" + 1);"),
        ("if (k) call(one);", "if (k) call(two);"),
        (
            "if (k) { struct s x = { 1, \"n\" }; take(&x); }",
            "if (k) { struct s x = { 2, \"n\" }; take(&x); }",
        ),
        ("if (k) { put(\"a\"); put(\"b\"); }", "if (k) { put(\"b\"); put(\"a\"); }"),
    ] {
        for (name, body) in [("a.c", old), ("b.c", new)] {
            project.write(name, format!("{around}void f(int k) {{ {body} }}\n"));
        }
        let run = project.hydrogen(&["compare", "a.c", "b.c", "--budget", "10s"]);
        assert!(!run.out.contains("100 % of") && run.code != Some(0), "{old} / {new}: {run:?}");
    }
}

#[test]
fn lines_that_assertions_tell_are_no_difference() {
    let with = |above: &str, limit: u32| {
        format!(
            "#include <assert.h>\n{above}int f(int *p, int n) {{\n  assert(p);\n  assert(n < {limit});\n  return n + 1;\n}}\nint main(void) {{ return 0; }}\n"
        )
    };
    let (code, out) = compare(&with("", 9), &with("/* more */\n\n", 9), &["--function", "f"]);
    assert_eq!(code, Some(0), "{out}");
    // What the assertion says differs where the assertion does, and the line is no reason.
    let (code, out) = compare(&with("", 9), &with("/* more */\n\n", 8), &["--function", "f"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("n = 8"), "{out}");
}
