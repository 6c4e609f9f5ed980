//! What a check tells of a change, by runs of both versions: forwards, and backwards.
#![allow(clippy::unwrap_used)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
mod support;

use common::{Code, compile, graph_of};
use hydrogen_evidence::{Class, Finding, Status, Verdict};
use hydrogen_graph::VersionId;
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Check, Program, Strategy};
use hydrogen_witness::Runner;
use support::Compiled;

/// What is told as new or fixed, a line each, with the codes of what it rests on.
fn told(old: &str, new: &str) -> Vec<String> {
    let line = |finding: &Finding| {
        let word = match finding.status? {
            Status::New => "new",
            Status::Fixed => "fixed",
            _ => return None,
        };
        let codes = finding.verdicts.iter().flat_map(|ruling| ruling.ledger.iter().map(|entry| entry.code()));
        let codes = codes.filter(|code| matches!(*code, "tested-by" | "same-input-harmless"));
        let codes: Vec<&str> = codes.collect();
        Some(
            format!("{word} {} {} {}", finding.kind.word(), finding.location.text, codes.join(" "))
                .trim()
                .to_owned(),
        )
    };
    checked(old, new).iter().filter_map(line).collect()
}

/// The kinds of what a version is said to have.
fn present(old: &str, new: &str) -> Vec<String> {
    let has = |finding: &&Finding| finding.verdicts.iter().any(|ruling| ruling.verdict == Verdict::Present);
    checked(old, new).iter().filter(has).map(|finding| finding.kind.word().to_owned()).collect()
}

fn checked(old: &str, new: &str) -> Vec<Finding> {
    let code: Code = vec![vec![compile(old)], vec![compile(new)]];
    let graph = graph_of(&code);
    let program = Program { graph: &graph, code: &code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    analyst.confirm_with(Runner::new(Compiled(&code), None));
    let kinds: Vec<Class> = Class::FAULTS.into_iter().filter(|kind| !kind.is_pedantic()).collect();
    let (old, new) = (VersionId::at(0), VersionId::at(1));
    let check = Check { old, new, kinds: &kinds, strategy: Strategy::Demand, strict: false };
    analyst.check(&check, &mut |_, _| {})
}

fn check(old: &str, new: &str, forwards: &[&str], backwards: &[&str]) {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    assert_eq!(told(old, new), forwards, "forwards");
    assert_eq!(told(new, old), backwards, "backwards");
}

#[test]
fn a_null_that_the_other_version_tests_for_behind_a_copy() {
    let code = |test: &str| {
        format!(
            "struct reply {{ int type; }};
int kind_of(void *given) {{
  struct reply *r = given;
  {test}
  return r->type;
}}"
        )
    };
    let (old, new) = (code(""), code("if (r == 0) return -1;"));
    check(&old, &new, &["fixed null return r->type tested-by"], &["new null return r->type tested-by"]);
}

#[test]
fn a_member_that_the_other_version_tests_for() {
    let code = |test: &str| {
        format!(
            "struct table {{ int (*close)(int); }};
struct conn {{ struct table *funcs; int fd; }};
int closes(struct conn *c) {{
  if (c->fd > 0 {test} && c->funcs->close)
    return 1;
  return 0;
}}"
        )
    };
    let found = told(&code(""), &code("&& c->funcs"));
    if hydrogen_testkit::archive().is_some() {
        assert!(
            found.iter().any(|one| one.starts_with("fixed null") && one.contains("tested-by")),
            "{found:?}"
        );
    }
}

#[test]
fn a_guard_that_nobody_needs_is_no_new_fault_where_callers_are_seen() {
    // All callers pass the address of a variable: that the guard is gone changes nothing.
    let code = |test: &str| {
        format!(
            "static int get(int *p) {{
  {test}
  return *p;
}}
int first(int n) {{ return get(&n); }}
int second(int n) {{ int m = n & 7; return get(&m); }}"
        )
    };
    check(&code("if (!p) return 0;"), &code(""), &[], &[]);
}

#[test]
fn a_state_that_no_test_is_about_is_no_finding() {
    // `count` never exceeds `room`; that one version would survive it says nothing.
    let code = |test: &str| {
        format!(
            "#include <stdlib.h>
struct list {{ int count, room; int *items; }};
int push(struct list *l, int item) {{
  if (l->count {test} l->room)
    return -1;
  l->items[l->count++] = item;
  return 0;
}}"
        )
    };
    let found = told(&code(">="), &code("=="));
    assert!(!found.iter().any(|one| one.starts_with("new")), "{found:?}");
}

