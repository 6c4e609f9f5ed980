//! Longest common subsequences: which statements two versions of a function share (F8).
//!
//! Myers' O(ND) algorithm in linear space, after the common head and tail are taken off. The result has the
//! length of a longest common subsequence (INV-18) unless two long sequences have almost nothing in common; then
//! statements that are unique in both serve as anchors, and the parts between them are compared.

use hashbrown::HashMap;
use std::hash::Hash;

/// How many edit steps one division may take before anchors are used. Sequences with fewer elements in total are
/// always compared exactly.
const LIMIT: usize = 16_384;

/// Pairs of positions of equal elements, increasing in both.
pub fn lcs<T: Copy + Eq + Hash>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    lcs_limited(a, b, LIMIT)
}

fn lcs_limited<T: Copy + Eq + Hash>(a: &[T], b: &[T], limit: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(a.len().min(b.len()));
    Search { a, b, limit, forward: Vec::new(), backward: Vec::new() }.compare(
        (0, a.len()),
        (0, b.len()),
        &mut pairs,
    );
    pairs
}

struct Search<'a, T> {
    a: &'a [T],
    b: &'a [T],
    limit: usize,
    /// Furthest positions per diagonal (-1: never reached), kept between calls to save allocation.
    forward: Vec<isize>,
    backward: Vec<isize>,
}

type Range = (usize, usize);

impl<T: Copy + Eq + Hash> Search<'_, T> {
    fn compare(&mut self, (mut a0, mut a1): Range, (mut b0, mut b1): Range, out: &mut Vec<(usize, usize)>) {
        while a0 < a1 && b0 < b1 && self.a[a0] == self.b[b0] {
            out.push((a0, b0));
            (a0, b0) = (a0 + 1, b0 + 1);
        }
        let mut tail = 0;
        while a0 < a1 && b0 < b1 && self.a[a1 - 1] == self.b[b1 - 1] {
            (a1, b1, tail) = (a1 - 1, b1 - 1, tail + 1);
        }
        if a0 < a1 && b0 < b1 {
            match self.middle((a0, a1), (b0, b1)) {
                Some((x, y)) => {
                    self.compare((a0, x), (b0, y), out);
                    self.compare((x, a1), (y, b1), out);
                }
                None => self.anchored((a0, a1), (b0, b1), out),
            }
        }
        out.extend((0..tail).map(|step| (a1 + step, b1 + step)));
    }

    /// A point on a shortest edit path that divides it into halves; `None` when that costs too much.
    ///
    /// Neither range is empty, and they differ at both ends, so that each half is smaller than the whole.
    fn middle(&mut self, (a0, a1): Range, (b0, b1): Range) -> Option<(usize, usize)> {
        let (a, b) = (&self.a[a0..a1], &self.b[b0..b1]);
        let (n, m) = (a.len() as isize, b.len() as isize);
        let half = (n + m + 1) / 2;
        let delta = n - m;
        let odd = delta % 2 != 0;
        let at = |k: isize| (k + half + 1) as usize;
        for furthest in [&mut self.forward, &mut self.backward] {
            furthest.clear();
            furthest.resize(2 * half as usize + 3, -1);
            furthest[at(1)] = 0;
        }
        let (forward, backward) = (&mut self.forward, &mut self.backward);
        let step = |furthest: &mut Vec<isize>, k: isize, same: &dyn Fn(usize, usize) -> bool| {
            let (left, right) = (furthest[at(k - 1)], furthest[at(k + 1)]);
            let mut x = if left < right { right } else { left + 1 };
            while x < n && x - k < m && same(x as usize, (x - k) as usize) {
                x += 1;
            }
            furthest[at(k)] = x;
            x
        };
        for d in 0..=half {
            if 2 * d as usize > self.limit && (n + m) as usize > self.limit {
                return None;
            }
            // Diagonals beyond the corners lead nowhere.
            let low = 2 * (d - m).max(0) - d;
            let high = d - 2 * (d - n).max(0);
            for k in (low..=high).step_by(2) {
                let x = step(forward, k, &|x, y| a[x] == b[y]);
                if odd && (delta - k).abs() < d && x + backward[at(delta - k)] >= n {
                    return Some((a0 + x as usize, b0 + (x - k) as usize));
                }
            }
            for k in (low..=high).step_by(2) {
                let x = step(backward, k, &|x, y| a[n as usize - x - 1] == b[m as usize - y - 1]);
                if !odd && (delta - k).abs() <= d && x + forward[at(delta - k)] >= n {
                    return Some((a0 + (n - x) as usize, b0 + (m - x + k) as usize));
                }
            }
        }
        None
    }

    /// Divides the ranges at elements that are unique in both and in the same order in both.
    fn anchored(&mut self, (a0, a1): Range, (b0, b1): Range, out: &mut Vec<(usize, usize)>) {
        let (left, right) = (unique(&self.a[a0..a1]), unique(&self.b[b0..b1]));
        let mut common: Vec<(usize, usize)> =
            left.iter().filter_map(|(element, &x)| Some((a0 + x?, b0 + (*right.get(element)?)?))).collect();
        common.sort_unstable();
        let (mut x, mut y) = (a0, b0);
        for (next_x, next_y) in increasing(&common) {
            self.compare((x, next_x), (y, next_y), out);
            out.push((next_x, next_y));
            (x, y) = (next_x + 1, next_y + 1);
        }
        // Without any anchor the ranges have nothing in common that is worth the search.
        if x > a0 {
            self.compare((x, a1), (y, b1), out);
        }
    }
}

