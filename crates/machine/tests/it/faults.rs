//! One program per kind of fault, and a near miss that is none.

use super::support::{run, seen};
use hydrogen_machine::{End, Fault, FaultKind};

const HEAD: &str = "#include <limits.h>\n#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
                    #define opaque(x) ({ __typeof__(x) volatile v = (x); v; })\n";

/// The body is the rest of the file; the fault must be on the line with `HERE`.
fn bad(body: &str, kind: FaultKind) -> Option<Fault> {
    let source = format!("{HEAD}{body}");
    let run = run(&source)?;
    let End::Fault(fault) = &run.end else { panic!("{:#?}", run.end) };
    assert_eq!(fault.kind, kind, "{fault:#?}");
    let line = source.lines().position(|line| line.contains("HERE")).unwrap() as u32 + 1;
    let place = fault.stack.iter().find(|frame| frame.users).unwrap();
    assert_eq!((place.file.as_str(), place.line), ("test.c", line), "{fault:#?}");
    assert_eq!(fault.stack.iter().rfind(|frame| frame.users).unwrap().function, "main");
    Some((**fault).clone())
}

fn ok(body: &str) {
    if let Some(run) = run(&format!("{HEAD}{body}")) {
        assert_eq!(seen(&run).status, 0);
    }
}

#[test]
fn out_of_bounds_read_bad() {
    let fault = bad(
        "int a[4]; int get(int i) {\n return a[i]; // HERE\n}\nint main(void) { return get(opaque(4)); }",
        FaultKind::OutOfBoundsRead,
    );
    if let Some(fault) = fault {
        assert_eq!(fault.message, "read of 4 bytes 0 bytes behind the end of the variable `a`");
        assert_eq!(fault.stack[1].function, "main");
    }
    bad(
        "int main(void) { int a[4] = {0}; int *p = a;\n return p[opaque(-1)]; // HERE\n}",
        FaultKind::OutOfBoundsRead,
    );
}

#[test]
fn out_of_bounds_read_ok() {
    ok("int a[4]; int main(void) { return a[opaque(3)]; }");
}

#[test]
fn out_of_bounds_write_bad() {
    let fault = bad(
        "char *make(void) {\n return malloc(5);\n}\nint main(void) { char *p = make();\n p[opaque(5)] = 0; // HERE\n}",
        FaultKind::OutOfBoundsWrite,
    );
    if let Some(object) = fault.and_then(|fault| fault.object) {
        let places: Vec<_> =
            object.allocated.iter().map(|frame| (frame.function.as_str(), frame.line)).collect();
        assert_eq!(&places[..2], &[("make", 8), ("main", 10)]);
        assert_eq!((object.size, object.offset), (5, 5));
    }
    bad(
        "int main(void) { char b[4];\n strcpy(b, opaque((char *)\"abcd\")); // HERE\n}",
        FaultKind::OutOfBoundsWrite,
    );
}

#[test]
fn out_of_bounds_write_ok() {
    ok(
        "int main(void) { char *p = malloc(5); p[opaque(4)] = 0; char b[4]; strcpy(b, \"abc\"); free(p); return 0; }",
    );
}

#[test]
fn null_dereference_bad() {
    bad(
        "struct s { int a, b; }; int main(void) { struct s *p = opaque((struct s *)0);\n return p->b; // HERE\n}",
        FaultKind::NullDereference,
    );
    bad(
        "int main(void) { int (*f)(void) = opaque((int (*)(void))0);\n return f(); // HERE\n}",
        FaultKind::NullDereference,
    );
}

#[test]
fn far_from_null_bad() {
    let program = |member: &str, at: i64| {
        format!(
            "struct s {{ int n, a[4]; }}; int main(void) {{ struct s *volatile p = 0; long i = opaque({at}L);\n \
             p->{member} = 1; // HERE\n}}"
        )
    };
    for at in [-2_147_483_648, 2_147_483_647, -5_000_000_000, 40_000] {
        bad(&program("a[i]", at), FaultKind::NullDereference);
        bad(&program("a[i + 2]", at), FaultKind::NullDereference);
    }
}

