//! Small programs like those in C libraries: reading numbers, headers and lengths, checking bounds, sums and tables.

use hydrogen_term::{Sort, Term};

use super::explore::{Recording, Run, explore};

/// All recordings.
pub fn record() -> Vec<Recording> {
    vec![
        explore("decimal number", 200, decimal),
        explore("chunked header", 300, header),
        explore("UTF-8 text", 300, utf8),
        explore("copy with lengths", 300, copy),
        explore("array of structures", 60, structures),
        explore("checksum", 30, checksum),
        explore("hash table", 200, hash),
        explore("lookup table", 300, table),
        explore("division and dates", 60, dates),
        explore("sorted search", 60, search),
    ]
}

/// `strtol` on six bytes, with overflow checks.
fn decimal(run: &mut Run<'_>) {
    let (ten, zero_digit, zero) = (run.k(32, 10), run.k(32, 48), run.k(32, 0));
    let minus = run.k(8, 45);
    let first = run.byte(0);
    let is_minus = run.pool.eq(first, minus);
    let negative = run.branch(is_minus);
    let mut value = zero;
    for at in u64::from(negative)..6 {
        let byte = run.byte(at);
        let byte = run.pool.zext(byte, 32);
        let digit = run.pool.sub(byte, zero_digit);
        let is_digit = run.pool.ult(digit, ten);
        if !run.branch(is_digit) {
            break;
        }
        let overflows = run.pool.smul_overflows(value, ten);
        run.fault(overflows);
        let scaled = run.pool.mul(value, ten);
        let overflows = run.pool.sadd_overflows(scaled, digit);
        run.fault(overflows);
        value = run.pool.add(scaled, digit);
    }
    let value = if negative { run.pool.neg(value) } else { value };
    for limit in [0, 255, -1, 4096] {
        let limit = run.k(32, limit);
        let above = run.pool.sgt(value, limit);
        if run.branch(above) {
            break;
        }
    }
}

/// A file of chunks: tag, 16-bit length, payload; the offsets must stay inside of the size.
fn header(run: &mut Run<'_>) {
    let size = run.pool.var("size", Sort::Bits(64));
    let (most, four) = (run.k(64, 64), run.k(64, 4));
    let small = run.pool.ule(size, most);
    if !run.branch(small) {
        return;
    }
    let mut at = run.k(64, 0);
    for _ in 0..4 {
        let end = run.pool.add(at, four);
        let fits = run.pool.ule(end, size);
        if !run.branch(fits) {
            return;
        }
        let input = run.pool.var("input", Sort::MEMORY);
        let tag = run.byte_at(at);
        let (one, two) = (run.k(64, 1), run.k(64, 2));
        let length_at = run.pool.add(at, two);
        let length = run.pool.read_le(input, length_at, 2);
        let wide = run.pool.zext(length, 64);
        let next = run.pool.add(end, wide);
        let (known, outside) = (run.k(8, 0x7f), run.pool.ugt(next, size));
        let is_end = run.pool.eq(tag, known);
        if run.branch(is_end) {
            return;
        }
        run.fault(outside);
        if run.branch(outside) {
            return;
        }
        let flag_at = run.pool.add(at, one);
        let flag = run.byte_at(flag_at);
        let bit = run.k(8, 4);
        let set = run.pool.bitand(flag, bit);
        let is_set = run.pool.bits_to_bool(set);
        at = if run.branch(is_set) { run.pool.add(next, one) } else { next };
    }
}

/// Decoding three code points.
fn utf8(run: &mut Run<'_>) {
    let mut at = 0;
    for _ in 0..3 {
        let lead = run.byte(at);
        let lead = run.pool.zext(lead, 32);
        let (ascii, two, three, six) = (run.k(32, 0x80), run.k(32, 0xe0), run.k(32, 0xf0), run.k(32, 6));
        let is_ascii = run.pool.ult(lead, ascii);
        if run.branch(is_ascii) {
            at += 1;
            continue;
        }
        let is_two = run.pool.ult(lead, two);
        let is_three = run.pool.ult(lead, three);
        let more = if run.branch(is_two) {
            1
        } else if run.branch(is_three) {
            2
        } else {
            3
        };
        let low = run.k(32, (1 << (6 - more)) - 1);
        let mut point = run.pool.bitand(lead, low);
        for offset in 1..=more {
            let next = run.byte(at + offset);
            let next = run.pool.zext(next, 32);
            let (top, mark, rest) = (run.k(32, 0xc0), run.k(32, 0x80), run.k(32, 0x3f));
            let kind = run.pool.bitand(next, top);
            let follows = run.pool.eq(kind, mark);
            if !run.branch(follows) {
                return;
            }
            let shifted = run.pool.shl(point, six);
            let bits = run.pool.bitand(next, rest);
            point = run.pool.bitor(shifted, bits);
        }
        let (surrogate, after, last) = (run.k(32, 0xd800), run.k(32, 0xdfff), run.k(32, 0x10ffff));
        let (low, high, beyond) =
            (run.pool.uge(point, surrogate), run.pool.ule(point, after), run.pool.ugt(point, last));
        let is_surrogate = run.pool.and(low, high);
        let bad = run.pool.or(is_surrogate, beyond);
        if run.branch(bad) {
            return;
        }
        at += 1 + more;
    }
}

