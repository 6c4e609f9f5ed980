//! Tags, and the order people read them in.

use std::cmp::Ordering;

/// Compares names as people do: runs of digits by their value, so `v1.9` comes before `v1.10`, and a pre-release
/// (`v1.0-rc1`, `v1.0rc2`) before its release.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    // Lexicographic over a totally ordered alphabet, so the order is total whatever the names are.
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let (x, y) = (next(&mut left), next(&mut right));
        match x.cmp(&y) {
            Ordering::Equal if x == Piece::End => return a.cmp(b),
            Ordering::Equal => {}
            order => return order,
        }
    }
}

/// Whether a name is that of something before a release: `v1.0-rc1`, `1.3-dev1`, `2.0beta`.
pub fn is_pre_release(name: &str) -> bool {
    let mut rest = name.as_bytes();
    let mut was_number = false;
    loop {
        match next(&mut rest) {
            Piece::End => return false,
            // A word that only begins like one (`device`, `prefix-1`) is no number's ending.
            Piece::PreRelease(_)
                if was_number && rest.first().is_none_or(|byte| !byte.is_ascii_alphabetic()) =>
            {
                return true;
            }
            Piece::Number(..) => was_number = true,
            Piece::PreRelease(_) | Piece::Byte(_) => {}
        }
    }
}

/// One letter of a name; the order of the variants puts `1.0-rc1` before `1.0` before `1.0.1`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece<'a> {
    PreRelease(usize),
    End,
    Byte(u8),
    /// Compared by length first: leading zeros are gone, so longer is larger.
    Number(usize, &'a [u8]),
}

/// In the order in which projects go through them.
const PRE_RELEASES: [&[u8]; 6] = [b"dev", b"alpha", b"beta", b"preview", b"pre", b"rc"];

fn next<'a>(text: &mut &'a [u8]) -> Piece<'a> {
    let all: &'a [u8] = text;
    let Some(&first) = all.first() else { return Piece::End };
    if first.is_ascii_digit() {
        let length = all.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = all.split_at(length);
        *text = rest;
        let zeros = number.iter().take_while(|b| **b == b'0').count();
        let number = &number[zeros..];
        return Piece::Number(number.len(), number);
    }
    let word = if matches!(first, b'-' | b'_' | b'.') { &all[1..] } else { all };
    for (rank, name) in PRE_RELEASES.iter().enumerate() {
        if word.len() >= name.len() && word[..name.len()].eq_ignore_ascii_case(name) {
            *text = &word[name.len()..];
            return Piece::PreRelease(rank);
        }
    }
    *text = &all[1..];
    Piece::Byte(first)
}

#[cfg(test)]
mod tests {
    use super::{is_pre_release, natural_order};

    #[test]
    fn what_comes_before_a_release_is_none() {
        for name in [
            "1.3-dev1",
            "v1.0-rc1",
            "v1.0rc2",
            "2.0beta",
            "2.0-alpha.3",
            "v3.1-pre",
            "1.0_RC1",
            "v1.2.dev",
            "4.0-preview2",
        ] {
            assert!(is_pre_release(name), "{name}");
        }
        for name in [
            "v1.0",
            "1.3.1",
            "release-2",
            "devel",
            "device-1.2",
            "v2-device",
            "curl-7_80_0",
            "prefix-1.0",
            "1.0-1",
            "v1.0.1a",
        ] {
            assert!(!is_pre_release(name), "{name}");
        }
    }

    #[test]
    fn versions_come_in_release_order() {
        let expect = [
            "v0.9",
            "v1.0-rc1",
            "v1.0-rc2",
            "v1.0-rc10",
            "v1.0",
            "v1.0.1",
            "v1.9",
            "v1.10",
            "v1.10.2",
            "v2.0beta",
            "v2.0",
        ];
        let mut names = expect.to_vec();
        names.reverse();
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, expect);
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_total(a in "[v0-2.rc-]{0,6}", b in "[v0-2.rc-]{0,6}", c in "[v0-2.rc-]{0,6}") {
            assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
            assert_eq!(natural_order(&a, &b).is_eq(), a == b);
            if natural_order(&a, &b).is_le() && natural_order(&b, &c).is_le() {
                assert!(natural_order(&a, &c).is_le(), "{a} {b} {c}");
            }
        }
    }
}