#[test]
fn null_dereference_ok() {
    ok("struct s { int a, b; }; int main(void) { struct s *p = 0; return &p->b == (int *)0; }");
}

#[test]
fn use_after_free_bad() {
    let fault = bad(
        "int main(void) { int *p = malloc(4); *p = 1;\n free(p);\n return *p; // HERE\n}",
        FaultKind::UseAfterFree,
    );
    if let Some(object) = fault.and_then(|fault| fault.object) {
        assert_eq!(object.freed[0].line, 8);
        assert_eq!(object.allocated[0].line, 7);
    }
}

#[test]
fn use_after_free_ok() {
    ok(
        "int main(void) { int *p = malloc(4); *p = 0; int v = *p; free(p); p = malloc(4); free(p); return v; }",
    );
}

#[test]
fn use_after_return_bad() {
    bad(
        "int *f(void) { int x = 1; int *volatile p = &x; return p; }\nint main(void) { int *p = f();\n return *p; // HERE\n}",
        FaultKind::UseAfterReturn,
    );
    // The number of the dead variable is in use again: the old pointer is found out all the same.
    bad(
        "int *f(void) { int x = 1; int *volatile p = &x; return p; } int g(int *p) { int y = 2; int *volatile q = &y;\n return *p + *q; // HERE\n}\nint main(void) { return g(f()); }",
        FaultKind::UseAfterReturn,
    );
}

#[test]
fn use_after_return_ok() {
    ok("int *f(void) { static int x; return &x; }\nint main(void) { return *f(); }");
}

#[test]
fn double_free_bad() {
    bad("int main(void) { char *p = malloc(4); free(p);\n free(p); // HERE\n}", FaultKind::DoubleFree);
}

#[test]
fn invalid_free_bad() {
    bad("int main(void) { char *p = malloc(4);\n free(p + 1); // HERE\n}", FaultKind::InvalidFree);
    bad("int main(void) { int x; int *volatile p = &x;\n free(p); // HERE\n}", FaultKind::InvalidFree);
    bad("int g; int main(void) {\n free(opaque(&g)); // HERE\n}", FaultKind::InvalidFree);
}

#[test]
fn free_ok() {
    ok(
        "int main(void) { free(0); char *p = malloc(0); free(p); p = realloc(malloc(3), 100); p[99] = 0; free(p); return 0; }",
    );
}

#[test]
fn uninitialised_read_bad() {
    bad(
        "int main(void) { int x; int *volatile p = &x;\n if (*p > 3) return 1; // HERE\n return 0; }",
        FaultKind::UninitialisedRead,
    );
    bad(
        "int f(int v) {\n return v == 1 ? 5 : 6; // HERE\n}\nint main(void) { int *p = malloc(8); return f(p[1]); }",
        FaultKind::UninitialisedRead,
    );
    bad("int main(void) { int a[4] = {0}, i;\n return a[i & 3]; // HERE\n}", FaultKind::UninitialisedRead);
}

/// Undefined bits are tracked as long as somebody may still read them, over jumps and calls too.
#[test]
fn uninitialised_read_later_bad() {
    bad(
        "int main(void) { int *p = malloc(8); int v = opaque(1) ? p[1] : 3;\n for (int i = 0; i < 9; i++) opaque(i);\n if (v) return 1; // HERE\n return 0; }",
        FaultKind::UninitialisedRead,
    );
    bad(
        "int main(void) { struct s { char c; int i; } a[3], b; for (int i = 0; i < 3; i++) { a[i].c = 1; b = a[i]; }\n if (b.i) return 1; // HERE\n return 0; }",
        FaultKind::UninitialisedRead,
    );
    bad(
        "long twice(long v) { for (int i = 0; i < 3; i++) opaque(i); return v + v; }\nint main(void) { long *p = malloc(8), v = twice(*p);\n if (v > 3) return 1; // HERE\n return 0; }",
        FaultKind::UninitialisedRead,
    );
}