/// Where each element stands that occurs once; `None` for those that occur more often.
fn unique<T: Copy + Eq + Hash>(elements: &[T]) -> HashMap<T, Option<usize>> {
    let mut places = HashMap::with_capacity(elements.len());
    for (at, &element) in elements.iter().enumerate() {
        places.entry(element).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// The longest sequence of pairs that increases in both parts; the pairs are sorted by their first part.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|&top| pairs[top].1 < pair.1);
        before[at] = pile.checked_sub(1).map(|under| tops[under]);
        if pile == tops.len() {
            tops.push(at);
        } else {
            tops[pile] = at;
        }
    }
    let mut out = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(at) = next {
        out.push(pairs[at]);
        next = before[at];
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook table.
    fn reference(a: &[u8], b: &[u8]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { corner + 1 } else { above.max(row[j]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    fn is_map(a: &[u8], b: &[u8], pairs: &[(usize, usize)]) -> bool {
        pairs.iter().all(|&(x, y)| a[x] == b[y])
            && pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
    }

    /// E19.
    #[test]
    fn tgcc_and_gcta_share_gc() {
        let (a, b) = (b"TGCC", b"GCTA");
        let shared: Vec<u8> = lcs(a, b).into_iter().map(|(x, _)| a[x]).collect();
        assert_eq!(shared, b"GC");
    }

    proptest! {
        /// INV-18: injective, increasing, text-equal, and of maximal size.
        #[test]
        fn is_a_longest_common_subsequence(
            a in prop::collection::vec(0u8..6, 0..40),
            b in prop::collection::vec(0u8..6, 0..40),
        ) {
            let pairs = lcs(&a, &b);
            prop_assert!(is_map(&a, &b, &pairs));
            prop_assert_eq!(pairs.len(), reference(&a, &b));
        }

        /// With a tiny limit the result may be shorter; it is still a map.
        #[test]
        fn anchors_give_a_map(
            a in prop::collection::vec(0u8..40, 0..60),
            b in prop::collection::vec(0u8..40, 0..60),
            limit in 0usize..8,
        ) {
            prop_assert!(is_map(&a, &b, &lcs_limited(&a, &b, limit)));
        }
    }
}
