//! Addresses as programs see them: few bits, falling with the depth of calls, and objects of any size.

use super::support::{file, limits, load, run, seen, tools};
use hydrogen_machine::{End, FaultKind, Limits, World};

fn check(source: &str) {
    if let Some(run) = run(source) {
        let seen = seen(&run);
        assert_eq!(seen.status, 0, "{seen:?}");
    }
}

#[test]
fn pointers_in_47_bits() {
    // A pointer beside a tag in the upper bits, as interpreters keep values; more objects than 15 bits can number.
    check(
        "#include <stdint.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
         #define TAG 0xfffc000000000000ull\n\
         typedef uint64_t value; static value box(void *p) { return TAG | (uint64_t)(uintptr_t)p; }\n\
         static void *unbox(value v) { return (void *)(uintptr_t)(v & 0x00007fffffffffffull); }\n\
         struct cell { int n; value next; };\n\
         int main(void) { value list = box(NULL); int local = 5; long sum = 0;\n\
         for (int i = 0; i < 200000; i++) { struct cell *c = malloc(sizeof *c); c->n = i; c->next = list; list = box(c); }\n\
         for (struct cell *c = unbox(list); c; c = unbox(c->next)) sum += c->n;\n\
         int *p = unbox(box(&local)); int (*f)(const char *) = unbox(box((void *)puts));\n\
         return sum == 19999900000 && *p == 5 && f(\"boxed\") >= 0 ? 0 : 1; }",
    );
}

#[test]
fn signed_pointers_of_48_bits() {
    check(
        "#include <stdint.h>\n#include <stdlib.h>\nint main(void) { int x = 3; char *h = malloc(8); static int g; void *all[] = { &x, h, &g, (void *)main };\n\
         for (int i = 0; i < 4; i++) { int64_t v = (int64_t)((uint64_t)(uintptr_t)all[i] << 16) >> 16; if ((void *)(intptr_t)v != all[i] || v < 4096) return 1; }\n\
         return *(int *)(intptr_t)((int64_t)((uint64_t)(uintptr_t)&x << 16) >> 16) - 3; }",
    );
}

#[test]
fn the_stack_grows_downwards() {
    check(
        "#include <stdint.h>\nstatic int depth_by(char *above, int n) { char here; if (&here >= above) return 1; \
         return n ? depth_by(&here, n - 1) : above - &here > 100000; }\n\
         static int frames(char *above, int n) { char *here = __builtin_frame_address(0); if (here >= above) return 1;\n\
         return n ? frames(here, n - 1) : __builtin_frame_address(1) != above || __builtin_return_address(0) == 0; }\n\
         int main(void) { char here; return depth_by(&here, 200) + frames(__builtin_frame_address(0), 200); }",
    );
}

#[test]
fn interpreters_do_not_run_out_of_stack() {
    // A limit as script engines have it, checked again and again while calls come and go.
    check(
        "#include <stdint.h>\nstatic uintptr_t limit; static long deepest;\n\
         static int over(void) { int here; uintptr_t at = (uintptr_t)&here; return at < limit || (uintptr_t)__builtin_frame_address(0) < limit; }\n\
         struct args { int n; char name[32]; };\n\
         static int eval(struct args *a) { struct args inner = { a->n - 1, \"x\" }; int left = 0, right = 0, *l = &left, *r = &right;\n\
         if (over()) return -1000000; if (a->n < 2) return 1; *l = eval(&inner); inner.n--; *r = eval(&inner); return *l + *r; }\n\
         int main(void) { limit = (uintptr_t)__builtin_frame_address(0) - 80000; struct args a = { 16, \"fib\" };\n\
         return eval(&a) == 1597 ? 0 : 1; }",
    );
}

#[test]
fn large_objects() {
    check(
        "#include <stdlib.h>\n#include <string.h>\nstatic char table[9 << 20]; struct big { char bytes[20 << 20]; };\n\
         static int in(void) { char local[12 << 20]; for (size_t i = 0; i < sizeof local; i += 4096) local[i] = 1; return local[(12 << 20) - 4096]; }\n\
         int main(void) { long *p = malloc(100 << 20); for (long i = 0; i < (100 << 20) / 8; i += 100000) p[i] = i;\n\
         for (int i = 0; i < 9 << 20; i += 1000) table[i] = i; char *end = (char *)p + (100 << 20); end[-1] = 2;\n\
         struct big *b = calloc(1, sizeof *b); b->bytes[(20 << 20) - 1] = 3; p = realloc(p, 200 << 20); int ok = p[1300000] == 1300000 && ((char *)p)[(100 << 20) - 1] == 2;\n\
         free(p); free(b); return ok && in() == 1 && table[9000000] == (char)9000000 ? 0 : 1; }",
    );
}

#[test]
fn faults_around_large_objects() {
    let fault = |source: &str, kind: FaultKind| {
        let Some(run) = run(source) else { return };
        let End::Fault(fault) = &run.end else { panic!("{source}: {:#?}", run.end) };
        assert_eq!(fault.kind, kind, "{fault:#?}");
    };
    fault(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(50 << 20); volatile long n = 50 << 20; return p[n]; }",
        FaultKind::OutOfBoundsRead,
    );
    fault(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(50 << 20); volatile long n = -1; return p[n]; }",
        FaultKind::OutOfBoundsRead,
    );
    fault(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(50 << 20), *q = p + (30 << 20); *q = 1; free(p); return *q; }",
        FaultKind::UseAfterFree,
    );
    fault(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(50 << 20); free(p + (30 << 20)); return 0; }",
        FaultKind::InvalidFree,
    );
}