#[test]
fn uninitialised_copy_ok() {
    ok(
        "struct s { char c; int i; }; int main(void) { struct s a, b; a.c = 1; b = a; char buf[16], *p = buf; memcpy(p, &b, sizeof b); \
        int x; int y = x; x = 0; return x | (b.c - 1); (void)y; }",
    );
    ok(
        "int main(void) { unsigned x; x = (x & ~0xffu) | 7; unsigned char low = x; return low == 7 ? 0 : 1; }",
    );
}

#[test]
fn division_by_zero_bad() {
    bad("int main(void) {\n return 5 / opaque(0); // HERE\n}", FaultKind::DivisionByZero);
    bad("int main(void) {\n return 5u % opaque(0u); // HERE\n}", FaultKind::DivisionByZero);
    bad("int main(void) {\n return INT_MIN / opaque(-1); // HERE\n}", FaultKind::SignedOverflow);
}

#[test]
fn division_ok() {
    ok(
        "int main(void) { double z = opaque(0.0); return 1 / z > 0 && (INT_MIN + 1) / opaque(-1) > 0 ? 0 : 1; }",
    );
}

#[test]
fn bad_shift_bad() {
    bad("int main(void) {\n return 1 << opaque(32); // HERE\n}", FaultKind::BadShift);
    bad("int main(void) {\n return (int)(1ul >> opaque(-1)); // HERE\n}", FaultKind::BadShift);
}

#[test]
fn shift_ok() {
    ok("int main(void) { return (1 << opaque(31)) == INT_MIN && (1ul << opaque(63)) != 0 ? 0 : 1; }");
}

#[test]
fn signed_overflow_bad() {
    let fault = bad("int main(void) {\n return opaque(INT_MAX) + 1; // HERE\n}", FaultKind::SignedOverflow);
    if let Some(fault) = fault {
        assert_eq!(fault.message, "2147483647 + 1 does not fit in 32 bits");
    }
    bad(
        "int main(void) {\n long v = opaque(LONG_MIN) * -1; // HERE\n return v == 0; }",
        FaultKind::SignedOverflow,
    );
}

#[test]
fn signed_overflow_ok() {
    ok(
        "int main(void) { unsigned u = opaque(UINT_MAX) + 1; short s = (short)(opaque(32767) + 1); return u + (s != -32768); }",
    );
}

#[test]
fn unreachable_bad() {
    bad(
        "int f(int x) { if (x) return 1;\n __builtin_unreachable(); // HERE\n}\nint main(void) { return f(opaque(0)); }",
        FaultKind::Unreachable,
    );
}

#[test]
fn stack_exhausted_bad() {
    bad(
        "int f(int n) { char pad[1000]; pad[0] = n;\n return f(n + 1) + pad[0]; // HERE\n}\nint main(void) { return f(0); }",
        FaultKind::StackExhausted,
    );
    bad(
        "int main(void) { long n = opaque(1L << 40);\n char a[n]; a[0] = 0; return a[0]; // HERE\n}",
        FaultKind::StackExhausted,
    );
}

#[test]
fn bad_call_bad() {
    bad(
        "int f(double d) { return d; } int main(void) { int (*p)(int) = (int (*)(int))f;\n return p(3); // HERE\n}",
        FaultKind::BadCall,
    );
    bad(
        "int main(void) { int x = 0; void (*p)(void) = (void (*)(void))&x;\n p(); return x; // HERE\n}",
        FaultKind::BadCall,
    );
    bad(
        "int f(int a, int b) { return a + b; } int main(void) { int (*p)(int) = (int (*)(int))f;\n return p(3); // HERE\n}",
        FaultKind::BadCall,
    );
}

#[test]
fn call_ok() {
    ok("int f(); int main(void) { return f(1, 2) - 3; } int f(int a, int b) { return a + b; }");
}

#[test]
fn read_only_write_bad() {
    bad(
        "int main(void) { char *s = \"literal\";\n s[0] = 'L'; // HERE\n return 0; }",
        FaultKind::ReadOnlyWrite,
    );
}

#[test]
fn bad_longjmp_bad() {
    bad(
        "jmp_buf b; void f(void) { if (setjmp(b)) puts(\"?\"); } int main(void) { f();\n longjmp(b, 1); // HERE\n}",
        FaultKind::BadLongJump,
    );
}

