//! The checker's reading of code and the prover's, written apart, say the same: each is the other's test.

use crate::{
    Inputs, Rejected, Side,
    certificate::{Certificate, check},
    code::Jumps,
    compiled::{compile, function},
    context::Context,
    entry::initial,
    fold::Fold,
    prepare::{Prepared, prepare},
    segment::{Loops, Runner, Segment, Target},
    subject::Subject,
    variables::number,
};
use hydrogen_ir::Module;
use hydrogen_term::{Answer, Engine, Limits, Smtlib, Sort, Term, standard};
use std::{collections::BTreeSet, time::Duration};

fn subject<'m>(module: &'m Module, name: &str) -> Subject<'m> {
    Subject { module, function: function(module, name) }
}

/// Both readings of every segment of `f` are the same.
fn check_readings(code: &str, jumps: Jumps, loops: Loops) {
    let module = compile(code);
    let f = subject(&module, "f");
    let alike = BTreeSet::from(["kept".to_owned()]);
    let Prepared { old, mut context, old_addresses, .. } = prepare(f, f, &alike, None, jumps).unwrap();
    let runner =
        |reader| Runner { code: &old, side: Side::Old, addresses: old_addresses.clone(), loops, reader };
    let (prover, checker) = (runner(None), runner(Some(crate::again::advance)));
    let start = initial(&mut context, &prover);
    let mut places = vec![(Target::Entry, start.clone())];
    if loops == Loops::Cut {
        for &head in &old.heads {
            let mut state = start.clone();
            for (var, width) in crate::variables::variables(&old, Target::Head(head)) {
                let term = context.pool.var(&format!("{var:?}"), Sort::Bits(width));
                state.values.insert(var, crate::state::Value::Bits(term, None));
            }
            places.push((Target::Head(head), state));
        }
    }
    let mut engine = Engine::new(standard(), Limits::default()).alone();
    for (place, state) in places {
        for steps in [1, 2] {
            let one = prover.advance(&mut context, place, state.clone(), steps).unwrap();
            let other = checker.advance(&mut context, place, state.clone(), steps).unwrap();
            let different = differences(&mut context, &one, &other);
            for (what, term) in different {
                let question = context.pool.not(term);
                let mut all = vec![question];
                let axioms = context.calls.congruence(&mut context.pool, &all);
                all.extend(axioms);
                let answer = engine.check(&mut context.pool, &all);
                assert!(matches!(answer, Answer::Unsat), "{what} from {place:?} in {steps} of\n{code}");
            }
        }
    }
}

/// What must hold if two segments are the same.
fn differences(context: &mut Context, one: &Segment, other: &Segment) -> Vec<(String, Term)> {
    let mut all = Vec::new();
    let either = |segment: &Segment, context: &mut Context| {
        context.pool.or_all(segment.faults.iter().map(|fault| fault.guard))
    };
    let (a, b) = (either(one, context), either(other, context));
    all.push(("faults".to_owned(), context.pool.eq(a, b)));
    let everything = |terms: &[Term], context: &mut Context| context.pool.and_all(terms.iter().copied());
    let (a, b) = (everything(&one.assumptions, context), everything(&other.assumptions, context));
    all.push(("assumptions".to_owned(), context.pool.eq(a, b)));
    let targets: BTreeSet<Target> = one.ends.iter().chain(&other.ends).map(|end| end.target).collect();
    for target in targets {
        let of = |segment: &Segment| segment.ends.iter().find(|end| end.target == target).cloned();
        let (Some(a), Some(b)) = (of(one), of(other)) else { panic!("only one arrives at {target:?}") };
        all.push((format!("coming to {target:?}"), context.pool.eq(a.guard, b.guard)));
        let mut same = vec![
            ("world", context.pool.eq(a.state.world, b.state.world)),
            ("epoch", context.pool.eq(a.state.epoch, b.state.epoch)),
        ];
        let arrays = [a.state.public].into_iter().chain(a.state.objects.iter().copied());
        for (left, right) in arrays.zip([b.state.public].into_iter().chain(b.state.objects.iter().copied())) {
            let at = context.pool.fresh("anywhere", Sort::Bits(64));
            let (left, right) = (context.pool.select(left, at), context.pool.select(right, at));
            same.push(("memory", context.pool.eq(left, right)));
        }
        assert_eq!(a.state.values.keys().collect::<Vec<_>>(), b.state.values.keys().collect::<Vec<_>>());
        for &var in a.state.values.keys() {
            if let (Some(left), Some(right)) = (number(&a.state, var), number(&b.state, var)) {
                same.push(("a variable", context.pool.eq(left, right)));
            }
        }
        for (what, same) in same {
            all.push((format!("{what} at {target:?}"), context.pool.implies(a.guard, same)));
        }
    }
    all
}