#[test]
#[ignore = "takes ten gigabytes of memory"]
fn an_object_above_4_gigabytes() {
    let Some(archive) = tools() else { return };
    let (_folder, path) = file(
        "#include <stdlib.h>\nint main(void) { size_t n = (4ul << 30) + 4096; char *p = malloc(n); if (!p) return 2; \
         for (size_t i = 0; i < n; i += 1 << 20) p[i] = i >> 20; volatile size_t last = n - 1; p[last] = 7;\n\
         return p[last] == 7 && p[4ul << 30] == 0 && p[3ul << 30] == 0 ? 0 : 1; }",
    );
    let run = load(archive, &path, &[]).run(World::default(), Limits { memory: 5 << 30, ..limits() });
    assert_eq!(run.end, End::Exit(0));
}

#[test]
fn wide_characters_are_read_by_bytes() {
    check(
        "#include <locale.h>\n#include <stdlib.h>\n#include <string.h>\n#include <wchar.h>\nint main(void) { setlocale(LC_ALL, \"C.UTF-8\");\n\
         char *s = malloc(6); strcpy(s, \"ab\\xc3\\xa9z\"); wchar_t w[8]; mbstate_t state = {0}; const char *p = s;\n\
         return mbstowcs(w, s, 8) == 4 && w[2] == 0xe9 && mbsrtowcs(w, &p, 8, &state) == 4 && mbstowcs(0, s, 0) == 4 ? 0 : 1; }",
    );
}

#[test]
fn the_processor_can_be_asked() {
    check(
        "int main(void) { __builtin_cpu_init(); return __builtin_cpu_supports(\"sse2\") && !__builtin_cpu_supports(\"avx2\") ? 0 : 1; }",
    );
}

#[test]
fn what_arithmetic_cannot_do_is_refused() {
    let refused = |source: &str, what: &str| {
        let Some(run) = run(source) else { return };
        let End::Unsupported(why, stack) = &run.end else { panic!("{:#?}", run.end) };
        assert!(why.contains(what), "{why}");
        assert!(stack.iter().any(|frame| frame.users && frame.line == 2), "{stack:#?}");
    };
    refused("#include <fenv.h>\nint main(void) { fesetround(FE_UPWARD); return 0; }", "fesetround");
    refused("#include <fenv.h>\nint main(void) { return fetestexcept(FE_INEXACT); }", "fetestexcept");
    check(
        "#include <fenv.h>\n#include <math.h>\nint main(void) { feclearexcept(FE_ALL_EXCEPT); fesetround(FE_TONEAREST); return nearbyint(2.5) != 2.0; }",
    );
}