/// A decompressor's loop: lengths of 15 and 255 are continued; copies must stay inside of both buffers.
fn copy(run: &mut Run<'_>) {
    let (out_size, start) = (run.pool.var("out_size", Sort::Bits(64)), run.pool.var("out", Sort::Bits(64)));
    let most = run.k(64, 1 << 40);
    let (sane, low) = (run.pool.ult(out_size, most), run.pool.ult(start, most));
    let both = run.pool.and(sane, low);
    if !run.branch(both) {
        return;
    }
    let end = run.pool.add(start, out_size);
    let (mut at, mut out) = (0, start);
    for _ in 0..3 {
        let token = run.byte(at);
        at += 1;
        let four = run.k(8, 4);
        let count = run.pool.lshr(token, four);
        let mut length = run.pool.zext(count, 64);
        let fifteen = run.k(64, 15);
        let is_long = run.pool.eq(length, fifteen);
        if run.branch(is_long) {
            for _ in 0..2 {
                let more = run.byte(at);
                at += 1;
                let more = run.pool.zext(more, 64);
                length = run.pool.add(length, more);
                let full = run.k(64, 255);
                let goes_on = run.pool.eq(more, full);
                if !run.branch(goes_on) {
                    break;
                }
            }
        }
        let stop = run.pool.add(out, length);
        let outside = run.pool.ugt(stop, end);
        run.fault(outside);
        if run.branch(outside) {
            return;
        }
        out = stop;
        let (low, high) = (run.byte(at), run.byte(at + 1));
        at += 2;
        let offset = run.pool.concat(high, low);
        let offset = run.pool.zext(offset, 64);
        let from = run.pool.sub(out, offset);
        let before = run.pool.ult(from, start);
        run.fault(before);
        if run.branch(before) {
            return;
        }
    }
}

/// `malloc(count * size)` in 32 bits, then element accesses.
fn structures(run: &mut Run<'_>) {
    let (count, size) = (run.pool.var("count", Sort::Bits(32)), run.pool.var("size", Sort::Bits(32)));
    let (i, zero) = (run.pool.var("i", Sort::Bits(32)), run.k(32, 0));
    let bytes = run.pool.mul(count, size);
    for limit in [1, 24, 1000] {
        let limit = run.k(32, limit);
        let small = run.pool.ule(size, limit);
        if run.branch(small) {
            break;
        }
    }
    let overflow = run.pool.umul_overflows(count, size);
    run.fault(overflow);
    let none = run.pool.eq(bytes, zero);
    if run.branch(none) {
        return;
    }
    let (inside, from) = (run.pool.slt(i, count), run.pool.sge(i, zero));
    let good = run.pool.and(inside, from);
    if !run.branch(good) {
        return;
    }
    let (wide_i, wide_size, wide_bytes) =
        (run.pool.sext(i, 64), run.pool.zext(size, 64), run.pool.zext(bytes, 64));
    let offset = run.pool.mul(wide_i, wide_size);
    let end = run.pool.add(offset, wide_size);
    let outside = run.pool.ugt(end, wide_bytes);
    run.fault(outside);
    if run.branch(overflow) {
        return;
    }
    let limit = run.k(32, 4096);
    let bounded = run.pool.ult(count, limit);
    if run.branch(bounded) {
        run.fault(outside);
    }
}

/// Adler-32 over four bytes, compared with the one in the input.
fn checksum(run: &mut Run<'_>) {
    let modulus = run.k(32, 65521);
    let (mut a, mut b) = (run.k(32, 1), run.k(32, 0));
    for at in 0..4 {
        let byte = run.byte(at);
        let letter = run.k(8, 97);
        let is_letter = run.pool.uge(byte, letter);
        if !run.branch(is_letter) {
            break;
        }
        let byte = run.pool.zext(byte, 32);
        let sum = run.pool.add(a, byte);
        a = run.pool.urem(sum, modulus);
        let sum = run.pool.add(b, a);
        b = run.pool.urem(sum, modulus);
    }
    let sixteen = run.k(32, 16);
    let high = run.pool.shl(b, sixteen);
    let sum = run.pool.bitor(high, a);
    let input = run.pool.var("input", Sort::MEMORY);
    let at = run.k(64, 8);
    let stored = run.pool.read_le(input, at, 4);
    let matches = run.pool.eq(sum, stored);
    if run.branch(matches) {
        let known = run.k(32, 0x0398_0128);
        let is_known = run.pool.eq(sum, known);
        run.branch(is_known);
    }
}