const PROGRAMS: &[&str] = &[
    "int f(int a, int b) { int x = a; if (a > b) x = b; if (x && b / x > 3) x++; return x * b; }",
    "unsigned f(const unsigned *p, unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += p[i]; return s; }",
    "int f(int *p, int *q) { *p = 1; *q += *p; if (p != q) p[2] = q[1]; return *p; }",
    "int f(int c) { switch (c) { case 1: case 2: return 7; case 9: c += 2; break; default: c--; } return c; }",
    "struct s { char a; int b; short c[3]; }; int f(struct s *p, int i) { struct s l = *p; l.c[i & 1] = 4; *p = l; return l.b; }",
    "int kept(int *p); int f(int a) { int l[3] = { a, 2, 3 }; int r = kept(l); return r + l[1]; }",
    "void out(int); int f(int n) { while (n > 0) { if (n & 1) out(n); n--; } return n; }",
    "static int half(int x) { return x / 2; } int f(int a) { int t = half(a); if (t < 0) return half(-t); return t; }",
    "static const int table[4] = { 3, 1, 4, 1 }; int f(unsigned i) { return table[i % 4] + table[i & 3]; }",
    "int g; void f(int a) { g = a; if (a) { int *p = &g; *p = *p + 1; } }",
    "double f(double x, int n) { double r = 1; for (int i = 0; i < n; i++) { r *= x; if (r > 10) break; } return r - x; }",
    "void exit(int) __attribute__((noreturn)); int f(int a) { if (a < 0) exit(a + 1); return __builtin_abs(a - 9); }",
    "int f(int (*p)(int), int a) { return p ? p(a) + p(a + 1) : 0; }",
    "unsigned long f(const char *s) { const char *p = s; while (*p) p++; return p - s; }",
];

#[test]
fn the_checker_reads_segments_as_the_prover_does() {
    for code in PROGRAMS {
        check_readings(code, Jumps::Last, Loops::Cut);
    }
}

#[test]
fn the_checker_reads_recursion_and_closed_loops_as_the_prover_does() {
    let recursive = "unsigned f(unsigned n) { if (n < 2) return 1; return n * f(n - 1); }";
    check_readings(recursive, Jumps::Never, Loops::Cut);
    check_readings(recursive, Jumps::Folded(Fold::Mul), Loops::Cut);
    let loops = "unsigned f(unsigned n, unsigned d) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i / d; for (unsigned i = 0; i < n; i++) s ^= i; return s; }";
    check_readings(loops, Jumps::Last, Loops::Closed);
}

/// What the checker says to inputs as a certificate.
fn by_runs(old: &str, new: &str, inputs: &[&[u64]]) -> Result<(), Rejected> {
    let (old, new) = (compile(old), compile(new));
    let (old, new) = (subject(&old, "f"), subject(&new, "f"));
    let inputs = Inputs::new(old, new, inputs.iter().map(|one| one.to_vec()).collect()).unwrap();
    check(&Certificate::Inputs(inputs), old, new, Box::new(Smtlib::z3()), Duration::from_secs(60))
}

const BITS: &str = "int f(unsigned char x) { int n = 0; while (x) { n += x & 1; x >>= 1; } return n; }";
const CLEARED: &str = "int f(unsigned char x) { int n = 0; for (; x; n++) x &= x - 1; return n; }";

#[test]
fn runs_of_all_partitions_are_accepted() {
    let all: Vec<[u64; 1]> = (0..=255).map(|n| [n]).collect();
    let all: Vec<&[u64]> = all.iter().map(|one| one.as_slice()).collect();
    assert_eq!(by_runs(BITS, CLEARED, &all), Ok(()));
}

#[test]
fn runs_that_leave_arguments_out_are_rejected() {
    assert!(by_runs(BITS, CLEARED, &[&[0], &[1], &[2], &[3]]).is_err());
    assert!(by_runs(BITS, CLEARED, &[]).is_err());
}

#[test]
fn runs_of_versions_that_differ_are_rejected() {
    let max = "int f(int a, int b) { return a > b ? a : b; }";
    let swapped = "int f(int a, int b) { if (b < a) return a; return b; }";
    let wrong = "int f(int a, int b) { if (b <= a + 1) return a; return b; }";
    let inputs: &[&[u64]] = &[&[1, 0], &[0, 1], &[5, 5]];
    assert_eq!(by_runs(max, swapped, inputs), Ok(()));
    assert!(by_runs(max, wrong, inputs).is_err());
}
