//! Functions that are remembered are what reading them again gives.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{FileFacts, Functions, Keeping};
use hydrogen_syntax::Options;
use proptest::prelude::*;
use std::sync::Arc;

/// Lines outside of functions that change how functions are read.
fn outside() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("#define STOP die()\n"),
        Just("#define STOP die"),
        Just("#define EACH(x) for (x = 0; x < 3; x++)\n"),
        Just("#define EACH(x) if (x)\n"),
        Just("#define TRUE ONE\n#define ONE 1\n"),
        Just("#define TRUE ONE\n#define ONE 0\n"),
        Just("enum { A, B };\n"),
        Just("_Noreturn void die(void);\n"),
        Just("void die(void);\n"),
        Just("#define API static\n"),
        Just("\n\n"),
        Just("#if X\n"),
        Just("#else\n"),
        Just("#endif\n"),
    ]
}

fn function() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("API int f(int x) {\n  if (x) STOP;\n  return A ? B : 1;\n}\n"),
        Just("int g(int x)\n{\n  EACH(x) { x += TRUE; }\n  while (TRUE) x--;\n  die();\n  return x;\n}\n"),
        Just("  int h(int x) { switch (x) { case A: die(); case B: return f(x,\n 2); } return 0; }\n"),
        Just("int die(int x) {\n#ifdef Y\n  x = 1;\n#else\n  x = 2;\n#endif\n  return x ? A : B; }\n"),
    ]
}

fn file() -> impl Strategy<Value = String> {
    let part = prop_oneof![outside().prop_map(str::to_owned), function().prop_map(str::to_owned)];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn remembered_functions_are_the_same(
        versions in prop::collection::vec((file(), file()), 1..6),
        room in 1usize..20,
    ) {
        let memory = Functions::new(Keeping, room);
        for (source, header) in &versions {
            let known = Arc::new(hydrogen_syntax::names(header.as_bytes()));
            let options = Options { known: Some(known), ..Options::default() };
            let (found, _) = FileFacts::read("a.c", source.as_bytes(), &options, &memory);
            let (expect, _) = FileFacts::read("a.c", source.as_bytes(), &options, &Functions::new(Keeping, 2));
            prop_assert_eq!(found, expect);
        }
    }
}
