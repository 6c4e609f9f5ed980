//! What stands outside functions, and which names functions mention.
#![allow(missing_docs, clippy::unwrap_used)]

use expect_test::{Expect, expect};
use hydrogen_syntax::{NameHash, Options, read};

fn check(source: &str, expect: Expect) {
    let unit = read("t.c", source.as_bytes(), &Options::default());
    let lines = unit
        .items
        .iter()
        .map(|item| format!("{}: {:?} {}: {}\n", item.span.start.line, item.kind, item.name, item.text));
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn items_have_kinds_names_and_canonical_texts() {
    check(
        "#include <stdio.h>\n#include \"a.h\"\n#define MAX(a, b) \\\n  ((a) > (b) ? (a) : (b)) /* larger */\n#define EMPTY\n\
         typedef unsigned  int u32;\ntypedef int (*cb)(int);\nstruct s { int x; } one, *two;\nunion u;\n\
         enum color { RED, GREEN = 1 << 2, BLUE };\nstatic const char *names[] = { \"a\", \"b\" };\nint x, *y = &x, z[3];\n\
         extern int shared;\nint f(int a), *g(void);\nvoid (*handler)(int);\nDEFINE_LOCK(lock);\nint h(void) { \n#define INNER 1\n return 0; }\n\
         _Static_assert(sizeof(int) == 4, \"x\");\n",
        expect![[r#"
            1: Include stdio.h: #include<stdio.h>
            2: Include a.h: #include "a.h"
            3: Macro MAX: #define MAX(a,b) ((a)>(b)?(a):(b))
            5: Macro EMPTY: #define EMPTY
            6: Type u32: typedef unsigned int u32;
            7: Type cb: typedef int(*cb)(int);
            8: Type s: struct s{int x;}one,*two;
            8: Global one: struct s{int x;}one,*two;
            8: Global two: struct s{int x;}one,*two;
            10: Type color: enum color{RED,GREEN=1<<2,BLUE};
            10: Enum RED: RED=0
            10: Enum GREEN: GREEN=1<<2
            10: Enum BLUE: BLUE=(1<<2)+1
            11: Global names: static const char*names[]={"a","b"};
            12: Global x: int x,*y= &x,z[3];
            12: Global y: int x,*y= &x,z[3];
            12: Global z: int x,*y= &x,z[3];
            13: Global shared: extern int shared;
            14: Prototype f: int f(int a),*g(void);
            14: Prototype g: int f(int a),*g(void);
            15: Global handler: void(*handler)(int);
            16: Global DEFINE_LOCK: DEFINE_LOCK(lock);
            18: Macro INNER: #define INNER 1
            20: Global _Static_assert: _Static_assert(sizeof(int)==4,"x");
        "#]],
    );
}

#[test]
fn functions_know_the_names_they_mention() {
    let source =
        "int f(T a) {\n#ifdef FLAG\n g(a);\n#endif\n return LIMIT + s->member; }\nint h(void) { return 1; }";
    let unit = read("t.c", source.as_bytes(), &Options::default());
    let uses =
        |index: usize, name: &str| unit.uses[index].binary_search(&NameHash::of(name.as_bytes())).is_ok();
    for name in ["T", "FLAG", "g", "LIMIT", "member"] {
        assert!(uses(0, name), "{name}");
        assert!(!uses(1, name), "{name}");
    }
}

#[test]
fn threads_do_not_matter() {
    let source = include_str!("seed.c").repeat(60);
    assert!(source.len() > 64 * 1024, "long enough for several threads");
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read("t.c", source.as_bytes(), &Options::default()))
    };
    assert_eq!(with(1), with(4));
}