#[test]
fn overlapping_copy_bad() {
    bad(
        "int main(void) { char b[10] = \"abcdef\";\n memcpy(opaque(b + 1), b, 4); // HERE\n return 0; }",
        FaultKind::OverlappingCopy,
    );
}

#[test]
fn leaks_are_reported_and_are_no_fault() {
    let body = "static void *kept; int main(void) { kept = malloc(10);\n for (int i = 0; i < 3; i++) malloc(7);\n free(malloc(1)); return 0; }";
    let Some(run) = run(&format!("{HEAD}{body}")) else { return };
    assert_eq!(seen(&run).status, 0);
    let leaks: Vec<_> =
        run.leaks.iter().map(|leak| (leak.size, leak.count, leak.allocated[0].line)).collect();
    assert_eq!(leaks, [(7, 3, 8)]);
    assert_eq!(run.reachable, 1);
}

#[test]
fn into_another_object_bad() {
    let fault = bad(
        "int a[10], b[10]; int main(void) { long i = ((char *)&b[3] - (char *)a) / 4;\n a[i] = 7; // HERE\n\
         printf(\"%d\\n\", b[3]); return 0; }",
        FaultKind::OutOfBoundsWrite,
    );
    let Some(fault) = fault else { return };
    assert!(fault.message.ends_with(" of the variable `a`, in the variable `b`"), "{fault:#?}");
    let (object, instead) = (fault.object.unwrap(), fault.instead.unwrap());
    assert_eq!((object.description.as_str(), object.size), ("the variable `a`", 40));
    assert_eq!((instead.description.as_str(), instead.offset), ("the variable `b`", 12));
    let far = bad(
        "int main(void) { char *p = malloc(8); long i = opaque(5000000000L);\n return p[i]; // HERE\n}",
        FaultKind::OutOfBoundsRead,
    );
    let message = far.unwrap().message;
    assert_eq!(message, "read of 1 byte 4999999992 bytes behind the end of a heap object of 8 bytes");
}

#[test]
fn far_before_a_local_array_bad() {
    // So far before the array lie variables of calls that have returned; the pointer is the array's all the same.
    let program = |body: &str, by: i32| {
        format!(
            "int f(int n) {{ int a[4] = {{n}};\n {body} // HERE\n}}\n\
             int main(void) {{ for (int i = 0; i < 40; i++) f(0); return f(opaque({by})); }}"
        )
    };
    for by in [-2000, -20_000, -40_000] {
        let fault = bad(&program("return a[n];", by), FaultKind::OutOfBoundsRead);
        let object = fault.unwrap().object.unwrap();
        assert_eq!(
            (object.description.as_str(), object.offset),
            ("the variable `a` of `f`", 4 * i64::from(by))
        );
        bad(&program("a[n] = 1; return 0;", by), FaultKind::OutOfBoundsWrite);
        bad(&program("return *(a + 2 + n);", by), FaultKind::OutOfBoundsRead);
    }
}

#[test]
fn into_another_object_ok() {
    // Pointers may be moved along with what they point into.
    ok(
        "int main(void) { char *old = malloc(8), *p = old + 3; char *new = realloc(old, 4000); p += new - old; *p = 1; free(new); return 0; }",
    );
    // Asking whether a pointer would leave its object uses no memory.
    ok("int main(void) { char a[8]; unsigned long n = opaque(5000000000UL); return a + n < a + 8; }");
}

#[test]
fn variable_of_the_last_round_bad() {
    bad(
        "int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { int x; if (i == 0) x = 5;\n if (x == 5) sum++; // HERE\n } return sum; }",
        FaultKind::UninitialisedRead,
    );
    bad(
        "int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { int a[2], *p = a; if (i == 0) p[0] = 5;\n if (p[0] == 5) sum++; // HERE\n } return sum; }",
        FaultKind::UninitialisedRead,
    );
}