/// FNV over the bytes, modulo the number of buckets.
fn hash(run: &mut Run<'_>) {
    let mut hash = run.k(32, 0x811c_9dc5);
    let prime = run.k(32, 0x0100_0193);
    for at in 0..5 {
        let byte = run.byte(at);
        let zero = run.k(8, 0);
        let ends = run.pool.eq(byte, zero);
        if run.branch(ends) {
            break;
        }
        let byte = run.pool.zext(byte, 32);
        let mixed = run.pool.bitxor(hash, byte);
        hash = run.pool.mul(mixed, prime);
    }
    let sixteen = run.k(32, 16);
    let top = run.pool.lshr(hash, sixteen);
    let folded = run.pool.bitxor(hash, top);
    let low = run.k(32, 7);
    let bucket = run.pool.bitand(folded, low);
    for wanted in 0..7 {
        let wanted = run.k(32, wanted);
        let here = run.pool.eq(bucket, wanted);
        if run.branch(here) {
            break;
        }
    }
}

/// A table indexed by input bytes, written to and read from.
fn table(run: &mut Run<'_>) {
    let mut table = run.pool.var("table", Sort::Array { index: 64, element: 8 });
    let limit = run.k(64, 256);
    for at in 0..5 {
        let byte = run.byte(at);
        let index = run.pool.zext(byte, 64);
        let scaled = run.k(64, 2);
        let index = run.pool.mul(index, scaled);
        let outside = run.pool.uge(index, limit);
        run.fault(outside);
        if run.branch(outside) {
            return;
        }
        let old = run.pool.select(table, index);
        let three = run.k(8, 3);
        let small = run.pool.ult(old, three);
        let one = run.k(8, 1);
        let new = run.pool.add(old, one);
        if run.branch(small) {
            table = run.pool.store(table, index, new);
        }
        let again = run.pool.select(table, index);
        let zero = run.k(8, 0);
        let is_zero = run.pool.eq(again, zero);
        if run.branch(is_zero) {
            return;
        }
    }
}

/// Days into years and months.
fn dates(run: &mut Run<'_>) {
    let days = run.pool.var("days", Sort::Bits(32));
    let zero = run.k(32, 0);
    let past = run.pool.slt(days, zero);
    if run.branch(past) {
        return;
    }
    let (period, year_days, unit) = (run.k(32, 1461), run.k(32, 365), run.pool.var("unit", Sort::Bits(32)));
    let (periods, rest) = (run.pool.sdiv(days, period), run.pool.srem(days, period));
    let year = run.pool.sdiv(rest, year_days);
    let three = run.k(32, 3);
    let leap = run.pool.eq(year, three);
    run.branch(leap);
    let bad = run.pool.eq(unit, zero);
    run.fault(bad);
    if run.branch(bad) {
        return;
    }
    let turned = run.pool.sdiv_overflows(rest, unit);
    run.fault(turned);
    let parts = run.pool.sdiv(rest, unit);
    let back = run.pool.mul(parts, unit);
    let wrong = run.pool.sgt(back, rest);
    run.fault(wrong);
    let limit = run.k(32, 12);
    let few = run.pool.slt(periods, limit);
    run.branch(few);
}

/// Binary search in a sorted array of 16 elements.
fn search(run: &mut Run<'_>) {
    let array = run.pool.var("sorted", Sort::Array { index: 64, element: 32 });
    let key = run.pool.var("key", Sort::Bits(32));
    let indices: Vec<Term> = (0..16).map(|at| run.k(64, at)).collect();
    let elements: Vec<Term> = indices.iter().map(|&at| run.pool.select(array, at)).collect();
    for pair in elements.windows(2) {
        let ordered = run.pool.slt(pair[0], pair[1]);
        if !run.branch(ordered) {
            return;
        }
    }
    let (mut low, mut high) = (0, 16);
    while low < high {
        let middle = (low + high) / 2;
        let found = run.pool.eq(elements[middle], key);
        if run.branch(found) {
            return;
        }
        let below = run.pool.slt(elements[middle], key);
        if run.branch(below) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
}