#[test]
fn a_layout_that_changed_makes_another_call_of_the_same_bytes() {
    let code = |member: &str, used: &str| {
        format!(
            "struct conn {{ {member} int *data; int fd; }};
int get(struct conn *c) {{
  if (c->fd > 3 {used})
    return *c->data;
  return 0;
}}"
        )
    };
    let (old, new) = (code("", ""), code("long first;", "&& c->first"));
    let found = told(&old, &new);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_happens_whoever_calls_is_the_changes_doing() {
    let code = |how: &str| {
        format!(
            "#include <time.h>
static int seed(void) {{
  {how}
}}
extern int elsewhere(int);
int begin(int n) {{ return elsewhere(n) ? seed() : 0; }}"
        )
    };
    let old = code("return (int)time(0) * 433494437;");
    let new = code("return (int)((unsigned)time(0) * 433494437u);");
    let found = told(&old, &new);
    if hydrogen_testkit::archive().is_some() {
        assert!(found.iter().any(|one| one.starts_with("fixed signed-overflow")), "{found:?}");
    }
}

#[test]
fn a_test_about_something_else_says_nothing_of_a_null() {
    // The old version tests `loud`; that the new one fails for a null pointer, which nobody passes, is no finding.
    let code = |what: &str| {
        format!(
            "struct name {{ int first; }};
extern int put(int);
int say(struct name *n, int loud) {{
  {what}
}}"
        )
    };
    let (old, new) = (code("if (loud) return put(1); return put(0);"), code("return put(n->first + loud);"));
    let found = told(&old, &new);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_an_unseen_function_would_answer_is_not_known() {
    // Whether the new version is right rests on what `fits()` answers.
    let code = |test: &str| {
        format!(
            "extern int fits(int);
static int table[8];
int get(unsigned i) {{
  {test}
  return table[i];
}}"
        )
    };
    let found = told(&code(""), &code("if (!fits((int)i)) return 0;"));
    assert!(found.is_empty(), "{found:?}");
}

/// Memory comes from whoever the user said: conditions do not know whether the constructor gives anything.
fn items(test: &str) -> String {
    format!(
        "#include <stdlib.h>
struct item {{ int value; struct item *next; }};
static struct hooks {{ void *(*get)(size_t); }} hooks = {{ malloc }};
void use_hooks(void *(*get)(size_t)) {{ hooks.get = get; }}
static struct item *item_of(int value) {{
  struct item *made = hooks.get(sizeof *made);
  if (made) {{ made->value = value; made->next = 0; }}
  return made;
}}
struct item *items_of(const int *numbers, int count) {{
  struct item *all = 0;
  {test}
  for (int i = 0; i < count; i++) {{
    struct item *one = item_of(numbers[i]);
    if (!one) return all;
    one->next = all;
    all = one;
  }}
  return all;
}}"
    )
}

#[test]
fn a_call_shows_what_an_allocator_behind_a_pointer_hides() {
    let (old, new) = (items(""), items("if (count < 0 || !numbers) return 0;"));
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    for (word, found) in [("fixed", told(&old, &new)), ("new", told(&new, &old))] {
        let expect = format!("{word} null struct item *one = item_of(numbers[i])");
        assert!(found.len() == 1 && found[0].starts_with(&expect), "{found:?}");
    }
}

#[test]
fn of_two_null_pointers_the_one_that_is_used_must_be_tested_for() {
    // The new version ends early where the second is null; that says nothing about the first.
    let code = |test: &str| {
        format!(
            "struct state {{ int depth; }};
int length(struct state *s, const char *text) {{
  {test}
  int depth = s->depth;
  while (*text) {{ text++; depth++; }}
  return depth;
}}"
        )
    };
    let found = told(&code(""), &code("if (!text) return 0;"));
    assert!(found.iter().all(|one| !one.contains("s->depth")), "{found:?}");
}

/// Nothing may be told of changes that take no fault away, whatever calls of the changed function do.
fn check_nothing(old: &str, new: &str) {
    check(old, new, &[], &[]);
}

#[test]
fn a_division_that_other_calls_still_come_to_is_not_fixed() {
    let code =
        |test: &str| format!("int share(int a, int b, int mode) {{ if ({test}) return a / b; return 0; }}");
    check_nothing(&code("mode"), &code("mode == 1"));
}

#[test]
fn a_limit_says_nothing_of_memory_that_is_smaller_than_the_caller_says() {
    let code = |test: &str| {
        format!(
            "int sum(const unsigned char *bytes, unsigned count) {{
  int all = 0;
  {test}
  for (unsigned i = 0; i < count; i++) all += bytes[i] & 1;
  return all;
}}"
        )
    };
    check_nothing(&code(""), &code("if (count > 12) return -1;"));
}

