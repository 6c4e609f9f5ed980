//! What the constructors make of typical terms, and how people see it.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use hydrogen_term::{Pool, Sort, Term};

/// Some variables to build from.
struct Names {
    /// 32-bit numbers.
    n: Term,
    m: Term,
    /// 64-bit number.
    i: Term,
    /// A byte.
    c: Term,
    /// Memory.
    buf: Term,
}

fn check(build: impl Fn(&mut Pool, &Names) -> Term, expected: Expect) {
    let mut pool = Pool::new();
    let names = Names {
        n: pool.var("n", Sort::Bits(32)),
        m: pool.var("m", Sort::Bits(32)),
        i: pool.var("i", Sort::Bits(64)),
        c: pool.var("c", Sort::Bits(8)),
        buf: pool.var("buf", Sort::MEMORY),
    };
    let term = build(&mut pool, &names);
    expected.assert_eq(&pool.to_c(term));
}

/// A 32-bit constant.
fn k(pool: &mut Pool, value: i128) -> Term {
    pool.signed_bits(32, value)
}

#[test]
fn conditions() {
    check(
        |p, v| {
            let (most, zero) = (k(p, 255), p.bits(8, 0));
            let long = p.sgt(v.n, most);
            let byte = p.select(v.buf, v.i);
            let ends = p.eq(byte, zero);
            p.and(long, ends)
        },
        expect!["buf[i] == 0 && n > 255"],
    );
    check(|p, v| p.ult(v.n, v.m), expect!["(unsigned)n < (unsigned)m"]);
    check(|p, v| p.slt(v.n, v.m), expect!["n < m"]);
    check(|p, v| p.sle(v.n, v.m), expect!["m >= n"]);
    check(
        |p, v| {
            let (a, b) = (p.zext(v.c, 32), k(p, 7));
            p.ult(a, b)
        },
        expect!["(unsigned char)c < 7"],
    );
    check(
        |p, v| {
            let minus = k(p, -5);
            p.sge(v.n, minus)
        },
        expect!["n > -6"],
    );
}

#[test]
fn sums() {
    check(
        |p, v| {
            let (one, two) = (k(p, 1), k(p, 2));
            let a = p.add(v.n, one);
            p.add(a, two)
        },
        expect!["n + 3"],
    );
    check(
        |p, v| {
            let (one, three) = (k(p, 1), k(p, 3));
            let a = p.add(v.n, one);
            p.eq(a, three)
        },
        expect!["n == 2"],
    );
    check(
        |p, v| {
            let a = p.add(v.n, v.m);
            let b = p.sub(v.m, v.n);
            p.eq(a, b)
        },
        expect!["(n & 0x7fffffff) == 0"],
    );
    check(
        |p, v| {
            let four = k(p, 4);
            let a = p.mul(v.n, four);
            let b = p.sub(a, v.m);
            p.sub(b, four)
        },
        expect!["-m + n * 4 - 4"],
    );
    check(
        |p, v| {
            let a = p.bitnot(v.n);
            let one = k(p, 1);
            p.add(a, one)
        },
        expect!["-n"],
    );
}

#[test]
fn widths() {
    // (int)((long)n + 1)
    check(
        |p, v| {
            let (wide, one) = (p.sext(v.n, 64), p.bits(64, 1));
            let sum = p.add(wide, one);
            p.truncate(sum, 32)
        },
        expect!["n + 1"],
    );
    check(
        |p, v| {
            let by = k(p, 8);
            let (shifted, low) = (p.lshr(v.n, by), k(p, 255));
            p.bitand(shifted, low)
        },
        expect!["n >> 8 & 0xff"],
    );
    check(
        |p, v| {
            let by = k(p, 8);
            p.ashr(v.n, by)
        },
        expect!["n >> 8"],
    );
    check(
        |p, v| {
            let by = k(p, 8);
            p.lshr(v.n, by)
        },
        expect!["(unsigned)n >> 8"],
    );
}

#[test]
fn memory() {
    check(|p, v| p.read_le(v.buf, v.i, 4), expect!["*(uint32_t *)&buf[i]"]);
    // What is written is read, also beside other writes.
    check(
        |p, v| {
            let written = p.write_le(v.buf, v.i, v.n);
            let four = p.bits(64, 4);
            let next = p.add(v.i, four);
            let written = p.write_le(written, next, v.m);
            p.read_le(written, v.i, 4)
        },
        expect!["n"],
    );
    // Bytes put together by hand are the same read.
    check(
        |p, v| {
            let one = p.bits(64, 1);
            let next = p.add(v.i, one);
            let (low, high) = (p.select(v.buf, v.i), p.select(v.buf, next));
            let (low, high) = (p.zext(low, 32), p.zext(high, 32));
            let by = k(p, 8);
            let high = p.shl(high, by);
            p.bitor(high, low)
        },
        expect!["*(uint16_t *)&buf[i]"],
    );
    check(
        |p, v| {
            let seven = p.bits(8, 7);
            let written = p.store(v.buf, v.i, seven);
            let zero = p.bits(64, 0);
            p.select(written, zero)
        },
        expect!["buf{[i] = 7}[0]"],
    );
}

#[test]
fn choices() {
    check(
        |p, v| {
            let (a, b, c) = (k(p, 1), k(p, 2), k(p, 2));
            let less = p.slt(v.n, v.m);
            let choice = p.ite(less, a, b);
            p.eq(choice, c)
        },
        expect!["n >= m"],
    );
    check(
        |p, v| {
            let (low, high) = (k(p, 5), k(p, 6));
            let (a, b) = (p.sge(v.n, low), p.slt(v.n, high));
            p.and(a, b)
        },
        expect!["n == 5"],
    );
    check(
        |p, v| {
            let (low, high) = (k(p, 5), k(p, 3));
            let (a, b) = (p.sge(v.n, low), p.slt(v.n, high));
            p.and(a, b)
        },
        expect!["false"],
    );
}

#[test]
fn overflows() {
    check(
        |p, v| {
            let one = k(p, 1);
            p.sadd_overflows(v.n, one)
        },
        expect!["n == 2147483647"],
    );
    check(
        |p, v| {
            let four = k(p, 4);
            p.umul_overflows(v.n, four)
        },
        expect!["(unsigned)n > 1073741823"],
    );
    check(|p, v| p.neg_overflows(v.n), expect!["n == 0x80000000"]);
    check(
        |p, v| {
            let (a, b) = (p.zext(v.c, 32), k(p, 300));
            p.sadd_overflows(a, b)
        },
        expect!["false"],
    );
}