#[test]
fn variable_of_a_round_ok() {
    ok(
        "int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { int x, *p = &x; char t[4]; *p = i; t[0] = i; sum += x + t[0]; } \
         while (1) { int n; n = sum; if (n == 6) break; } again:; { static int k; int m = 2, *q = &m; if (*q == 2 && k++ < 3) goto again; } return sum - 6; }",
    );
    // Control may come into a block without passing a declaration.
    ok(
        "int main(void) { int r = 0; for (int i = 0; i < 2; i++) switch (i) { int x, *p; case 0: x = 1; p = &x; r += *p; break; case 1: p = &x; *p = 2; r += x; } return r - 3; }",
    );
    ok("#define MAX(a, b) ({ int _a = (a), _b = (b), *_p = &_a, *_q = &_b; *_p > *_q ? *_p : *_q; })\n\
         int main(void) { int r = 0; for (int i = 0; i < 4; i++) r = MAX(r, MAX(i, 2)); return r - 3; }");
}

#[test]
fn what_a_function_returns_outlives_its_block_ok() {
    ok(
        "struct pair { long a, b; }; static struct pair make(int n) { for (int i = 0; i < 3; i++) { if (n == i) { struct pair r; struct pair *p = &r; p->a = i; p->b = n; return r; } } struct pair none = {9, 9}; return none; }\n\
         int main(void) { struct pair p = make(opaque(1)); return p.a - p.b + make(opaque(7)).a - 9; }",
    );
}

#[test]
fn use_behind_the_block_bad() {
    bad(
        "int main(void) { int *p; { int x = 1; p = &x; }\n return *p - 1; // HERE\n}",
        FaultKind::UseAfterReturn,
    );
    bad(
        "int main(void) { char *s = 0; for (int i = 0; i < 2; i++) { char t[8] = \"ab\"; s = t; }\n puts(s); // HERE\n}",
        FaultKind::UseAfterReturn,
    );
}

#[test]
fn missing_variable_argument_bad() {
    bad(
        "int main(void) {\n printf(\"%s %s\\n\", opaque((char *)\"a\")); // HERE\n return 0; }",
        FaultKind::BadCall,
    );
    bad(
        "#include <stdarg.h>\nint sum(int n, ...) { va_list l; va_start(l, n); int s = 0;\n while (n--) s += va_arg(l, int); // HERE\n va_end(l); return s; }\n\
         int main(void) { return sum(3, 1, 2); }",
        FaultKind::BadCall,
    );
}

#[test]
fn variable_arguments_ok() {
    ok(
        "#include <fcntl.h>\n#include <unistd.h>\nint main(void) { int f = open(\"x\", O_CREAT | O_RDWR, 0600); fcntl(f, F_GETFL); close(f); printf(\"%d %s %f\\n\", 1, \"b\", 2.0); return 0; }",
    );
}

#[test]
fn bad_conversion_bad() {
    for (to, from) in [
        ("int", "2147483648.0"),
        ("int", "-1e10"),
        ("unsigned", "-1.0"),
        ("unsigned char", "256.0f"),
        ("long", "1e19"),
        ("int", "__builtin_nan(\"\")"),
        ("unsigned long", "1e20L"),
    ] {
        bad(
            &format!("int main(void) {{\n {to} v = ({to})opaque({from}); // HERE\n return v == 7; }}"),
            FaultKind::BadConversion,
        );
    }
}

#[test]
fn conversion_ok() {
    ok(
        "int main(void) { int a = opaque(2147483647.9), b = opaque(-2147483648.5); unsigned c = opaque(-0.9), d = opaque(4294967295.5f / 2); unsigned char e = opaque(255.9);\n\
         return a == 2147483647 && b == INT_MIN && c == 0 && d && e == 255 ? 0 : 1; }",
    );
}

#[test]
fn over_read_bad() {
    let word = "#include <stdint.h>\nuint32_t hash(const char *s, size_t n) { const uint64_t *w = (const void *)s; uint64_t h = 0;\n h += w[0]; // HERE\n return h & 0xff; }\n";
    bad(
        &format!("{word}int main(void) {{ char *s = malloc(5); memset(s, 1, 5); return hash(s, 5); }}"),
        FaultKind::OverRead,
    );
    // Not one word further.
    bad(
        "int main(void) { int *s = malloc(4); *s = 1;\n return s[opaque(1)]; // HERE\n}",
        FaultKind::OutOfBoundsRead,
    );
}