#[test]
fn another_order_of_tests_takes_no_null_pointer_away() {
    let code = |test: &str| {
        format!(
            "struct node {{ int kind; struct node *next; }};
int last(struct node *n, int deep) {{
  if ({test}) n = n->next;
  return n->kind;
}}"
        )
    };
    check_nothing(&code("n->next"), &code("deep && n->next"));
}

#[test]
fn a_text_that_ends_is_not_read_behind_its_end() {
    let code = |test: &str| format!("int is_option(const char *s) {{ return {test}s[1] == '-'; }}");
    if hydrogen_testkit::archive().is_some() {
        let found = told(&code(""), &code("s[0] == '-' && "));
        assert!(found.len() == 1 && found[0].starts_with("fixed overflow return"), "{found:?}");
    }
}

#[test]
fn a_value_that_is_chosen_tests_what_it_is_chosen_by() {
    let code = |count: &str| {
        format!(
            "struct list {{ unsigned n; struct list *next; }};
unsigned count(struct list *p) {{
  unsigned n = {count};
  return n + 1;
}}"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let found = told(&code("p->next->n"), &code("p->next ? p->next->n : 0"));
        assert!(found.iter().any(|one| one.starts_with("fixed null unsigned n = p->next->n")), "{found:?}");
        let found = told(&code("p->next->n"), &code("p->n ? p->next->n : 0"));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_size_that_comes_in_unsigned_is_not_negative() {
    let code = |more: &str| format!("#include <stdlib.h>\nint used(int n) {{ return n & 1; }}\n{more}");
    let wrapper = code("void *get(size_t size) { return malloc(size); }");
    check(&code(""), &wrapper, &[], &[]);
    let signed = code("void *get(int size) { return malloc(size); }");
    if hydrogen_testkit::archive().is_some() {
        let found = told(&code(""), &signed);
        assert!(found.iter().any(|one| one.starts_with("new sign")), "{found:?}");
    }
}

#[test]
fn a_test_that_takes_one_input_away_leaves_the_fault() {
    // Without frames nothing is computed any more; with some, the product is as large as before. (That the quotient of the smallest
    // number and -1 is gone is right.)
    let code = |test: &str| {
        format!(
            "struct sound {{ int mode; long length; int rate; long frames; }};
static long rate_of(struct sound *s) {{
  if (s->mode == 1{test}) return (s->length * s->rate) / s->frames;
  return -1;
}}
long (*rates[])(struct sound *) = {{ rate_of }};"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let found = told(&code(""), &code(" && s->frames > 0"));
        let rests_on_one =
            |one: &String| one.contains("signed-overflow") && one.contains("same-input-harmless");
        assert!(!found.iter().any(rests_on_one), "{found:?}");
        assert!(found.iter().any(|one| one.starts_with("fixed division")), "{found:?}");
    }
}

#[test]
fn what_lies_before_a_pointer_comes_with_it() {
    // Strings with a header in front of them: whoever passes one has the header.
    let header = |at: &str| format!("unsigned room(const char *s) {{ return ((const unsigned *)s)[{at}]; }}");
    check_nothing(&header("-2"), &header("-1"));
    // So is a structure that a member of it is passed of.
    let owner = |at: &str| {
        format!(
            "struct item {{ long a, b; char name[8]; }};\nlong owner(char *name) {{ return ((struct item *)(name - 16))->{at}; }}"
        )
    };
    check_nothing(&owner("a"), &owner("b"));
    // An index that becomes negative is another thing.
    let sum = |from: &str| {
        format!(
            "int sum(const int *a, int n) {{ int s = 0; for (int i = {from}; i < n && i < 3; i++) s ^= a[i - 1]; return s; }}"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let found = told(&sum("0"), &sum("1"));
        assert!(found.iter().any(|one| one.starts_with("fixed overflow s ^= a[i - 1]")), "{found:?}");
    }
    // And that a text is empty.
    let trim = |test: &str| {
        format!(
            "#include <string.h>
int ends(const char *s) {{
  size_t n = strlen(s);
  {test}
  return s[n - 1] == '\\n';
}}"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let found = told(&trim(""), &trim("if (n == 0) return 0;"));
        assert!(found.iter().any(|one| one.starts_with("fixed overflow return s[n - 1]")), "{found:?}");
    }
}

#[test]
fn a_size_that_is_counted_down_wraps_at_zero_alone() {
    let pop = |test: &str| {
        format!(
            "#include <stddef.h>
struct vec {{ char *data; size_t len; }};
int pop(struct vec *v) {{ {test} return v->data[--v->len]; }}
size_t before(size_t n) {{ {} return n - 1; }}",
            test.replace("v->len", "n")
        )
    };
    let (old, new) = (pop("if (v->len == 0) return -1;"), pop("if (v->len < 1) return -1;"));
    check_nothing(&old, &new);
    // What the last round of a loop leaves is used by nobody.
    let rounds = |head: &str| {
        format!(
            "#include <stddef.h>\nint sum(const char *p, size_t n) {{ int s = 0; {head} s ^= p[n]; return s; }}"
        )
    };
    check_nothing(&rounds("while (n > 0 && n-- > 0)"), &rounds("while (n--)"));
    // Nothing is there before and after either.
    if hydrogen_testkit::archive().is_some() {
        assert!(!present(&old, &new).contains(&"size-overflow".to_owned()));
        let unguarded = pop("");
        assert!(told(&unguarded, &new).iter().any(|one| one.starts_with("fixed size-overflow")));
    }
}

#[test]
fn what_fails_for_another_input_is_not_fixed() {
    let grow = |size: &str| {
        format!(
            "#include <stdlib.h>
struct vec {{ char *data; size_t cap; }};
int grow(struct vec *v) {{
  size_t n = v->cap ? {size} : 16;
  char *p = realloc(v->data, n);
  if (!p) return -1;
  v->data = p; v->cap = n;
  return 0;
}}"
        )
    };
    check_nothing(&grow("v->cap * 2"), &grow("v->cap + v->cap / 2 + 1"));
}

#[test]
fn a_way_in_that_is_gone_is_a_change() {
    let code = |end: &str| {
        format!(
            "struct ast {{ int n; }};
int missing;
int size(struct ast *a) {{
  if (a == 0) {{
    missing++;
    {end}
  }}
  return a->n;
}}"
        )
    };
    let (old, new) = (code(""), code("return 0;"));
    check(&old, &new, &["fixed null return a->n"], &["new null return a->n"]);
}

#[test]
fn another_operation_says_nothing_of_what_memory_holds() {
    // The only store puts a number there that is not zero.
    let ring = |step: &str| {
        format!(
            "#include <stdlib.h>
struct ring {{ unsigned size, tail; }};
struct ring *ring_new(unsigned n) {{
  struct ring *r = malloc(sizeof *r);
  if (!r) return NULL;
  r->size = n ? n : 1;
  r->tail = 0;
  return r;
}}
void ring_step(struct ring *r) {{ {step} }}"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let (old, new) = ("r->tail = (r->tail + 1) % r->size;", "if (++r->tail == r->size) r->tail = 0;");
        let found = told(&ring(old), &ring(new));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn all_that_took_the_place_of_a_statement_is_looked_at() {
    let room = |code: &str| {
        format!(
            "#include <stdlib.h>\nchar *room(char *b, size_t s, size_t n) {{ {code} return realloc(b, s); }}"
        )
    };
    if hydrogen_testkit::archive().is_some() {
        let found = told(&room("while (s < n) s *= 2;"), &room("if (s < n + 16) s = n + 16;"));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn what_is_freed_under_another_name_was_given_twice() {
    let compact = |code: &str| {
        format!(
            "#include <stdlib.h>
int compact(char **data, int *length, int *capacity) {{ {code} return 0; }}"
        )
    };
    let old = compact("*capacity = *length; *data = realloc(*data, *capacity);");
    let new = compact(
        "void *p = realloc(*data, *length); if (p == NULL) return -1; *capacity = *length; *data = p;",
    );
    if hydrogen_testkit::archive().is_some() {
        let found = [told(&old, &new), told(&new, &old)].concat();
        assert!(!found.iter().any(|one| one.contains("use-after-free")), "{found:?}");
    }
}
